"""The LIS3DH driver against a simulated chip with the registers of its data sheet."""

import math
import unittest

from fake_buses import I2c

from tumbler.config import LIMITS
from tumbler.drivers import make_accelerometer
from tumbler.drivers.lis3dh import angle_between
from tumbler.hal import SensorError

ADDRESS = 0x19
SETTINGS = {"address": ADDRESS, "tilt_deg": 10}
RATES = {0: 0, 1: 1, 2: 10, 3: 25, 4: 50, 5: 100, 6: 200, 7: 400}
READ_ONLY = (0x0F, 0x27, 0x28, 0x29, 0x2A, 0x2B, 0x2C, 0x2D, 0x2F)


class Chip:
    """DocID17530: sub-address with auto-increment bit, FIFO of 32 in stream mode, data left-justified.

    While its FIFO is on, a burst goes on from 0x2D at 0x28 with the next sample.
    """

    def __init__(self):
        self.identity = 0x33
        self.forgetful = False  # keeps nothing that is written
        self.acknowledges = 1000
        self.frozen = False  # takes no samples
        self.reset()

    def reset(self):
        self.registers = dict.fromkeys(range(64), 0)
        self.registers[0x20] = 0x07
        self.fifo = []
        self.overrun = False
        self.register, self.increments = 0, False

    @property
    def rate(self):
        """Samples a second, as CTRL_REG1 has it."""
        return RATES.get(self.registers[0x20] >> 4, 0)

    def feel(self, x, y, z):
        """One sample period with this acceleration in milli-g."""
        if self.frozen or not self.rate or self.registers[0x20] & 7 != 7:
            return
        if not self.registers[0x24] & 0x40 or self.registers[0x2E] >> 6 != 2:
            self.fifo = []
            return
        if len(self.fifo) == 32:
            self.fifo.pop(0)
            self.overrun = True
        self.fifo.append(b"".join([self._output(mg) for mg in (x, y, z)]))

    def _output(self, mg):
        scale = self.registers[0x23] >> 4 & 3
        if not self.registers[0x23] & 8:
            raise AssertionError("the tests know high resolution only")
        step = (1, 2, 4, 12)[scale]
        value = max(-2048, min(2047, mg // step)) << 4
        return bytes([value & 0xFF, value >> 8 & 0xFF])

    def write(self, data):
        self.register, self.increments = data[0] & 0x7F, bool(data[0] & 0x80)
        for value in data[1 : self.acknowledges]:
            if self.register not in READ_ONLY and not self.forgetful:
                self.registers[self.register] = value
                if self.register == 0x2E and value >> 6 == 0:
                    self.fifo, self.overrun = [], False
            self._next()
        return min(len(data), self.acknowledges)

    def read(self, buffer):
        for at in range(len(buffer)):
            buffer[at] = self._value(self.register)
            self._next()

    def _next(self):
        if not self.increments:
            return
        if self.register == 0x2D and self.registers[0x24] & 0x40:
            self.fifo = self.fifo[1:]
            self.overrun = False
            self.register = 0x28
        else:
            self.register += 1

    def _value(self, register):
        if register == 0x0F:
            return self.identity
        if register == 0x2F:
            unread = min(len(self.fifo), 31)
            return unread | (0 if self.fifo else 0x20) | (0x40 if len(self.fifo) == 32 else 0)
        if 0x28 <= register <= 0x2D:
            return self.fifo[0][register - 0x28] if self.fifo else 0
        return self.registers[register]


class Rig:
    """A driver that is polled every `poll_ms` while the chip feels what the test says."""

    def __init__(self, settings=SETTINGS, poll_ms=10):
        self.chip = Chip()
        self.bus = I2c({ADDRESS: self.chip})
        self.driver = make_accelerometer("lis3dh", self.bus, settings)
        self.poll_ms = poll_ms
        self.now = 100000

    def feel(self, x, y, z, ms=10):
        for _ in range(ms // self.poll_ms):
            self.now += self.poll_ms
            for _ in range(self.chip.rate * self.poll_ms // 1000):
                self.chip.feel(x, y, z)
            self.driver.poll(self.now)


class Measuring(unittest.TestCase):
    def test_a_still_board_shows_no_vibration_and_no_tilt(self):
        rig = Rig()
        rig.feel(0, 0, 1000, ms=1000)
        self.assertTrue(rig.driver.vibration() <= 2)
        self.assertEqual((rig.driver.tilt(), rig.driver.tilted()), (0, False))
        x, y, z = rig.driver.gravity()
        self.assertTrue(abs(x) <= 2 and abs(y) <= 2 and abs(z - 1000) <= 2)

    def test_before_the_first_sample_nothing_is_told(self):
        rig = Rig()
        self.assertEqual((rig.driver.vibration(), rig.driver.tilted()), (0, False))

    def test_a_single_shock_is_the_peak_until_it_is_asked_for(self):
        for axis in range(3):
            for sign in (1, -1):
                rig = Rig()
                rig.feel(0, 0, 1000, ms=500)
                rig.driver.vibration()
                shock = [0, 0, 1000]
                shock[axis] += sign * 300
                rig.chip.feel(*shock)
                rig.feel(0, 0, 1000, ms=100)
                self.assertTrue(abs(rig.driver.vibration() - 300) <= 6)
                rig.feel(0, 0, 1000, ms=10)
                self.assertTrue(rig.driver.vibration() <= 6)

    def test_shocks_on_all_axes_add_as_vectors(self):
        rig = Rig()
        rig.feel(0, 0, 1000, ms=500)
        rig.driver.vibration()
        rig.chip.feel(100, -200, 1200)
        rig.feel(0, 0, 1000)
        self.assertTrue(abs(rig.driver.vibration() - 300) <= 6)

    def test_a_shock_between_rare_polls_is_not_missed(self):
        rig = Rig(poll_ms=150)
        rig.feel(0, 0, 1000, ms=600)
        rig.driver.vibration()
        rig.chip.feel(0, 500, 1000)
        rig.feel(0, 0, 1000, ms=150)
        self.assertTrue(rig.driver.vibration() > 480)

    def test_after_a_long_gap_the_newest_samples_are_read(self):
        rig = Rig()
        rig.feel(0, 0, 1000, ms=500)
        for _ in range(100):
            rig.chip.feel(0, 0, 1000)
        rig.driver.vibration()
        rig.chip.feel(0, 0, 1400)
        rig.now += 500
        rig.driver.poll(rig.now)
        self.assertTrue(abs(rig.driver.vibration() - 400) <= 6)
        self.assertEqual(rig.chip.fifo, [])

    def test_what_shakes_beyond_the_range_is_clipped_not_wrapped(self):
        rig = Rig()
        rig.feel(0, 0, 1000, ms=500)
        rig.driver.vibration()
        rig.chip.feel(9000, -9000, 1000)
        rig.feel(0, 0, 1000)
        self.assertTrue(5000 < rig.driver.vibration() < 6000)

    def test_tilt_is_the_angle_to_rest(self):
        for degrees in (0, 3, 9, 10, 11, 20, 45, 89, 90, 120, 180):
            rig = Rig()
            angle = math.radians(degrees)
            across, along = int(1000 * math.sin(angle)), int(1000 * math.cos(angle))
            rig.feel(0, 0, 1000, ms=200)
            rig.feel(int(across * 0.6), int(across * 0.8), along, ms=6000)
            self.assertTrue(abs(rig.driver.tilt() - degrees) <= 1, (degrees, rig.driver.tilt()))
            if degrees != 10:
                self.assertEqual(rig.driver.tilted(), degrees > 10)

    def test_a_board_that_is_not_mounted_flat(self):
        rig = Rig({"address": ADDRESS, "tilt_deg": 10, "rest": [-1000, 0, 0]})
        rig.feel(-1000, 0, 0, ms=500)
        self.assertEqual(rig.driver.tilt(), 0)
        rig.feel(0, 0, 1000, ms=6000)
        self.assertTrue(abs(rig.driver.tilt() - 90) <= 1)

    def test_a_shake_is_no_tilt(self):
        rig = Rig()
        rig.feel(0, 0, 1000, ms=500)
        rig.feel(700, 0, 1000, ms=20)
        self.assertFalse(rig.driver.tilted())

    def test_angles_between_vectors_in_space(self):
        steps = (-1000, -300, 0, 500, 900)
        vectors = [(x, y, z) for x in steps for y in steps for z in steps if abs(x) + abs(y) + abs(z) > 700]
        for a in ((0, 0, 1000), (700, -500, 400), (-200, 900, -300)):
            for b in vectors:
                along = sum([p * q for p, q in zip(a, b)])
                lengths = math.sqrt(sum([p * p for p in a]) * sum([q * q for q in b]))
                expected = math.degrees(math.acos(max(-1.0, min(1.0, along / lengths))))
                self.assertTrue(abs(angle_between(a, b) - expected) < 1, (a, b, expected))

    def test_angles_by_whole_numbers(self):
        for degrees in range(181):
            angle = math.radians(degrees)
            a = (0, 0, 1000)
            b = (int(1000 * math.sin(angle)), 0, int(1000 * math.cos(angle)))
            self.assertTrue(abs(angle_between(a, b) - degrees) <= 1, degrees)
            self.assertEqual(angle_between(a, b), angle_between(b, a))


class SettingUp(unittest.TestCase):
    def test_the_registers_are_as_documented(self):
        """200 Hz, x y z | no filter | no interrupt | BDU, +-4 g, high resolution | FIFO on | FIFO streams."""
        rig = Rig()
        rig.driver.poll(0)
        registers = [rig.chip.registers[number] for number in (0x20, 0x21, 0x22, 0x23, 0x24, 0x25, 0x2E)]
        self.assertEqual(registers, [0x67, 0, 0, 0x98, 0x40, 0, 0x80])

    def test_a_new_set_up_begins_with_new_samples(self):
        """Neither what was felt before nor the old direction of gravity counts."""
        rig = Rig()
        rig.feel(0, 0, 1000, ms=500)
        rig.driver.vibration()
        rig.chip.feel(0, 0, 3000)
        rig.bus.stuck = True
        with self.assertRaises(SensorError):
            rig.driver.poll(rig.now)
        rig.bus.stuck = False
        rig.feel(1000, 0, 0, ms=20)
        self.assertTrue(rig.driver.vibration() <= 2)
        self.assertEqual(rig.driver.tilt(), 90)


class Faults(unittest.TestCase):
    def fault(self, rig, ms=10):
        with self.assertRaises(SensorError) as raised:
            rig.feel(0, 0, 1000, ms)
        return str(raised.exception)

    def recovers(self, rig, ms=1000):
        rig.feel(0, 0, 1000, ms)
        self.assertTrue(abs(rig.driver.gravity()[2] - 1000) <= 4)

    def test_another_chip(self):
        rig = Rig()
        rig.chip.identity = 0x32
        self.assertIn("id 0x32, not 0x33", self.fault(rig))
        rig.chip.identity = 0x33
        self.recovers(rig)

    def test_nothing_at_the_address(self):
        rig = Rig()
        rig.bus.chips = {}
        self.assertIn("no answer at 0x19", self.fault(rig))
        rig.bus.chips = {ADDRESS: rig.chip}
        self.recovers(rig)

    def test_a_bus_that_gets_stuck(self):
        rig = Rig()
        rig.feel(0, 0, 1000, ms=200)
        rig.bus.stuck = True
        self.assertIn("stuck", self.fault(rig))
        rig.bus.stuck = False
        self.recovers(rig)

    def test_a_write_that_is_not_acknowledged(self):
        rig = Rig()
        rig.chip.acknowledges = 1
        self.assertIn("no answer", self.fault(rig))

    def test_settings_that_do_not_stay(self):
        rig = Rig()
        rig.chip.forgetful = True
        self.assertIn("keeps no settings", self.fault(rig))

    def test_a_chip_that_stops_sampling(self):
        rig = Rig()
        rig.feel(0, 0, 1000, ms=500)
        rig.chip.frozen = True
        stopped = rig.now
        self.assertIn("no samples", self.fault(rig, ms=1000))
        self.assertTrue(rig.now - stopped < LIMITS["rest_ms"][0], "it would pass for rest")
        rig.chip.frozen = False
        self.recovers(rig)

    def test_a_chip_that_lost_its_power_for_a_moment(self):
        rig = Rig()
        rig.feel(0, 0, 1000, ms=500)
        rig.chip.reset()
        self.assertIn("no samples", self.fault(rig, ms=1000))
        self.recovers(rig)

    def test_no_gravity_and_too_much_of_it(self):
        for z in (0, 500, 780, 1220, 2000):
            rig = Rig()
            with self.assertRaises(SensorError) as raised:
                rig.feel(0, 0, z, ms=5000)
            shown = str(raised.exception).split("gravity of ")[1]
            self.assertTrue(abs(int(shown.split(" ")[0]) - z) <= 4, shown)

    def test_polls_without_a_new_sample_are_no_silence(self):
        rig = Rig()
        for turn in range(400):
            rig.now += 10
            if turn % 7 == 0:
                rig.chip.feel(0, 0, 1000)
            rig.driver.poll(rig.now)
        self.assertEqual(rig.driver.gravity()[2], 1000)

    def test_gravity_is_judged_after_three_quiet_seconds_only(self):
        rig = Rig()
        rig.feel(0, 0, 1300, ms=2900)
        for _ in range(60):
            rig.chip.feel(0, 0, 3200)
            rig.feel(0, 0, 1300, ms=100)
        self.assertIn("gravity", self.fault_of(rig, 1300))

    def fault_of(self, rig, z):
        with self.assertRaises(SensorError) as raised:
            rig.feel(0, 0, z, ms=5000)
        return str(raised.exception)

    def test_long_tumbling_is_no_fault(self):
        rig = Rig()
        for turn in range(400):
            rig.feel(0, 0, 3000 if turn % 4 == 0 else 500, ms=20)
        self.recovers(rig, ms=5000)


if __name__ == "__main__":
    unittest.main()
