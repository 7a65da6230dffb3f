"""The REPL's pseudo-terminal: one that users open, kept over power cycles, joined to one a process.

The process has its terminal as the controlling one, so that Ctrl-C interrupts the application. Nobody reading
costs nothing: output that does not fit the users' terminal is dropped, as on a serial wire.
"""

import asyncio
import contextlib
import os
import termios
import tty
from collections.abc import Callable

RAW_BANNER = b"raw REPL; CTRL-B to exit\r\n"
FRIENDLY_PROMPT = b">>> "
SOFT_REBOOT = b"MPY: soft reboot\r\n"
_CHUNK = 1024
_KEPT = 64_000  # bytes of output kept for `Repl.output`
_RETRY_S = 0.005


class Repl:
    """`path` is what users open, `output` what was printed lately, `raw` whether it is in raw mode."""

    def __init__(self) -> None:
        self._users, self._held = os.openpty()  # the far end is held, so that the terminal stays
        tty.setraw(self._held)
        os.set_blocking(self._users, False)
        self.path = os.ttyname(self._held)
        self.raw = False
        self.output = bytearray()
        self.on_output: Callable[[bytes], None] = lambda data: None
        self._process: int | None = None
        self._to_process = b""
        self._awaited = b""  # output is held back until this comes
        self._held_back = b""
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._users, self._from_users)

    def attach(self, raw: bool) -> int:
        """A terminal for a new process: the returned end is its stdin and stdout, for the caller to close.

        `raw`: bring it into raw REPL mode first, as a board is after a soft reset in that mode.
        """
        self._process, terminal = os.openpty()
        _as_a_board_sees_it(terminal)
        os.set_blocking(self._process, False)
        self._to_process = self._held_back = b""
        self._awaited = FRIENDLY_PROMPT if raw else b""
        self.raw = raw
        self._loop.add_reader(self._process, self._from_process)
        return terminal

    def detach(self) -> None:
        """The process is gone: pass on what it printed last."""
        if self._process is not None:
            while self._process is not None and self._from_process():
                pass
            self._drop_process()

    def say(self, data: bytes) -> None:
        """Print `data` to the users."""
        self.output += data
        del self.output[:-_KEPT]
        self.on_output(data)
        with contextlib.suppress(BlockingIOError):
            os.write(self._users, data)

    def close(self) -> None:
        """Take the terminal away from its users."""
        self.detach()
        self._loop.remove_reader(self._users)
        os.close(self._users)
        os.close(self._held)

    def _from_process(self) -> bool:
        """Pass output on; False when there is none now."""
        assert self._process is not None
        try:
            data = os.read(self._process, _CHUNK)
        except BlockingIOError:
            return False
        except OSError:  # EIO: the process has closed its end
            data = b""
        if not data:
            self._drop_process()
            return False
        self._hear(data)
        return True

    def _hear(self, data: bytes) -> None:
        if self._awaited:
            self._held_back += data
            if self._awaited == FRIENDLY_PROMPT and FRIENDLY_PROMPT in self._held_back:
                self._awaited = RAW_BANNER
                self._type(b"\x01")
            _, found, behind = self._held_back.partition(self._awaited)
            if not found:
                return
            data = found + behind
            self._awaited = self._held_back = b""
        if RAW_BANNER in data:
            self.raw = True
        elif FRIENDLY_PROMPT in data:
            self.raw = False
        self.say(data)

    def _from_users(self) -> None:
        if self._to_process:
            return  # it has not taken what came before
        try:
            data = os.read(self._users, _CHUNK)
        except BlockingIOError:
            return
        self._type(data)

    def _type(self, data: bytes) -> None:
        self._to_process += data
        self._push()

    def _push(self) -> None:
        if self._process is None:
            self._to_process = b""  # no power: nobody hears it
            return
        try:
            count = os.write(self._process, self._to_process)
        except BlockingIOError:
            count = 0
        self._to_process = self._to_process[count:]
        if self._to_process:
            self._loop.call_later(_RETRY_S, self._push)

    def _drop_process(self) -> None:
        if self._process is not None:
            self._loop.remove_reader(self._process)
            os.close(self._process)
            self._process = None


def _as_a_board_sees_it(terminal: int) -> None:
    """Raw, no echo, but Ctrl-C interrupts; MicroPython makes its own line ends in the REPL."""
    tty.setraw(terminal)
    settings = termios.tcgetattr(terminal)
    settings[3] |= termios.ISIG
    for key in (termios.VQUIT, termios.VSUSP):
        settings[6][key] = b"\x00"
    termios.tcsetattr(terminal, termios.TCSANOW, settings)
