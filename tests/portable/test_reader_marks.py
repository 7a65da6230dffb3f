"""A line across a dark face counts where the darkest frame shows it, too: gloss draws lines in the other."""

import unittest

from tumbler.reader.marks import prove_bare_dark
from tumbler.reader.refusal import Refused
from tumbler.reader.square import Pose

_COLUMNS = 60


def _face(level, line):
    """A plane of a level with a line from side to side of the face."""
    plane = bytearray([level] * (_COLUMNS * _COLUMNS))
    for x in range(_COLUMNS):
        plane[33 * _COLUMNS + x] = line
    return plane


class Machine:
    """As much of a gatherer as lines are looked for with."""

    left = top = 0
    columns = rows = _COLUMNS
    images = ()
    radii = {1: 0.1}
    halo = 1

    def __init__(self, low, high):
        self.low, self.high = low, high
        self.profile = self


class Marks(unittest.TestCase):
    def _prove(self, low, high):
        return prove_bare_dark(Machine(low, high), Pose(30, 30, 24, 0), ((0, 0),), (20, 60))

    def test_a_line_in_both_composites_is_damage(self):
        with self.assertRaises(Refused) as caught:
            self._prove(_face(20, 12), _face(60, 36))
        self.assertEqual(caught.exception.detail, "line")

    def test_the_end_of_gloss_in_the_brightest_alone_is_none(self):
        self.assertEqual(self._prove(_face(20, 20), _face(60, 30)), 1)
