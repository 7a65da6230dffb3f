"""A chip that cuts a corner off a bright face is seen however the die lies; round corners are no chips."""

import unittest
from math import radians

from tumbler.reader.blunt_corners import refuse_blunt_corner
from tumbler.reader.refusal import Refused
from tumbler.reader.square import Pose

_SIZE = 60
_FACE, _FLOOR = 150, 25
_FINE = 4  # places in a pixel, across and down, that its level is the mean of
_DEGREES = range(0, 90, 15)


class Picture:
    """As much of a gatherer as corners are judged by: its darkest composite, of faces on a dark floor."""

    columns = _SIZE

    def __init__(self, faces):
        self.low = bytearray(_SIZE * _SIZE)
        for y in range(_SIZE):
            for x in range(_SIZE):
                lit = 0
                for part in range(_FINE * _FINE):
                    at_x = x + (part % _FINE + 0.5) / _FINE - 0.5
                    at_y = y + (part // _FINE + 0.5) / _FINE - 0.5
                    lit += any(face.has(at_x, at_y) for face in faces)
                self.low[y * _SIZE + x] = _FLOOR + (_FACE - _FLOOR) * lit // (_FINE * _FINE)


class Face:
    """A face at a pose, with all corners cut by `bevel` sides, the first one by `chip`."""

    def __init__(self, pose, bevel=0.0, chip=0.0):
        self.pose = pose
        self.bevel = bevel
        self.chip = chip

    def has(self, x, y):
        u, v = self.pose.face(x, y)
        cut = self.chip if u < 0 and v < 0 and self.chip else self.bevel
        return max(abs(u), abs(v)) < 0.5 and abs(u) + abs(v) < 1 - cut


def at(degrees, side=28):
    return Pose(30.3, 29.6, side, radians(degrees))


class Corners(unittest.TestCase):
    def check(self, face, *others):
        refuse_blunt_corner(Picture((face,) + others), face.pose, _FACE)

    def test_a_chip_of_a_fifth_of_a_side_is_refused(self):
        for side in (15, 28):
            for degrees in _DEGREES:
                with self.assertRaises(Refused) as raised:
                    self.check(Face(at(degrees, side), chip=0.2))
                self.assertEqual(raised.exception.reason, "die-damaged")

    def test_whole_faces_are_not_however_round(self):
        for bevel in (0, 0.1, 0.2):
            for degrees in _DEGREES:
                self.check(Face(at(degrees), bevel))

    def test_what_another_die_hides_is_not_compared(self):
        face = Face(at(0), 0.1)
        beside = Face(Pose(face.pose.x + 28, face.pose.y + 4, 28, 0), 0.1)
        self.check(face, beside)
        with self.assertRaises(Refused):
            self.check(Face(face.pose, 0.1, chip=0.25), beside)
