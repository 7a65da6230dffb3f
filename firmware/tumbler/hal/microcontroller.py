"""The back end for boards with MicroPython 1.25 or newer: ports rp2 and esp32, OpenMV's stm32 and mimxrt.

Ports differ in names and abilities: board.json says which pins, and what a port can do is found by asking it,
so that no port is known by name. The output "cover-lock" is the coil that releases the cover: without power
the cover is locked. "status" blinks once a second while the main loop comes round.
"""

from tumbler import drivers
from tumbler.hal import CameraError, StorageDamaged, Uptime, watchdog
from tumbler.hal.drive import Drive
from tumbler.hal.gates import StrokeGates
from tumbler.hal.line import Line, open_uart
from tumbler.hal.pins import Input, Output, Unsupported, made, pin_of
from tumbler.hal.settings import GATES, LAMPS, TILTED

_SENSOR_BUFFER = 512  # bytes of a sensor's UART, each direction
_PROBE = 16  # bytes of entropy that are tried
_MOUNTS = ("/flash", "/")  # where ports mount their flash, the likelier to be it first
_FILE_SYSTEM = "VfsLfs2"
_BLINK_MS = 500


class Port:
    """The modules in which a port offers its hardware."""

    def __init__(self):
        import os
        import time

        import machine
        import vfs

        self.machine = machine
        self.os = os
        self.time = time
        self.vfs = vfs

    def flash(self):
        """The block device of the volume, None where the port gives none."""
        for module, device in (("rp2", lambda rp2: rp2.Flash()), ("flashbdev", lambda esp32: esp32.bdev)):
            try:
                return device(__import__(module))
            except ImportError:
                pass
        return None


class Board:
    """The board interface of tumbler.hal, see there.

    settings: the "hal" section of board.json, checked by hal.settings. Raises Unsupported for what the port
    cannot do, StorageDamaged for flash that is no littlefs, CameraError for a camera that cannot be set up.
    """

    def __init__(self, settings, port=None):
        port = port or Port()
        self._machine = port.machine
        self._time = port.time
        self._uptime = Uptime(self._time.ticks_us())
        self._wire_outputs(settings)
        self._urandom = _generator(port.os)
        self.storage = _storage(port.vfs)
        self.flash = port.flash()
        self._wire_inputs(settings["inputs"])
        uart, buffered = open_uart(self._machine, "hal.uart", settings["uart"])
        direction = settings["uart"].get("direction")
        if direction is not None:
            direction = Output(self._machine, "hal.uart.direction", direction)
        self._line = Line(uart, buffered, settings["uart"]["baud"], self._now_us, direction)
        self._attach_devices(settings)
        self._watchdog = watchdog.Watchdog()
        self._watchdog_ms = settings["watchdog_ms"]

    def _wire_outputs(self, settings):
        """First of all, so that every load is driven to its safe state."""
        outputs = {
            name: Output(self._machine, "hal.outputs." + name, pin)
            for name, pin in settings["outputs"].items()
        }
        self._cover = outputs["cover-lock"]
        self._status = outputs["status"]
        self._lamps = [outputs[name] for name in LAMPS if name in outputs]
        limit_ms = settings["drive_limit_ms"]
        self._drive = Drive(outputs["drive"], settings["drive"], limit_ms, self._machine, self._time)

    def _wire_inputs(self, settings):
        inputs = {name: Input(self._machine, "hal.inputs." + name, pin) for name, pin in settings.items()}
        self._gates = StrokeGates({name: inputs.pop(name) for name in GATES}, self._time.ticks_us)
        self._inputs = inputs

    def _attach_devices(self, settings):
        buses = {}
        for name, bus in settings["buses"].items():
            buses[name] = _open_bus(self._machine, "hal.buses." + name, bus)
        self._accelerometer = _on_bus(drivers.make_accelerometer, buses, settings["accelerometer"])
        self.sensor = None
        self._camera = None
        if "sensor" in settings:
            self.sensor = _on_bus(drivers.make_sensor, buses, settings["sensor"])
        else:
            camera = settings["camera"]
            limit_ms = settings["camera_limit_ms"]
            self._camera = drivers.make_camera(camera["driver"], camera, limit_ms, self.now, self.idle)

    # --- time

    def _now_us(self):
        return self._uptime.advance(self._time.ticks_us())

    def now(self):
        return self._now_us() // 1000

    def idle(self):
        self._drive.poll()
        self._time.sleep_ms(1)
        if self._watchdog.round():
            self._status.set(self.now() // _BLINK_MS & 1)

    def start_watchdog(self):
        self._watchdog.start(self._machine, self._watchdog_ms)

    def restart(self):
        self._drive.stop()
        self._machine.reset()  # pyright: ignore[reportAttributeAccessIssue]  (absent on unix)

    # --- sensors

    def level(self, name):
        self._watchdog.came(watchdog.CHANNELS)
        if name == TILTED:
            return self._accelerometer.tilted()
        return self._inputs[name].active()

    def edges(self):
        self._watchdog.came(watchdog.STROKES)
        return self._gates.edges(self._uptime)

    def vibration(self):
        self._watchdog.came(watchdog.REST)
        self._accelerometer.poll(self.now())
        return self._accelerometer.vibration()

    # --- actuators

    def start_strokes(self, count):
        self._drive.start(count)

    def stop_drive(self):
        self._drive.stop()

    def release_cover(self, released):
        self._cover.set(released)

    def lamp(self, index):
        for lamp in self._lamps:
            lamp.set(False)
        if index is not None:
            self._lamps[index].set(True)
        if self._camera is not None:
            self._camera.lamp_changed()

    # --- camera

    def capture(self, buffer):
        if self._camera is None:
            raise CameraError("this board has none: its sensor module reads the dice")
        self._camera.capture(buffer)

    # --- UART

    def receive(self, buffer):
        self._watchdog.came(watchdog.LINK)
        return self._line.receive(buffer)

    def send(self, data):
        return self._line.send(data)

    # --- the rest of the board

    def entropy(self, n):
        return self._urandom(n)


def _generator(os):
    """The hardware generator's function, tried twice: one that repeats itself makes no keys."""
    try:
        draw = os.urandom
        if draw(_PROBE) != draw(_PROBE):
            return draw
    except (AttributeError, OSError):
        pass
    raise Unsupported("os.urandom gives no random bytes: flash a MicroPython image whose generator works")


def _storage(vfs):
    """The folder of the flash volume; StorageDamaged unless it is littlefs, which survives power cuts."""
    try:
        mounted = {folder: type(volume).__name__ for volume, folder in vfs.mount()}
    except TypeError:
        raise Unsupported("vfs.mount tells no volumes: flash MicroPython 1.25 or newer") from None
    for folder in _MOUNTS:
        if folder in mounted:
            if mounted[folder] != _FILE_SYSTEM:
                found = "%s is %s" % (folder, mounted[folder])
                raise StorageDamaged(found + ", not littlefs: format it as littlefs and provision the board")
            return folder
    raise StorageDamaged("no flash volume is mounted: format it as littlefs and provision the board")


def _open_bus(machine, where, settings):
    if "tx" in settings:
        return open_uart(machine, where, settings, _SENSOR_BUFFER)[0]

    def build(keywords):
        return machine.I2C(settings["id"], **keywords)

    pins = {end: pin_of(machine, "%s.%s" % (where, end), settings[end]) for end in ("scl", "sda")}
    return made(where, build, {"freq": settings["freq"]}, pins)[0]


def _on_bus(make, buses, settings):
    return make(settings["driver"], buses[settings["bus"]], settings)
