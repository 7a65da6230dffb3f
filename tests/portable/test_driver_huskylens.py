"""The HuskyLens drivers against simulated modules on I2C and UART, with what can go wrong there."""

import unittest

from fake_buses import I2c, Uart

from tumbler.drivers import NOT_FLAT, UNKNOWN, make_sensor
from tumbler.hal import SensorError

THREE = [(2, 60, 100, 40, 42), (3, 150, 90, 41, 40), (6, 220, 140, 40, 40)]


def number(value):
    return bytes([value & 0xFF, value >> 8 & 0xFF])


class Module:
    """What both generations share: answers in order, in bytes; faults to switch on."""

    filler = 0x00

    def __init__(self):
        self.objects = list(THREE)
        self.learned = 7
        self.picture = 40
        self.silent = False
        self.out = bytearray()
        self.heard = []  # commands, in order
        self.acknowledges = 1000  # bytes of a write
        self.spoil = []  # numbers of outgoing frames to damage, 0 is the next
        self.before_frames = b""
        self.most = 1000  # frames of one answer

    def answers(self, request):
        """Frames without their sum."""
        raise NotImplementedError

    def hear(self, data):
        if self.silent:
            return
        self.heard.append(bytes(data))
        for content in self.answers(bytes(data))[: self.most]:
            frame = content + bytes([sum(content) + (16 if 0 in self.spoil else 0) & 0xFF])
            self.spoil = [count - 1 for count in self.spoil if count]
            self.out += self.before_frames + frame

    def write(self, data):
        taken = data[: self.acknowledges]
        self.hear(taken)
        return len(taken)

    def read(self, buffer):
        for at in range(len(buffer)):
            buffer[at] = self.out[at] if at < len(self.out) else self.filler
        self.out = self.out[len(buffer) :]


class ModuleV1(Module):
    """Generation 1, by the maker's protocol 0.5.1."""

    ADDRESS = 0x32
    NAME = "huskylens-v1"
    SETTINGS = {"address": 0x32}
    TIME_LIMIT = 500

    def answers(self, request):
        if request == b"\x55\xaa\x11\x00\x2c\x3c":
            return [b"\x55\xaa\x11\x00\x2e"]
        if request != b"\x55\xaa\x11\x00\x21\x31":
            return [b"\x55\xaa\x11\x00\x3d"]  # busy
        self.picture += 1
        info = number(len(self.objects)) + number(self.learned) + number(self.picture) + bytes(4)
        frames = [b"\x55\xaa\x11\x0a\x29" + info]
        for learned, x, y, width, height in self.objects:
            data = number(x) + number(y) + number(width) + number(height) + number(learned)
            frames.append(b"\x55\xaa\x11\x0a\x2a" + data)
        return frames


class ModuleV2(Module):
    """Generation 2, by the maker's protocol V0.2, running algorithm 129."""

    ADDRESS = 0x50
    NAME = "huskylens-v2"
    SETTINGS = {"address": 0x50, "algorithm": 129}
    TIME_LIMIT = 2000
    filler = 0xFF
    running = 129

    def answers(self, request):
        if request == b"\x55\xaa\x00\x00\x0a\x01" + bytes(9) + b"\x0a":
            return [b"\x55\xaa\x1a\x00\x0a" + bytes(10)]
        if request != b"\x55\xaa\x01\x81\x00\x81":
            return [b"\x55\xaa\x1a\x00\x0a\x00\x01" + bytes(8)]  # failed
        info = bytes([self.running, 10, self.learned, 0]) + number(len(self.objects)) * 4
        frames = [b"\x55\xaa\x1b" + info]
        for learned, x, y, width, height in self.objects:
            data = bytes([learned, self.running]) + number(x) + number(y) + number(width) + number(height)
            data += b"\x03die\x00"
            frames.append(b"\x55\xaa\x1c" + bytes([self.running, len(data)]) + data)
        return frames


def on_i2c(module):
    return make_sensor(module.NAME, I2c({module.ADDRESS: module}), module.SETTINGS)


