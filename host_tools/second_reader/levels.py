"""What the levels on the ways out of a top face tell: where the face ends, and where the body does.

Levels are [distance, place along the edge], at the distances OUT.
"""

import math

import numpy as np

STEP = 0.01
OUT = np.arange(0.30, 0.86, STEP)  # sides from the middle
_BROAD = 6  # steps over which a faint change is told, and that at a dark die
_NOISE, _SHARE = 3.0, 0.035  # grey levels and share of the face's level, that are no change
_FAINTEST = 0.06  # of the floor's level: the least faint change
_SLOPE, _SLOPE_OVER = 0.65, 6  # share of the rise over so many steps more to both sides: less is a slope
_BARELY, _SPOT = 1.1, 1.3  # of the floor's level: what rises from less to more is a lamp's image
_EVEN, _RUN = 0.12, 6  # share of its level by which floor may differ, and over how many steps it is floor
_EDGE = (0.40, 0.60)  # sides from the middle, where the edge of a top face is looked for
_BARE_FACE = 0.8  # quantile of the levels near an edge, most of which may be pips
_CLEAR, _STEPS = 0.12, 0.06  # of the face's level: the least fall at an edge, and step where views are aslant
_FAINT = 5.0  # grey levels: the least step
_SHOWS = 0.05  # sides beyond the face's edge, nearer than which nothing is told from it
_DARK = 0.3  # quantile of the levels of a dark side, on which light pips may be
# Of the level of the floor farther off: the least rise where a dark body ends, and the least level of the
# floor beyond, in the die's shadow.
_RISES, _LIT = 0.08, 0.6


def face_end(levels: np.ndarray, rises_too: bool = False) -> float:
    """Where the level has gone half the way from the face's to that close beyond; NaN where it does not.

    It falls there, or if `rises_too` falls or rises.
    """
    middle = np.pad(np.median(levels, axis=1), 1, mode="edge")
    smooth = np.convolve(middle, np.full(3, 1 / 3), mode="valid")
    first, last = np.searchsorted(OUT, _EDGE)
    change = np.diff(smooth)[first:last]
    steepest = int((np.abs(change) if rises_too else -change).argmax())
    sign = -1.0 if rises_too and change[steepest] > 0 else 1.0
    smooth = sign * smooth
    face = float(np.quantile(sign * levels[:first], _BARE_FACE))
    beyond = float(smooth[first + steepest : first + steepest + 12].min())
    least = max(_STEPS * abs(face), _FAINT) if rises_too else _CLEAR * face
    if face - beyond < least:
        return math.nan
    half = (face + beyond) / 2
    passed = first + int((smooth[first:] < half).argmax())
    if passed == first:
        return math.nan
    return float(OUT[passed] - STEP * (half - smooth[passed]) / (smooth[passed - 1] - smooth[passed]))


def body_end(levels: np.ndarray, reach: float, floor: float, over: float, sharp: float) -> float:
    """The outermost change by the share `sharp` of the floor's level, `over` so many sides, between the
    face's own edge and the floor; `reach` when there is none."""
    if math.isnan(reach):
        return reach
    wide = round(over / STEP)
    middle = np.median(levels, axis=1)
    change = np.abs(middle[wide:] - middle[:-wide])
    places = OUT[:-wide] + STEP * wide / 2
    least = max(sharp * floor, _SHARE * float(middle[:8].max()), _NOISE)
    peaks = np.zeros(len(change), bool)
    peaks[1:-1] = (change[1:-1] >= change[:-2]) & (change[1:-1] > change[2:]) & (change[1:-1] > least)
    peaks &= (places > reach + _SHOWS) & ~_slopes(middle, wide, reach)
    even = (np.abs(middle[wide:] - floor) < max(_EVEN * floor, _NOISE)) & (change < least)
    floors = np.convolve(even & (places > reach), np.ones(_RUN), mode="valid") == _RUN
    dark = np.logical_or.accumulate((middle < _BARELY * floor) & (reach < OUT))
    spots = np.flatnonzero(dark & (middle > _SPOT * floor)) - 2 * wide
    ends = [int(floors.argmax())] if floors.any() else []
    for end in [*ends, *spots[:1]]:
        peaks[max(end, 0) :] = False
    return float(places[np.flatnonzero(peaks)[-1]]) if peaks.any() else reach


def faint_end(levels: np.ndarray, reach: float, floor: float) -> float:
    """The place of the clearest change beyond the face's own edge; `reach` when there is none."""
    middle = np.median(levels, axis=1)
    change = np.abs(middle[_BROAD:] - middle[:-_BROAD])
    places = OUT[:-_BROAD] + STEP * _BROAD / 2
    inner = change[1:-1]
    peaks = (inner >= change[:-2]) & (inner > change[2:]) & (inner > max(_FAINTEST * floor, _NOISE))
    peaks &= (places[1:-1] > reach + _SHOWS) & ~_slopes(middle, _BROAD, reach)[1:-1]
    return float(places[1:-1][np.where(peaks, inner, 0).argmax()]) if peaks.any() else reach


def is_rise(levels: np.ndarray, end: float) -> bool:
    """Whether the level rises where a body ends."""
    before, after = np.searchsorted(OUT, (end - STEP * _BROAD / 2, end + STEP * _BROAD / 2))
    middle = np.median(levels, axis=1)
    return bool(middle[min(after, len(middle) - 1)] > middle[before])


def _slopes(middle: np.ndarray, wide: int, reach: float) -> np.ndarray:
    """Where the level rises over `wide` steps as part of a longer rise: sides end with a step, and shadows
    with a slope."""
    first, steps = int(np.searchsorted(OUT, reach + _SHOWS)), np.arange(len(middle) - wide)
    near = np.minimum(np.maximum(steps - _SLOPE_OVER, first), steps)
    far = np.minimum(steps + wide + _SLOPE_OVER, len(middle) - 1)
    rise = middle[wide:] - middle[:-wide]
    return (rise > 0) & (rise < _SLOPE * (middle[far] - middle[near]))


def dark_end(levels: np.ndarray, floor: float) -> float:
    """Where the level first rises to that of lit floor, half the way; NaN where it does not."""
    dark = np.pad(np.quantile(levels, _DARK, axis=1), 1, mode="edge")
    smooth = np.convolve(dark, np.full(3, 1 / 3), mode="valid")
    change = smooth[_BROAD:] - smooth[:-_BROAD]
    least = max(_RISES * floor, _FAINT)
    for step in range(int(np.searchsorted(OUT, _EDGE[0])), len(change) - 1):
        lit = float(smooth[step : step + 2 * _BROAD].max())
        if change[step] < max(least, change[step - 1], change[step + 1]) or lit < _LIT * floor:
            continue
        first = step - _BROAD + int(smooth[step - _BROAD : step + _BROAD].argmin())
        half = (float(smooth[first]) + lit) / 2
        if smooth[step + _BROAD : step + 2 * _BROAD].min() < half:
            continue
        passed = first + int((smooth[first:] > half).argmax())
        return float(OUT[passed] - STEP * (smooth[passed] - half) / (smooth[passed] - smooth[passed - 1]))
    return math.nan
