"""The make of the dice in a picture, found from the picture: how far pips lie apart and how large they are.

All dice of a picture are of one make. Each face adds what it alone can tell: a one the size of a single pip,
a six its two rows of three, the others the pitch.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from host_tools.second_reader.faces import INSIDE, U, V, draw_pips, patch
from host_tools.second_reader.fit import Fit
from host_tools.second_reader.profile import LIGHT_PIPS, Look

_STEPS = (0.02, 0.01, 0.005)  # sides, of the search
_TRIES = 3  # rounds of each step
_LIMITS = {
    "pitch": (0.17, 0.31),
    "pip": (0.06, 0.13),
    "single": (0.06, 0.22),
    "along": (0.2, 0.31),
    "across": (0.12, 0.31),
}
_TOLD_BY = {"pitch": {2, 3, 4, 5}, "pip": {2, 3, 4, 5, 6}, "single": {1}, "along": {6}, "across": {6}}


@dataclass(frozen=True)
class Make:
    """Lengths in sides: `pitch` from the middle to a row of pips, `pip` radius of one, `single` that of the
    one's; a six has its pips `along` and `across` its rows from the middle."""

    pitch: float
    pip: float
    single: float
    along: float
    across: float

    def look(self, polarity: str, side: float) -> Look:
        """How dice of this make look when a side is so many pixels."""
        a, b, c = self.pitch, self.along, self.across
        corners = [(-a, -a), (a, -a), (-a, a), (a, a)]
        pips = {
            1: [(0.0, 0.0)],
            2: [(-a, -a), (a, a)],
            3: [(-a, -a), (0.0, 0.0), (a, a)],
            4: corners,
            5: [*corners, (0.0, 0.0)],
            6: [(-b, -c), (0.0, -c), (b, -c), (-b, c), (0.0, c), (b, c)],
        }
        return Look(polarity, side, pips, {face: self.single if face == 1 else self.pip for face in pips})


CLASSIC = Make(pitch=0.26, pip=0.095, single=0.095, along=0.26, across=0.26)
LARGE_ONE = replace(CLASSIC, single=0.17)
COMPACT = Make(pitch=0.205, pip=0.09, single=0.12, along=0.287, across=0.1435)


def refine(make: Make, fits: list[Fit], picture: np.ndarray, polarity: str, side: float) -> Make:
    """The make near a first guess that draws the faces of the fits most like the picture."""
    patches = [(fit.face, patch(picture, replace(fit.pose, side=side))[INSIDE]) for fit in fits]
    for step in _STEPS:
        for _ in range(_TRIES):
            for name, faces in _TOLD_BY.items():
                told = [(face, cells) for face, cells in patches if face in faces]
                if told:
                    make = _better(make, name, step, lambda m, t=told: _likeness(m, t, polarity, side))
    return make


def _better(make: Make, name: str, step: float, value: Callable[[Make], float]) -> Make:
    low, high = _LIMITS[name]
    at = getattr(make, name)
    tried = [replace(make, **{name: min(max(at + by * step, low), high)}) for by in (0, -1, 1)]
    return max(tried, key=value)


def _likeness(make: Make, told: list[tuple[int, np.ndarray]], polarity: str, side: float) -> float:
    """Summed correlation of the faces, drawn in this make, with their cells."""
    look = make.look(polarity, side)
    sign = 1 if polarity == LIGHT_PIPS else -1
    drawn = [sign * draw_pips(look, face, U[INSIDE], V[INSIDE], 1.0 / side) for face, _ in told]
    return sum(float(np.corrcoef(one, cells)[0, 1]) for one, (_, cells) in zip(drawn, told, strict=True))
