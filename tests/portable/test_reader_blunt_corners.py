"""A chip that cuts a corner off a bright face is seen however the die lies; round corners are no chips."""

import unittest

from fake_outlines import LEVEL, Face, Picture, at

from tumbler.reader.blunt_corners import refuse_blunt_corner
from tumbler.reader.refusal import Refused
from tumbler.reader.square import Pose

_DEGREES = range(0, 90, 15)


class Corners(unittest.TestCase):
    def check(self, face, *others):
        refuse_blunt_corner(Picture((face,) + others), face.pose, LEVEL)

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
