"""The driver of the project's own dice module against a simulated one, on I2C and UART."""

import unittest

from fake_buses import I2c, Uart

from tumbler.drivers import NOT_FLAT, UNKNOWN, make_sensor
from tumbler.drivers.dice_module import crc8, crc16
from tumbler.hal import SensorError

ADDRESS = 0x3D
SETTINGS = {"address": ADDRESS}
# face, flat, x, y, size, confidence
THREE = [(2, 1, 60, 100, 40, 980), (3, 1, 150, 90, 41, 970), (6, 1, 220, 300, 40, 1000)]


def number(value):
    return bytes([value & 0xFF, value >> 8])


class Module:
    """A module as docs/dice-module.md describes it; after `looks` blocks a measurement is complete."""

    def __init__(self):
        self.dice = list(THREE)
        self.lie = 0  # how many more it claims to have counted
        self.identity = 0xD6
        self.version = 1
        self.fault = 0
        self.sequence = 65534
        self.looks = 3
        self.left = 0  # blocks until the measurement is complete
        self.measured = 0
        self.deaf = False  # ignores commands
        self.silent = False
        self.spoil = 0  # how many blocks to damage
        self.restart_at = -1  # measurement in which it restarts
        self.pointer = 0
        self.seen = []  # dice of the last measurement
        self.out = bytearray()

    def measure(self):
        if not self.left and not self.deaf:
            self.left = self.looks

    def block(self):
        if self.left:
            self.left -= 1
            if not self.left:
                self.measured += 1
                self.seen = list(self.dice)
                self.sequence = 0 if self.measured == self.restart_at else self.sequence + 1 & 0xFFFF
        status = (1 if self.measured else 0) | (2 if self.left else 0) | (4 if self.fault else 0)
        block = bytes([self.identity, self.version, status, self.fault]) + number(self.sequence)
        block += bytes([len(self.seen) + self.lie, 0])
        for face, flat, x, y, size, confidence in self.seen[:4]:
            block += bytes([face, flat]) + number(x) + number(y) + number(size) + number(confidence)
        block += bytes(48 - len(block))
        block += number(crc16(block))
        if self.spoil:
            self.spoil -= 1
            block = block[:20] + bytes([block[20] ^ 1]) + block[21:]
        return block

    # I2C
    def write(self, data):
        self.pointer = data[0]
        if data == b"\x40\x01":
            self.measure()
        return len(data)

    def read(self, buffer):
        block = self.block()
        for at in range(len(buffer)):
            buffer[at] = block[self.pointer + at]

    # UART
    def hear(self, data):
        if self.silent:
            return
        if data == b"\xa5\x01\x07":
            self.measure()
        elif data == b"\xa5\x02\x0e":
            self.out += b"\xa5" + self.block()


def on_i2c(module):
    return make_sensor("dice-module", I2c({ADDRESS: module}), SETTINGS)


def on_uart(module):
    return make_sensor("dice-module", Uart(module), {})


BUSES = (on_i2c, on_uart)


def exchange(driver, start=0):
    driver.request(start)
    for now in range(start, start + 4000, 5):
        answer = driver.poll(now)
        if answer is not None:
            return answer, now - start
    raise AssertionError("neither answer nor error")


class DiceModuleCase(unittest.TestCase):
    def fault(self, driver, start=0):
        with self.assertRaises(SensorError) as raised:
            exchange(driver, start)
        return str(raised.exception)


class CheckSums(unittest.TestCase):
    def test_check_values_of_the_catalogue(self):
        self.assertEqual(crc16(b"123456789"), 0x29B1)
        self.assertEqual(crc8(b"123456789"), 0xF4)


class Answers(DiceModuleCase):
    def test_the_dice_come_out(self):
        for connect in BUSES:
            answer, _ = exchange(connect(Module()))
            expected = [(face, x, y, size, size, sure) for face, _, x, y, size, sure in THREE]
            self.assertEqual([tuple(seen) for seen in answer.objects], expected)
            self.assertEqual((answer.frame, len(answer.digest)), (65535, 32))

    def test_every_answer_is_of_a_new_measurement(self):
        for connect in BUSES:
            module = Module()
            driver = connect(module)
            frames = []
            for turn in range(4):
                module.dice[0] = (turn + 1, 1, 60, 100, 40, 980)
                answer, _ = exchange(driver, turn * 1000)
                self.assertEqual(answer.objects[0].face, turn + 1)
                frames.append(answer.frame)
            self.assertEqual(frames, [65535, 0, 1, 2])
            self.assertEqual(module.measured, 4)

    def test_faces_flatness_and_nonsense(self):
        cases = (
            ((1, 1), 1),
            ((6, 1), 6),
            ((4, 0), NOT_FLAT),
            ((0, 0), NOT_FLAT),
            ((0, 1), UNKNOWN),
            ((7, 1), UNKNOWN),
            ((3, 2), UNKNOWN),
        )
        for connect in BUSES:
            for (face, flat), expected in cases:
                module = Module()
                module.dice[1] = (face, flat, 150, 90, 41, 970)
                self.assertEqual(exchange(connect(module))[0].objects[1].face, expected)

    def test_a_confidence_above_one_is_nonsense(self):
        module = Module()
        module.dice[0] = (2, 1, 60, 100, 40, 1001)
        self.assertEqual(exchange(on_i2c(module))[0].objects[0].face, UNKNOWN)

    def test_fewer_and_more_than_three(self):
        for connect in BUSES:
            for dice, told in ((0, 0), (2, 2), (4, 4), (6, 4)):
                module = Module()
                module.dice = (THREE * 2)[:dice]
                self.assertEqual(len(exchange(connect(module))[0].objects), told)
            module = Module()
            module.lie = 200
            self.assertEqual(len(exchange(connect(module))[0].objects), 4)

    def test_a_slow_module_and_a_slow_wire(self):
        for connect in BUSES:
            module = Module()
            module.looks = 40
            _, took = exchange(connect(module))
            self.assertTrue(700 < took < 1500, took)
        uart = Uart(Module())
        uart.trickle = 3
        _, took = exchange(make_sensor("dice-module", uart, {}))
        self.assertTrue(took < 2000, took)

    def test_a_measurement_that_is_running_is_waited_for(self):
        for connect in BUSES:
            module = Module()
            module.measure()
            answer, _ = exchange(connect(module))
            self.assertEqual((answer.frame, module.measured), (0, 2))

    def test_an_abandoned_request_leaves_nothing_behind(self):
        for connect in BUSES:
            for polls in range(40):
                module = Module()
                driver = connect(module)
                driver.request(0)
                for now in range(0, 5 * polls, 5):
                    if driver.poll(now) is not None:
                        break
                module.dice = [(5, 1, 10, 10, 40, 990)]
                answer, _ = exchange(driver, 1000)
                self.assertEqual([seen.face for seen in answer.objects], [5], polls)

    def test_a_block_left_over_from_before_is_passed_by(self):
        """It tells of the picture before the last one: believed, the last one would pass for a new one."""
        module = Module()
        module.out += b"\xa5" + module.block() + b"\xa5\xd6\x01"
        module.measure()
        while not module.measured:
            module.block()
        module.dice = [(5, 1, 10, 10, 40, 990)]
        answer, _ = exchange(on_uart(module))
        self.assertEqual(([seen.face for seen in answer.objects], module.measured), ([5], 2))

    def test_nothing_is_answered_that_was_not_asked(self):
        for connect in BUSES:
            driver = connect(Module())
            self.assertIsNone(driver.poll(0))
            exchange(driver)
            self.assertIsNone(driver.poll(9999))


