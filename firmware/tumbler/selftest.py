"""The bench's self-test, run from the REPL: each result is one line of JSON, and nothing is journalled.

A result has `test`, `ok`, `expected`, `found`, and `advice` where it failed. The caller resets the board
afterwards: it starts as after a power cut.
"""

import json
import os
from binascii import b2a_base64

from tumbler import assembly, config
from tumbler.definitions import CHANNELS
from tumbler.link.framing import FrameParser, encode_frame
from tumbler.signing import self_test
from tumbler.strokes import StrokeCounter

# What each channel says of a tumbler that is assembled, level and covered.
AT_REST = {
    "cover-closed": True,
    "cover-open": False,
    "dome-closed": True,
    "dome-intact": True,
    "door-closed": True,
    "tilted": False,
}
_ADVICE = {
    "cover-closed": "close the cover; then check the wire of its closed switch",
    "cover-open": "close the cover; then check the wire of its open switch",
    "dome-closed": "close the dome; then check its switch",
    "dome-intact": "the loop around the dome is broken: check its plug and the glass",
    "door-closed": "close the service door; then check its switch",
    "tilted": "level the housing; then check how the tilt sensor is mounted",
}
_LEVEL_SHARE = 60  # percent by which a lamp's light may differ from the profile's
_BRIGHTER = 3  # a lamp lights the platform at least so many grey levels more than none does
_LEAST_FOCUS = 35  # percent of the picture's range within two pixels at its steepest edge
_PICTURE_SIDE = 160
_PIECE = 1536
_FILE_BYTES = 4096
_LEAST_FREE_FLASH = 64 * 1024
_QUIET_MS = 600


def check_firmware(folder, volume):
    """What needs no sensor and moves nothing: signing, codec, configuration, profile and flash.

    folder: the slot, which is the working directory; volume: the folder where records are kept.
    """
    _attempt("signing", self_test, "flash the firmware again; else the processor or its memory is faulty")
    _attempt("codec", assembly.test_codec, "flash the firmware again")
    settings = _attempt("configuration", lambda: config.load("board.json"), "correct the board's board.json")
    if settings is not None and settings.profile is not None:
        from tumbler.reader import load_profile

        path = folder + "/profiles/" + settings.profile
        _attempt("profile", lambda: load_profile(path), "calibrate again: `tumbler calibrate`")
    check_flash(volume)


