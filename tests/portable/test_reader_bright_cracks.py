"""A crack among the pips of a bright face is found; blur, slanting light, gloss and dirt are none."""

import unittest

from fake_bright_face import FACES, MIDDLE, SIDE, Machine, cover, crack, speck

from tumbler.reader.bright_cracks import BrightCracks
from tumbler.reader.refusal import Refused


def _check(machine):
    return BrightCracks(machine).check(machine.pose, machine.pattern, machine.pose, machine.lights())


class BrightCracksTest(unittest.TestCase):
    def _assert_cracked(self, machine, what):
        with self.assertRaises(Refused) as caught:
            _check(machine)
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
        for face in FACES:
            for degrees in (0, 17, 40, 68):
                for blur in (1, 2, 3.5):
                    self.assertTrue(_check(Machine(face, degrees, blur=blur)) > 0.5, (face, degrees, blur))

    def test_dirt_beside_a_pip_and_on_the_rim_is_no_damage(self):
        for place in ((0.1, 0.26), (0.13, -0.2), (0.45, 0.1), (-0.4, 0.26)):
            self.assertTrue(_check(Machine(6, 17, speck(*place))) > 0, place)

    def test_a_line_that_some_lamp_does_not_show_is_no_damage(self):
        """A shadow's, in the darkest frame alone, or that of gloss about the brightest."""
        sound = Machine(6, 17)
        for shown in ("low", "high"):
            machine = Machine(6, 17, crack(0.26, 0, along=False))
            setattr(machine, shown, getattr(sound, shown))
            self.assertTrue(_check(machine) > 0.5, shown)

    def test_the_rim_of_a_lamps_mirror_image_is_no_damage(self):
        def rim(u, v):
            away = abs((u * u + (v - 0.2) ** 2) ** 0.5 - 0.2)
            return 1 - 0.4 * cover((0.02 - away) * SIDE, 1)

        machine = Machine(4, 17, rim)
        self._assert_cracked(machine, "such a line without a lamp")
        x, y = machine.pose.place(0, 0.2)
        machine.images = [[(x, y, 0.2 * SIDE)]]
        self.assertTrue(_check(machine) > 0.5)

    def test_the_bowl_of_a_single_pip_is_not_judged(self):
        """It lies across the middle from itself: its lit half from its dark one."""
        machine = Machine(1, 17, lambda u, v: 0.6 if u < 0 and u * u + v * v < 0.03 else 1)
        self.assertEqual(_check(machine), 1)

    def test_a_face_that_the_picture_cuts_is_not_judged(self):
        machine = Machine(6, 0, middle=(12.0, MIDDLE))
        lights = Machine(6, 0).lights()
        with self.assertRaises(Refused) as caught:
            BrightCracks(machine).check(machine.pose, machine.pattern, machine.pose, lights)
        self.assertEqual(caught.exception.reason, "unreadable")


if __name__ == "__main__":
    unittest.main()
