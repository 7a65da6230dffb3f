"""The floor that no die hides tells what a lamp gives; what lies on it, and its grain, do not."""

import unittest

from tumbler.reader.exposure import FloorLight
from tumbler.reader.lamp_light import floor_light

SIZE = 60
RADIUS = 28
LAMPS = ((120, 0, 120), (0, -120, 120), (-120, 0, 120), (0, 120, 120))


class Machine:
    """A profile and a gatherer in one, as far as the floor's light needs them; a pixel is a millimetre."""

    platform = (30, 30, RADIUS)  # type: tuple[int, ...]
    scale = 1.0
    lens = 0
    positions = LAMPS  # type: tuple[tuple[int, ...], ...]
    floors = (30, 30, 30, 30)  # type: tuple[int, ...]
    left = top = 0
    step = 1
    small_columns = SIZE

    def __init__(self, share):
        self.profile = self
        self.small = [self._frame(lamp, share) for lamp in range(4)]

    def _frame(self, lamp, share):
        frame = bytearray(SIZE * SIZE)
        for i in range(SIZE * SIZE):
            light = floor_light(i % SIZE - 30, i // SIZE - 30, lamp, self)
            grain = 1 + ((i * 7919) % 17 - 8) / 200
            frame[i] = int(2.5 + 30 * share * grain * light / floor_light(0, 0, lamp, self))
        return frame

    def lay(self, level, x, y, width, height):
        """Something of that level on the floor."""
        for small in self.small:
            for row in range(y, y + height):
                for column in range(x, x + width):
                    small[row * SIZE + column] = level


class TestFloorLight(unittest.TestCase):
    def test_the_bare_floor_tells_a_lamp_s_share(self):
        for share in (0.7, 0.95, 1, 1.3):
            machine = Machine(share)
            floor = FloorLight(machine)
            for lamp in range(4):
                for about in (share, 0.9 * share, 1.1 * share):
                    told = floor.exposure(machine.small[lamp], lamp, about) or 0
                    self.assertTrue(abs(told / share - 1) < 0.008, "%s for %s" % (told, share))

    def test_dice_and_their_shadows_do_not(self):
        machine = Machine(0.9)
        for x, y in ((10, 15), (35, 12), (25, 38)):
            machine.lay(140, x, y, 10, 10)
            machine.lay(4, x - 8, y, 8, 10)
        told = FloorLight(machine).exposure(machine.small[1], 1, 0.9) or 0
        self.assertTrue(abs(told / 0.9 - 1) < 0.01, told)

    def test_a_floor_that_is_hidden_tells_nothing(self):
        machine = Machine(1)
        machine.lay(4, 0, 0, SIZE, 50)
        self.assertIsNone(FloorLight(machine).exposure(machine.small[0], 0, 1))

    def test_nor_does_one_that_lies_outside_the_picture(self):
        machine = Machine(1)
        machine.platform = (5, 30, 3000)
        self.assertIsNone(FloorLight(machine).exposure(machine.small[0], 0, 1))

    def test_nor_does_a_lamp_that_is_all_but_out_over_an_even_floor(self):
        machine = Machine(1)
        machine.positions = ((0, 0, 10000),) * 4
        machine.floors = (150,) * 4
        machine.lay(6, 0, 0, SIZE, SIZE)
        self.assertIsNone(FloorLight(machine).exposure(machine.small[0], 0, 0.03))

    def test_a_floor_brighter_near_a_lamp_than_levels_go(self):
        machine = Machine(1)
        machine.positions = ((40, 0, 40),) * 4
        machine.floors = (250,) * 4
        machine.lay(255, 0, 0, SIZE, SIZE)
        told = FloorLight(machine).exposure(machine.small[0], 0, 1) or 0
        self.assertTrue(0.9 < told < 1.1, told)


if __name__ == "__main__":
    unittest.main()
