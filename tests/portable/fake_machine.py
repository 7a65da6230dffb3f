"""A microcontroller for tests: what the modules machine, time, os and vfs of a MicroPython port offer.

A World has the attributes of hal.microcontroller.Port. Its time passes only in sleep_ms and pass_us, one
event after the other: timers, planned changes of pins, samples of the accelerometer. What ports do
differently is set before the Board is made: hard (interrupts and timers), timer (the id of the one there is),
takes (keywords of UART and I2C).
"""

import sys

from fake_buses import I2c
from test_driver_lis3dh import ADDRESS, Chip

from tumbler.hal.microcontroller import Board

PERIOD = 1 << 30
LOADED: dict = sys.modules
SAMPLE_US = 5000
QUEUE = 8  # MicroPython's queue of scheduled functions
EVERY_KEYWORD = ("baudrate", "timeout", "timeout_char", "rxbuf", "txbuf", "tx", "rx", "freq", "scl", "sda")

# The pins of camera_board().
PINS = {"cover-closed": 0, "cover-open": 1, "dome-closed": 2, "dome-intact": 3, "door-closed": 4}
GATE_PINS = {"stroke-gate": 5, "stroke-top": 6}
COVER_LOCK, DRIVE, STATUS = 20, 21, 26
LAMP_PINS = (22, 23, 24, 25)
WIDTH, HEIGHT = 160, 120
LOW = {"active": "low", "pull": "up"}


def camera_board():
    """A sound section for a board with a camera, anew each time."""
    inputs = list(PINS) + list(GATE_PINS)
    outputs = ("drive", "cover-lock", "status", "lamp0", "lamp1", "lamp2", "lamp3")
    return {
        "uart": {"id": 0, "tx": 40, "rx": 41, "baud": 115200},
        "inputs": {name: dict(LOW, pin=number) for number, name in enumerate(sorted(inputs))},
        "outputs": {
            name: {"pin": 20 + number, "active": "high"} for number, name in enumerate(sorted(outputs))
        },
        "drive": {"on_ms": 12, "period_ms": 350},
        "buses": {"i2c0": {"id": 0, "scl": 42, "sda": 43, "freq": 400000}},
        "accelerometer": {"driver": "lis3dh", "bus": "i2c0", "address": 25, "tilt_deg": 10},
        "camera": {"driver": "openmv", "width": 160, "height": 120, "exposure": 900, "gain": 3},
        "watchdog_ms": 8000,
        "drive_limit_ms": 4000,
        "camera_limit_ms": 2000,
    }


def sensor_board():
    """A sound section for a board with a sensor module on a UART."""
    hal = camera_board()
    del hal["camera"]
    for number in range(4):
        del hal["outputs"]["lamp%d" % number]
    hal["buses"]["uart1"] = {"id": 1, "tx": "A2", "rx": "A3", "baud": 9600}
    hal["sensor"] = {"driver": "huskylens-v1", "bus": "uart1"}
    return hal


class Reset(Exception):
    """The board was reset."""


class VfsLfs2:
    pass


class VfsFat:
    pass


class World:
    """start: how far the tick is; chips: {address: chip} on every I2C bus."""

    def __init__(self, start=PERIOD - 100, chips=None):
        self.us = 0
        self.start = start
        self.hard = True
        self.stalled = False  # the interpreter does not run: soft interrupts wait
        self.step_us = 0  # added to each sleep: what the program's own work takes
        self.timer = -1
        self.longest_watchdog_ms = 8388
        self.takes: list = list(EVERY_KEYWORD)
        self.volumes: list = [(VfsLfs2(), "/")]
        self.draws = 0
        self.chips = chips or {}
        self.shaking_mg = 0
        self.pins = {}
        self.uarts = {}
        self.timers = []
        self.dog = None
        self.waiting = []  # soft interrupts
        self.plan = []  # (time, function)
        self.sampled = 0
        self.machine = Machine(self)
        self.time = Time(self)
        self.os: object = Os(self)
        self.vfs: object = Vfs(self)

    def flash(self):
        return None

    def pin(self, name):
        """The pin's level, as a test sees and sets it."""
        return self.pins[name]

    def later(self, us, function):
        self.plan.append((self.us + us, function))

    def interrupt(self, function, argument):
        if self.hard or not self.stalled:
            function(argument)
        elif len(self.waiting) < QUEUE:
            self.waiting.append((function, argument))

    def run_waiting(self):
        while self.waiting:
            function, argument = self.waiting.pop(0)
            function(argument)

    def pass_us(self, us):
        end = self.us + us
        while True:
            event = self._next_event(end)
            if event is None:
                break
            self.us, function = event
            function()
        self.us = end
        if self.dog is not None and self.us > self.dog.deadline:
            raise Reset("watchdog")

    def _next_event(self, end):
        """The (time, function) of the first event up to `end`."""
        first = None
        if self.sampled + SAMPLE_US <= end and self.chips:
            first = self.sampled + SAMPLE_US, self._sample
        for timer in self.timers:
            if timer.due is not None and timer.due <= end and (first is None or timer.due < first[0]):
                first = timer.due, timer.fire
        for item in self.plan:
            if item[0] <= end and (first is None or item[0] < first[0]):
                first = item
        if first in self.plan:
            self.plan.remove(first)
        return first

    def _sample(self):
        self.sampled = self.us
        away = self.shaking_mg if self.us // SAMPLE_US % 2 else -self.shaking_mg
        for chip in self.chips.values():
            chip.feel(away, 0, 1000)


