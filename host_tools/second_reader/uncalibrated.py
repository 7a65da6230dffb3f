"""Reading without a profile: one overhead picture, of which only the size of a die is known.

Nothing is known of the lamp, the floor and the make of the dice, so only what shows in the picture itself
counts. A picture of an open table is read by Tabletop, any other by Tumbler. What is not sure is refused.

What this does not promise: one lamp does not show every tilt (docs/one-lamp.md). On an open table a die that
something hidden beneath it props up is read as if it lay flat, as long as it looks square and shows less than
a third of a side. In a tumbler so is one that bares its sides about as a flat one does at its place.
"""

import numpy as np

from host_tools.images import Frame
from host_tools.second_reader.profile import DARK_PIPS, LIGHT_PIPS
from host_tools.second_reader.reader import answer
from host_tools.second_reader.refusal import Refused
from host_tools.second_reader.table import lumps
from host_tools.second_reader.tabletop import Tabletop
from host_tools.second_reader.tumbler import Tumbler

_LEAST = 18.0  # pixels of a side: sides of smaller dice are too thin to show how they lie


class UncalibratedReader:
    """Reads pictures of `count` dice whose sides are `die_px` pixels; on open tables at most about that."""

    def __init__(self, die_px: float, polarity: str | None = None, count: int = 3) -> None:
        """`polarity`: DARK_PIPS or LIGHT_PIPS when all dice are known to be so; else both are looked for."""
        polarities = [DARK_PIPS, LIGHT_PIPS] if polarity is None else [polarity]
        self._side = die_px
        self._tabletop = Tabletop(die_px, polarities, count)
        self._tumblers = [Tumbler(die_px, known, count) for known in polarities]

    def read(self, frame: Frame) -> dict:
        """The fields of `tumbler read --json` for a picture of any size that a die fits in."""
        if min(frame.width, frame.height) < 2 * self._side:
            return answer([], [Refused("unreadable", "picture too small")])
        if self._side < _LEAST:
            return answer([], [Refused("unreadable", "dice too small")])
        floats = np.frombuffer(frame.pixels, np.uint8).reshape(frame.height, frame.width).astype(np.float32)
        lying = lumps(floats, self._side)
        if lying is not None:
            return self._tabletop.read(floats, lying)
        answers = [tumbler.read(floats) for tumbler in self._tumblers]
        _, fields = max(answers, key=lambda told: (told[1]["verdict"] == "read", told[0]))
        return fields
