"""A board's raw REPL: the one place that uses mpremote's transport, whose interface changes (pinned: 1.29.0).

The port is opened here and not by mpremote, which hides why it cannot be opened and sets DTR and RTS as it
likes: on some boards they reset it.
"""

import ast
import contextlib
import errno
import grp
import io
import struct
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import serial
from mpremote.transport import TransportError
from mpremote.transport_serial import SerialTransport

from host_tools.bringup.errors import BoardLost, BringUpError, DeviceError, Unsuitable

_ANSWER_S = 15.0  # the longest between two bytes of an answer
_ENTER_S = 2
_BYTE_S = 1.0
_PROMPT = b"raw REPL; CTRL-B to exit\r\n"
_RETURN_S = 15.0  # until a board that was reset is back on USB
_RETRY_S = 0.2
_IDENTITY = """
import sys, os
_i = sys.implementation
_root = os.getcwd()  # a firmware that was interrupted has gone into its slot
if _root[-7:] in ('/slot-a', '/slot-b'):
    os.chdir(_root[:-7] or '/')
print(repr((_i.name, tuple(_i.version[:3]), getattr(_i, '_machine', ''), getattr(_i, '_mpy', 0), sys.platform,
    os.getcwd(), 'main.py' in os.listdir())))
"""
OnLine = Callable[[str], None]
_PORT_ERRORS = (TransportError, serial.SerialException, OSError, struct.error)


@dataclass(frozen=True, slots=True)
class Interpreter:
    """What answers on the port: sys.implementation, sys.platform, the volume's folder, whether it has a
    main.py. `mpy`: sys.implementation._mpy, 0 where no compiled file loads."""

    name: str
    version: tuple[int, ...]
    machine: str
    mpy: int
    platform: str
    root: str
    has_main: bool


class _Line(SerialTransport):
    """mpremote's transport over a port that is open already."""

    def __init__(self, line: serial.SerialBase, name: str) -> None:
        self.in_raw_repl = False
        self.use_raw_paste = True
        self.device_name = name
        self.mounted = False
        self.serial: Any = line  # a SerialBase, whose stubs lack what every port has
        self.is_pty = self._is_pty_device(name)

    def enter_raw_repl(self, soft_reset: bool = False, timeout_overall: float = _ENTER_S) -> None:
        """As mpremote's without a soft reset, but its limit holds on a line that never falls silent too."""
        until = time.monotonic() + timeout_overall
        self.serial.write(b"\r\x03")
        while self.serial.in_waiting and time.monotonic() < until:
            self.serial.read(self.serial.in_waiting)
        self.serial.write(b"\r\x01")
        heard = b""
        while not heard.endswith(_PROMPT):
            if time.monotonic() >= until:
                raise TransportError("could not enter raw repl")
            # No byte further than the prompt: what follows belongs to the first command's answer.
            heard = heard[-len(_PROMPT) :] + self.serial.read(1)
        self.in_raw_repl = True


