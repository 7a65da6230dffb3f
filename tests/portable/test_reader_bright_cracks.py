"""A crack among the pips of a bright face is found; blur, slanting light, gloss and dirt are none."""

import unittest
from math import pi

from tumbler.reader.bright_cracks import BrightCracks
from tumbler.reader.face_light import face_lights
from tumbler.reader.refusal import Refused
from tumbler.reader.square import Pose

_COLUMNS = 48
_MIDDLE = 23.6
_SIDE = 26.3
_PIP = 0.1
_FACES = {
    1: [(0, 0)],
    2: [(-0.26, -0.26), (0.26, 0.26)],
    3: [(-0.26, 0.26), (0, 0), (0.26, -0.26)],
    4: [(u, v) for u in (-0.26, 0.26) for v in (-0.26, 0.26)],
    5: [(0, 0)] + [(u, v) for u in (-0.26, 0.26) for v in (-0.26, 0.26)],
    6: [(u, v) for u in (-0.26, 0, 0.26) for v in (-0.26, 0.26)],
}


def cover(distance, blur):
    """Share of a pixel inside an edge that is so many pixels away, in a picture as blurred as that."""
    return min(1, max(0, 0.5 + distance / blur))


class Machine:
    """As much of a gatherer as a face is judged by: the two composites of one die."""

    left = top = 0
    columns = rows = _COLUMNS

    def __init__(self, face, degrees, mark=None, blur=1.5, middle=(_MIDDLE, _MIDDLE)):
        """mark: share of the light that is left at u, v of the face; blur: pixels from dark to light."""
        self.pose = Pose(middle[0], middle[1], _SIDE, degrees * pi / 180)
        self.pattern = _FACES[face]
        self.profile = self
        self.side = _SIDE
        self.radii = {face: _PIP}
        self.images = []
        self.low = self._draw(90, (0.25, -0.1), mark, blur)
        self.high = self._draw(170, (-0.1, 0.15), mark, blur)

    def _draw(self, level, slope, mark, blur):
        """The face, a rim beyond it that is lit on one side only, and what is dark about it."""
        plane = bytearray(_COLUMNS * _COLUMNS)
        for y in range(_COLUMNS):
            for x in range(_COLUMNS):
                u, v = self.pose.face(x, y)
                if max(abs(u), abs(v)) < 0.53:
                    light = 1 + slope[0] * u + slope[1] * v
                    for pu, pv in self.pattern:
                        away = ((u - pu) ** 2 + (v - pv) ** 2) ** 0.5
                        light *= 1 - 0.9 * cover((_PIP - away) * _SIDE, blur)
                    if mark:
                        light *= mark(u, v)
                    if u > 0.47:
                        light *= 1.3
                    if v > 0.47:
                        light *= 0.6
                    plane[y * _COLUMNS + x] = int(level * light)
        return plane

    def check(self):
        lights = face_lights(self, self.pose, self.pattern, self.pose)
        return BrightCracks(self).check(self.pose, self.pattern, self.pose, lights)


def crack(offset, jag, along):
    """A crack from side to side of the face about v = offset, or u = offset, that bends `jag` to and fro."""

    def mark(u, v):
        if along:
            u, v = v, u
        bend = abs((u + 0.6) % 0.4 - 0.2) / 0.2 - 0.5
        return 1 - 0.75 * cover((0.018 - abs(v - offset - jag * bend)) * _SIDE, 1)

    return mark


def speck(u0, v0):
    def mark(u, v):
        return 1 - 0.35 * cover((0.04 - ((u - u0) ** 2 + (v - v0) ** 2) ** 0.5) * _SIDE, 1)

    return mark


class BrightCracksTest(unittest.TestCase):
    def _assert_cracked(self, machine, what):
        with self.assertRaises(Refused) as caught:
            machine.check()
        self.assertEqual((caught.exception.reason, caught.exception.detail), ("die-damaged", "crack"), what)

    def test_a_crack_from_pip_to_pip_of_a_row_is_damage(self):
        for degrees in (0, 17, 40, 68):
            for jag in (0, 0.08):
                for offset in (-0.26, 0.26):
                    machine = Machine(6, degrees, crack(offset, jag, along=False))
                    self._assert_cracked(machine, (degrees, jag, offset))

    def test_a_crack_along_pips_and_rim_is_damage_on_every_face_that_can_hide_one(self):
        for face in (2, 3, 4, 5, 6):
            for along in (False, True):
                machine = Machine(face, 25, crack(0.3, 0.06, along))
                self._assert_cracked(machine, (face, along))

    def test_a_crack_is_damage_in_a_blurred_picture(self):
        self._assert_cracked(Machine(6, 17, crack(0.26, 0.08, along=False), blur=3), 17)

    def test_a_whole_face_in_slanting_light_passes_however_blurred(self):
        for face in _FACES:
            for degrees in (0, 17, 40, 68):
                for blur in (1, 2, 3.5):
                    self.assertTrue(Machine(face, degrees, blur=blur).check() > 0.5, (face, degrees, blur))

    def test_dirt_beside_a_pip_and_on_the_rim_is_no_damage(self):
        for place in ((0.1, 0.26), (0.13, -0.2), (0.45, 0.1), (-0.4, 0.26)):
            self.assertTrue(Machine(6, 17, speck(*place)).check() > 0, place)

    def test_a_line_that_some_lamp_does_not_show_is_no_damage(self):
        """A shadow's, in the darkest frame alone, or that of gloss about the brightest."""
        sound = Machine(6, 17)
        for shown in ("low", "high"):
            machine = Machine(6, 17, crack(0.26, 0, along=False))
            setattr(machine, shown, getattr(sound, shown))
            self.assertTrue(machine.check() > 0.5, shown)

    def test_the_rim_of_a_lamps_mirror_image_is_no_damage(self):
        def rim(u, v):
            away = abs((u * u + (v - 0.2) ** 2) ** 0.5 - 0.2)
            return 1 - 0.4 * cover((0.02 - away) * _SIDE, 1)

        machine = Machine(4, 17, rim)
        self._assert_cracked(machine, "such a line without a lamp")
        x, y = machine.pose.place(0, 0.2)
        machine.images = [[(x, y, 0.2 * _SIDE)]]
        self.assertTrue(machine.check() > 0.5)

    def test_the_bowl_of_a_single_pip_is_not_judged(self):
        """It lies across the middle from itself: its lit half from its dark one."""
        self.assertEqual(Machine(1, 17, lambda u, v: 0.6 if u < 0 and u * u + v * v < 0.03 else 1).check(), 1)

    def test_a_face_that_the_picture_cuts_is_not_judged(self):
        machine = Machine(6, 0, middle=(12.0, _MIDDLE))
        lights = face_lights(Machine(6, 0), machine.pose, machine.pattern, machine.pose)
        with self.assertRaises(Refused) as caught:
            BrightCracks(machine).check(machine.pose, machine.pattern, machine.pose, lights)
        self.assertEqual(caught.exception.reason, "unreadable")


if __name__ == "__main__":
    unittest.main()