class Pin:
    IN, OUT, PULL_UP, PULL_DOWN, IRQ_RISING, IRQ_FALLING = "in", "out", "up", "down", 1, 2

    def __init__(self, world, name):
        self._world = world
        self.name = name
        self.level = 1
        self.mode = self.pull = None
        self.levels = []  # an output's, from the moment it is one
        self.changed = None  # called with each new level of an output
        self._handler = None

    def value(self, level=None):
        if level is None:
            return self.level
        if level not in (0, 1):
            raise AssertionError("a level is 0 or 1")
        if level != self.level or not self.levels:
            self.level = level
            self.levels.append(level)
            if self.changed is not None:
                self.changed(level)
        return None

    def irq(self, handler=None, trigger=0, **keywords):
        if keywords and not self._world.hard:
            raise TypeError("extra keyword arguments given")
        if trigger != self.IRQ_RISING | self.IRQ_FALLING:
            raise AssertionError("both edges are wanted")
        self._handler = handler

    def becomes(self, level):
        """The world drives an input."""
        if level != self.level:
            self.level = level
            if self._handler is not None:
                self._world.interrupt(self._handler, self)


class Machine:
    def __init__(self, world):
        self._world = world
        self.Pin = PinType(world)
        self.Timer = TimerType(world)

    def _checked(self, keywords):
        for name in keywords:
            if name not in self._world.takes:
                raise TypeError("extra keyword arguments given")

    def UART(self, number, **keywords):
        self._checked(keywords)
        uart = Uart(self._world, keywords)
        self._world.uarts[number] = uart
        return uart

    def I2C(self, number, **keywords):
        self._checked(keywords)
        return I2c(self._world.chips)

    def WDT(self, timeout):
        if timeout > self._world.longest_watchdog_ms:
            raise ValueError("timeout exceeds %d" % self._world.longest_watchdog_ms)
        self._world.dog = Dog(self._world, timeout)
        return self._world.dog

    def reset(self):
        raise Reset("reset")


class PinType:
    """The class machine.Pin: one object for each pin."""

    IN, OUT, PULL_UP, PULL_DOWN = Pin.IN, Pin.OUT, Pin.PULL_UP, Pin.PULL_DOWN

    def __init__(self, world):
        self._world = world

    def __call__(self, name, mode=None, pull=None, value=None):
        if name == 99:
            raise ValueError("invalid pin")
        pin = self._world.pins.get(name)
        if pin is None:
            pin = self._world.pins[name] = Pin(self._world, name)
        if mode is not None:
            pin.mode, pin.pull = mode, pull
            if mode == Pin.OUT:
                if value is None:
                    raise AssertionError("an output begins with a level of its own")
                pin.levels = []
                pin.value(value)
        return pin


class TimerType:
    PERIODIC, ONE_SHOT = "periodic", "one shot"

    def __init__(self, world):
        self._world = world

    def __call__(self, number):
        if number != self._world.timer:
            raise ValueError("Timer doesn't exist")
        timer = Timer(self._world)
        self._world.timers.append(timer)
        return timer


class Timer:
    def __init__(self, world):
        self._world = world
        self.due = None

    def init(self, mode, period, callback, **keywords):
        self.due = None
        if keywords and not self._world.hard:
            raise ValueError("hard Timers are not implemented")
        if mode != TimerType.PERIODIC:
            raise AssertionError("not used")
        self._period_us = period * 1000
        self._callback = callback
        self.due = self._world.us + self._period_us

    def deinit(self):
        self.due = None

    def fire(self):
        self.due = self._world.us + self._period_us
        self._world.interrupt(self._callback, self)


