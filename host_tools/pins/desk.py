"""The desk of a Blinka board whose pins are wires: its clock, camera, UART and storage, all a plant's."""

from collections.abc import Callable
from pathlib import Path

from host_tools.pins.hands import Hands
from host_tools.pins.wires import Heard, Wire
from tumbler.hal.desktop import Line

Turn = Callable[[], bytes | None]


class PowerCut(BaseException):
    """Thrown through the firmware while it is idle: nothing of it runs any more, and its storage stays."""


class PinDesk:
    """See tumbler.hal.desktop for what a desk offers.

    `turn()` hands the turn to the plant and returns the frame if one is delivered, or raises PowerCut;
    `restart()` does not return; `entropy(n)` gives random bytes.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - a desk is these things
        self,
        hands: Hands,
        uart: int,
        storage: Path,
        entropy: Callable[[int], bytes],
        turn: Turn,
        restart: Callable[[], None],
    ) -> None:
        self.line = Line(uart)
        self.storage = str(storage)
        self.entropy = entropy
        self.restart = restart
        self.now_us = hands.now_us
        self._hands = hands
        self._turn = turn
        self._frame: bytes | None = None
        self._watches: list[Callable[[], None]] = []

    def pin(self, name: str | int) -> Wire:
        return self._hands.wires[name]

    def watch(self, name: str | int, heard: Heard) -> bool:
        self._watches.append(self.pin(name).watch(heard))
        return True

    def idle(self) -> None:
        self._frame = self._turn()

    def drive_stopped(self) -> None:
        self._hands.say({"drive": 0})

    def expose(self, size: int) -> None:
        self._frame = None
        self._hands.say({"capture": size})

    def frame(self) -> bytes | None:
        frame, self._frame = self._frame, None
        return frame

    def clear(self) -> None:
        """The board is gone: it hears of no more changes."""
        for end in self._watches:
            end()
        self._watches.clear()
