"""What all dice of a scene lean in common for their way off the platform's middle is no lean of theirs."""

import unittest
from math import pi, tan

from tumbler.reader.leans import Lean, own_degrees
from tumbler.reader.tilt import FLAT_DEGREES

COCKED = 6  # degrees
PLACES = ((0, -40), (28, 20), (-45, 5), (0, 0), (12, 4), (-30, -30))
SCENES = [
    (PLACES[i], PLACES[j], PLACES[k])
    for i in range(len(PLACES))
    for j in range(i + 1, len(PLACES))
    for k in range(j + 1, len(PLACES))
]
WAYS = ((1, 0), (-0.6, 0.8), (-0.6, -0.8), (0, 1), (0, -1), (-1, 0))


def lying(places, common, own=(0, 0)):
    """Leans of dice at places; common: tangent for a mm off the middle; own: that of the first die."""
    dice = [Lean(x, y, common * x, common * y) for x, y in places]
    dice[0].slope_x += own[0]
    dice[0].slope_y += own[1]
    return dice


def turns(places):
    """The places with each of them first."""
    for i in range(len(places)):
        yield places[i:] + places[:i]


def tilt(dice):
    """Of the first."""
    return own_degrees(dice[0], dice[1:])


class Leans(unittest.TestCase):
    def test_level_dice_of_a_rough_or_glossy_make_are_level(self):
        for common in (-0.0018, -0.0009, 0, 0.0006):
            for scene in SCENES:
                for places in turns(scene):
                    self.assertTrue(tilt(lying(places, common)) < FLAT_DEGREES - 0.5)

    def test_a_die_that_leans_among_level_ones_is_told_whichever_way_it_leans(self):
        steep = tan(COCKED * pi / 180)
        for common in (-0.0006, 0, 0.0006):
            for scene in SCENES:
                for places in turns(scene):
                    for x, y in WAYS:
                        told = tilt(lying(places, common, (steep * x, steep * y)))
                        self.assertTrue(told > FLAT_DEGREES, (common, places, x, y, told))

    def test_a_lean_is_told_among_dice_of_a_rough_make_that_hide_it(self):
        out = tan(COCKED * pi / 180)
        dice = lying(((40, 0), (-30, 20), (5, -35)), -0.0018, (out, 0))
        self.assertTrue(dice[0].degrees() < FLAT_DEGREES)
        self.assertTrue(tilt(dice) > FLAT_DEGREES)

    def test_a_rough_face_shows_less_of_its_lean(self):
        for common in (-0.0012, -0.0008, -0.0004):
            lean = tan(1.1 * COCKED * pi / 180) * (1 + 240 * common)
            for x, y in WAYS:
                dice = lying(((20, 10), (-40, 20), (25, -35)), common, (lean * x, lean * y))
                self.assertTrue(tilt(dice) > FLAT_DEGREES, (common, x, y, tilt(dice)))

    def test_a_die_far_from_level_says_nothing_of_the_others(self):
        for x, y in WAYS:
            dice = lying(((30, 30), (-30, 0), (0, 20)), 0, (0.3 * x, 0.3 * y))
            self.assertTrue(own_degrees(dice[1], [dice[0], dice[2]]) < 0.1)

    def test_a_lone_die_has_nobody_to_excuse_it(self):
        die = Lean(40, 0, -0.08, 0)
        self.assertTrue(own_degrees(die, []) > FLAT_DEGREES)


if __name__ == "__main__":
    unittest.main()
