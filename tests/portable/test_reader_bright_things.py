"""What is lighter than the floor beside the dice is noticed, whatever it is; the dice themselves, the rims of
mirror images and dust are not."""

import unittest
from math import radians

from tumbler.reader.bright_things import BrightThings
from tumbler.reader.floor_levels import FloorLevels
from tumbler.reader.refusal import Refused
from tumbler.reader.square import Pose

_SIZE = 120
_MIDDLE = _SIZE // 2
_SIDE = 16  # pixels
_FLOOR, _THING, _WHITE = 50, 90, 200
_LENS = 0.1  # share of the lens's height at which a die's top is


class Machine:
    """As much of a gatherer, and of its profile, as bright things are judged by: an even light."""

    left = top = 0
    step = scale = 1
    columns = rows = small_columns = _SIZE
    side = die_mm = _SIDE
    lens = _LENS
    platform = (_MIDDLE, _MIDDLE, 58)
    lamps = 4
    dim = _FLOOR
    gains = (1,) * 4
    exposures = (1.0,) * 4
    positions = [(0, 0, 10000)] * 4
    images = [[(_MIDDLE + 30, _MIDDLE, 4)], [], [], []]

    def __init__(self, dice):
        self.profile = self
        self.high = bytearray(bytes([_FLOOR]) * (_SIZE * _SIZE))
        for die in dice:
            for tenth in range(11):
                nearer = 1 - _LENS * (1 - tenth / 10)
                x, y = (_MIDDLE + (place - _MIDDLE) * nearer for place in (die.x, die.y))
                self.paint(Pose(x, y, _SIDE * nearer, die.angle), _WHITE)

    def paint(self, square, level):
        for y in range(_SIZE):
            for x in range(_SIZE):
                u, v = square.face(x, y)
                if max(abs(u), abs(v)) < 0.5:
                    self.high[y * _SIZE + x] = level

    def check(self, dice):
        BrightThings(self, FloorLevels(self)).check(dice)


class Floor(unittest.TestCase):
    def test_dice_are_no_strangers_wherever_they_lie(self):
        for degrees in range(0, 90, 15):
            dice = [
                Pose(_MIDDLE + 5, _MIDDLE - 8, _SIDE, radians(degrees)),
                Pose(_MIDDLE - 35, _MIDDLE - 25, _SIDE, radians(degrees)),
            ]
            Machine(dice).check(dice)

    def test_a_thing_a_quarter_as_wide_as_a_die_is_refused(self):
        die = Pose(_MIDDLE - 20, _MIDDLE, _SIDE, 0.4)
        for x, y in ((_MIDDLE + 8, _MIDDLE + 10), (_MIDDLE - 20, _MIDDLE - 18), (_MIDDLE + 40, _MIDDLE + 28)):
            machine = Machine([die])
            machine.paint(Pose(x, y, _SIDE / 4, 0), _THING)
            with self.assertRaises(Refused) as raised:
                machine.check([die])
            self.assertEqual(raised.exception.detail, "bright thing")

    def test_dust_and_stuck_pixels_are_none(self):
        machine = Machine([])
        for place in range(20, 100, 8):
            machine.high[place * _SIZE + place] = 255
        machine.check([])

    def test_the_rim_of_a_mirror_image_is_none(self):
        machine = Machine([])
        machine.paint(Pose(_MIDDLE + 30, _MIDDLE, _SIDE / 2, 0.2), _THING)
        machine.check([])

    def test_brighter_lamps_make_no_thing_of_the_floor(self):
        machine = Machine([])
        machine.high = bytearray(bytes([80]) * (_SIZE * _SIZE))
        with self.assertRaises(Refused):
            machine.check([])
        machine.exposures = (1.6,) * 4
        machine.check([])
