"""The rounded body of a die: its corners, its footprint, and how far it is from other bodies, exactly.

A rounded cube is all points within `rounding` of a smaller cube, the core. So the distance of two dice is
that of their cores less both roundings, and a footprint is the core's shadow grown by the rounding.
"""

import numpy as np
from numpy.typing import NDArray

from host_tools.twin.scene import Die, Thing

Array = NDArray[np.float64]

_SIGNS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], dtype=np.float64)
_EDGES = np.array([(i, j) for i in range(8) for j in range(i) if np.abs(_SIGNS[i] - _SIGNS[j]).sum() == 2])


def core(die: Die) -> Array:
    """Corners of the core, 8x3."""
    return np.array(die.centre) + (die.edge / 2 - die.rounding) * _SIGNS @ die.matrix().T


def lowest(die: Die) -> float:
    """Height of the die's lowest point."""
    return float(core(die)[:, 2].min()) - die.rounding


def highest(die: Die) -> float:
    """Height of the die's highest point."""
    return float(core(die)[:, 2].max()) + die.rounding


def wall_gap(die: Die, radius: float) -> float:
    """From the die to an upright wall of `radius` around the middle; negative when it reaches through."""
    return radius - die.rounding - float(np.hypot(*core(die)[:, :2].T).max())


def die_gap(one: Die, other: Die) -> float:
    """Between the bodies of two dice; negative when they overlap (then by how much, along the best axis)."""
    grown = one.rounding + other.rounding
    a, b = core(one), core(other)
    apart = _separation(_axes(one.matrix(), other.matrix()), a, b)
    if apart <= 0:
        return apart - grown
    return min(_corners_to_core(a, other), _corners_to_core(b, one), _edges_to_edges(a, b)) - grown


def thing_gap(die: Die, thing: Thing) -> float:
    """Between a die and a ball; negative when they overlap."""
    return _corners_to_core(np.array([thing.centre]), die) - die.rounding - thing.radius


def footprint(die: Die) -> Array:
    """Corners, counter-clockwise, of the core's shadow on the platform, Nx2."""
    return _hull(core(die)[:, :2])


def footprint_gap(one: Die, other: Die) -> float:
    """Between the shadows of two dice on the platform; negative when they overlap."""
    a, b = footprint(one), footprint(other)
    grown = one.rounding + other.rounding
    apart = _separation(np.concatenate([_normals(a), _normals(b)]), a, b)
    if apart <= 0:
        return apart - grown
    return min(_points_to_outline(a, b), _points_to_outline(b, a)) - grown


def _axes(a: Array, b: Array) -> Array:
    """The fifteen axes along which two boxes can be apart: face normals and products of edges."""
    products = np.cross(a.T[:, None, :], b.T[None, :, :]).reshape(9, 3)
    sizes = np.linalg.norm(products, axis=1, keepdims=True)
    return np.concatenate([a.T, b.T, (products / np.maximum(sizes, 1e-12))[sizes[:, 0] > 1e-6]])


def _separation(axes: Array, a: Array, b: Array) -> float:
    """The largest gap between two convex bodies along any of the axes; negative when they overlap on all."""
    on_a, on_b = axes @ a.T, axes @ b.T
    gaps = np.maximum(on_a.min(1) - on_b.max(1), on_b.min(1) - on_a.max(1))
    return float(gaps.max())


def _corners_to_core(points: Array, die: Die) -> float:
    """The smallest distance of points to a die's core; 0 inside."""
    local = (points - np.array(die.centre)) @ die.matrix()
    outside = np.maximum(np.abs(local) - (die.edge / 2 - die.rounding), 0)
    return float(np.linalg.norm(outside, axis=1).min())


def _edges_to_edges(a: Array, b: Array) -> float:
    """The smallest distance of lines of two cores' edges where both closest points lie within the edges.

    Other closest points are corners, which `_corners_to_core` sees."""
    p, u = a[_EDGES[:, 0]][:, None], (a[_EDGES[:, 1]] - a[_EDGES[:, 0]])[:, None]
    q, v = b[_EDGES[:, 0]][None], (b[_EDGES[:, 1]] - b[_EDGES[:, 0]])[None]
    between = q - p
    uu, vv, uv = (u * u).sum(-1), (v * v).sum(-1), (u * v).sum(-1)
    ud, vd = (u * between).sum(-1), (v * between).sum(-1)
    divisor = uu * vv - uv * uv
    sound = divisor > 1e-9 * uu * vv
    divisor = np.where(sound, divisor, 1)
    s, t = (ud * vv - vd * uv) / divisor, (ud * uv - vd * uu) / divisor
    within = sound & (s >= 0) & (s <= 1) & (t >= 0) & (t <= 1)
    if not within.any():
        return np.inf
    distances = np.linalg.norm(between + t[..., None] * v - s[..., None] * u, axis=-1)
    return float(distances[within].min())


def _hull(points: Array) -> Array:
    """The convex hull of points in a plane, counter-clockwise (Andrew's monotone chain)."""
    ordered = sorted({(round(x, 9), round(y, 9)) for x, y in points.tolist()})

    def half(sequence: list[tuple[float, float]]) -> list[tuple[float, float]]:
        chain: list[tuple[float, float]] = []
        for x, y in sequence:
            while len(chain) > 1:
                (ax, ay), (bx, by) = chain[-2:]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 1e-9:
                    break
                chain.pop()
            chain.append((x, y))
        return chain[:-1]

    return np.array(half(ordered) + half(ordered[::-1]))


def _normals(polygon: Array) -> Array:
    sides = np.roll(polygon, -1, axis=0) - polygon
    return np.stack([sides[:, 1], -sides[:, 0]], 1) / np.linalg.norm(sides, axis=1, keepdims=True)


def _points_to_outline(points: Array, polygon: Array) -> float:
    """The smallest distance of points to a polygon's sides."""
    sides = np.roll(polygon, -1, axis=0) - polygon
    offset = points[:, None] - polygon[None]
    along = np.clip((offset * sides).sum(-1) / (sides * sides).sum(-1), 0, 1)
    return float(np.linalg.norm(offset - along[..., None] * sides, axis=-1).min())
