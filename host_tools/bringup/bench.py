"""The self-test from the host's side: the board's steps one after the other, its clock and link measured."""

import base64
import json
import os
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import serial

from host_tools.boards import Board
from host_tools.bringup.errors import DeviceError, StepFailed, Unsuitable
from host_tools.bringup.flash import hold
from host_tools.bringup.remote import Interpreter, Remote, explain
from host_tools.link.framing import FrameParser, encode_frame

_STEPS = (
    "channels()",
    "strokes()",
    *(f"picture({lamp})" for lamp in (None, 0, 1, 2, 3)),
    "scene()",
)
# The firmware, entered as its loader does.
ENTER = """
import main as loader, gc, os
volume = os.getcwd()
slot = loader.choose()
if slot is None: raise ValueError('no firmware boots: flash the board')
loader.enter(slot)
del loader
"""
# The frame buffers need their room before other modules take it.
OPEN = """
from tumbler import start
board, settings = start.open_board()
scene = start.open_scene(board, settings, os.getcwd())
from tumbler import assembly
gc.collect()
free = gc.mem_free()
from tumbler import selftest
bench = selftest.Bench(board, settings, scene, free)
volume = board.storage
"""
_CHECK_FIRMWARE = "from tumbler import selftest\nselftest.check_firmware(os.getcwd(), volume)"
_STEP_S = 60.0
_CLOCK_MS = 2000
_DRIFT = 0.03  # a crystal is a thousand times better; this finds a wrong clock setting
_FRAMES = 100
_FRAME_BYTES = 120
_ECHO_S = 2.0
_LINK_MS = 60_000
_FRAME_TYPE = 0x7F  # of no message

Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Picture:
    """A grey picture, a byte a pixel."""

    name: str
    width: int
    height: int
    pixels: bytes


@dataclass
class Report:
    """A finished self-test. `results`: as the board told them, {"test", "ok", "expected", "found", "advice"};
    `ok` None: not judged."""

    board: str
    title: str
    interpreter: Interpreter
    at: datetime
    results: list[dict[str, Any]] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)

    @property
    def passed(self) -> bool:
        """Whether nothing failed."""
        return all(result["ok"] is not False for result in self.results)


def run_selftest(remote: Remote, board: Board, uart: str | None, at: datetime, tell: Tell) -> Report:
    """Test all of a flashed board; `uart`: the port of its UART, None leaves the link out.

    Raises Unsuitable for a board without this firmware. The board is reset at the end, whatever happened.
    """
    found = take(remote, board, tell)
    test = _Test(remote, Report(board.name, board.title, found, at), tell)
    try:
        test.run(board, uart)
    finally:
        remote.reset()
    return test.report


def take(remote: Remote, board: Board, tell: Tell) -> Interpreter:
    """Have a flashed board without its application, for ENTER and OPEN. Raises Unsuitable for another one."""
    found = remote.enter()
    if not board.is_machine(found.machine):
        raise Unsuitable(
            f"the board says it is {found.machine!r}, not a {board.title}: give its name with --board"
        )
    if not found.has_main:
        raise Unsuitable("the board holds no firmware: flash it first with `tumbler flash`")
    hold(remote, tell)
    return found


def fetch(remote: Remote, told: dict[str, Any]) -> Picture:
    """The picture that the board has `told` of last, in pieces that a port holds."""
    size = told["width"] * told["height"]
    pixels = bytearray()
    while len(pixels) < size:
        pixels += base64.b64decode(remote.call("bench.pixels", len(pixels)))
    return Picture(told["picture"], told["width"], told["height"], bytes(pixels[:size]))


