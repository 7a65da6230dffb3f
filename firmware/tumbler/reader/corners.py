"""A chipped corner: its hollow leans from one lamp and towards another, a whole face is even to all four.

Corners are compared with each other, so that neither exposure nor the fall of the light matters. A bright
face is judged under each lamp; a dark one, whose gloss differs from corner to corner, in the darkest frame
and by all lamps together: gloss moves with the lamp, and no corner of a whole face is the darkest under all.
Each check returns its margin: the share, 0 to 1, of what it allows that the face does not use.
"""

from math import log

from .agreement import lamp_levels
from .pips import is_in_pip, sample
from .refusal import Refused

_INSETS = 0.36, 0.40  # half-widths at which corners are looked at; pips of broad dice reach the inner one
_OUTER = 0.42  # and that of a bright face whose pips reach the other one, too; beyond it is the rounded rim
_SOFT = 0.5  # pixels beyond a pip's edge that it darkens enough to pass for a hollow
_SOFT_LIGHT = 1.2  # and that a light one brightens,
_GLOW = 0.9  # enough for the corner it is in to outshine one without a pip
_PROBE = 0.03  # radius of the cross of five samples, in sides
_HOLLOW = 0.6  # share of the next darkest corner's level below which a dark face's is gone; whole ones: 0.68
_LEANING = 0.54  # share of the middle corner's level below which a bright face's is gone under a lamp
_DIFFERENCE = 3  # levels that noise may make
SPOTS = ((0.42, 0.42), (0.42, 0.35), (0.35, 0.42), (0.37, 0.37), (0.40, 0.40))  # of a corner, off its pip
_DARKER = 0.09  # least logarithm by which a broken corner is darker than the next darkest, in the lamps' mean
_NOISE = 1.5  # levels
_LAMPS = 3  # least that must show a corner
CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))


def check_dark_corners(plane, columns, profile, pose):
    """Margin; Refused when one corner of the dark face at `pose` is much darker than the other three."""
    margin = 1
    for inset in (_dark_inset(profile), _INSETS[1]):
        corners = []
        for u, v in CORNERS:
            x, y = pose.place(u * inset, v * inset)
            corners.append(sample(plane, columns, x, y, _PROBE * pose.side))
        corners.sort()
        margin = min(margin, _refuse_hollow(corners[0], corners[1], _HOLLOW))
    return margin


def _dark_inset(profile):
    """Half-width at which no face's pip brightens a corner; blurred ones of small dice reach farther out."""
    inset, outer = _INSETS
    while inset < outer and _is_lit(inset, profile):
        inset += 0.01
    return inset


def _is_lit(inset, profile):
    return any(
        is_in_pip(inset, inset, pips, profile.radii[count] + _GLOW / profile.side)
        for count, pips in profile.pips.items()
    )


def check_bright_corners(gatherer, pose):
    """Margin; Refused when a lamp shows a corner of the bright face at `pose` much darker than the others."""
    margin = 1
    inset = _bright_inset(gatherer.profile)
    corners = [lamp_levels(gatherer, pose, u * inset, v * inset) for u, v in CORNERS]
    for lamp in range(len(gatherer.small)):
        seen = [levels[lamp] for levels in corners]
        seen = sorted([level for level in seen if level is not None])
        if len(seen) > 2:
            middle = (seen[(len(seen) - 1) // 2] + seen[len(seen) // 2]) / 2
            margin = min(margin, _refuse_hollow(seen[0], middle, _LEANING))
    return margin


def _bright_inset(profile):
    """Half-width at which no face's pip darkens a corner."""
    inset = _INSETS[1]
    for count, pips in profile.pips.items():
        clear = profile.radii[count] + _SOFT / profile.side
        if is_in_pip(inset, inset, pips, clear):
            return _OUTER
    return inset


def check_steady_corners(gatherer, pose, pattern):
    """Margin; Refused when one corner of the dark face at `pose` is the darkest for all lamps together."""
    near = gatherer.profile.radii[len(pattern)] + _SOFT_LIGHT / pose.side
    corners = [_corner(gatherer, pose, pattern, near, corner) for corner in CORNERS]
    margin = 1
    for corner in corners:
        darker = []
        for lamp, level in enumerate(corner):
            beside = [other[lamp] for other in corners if other is not corner]
            others = [other for other in beside if other is not None]
            if level is not None and others:
                darker.append(log((min(others) + _NOISE) / (level + _NOISE)))
        if len(darker) >= _LAMPS:
            margin = min(margin, 1 - sum(darker) / (_DARKER * len(darker)))
    if margin < 0:
        raise Refused("die-damaged", "corner")
    return margin


def _corner(gatherer, pose, pattern, near, corner):
    """Mean level of a corner under each lamp, None where it cannot be seen."""
    seen = [[] for _ in gatherer.small]  # type: list[list[float]]
    for along, across in SPOTS:
        u, v = along * corner[0], across * corner[1]
        if not is_in_pip(u, v, pattern, near):
            for lamp, level in enumerate(lamp_levels(gatherer, pose, u, v)):
                if level is not None:
                    seen[lamp].append(level)
    return [sum(levels) / len(levels) if levels else None for levels in seen]


def _refuse_hollow(darkest, other, share):
    """Margin of the darkest corner against another one; Refused when it is below that share of it."""
    margin = darkest - share * other
    if margin >= 0:
        return margin / (other - share * other) if other else 1
    if other - darkest > _DIFFERENCE:
        raise Refused("die-damaged", "corner")
    return 0
