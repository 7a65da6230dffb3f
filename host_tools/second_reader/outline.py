"""The outline of a die in one picture: its four edges, and where its body ends beyond them."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from host_tools.second_reader.faces import WAYS, Pose, outward_levels
from host_tools.second_reader.levels import OUT, body_end, dark_end, face_end, faint_end, is_rise
from host_tools.second_reader.refusal import Refused

_ALONG = np.linspace(-0.3, 0.3, 13)
_SHARP, _SOFT = 0.16, 0.1  # of the floor's level: less may be the rim of a shadow, or its slope
_WIDE, _PIXELS = 0.04, 2.0  # sides over which a change is sharp; pixels, where views are aslant
_SHOWS = 0.05  # sides beyond the edge: the least that counts as a bared side
_CONTACT = 0.027  # sides beyond a side's foot, where the level has risen from the shadow in which it stands
# By how much less a round rim reaches outward than inward, for each side outward, and how far out that grows.
_ASLANT, _FAR = 0.0125, 2.6
_SQUARE = 0.025  # sides by which a top face may be oblong
_SIZE = 0.04  # share by which a die may be smaller or larger than others on the floor
_FACE, _BODY = 0.97, 1.0  # sides between the edges of a top face, and where a dark body ends
_UNSURE = 0.6  # pixels by which the edges of a top face are unsure, beyond that
_ROUND = 0.08  # sides by which round edges, seen aslant, may reach farther on one side than on the other
_ASIDE = 0.33  # sides that may show of a die's side: seen 18 degrees aside, its top is 0.95 as long as wide


@dataclass(frozen=True)
class Edge:
    """One side of a die: how far its top face reaches from the middle (NaN when no clear step tells), and
    the farthest sharp change beyond, or if `is_faint` the clearest fainter one, both in sides; `outward` is
    its distance outward from the place below the lens, in sides, below 0 for an edge that faces that place;
    `angle` is the way to it, in degrees; `rim` by how much farther its top face reaches than the opposite
    way, beyond what a flat die's does at that place."""

    reach: float
    end: float
    outward: float
    angle: float
    is_faint: bool = False
    rim: float = math.nan

    @property
    def bares(self) -> bool:
        """Whether something tells where the body ends, beyond the edge of the top face."""
        return not (math.isnan(self.end) or self.end <= self.reach + _SHOWS)


def edges(
    picture: np.ndarray, pose: Pose, side: float, floor: float, below: tuple[float, float]
) -> list[Edge]:
    """The four edges of a die with dark pips, opposite ones beside each other. `side` in pixels, `floor` its
    grey level, `below` the place below the lens."""
    found = []
    for levels, outward, angle in _ways_out(picture, pose, side, below):
        reach = face_end(levels)
        end = body_end(levels, reach, floor, _WIDE, _SHARP)
        is_faint = end == reach
        end = faint_end(levels, reach, floor) if is_faint else end
        if end > reach and is_rise(levels, end):
            end = max(end - _CONTACT, reach)
        found.append(Edge(reach, end, outward, angle, is_faint))
    opposite = (found[1], found[0], found[3], found[2])
    return [
        replace(edge, rim=edge.reach - other.reach + _ASLANT * float(np.clip(edge.outward, -_FAR, _FAR)))
        for edge, other in zip(found, opposite, strict=True)
    ]


def dark_edges(
    picture: np.ndarray, pose: Pose, side: float, floor: float, below: tuple[float, float]
) -> list[Edge]:
    """The same of a die with light pips, which is darker than the floor: where its body ends is seen, and not
    where its top face does."""
    return [
        Edge(math.nan, dark_end(levels, floor), outward, angle)
        for levels, outward, angle in _ways_out(picture, pose, side, below)
    ]


def edges_aslant(picture: np.ndarray, pose: Pose, side: float, floor: float) -> list[Edge]:
    """The same where nothing tells where the lens is. The die may be darker than the floor, and its sides as
    bright as the floor, so rises and fainter changes count; shadows are soft."""
    found = []
    for levels, outward, angle in _ways_out(picture, pose, side, (pose.x, pose.y)):
        reach = face_end(levels, rises_too=True)
        found.append(Edge(reach, body_end(levels, reach, floor, _PIXELS / side, _SOFT), outward, angle))
    return found


def _ways_out(
    picture: np.ndarray, pose: Pose, side: float, below: tuple[float, float]
) -> Iterator[tuple[np.ndarray, float, float]]:
    """(levels, distance outward, angle) of the ways to the four edges."""
    x, y = pose.x - below[0], pose.y - below[1]
    c, s = math.cos(pose.angle), math.sin(pose.angle)
    for du, dv in WAYS:
        levels = outward_levels(picture, pose, (du, dv), OUT * side / pose.side, _ALONG)
        outward = (x * (c * du - s * dv) + y * (s * du + c * dv)) / side
        yield levels, outward, math.degrees(pose.angle + math.atan2(dv, du))


def side_of(found: list[Edge], side: float) -> float:
    """Of a die in pixels, by those of its edges that are seen, when looked for with a `side`; 0 for none."""
    reaches = [edge.reach for edge in found if not math.isnan(edge.reach)]
    if reaches:
        return side * 2 * float(np.mean(reaches)) / _FACE
    ends = [edge.end for edge in found if edge.outward > 0 and not math.isnan(edge.end)]
    return side * float(np.mean(ends)) * 2 / _BODY if ends else 0.0


def check_square(found: list[Edge]) -> None:
    """Refused unless the four edges make a square of the size told."""
    across, down = _reaches(found).sum(axis=1)
    if abs(across - down) > _SQUARE:
        raise Refused("not-flat", "not square")
    if max(abs(across - _FACE), abs(down - _FACE)) > _SIZE:
        raise Refused("unreadable", "another size")


def check_upright(found: list[Edge], side: float) -> None:
    """Refused unless a die is seen from above, from wherever: a square about the pips, and little of its
    sides. `side`: in pixels, to which the edges of small dice are less sure."""
    across, down = _reaches(found).sum(axis=1)
    lopsided = np.abs(np.subtract(*_reaches(found).T)).max()
    if abs(across - down) > _SQUARE + _UNSURE / side or lopsided > _ROUND:
        raise Refused("not-flat", "not square")
    if max(edge.end - edge.reach for edge in found) > _ASIDE:
        raise Refused("not-flat", "a side shows")


def _reaches(found: list[Edge]) -> np.ndarray:
    """Of opposite edges beside each other, [2, 2]. Refused when one is not seen."""
    if any(math.isnan(edge.reach) for edge in found):
        raise Refused("unreadable", "no-outline")
    return np.array([edge.reach for edge in found]).reshape(2, 2)
