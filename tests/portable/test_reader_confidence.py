"""A die's confidence is what its margin was measured to be worth: what its tightest check leaves."""

import unittest

from tumbler.reader.blemishes import prove_unblemished
from tumbler.reader.confidence import confidence
from tumbler.reader.confidence_bands import BANDS
from tumbler.reader.dark_corners import check_dark_corners, dark_inset
from tumbler.reader.face_light import face_lights
from tumbler.reader.profile import DARK_PIPS, LIGHT_PIPS
from tumbler.reader.refusal import Refused
from tumbler.reader.square import Pose

_COLUMNS = 60
_POSE = Pose(30, 30, 28, 0)


class Make:
    """As much of a profile as confidence and marks are judged by."""

    radii = {1: 0.1}
    halo = 1
    pips = {1: [(0, 0)]}
    images = ()

    def __init__(self, polarity=DARK_PIPS, side=28):
        self.polarity = polarity
        self.side = side


class Machine:
    """As much of a gatherer as marks are judged by: composites that are alike, no mirror images."""

    columns = rows = _COLUMNS

    def __init__(self, plane):
        self.low = self.high = plane
        self.profile = Make()


def _face(level, stained=0):
    """A plane of `level` with so many darker pixels beside the middle of its face, far from each other."""
    plane = bytearray([level] * (_COLUMNS * _COLUMNS))
    for number in range(stained):
        plane[(20 + 2 * number) * _COLUMNS + 38] = level * 8 // 10
    return plane


class Confidence(unittest.TestCase):
    def test_never_certain_and_never_less_for_a_larger_margin(self):
        for polarity in (DARK_PIPS, LIGHT_PIPS):
            for side in (14, 28):
                told = [confidence(at / 1000, Make(polarity, side)) for at in range(1001)]
                self.assertEqual(told, sorted(told))
                self.assertTrue(told[0] > 0 and told[-1] < 1)

    def test_each_kind_of_dice_has_its_own_bands_from_no_margin_on(self):
        for polarity in (DARK_PIPS, LIGHT_PIPS):
            for side, bands in zip((19, 20), BANDS[polarity]):
                self.assertEqual(bands[0][0], 0)
                for least, worth in bands:
                    self.assertEqual(confidence((least + 0.5) / 1000, Make(polarity, side)), worth / 1000)


def _unblemished(plane):
    """Margin of a face with one pip."""
    face = Machine(plane), _POSE, ((0, 0),), _POSE
    return prove_unblemished(*face, face_lights(*face))


class Margins(unittest.TestCase):
    def test_a_spotless_face_leaves_all_its_tolerance(self):
        self.assertEqual(_unblemished(_face(160)), 1)
        self.assertEqual(check_dark_corners(_face(160), _COLUMNS, dark_inset(Make()), _POSE), 1)

    def test_a_stained_face_leaves_less_the_more_it_is_stained(self):
        margins = [_unblemished(_face(160, count)) for count in (0, 2, 4)]
        self.assertEqual(margins, sorted(margins, reverse=True))
        self.assertTrue(1 > margins[1] > margins[2] >= 0)
        with self.assertRaises(Refused):
            _unblemished(_face(160, 10))

    def test_a_corner_leaves_less_the_darker_it_is(self):
        margins = []
        for corner in (150, 130, 110):
            plane = _face(160)
            for y in range(38, _COLUMNS):
                for x in range(38, _COLUMNS):
                    plane[y * _COLUMNS + x] = corner
            margins.append(check_dark_corners(plane, _COLUMNS, dark_inset(Make()), _POSE))
        self.assertTrue(1 > margins[0] > margins[1] > margins[2] > 0)
