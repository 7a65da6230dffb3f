"""A scratched, scuffed or cracked dark face is damaged; dust and what shines through a clear one are not."""

import unittest

from fake_dark_face import Machine

from tumbler.reader.dark_lines import DarkLines
from tumbler.reader.pips import Shade, levels
from tumbler.reader.refusal import Refused
from tumbler.reader.square import Pose


def _check(machine, angle, face):
    pose, pattern = Pose(30, 30, machine.side, angle), machine.pips[face]
    planes = machine.low, machine.high
    shades = [Shade(plane, *levels(plane, machine.columns, pose, pattern)) for plane in planes]
    DarkLines(machine).check(pose, pattern, shades)


class DarkLinesTest(unittest.TestCase):
    def assert_refused(self, detail, machine, angle, face):
        with self.assertRaises(Refused) as caught:
            _check(machine, angle, face)
        self.assertEqual((caught.exception.reason, caught.exception.detail), ("die-damaged", detail))

    def test_a_scratch_is_damage_however_the_die_lies(self):
        for angle, face in ((0.1, 1), (0.8, 1), (1.4, 6)):
            self.assert_refused("scratch", Machine(25, angle, face, 7, "scratch"), angle, face)

    def test_a_scratch_of_a_clear_die_is_damage(self):
        machine = Machine(25, 0.4, 1, 7, "scratch")
        machine.bare, machine.pip = 0.3, 0.5
        self.assert_refused("scratch", machine, 0.4, 1)

    def test_a_scuffed_patch_is_damage(self):
        for angle in (0.1, 0.8):
            self.assert_refused("scratch", Machine(25, angle, 1, 7, "scuff"), angle, 1)

    def test_a_sound_face_is_none_for_all_its_noise_dirt_and_dust(self):
        for harm in ("noise", "dirt", "dust"):
            for seed, angle, face in ((1, 0.1, 1), (2, 0.8, 6), (3, 1.2, 6)):
                _check(Machine(25, angle, face, seed, harm), angle, face)

    def test_pips_that_shine_through_a_clear_die_are_none(self):
        for angle in (0.1, 0.4, 0.8):
            machine = Machine(25, angle, 1, 7, "shine")
            machine.bare, machine.pip = 0.3, 0.5
            _check(machine, angle, 1)

    def test_a_dead_black_face_is_none(self):
        machine = Machine(25, 0.1, 1, 3)
        for i, level in enumerate(machine.low):
            machine.low[i] = 0 if level < 15 else level
        _check(machine, 0.1, 1)

    def test_a_crack_is_damage_where_it_is_dark_in_the_brightest_frame(self):
        for angle in (0.1, 0.8):
            machine = Machine(25, angle, 1, 7, "crack", exposure=2)
            machine.low = Machine(25, angle, 1, 7, exposure=2).low
            self.assert_refused("crack", machine, angle, 1)

    def test_what_shines_through_a_clear_die_leaves_no_cracks(self):
        machine = Machine(25, 0.4, 1, 7, "crack")
        machine.low = Machine(25, 0.4, 1, 7).low
        machine.bare, machine.pip = 0.3, 0.5
        _check(machine, 0.4, 1)

    def test_a_face_of_which_pips_blur_all_tells_nothing(self):
        machine = Machine(25, 0.1, 6, 3, "scuff")
        machine.halo = 4
        _check(machine, 0.1, 6)

    def test_a_face_that_the_picture_cuts_off_is_not_judged(self):
        machine = Machine(25, 0.3, 1, 5)
        shades = [Shade(machine.low, 6, 100), Shade(machine.high, 12, 180)]
        with self.assertRaises(Refused) as caught:
            DarkLines(machine).check(Pose(8, 30, machine.side, 0.3), machine.pips[1], shades)
        self.assertEqual(caught.exception.reason, "unreadable")
