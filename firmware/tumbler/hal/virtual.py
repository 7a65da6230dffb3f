"""The virtual board's back end: MicroPython's unix port, with a plant process as the world around it.

The process inherits two open files by number: the UART (a pseudo-terminal, TUMBLER_UART) and the plant
channel (a socket, TUMBLER_PLANT). The plant owns time: it grants a few milliseconds at a time, and only after
the board has said that it is idle, so a slow machine never makes the board late. Messages are lines of JSON:

board to plant: {"start": 1}  {"idle": 1}  {"strokes": n}  {"drive": 0}  {"cover": bool}  {"lamp": n or null}
                {"capture": bytes}  {"restart": 1}  {"watchdog": ms}
plant to board: {"t": raw_us, "levels": {name: bool}, "edges": [[channel, level, raw_us]], "vibration": mg}
                {"frame": n} and then n raw bytes

The watchdog runs on the plant's time while that passes; whoever started the process also resets a board that
lets none pass for so long after {"watchdog": ms}.

start, idle and capture hand the turn to the plant, which answers with one message: a grant of time (with
"start" in it for the first one) or, while a capture is wanted, the frame. {"capture": 0} gives a capture up.
"""

import errno
import hashlib
import json
import os
import time

import vfs

from tumbler.hal import CameraError, StorageDamaged, Uptime, watchdog

STORAGE = "/flash"
BLOCK = 4096
# As on RP2: littlefs reads and programs whole flash pages.
PAGE = 256
_ERASED = b"\xff" * BLOCK

_files = {}  # by the variable that tells their number
_drawn = [0]  # how often a seeded board has drawn entropy


class FlashImage:
    """NOR flash in a file, by the extended block protocol: erasing sets bits, programming clears them."""

    def __init__(self, path):
        self._file = open(path, "r+b")  # noqa: SIM115  (open for the life of the process)
        self._blocks = self._file.seek(0, 2) // BLOCK
        self._old = bytearray(BLOCK)

    def readblocks(self, block, buffer, offset=0):
        self._file.seek(block * BLOCK + offset)
        self._file.readinto(buffer)

    def writeblocks(self, block, buffer, offset=0):
        old = memoryview(self._old)[: len(buffer)]
        self.readblocks(block, old, offset)
        if old != _ERASED[: len(buffer)]:
            for i in range(len(buffer)):
                old[i] &= buffer[i]
            buffer = old
        self._file.seek(block * BLOCK + offset)
        self._file.write(buffer)

    def ioctl(self, operation, argument):
        if operation == 4:
            return self._blocks
        if operation == 5:
            return BLOCK
        if operation == 6:
            self._file.seek(argument * BLOCK)
            self._file.write(_ERASED)
        return 0


def format_flash(path):
    """Make an empty volume in the flash image at `path`; every file on it is gone."""
    vfs.VfsLfs2.mkfs(FlashImage(path), readsize=PAGE, progsize=PAGE)  # pyright: ignore[reportArgumentType]


def mount_flash(path):
    """Mount the flash image at `path` as STORAGE. Raises StorageDamaged when it holds no sound volume."""
    flash = FlashImage(path)
    try:
        volume = vfs.VfsLfs2(flash, readsize=PAGE, progsize=PAGE)  # pyright: ignore[reportArgumentType]
    except OSError:
        volume = None
    if volume is None:
        raise StorageDamaged("the flash volume does not mount: provision the board anew")
    vfs.mount(volume, STORAGE)


def entropy(n):
    """`n` bytes of the operating system's generator.

    VIRTUAL ONLY: with TUMBLER_SEED the bytes follow from it, so that a demonstration or test can be repeated.
    Keys made that way protect nothing.
    """
    seed = os.getenv("TUMBLER_SEED")
    if not seed:
        return os.urandom(n)
    taken = b""
    while len(taken) < n:
        _drawn[0] += 1
        taken += hashlib.sha256(("VIRTUAL ONLY " + seed + " " + str(_drawn[0])).encode()).digest()
    return taken[:n]


def _inherited(variable):
    """The open file of that number; kept for good, since a second Board of this process has no other one."""
    if variable not in _files:
        _files[variable] = open(int(os.getenv(variable, "")), "r+b")  # noqa: SIM115
    return _files[variable]


def _mounted():
    return any(path == STORAGE for _, path in vfs.mount())


class _Dog:
    """The port's watchdog, as machine.WDT, on the clock of a hal.Uptime."""

    def __init__(self, uptime, timeout_ms):
        self._uptime = uptime
        self._timeout_us = timeout_ms * 1000
        self.feed()

    def feed(self):
        self._bites_at = self._uptime.us + self._timeout_us

    def bites(self):
        return self._uptime.us >= self._bites_at


