"""A chipped corner: its hollow leans from one lamp and towards another, a whole face is even to all four.

Corners are compared with each other, so that neither exposure nor the fall of the light matters. A bright
face is judged under each lamp; a dark one, whose gloss differs from corner to corner, in the darkest frame.
"""

from .agreement import lamp_levels
from .pips import sample
from .refusal import Refused

_INSETS = 0.36, 0.40  # half-widths at which corners are looked at; pips of broad dice reach the inner one
_OUTER = 0.42  # and that of a bright face whose pips reach the other one, too; beyond it is the rounded rim
_SOFT = 0.8  # pixels beyond a pip's edge that it darkens
_PROBE = 0.03  # radius of the cross of five samples, in sides
_HOLLOW = 0.6  # share of the next darkest corner's level below which a dark face's is gone; whole ones: 0.68
_LEANING = 0.54  # share of the middle corner's level below which a bright face's is gone under a lamp
_DIFFERENCE = 3  # levels that noise may make
_CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))


def check_dark_corners(plane, columns, pose):
    """Refused when one corner of the dark face at `pose` is much darker than the other three."""
    for inset in _INSETS:
        corners = []
        for u, v in _CORNERS:
            x, y = pose.place(u * inset, v * inset)
            corners.append(sample(plane, columns, x, y, _PROBE * pose.side))
        corners.sort()
        _refuse_hollow(corners[0], corners[1], _HOLLOW)


def check_bright_corners(gatherer, pose):
    """Refused when some lamp shows a corner of the bright face at `pose` much darker than the others."""
    inset = _bright_inset(gatherer.profile)
    corners = [lamp_levels(gatherer, pose, u * inset, v * inset) for u, v in _CORNERS]
    for lamp in range(len(gatherer.small)):
        seen = [levels[lamp] for levels in corners]
        seen = sorted([level for level in seen if level is not None])
        if len(seen) > 2:
            _refuse_hollow(seen[0], (seen[(len(seen) - 1) // 2] + seen[len(seen) // 2]) / 2, _LEANING)


def _bright_inset(profile):
    """Half-width at which no face's pip darkens a corner."""
    inset = _INSETS[1]
    for count, pips in profile.pips.items():
        clear = profile.radii[count] + _SOFT / profile.side
        if [1 for u, v in pips if (inset - u) ** 2 + (inset - v) ** 2 < clear * clear]:
            return _OUTER
    return inset


def _refuse_hollow(darkest, other, share):
    if darkest < share * other and other - darkest > _DIFFERENCE:
        raise Refused("die-damaged", "corner")
