"""A desk whose clock a test moves by hand, with wires for pins; and the board file's hal section for it."""

import json
from pathlib import Path
from typing import Any

from host_tools.pins.wires import Wires

ROOT = Path(__file__).resolve().parents[3]


def hal_settings() -> dict[str, Any]:
    """The "hal" of boards/blinka/board.json, for a test to change."""
    return json.loads((ROOT / "boards" / "blinka" / "board.json").read_text())["hal"]


class SilentLine:
    """A UART with nobody at the other end."""

    def receive(self, buffer) -> int:
        return 0

    def send(self, data) -> int:
        return len(data)


class DeskByHand:
    """See tumbler.hal.desktop. `step_us` passes with each idle(); `told`: what the board told the desk."""

    def __init__(self, watches: bool = True) -> None:
        self.us = 0
        self.step_us = 1_000
        self.wires = Wires(self.now_us)
        self.line = SilentLine()
        self.storage = "nowhere"
        self.told: list[Any] = []
        self.delivers: bytes | None = None
        self._watches = watches

    def entropy(self, n: int) -> bytes:
        return bytes(n)

    def pin(self, name):
        return self.wires[name]

    def watch(self, name, heard) -> bool:
        if self._watches:
            self.wires[name].watch(heard)
        return self._watches

    def now_us(self) -> int:
        return self.us

    def idle(self) -> None:
        self.us += self.step_us

    def drive_stopped(self) -> None:
        self.told.append("drive stopped")

    def expose(self, size: int) -> None:
        self.told.append(("expose", size))

    def frame(self) -> bytes | None:
        return self.delivers

    def restart(self) -> None:
        self.told.append("restart")
