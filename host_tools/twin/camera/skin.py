"""What is on a die's faces: pips, and what befell it. Grey and slope at every point of the surface.

On a face, u and v are the other two axes of the die in cyclic order, as shares of its edge from the middle.
"""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from host_tools.twin import scene
from host_tools.twin.camera.errors import StyleError
from host_tools.twin.camera.styles import Style
from host_tools.twin.camera.vectors import Floats
from host_tools.twin.scene import Die

_CRACK = 0.018  # half the width of a crack, a share of the edge,
_GAPING = 0.75  # and the share of the light that it swallows
_SCRATCH = 0.015  # half the width of a scratch,
TORN = 0.3  # and its grey: broken surface is whitish on dark bodies and soiled on bright ones
NICK = 0.1, 0.15  # radius of what is broken out of an edge, a share of it,
NICKED = -0.34, 0.34  # and where on it that is
# Face: the axis it lies on, and the side.
SIDES = {1: (2, 1), 6: (2, -1), 2: (1, 1), 5: (1, -1), 3: (0, 1), 4: (0, -1)}


def top_face(die: Die) -> int:
    """The face that looks up most."""
    up = die.matrix()[2]
    return max(SIDES, key=lambda face: SIDES[face][1] * up[SIDES[face][0]])


def normal_of(face: int) -> NDArray[np.float64]:
    """Unit normal of a face in the die's axes."""
    axis, side = SIDES[face]
    normal = np.zeros(3)
    normal[axis] = side
    return normal


@dataclass(frozen=True, slots=True)
class Spot:
    """A round mark: u, v, radius as shares of the edge; grey; cover: 1 hides all beneath; depth of a bowl."""

    u: float
    v: float
    radius: float
    grey: float
    cover: float = 1.0
    depth: float = 0.0


@dataclass(frozen=True, slots=True)
class Line:
    """A thin mark: u, v of its corners and half its width as shares of the edge; grey; cover as a spot's."""

    corners: tuple[tuple[float, float], ...]
    half: float
    grey: float
    cover: float = 1.0


@dataclass(frozen=True, slots=True)
class Skin:
    """The surface of one die.

    spots: by face, later ones lie on earlier ones; line: a crack or a scratch on the top face; chip: centre
    and radius in mm, in the die's axes, of the ball that a blow took out of it.
    """

    body: float
    spots: dict[int, tuple[Spot, ...]]
    top: int
    line: Line | None = None
    chip: tuple[tuple[float, float, float], float] | None = None

    @staticmethod
    def drawn(die: Die, style: Style, rng: np.random.Generator) -> "Skin":
        """The skin of a die of a style, with its damage somewhere on the top face, and dirt."""
        top = top_face(die)
        spots = {face: list(_pips(style, face)) for face in SIDES}
        line, chip = None, None
        match die.damage:
            case "":
                pass
            case scene.DISGUISED:
                shown = style.brand.pips(scene.DISGUISES.get(top, top))
                spots[top] = [replace(spots[top][0], u=u, v=v) for u, v, _ in shown]
            case "pip-lost":
                del spots[top][int(rng.integers(style.brand.losable(top)))]
            case "pip-extra":
                spots[top].append(_extra(style, top, spots[top], rng))
            case "cracked":
                line = Line(_crack(rng), _CRACK, 0.0, _GAPING)
            case "scratched":
                line = Line(_scratch(rng), _SCRATCH, TORN)
            case "chipped":
                chip = _chip(die, top, rng)
            case "nicked":
                chip = _nick(die, top, rng)
            case unknown:
                raise StyleError(f"no camera can show the damage {unknown!r}")
        for face in SIDES:
            spots[face] += [_speck(style, rng) for _ in range(rng.poisson(style.dirt))]
        return Skin(style.body, {face: tuple(s) for face, s in spots.items()}, top, line, chip)

    def paint(self, face: int, u: Floats, v: Floats, soft: float) -> tuple[Floats, Floats, Floats]:
        """Grey, and slope along u and v, at points of a face; rims are `soft` wide, a share of the edge."""
        grey = np.full(u.shape, self.body, np.float32)
        slope_u, slope_v = np.zeros_like(u), np.zeros_like(u)
        for spot in self.spots[face]:
            du, dv = u - np.float32(spot.u), v - np.float32(spot.v)
            away = np.sqrt(du * du + dv * dv)
            near = np.flatnonzero(away < spot.radius + soft)
            share = np.clip((spot.radius - away[near]) / soft + 0.5, 0, 1)
            grey[near] += (spot.grey - grey[near]) * share * spot.cover
            if spot.depth:
                steep = share * np.float32(2 * spot.depth / spot.radius)
                slope_u[near], slope_v[near] = du[near] * steep, dv[near] * steep
        if face == self.top and self.line:
            grey += (self.line.grey - grey) * _share(self.line, u, v, soft) * self.line.cover
        return grey, slope_u, slope_v


