# pyright: reportMissingImports=false, reportAttributeAccessIssue=false, reportArgumentType=false
# (this runs on CPython, the firmware is checked as MicroPython)
"""Back end for CPython with Adafruit Blinka: the pins of a desktop, real ones or those a tester drives.

The pins are used as Blinka users expect: `digitalio` for levels, `analogio` for the vibration sensor, `busio`
for an accelerometer. A desk (see tumbler.hal.desktop) gives what Blinka lacks or does
differently from desktop to desktop: pins by name, edges as they happen where it can tell them, a clock, a
UART, a camera.

For testers: a desktop's keys and records prove nothing.
"""

import sys
import traceback

import analogio
import busio
import digitalio

from tumbler.drivers import make_accelerometer
from tumbler.hal import CameraError

_PULLS = {"up": digitalio.Pull.UP, "down": digitalio.Pull.DOWN, "none": None}
_GATES = ("stroke-gate", "stroke-top")
_FULL_SCALE = 65535  # of AnalogIn.value

if not hasattr(sys, "print_exception"):  # MicroPython has it
    sys.print_exception = traceback.print_exception


class _Input:
    """A line that reads True while what its name says is so."""

    def __init__(self, pin, wiring):
        self._line = digitalio.DigitalInOut(pin)
        self._line.switch_to_input(pull=_PULLS[wiring["pull"]])
        self.active = wiring["active"] == "high"

    def level(self):
        return self._line.value is self.active


class _Output:
    """A line that is off until it is set. Blinka does not read outputs back, so nobody asks it."""

    def __init__(self, pin, wiring):
        self._active = wiring["active"] == "high"
        self._line = digitalio.DigitalInOut(pin)
        self._line.switch_to_output(value=not self._active)

    def set(self, on):
        self._line.value = on is self._active


class _Gate:
    """A stroke gate. Where the desk tells no edges, a level that has changed since the last look is one."""

    def __init__(self, name, line, edges):
        self._name = name
        self._line = line
        self._edges = edges
        self._level = False

    def changed(self, level, t_us):
        """The pin's electrical level is now `level`."""
        self._take(level is self._line.active, t_us)

    def look(self, t_us):
        self._take(self._line.level(), t_us)

    def _take(self, level, t_us):
        if level is not self._level:
            self._level = level
            self._edges.append((self._name, level, t_us))


class _Drive:
    """Pulses of `on_ms` every `period_ms`, and never for longer than the limit."""

    def __init__(self, line, settings, limit_ms):
        self._line = line
        self._on_us = settings["on_ms"] * 1000
        self._period_us = settings["period_ms"] * 1000
        self._limit_us = limit_ms * 1000
        self._started_us = None
        self._count = 0

    def start(self, count, now_us):
        self._count = count
        self._started_us = now_us
        self.serve(now_us)

    def stop(self):
        self._started_us = None
        self._line.set(False)

    def serve(self, now_us):
        if self._started_us is None:
            return
        run_us = now_us - self._started_us
        if run_us >= self._limit_us or run_us // self._period_us >= self._count:
            self.stop()
        else:
            self._line.set(run_us % self._period_us < self._on_us)


class _AnalogVibration:
    """A sensor whose voltage is the vibration: "full_scale_mg" at the converter's reference."""

    def __init__(self, pin, full_scale_mg):
        self._input = analogio.AnalogIn(pin)
        self._full_scale_mg = full_scale_mg
        self._peak = 0  # as converted

    def look(self):
        self._peak = max(self._peak, self._input.value)

    def tilted(self):
        raise KeyError("tilted")  # board.json must give it a pin

    def peak(self, now):
        self.look()
        peak, self._peak = self._peak, 0
        return peak * self._full_scale_mg // _FULL_SCALE


class I2cBus:
    """The methods of machine.I2C that the drivers use, on a busio.I2C."""

    def __init__(self, i2c):
        self._i2c = i2c

    def readfrom_into(self, address, buffer):
        with _Locked(self._i2c):
            self._i2c.readfrom_into(address, buffer)

    def readfrom_mem_into(self, address, register, buffer):
        with _Locked(self._i2c):
            self._i2c.writeto_then_readfrom(address, bytes([register]), buffer)

    def writeto(self, address, data):
        with _Locked(self._i2c):
            self._i2c.writeto(address, data)
        return len(data)

    def writeto_mem(self, address, register, data):
        with _Locked(self._i2c):
            self._i2c.writeto(address, bytes([register]) + data)