class Faults(DiceModuleCase):
    def test_damaged_blocks_are_read_again(self):
        for connect in BUSES:
            module = Module()
            module.spoil = 4
            self.assertEqual([seen.face for seen in exchange(connect(module))[0].objects], [2, 3, 6])

    def test_damage_without_end_is_a_fault(self):
        for connect in BUSES:
            module = Module()
            module.spoil = 10000
            self.assertIn("wrong CRC", self.fault(connect(module)))

    def test_each_exchange_tells_its_own_fault(self):
        for connect in BUSES:
            module = Module()
            module.spoil = 1
            driver = connect(module)
            exchange(driver)
            module.deaf = True
            self.assertIn("no answer in 2000 ms", self.fault(driver, 5000))
            self.assertIsNone(driver.poll(20000))

    def test_another_chip_or_map_is_named(self):
        module = Module()
        module.identity = 0x33
        self.assertIn("0x33", self.fault(on_i2c(module)))
        for connect in BUSES:
            module = Module()
            module.version = 2
            self.assertIn("map 2", self.fault(connect(module)))

    def test_the_module_s_own_fault_is_passed_on(self):
        for connect in BUSES:
            module = Module()
            module.fault = 3
            self.assertIn("fault 3", self.fault(connect(module)))

    def test_a_restart_in_the_middle_is_no_answer(self):
        for connect in BUSES:
            module = Module()
            module.sequence = 500
            module.restart_at = 1
            self.assertIn("restarted", self.fault(connect(module)))

    def test_silence(self):
        self.assertIn("no answer at 0x3d", self.fault(make_sensor("dice-module", I2c({}), SETTINGS)))
        module = Module()
        module.silent = True
        self.assertIn("silent", self.fault(on_uart(module)))
        for connect in BUSES:
            module = Module()
            module.deaf = True
            driver = connect(module)
            self.assertIn("no answer in 2000 ms", self.fault(driver))
            module.deaf = False
            self.assertEqual(len(exchange(driver, 5000)[0].objects), 3)

    def test_a_stuck_bus_and_a_lost_acknowledge(self):
        bus = I2c({ADDRESS: Module()})
        driver = make_sensor("dice-module", bus, SETTINGS)
        driver.request(0)
        driver.poll(0)
        bus.stuck = True
        with self.assertRaises(SensorError) as raised:
            driver.poll(40)
        self.assertIn("stuck", str(raised.exception))
        self.assertIsNone(driver.poll(60))
        bus.stuck = False
        self.assertEqual(len(exchange(driver, 100)[0].objects), 3)

    def test_garbage_on_the_wire(self):
        for garbage in (b"\xa5", b"\xd6", b"\xa5\xd6", b"\xa5\xa5", b"\x00" * 90, b"\xa5\xd6\x01" * 20):

            class Noisy(Module):
                def hear(self, data):
                    self.out += garbage  # noqa: B023  (used within this turn of the loop)
                    super().hear(data)

            answer, _ = exchange(on_uart(Noisy()))
            self.assertEqual([seen.face for seen in answer.objects], [2, 3, 6], garbage)

    def test_endless_garbage_ends_in_a_fault(self):
        class Babbler(Uart):
            def any(self):
                self.chip.out += b"\xa5\xd6\x01\x00"
                return super().any()

        module = Module()
        module.silent = True
        self.fault(make_sensor("dice-module", Babbler(module), {}))

    def test_a_full_transmit_buffer_is_a_fault(self):
        uart = Uart(Module())
        uart.room = 2
        self.assertIn("took 2 of 3", self.fault(make_sensor("dice-module", uart, {})))


if __name__ == "__main__":
    unittest.main()
