"""The board's clock: a tick that wraps becomes an uptime that does not."""

from unittest import TestCase

from tumbler.hal import Uptime

PERIOD = 1 << 30


class TestUptime(TestCase):
    def test_starts_at_zero_wherever_the_tick_is(self):
        for raw in (0, 1, PERIOD // 2, PERIOD - 1):
            uptime = Uptime(raw)
            self.assertEqual(uptime.us, 0)
            self.assertEqual(uptime.advance(raw), 0)
            self.assertEqual(uptime.advance((raw + 5000) % PERIOD), 5000)

    def test_goes_on_over_many_wraps(self):
        step = PERIOD - 12345
        uptime = Uptime(PERIOD - 100)
        for n in range(1, 9):
            self.assertEqual(uptime.advance((PERIOD - 100 + n * step) % PERIOD), n * step)
        self.assertEqual(uptime.us, 8 * step)

    def test_places_ticks_before_and_after_the_newest_one(self):
        for start in (0, PERIOD - 1000, PERIOD - 3000):
            uptime = Uptime(start)
            uptime.advance((start + 2000) % PERIOD)
            for offset in (0, 1, 1999, 2000, 2001, 5000):
                self.assertEqual(uptime.at((start + offset) % PERIOD), offset)
            self.assertEqual(uptime.us, 2000)