class Remote:
    """One board; a context manager. Every method raises BoardLost when it stops answering.

    port: path or pyserial URL of the REPL; dtr, rts: levels of these lines while the port is open;
    wait_s: how long a board may stay silent. `run` and `call` need `enter` first.
    """

    def __init__(self, port: str, dtr: bool = True, rts: bool = False, wait_s: float = _ANSWER_S) -> None:
        self.port = port
        self._lines = dtr, rts
        self._wait_s = wait_s
        self._transport: _Line | None = None

    def __enter__(self) -> Self:
        self._transport = self._open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def enter(self) -> Interpreter:
        """Interrupt what runs and take the REPL. Raises Unsuitable when no MicroPython answers."""
        told = ""
        # A board that is starting, or busy with its flash, misses the first one.
        for last in (False, False, True):
            try:
                with _quiet():
                    self._line.enter_raw_repl()
                told = self.run(_IDENTITY)
                break
            except (*_PORT_ERRORS, BringUpError) as error:
                if last:
                    raise Unsuitable(
                        f"no MicroPython answers on {self.port}: is it the board's REPL, and does the board"
                        f" run MicroPython? Press its reset button and try again ({_first_line(error)})"
                    ) from error
        found = Interpreter(*ast.literal_eval(told))
        if found.name != "micropython":
            raise Unsuitable(f"{self.port} runs {found.name}, not MicroPython: install MicroPython first")
        return found

    def run(self, code: str, on_line: OnLine | None = None, wait_s: float | None = None) -> str:
        """Run code; what it printed. `on_line` gets each line at once. Raises DeviceError."""
        self.start(code)
        return self.finish(on_line, wait_s)

    def start(self, code: str) -> None:
        """Let code run and do not wait for it."""
        try:
            self._line.exec_raw_no_follow(code)
        except _PORT_ERRORS as error:
            raise self._lost(error) from error

    def finish(self, on_line: OnLine | None = None, wait_s: float | None = None) -> str:
        """Wait for the code that was started; as `run`."""
        heard = bytearray()
        told = 0

        def hear(data: bytes) -> None:
            nonlocal told
            heard.extend(data.replace(b"\x04", b""))
            while on_line and b"\n" in heard[told:]:
                end = heard.index(b"\n", told)
                on_line(heard[told:end].decode(errors="replace").strip())
                told = end + 1

        try:
            _, failed = self._line.follow(wait_s or self._wait_s, hear)
        except _PORT_ERRORS as error:
            raise self._lost(error) from error
        if failed:
            last = failed.decode(errors="replace").strip().splitlines()[-1]
            raise DeviceError(f"the board on {self.port}: {last}")
        return heard.decode(errors="replace")

    def call(self, function: str, *arguments: Any, wait_s: float | None = None) -> Any:
        """Call a function of the board with literals; what it returned, a literal."""
        inside = ", ".join(repr(argument) for argument in arguments)
        return ast.literal_eval(self.run(f"print(repr({function}({inside})))", wait_s=wait_s))

    def reset(self) -> None:
        """Reset the board as its button does, and leave it to itself."""
        with contextlib.suppress(BoardLost):  # USB may be gone before the last byte
            self.start("import machine\nmachine.reset()")
            time.sleep(_RETRY_S)
        self._close()

    def reenter(self) -> Interpreter:
        """Take the REPL of a board that was reset, as soon as it is back."""
        until = time.monotonic() + _RETURN_S
        while True:
            time.sleep(_RETRY_S)
            try:
                self._close()
                self._transport = self._open()
                return self.enter()
            except BringUpError:
                if time.monotonic() >= until:
                    raise

    @property
    def _line(self) -> _Line:
        if self._transport is None:
            raise BoardLost(f"{self.port} is closed")
        return self._transport

    def _open(self) -> _Line:
        try:
            line = serial.serial_for_url(
                self.port, do_not_open=True, baudrate=115200, timeout=_BYTE_S, write_timeout=5, exclusive=True
            )
            line.dtr, line.rts = self._lines
            line.open()
        except (OSError, ValueError) as error:
            raise Unsuitable(explain(self.port, error)) from error
        return _Line(line, self.port)

    def _close(self) -> None:
        transport, self._transport = self._transport, None
        if transport is not None:
            with contextlib.suppress(*_PORT_ERRORS):  # an unplugged port reports its loss once more
                transport.serial.close()

    def _lost(self, error: Exception) -> BoardLost:
        return BoardLost(
            f"the board on {self.port} stopped answering: check cable and power, then run the same command"
            f" again, which is safe ({_first_line(error)})"
        )


def explain(port: str, error: Exception) -> str:
    """Why a port cannot be opened, and what to do about it."""
    number = getattr(error, "errno", None)
    if number in (errno.EACCES, errno.EPERM):
        group = _group(port)
        return (
            f"no permission to open {port}: join its group with `sudo usermod -aG {group} $USER`, then log"
            " out and in again"
        )
    if number == errno.ENOENT:
        return f"there is no port {port}: plug the board in, or look with `tumbler board list`"
    if number in (errno.EBUSY, errno.EAGAIN) or "exclusively lock" in str(error):
        return f"{port} is in use: end the other program that has it open (a terminal, a bridge, an editor)"
    return f"{port} cannot be opened: {error}"


def _group(port: str) -> str:
    """The group that may open the port; on most systems dialout."""
    try:
        name = grp.getgrgid(Path(port).stat().st_gid).gr_name
    except (OSError, KeyError):
        return "dialout"
    return "dialout" if name == "root" else name


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]


def _quiet() -> contextlib.AbstractContextManager[Any]:
    """mpremote prints what it did not understand."""
    return contextlib.redirect_stdout(io.StringIO())