def check_flash(volume):
    """Write, read back and erase a file on the volume."""
    path = volume.rstrip("/") + "/selftest.tmp"
    pattern = bytes(range(256)) * (_FILE_BYTES // 256)
    _attempt("flash", lambda: _write_and_read(path, pattern), "the flash is worn or full: replace the board")
    told = os.statvfs(volume)
    free = told[0] * told[4]
    _tell(
        "flash-free", free >= _LEAST_FREE_FLASH, ">= %d bytes" % _LEAST_FREE_FLASH, free, "remove other files"
    )


def _write_and_read(path, pattern):
    try:
        with open(path, "wb") as file:
            file.write(pattern)
        with open(path, "rb") as file:
            if file.read() != pattern:
                raise OSError("it does not read back what was written")
    finally:
        os.remove(path)


class Bench:
    """The board with all that is wired to it; each method is one step, in the order given here.

    board, settings: of start.open_board; scene: of start.open_scene, before this module was loaded, so that
    its buffers have found their room; free: bytes of heap left when everything but this module is loaded.
    `baud`: speed of the board's UART.
    """

    def __init__(self, board, settings, scene, free):
        self.baud = settings.hal.get("uart", {}).get("baud", 115200)
        self._board = board
        self._settings = settings
        self._scene = scene
        self._free = free
        self._sound = {}
        self._peak = 0
        self._edges = []
        self._dark = 0
        self._shown = (
            bytearray(_PICTURE_SIDE * _PICTURE_SIDE) if settings.profile is not None else bytearray()
        )
        self._offered = self._shown

    def channels(self):
        """Every channel of the enclosure, debounced, at its level of a tumbler that is ready."""
        self._wait(5 * self._settings.limits.channel_debounce_ms)
        for name in sorted(CHANNELS):
            found = self._board.level(name)
            self._sound[name] = found == AT_REST[name]
            _tell(name, self._sound[name], AT_REST[name], found, _ADVICE[name])

    def strokes(self):
        """Fire the drive as for a round; the stroke sensor and the vibration sensor must both see it."""
        for name in ("dome-closed", "dome-intact", "door-closed"):
            if not self._sound[name]:
                _tell("strokes", False, "a closed tumbler", "not fired: " + name, _ADVICE[name])
                return
        limits = self._settings.limits
        self._wait(limits.rest_ms)
        _tell(
            "stroke-sensor-quiet", not self._edges, 0, len(self._edges), "a gate sees strokes without drive"
        )
        self._rest("vibration-at-rest", self._peak < limits.rest_mg, "< %d mg" % limits.rest_mg)
        counter = StrokeCounter(limits)
        self._edges = []
        self._peak = 0
        self._board.start_strokes(limits.drive_strokes)
        found = []
        until = self._board.now() + limits.tumble_ms
        while self._board.now() < until and len(found) < limits.drive_strokes:
            self._wait(20)
            for channel, level, t_us in self._edges:
                found += counter.feed(channel, level, t_us)
            self._edges = []
            found += counter.poll(self._board.now() * 1000)
        self._board.stop_drive()
        strong = [list(event[1:]) for event in found if event[0] == "stroke"]
        expected = "%d strokes of >= %d us and >= %d mm/s" % (
            limits.drive_strokes,
            limits.min_width_us,
            limits.min_speed_mm_s,
        )
        ok = len(strong) == len(found) == limits.drive_strokes
        advice = (
            "no or weak strokes: check the drive's supply and fuse, the platform's travel, the gates' wires"
        )
        _tell(
            "strokes",
            ok,
            expected,
            [list(event) for event in found if event[0] != "stroke"] or strong,
            advice,
        )
        self._rest("vibration-while-tumbling", self._peak >= limits.rest_mg, ">= %d mg" % limits.rest_mg)
        self._wait(limits.settle_ms // 2)
        self._peak = 0
        self._wait(limits.rest_ms)
        self._rest("vibration-after", self._peak < limits.rest_mg, "< %d mg" % limits.rest_mg)

    def _rest(self, test, ok, expected):
        _tell(test, ok, expected, self._peak, "check how accelerometer and housing are mounted")

    def picture(self, lamp):
        """A picture under a lamp, or under none (first): level and sharpness. Nothing without a camera."""
        name = self._capture(lamp)
        if name is None:
            return
        profile, frame = self._scene.profile, self._scene.frame
        level = brightness(profile, frame)
        if lamp is None:
            self._dark = level
        else:
            self._judge(name, lamp, level)
        width, height = _shrink(frame, profile.width, profile.height, self._shown)
        self._offer(name, width, height, self._shown)

    def photograph(self, lamp):
        """A picture under a lamp in full size, as the reader gets it: not judged, for a calibration."""
        name = self._capture(lamp)
        if name is not None:
            profile = self._scene.profile
            self._offer(name, profile.width, profile.height, self._scene.frame)

    def _capture(self, lamp):
        """Fill the scene's frame; the picture's name, or None where there is no camera or it fails."""
        if self._settings.profile is None:
            return None
        name = "dark" if lamp is None else "lamp%d" % lamp
        self._board.lamp(lamp)
        try:
            self._board.capture(self._scene.frame)
        except Exception as error:
            _tell(name, False, "a frame", _text(error), "check the camera's cable and power")
            return None
        finally:
            self._board.lamp(None)
        return name

    def _offer(self, name, width, height, pixels):
        """Tell of a picture, which `pixels` then gives."""
        self._offered = pixels
        print(json.dumps({"picture": name, "width": width, "height": height}))

    def _judge(self, name, lamp, level):
        wanted = self._scene.profile.levels[lamp]
        ok = abs(level - wanted) * 100 <= wanted * _LEVEL_SHARE and level >= self._dark + _BRIGHTER
        advice = "check this lamp, its wire and its angle; then calibrate again"
        _tell(name, ok, "grey level %d" % wanted, level, advice)
        if lamp == 0:
            focus = steepness(self._scene.profile, self._scene.frame)
            advice = "turn the lens until pips are sharp, then fix it and calibrate again"
            _tell("focus", focus >= _LEAST_FOCUS, ">= %d %%" % _LEAST_FOCUS, focus, advice)

    def pixels(self, start):
        """A piece of the last picture as base64, small enough for a port that drops what it cannot hold."""
        return b2a_base64(bytes(self._offered[start : start + _PIECE])).decode().strip()

    def scene(self):
        """Whether what sees the dice works, and the memory that is left with everything loaded."""
        works = self._scene.works()
        _tell("dice-sensor", works, True, works, "check the camera's or sensor module's wires and address")
        expected = ">= %d bytes" % assembly.LEAST_FREE
        ok = self._free >= assembly.LEAST_FREE
        _tell("memory", ok, expected, self._free, "use a board with more memory")

    def clock(self, ms):
        """Let `ms` pass by the board's clock, between two lines by which the host measures it."""
        print(json.dumps({"clock": "begin"}))
        begun = self._board.now()
        self._wait(ms)
        print(json.dumps({"clock": "end", "ms": self._board.now() - begun}))

    def link(self, limit_ms):
        """Send back every frame that comes on the UART, until none has come for a while."""
        parser = FrameParser()
        buffer = bytearray(256)
        frames = 0
        until = self._board.now() + limit_ms
        print(json.dumps({"link": "ready"}))
        while self._board.now() < until:
            self._board.idle()
            for type_byte, session, body in parser.feed(memoryview(buffer)[: self._board.receive(buffer)]):
                frames += 1
                if body == b"end":
                    until = 0
                self._send(encode_frame(type_byte, session, body))
        errors = parser.crc_errors + parser.overruns + parser.noise
        print(json.dumps({"link": "end", "frames": frames, "errors": errors}))

    def _send(self, data):
        data = memoryview(data)
        until = self._board.now() + _QUIET_MS
        while data and self._board.now() < until:
            data = data[self._board.send(data) :]
            if len(data):
                self._board.idle()

    def _wait(self, ms):
        """Let time pass and collect what the sensors tell."""
        until = self._board.now() + ms
        while self._board.now() < until:
            self._board.idle()
            self._edges += list(self._board.edges())
            self._peak = max(self._peak, self._board.vibration())


def brightness(profile, frame):
    """The 75th percentile of a sample of the platform, as the profile has it of the empty one."""
    middle_x, middle_y, radius = profile.platform
    counts = [0] * 256
    total = 0
    for y in range(int(middle_y - radius), int(middle_y + radius), 4):
        if not 0 <= y < profile.height:
            continue
        for x in range(int(middle_x - radius), int(middle_x + radius), 4):
            if 0 <= x < profile.width and (x - middle_x) ** 2 + (y - middle_y) ** 2 < radius * radius * 0.9:
                counts[frame[y * profile.width + x]] += 1
                total += 1
    passed = 0
    for level in range(256):
        passed += counts[level]
        if passed * 4 >= total * 3:
            return level
    return 255


def steepness(profile, frame):
    """The steepest step between pixels two apart, in percent of the picture's range."""
    width = profile.width
    steepest, low, high = 0, 255, 0
    for y in range(profile.height // 5, profile.height * 4 // 5, 2):
        row = memoryview(frame)[y * width + width // 5 : y * width + width * 4 // 5]
        low = min([low, min(row)])
        high = max([high, max(row)])
        for x in range(2, len(row)):
            step = row[x] - row[x - 2]
            if step > steepest or -step > steepest:
                steepest = abs(step)
    return steepest * 100 // max(1, high - low)


def _shrunk(size):
    """(every how many pixels one is shown, how many are shown)."""
    step = max(1, (size + _PICTURE_SIDE - 1) // _PICTURE_SIDE)
    return step, (size + step - 1) // step


def _shrink(frame, width, height, shown):
    """Fill `shown` with some pixels of some rows; (their width, height)."""
    step_x, columns = _shrunk(width)
    step_y, rows = _shrunk(height)
    at = 0
    for y in range(rows):
        for x in range(columns):
            shown[at] = frame[y * step_y * width + x * step_x]
            at += 1
    return columns, rows


def _attempt(test, action, advice):
    """Tell whether `action` works; what it returned, or None."""
    try:
        done = action()
    except Exception as error:
        _tell(test, False, "works", _text(error), advice)
        return None
    _tell(test, True, "works", "works", advice)
    return done


def _tell(test, ok, expected, found, advice):
    result = {"test": test, "ok": bool(ok), "expected": expected, "found": found}
    if not ok:
        result["advice"] = advice
    print(json.dumps(result))


def _text(error):
    return "%s: %s" % (type(error).__name__, error)
