"""How dice look: their make (size, rounding, pip places) and their colours as the grey camera sees them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from host_tools.twin.camera.errors import SizeError, StyleError
from host_tools.twin.scene import DISGUISES

Pip = tuple[float, float, float]  # place u, v on the face and radius, all as a share of the edge

CORNERS = ((-1, -1), (1, 1), (1, -1), (-1, 1))
_PLACES = {
    1: ((0, 0),),
    2: CORNERS[:2],
    3: (*CORNERS[:2], (0, 0)),
    4: CORNERS,
    5: (*CORNERS, (0, 0)),
    6: (*CORNERS, (-1, 0), (1, 0)),
}


@dataclass(frozen=True, slots=True)
class Brand:
    """A make of dice; all lengths are shares of the edge.

    pitch: from the middle to a pip's row; pip: a pip's radius; single: that of the one; six: from the middle
    of its rows of three to their ends, and to the rows; depth: of a pip, as a share of its radius.
    """

    name: str
    pitch: float = 0.26
    pip: float = 0.094
    single: float = 0.094
    six: tuple[float, float] = (0.26, 0.26)
    depth: float = 0.07

    def __post_init__(self) -> None:
        if not 0 < self.pip < self.pitch < 0.5 - self.pip / 2:
            raise SizeError(f"brand {self.name}: pips of radius {self.pip} do not fit at pitch {self.pitch}")
        if self.six[0] <= 2 * self.pip or self.six[1] <= self.pip:
            raise SizeError(f"brand {self.name}: the pips of a six overlap at {self.six}")
        if not 0 < self.single < 0.4 or self.depth < 0:
            raise SizeError(f"brand {self.name}: a single pip of radius {self.single}, depth {self.depth}")

    def pips(self, face: int) -> tuple[Pip, ...]:
        """The pips of a face, 1 to 6."""
        along, across = self.six if face == 6 else (self.pitch, self.pitch)
        radius = self.single if face == 1 else self.pip
        return tuple((u * across, v * along, radius) for u, v in _PLACES[face])

    def losable(self, face: int) -> int:
        """How many of a face's pips, from the first on, leave no other face behind when they are lost."""
        return face - (face - 1 == DISGUISES.get(face))


@dataclass(frozen=True, slots=True)
class Style:
    """Colours of a set of dice as grey: 0 is black, 1 reflects all light.

    red: faces whose pips are red, red_pip their grey; gloss, sharp: strength of the shine and how sharp it
    is; matt: 1 for faces that Lambert's law is of, less for rough ones; clear: share of light that passes the
    body; wear: share of the pips' contrast that is lost; dirt: specks on a face, on average.
    """

    name: str
    body: float
    pip: float
    brand: Brand
    red: tuple[int, ...] = ()
    red_pip: float = 0.1
    gloss: float = 0.09
    sharp: float = 40.0
    matt: float = 1.0
    clear: float = 0.0
    wear: float = 0.0
    dirt: float = 0.0

    def __post_init__(self) -> None:
        for name in ("body", "pip", "red_pip", "matt", "clear", "wear"):
            if not 0 <= getattr(self, name) <= 1:
                raise StyleError(f"style {self.name}: {name} {getattr(self, name)} is not from 0 to 1")

    def lit(self, cosine: NDArray[Any]) -> NDArray[Any]:
        """Light of a face by the cosine of the angle to the lamp; the same for all at 45 degrees."""
        return np.float32(0.5 ** ((1 - self.matt) / 2)) * np.maximum(cosine, 0) ** np.float32(self.matt)

    def pip_grey(self, face: int) -> float:
        """Grey of a face's pips, worn as they are."""
        fresh = self.red_pip if face in self.red else self.pip
        return fresh + self.wear * (self.body - fresh)


CLASSIC = Brand("classic")
COMPACT = Brand("compact", pitch=0.203, pip=0.09, single=0.09, six=(0.287, 0.1435))
ASIAN = Brand("asian", pitch=0.25, pip=0.092, single=0.17, six=(0.25, 0.25))
BROAD = Brand("broad", pitch=0.27, pip=0.11, single=0.13, six=(0.29, 0.25), depth=0.15)
CASINO = Brand("casino", pip=0.1, single=0.1, depth=0.0)
BRANDS = {brand.name: brand for brand in (CLASSIC, COMPACT, ASIAN, BROAD, CASINO)}

STYLES = {
    style.name: style
    for style in (
        Style("white_black", 0.8, 0.06, CLASSIC, gloss=0.09),
        Style("ivory_black", 0.63, 0.07, CLASSIC, gloss=0.09),
        Style("asian_red", 0.8, 0.06, ASIAN, red=(1, 4), red_pip=0.12, gloss=0.09),
        Style("black_white", 0.05, 0.75, CLASSIC, gloss=0.09),
        Style("casino_red", 0.1, 0.7, CASINO, gloss=0.07, clear=0.35),
    )
}


def style_named(name: str) -> Style:
    """The style of that name. Raises StyleError, which names those there are."""
    if name not in STYLES:
        raise StyleError(f"no dice style {name!r}: there are {', '.join(STYLES)}")
    return STYLES[name]