class Board:
    """The board interface of tumbler.hal, see there. `config`: the content of board.json."""

    storage = STORAGE

    def __init__(self, config):
        if not _mounted():
            mount_flash(os.getenv("TUMBLER_FLASH", ""))
        self.flash = FlashImage(os.getenv("TUMBLER_FLASH", ""))
        self._drive_limit_us = config["drive_limit_ms"] * 1000
        self._camera_limit_us = config["camera_limit_ms"] * 1000
        self._uart = _inherited("TUMBLER_UART")
        self._plant = _inherited("TUMBLER_PLANT")
        self._levels = {}
        self._edges = []
        self._vibration = 0
        self._drive_ends = None
        self._watchdog = watchdog.Watchdog()
        self._watchdog_ms = config["watchdog_ms"]
        self._dog = None
        self._uptime = Uptime(self._power_on())

    def _power_on(self):
        """The raw tick at the start. What an interrupted application left on the channel is skipped."""
        self._tell({"start": 1})
        while True:
            try:
                grant = self._hear()
            except ValueError:
                continue
            if grant.get("start"):
                self._levels = grant["levels"]
                return grant["t"]

    # --- time and the plant channel

    def _tell(self, message):
        self._plant.write(json.dumps(message).encode() + b"\n")

    def _hear(self):
        line = self._plant.readline()
        if not line:
            raise SystemExit  # the plant is gone, and the world with it
        return json.loads(line)

    def _take(self, grant):
        at = self._uptime.advance(grant["t"])
        self._levels.update(grant["levels"])
        for channel, level, raw in grant["edges"]:
            self._edges.append((channel, level, self._uptime.at(raw)))
        self._vibration = max(self._vibration, grant["vibration"])
        if self._drive_ends is not None and at >= self._drive_ends:
            self.stop_drive()

    def now(self):
        return self._uptime.us // 1000

    def idle(self):
        self._tell({"idle": 1})
        self._take(self._hear())
        self._watchdog.round()
        if self._dog is not None and self._dog.bites():
            self.restart()

    # --- sensors

    def level(self, name):
        self._watchdog.came(watchdog.CHANNELS)
        return self._levels[name]

    def edges(self):
        self._watchdog.came(watchdog.STROKES)
        edges, self._edges = self._edges, []
        return iter(edges)

    def vibration(self):
        self._watchdog.came(watchdog.REST)
        peak, self._vibration = self._vibration, 0
        return peak

    # --- actuators

    def start_strokes(self, count):
        self._drive_ends = self._uptime.us + self._drive_limit_us
        self._tell({"strokes": count})

    def stop_drive(self):
        self._drive_ends = None
        self._tell({"drive": 0})

    def release_cover(self, released):
        self._tell({"cover": released})

    def lamp(self, index):
        self._tell({"lamp": index})

    # --- camera

    def capture(self, buffer):
        until = self._uptime.us + self._camera_limit_us
        self._tell({"capture": len(buffer)})
        answer = self._hear()
        while "frame" not in answer:
            self._take(answer)
            if self._uptime.us >= until:
                self._tell({"capture": 0})
                raise CameraError("no frame within " + str(self._camera_limit_us // 1000) + " ms")
            self._tell({"idle": 1})
            answer = self._hear()
        self._read_frame(buffer, answer["frame"])

    def _read_frame(self, buffer, size):
        view = memoryview(buffer)
        left = size
        while left:
            count = self._plant.readinto(view[: min(left, len(view))])
            if not count:
                raise SystemExit  # the plant is gone, and the world with it
            left -= count
        if size != len(view):
            raise CameraError("a frame of " + str(size) + " bytes instead of " + str(len(view)))

    # --- UART

    def receive(self, buffer):
        self._watchdog.came(watchdog.LINK)
        try:
            return self._uart.readinto(buffer) or 0
        except OSError as error:
            if error.errno == errno.EIO:
                return 0  # the other end is closed: an open wire is silent
            raise

    def send(self, data):
        try:
            return self._uart.write(data) or 0
        except OSError as error:
            if error.errno == errno.EIO:
                return len(data)  # nobody listens: the bytes leave the wire all the same
            raise

    # --- the rest of the board

    def entropy(self, n):
        return entropy(n)

    def start_watchdog(self):
        self._watchdog.start(self, self._watchdog_ms)
        self._tell({"watchdog": self._watchdog_ms})

    def WDT(self, timeout):
        self._dog = _Dog(self._uptime, timeout)
        return self._dog

    def restart(self):
        self._tell({"restart": 1})
        while True:
            time.sleep(1)
