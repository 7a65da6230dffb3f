"""One tumbler of the twin: its machine, cameras and sets of dice, drawn from a seed once for all."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from host_tools.twin.camera import BRANDS, STYLES, Rig, Style, Tracer
from host_tools.twin.camera.photos import Camera, photograph
from host_tools.twin.camera.warp import Warper
from host_tools.twin.machine import Machine

SIZES = {"320x240": 320, "160x120": 160}
LAMPS = {"four": Rig.drawn, "ring": Rig.drawn_ring}  # in turn, a frame each; or all about the lens, one frame
RENDERERS: dict[str, Callable[[Rig], Camera]] = {"tracer": Tracer, "warper": Warper}
EDGES = (16.0, 18.0, 19.0)  # mm
_PLAIN = ("classic", "compact", "broad")  # makes of dice that come in every plain colour
_GLOSS, _SHARP = (0.6, 1.4), (25.0, 60.0)  # shares of the usual shine, and how sharp it is
_MATT = 0.75, 1.0  # from rough faces to those that Lambert's law is of
_SPECIAL = ("asian_red", "casino_red")  # styles that are a make of their own


@dataclass(frozen=True, slots=True)
class Unit:
    """Number `number` of the tumblers of a seed; each has other cameras, lamps and dice. Number 0 has dice of
    16 mm, of an ordinary make and finish."""

    seed: int
    number: int = 0

    @property
    def edge(self) -> float:
        """Edge of its dice, mm."""
        return float(self._rng("edge").choice(EDGES)) if self.number else EDGES[0]

    def machine(self) -> Machine:
        """Its platform, drive and dice."""
        return Machine(die_edge=self.edge)

    def style(self, name: str) -> Style:
        """Its set of dice of that style, one of STYLES, as new."""
        style = STYLES[name]
        if not self.number:
            return style
        finish = self._rng(f"finish {name}")
        style = replace(
            style,
            gloss=style.gloss * float(finish.uniform(*_GLOSS)),
            sharp=float(finish.uniform(*_SHARP)),
            matt=float(finish.uniform(*_MATT)),
        )
        if name in _SPECIAL:
            return style
        make = BRANDS[str(self._rng(f"brand {name}").choice(_PLAIN))]
        return replace(style, brand=make)

    def rig(self, size: str, lamps: str) -> Rig:
        """Its camera and lamps, for pictures of one of SIZES under one of LAMPS."""
        rng = self._rng("rig")
        return LAMPS[lamps](rng, SIZES[size], self.machine().platform_radius)

    def camera(self, size: str, lamps: str, renderer: str) -> Camera:
        """What draws its pictures, one of RENDERERS."""
        return _camera(self, size, lamps, renderer)

    def photograph(self, folder: Path, style: str, size: str, lamps: str) -> None:
        """Take the pictures that a calibration needs: `folder`/empty and `folder`/face1 to face6."""
        camera = self.camera(size, lamps, "tracer")
        rng = self._rng(f"photographs {style} {size} {lamps}")
        photograph(camera, self.style(style), folder, rng, self.edge, self.machine().platform_radius)

    def _rng(self, purpose: str) -> np.random.Generator:
        return generator(self.seed, self.number, purpose)


def generator(*of: int | str) -> np.random.Generator:
    """A generator of its own for each sequence of numbers and words."""
    return np.random.default_rng(list("/".join(map(str, of)).encode()))


@lru_cache(maxsize=32)
def _camera(unit: Unit, size: str, lamps: str, renderer: str) -> Camera:
    return RENDERERS[renderer](unit.rig(size, lamps))
