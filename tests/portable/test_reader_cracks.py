"""A crack or a broken corner of a dark face is found below its noise; noise, dirt and pips alone are none."""

import unittest

from fake_dark_face import COLUMNS, Machine

from tumbler.reader.cracks import Cracks
from tumbler.reader.refusal import Refused
from tumbler.reader.square import Pose


def _check(machine, angle, face):
    Cracks(machine).check(Pose(30, 30, machine.side, angle), face)


class CracksTest(unittest.TestCase):
    def test_a_crack_is_damage_in_frames_of_both_sizes(self):
        for side in (15, 25):
            for angle, face in ((0.1, 1), (0.8, 6), (1.4, 1)):
                with self.assertRaises(Refused) as caught:
                    _check(Machine(side, angle, face, 7, harm="crack"), angle, face)
                self.assertEqual((caught.exception.reason, caught.exception.detail), ("die-damaged", "crack"))

    def test_a_fainter_crack_is_damage_where_more_light_shows_it(self):
        with self.assertRaises(Refused) as caught:
            _check(Machine(25, 0.1, 1, 7, harm="faint", exposure=2), 0.1, 1)
        self.assertEqual((caught.exception.reason, caught.exception.detail), ("die-damaged", "crack"))

    def test_a_crack_from_corner_to_corner_is_damage(self):
        for side, face in ((15, 1), (25, 1), (25, 6)):
            with self.assertRaises(Refused) as caught:
                _check(Machine(side, 0.8, face, 9, harm="aslant"), 0.8, face)
            self.assertEqual((caught.exception.reason, caught.exception.detail), ("die-damaged", "crack"))

    def test_a_whole_face_is_none_in_the_noise_of_a_poorer_camera(self):
        for side, seed, angle, face in ((25, 18, 1.01, 1), (25, 25, 0.49, 6), (15, 38, 0.75, 1)):
            _check(Machine(side, angle, face, seed, harm="noise"), angle, face)

    def test_a_broken_corner_is_damage_where_no_pip_of_a_small_die_hides_it(self):
        for side, angle, face in ((15, 0.1, 1), (25, 0.1, 1), (25, 0.8, 6)):
            with self.assertRaises(Refused) as caught:
                _check(Machine(side, angle, face, 8, harm="corner"), angle, face)
            self.assertEqual((caught.exception.reason, caught.exception.detail), ("die-damaged", "corner"))

    def test_a_whole_face_is_none_for_all_its_noise_and_dirt(self):
        for side in (15, 25):
            for seed, angle, face in ((1, 0.1, 1), (2, 0.8, 6), (3, 1.2, 6)):
                _check(Machine(side, angle, face, seed, harm="dirt"), angle, face)

    def test_a_face_that_is_all_in_its_pips_blur_tells_nothing(self):
        machine = Machine(15, 0.1, 6, 7)
        machine.halo = 3
        with self.assertRaises(Refused) as caught:
            _check(machine, 0.1, 6)
        self.assertEqual((caught.exception.reason, caught.exception.detail), ("unreadable", "pips-blurred"))
        machine.halo = 1
        _check(machine, 0.1, 6)

    def test_a_stuck_pixel_is_none(self):
        machine = Machine(15, 0.3, 1, 4)
        for small in machine.small:
            small[33 * COLUMNS + 34] = 0
        machine.stuck = [(34, 33)]
        _check(machine, 0.3, 1)

    def test_a_face_that_no_frame_holds_is_not_judged(self):
        machine = Machine(25, 0.3, 1, 5)
        with self.assertRaises(Refused) as caught:
            Cracks(machine).check(Pose(8, 30, machine.side, 0.3), 1)
        self.assertEqual(caught.exception.reason, "unreadable")

    def test_a_face_at_the_edge_of_a_picture_as_wide_as_a_profile_allows_is_not_judged(self):
        machine = Machine(25, 0.3, 1, 5)
        machine.columns = 1010
        with self.assertRaises(Refused) as caught:
            Cracks(machine).check(Pose(1000, 30, machine.side, 0.3), 1)
        self.assertEqual(caught.exception.reason, "unreadable")
