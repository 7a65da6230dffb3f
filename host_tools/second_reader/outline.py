"""The outline of a die in one picture: its four edges, and what of its sides shows beyond them.

From above a flat die shows its top and, where it faces the middle of the picture, a strip of its sides, which
grows with the distance from there. A die that leans shows a wider strip, or is not square.
"""

import math
from dataclasses import dataclass

import numpy as np

from host_tools.second_reader.faces import WAYS, Pose, outward_levels
from host_tools.second_reader.refusal import Refused

_STEP = 0.01
_OUT = np.arange(0.30, 0.86, _STEP)  # sides from the middle
_ALONG = np.linspace(-0.3, 0.3, 13)
_WIDE, _PIXELS = 4, 2.0  # steps over which a sharp change is told; pixels, where views are aslant
_SHARP, _SOFT = 0.16, 0.1  # of the floor's level: less may be the rim of a shadow, or its slope
_NOISE, _SHARE = 3.0, 0.035  # grey levels and share of the face's level, that are no change either
_EVEN, _RUN = 0.12, 6  # share of its level by which floor may differ, and over how many steps it is floor
_EDGE = (0.40, 0.60)  # sides from the middle, where the edge of a top face is looked for
_BARE_FACE = 0.8  # quantile of the levels near an edge, most of which may be pips
_CLEAR, _STEPS = 0.12, 0.06  # of the face's level: the least fall at an edge, and step where views are aslant
_FAINT = 5.0  # grey levels: the least step
_RISE = 0.085  # of its distance from the picture's middle: by how much the top of a die is shifted
_BARED, _BODY = 0.05, 0.27  # sides more than that, which are a leaning die's; and which are another body's
_BARE = 0.435  # sides from the middle, to which the rise adds, where a flat die's bared side ends
_FACING = -1.3  # sides outward: edges that face the middle this much bare enough to be measured
_LOWEST, _HIGHEST = 0.06, 0.11  # of rises that a machine's camera has
_STRIP = 0.05  # sides by which a bared side may be thinner or thicker than a flat die's
_SHOWS = 0.05  # sides beyond the edge: the least that counts as a bared side
_ASLANT = 0.0155  # by how much less a round rim may reach outward than inward, for each side outward
_SQUARE, _LOPSIDED = 0.025, 0.03  # sides by which a top face may be oblong, and its pips off its middle
_SIZE = 0.08  # share by which a die may be smaller or larger than told
_FACE = 0.97  # sides between the edges of a top face
_UNSURE = 0.6  # pixels by which its edges are unsure, beyond that
_ROUND = 0.08  # sides by which round edges, seen aslant, may reach farther on one side than on the other
_ASIDE = 0.33  # sides that may show of a die's side: seen 18 degrees aside, its top is 0.95 as long as wide


@dataclass(frozen=True)
class Edge:
    """One side of a die: how far its top face reaches from the middle (NaN when no clear step tells), and
    the farthest sharp change beyond, both in sides; `outward` is its distance outward from the middle of the
    picture, in sides, below 0 for an edge that faces the middle; `angle` is the way to it, in degrees."""

    reach: float
    end: float
    outward: float
    angle: float


def edges(picture: np.ndarray, pose: Pose, side: float, floor: float, aslant: bool = False) -> list[Edge]:
    """The four edges of a die, opposite ones beside each other. `side` in pixels, `floor` its grey level.

    `aslant`: the die may be darker than the floor, and its sides as bright as the floor, so rises and fainter
    changes count; shadows are soft.
    """
    wide, sharp = (round(_PIXELS / side / _STEP), _SOFT) if aslant else (_WIDE, _SHARP)
    rows, columns = picture.shape
    x, y = pose.x - (columns - 1) / 2, pose.y - (rows - 1) / 2
    c, s = math.cos(pose.angle), math.sin(pose.angle)
    found = []
    for du, dv in WAYS:
        levels = outward_levels(picture, pose, (du, dv), _OUT * side / pose.side, _ALONG)
        outward = (x * (c * du - s * dv) + y * (s * du + c * dv)) / side
        reach = _reach(levels, aslant)
        angle = math.degrees(pose.angle + math.atan2(dv, du))
        found.append(Edge(reach, _end(levels, reach, floor, wide, sharp), outward, angle))
    return found