def _pips(style: Style, face: int) -> tuple[Spot, ...]:
    grey, depth = style.pip_grey(face), style.brand.depth
    return tuple(Spot(u, v, radius, grey, depth=depth) for u, v, radius in style.brand.pips(face))


def _extra(style: Style, face: int, pips: list[Spot], rng: np.random.Generator) -> Spot:
    """A spot like a pip where none belongs: at an empty place of the lattice or between places."""
    pitch = style.brand.pitch
    lattice = [(u * pitch, v * pitch) for u in (-1, 0, 1) for v in (-1, 0, 1)]
    if face in scene.DISGUISES:
        lattice.remove((0.0, 0.0))  # that would be another face
    reach = style.brand.pip + max(pip.radius for pip in pips)
    free = [at for at in lattice if all(np.hypot(at[0] - p.u, at[1] - p.v) > reach for p in pips)]
    u, v = free[rng.integers(len(free))] if free else (rng.uniform(-0.3, 0.3), pitch / 2)
    return Spot(float(u), float(v), style.brand.pip * rng.uniform(0.8, 1.05), style.pip)


def _crack(rng: np.random.Generator) -> tuple[tuple[float, float], ...]:
    """A jagged line from one side of the face to the other."""
    across = np.linspace(-0.5, 0.5, 6)
    along = rng.uniform(-0.2, 0.2) + np.cumsum(rng.uniform(-0.1, 0.1, 6))
    line = np.stack([across, along], 1)
    return tuple((float(a), float(b)) for a, b in (line if rng.random() < 0.5 else line[:, ::-1]))


def _scratch(rng: np.random.Generator) -> tuple[tuple[float, float], ...]:
    length, turn = rng.uniform(0.5, 0.8), rng.uniform(0, np.pi)
    return tuple((float(u), float(v)) for u, v in scratch_ends(length, turn, rng.uniform(-1, 1, 2)))


def scratch_ends(length: float, turn: float, aside: NDArray[np.float64]) -> NDArray[np.float64]:
    """Ends (2, 2) of a straight line on a face, as shares of the edge from its middle.

    turn: radians; aside: -1 to 1 along u and v, as far as keeps it off the rounded rim.
    """
    half = np.array([np.cos(turn), np.sin(turn)]) * length / 2
    middle = aside * (0.42 - np.abs(half))
    return np.stack([middle - half, middle + half])


def _chip(die: Die, top: int, rng: np.random.Generator) -> tuple[tuple[float, float, float], float]:
    corner = rng.choice([-1.0, 1.0], 3)
    axis, side = SIDES[top]
    corner[axis] = side
    x, y, z = (float(c) for c in corner * die.edge / 2)
    return (x, y, z), float(rng.uniform(0.22, 0.34) * die.edge)


def _nick(die: Die, top: int, rng: np.random.Generator) -> tuple[tuple[float, float, float], float]:
    axis, side = SIDES[top]
    broken, along = rng.permutation([other for other in range(3) if other != axis])
    at = np.zeros(3)
    at[axis], at[broken], at[along] = side / 2, rng.choice([-0.5, 0.5]), rng.uniform(*NICKED)
    x, y, z = (float(c) for c in at * die.edge)
    return (x, y, z), float(rng.uniform(*NICK) * die.edge)


def _speck(style: Style, rng: np.random.Generator) -> Spot:
    u, v = rng.uniform(-0.45, 0.45, 2)
    return Spot(float(u), float(v), rng.uniform(0.015, 0.045), 0.25, rng.uniform(0.15, 0.5))


def _share(line: Line, u: Floats, v: Floats, soft: float) -> Floats:
    """How much of a line lies at each point, 0 to 1."""
    nearest = np.full(u.shape, 9, np.float32)
    for (u0, v0), (u1, v1) in pairwise(line.corners):
        du, dv = u1 - u0, v1 - v0
        along = np.clip(((u - u0) * du + (v - v0) * dv) / (du * du + dv * dv), 0, 1)
        nearest = np.minimum(nearest, np.hypot(u - u0 - along * du, v - v0 - along * dv))
    return np.clip((line.half - nearest) / soft + 0.5, 0, 1)
