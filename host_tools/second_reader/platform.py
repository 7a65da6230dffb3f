"""A tumbler's picture without glare, and how large the dice in it are.

The size told may be that at the platform's height or at the top faces', and is not that sure; all dice of a
picture are of one size.
"""

from dataclasses import dataclass

import numpy as np

from host_tools.second_reader.around import Surroundings
from host_tools.second_reader.fit import Fit
from host_tools.second_reader.outline import Edge, dark_edges, edges, side_of
from host_tools.second_reader.wall import Wall

_OFF = 0.22  # share by which the dice may be smaller or larger than told
_TRIES = 3  # the edges of a die are looked for about where they are thought to be
_SAME = 0.005  # share by which a size may differ and be the same


@dataclass(frozen=True)
class Scene:
    """`picture` without glare, of a platform within `wall`; `is_dark`: the dice are darker than the floor."""

    picture: np.ndarray
    wall: Wall
    is_dark: bool

    def edges_of(self, fit: Fit, side: float) -> list[Edge]:
        """The four edges of a die whose side is so many pixels."""
        floor = Surroundings(self.picture, fit.pose, side).floor
        seen = dark_edges if self.is_dark else edges
        return seen(self.picture, fit.pose, side, floor, (self.wall.x, self.wall.y))

    def side_of(self, fits: list[Fit], told: float) -> float:
        """The side of most dice, in pixels; the one told where no edges show it."""
        side = told
        for _ in range(_TRIES):
            sides = [side_of(self.edges_of(fit, side), side) for fit in fits]
            known = [one for one in sides if abs(one / told - 1) < _OFF]
            found = float(np.median(known)) if known else told
            if abs(found / side - 1) < _SAME:
                break
            side = found
        return side