def on_uart(module):
    return make_sensor(module.NAME, Uart(module), module.SETTINGS)


GENERATIONS = (ModuleV1, ModuleV2)
BOTH_BUSES = [(kind, connect) for kind in GENERATIONS for connect in (on_i2c, on_uart)]


def exchange(driver, start=0, most=4000):
    """One request and its answer; how long it took in ms."""
    driver.request(start)
    for now in range(start, start + most, 5):
        answer = driver.poll(now)
        if answer is not None:
            return answer, now - start
    raise AssertionError("neither answer nor error")


class HuskyLensCase(unittest.TestCase):
    def fault(self, driver, start=0):
        """The text of the SensorError that ends the exchange."""
        with self.assertRaises(SensorError) as raised:
            exchange(driver, start)
        return str(raised.exception)


class Answers(HuskyLensCase):
    def test_what_is_seen_comes_out_on_both_buses(self):
        for kind, connect in BOTH_BUSES:
            answer, _ = exchange(connect(kind()))
            self.assertEqual([tuple(seen)[:5] for seen in answer.objects], THREE)
            self.assertEqual([seen.confidence for seen in answer.objects], [None] * 3)
            self.assertEqual(len(answer.digest), 32)

    def test_classes_are_faces_not_flat_or_unknown(self):
        for kind, connect in BOTH_BUSES:
            module = kind()
            module.objects = [(learned, 30, 30, 20, 20) for learned in (0, 1, 6, 7, 8, 255)]
            answer, _ = exchange(connect(module))
            faces = [seen.face for seen in answer.objects]
            self.assertEqual(faces, [UNKNOWN, 1, 6, NOT_FLAT, UNKNOWN, UNKNOWN])

    def test_nothing_seen_is_an_answer(self):
        for kind, connect in BOTH_BUSES:
            module = kind()
            module.objects = []
            self.assertEqual(exchange(connect(module))[0].objects, ())

    def test_a_crowd_is_cut_short_and_does_not_spoil_the_next_answer(self):
        for kind, connect in BOTH_BUSES:
            module = kind()
            module.objects = [(1, x, 10, 20, 20) for x in range(30)]
            driver = connect(module)
            self.assertEqual(len(exchange(driver)[0].objects), 8)
            module.objects = list(THREE)
            self.assertEqual([seen.face for seen in exchange(driver, 1000)[0].objects], [2, 3, 6])

    def test_the_first_generation_numbers_its_pictures(self):
        driver = on_i2c(ModuleV1())
        self.assertEqual([exchange(driver, start)[0].frame for start in (0, 1000)], [41, 42])
        self.assertIsNone(exchange(on_i2c(ModuleV2()))[0].frame)

    def test_digests_differ_with_what_was_answered(self):
        for kind in GENERATIONS:
            module, other = kind(), kind()
            other.objects[0] = (4, 60, 100, 40, 42)
            self.assertTrue(exchange(on_uart(module))[0].digest != exchange(on_uart(other))[0].digest)

    def test_a_slow_wire_still_brings_the_answer(self):
        for kind in GENERATIONS:
            module = kind()
            uart = Uart(module)
            uart.trickle = 1
            answer, took = exchange(make_sensor(kind.NAME, uart, kind.SETTINGS))
            self.assertEqual(len(answer.objects), 3)
            self.assertTrue(took > 100, took)

    def test_arrows_are_objects_of_no_class(self):
        class Tracker(ModuleV1):
            def answers(self, request):
                info = b"\x55\xaa\x11\x0a\x29\x01\x00\x07\x00\x05\x00\x00\x00\x00\x00"
                arrow = b"\x55\xaa\x11\x0a\x2b\x2c\x01\xc8\x00\x0a\x00\x14\x00\x01\x00"
                return super().answers(request)[:1] if request[4] == 0x2C else [info, arrow]

        class TrackerV2(ModuleV2):
            def answers(self, request):
                arrow = b"\x55\xaa\x1d\x81\x0a\x01\x00\x2c\x01\xc8\x00\x0a\x00\x14\x00"
                frames = super().answers(request)
                return frames if request[2] == 0 else [frames[0], arrow]

        for kind in (Tracker, TrackerV2):
            module = kind()
            module.objects = module.objects[:1]
            answer, _ = exchange(on_uart(module))
            self.assertEqual([tuple(seen) for seen in answer.objects], [(UNKNOWN, 300, 200, 10, 20, None)])