class _Test:
    """One run; lines that the board prints become results, or marks with the time they came."""

    def __init__(self, remote: Remote, report: Report, tell: Tell) -> None:
        self._remote = remote
        self.report = report
        self._tell = tell
        self._marks: list[tuple[float, dict[str, Any]]] = []

    def run(self, board: Board, uart: str | None) -> None:
        """Every step, as far as the board starts."""
        self._tell("start ...")
        self._do(ENTER)
        try:
            self._do(OPEN)
            self._add("start", True, "works", "works")
        except DeviceError as error:
            self._add("start", False, "works", str(error), "do what it says; else check what it names")
        self._do(_CHECK_FIRMWARE)
        if not self.report.passed:
            return
        for step in _STEPS:
            self._tell(f"{step} ...")
            self._do(f"bench.{step}")
            self.report.pictures += [fetch(self._remote, told) for _, told in self._marks]
        self._tell("clock ...")
        self._clock(judged=board.port != "unix")
        self._link(uart)

    def _do(self, code: str) -> None:
        self._marks.clear()
        self._remote.run(code, on_line=self._hear, wait_s=_STEP_S)

    def _hear(self, line: str) -> None:
        if not line.startswith("{"):
            return
        told = json.loads(line)
        if "test" in told:
            self.report.results.append(told)
            self._tell(show(told))
        else:
            self._marks.append((time.monotonic(), told))

    def _add(self, test: str, ok: bool | None, expected: Any, found: Any, advice: str = "") -> None:
        result = {"test": test, "ok": ok, "expected": expected, "found": found}
        if ok is not True and advice:
            result["advice"] = advice
        self.report.results.append(result)
        self._tell(show(result))

    def _clock(self, judged: bool) -> None:
        """The board's clock against the host's; a virtual board's time is not real time."""
        self._do(f"bench.clock({_CLOCK_MS})")
        (begun, _), (ended, end) = self._marks
        share = end["ms"] / 1000 / (ended - begun)
        ok = abs(share - 1) <= _DRIFT if judged else None
        advice = "the MicroPython image is not made for this board's crystal" if judged else "virtual time"
        self._add("clock", ok, "1.00 of the host's", round(share, 3), advice)

    def _link(self, uart: str | None) -> None:
        if uart is None:
            self._add("link", None, "0 errors", "not tested", "connect the UART and name it with --uart")
            return
        self._tell("link ...")
        try:
            line = serial.serial_for_url(uart, self._baud(), timeout=0.05, write_timeout=2, exclusive=True)
        except (OSError, ValueError) as error:
            raise Unsuitable(explain(uart, error)) from error
        with line:
            self._remote.start(f"bench.link({_LINK_MS})")
            lost, noise = measure_link(line)
        self._remote.finish(self._hear)
        _, end = self._marks[-1]
        told = {"sent": _FRAMES, "not back": lost, "errors at host": noise, "errors at board": end["errors"]}
        advice = "check the UART's wires, ground and length, and the speed at both ends"
        self._add("link", not (lost or noise or end["errors"]), "0 errors", told, advice)

    def _baud(self) -> int:
        told = self._remote.run("print(bench.baud)")
        return int(told)


def measure_link(line: Any, echo_s: float = _ECHO_S) -> tuple[int, int]:
    """Send frames of random bytes to a board that echoes; (frames that did not come back, errors heard).

    line: a pyserial port; echo_s: how long a frame may take.
    """
    counters: Counter[str] = Counter()
    parser = FrameParser(counters)
    line.reset_input_buffer()
    lost = 0
    for number in range(_FRAMES):
        body = os.urandom(_FRAME_BYTES)
        lost += not _echoed(line, parser, encode_frame(_FRAME_TYPE, number, body), body, echo_s)
    _echoed(line, parser, encode_frame(_FRAME_TYPE, 0, b"end"), b"end", echo_s)
    return lost, sum(counters.values())


def _echoed(line: Any, parser: FrameParser, frame: bytes, body: bytes, echo_s: float) -> bool:
    try:
        line.write(frame)
        until = time.monotonic() + echo_s
        while time.monotonic() < until:
            if any(heard.body == body for heard in parser.feed(line.read(max(1, line.in_waiting)))):
                return True
    except (OSError, serial.SerialException) as error:
        raise StepFailed(f"the UART is lost: check its adapter ({error})") from error
    return False


def show(result: dict[str, Any]) -> str:
    """One line for people."""
    word = {True: "ok    ", False: "FAILED", None: "-     "}[result["ok"]]
    text = f"{word}  {result['test']}: {result['found']}"
    if result["ok"] is not True:
        text += f" (expected {result['expected']}; {result.get('advice', '')})"
    return text
