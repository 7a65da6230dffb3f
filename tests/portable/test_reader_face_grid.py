"""A face at the edge of the picture: it is looked at as long as all of its places lie in the picture."""

import unittest
from math import pi

from tumbler.reader.face_grid import FaceGrid
from tumbler.reader.refusal import Refused
from tumbler.reader.square import Pose

COLUMNS, ROWS = 60, 50
SIDE, HALF = 24, 0.46


class Picture:
    """Of a gatherer what a grid looks at."""

    def __init__(self):
        self.columns = COLUMNS
        self.rows = ROWS
        self.low = bytearray(bytes([100]) * (COLUMNS * ROWS))


class FaceGridTest(unittest.TestCase):
    def setUp(self):
        self.picture = Picture()
        self.grid = FaceGrid(SIDE, HALF, 0.1)

    def is_seen(self, x, y, angle):
        """Whether a face is accepted; then it is looked at, and all of it lies in the picture."""
        grid, pose = self.grid, Pose(x, y, SIDE, angle)
        try:
            grid.refuse_cut_off(pose, self.picture)
        except Refused as refusal:
            self.assertEqual((refusal.reason, refusal.detail), ("unreadable", "off-platform"))
            return False
        grid.face[:] = bytes(len(grid.face))
        grid.look(grid.face, self.picture, self.picture.low, pose, 100, 240)
        self.assertEqual(bytes(grid.face), bytes([240]) * len(grid.face))
        return True

    def test_only_its_rounded_edge_may_lie_outside(self):
        least = SIDE / 2  # from the edge of the picture to the middle of a face that touches it
        for x, y in ((least, 25), (COLUMNS - 1 - least, 25), (30, least), (30, ROWS - 1 - least)):
            self.assertTrue(self.is_seen(x, y, 0), (x, y))

    def test_turned_ones_too(self):
        least = SIDE / 2**0.5
        self.assertTrue(self.is_seen(least, 25, pi / 4))
        self.assertTrue(self.is_seen(30, ROWS - 1 - least, pi / 4))
        self.assertFalse(self.is_seen(least - 2, 25, pi / 4))

    def test_a_face_that_is_cut_off_is_refused(self):
        for x, y in ((9, 25), (COLUMNS - 10, 25), (30, 9), (30, ROWS - 10), (-30, 25), (30, 500)):
            self.assertFalse(self.is_seen(x, y, 0), (x, y))

    def test_wherever_a_face_is_accepted_it_lies_in_the_picture(self):
        for angle in (0, 0.1, 0.4, pi / 4, 1.2):
            seen = 0
            for tenth in range(300):
                seen += self.is_seen(tenth / 10, 25, angle)
                seen += self.is_seen(30, 25 + tenth / 10, angle)
            self.assertTrue(100 < seen < 500, (angle, seen))


if __name__ == "__main__":
    unittest.main()
