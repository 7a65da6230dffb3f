"""Wires: the pins a tester drives, one table of levels keyed by pin name, behind Blinka's own pin class.

Blinka's board without hardware gives every pin a fixed behaviour and reads no output back. `Wire` objects are
pins for `digitalio` and `analogio` all the same, because those accept any object with an `id`, and look up
`Pin` by name when a pin is made: there `install` puts a class that serves wires from the table, and stock
pins as before.
"""

import importlib
import os
from collections.abc import Callable
from typing import Any, Self

AGNOSTIC = "BLINKA_OS_AGNOSTIC"
# Variables that name an adapter with real pins (of adafruit_platformdetect).
ADAPTERS = (
    "BLINKA_FT232H",
    "BLINKA_FT2232H",
    "BLINKA_FT4232H",
    "BLINKA_MCP2221",
    "BLINKA_U2IF",
    "BLINKA_GREATFET",
    "BLINKA_NOVA",
    "BLINKA_SPIDRIVER",
)
ANALOG_MAX = 65535

Heard = Callable[[bool, int], Any]


class BlinkaUnusable(Exception):
    """Blinka serves other pins than are wanted; the message says what to do."""


class Wire:
    """A pin by name: its electrical level, None where nothing drives it, and the value AnalogIn has."""

    def __init__(self, name: str, now_us: Callable[[], int]) -> None:
        self.name = name
        self.level: bool | None = None
        self.value = 0
        self.written: Callable[[bool], Any] = _nobody_asks
        self._now_us = now_us
        self._watchers: list[Heard] = []

    @property
    def id(self) -> Self:
        """What Blinka makes its own pin object of."""
        return self

    def drive(self, level: bool | None) -> None:
        """Put the wire at `level`; watchers are told at once, with the time, if that changes anything."""
        if level == self.level:
            return
        self.level = level
        for heard in self._watchers:
            heard(bool(level), self._now_us())

    def write(self, level: bool) -> None:
        """The board's output sets the wire; `written` is called even if that changes nothing."""
        self.drive(level)
        self.written(level)

    def watch(self, heard: Heard) -> Callable[[], None]:
        """Call heard(level, t_us) at each change; returns what ends that."""
        self._watchers.append(heard)
        return lambda: self._watchers.remove(heard)


def _nobody_asks(level: bool) -> None:
    pass


class Wires:
    """The table: the wire of each name, made when it is first asked for."""

    def __init__(self, now_us: Callable[[], int]) -> None:
        self._now_us = now_us
        self._wires: dict[str, Wire] = {}

    def __getitem__(self, name: str | int) -> Wire:
        if str(name) not in self._wires:
            self._wires[str(name)] = Wire(str(name), self._now_us)
        return self._wires[str(name)]


def real_pins() -> bool:
    """True when the environment names an adapter whose real pins are to be used."""
    return any(os.environ.get(name) for name in ADAPTERS)


def install() -> None:
    """Have Blinka serve wires; call it before anything else imports Blinka.

    This is the one place where the environment variable is set: Blinka looks at it once, at its first import.
    """
    if real_pins():
        raise BlinkaUnusable(f"an adapter is chosen: unset {', '.join(filter(os.environ.get, ADAPTERS))}")
    os.environ[AGNOSTIC] = "1"
    agnostic = importlib.import_module("adafruit_blinka.agnostic")
    if not agnostic.detector.board.OS_AGNOSTIC_BOARD:
        raise BlinkaUnusable(
            f"Blinka was imported before, for the board {agnostic.board_id}: start with {AGNOSTIC}=1"
        )
    pins = importlib.import_module("adafruit_blinka.microcontroller.generic_agnostic_board.pin")
    serving = _serving_wires(pins.Pin)
    for module in ("digitalio", "adafruit_blinka.microcontroller.generic_agnostic_board.analogio"):
        loaded: Any = importlib.import_module(module)
        if not issubclass(loaded.Pin, _ServesWires):
            loaded.Pin = serving


class _ServesWires:
    """Marks the class that `install` has put in place."""


def _serving_wires(stock: Any) -> type:
    class WirePin(stock, _ServesWires):
        """Blinka's pin, which reads and writes the wire that it is made of."""

        def read(self) -> Any:
            wire = self.id
            if not isinstance(wire, Wire):
                return super().read()
            if self._mode == stock.ADC:
                return wire.value
            return self._pull == stock.PULL_UP if wire.level is None else wire.level

        def write(self, new_value: Any) -> None:
            if not isinstance(self.id, Wire):
                super().write(new_value)
            elif self._mode == stock.DAC:
                self.id.value = new_value
            else:
                self.id.write(bool(new_value))

    return WirePin
