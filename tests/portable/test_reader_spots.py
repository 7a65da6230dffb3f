"""Light pips whose light blurs into one another's: each is a spot of its own, though their region is one."""

import unittest
from math import exp

from tumbler.reader.lattices import SpotFinder
from tumbler.reader.regions import Labeller

SIZE = 60
MIDDLE = 30
SPACING = 3.4  # pixels between the pips of a row of three, as of dice 15 pixels wide
ROWS = 5.4  # between the two rows
PIP = 120  # level


class Machine:
    """As much of a gatherer and its profile as spots are found by; the lamps hang far above."""

    left = top = 0
    columns = rows = SIZE
    scale = 1
    die_mm = 16
    side = 15
    body = 20
    pip_light = PIP
    lamps = 4
    positions = ((0, 0, 10000),) * 4
    gains = (1,) * 4
    platform = (MIDDLE, MIDDLE, 28)
    radii = {2: 0.096}

    def __init__(self, pips, blur, large=6.5):
        """large: pixels of the one of these dice."""
        self.masses = {1: large, 2: 6.5}
        self.profile = self
        self.low = bytearray(SIZE * SIZE)
        for y in range(SIZE):
            for x in range(SIZE):
                light = sum([share * _pip(x - at_x, y - at_y, blur) for at_x, at_y, share in pips])
                self.low[y * SIZE + x] = min(255, int(8 + (PIP - 8) * min(1.1, light)))


def _pip(x, y, blur):
    """Light of a pip 1.4 pixels in radius: of 25 points of a disc, each blurred."""
    total = 0
    for u in (-1, -0.5, 0, 0.5, 1):
        for v in (-1, -0.5, 0, 0.5, 1):
            away = (x - 1.2 * u) ** 2 + (y - 1.2 * v) ** 2
            total += exp(-away / (2 * blur * blur)) / (6.283 * blur * blur)
    return total * 6.2 / 25


def _six(faint=1.0):
    return [
        (MIDDLE + column * SPACING, MIDDLE + row * ROWS, faint if column == 0 and row < 0 else 1)
        for row in (-0.5, 0.5)
        for column in (-1, 0, 1)
    ]


def _spots(pips, blur):
    return SpotFinder(Machine(pips, blur), Labeller()).find(1)


class SpotsTest(unittest.TestCase):
    def assert_found(self, pips, blur):
        spots = _spots(pips, blur)
        self.assertEqual(len(spots), len(pips))
        for x, y, _ in pips:
            self.assertTrue(min([abs(spot.x - x) + abs(spot.y - y) for spot in spots]) < 1, (x, y))

    def test_pips_that_stand_apart(self):
        self.assert_found([(20, 20, 1), (30, 20, 1), (40, 41, 1)], 0.7)

    def test_a_six_whose_pips_run_together(self):
        for blur in (0.6, 0.65, 0.7):
            self.assert_found(_six(), blur)

    def test_one_of_them_dimmer_than_the_others(self):
        self.assert_found(_six(0.85), 0.7)

    def test_one_large_pip_is_one(self):
        machine = Machine([(30, 30, 1), (31, 30, 0.6), (30, 31, 0.6), (29, 30, 0.6), (30, 29, 0.6)], 1)
        self.assertEqual(len(SpotFinder(machine, Labeller()).find(1)), 1)

    def test_a_one_as_large_as_the_dice_have_it_is_no_pips_that_touch(self):
        rough = [(30 + x, 30 + y, 0.8 + 0.1 * ((x + y) % 3)) for x in (-2, 0, 2) for y in (-2, 0, 2)]
        (spot,) = SpotFinder(Machine(rough, 0.6, large=45), Labeller()).find(1)
        self.assertTrue(0.7 < spot.mass < 1.4, spot.mass)
        self.assertTrue(abs(spot.x - 30) + abs(spot.y - 30) < 1)

    def test_pips_that_touch_are_no_large_one_though_they_cover_as_much(self):
        row = _six()[:3]
        for large in (16, 19, 22, 26):
            self.assertEqual(len(SpotFinder(Machine(row, 0.7, large), Labeller()).find(1)), 3, large)


if __name__ == "__main__":
    unittest.main()
