"""A die's skin on its body: grey and slope where rays meet it, chips, and light through a clear body."""

from dataclasses import replace

import numpy as np

from host_tools.twin.camera.cubes import Hits, distance, face_of, slab
from host_tools.twin.camera.skin import SIDES, Skin
from host_tools.twin.camera.vectors import Floats, Triple, dot, minus, picked, plus, scaled, triple, unit
from host_tools.twin.scene import Die

GLASS = 1.49  # refractive index of a clear die, acrylic
_DEEP = 0.3  # share of the far side's pips that comes through


def painted(hits: Hits, skin: Skin, edge: float, soft: float) -> tuple[Floats, Triple]:
    """Grey and normal at each hit, pips hollowed."""
    grey = np.full(len(hits.ray), skin.body, np.float32)
    normal = [axis.copy() for axis in hits.normal]
    for face in np.unique(hits.face):
        on = np.flatnonzero(hits.face == face)
        first, second = _across(int(face))
        u, v = hits.place[first][on] / np.float32(edge), hits.place[second][on] / np.float32(edge)
        grey[on], slope_u, slope_v = skin.paint(int(face), u, v, soft)
        normal[first][on] -= slope_u
        normal[second][on] -= slope_v
    return grey, unit((normal[0], normal[1], normal[2]))


def shone_through(hits: Hits, along: Triple, skin: Skin, edge: float, soft: float) -> Floats:
    """Grey of the far side's pips as it comes through a clear body: one refracted ray."""
    cosine = -dot(along, hits.normal)
    ratio = 1 / GLASS
    bend = ratio * cosine - np.sqrt(np.maximum(1 - ratio**2 * (1 - cosine**2), 0))
    inner = plus(scaled(along, ratio), hits.normal, bend)
    _, far = slab(hits.place, inner, edge / 2)
    leaves = plus(hits.place, inner, far)
    sides = face_of(leaves)
    light = np.zeros(len(hits.ray), np.float32)
    for face in np.unique(sides):
        on = np.flatnonzero(sides == face)
        first, second = _across(int(face))
        u, v = leaves[first][on] / np.float32(edge), leaves[second][on] / np.float32(edge)
        grey, _, _ = skin.paint(int(face), u, v, 2 * soft)
        light[on] = np.maximum(grey - skin.body, 0)
    return np.float32(_DEEP) * light


def chipped(hits: Hits, direction: Triple, chip: tuple[tuple[float, float, float], float], die: Die) -> Hits:
    """The same hits where a ball is taken out of the die: rays go on to the ball's far side, or through."""
    centre, radius = triple(chip[0]), np.float32(chip[1])
    off = minus(hits.place, centre)
    gone = np.flatnonzero(dot(off, off) < radius**2)
    off, along = picked(off, gone), picked(direction, hits.ray[gone])
    across = dot(off, along)
    further = np.sqrt(across**2 - dot(off, off) + radius**2) - across
    inner = plus(off, along, further)
    place, normal = [p.copy() for p in hits.place], [n.copy() for n in hits.normal]
    away = hits.away.copy()
    away[gone] += further
    for axis in range(3):
        place[axis][gone] = centre[axis] + inner[axis]
        normal[axis][gone] = -inner[axis] / radius
    kept = np.ones(len(away), bool)
    kept[gone] = distance(plus(centre, inner), die.edge / 2 - die.rounding, die.rounding) < 0
    return replace(
        hits,
        ray=hits.ray[kept],
        away=away[kept],
        place=picked((place[0], place[1], place[2]), kept),
        normal=picked((normal[0], normal[1], normal[2]), kept),
        face=hits.face[kept],
    )


def _across(face: int) -> tuple[int, int]:
    """The axes of u and v on a face."""
    axis = SIDES[face][0]
    return (axis + 1) % 3, (axis + 2) % 3