class Dog:
    def __init__(self, world, timeout_ms):
        self._world = world
        self._timeout_us = timeout_ms * 1000
        self.feed()

    def feed(self):
        self.deadline = self._world.us + self._timeout_us


class Uart:
    """Sends at its speed; what does not fit into the transmit buffer is waited for, as on ESP32."""

    def __init__(self, world, keywords):
        self._world = world
        self.keywords = keywords
        self.arrived = b""
        self.sent = bytearray()
        self.most = None  # bytes a write takes, however many would fit; 0: it returns None
        self.silent = False  # readinto returns None although there is something
        self.waited_us = 0
        self._busy_until = 0

    def any(self):
        return len(self.arrived)

    def readinto(self, buffer, count):
        if self.silent or not self.arrived:
            return None
        count = min(count, len(self.arrived))
        buffer[:count] = self.arrived[:count]
        self.arrived = self.arrived[count:]
        return count

    def write(self, data):
        if not len(data):
            raise AssertionError("nothing to write")
        data = bytes(data) if self.most is None else bytes(data[: self.most])
        if not data:
            return None
        byte_us = 10000000 // self.keywords["baudrate"]
        self._busy_until = max(self._busy_until, self._world.us) + len(data) * byte_us
        room_us = self.keywords.get("txbuf", 0) * byte_us
        self.waited_us = max(self.waited_us, self._busy_until - self._world.us - room_us)
        self.sent += data
        return len(data)


class Time:
    def __init__(self, world):
        self._world = world

    def ticks_us(self):
        return (self._world.us + self._world.start) % PERIOD

    def ticks_ms(self):
        return (self._world.us // 1000 + self._world.start) % PERIOD

    def ticks_add(self, ticks, delta):
        return (ticks + delta) % PERIOD

    def ticks_diff(self, later, earlier):
        return (later - earlier + PERIOD // 2) % PERIOD - PERIOD // 2

    def sleep_ms(self, ms):
        self._world.run_waiting()
        self._world.pass_us(ms * 1000 + self._world.step_us)


class Os:
    def __init__(self, world):
        self._world = world

    def urandom(self, n):
        self._world.draws += 1
        return bytes([self._world.draws % 256] * n)


class Vfs:
    def __init__(self, world):
        self._world = world

    def mount(self):
        return self._world.volumes


class Picture:
    """An image of the module csi: every pixel tells which lamps are lit."""

    def __init__(self, pixel):
        self._pixel = pixel

    def width(self):
        return WIDTH

    def height(self):
        return HEIGHT

    def bytearray(self):
        return bytearray(bytes([self._pixel]) * (WIDTH * HEIGHT))


class Csi:
    """The module csi and its one camera, whose picture was exposed when the one before it was taken.

    dark: it delivers none.
    """

    GRAYSCALE, QQVGA = "grey", (WIDTH, HEIGHT)

    def __init__(self, world):
        self._world = world
        self.dark = False
        self._exposed = Picture(255)

    def CSI(self):
        return self

    def snapshot(self, blocking):
        if self.dark:
            return None
        lit = [number for number, pin in enumerate(LAMP_PINS) if self._world.pin(pin).level]
        shown, self._exposed = self._exposed, Picture(lit[0] if len(lit) == 1 else 255)
        return shown

    def ignore(self, *arguments, **keywords):
        pass

    reset = pixformat = framesize = framebuffers = auto_gain = auto_exposure = ignore


def make_world(start=PERIOD - 100):
    world = World(start, {ADDRESS: Chip()})
    LOADED["csi"] = Csi(world)
    return world


def make_board(world, hal=None):
    """The board of `hal`, by default the one with a camera, in a sound enclosure."""
    board = Board(hal or camera_board(), world)
    for name in ("cover-closed", "dome-closed", "dome-intact", "door-closed"):
        world.pin(PINS[name]).becomes(0)
    world.pin(PINS["cover-open"]).becomes(1)
    for pin in GATE_PINS.values():
        world.pin(pin).becomes(1)
    list(board.edges())
    return board


def pulse(world, channel, at_us, width_us):
    """Plan that the vane covers a gate (its pin goes low) from `at_us` from now on."""
    pin = world.pin(GATE_PINS[channel])
    world.later(at_us, lambda: pin.becomes(0))
    world.later(at_us + width_us, lambda: pin.becomes(1))
