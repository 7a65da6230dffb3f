"""A face whose corner is gone, or whose pips are of two sizes, is not read; noise alone refuses nothing."""

import unittest

from tumbler.reader.corners import check_corners
from tumbler.reader.lattices import are_alike
from tumbler.reader.pips import Spot
from tumbler.reader.refusal import Refused
from tumbler.reader.square import Pose

_COLUMNS = 60


def _face(level, corner):
    """A plane of `level` whose lower right quarter, as far as a chip reaches, is `corner`."""
    plane = bytearray([level] * (_COLUMNS * _COLUMNS))
    for y in range(38, _COLUMNS):
        for x in range(38, _COLUMNS):
            plane[y * _COLUMNS + x] = corner
    return plane


class Corners(unittest.TestCase):
    def test_a_whole_face_passes(self):
        for light in (True, False):
            check_corners(_face(160, 130), _COLUMNS, Pose(30, 30, 28, 0), light)

    def test_a_dark_corner_is_damage(self):
        for light in (True, False):
            with self.assertRaises(Refused) as caught:
                check_corners(_face(160, 60), _COLUMNS, Pose(30, 30, 28, 0), light)
            self.assertEqual(caught.exception.reason, "die-damaged")

    def test_noise_on_a_black_face_is_none(self):
        check_corners(_face(5, 2), _COLUMNS, Pose(30, 30, 28, 0), True)


class Alike(unittest.TestCase):
    def test_pips_of_one_size_are_alike(self):
        self.assertTrue(are_alike([Spot(0, 0, 0.9), Spot(9, 9, 1.3)], 28))

    def test_a_pip_that_a_chip_joined_is_not(self):
        self.assertFalse(are_alike([Spot(0, 0, 0.9), Spot(9, 9, 1.8)], 28))
