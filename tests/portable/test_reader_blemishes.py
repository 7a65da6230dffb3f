"""A crack across a bright face is found wherever it runs; dirt, shadow, glare and slanting light are none."""

import unittest
from math import pi

from tumbler.reader.blemishes import prove_unblemished
from tumbler.reader.face_light import face_lights
from tumbler.reader.refusal import Refused
from tumbler.reader.solve import solve
from tumbler.reader.square import Pose

_COLUMNS = 44
_MIDDLE = 21.6
_SIDES = 13.3, 26.3
_PIP = 0.1
_CRACK = 0.018, 0.75  # half-width in sides, and the share of light that it takes
_FACES = {
    1: [(0, 0)],
    4: [(u, v) for u in (-0.25, 0.25) for v in (-0.25, 0.25)],
    3: [(-0.25, -0.25), (0, 0), (0.25, 0.25)],
    6: [(u, v) for u in (-0.23, 0.23) for v in (-0.23, 0, 0.23)],
}


def cover(distance):
    """Share of a pixel inside an edge that is so many pixels away."""
    return min(1, max(0, 0.5 + distance))


class Machine:
    """As much of a gatherer as a face is judged by: the two composites of one die."""

    left = top = 0
    columns = rows = _COLUMNS

    def __init__(self, face, side, degrees, mark=None):
        """mark: share of the light that is left at u, v of the face with so many pixels a side."""
        self.pose = Pose(_MIDDLE, _MIDDLE, side, degrees * pi / 180)
        self.pattern = _FACES[face]
        self.profile = self
        self.radii = {len(self.pattern): _PIP}
        self.images = []
        self.low = self._draw(90, (0.15, -0.05), mark)
        self.high = self._draw(170, (-0.1, 0.12), mark)

    def _draw(self, level, slope, mark):
        plane = bytearray(_COLUMNS * _COLUMNS)
        for y in range(_COLUMNS):
            for x in range(_COLUMNS):
                u, v = self.pose.face(x, y)
                if max(abs(u), abs(v)) < 0.5:
                    light = 1 + slope[0] * u + slope[1] * v
                    for pu, pv in self.pattern:
                        away = ((u - pu) ** 2 + (v - pv) ** 2) ** 0.5
                        light *= 1 - 0.9 * cover((_PIP - away) * self.pose.side)
                    if mark:
                        light *= mark(u, v, self.pose.side)
                    plane[y * _COLUMNS + x] = int(level * light)
        return plane

    def shade(self, plane, share):
        """Take light from a third of a composite."""
        for i in range(len(plane) // 3 * 2):
            plane[i] = int(plane[i] * share)

    def miss_a_frame(self, share):
        """Leave so much of the light in the brightest composite where a lamp is mirrored."""
        for middle_x, middle_y, radius in self.images[0]:
            for i in range(len(self.high)):
                y, x = divmod(i, _COLUMNS)
                if (x - middle_x) ** 2 + (y - middle_y) ** 2 < radius**2:
                    self.high[i] = int(self.high[i] * share)

    def judge(self):
        face = self.pose, self.pattern, self.pose
        prove_unblemished(self, *face, face_lights(self, *face))

    def is_whole(self):
        """Whether the face passes; what is refused is damage."""
        try:
            self.judge()
        except Refused as refusal:
            if refusal.reason != "die-damaged":
                raise
            return False
        return True


def crack(offset, along):
    """A straight crack at v = offset, or u = offset."""
    half, taken = _CRACK

    def mark(u, v, side):
        away = abs((u if along else v) - offset)
        return 1 - taken * min(2 * half * side, cover((half - away) * side))

    return mark


def chip(u, v, _side):
    """A corner that leans from the light, not so far that some lamp does not reach it."""
    return 0.55 if 0.92 - u - v < 0.22 else 1


def speck(u0, v0, radius, taken):
    def mark(u, v, side):
        away = ((u - u0) ** 2 + (v - v0) ** 2) ** 0.5
        return 1 - taken * cover((radius - away) * side)

    return mark


class Blemishes(unittest.TestCase):
    def test_a_whole_face_in_slanting_light_passes(self):
        for face in _FACES:
            for side in _SIDES:
                for degrees in (0, 17, 45, 71):
                    self.assertTrue(Machine(face, side, degrees).is_whole(), (face, side, degrees))

    def test_a_crack_is_damage_wherever_it_runs(self):
        for face in _FACES:
            for side in _SIDES:
                for degrees in (0, 30):
                    for offset in (-0.34, -0.12, 0.03, 0.4):
                        for along in (False, True):
                            die = Machine(face, side, degrees, crack(offset, along))
                            self.assertFalse(die.is_whole(), (face, side, degrees, offset, along))

    def test_dirt_is_no_damage(self):
        for side in _SIDES:
            for u, v in ((0.1, 0.37), (-0.35, 0.1)):
                self.assertTrue(Machine(3, side, 30, speck(u, v, 0.03, 0.3)).is_whole(), (side, u, v))

    def test_a_stain_is_damage(self):
        for side in _SIDES:
            self.assertFalse(Machine(3, side, 30, speck(0.3, -0.25, 0.1, 0.5)).is_whole(), side)

    def test_a_broken_corner_is_damage(self):
        for face in _FACES:
            for side in _SIDES:
                for degrees in (0, 30):
                    die = Machine(face, side, degrees, chip)
                    with self.assertRaises(Refused) as caught:
                        die.judge()
                    self.assertEqual(caught.exception.detail, "corner", (face, side, degrees))

    def test_a_shadow_that_some_lamp_does_not_throw_is_no_damage(self):
        die = Machine(3, 26.3, 20)
        die.shade(die.low, 0.4)
        self.assertTrue(die.is_whole())

    def test_a_face_beside_a_glare_is_no_damage(self):
        die = Machine(3, 26.3, 20)
        die.shade(die.high, 0.6)
        self.assertTrue(die.is_whole())

    def test_where_a_lamp_is_mirrored_its_frame_is_missed_not_light(self):
        die = Machine(1, 26.3, 0, speck(0.3, 0.3, 0.15, 0.5))
        self.assertFalse(die.is_whole())
        die.images = [[(_MIDDLE + 0.3 * 26.3, _MIDDLE + 0.3 * 26.3, 0.15 * 26.3)]]
        self.assertTrue(die.is_whole())

    def test_a_crack_under_a_mirrored_lamp_is_damage(self):
        for side in _SIDES:
            for is_cracked in (False, True):
                die = Machine(4, side, 10, crack(0.03, False) if is_cracked else None)
                die.images = [[(_MIDDLE, _MIDDLE, 0.55 * side)]]
                die.miss_a_frame(0.8)
                self.assertEqual(die.is_whole(), not is_cracked, side)

    def test_a_face_all_in_pips_is_refused(self):
        die = Machine(6, 26.3, 0)
        die.radii = {6: 1.0}
        with self.assertRaises(Refused) as caught:
            die.judge()
        self.assertEqual(caught.exception.reason, "unreadable")


class LeastSquares(unittest.TestCase):
    def test_a_plane_is_found_through_its_points(self):
        rows = [(1, u, v, 100 + 7 * u - 3 * v) for u in range(3) for v in range(4)]
        for found, true in zip(solve(rows), (100, 7, -3)):
            self.assertTrue(abs(found - true) < 1e-6, found)

    def test_errors_on_both_sides_even_out(self):
        rows = [(1, u, v, 50 + error) for u in (-1, 1) for v in (-1, 1) for error in (-2, 2)]
        for found, true in zip(solve(rows), (50, 0, 0)):
            self.assertTrue(abs(found - true) < 1e-6, found)


if __name__ == "__main__":
    unittest.main()