class Faults(HuskyLensCase):
    def test_silence_is_a_fault_at_the_time_limit(self):
        for kind, connect in BOTH_BUSES:
            module = kind()
            module.silent = True
            driver = connect(module)
            driver.request(100)
            self.assertIsNone(driver.poll(100 + kind.TIME_LIMIT - 1))
            with self.assertRaises(SensorError) as raised:
                driver.poll(100 + kind.TIME_LIMIT)
            self.assertIn("silent", str(raised.exception))
            self.assertIsNone(driver.poll(9999))

    def test_it_answers_again_after_a_fault(self):
        for kind, connect in BOTH_BUSES:
            module = kind()
            module.silent = True
            driver = connect(module)
            self.fault(driver)
            module.silent = False
            self.assertEqual(len(exchange(driver, 5000)[0].objects), 3)

    def test_an_absent_module_does_not_acknowledge(self):
        for kind in GENERATIONS:
            driver = make_sensor(kind.NAME, I2c({}), kind.SETTINGS)
            self.assertIn("no answer at 0x", self.fault(driver))

    def test_a_stuck_bus_is_named(self):
        for kind in GENERATIONS:
            bus = I2c({kind.ADDRESS: kind()})
            driver = make_sensor(kind.NAME, bus, kind.SETTINGS)
            driver.request(0)
            bus.stuck = True
            with self.assertRaises(SensorError) as raised:
                driver.poll(5)
            self.assertIn("stuck", str(raised.exception))
            bus.stuck = False
            self.assertEqual(len(exchange(driver, 100)[0].objects), 3)

    def test_a_short_write_is_a_fault(self):
        for kind in GENERATIONS:
            module = kind()
            module.acknowledges = 3
            self.assertIn("took 3 of", self.fault(on_i2c(module)))
            for room in (0, 2):
                uart = Uart(kind())
                uart.room = room
                driver = make_sensor(kind.NAME, uart, kind.SETTINGS)
                self.assertIn("took %d of" % room, self.fault(driver))

    def test_an_unplugged_adapter_is_a_fault(self):
        for kind in GENERATIONS:
            uart = Uart(kind())
            driver = make_sensor(kind.NAME, uart, kind.SETTINGS)
            driver.request(0)
            uart.unplugged = True
            with self.assertRaises(SensorError):
                driver.poll(5)

    def test_a_damaged_frame_never_becomes_part_of_an_answer(self):
        # 0 is the answer to the knock, 1 announces the objects 2 to 4.
        for kind, connect in BOTH_BUSES:
            for damaged in range(5):
                module = kind()
                module.spoil = [damaged]
                driver = connect(module)
                self.assertIn("wrong sum", self.fault(driver))
                self.assertEqual([seen.face for seen in exchange(driver, 9000)[0].objects], [2, 3, 6])

    def test_garbage_between_frames_is_passed_by(self):
        for kind, connect in BOTH_BUSES:
            for garbage in (b"\x00", b"\x55", b"\x55\xaa\x55", b"\xaa\x55", b"\xff" * 40):
                module = kind()
                module.before_frames = garbage
                answer, _ = exchange(connect(module))
                self.assertEqual([seen.face for seen in answer.objects], [2, 3, 6], garbage)

    def test_a_false_head_before_frames_makes_no_wrong_answer(self):
        """It may swallow the end of an answer, which is then missing; what is told is right."""
        for kind, connect in BOTH_BUSES:
            for garbage in (b"\x55\xaa\x11\x0a", b"\x55\xaa\x1c\x81\x0a", b"\x55\xaa\x11\x0a\x2a\x01\x00"):
                module = kind()
                module.before_frames = garbage
                try:
                    answer, _ = exchange(connect(module))
                except SensorError:
                    continue
                self.assertEqual([seen.face for seen in answer.objects], [2, 3, 6], garbage)

    def test_endless_garbage_is_a_fault_and_no_endless_loop(self):
        for kind in GENERATIONS:
            module = kind()
            module.silent = True

            class Noise(I2c):
                seed = 1

                def readfrom_into(self, address, buffer):
                    for at in range(len(buffer)):
                        self.seed = self.seed * 75 % 65537
                        buffer[at] = (0x55, 0xAA, 0x11, self.seed & 0xFF)[self.seed >> 3 & 3]

            driver = make_sensor(kind.NAME, Noise({kind.ADDRESS: module}), kind.SETTINGS)
            self.fault(driver)

    def test_a_module_that_has_not_learned_the_seven_classes_is_refused(self):
        for kind, connect in BOTH_BUSES:
            for learned in (0, 6, 8):
                module = kind()
                module.learned = learned
                self.assertIn("learned %d of 7" % learned, self.fault(connect(module)))

    def test_the_second_generation_must_run_the_algorithm_asked_for(self):
        module = ModuleV2()
        module.running = 2
        self.assertIn("half an answer", self.fault(on_i2c(module)))

    def test_a_knock_that_failed_is_no_readiness(self):
        class Refusing(ModuleV2):
            def answers(self, request):
                return [b"\x55\xaa\x1a\x00\x0a\x00\x01" + bytes(8)]

        self.assertIn("half an answer", self.fault(on_i2c(Refusing())))

    def test_the_first_firmware_of_the_second_generation_is_not_understood(self):
        class Older(ModuleV2):
            def answers(self, request):
                return [b"\x55\xaa\x40\x00\x00"]

        self.assertIn("half an answer", self.fault(on_i2c(Older())))

    def test_announced_but_missing_objects_are_no_answer(self):
        for kind, connect in BOTH_BUSES:
            module = kind()
            module.most = 3
            self.assertIn("half an answer", self.fault(connect(module)))


