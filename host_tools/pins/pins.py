"""The pins of a running board by their names: a tester sets the inputs and looks at the outputs.

Whatever a tester does is an event as scenarios have them, and happens to the plant: so a cover that is opened
by hand is closed by the same dealer, and the same can be written down as a scenario.
"""

from typing import Any

from host_tools.pins.board import BlinkaBoard
from host_tools.virtual_board.scenario import CAMERAS, GATES, Event, Stroke

# An event needs something to wait for; what a tester does waits for nothing.
_AT_ONCE = "power-on"


class NoSuchPin(ValueError):
    """There is no pin, or no setting, of that name: the message lists those there are."""


class Pins:
    """Inputs and outputs of `board`. True means what the name says, whatever the pin's voltage is."""

    def __init__(self, board: BlinkaBoard) -> None:
        self._board = board
        self._plant = board.plant
        self.inputs: tuple[str, ...] = tuple(board.settings.hal["inputs"])
        self.outputs: tuple[str, ...] = tuple(board.settings.hal["outputs"])

    def level(self, name: str) -> bool:
        """The present level of an input or output."""
        if name not in (*self.inputs, *self.outputs):
            raise NoSuchPin(f"{name!r} is none of {', '.join((*self.inputs, *self.outputs))}")
        wire, active = self._board.hands.wire(name)
        return wire.level is active

    def voltage(self) -> int:
        """The vibration sensor's, as the board's converter gives it (0..65535)."""
        return self._board.hands.vibration_wire.value

    def set(self, name: str, level: bool) -> None:
        """Put an input at a level. A stroke gate stays there, stuck, until `free`."""
        self._set(name, level, after_ms=0)

    def pulse(self, name: str, ms: int) -> None:
        """Put an input at the other level for `ms`."""
        before = self.level(name)
        self._set(name, not before, after_ms=0)
        self._set(name, before, after_ms=ms)

    def free(self) -> None:
        """Stuck stroke gates work again."""
        self._happen(free=True)

    def stroke(self, width_us: int = 15_000, speed_mm_s: int = 950, bounces: int = 0) -> None:
        """The platform strikes once, commanded or not: see scenario.Stroke."""
        self._happen(strokes=(Stroke(width_us, speed_mm_s, bounces),))

    def shake(self, milli_g: int, ms: int) -> None:
        """The platform vibrates."""
        self._happen(vibration_mg=milli_g, for_ms=ms)

    def camera(self, state: str) -> None:
        """One of scenario.CAMERAS."""
        if state not in CAMERAS:
            raise NoSuchPin(f"a camera is {', '.join(CAMERAS)}, not {state!r}")
        self._happen(camera=state)

    def _set(self, name: str, level: bool, after_ms: int) -> None:
        if name not in self.inputs:
            raise NoSuchPin(f"{name!r} is none of the inputs {', '.join(self.inputs)}")
        if name in GATES:
            self._happen(stick={name: level}, after_ms=after_ms)
        else:
            self._happen(levels={name: level}, after_ms=after_ms)

    def _happen(self, **what: Any) -> None:
        self._plant.happen(Event(_AT_ONCE, **what))
