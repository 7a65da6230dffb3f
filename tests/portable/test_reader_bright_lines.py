"""A faint line across a bright face is damage; slanting light, dirt and what one composite shows are none."""

import unittest

from fake_bright_face import FACES, MIDDLE, SIDE, Machine, cover, speck

from tumbler.reader.bright_lines import BrightLines
from tumbler.reader.refusal import Refused


def _check(machine):
    BrightLines(machine).check(machine.pose, machine.pattern, machine.pose, machine.lights())


def _faint(offset):
    """A line from side to side, aslant, that takes a seventh of the light."""
    return lambda u, v: 1 - 0.14 * cover((0.018 - abs(v - 0.2 * u - offset)) * SIDE, 1)


class BrightLinesTest(unittest.TestCase):
    def test_a_faint_line_across_is_damage_wherever_it_runs(self):
        for degrees in (0, 17, 40, 68):
            for face, offset in ((1, -0.25), (2, 0.05), (4, 0.0), (6, 0.05)):
                with self.assertRaises(Refused) as caught:
                    _check(Machine(face, degrees, _faint(offset)))
                self.assertEqual((caught.exception.reason, caught.exception.detail), ("die-damaged", "crack"))

    def test_a_whole_face_in_slanting_light_passes_however_blurred(self):
        for face in FACES:
            for degrees in (0, 17, 40, 68):
                for blur in (1, 2, 3.5):
                    _check(Machine(face, degrees, blur=blur))

    def test_dirt_is_no_line(self):
        for place in ((0.1, 0.26), (0.13, -0.2), (0.0, 0.0), (-0.4, 0.26)):
            _check(Machine(6, 17, speck(*place)))

    def test_what_one_composite_does_not_show_is_none(self):
        sound = Machine(2, 17)
        for shown in ("low", "high"):
            machine = Machine(2, 17, _faint(0.05))
            setattr(machine, shown, getattr(sound, shown))
            _check(machine)

    def test_a_lamps_mirror_image_is_not_judged(self):
        machine = Machine(1, 17, _faint(-0.25))
        machine.images = [[machine.pose.place(u, -0.25) + (0.15 * SIDE,) for u in (-0.4, -0.1, 0.2, 0.45)]]
        _check(machine)

    def test_a_face_that_the_picture_cuts_is_not_judged(self):
        machine = Machine(6, 0, middle=(11.0, MIDDLE))
        lights = Machine(6, 0).lights()
        with self.assertRaises(Refused) as caught:
            BrightLines(machine).check(machine.pose, machine.pattern, machine.pose, lights)
        self.assertEqual(caught.exception.reason, "unreadable")
