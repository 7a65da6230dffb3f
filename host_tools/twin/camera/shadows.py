"""Shadows of dice and balls under a round lamp: which parts of the lamp a point does not see."""

import numpy as np
from numpy.typing import NDArray

from host_tools.twin.camera.cubes import slab
from host_tools.twin.camera.rig import Lamp
from host_tools.twin.camera.vectors import Floats, Triple, dot, into, minus, plus, triple
from host_tools.twin.scene import Die, Thing

_GOLDEN = np.pi * (3 - np.sqrt(5))
_ROUNDED = 0.25  # a sharp cube this share of the rounding smaller casts about the rounded cube's shadow
_CORNERS = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)


def lamp_points(lamp: Lamp, count: int) -> Floats:
    """Points spread evenly over the lamp's disc, which faces the platform's middle; (count, 3) in mm."""
    at = np.array(lamp.at)
    axis = at / np.linalg.norm(at)
    side = np.cross(axis, [0.0, 0, 1] if abs(axis[2]) < 0.9 else [1.0, 0, 0])
    side /= np.linalg.norm(side)
    index = np.arange(count)
    out, turn = lamp.radius * np.sqrt((index + 0.5) / count), index * _GOLDEN
    points = at + np.outer(out * np.cos(turn), side) + np.outer(out * np.sin(turn), np.cross(axis, side))
    return points.astype(np.float32)


def behind(body: Die | Thing, points: Triple, lights: Triple) -> NDArray[np.bool_]:
    """Whether the body lies between points and lights, both in the platform's frame."""
    start = minus(points, triple(body.centre))
    along = minus(lights, points)
    if isinstance(body, Thing):
        share = np.clip(-dot(start, along) / dot(along, along), 0, 1)
        nearest = plus(start, along, share)
        return dot(nearest, nearest) < body.radius**2
    turn = body.matrix().astype(np.float32)
    near, far = slab(into(turn, start), into(turn, along), body.edge / 2 - _ROUNDED * body.rounding)
    return (near < far) & (far > 0) & (near < 1)


def outline(body: Die | Thing) -> NDArray[np.float64]:
    """Corners (8, 3) of a box around the body, in mm."""
    if isinstance(body, Thing):
        return np.array(body.centre) + _CORNERS * body.radius
    return np.array(body.centre) + (_CORNERS * body.edge / 2) @ body.matrix().T


def cast(body: Die | Thing, lamp: Lamp) -> NDArray[np.float64]:
    """Where the lines from the lamp through the corners of the body's box meet the platform, (8, 3)."""
    corners, at = outline(body), np.array(lamp.at)
    ground = at + (corners - at) * at[2] / np.maximum(at[2] - corners[:, 2:], 1)
    ground[:, 2] = 0
    return ground


def may_shade(body: Die | Thing, other: Die | Thing, lamp: Lamp) -> bool:
    """Whether the body can lie between the lamp and any part of the other; never a false no."""
    start, at = np.array(other.centre), np.array(lamp.at)
    along = at - start
    share = np.clip((np.array(body.centre) - start) @ along / (along @ along), 0, 1)
    apart = np.linalg.norm(start + share * along - body.centre)
    return bool(apart < _reach(body) + _reach(other) + lamp.radius)


def _reach(body: Die | Thing) -> float:
    """Radius in mm of a ball around the body."""
    return body.radius if isinstance(body, Thing) else body.edge * float(np.sqrt(0.75))