def side_of(found: list[Edge], side: float) -> float:
    """Of a die in pixels, by those of its edges that are seen, when looked for with a `side`; 0 for none."""
    reaches = [edge.reach for edge in found if not math.isnan(edge.reach)]
    return side * 2 * float(np.mean(reaches)) / _FACE if reaches else 0.0


def check_square(found: list[Edge]) -> None:
    """Refused unless the four edges make a square of the size told about the pips."""
    across, down = _reaches(found).sum(axis=1)
    aslant = np.array([-_ASLANT * edge.outward for edge in found[::2]])
    apart = np.subtract(*_reaches(found).T)
    lopsided = np.abs(apart - np.clip(apart, np.minimum(aslant, 0), np.maximum(aslant, 0))).max()
    if abs(across - down) > _SQUARE or lopsided > _LOPSIDED:
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


def check_sides(found: list[Edge]) -> None:
    """Refused when more of a side shows than a flat die bares, at edges that nothing hides."""
    for edge in found:
        bared = edge.end - 0.5 - _RISE * max(-edge.outward, 0.0)
        if _BARED < bared < _BODY:
            raise Refused("not-flat", "a side shows")


def rises(found: list[Edge]) -> list[float]:
    """What the bared sides in sight tell of the camera: by how much of its distance from the picture's middle
    the top of a flat die is shifted outward."""
    facing = [edge for edge in found if is_facing(edge) and edge.end > edge.reach + _SHOWS]
    return [(edge.end - _BARE) / -edge.outward for edge in facing]


def is_facing(edge: Edge) -> bool:
    """Whether an edge faces the picture's middle so that a flat die bares its side there."""
    return edge.outward < _FACING


def check_strips(found: list[Edge], told: list[float]) -> None:
    """Refused unless every edge that faces the middle bares what the rises `told` by others say.

    A die of six degrees that leans outward would bare 0.1 sides less.
    """
    facing = [edge for edge in found if is_facing(edge)]
    rise = float(np.median(told))
    if not _LOWEST < rise < _HIGHEST:
        raise Refused("not-flat", "sides do not agree")
    for edge in facing:
        if abs(edge.end - _BARE - rise * -edge.outward) > _STRIP:
            raise Refused("not-flat", "sides do not agree")


def _reach(levels: np.ndarray, aslant: bool) -> float:
    """Where the level has gone half the way from the face's to that close beyond; NaN where it does not.

    It falls there, or if `aslant` falls or rises.
    """
    middle = np.pad(np.median(levels, axis=1), 1, mode="edge")
    smooth = np.convolve(middle, np.full(3, 1 / 3), mode="valid")
    first, last = np.searchsorted(_OUT, _EDGE)
    change = np.diff(smooth)[first:last]
    steepest = int((np.abs(change) if aslant else -change).argmax())
    sign = -1.0 if aslant and change[steepest] > 0 else 1.0
    smooth = sign * smooth
    face = float(np.quantile(sign * levels[:first], _BARE_FACE))
    beyond = float(smooth[first + steepest : first + steepest + 12].min())
    least = max(_STEPS * abs(face), _FAINT) if aslant else _CLEAR * face
    if face - beyond < least:
        return math.nan
    half = (face + beyond) / 2
    passed = first + int((smooth[first:] < half).argmax())
    if passed == first:
        return math.nan
    return float(_OUT[passed] - _STEP * (half - smooth[passed]) / (smooth[passed - 1] - smooth[passed]))


def _end(levels: np.ndarray, reach: float, floor: float, wide: int, sharp: float) -> float:
    """The outermost sharp change between the face's own edge and the floor; `reach` when there is none."""
    if math.isnan(reach):
        return reach
    middle = np.median(levels, axis=1)
    change = np.abs(middle[wide:] - middle[:-wide])
    places = _OUT[:-wide] + _STEP * wide / 2
    least = max(sharp * floor, _SHARE * float(middle[:8].max()), _NOISE)
    peaks = np.zeros(len(change), bool)
    peaks[1:-1] = (change[1:-1] >= change[:-2]) & (change[1:-1] > change[2:]) & (change[1:-1] > least)
    peaks &= places > reach + _SHOWS
    even = (np.abs(middle[wide:] - floor) < max(_EVEN * floor, _NOISE)) & (change < least)
    floors = np.convolve(even & (places > reach), np.ones(_RUN), mode="valid") == _RUN
    if floors.any():
        peaks[int(floors.argmax()) :] = False
    return float(places[np.flatnonzero(peaks)[-1]]) if peaks.any() else reach
