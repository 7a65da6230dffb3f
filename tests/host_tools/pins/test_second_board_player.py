"""The second board's player against fake pins; run as a script, the same tests run on MicroPython."""

import sys
import unittest

HERE = __file__.rpartition("/")[0] or "."
for folder in ("../../../host_tools/pins/second_board", "../../portable", "../../../firmware"):
    if HERE + "/" + folder not in sys.path:
        sys.path.append(HERE + "/" + folder)

from fake_machine import PERIOD, Time, World  # noqa: E402 # pyright: ignore[reportMissingImports]
from player import Player  # noqa: E402 # pyright: ignore[reportMissingImports]

GATE, TOP, DOME = 2, 3, 10
DRIVE, LOCK = 16, 17
STROKE = ((0, 0, 0), (1, 0, 1053), (1, 1, 16_530), (0, 1, 17_583))


class LookingTime(Time):
    """A clock that goes on by a microsecond whenever somebody looks."""

    def ticks_us(self):
        self._world.pass_us(1)
        return super().ticks_us()


class PinsWithPulls:
    """machine.Pin, with the names of its edges, remembering what was asked of it."""

    IN, OUT, PULL_UP, PULL_DOWN = "in", "out", "up", "down"

    def __init__(self, make):
        self._make = make

    def __call__(self, name, mode=None, pull=None, value=None):
        pin = self._make(name, mode, pull, value)
        pin.init = lambda mode: setattr(pin, "mode", mode)
        return pin


class Bench:
    def __init__(self, hard=True):
        self.world = World(PERIOD - 5000)  # the tick wraps within a stroke
        self.world.hard = hard
        self.world.time = LookingTime(self.world)
        for name, level in ((DRIVE, 0), (LOCK, 0)):
            self.world.machine.Pin(name).level = level
        self.world.machine.Pin = PinsWithPulls(self.world.machine.Pin)
        drives = [(GATE, 1), (TOP, 1), (DOME, 0)]
        self.player = Player(self.world.machine, self.world.time, drives, [(DRIVE, 0), (LOCK, 0)])
        self.seen = []
        for pin in (GATE, TOP, DOME):
            self.world.pin(pin).changed = lambda level, pin=pin: self.seen.append((pin, level, self.world.us))


class TestPlayer(unittest.TestCase):
    def test_pins_begin_at_rest(self):
        world = Bench().world
        self.assertEqual([world.pin(pin).levels for pin in (GATE, TOP, DOME)], [[1], [1], [0]])
        self.assertEqual((world.pin(DRIVE).mode, world.pin(DRIVE).pull), ("in", "down"))

    def test_levels_are_put_out_in_order(self):
        bench = Bench()
        bench.player.set_levels([(2, 1), (0, 0), (2, 0)])
        self.assertEqual([seen[:2] for seen in bench.seen], [(DOME, 1), (GATE, 0), (DOME, 0)])

    def test_a_stroke_is_exact_to_the_microsecond_while_the_tick_wraps(self):
        bench = Bench()
        late = bench.player.play(STROKE)
        first = bench.seen[0][2]
        pins = (GATE, TOP)
        self.assertEqual(
            [(pin, level, at - first) for pin, level, at in bench.seen],
            [(pins[index], level, offset) for index, level, offset in STROKE],
        )
        self.assertEqual(late, 0)

    def test_a_late_edge_is_told(self):
        bench = Bench()
        pin = bench.world.pin(GATE)
        pin.changed = lambda level: bench.world.pass_us(400)
        self.assertEqual(bench.player.play([(0, 0, 0), (1, 0, 100)]), 301)

    def test_outputs_are_heard_in_order_also_while_a_stroke_plays(self):
        for hard in (True, False):
            bench = Bench(hard)
            drive, lock = bench.world.pin(DRIVE), bench.world.pin(LOCK)
            bench.world.later(2000, lambda drive=drive: drive.becomes(1))
            bench.world.later(3000, lambda lock=lock: lock.becomes(1))
            bench.world.later(14_000, lambda drive=drive: drive.becomes(0))
            bench.player.play(STROKE)
            self.assertEqual(bench.player.heard(), [(0, 1), (1, 1), (0, 0)])
            self.assertEqual(bench.player.heard(), [])
            self.assertEqual(bench.player.levels(), [0, 1])

    def test_edges_that_were_lost_are_an_error_once(self):
        bench = Bench()
        for number in range(129):
            bench.world.pin(DRIVE).becomes(1 - number % 2)
        with self.assertRaises(RuntimeError):
            bench.player.heard()
        bench.world.pin(DRIVE).becomes(0)
        self.assertEqual(bench.player.heard(), [(0, 0)])

    def test_at_the_end_nothing_is_driven_or_heard(self):
        bench = Bench()
        bench.player.release()
        self.assertEqual([bench.world.pin(pin).mode for pin in (GATE, TOP, DOME)], ["in"] * 3)
        bench.world.pin(DRIVE).becomes(1)
        self.assertEqual(bench.player.heard(), [])


if __name__ == "__main__":
    unittest.main()