class Requests(HuskyLensCase):
    def test_nothing_is_answered_that_was_not_asked(self):
        for kind, connect in BOTH_BUSES:
            driver = connect(kind())
            self.assertIsNone(driver.poll(0))
            exchange(driver)
            self.assertIsNone(driver.poll(9999))

    def test_a_module_that_was_absent_answers_the_first_request_after_that(self):
        for kind in GENERATIONS:
            module = kind()
            bus = I2c({})
            driver = make_sensor(kind.NAME, bus, kind.SETTINGS)
            for start in (0, 5000, 10000):
                self.fault(driver, start)
            bus.chips[kind.ADDRESS] = module
            self.assertEqual(len(exchange(driver, 20000)[0].objects), 3)

    def test_each_exchange_tells_its_own_fault(self):
        for kind, connect in BOTH_BUSES:
            module = kind()
            module.spoil = [0]
            driver = connect(module)
            self.assertIn("1 frames with a wrong sum", self.fault(driver))
            module.silent = True
            self.assertIn("silent", self.fault(driver, 5000))

    def test_an_answer_to_an_abandoned_request_is_passed_by(self):
        """However far two exchanges had come, and whatever they left unread, the next answer is of now."""
        for kind, connect in BOTH_BUSES:
            for first in range(7):
                for second in range(7):
                    module = kind()
                    driver = connect(module)
                    for start, polls in ((0, first), (100, second)):
                        driver.request(start)
                        for step in range(polls):
                            if driver.poll(start + step) is not None:
                                break
                    module.objects = [(5, 60, 100, 40, 42)]
                    answer, _ = exchange(driver, 1000)
                    self.assertEqual([seen.face for seen in answer.objects], [5], (first, second))


if __name__ == "__main__":
    unittest.main()
