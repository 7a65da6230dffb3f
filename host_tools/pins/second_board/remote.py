"""The player on a second board: its source is sent over the raw REPL, then each call is one line of code."""

import contextlib
import re
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from host_tools.bringup.errors import BringUpError, DeviceError, Unsuitable
from host_tools.bringup.remote import Remote

SOURCE = Path(__file__).with_name("player.py")
Pins = Sequence[tuple[int, int]]


class SecondBoard(Protocol):
    """What player.Player does, wherever it runs."""

    def set_levels(self, levels: Pins) -> None: ...
    def play(self, edges: Sequence[tuple[int, int, int]]) -> int: ...
    def levels(self) -> list[int]: ...
    def heard(self) -> list[tuple[int, int]]: ...


class RemotePlayer:
    """The SecondBoard at `port`, a context manager; at its end the pins are let go.

    drives, watches: as player.Player has them. Raises Unsuitable without MicroPython or such a pin, BoardLost
    and DeviceError.
    """

    def __init__(self, port: str, drives: Pins, watches: Pins) -> None:
        self._remote = Remote(port)
        self._wires = list(drives), list(watches)

    def __enter__(self) -> Self:
        self._remote.__enter__()
        try:
            self._remote.enter()
            self._remote.run(without_docstrings(SOURCE.read_text()))
            drives, watches = self._wires
            self._remote.run(f"import machine, time\nplayer = Player(machine, time, {drives!r}, {watches!r})")
        except DeviceError as error:
            self._remote.__exit__(None, None, None)
            raise Unsuitable(f"the second board does not take the wiring: {error}") from error
        except BaseException:
            self._remote.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with contextlib.suppress(BringUpError):  # of a board that is lost the plug is pulled
            self._remote.run("player.release()")
        self._remote.__exit__(kind, error, trace)

    def set_levels(self, levels: Pins) -> None:
        """See player.Player."""
        self._remote.call("player.set_levels", list(levels))

    def play(self, edges: Sequence[tuple[int, int, int]]) -> int:
        """See player.Player."""
        return self._remote.call("player.play", list(edges))

    def levels(self) -> list[int]:
        """See player.Player."""
        return self._remote.call("player.levels")

    def heard(self) -> list[tuple[int, int]]:
        """See player.Player."""
        return self._remote.call("player.heard")


def without_docstrings(source: str) -> str:
    """Docstrings cost a board's memory and the line's time."""
    return re.sub(r'^ *"""(?:.|\n)*?"""\n', "", source, flags=re.MULTILINE)
