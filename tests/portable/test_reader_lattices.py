"""Light spots explained by faces: specks on rounded rims, and outlines that leave no doubt of a face."""

import unittest

from tumbler.reader.edges import Fit
from tumbler.reader.lattices import explain, is_glint
from tumbler.reader.pips import Spot
from tumbler.reader.square import Pose

SIDE = 28
AT = 100
CORNERS = ((-0.26, -0.26), (0.26, -0.26), (-0.26, 0.26), (0.26, 0.26))
FIVE = CORNERS + ((0, 0),)
SPECK, PIP = 0.2, 1
FACE = Pose(AT, AT, SIDE, 0)


class Make:
    """As much of a profile as spots are explained by."""

    side = SIDE
    body, pip_light = 60, 100
    pips = {
        1: ((0, 0),),
        2: (CORNERS[0], CORNERS[3]),
        3: (CORNERS[0], CORNERS[3], (0, 0)),
        4: CORNERS,
        5: FIVE,
        6: tuple([(u, v) for u in (-0.26, 0.26) for v in (-0.26, 0, 0.26)]),
    }


class Black(Make):
    """The same of dice that are black."""

    body = 30


class Outlines:
    """In place of Silhouettes: every die's outline shows so many crossings of 7 on each edge, and so many of
    20 points in it shine."""

    def __init__(self, free=None, shining=0):
        self._free = free
        self._shining = shining

    def floor_inside(self, pose):
        return self._shining

    def fit_turned(self, pose):
        return self._free and Fit(Pose(pose.x, pose.y, SIDE, 0), self._free, 0.01)


def spots_of(pips, beside=()):
    """Spots of a face at AT: pips, and (u, v, mass) beside them."""
    masses = [(u, v, PIP) for u, v in pips] + list(beside)
    return [Spot(AT + u * SIDE, AT + v * SIDE, mass) for u, v, mass in masses]


def faces(spots, outlines, make=Make):
    lattices, left = explain(spots, make, outlines)
    return [len(lattice.members) for lattice in lattices], left


def is_glint_at(u, v, mass=SPECK, make=Make):
    return is_glint(spots_of((), [(u, v, mass)])[0], [FACE], make)


class Rims(unittest.TestCase):
    def test_a_speck_on_the_rim_is_no_pip(self):
        for u, v in ((0.46, 0.1), (-0.2, -0.45), (0.45, 0.45)):
            self.assertEqual(faces(spots_of(FIVE, [(u, v, SPECK)]), Outlines()), ([5], [5]))
            self.assertTrue(is_glint_at(u, v))

    def test_a_speck_within_the_rim_contradicts_the_face(self):
        for u, v in ((0.4, 0.1), (0, -0.26), (0.13, 0.13)):
            self.assertFalse(5 in faces(spots_of(FIVE, [(u, v, SPECK)]), Outlines())[0], (u, v))
        for u, v in ((0.4, 0.1), (0.33, 0.33), (0.36, -0.3), (0, 0)):
            self.assertFalse(is_glint_at(u, v), (u, v))

    def test_a_pip_on_the_rim_contradicts_the_face(self):
        self.assertFalse(5 in faces(spots_of(FIVE, [(0.45, 0.1, PIP)]), Outlines())[0])
        self.assertFalse(is_glint_at(0.45, 0.1, PIP))

    def test_a_speck_on_the_rim_of_black_dice_contradicts_the_face(self):
        self.assertFalse(5 in faces(spots_of(FIVE, [(0.45, 0.1, SPECK)]), Outlines(), Black)[0])
        self.assertFalse(is_glint_at(0.45, 0.1, make=Black))

    def test_the_rim_ends_with_the_die(self):
        self.assertTrue(is_glint_at(0.5, 0.2))
        for u, v in ((0.52, 0.2), (0.54, 0), (0.2, -0.57)):
            self.assertFalse(is_glint_at(u, v), (u, v))

    def test_a_speck_near_a_single_pip(self):
        for u, v, mass, read in ((0.44, 0.1, SPECK, True), (0.3, 0.2, SPECK, False), (0.44, 0.1, PIP, False)):
            found, left = faces(spots_of(((0, 0),), [(u, v, mass)]), Outlines([7, 7, 7, 7]))
            self.assertEqual(1 in found and left == [1], read, (u, v, mass))


class SinglePips(unittest.TestCase):
    def test_one_whose_outline_is_seen_all_around_may_shine(self):
        self.assertEqual(faces(spots_of(((0, 0),)), Outlines([7, 6, 7, 7], 12)), ([1], []))

    def test_one_whose_outline_is_seen_in_part_may_not(self):
        self.assertEqual(faces(spots_of(((0, 0),)), Outlines([7, 7, 5, 7], 12)), ([], [0]))


if __name__ == "__main__":
    unittest.main()
