"""The shadows that dice throw are told from those of what else lies there, however low the lamps hang."""

import unittest
from math import cos, pi, radians, sin

from tumbler.reader.floor_levels import FloorLevels
from tumbler.reader.refusal import Refused
from tumbler.reader.shadows import Shadows
from tumbler.reader.square import Pose

_SIZE = 120
_MIDDLE = _SIZE // 2
_EDGE = 16  # mm, and pixels: the camera is far above
_LIT, _DARK = 100, 5
_EMPTY = bytes([_LIT]) * (_SIZE * _SIZE)
_HEIGHTS = 60  # of a die, at which its shadow is drawn
_SHALLOW = 30  # degrees at which the lamps hang


class Machine:
    """As much of a gatherer, and of its profile, as shadows are judged by: an even light on the platform."""

    left = top = lens = 0
    step = scale = 1
    columns = rows = small_columns = _SIZE
    side = die_mm = _EDGE
    platform = (_MIDDLE, _MIDDLE, 58)
    lamps = 4
    dim = _LIT
    gains = (1,) * 4
    exposures = (1,) * 4

    def __init__(self, dice, stuck=()):
        self.profile = self
        self.stuck = stuck
        high = radians(_SHALLOW)
        self.positions = [
            (
                10000 * cos(high) * cos(turn * pi / 2),
                10000 * cos(high) * sin(turn * pi / 2),
                10000 * sin(high),
            )
            for turn in range(4)
        ]
        self.small = [self._lit(lamp, dice) for lamp in range(4)]

    def _lit(self, lamp, dice):
        frame = bytearray(_EMPTY)
        x, y, z = self.positions[lamp]
        for die in dice:
            for height in range(_HEIGHTS):
                away = _EDGE * height / (_HEIGHTS - 1) / z
                self._shade(frame, Pose(die.x - x * away, die.y - y * away, _EDGE, die.angle))
        return frame

    def _shade(self, frame, shadow):
        for y in range(int(shadow.y) - _EDGE, int(shadow.y) + _EDGE):
            for x in range(int(shadow.x) - _EDGE, int(shadow.x) + _EDGE):
                u, v = shadow.face(x, y)
                if max(abs(u), abs(v)) < 0.5:
                    frame[y * _SIZE + x] = _DARK


class LongShadows(unittest.TestCase):
    def test_those_of_dice_are_their_own_whichever_way_they_lie(self):
        for degrees in range(0, 90, 15):
            dice = [Pose(_MIDDLE + 5, _MIDDLE - 8, _EDGE, radians(degrees))]
            machine = Machine(dice)
            Shadows(machine, FloorLevels(machine)).check(dice)

    def test_one_beside_them_is_refused(self):
        die = Pose(_MIDDLE - 20, _MIDDLE, _EDGE, 0.4)
        other = Pose(_MIDDLE + 25, _MIDDLE + 10, _EDGE, 0.1)
        machine = Machine([die, other])
        with self.assertRaises(Refused) as raised:
            Shadows(machine, FloorLevels(machine)).check([die])
        self.assertEqual(raised.exception.detail, "strange shadow")

    def test_a_thing_beside_them_that_is_dark_under_all_lamps_is_refused(self):
        die = Pose(_MIDDLE - 20, _MIDDLE, _EDGE, 0.4)
        machine = Machine([die])
        for frame in machine.small:
            for row in range(80, 85):
                frame[row * _SIZE + 85 : row * _SIZE + 90] = bytes([_DARK]) * 5
        with self.assertRaises(Refused) as raised:
            Shadows(machine, FloorLevels(machine)).check([die])
        self.assertEqual(raised.exception.detail, "dark thing")

    def test_dead_pixels_beside_them_are_no_thing(self):
        """One, and those that were dead at calibration."""
        die = Pose(_MIDDLE - 20, _MIDDLE, _EDGE, 0.4)
        known = [(86, 60), (90, 70)]
        machine = Machine([die], known)
        for frame in machine.small:
            for x, y in [(86, 84)] + known:
                frame[y * _SIZE + x] = _DARK
        Shadows(machine, FloorLevels(machine)).check([die])
