"""The back end for microcontrollers over a made-up port: gates, drive, outputs, line and watchdog."""

import unittest

from fake_machine import (
    COVER_LOCK,
    DRIVE,
    GATE_PINS,
    HEIGHT,
    LAMP_PINS,
    LOADED,
    PERIOD,
    PINS,
    STATUS,
    WIDTH,
    Reset,
    VfsFat,
    VfsLfs2,
    camera_board,
    make_board,
    make_world,
    pulse,
    sensor_board,
)

from tumbler.hal import CameraError, SensorError, StorageDamaged, Uptime
from tumbler.hal.drive import Drive
from tumbler.hal.gates import GateOverrun, StrokeGates
from tumbler.hal.microcontroller import Board
from tumbler.hal.pins import Input, Output, Unsupported

GATE, TOP = "stroke-gate", "stroke-top"
START_ANYWHERE = (0, PERIOD - 100, PERIOD // 2)


class MicrocontrollerCase(unittest.TestCase):
    def tearDown(self):
        LOADED.pop("csi", None)


class Gates(MicrocontrollerCase):
    def test_edges_come_with_their_times_whenever_the_tick_wraps(self):
        for start_tick in START_ANYWHERE:
            world = make_world(start_tick)
            world.chips.clear()
            board = make_board(world)
            for _ in range(3):
                began = world.us
                pulse(world, GATE, 20, 19000)
                pulse(world, TOP, 2020, 15000)
                world.pass_us(40000)
                expected = [(GATE, True, 20), (TOP, True, 2020), (TOP, False, 17020), (GATE, False, 19020)]
                found = [(channel, level, t_us - began) for channel, level, t_us in board.edges()]
                self.assertEqual(found, expected)
                world.pass_us(900 * 1000 * 1000)  # more than half of the tick's period
            self.assertEqual(board.now(), world.us // 1000)

    def test_ten_thousand_seconds_are_counted(self):
        world = make_world()
        world.chips.clear()
        board = make_board(world)
        for _ in range(100):
            world.pass_us(100 * 1000 * 1000)
            board.now()
        self.assertEqual(board.now(), 10000 * 1000)

    def test_a_gate_covered_at_power_on_is_told(self):
        world = make_world()
        board = Board(camera_board(), world)
        for pin in GATE_PINS.values():
            world.pin(pin).becomes(1)
        world.pin(GATE_PINS[TOP]).becomes(0)
        self.assertEqual([edge[:2] for edge in board.edges()][-1], (TOP, True))

    def test_bouncing_at_1_khz_is_counted_edge_by_edge(self):
        world = make_world()
        board = make_board(world)
        for bounce in range(100):
            pulse(world, GATE, bounce * 1000, 500)
        world.pass_us(101000)
        edges = list(board.edges())
        self.assertEqual(len(edges), 200)
        self.assertEqual([level for _, level, _ in edges], [True, False] * 100)
        times = [t_us for _, _, t_us in edges]
        self.assertEqual(times, sorted(times))

    def test_what_does_not_fit_is_told_and_the_level_is_right_again(self):
        for odd in (0, 1):
            world = make_world()
            board = make_board(world)
            pin = world.pin(GATE_PINS[GATE])
            for edge in range(400 + odd):
                pin.becomes(edge & 1)
                world.pass_us(500)
            edges = []
            with self.assertRaises(GateOverrun) as raised:
                for edge in board.edges():
                    edges.append(edge)
            self.assertIn(str(400 + odd - 255), str(raised.exception))
            self.assertEqual(edges[-1][1], bool(odd))
            self.assertEqual(list(board.edges()), [])
            pin.becomes(1 - pin.level)
            self.assertEqual([level for _, level, _ in board.edges()], [not odd])

    def test_soft_interrupts_that_were_lost_leave_no_gate_out_of_step(self):
        for edges in range(1, 24):
            world = make_world()
            world.hard = False
            world.timer = 0
            board = make_board(world)
            pin = world.pin(GATE_PINS[GATE])
            world.stalled = True
            for edge in range(edges):
                pin.becomes(edge & 1)
                world.pass_us(1000)
            world.stalled = False
            world.run_waiting()
            told = list(board.edges())
            self.assertTrue(told)
            self.assertEqual(told[-1][1], pin.level == 0)

    def test_an_edge_while_the_levels_are_compared_is_told_once_and_in_order(self):
        port = LeanPort()
        settings = {"pin": 1, "active": "high", "pull": "up"}
        inputs = {channel: Input(port, channel, settings) for channel in (GATE, TOP)}
        gates = StrokeGates(inputs, port.ticks_us)
        uptime = Uptime(port.now)
        pin = inputs[GATE].pin
        for level in (True, False, True):
            pin.upcoming = int(level)  # the edge comes when the level is read
            edges = list(gates.edges(uptime))
            port.now += 10
            edges += list(gates.edges(uptime))
            self.assertEqual(edges, [(GATE, level, port.now - 1010)])


class LeanPin:
    """A pin whose methods allocate nothing."""

    IN, OUT, PULL_UP, IRQ_RISING, IRQ_FALLING = 0, 1, 2, 1, 2

    def __init__(self, name, mode, pull=None, value=0):
        self.level = value
        self.upcoming = None  # a level that comes in the very moment in which it is read

    def value(self, level=None):
        if level is None:
            if self.upcoming is not None:
                self.level, self.upcoming = self.upcoming, None
                self.handler(self)
            return self.level
        self.level = level
        return None

    def irq(self, handler, trigger, hard):
        self.handler = handler


class LeanTimer:
    PERIODIC = 1

    def __init__(self, number):
        pass

    def init(self, mode, period, callback, hard):
        self.fire = callback

    def deinit(self):
        pass


class LeanPort:
    """The modules machine and time in one, with a clock that the test sets."""

    Pin, Timer = LeanPin, LeanTimer
    now = 1000

    def ticks_us(self):
        return self.now

    ticks_ms = ticks_us

    def ticks_add(self, ticks, delta):
        return ticks + delta

    def ticks_diff(self, later, earlier):
        return later - earlier


class Interrupts(unittest.TestCase):
    """What runs in hard interrupts allocates nothing."""

    def without_allocation(self, function, argument):
        try:
            from micropython import heap_lock, heap_unlock  # pyright: ignore[reportAttributeAccessIssue]
        except ImportError:
            self.skipTest("only MicroPython can lock its heap")
        heap_lock()
        try:
            function(argument)
        finally:
            heap_unlock()

    def test_an_edge(self):
        port = LeanPort()
        settings = {"pin": 1, "active": "low", "pull": "up"}
        inputs = {channel: Input(port, channel, settings) for channel in (GATE, TOP)}
        gates = StrokeGates(inputs, port.ticks_us)
        uptime = Uptime(0)
        pin = inputs[TOP].pin
        pin.level = 1
        list(gates.edges(uptime))
        for edge in range(300):
            pin.level = edge & 1
            self.without_allocation(pin.handler, pin)
        with self.assertRaises(GateOverrun):
            for _, level, _ in gates.edges(uptime):
                self.assertTrue(level in (True, False))

    def test_a_tick_of_the_drive(self):
        port = LeanPort()
        output = Output(port, "drive", {"pin": 1, "active": "high"})
        drive = Drive(output, {"on_ms": 12, "period_ms": 350}, 4000, port, port)
        drive.start(2)
        pulses = 0
        for _ in range(1000):
            before = output._pin.level
            self.without_allocation(drive._timer.fire, drive._timer)
            pulses += output._pin.level > before
            port.now += 3
        self.assertEqual((pulses, output._pin.level), (2, 0))


class DriveOutput(MicrocontrollerCase):
    def rises(self, world, board, ms):
        """Idle for so long; returns the lengths of the drive's pulses in ms, and the times they began."""
        began, lengths = [], []

        def changed(level):
            if level:
                began.append(world.us)
            elif began:
                lengths.append((world.us - began[-1]) // 1000)

        world.pin(DRIVE).changed = changed
        end = world.us + ms * 1000
        while world.us < end:
            board.idle()
        return lengths, began

    def test_pulses_are_counted_and_have_their_length_and_distance(self):
        for hard, timer in ((True, -1), (False, 0)):
            for start_tick in START_ANYWHERE:
                world = make_world(start_tick)
                world.hard, world.timer = hard, timer
                board = make_board(world)
                board.start_strokes(4)
                lengths, began = self.rises(world, board, 2000)
                self.assertEqual(len(lengths), 4)
                for length in lengths:
                    self.assertTrue(12 <= length <= 15, length)
                for first, second in zip(began, began[1:]):  # noqa: RUF007  (MicroPython has no pairwise)
                    self.assertTrue(350000 <= second - first <= 353000, second - first)
                self.assertEqual(world.pin(DRIVE).level, 0)
                self.assertIsNone(world.timers[0].due)

    def test_a_hanging_controller_cannot_keep_it_running(self):
        world = make_world()
        world.chips.clear()
        board = make_board(world)
        board.start_strokes(100)
        world.pass_us(60 * 1000 * 1000)
        pin = world.pin(DRIVE)
        self.assertEqual(pin.level, 0)
        self.assertTrue(10 <= pin.levels.count(1) <= 12, pin.levels)  # 4 s of 100 strokes' 35 s

    def test_a_pulse_under_way_at_the_limit_ends(self):
        for limit_ms in range(1050, 1080):
            world = make_world()
            world.chips.clear()
            hal = camera_board()
            hal["drive_limit_ms"] = limit_ms
            board = make_board(world, hal)
            board.start_strokes(10)
            world.pass_us((limit_ms + 4) * 1000)
            pin = world.pin(DRIVE)
            self.assertEqual(pin.level, 0)
            world.pass_us(3000000)
            self.assertTrue(pin.levels.count(1) <= 4)

    def test_a_pulse_ends_when_the_controller_hangs_in_the_middle_of_it(self):
        world = make_world()
        board = make_board(world)
        board.start_strokes(1)
        world.pass_us(5000)
        self.assertEqual(world.pin(DRIVE).level, 1)
        world.pass_us(15000)
        self.assertEqual(world.pin(DRIVE).level, 0)

    def test_without_its_timer_the_drive_ends_at_the_limit(self):
        world = make_world()
        board = make_board(world)
        board.start_strokes(4)
        world.pass_us(5000)
        for timer in world.timers:
            timer.fire = lambda: None  # the timer died while the drive was on
            timer.due = None
        self.assertEqual(world.pin(DRIVE).level, 1)
        self.rises(world, board, 3990)
        self.rises(world, board, 20)
        self.assertEqual(world.pin(DRIVE).level, 0)

    def test_it_stops_at_once(self):
        world = make_world()
        board = make_board(world)
        board.start_strokes(4)
        world.pass_us(5000)
        board.stop_drive()
        self.assertEqual(world.pin(DRIVE).level, 0)
        world.pass_us(3000000)
        self.assertEqual(world.pin(DRIVE).levels.count(1), 1)

    def test_a_late_interrupt_after_the_stop_changes_nothing(self):
        world = make_world()
        world.hard, world.timer = False, 0
        board = make_board(world)
        board.start_strokes(4)
        world.stalled = True
        world.pass_us(4000)
        board.stop_drive()
        world.stalled = False
        world.run_waiting()
        self.assertEqual(world.pin(DRIVE).levels.count(1), 0)

    def test_a_new_run_begins_anew(self):
        world = make_world()
        board = make_board(world)
        board.start_strokes(4)
        world.pass_us(700000)
        board.start_strokes(3)
        lengths, _ = self.rises(world, board, 3000)
        self.assertEqual(len(lengths), 3)


class Outputs(MicrocontrollerCase):
    def test_every_load_is_off_from_the_first_moment(self):
        for active, off in (("high", 0), ("low", 1)):
            world = make_world()
            hal = camera_board()
            for output in hal["outputs"].values():
                output["active"] = active
            Board(hal, world)
            for output in hal["outputs"].values():
                self.assertEqual(world.pin(output["pin"]).levels, [off])

    def test_loads_are_safe_even_when_the_board_is_refused(self):
        world = make_world()
        world.volumes = []
        with self.assertRaises(StorageDamaged):
            Board(camera_board(), world)
        self.assertEqual(world.pin(DRIVE).levels, [0])
        self.assertEqual(world.pin(COVER_LOCK).levels, [0])

    def test_never_two_lamps(self):
        world = make_world()
        board = make_board(world)

        def check(level):
            self.assertTrue(sum([world.pin(pin).level for pin in LAMP_PINS]) <= 1)

        for pin in LAMP_PINS:
            world.pin(pin).changed = check
        for index in (0, 3, 1, 1, 2, None, 2, 0, None):
            board.lamp(index)
            lit = [number for number, pin in enumerate(LAMP_PINS) if world.pin(pin).level]
            self.assertEqual(lit, [] if index is None else [index])

    def test_the_cover_is_locked_without_power_at_its_coil(self):
        world = make_world()
        board = make_board(world)
        board.release_cover(True)
        self.assertEqual(world.pin(COVER_LOCK).level, 1)
        board.release_cover(False)
        self.assertEqual(world.pin(COVER_LOCK).level, 0)

    def test_channels_say_what_their_names_say(self):
        world = make_world()
        hal = camera_board()
        hal["inputs"]["door-closed"] = {"pin": PINS["door-closed"], "active": "high", "pull": "none"}
        board = make_board(world, hal)
        self.assertEqual(world.pin(PINS["door-closed"]).pull, None)
        self.assertEqual(world.pin(PINS["dome-closed"]).pull, "up")
        self.assertFalse(board.level("door-closed"))
        self.assertTrue(board.level("dome-closed"))
        world.pin(PINS["door-closed"]).becomes(1)
        world.pin(PINS["dome-closed"]).becomes(1)
        self.assertTrue(board.level("door-closed"))
        self.assertFalse(board.level("dome-closed"))

    def test_a_restart_stops_the_drive_first(self):
        world = make_world()
        board = make_board(world)
        board.start_strokes(4)
        world.pass_us(5000)
        with self.assertRaises(Reset):
            board.restart()
        self.assertEqual(world.pin(DRIVE).level, 0)


class HostLine(MicrocontrollerCase):
    def test_ports_get_the_keywords_they_know(self):
        for lacking, known in (
            ((), ("rxbuf", "txbuf", "tx", "rx")),
            (("tx", "rx", "scl", "sda"), ("rxbuf", "txbuf")),
            (("tx", "rx", "scl", "sda", "txbuf"), ("rxbuf",)),
            (("tx", "rx", "scl", "sda", "txbuf", "rxbuf"), ()),
        ):
            world = make_world()
            world.takes = [name for name in world.takes if name not in lacking]
            make_board(world)
            keywords = world.uarts[0].keywords
            self.assertEqual(keywords["timeout"], 0)
            self.assertEqual(keywords["baudrate"], 115200)
            for name in ("rxbuf", "txbuf", "tx", "rx"):
                self.assertEqual(name in keywords, name in known)

    def test_all_arrives_in_order_and_no_write_waits(self):
        message = bytes([number % 251 for number in range(6000)])
        for lacking, longest_us in (((), 0), (("txbuf", "tx", "rx"), 3000)):
            for most in (None, 7):
                world = make_world()
                world.takes = [name for name in world.takes if name not in lacking]
                board = make_board(world)
                uart = world.uarts[0]
                uart.most = most
                left = memoryview(message)
                while left:
                    left = left[board.send(left) :]
                    world.pass_us(1000)
                self.assertEqual(bytes(uart.sent), message)
                self.assertTrue(uart.waited_us <= longest_us, uart.waited_us)
                self.assertTrue(world.us < 4000000 or most or lacking, world.us)

    def test_a_full_transmit_buffer_takes_nothing_until_some_of_it_has_left(self):
        world = make_world()
        board = make_board(world)
        taken = 1
        while taken:
            taken = board.send(b"x" * 100)
        self.assertEqual(len(world.uarts[0].sent), 1024)
        world.pass_us(1000)
        self.assertEqual(board.send(b"x" * 100), 11)  # of 115200 baud in a millisecond

    def test_a_shared_line_is_driven_as_long_as_bytes_leave_and_no_longer(self):
        world = make_world()
        hal = camera_board()
        hal["uart"]["direction"] = {"pin": 50, "active": "high"}
        board = make_board(world, hal)
        direction = world.pin(50)
        self.assertEqual(direction.level, 0)
        buffer = bytearray(8)
        for _ in range(2):
            self.assertEqual(board.send(b"x" * 115), 115)
            for ms in range(12):  # 115 bytes and two more take 10.2 ms
                board.receive(buffer)
                self.assertEqual((ms, direction.level), (ms, 1 if ms <= 10 else 0))
                world.pass_us(1000)

    def test_a_port_that_takes_nothing_is_no_error(self):
        world = make_world()
        board = make_board(world)
        world.uarts[0].most = 0
        self.assertEqual(board.send(b"hello"), 0)
        world.uarts[0].most = None
        self.assertEqual(board.send(b"hello"), 5)

    def test_input_comes_in_pieces_and_none_is_nothing(self):
        world = make_world()
        board = make_board(world)
        uart = world.uarts[0]
        buffer = bytearray(8)
        self.assertEqual(board.receive(buffer), 0)
        uart.arrived = b"0123456789"
        uart.silent = True
        self.assertEqual(board.receive(buffer), 0)
        uart.silent = False
        self.assertEqual((board.receive(buffer), bytes(buffer)), (8, b"01234567"))
        self.assertEqual((board.receive(buffer), bytes(buffer[:2])), (2, b"89"))


class Refusals(MicrocontrollerCase):
    def refused(self, kind, world, hal=None):
        with self.assertRaises(kind) as raised:
            Board(hal or camera_board(), world)
        return str(raised.exception)

    def test_flash_that_is_not_littlefs(self):
        world = make_world()
        world.volumes = [(VfsFat(), "/flash"), (VfsLfs2(), "/")]
        self.assertIn("/flash is VfsFat", self.refused(StorageDamaged, world))
        world.volumes = [(VfsFat(), "/sd")]
        self.assertIn("no flash volume", self.refused(StorageDamaged, world))

    def test_the_flash_is_found_where_ports_mount_it(self):
        for folder in ("/", "/flash"):
            world = make_world()
            world.volumes = [(VfsFat(), "/sd"), (VfsLfs2(), folder)]
            self.assertEqual(Board(camera_board(), world).storage, folder)

    def test_a_generator_that_fails_or_repeats_itself(self):
        def failing(n):
            raise OSError("RNG failed")

        class Generator:
            def __init__(self, urandom):
                self.urandom = urandom

        for os in (Generator(failing), Generator(lambda n: b"7" * n), object()):
            world = make_world()
            world.os = os
            self.assertIn("os.urandom", self.refused(Unsupported, world))

    def test_a_port_too_old_to_tell_its_volumes(self):
        class OldVfs:
            def mount(self, device, folder):
                return None

        world = make_world()
        world.vfs = OldVfs()
        self.assertIn("1.25", self.refused(Unsupported, world))

    def test_pins_the_port_lacks_are_named(self):
        for path in (("inputs", "door-closed", "pin"), ("outputs", "drive", "pin"), ("uart", "tx")):
            hal = camera_board()
            table = hal
            for name in path[:-1]:
                table = table[name]
            table[path[-1]] = 99
            text = self.refused(Unsupported, make_world(), hal)
            self.assertIn("99", text)
            self.assertIn(path[-2], text)

    def test_a_camera_that_is_not_there(self):
        world = make_world()
        del LOADED["csi"]
        self.assertIn("csi", self.refused(CameraError, world))

    def test_a_watchdog_beyond_the_port_s_reach(self):
        world = make_world()
        hal = camera_board()
        hal["watchdog_ms"] = 9000
        board = make_board(world, hal)
        with self.assertRaises(Unsupported) as raised:
            board.start_watchdog()
        self.assertIn("hal.watchdog_ms: 9000", str(raised.exception))

    def test_a_port_without_a_watchdog(self):
        world = make_world()
        board = make_board(world)

        def missing(timeout):
            raise AttributeError("WDT")

        world.machine.WDT = missing
        with self.assertRaises(Unsupported):
            board.start_watchdog()


class Devices(MicrocontrollerCase):
    def test_vibration_and_tilt_come_from_the_accelerometer(self):
        world = make_world()
        board = make_board(world)
        for _ in range(300):
            board.idle()
            board.vibration()
        self.assertTrue(board.vibration() < 60)
        self.assertFalse(board.level("tilted"))
        world.shaking_mg = 500
        for _ in range(20):
            board.idle()
        self.assertTrue(board.vibration() > 400)

    def test_a_silent_accelerometer_is_no_stillness(self):
        world = make_world()
        board = make_board(world)
        board.vibration()
        world.chips.clear()
        with self.assertRaises(SensorError):
            board.vibration()

    def test_a_board_with_a_sensor_module_has_its_driver_and_no_camera(self):
        for name in ("uart", "i2c"):
            world = make_world()
            hal = sensor_board()
            if name == "i2c":
                hal["sensor"] = {"driver": "huskylens-v2", "bus": "i2c0", "address": 80, "algorithm": 128}
            board = make_board(world, hal)
            self.assertTrue(hasattr(board.sensor, "request"))
            with self.assertRaises(CameraError):
                board.capture(bytearray(4))
            board.lamp(None)

    def test_frames_are_taken_under_the_lamp_that_is_lit(self):
        world = make_world()
        board = make_board(world)
        frame = bytearray(WIDTH * HEIGHT)
        for lamp in range(4):
            board.lamp(lamp)
            board.capture(frame)
            self.assertEqual(set(frame), {lamp})

    def test_a_camera_without_pictures_fails_in_time(self):
        world = make_world()
        board = make_board(world)
        LOADED["csi"].dark = True
        began = world.us
        with self.assertRaises(CameraError):
            board.capture(bytearray(WIDTH * HEIGHT))
        self.assertTrue(world.us - began < 2100000)


class Dogs(MicrocontrollerCase):
    def come_round(self, board, leave_out=None):
        if leave_out != "receive":
            board.receive(bytearray(8))
        if leave_out != "edges":
            list(board.edges())
        if leave_out != "level":
            board.level("dome-closed")
        if leave_out != "vibration":
            board.vibration()
        if leave_out != "idle":
            board.idle()

    def test_it_is_fed_while_the_loop_comes_round(self):
        world = make_world()
        board = make_board(world)
        board.start_watchdog()
        while world.us < 20000000:
            world.pass_us(50000)
            self.come_round(board)

    def test_it_resets_the_board_when_a_part_no_longer_comes(self):
        for part in ("receive", "edges", "level", "vibration", "idle"):
            world = make_world()
            board = make_board(world)
            board.start_watchdog()
            self.come_round(board)
            with self.assertRaises(Reset):
                while world.us < 20000000:
                    world.pass_us(50000)
                    self.come_round(board, part)
            self.assertTrue(8000000 < world.us < 8200000, world.us)

    def test_waiting_for_a_frame_does_not_feed_it(self):
        world = make_world()
        hal = camera_board()
        hal["camera_limit_ms"] = 10000
        board = make_board(world, hal)
        board.start_watchdog()
        self.come_round(board)
        LOADED["csi"].dark = True
        with self.assertRaises(Reset):
            board.capture(bytearray(WIDTH * HEIGHT))

    def test_it_does_not_run_before_it_is_started(self):
        world = make_world()
        world.chips.clear()
        make_board(world)
        world.pass_us(60000000)

    def test_the_status_light_blinks_only_while_the_loop_comes_round(self):
        world = make_world()
        board = make_board(world)
        while world.us < 5000000:
            world.pass_us(50000)
            self.come_round(board)
        blinks = len(world.pin(STATUS).levels)
        self.assertTrue(9 <= blinks <= 11, blinks)
        while world.us < 10000000:
            world.pass_us(50000)
            self.come_round(board, "edges")
        self.assertEqual(len(world.pin(STATUS).levels), blinks)


if __name__ == "__main__":
    unittest.main()