class _Locked:
    """busio wants its bus locked around each transfer."""

    def __init__(self, i2c):
        self._i2c = i2c

    def __enter__(self):
        while not self._i2c.try_lock():
            pass

    def __exit__(self, kind, error, trace):
        self._i2c.unlock()


class _AccelerometerVibration:
    """An accelerometer on the bus, which keeps what happens between two looks."""

    def __init__(self, accelerometer):
        self._accelerometer = accelerometer
        self.tilted = accelerometer.tilted

    def look(self):
        pass

    def peak(self, now):
        self._accelerometer.poll(now)
        return self._accelerometer.vibration()


def _vibration(config, desk):
    """The one vibration sensor that the board file names."""
    if "vibration" in config:
        settings = config["vibration"]
        return _AnalogVibration(desk.pin(settings["pin"]), settings["full_scale_mg"])
    settings = config["accelerometer"]
    wiring = config["buses"][settings["bus"]]
    bus = busio.I2C(desk.pin(wiring["scl"]), desk.pin(wiring["sda"]), frequency=wiring["freq"])
    return _AccelerometerVibration(make_accelerometer(settings["driver"], I2cBus(bus), settings))


class Board:
    """The board interface of tumbler.hal, see there.

    `config`: "hal" of board.json; `desk`: what is around the pins, by default this desktop's real ones.
    """

    def __init__(self, config, desk=None):
        if desk is None:
            from tumbler.hal.desktop import Desktop

            desk = Desktop()
        self._desk = desk
        self.storage = desk.storage
        self.flash = None
        self.entropy = desk.entropy
        self.receive = desk.line.receive
        self.send = desk.line.send
        self._boot_us = desk.now_us()
        self._camera_limit_us = config["camera_limit_ms"] * 1000
        self._inputs = {name: _Input(desk.pin(w["pin"]), w) for name, w in config["inputs"].items()}
        outputs = {name: _Output(desk.pin(w["pin"]), w) for name, w in config["outputs"].items()}
        self._lamps = [outputs[name] for name in sorted(outputs) if name.startswith("lamp")]
        self._lock = outputs["cover-lock"]
        self._drive = _Drive(outputs["drive"], config["drive"], config["drive_limit_ms"])
        self._vibration = _vibration(config, desk)
        self._edges = []
        self._unwatched = []
        for name in _GATES:
            self._set_up_gate(name, config["inputs"][name]["pin"])
        outputs["status"].set(True)

    def _set_up_gate(self, name, pin):
        gate = _Gate(name, self._inputs[name], self._edges)
        gate.look(0)
        if not self._desk.watch(pin, lambda level, at_us: gate.changed(level, at_us - self._boot_us)):
            self._unwatched.append(gate)

    # --- time

    def _now_us(self):
        return self._desk.now_us() - self._boot_us

    def now(self):
        return self._now_us() // 1000

    def idle(self):
        self._desk.idle()
        now_us = self._now_us()
        for gate in self._unwatched:
            gate.look(now_us)
        self._vibration.look()
        self._drive.serve(now_us)

    # --- sensors

    def level(self, name):
        if name in self._inputs:
            return self._inputs[name].level()
        return self._vibration.tilted()

    def edges(self):
        edges = self._edges[:]
        self._edges.clear()
        return iter(edges)

    def vibration(self):
        return self._vibration.peak(self.now())

    # --- actuators

    def start_strokes(self, count):
        self._drive.start(count, self._now_us())

    def stop_drive(self):
        self._drive.stop()
        self._desk.drive_stopped()

    def release_cover(self, released):
        self._lock.set(bool(released))

    def lamp(self, index):
        for number, lamp in enumerate(self._lamps):
            if number != index:
                lamp.set(False)
        if index is not None:
            self._lamps[index].set(True)

    # --- camera

    def capture(self, buffer):
        until_us = self._now_us() + self._camera_limit_us
        self._desk.expose(len(buffer))
        frame = self._desk.frame()
        while frame is None:
            if self._now_us() >= until_us:
                self._desk.expose(0)
                raise CameraError("no frame within " + str(self._camera_limit_us // 1000) + " ms")
            self.idle()
            frame = self._desk.frame()
        if len(frame) != len(buffer):
            raise CameraError("a frame of " + str(len(frame)) + " bytes instead of " + str(len(buffer)))
        buffer[:] = frame

    # --- the rest of the board

    def start_watchdog(self):
        """A desktop has none: whoever sits at it sees that it hangs."""

    def restart(self):
        self._desk.restart()
