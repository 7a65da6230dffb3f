"""A chipped corner of a bright face: its hollow leans from one lamp, a whole face is even to all four.

Corners are compared with each other under each lamp, so that neither exposure nor the fall of the light
matters.
"""

from .agreement import lamp_levels
from .corners import CORNERS, OUTER, refuse_hollow
from .pips import is_in_pip

_OUTERMOST = 0.42  # half-width at which corners are looked at whose pips reach the outer one, too
_SOFT = 0.5  # pixels beyond a pip's edge that it darkens enough to pass for a hollow
_LEANING = 0.54  # share of the middle corner's level below which a bright face's is gone under a lamp


def check_bright_corners(gatherer, inset, pose):
    """Margin; Refused when a lamp shows a corner of the bright face at `pose` much darker than the others."""
    margin = 1
    corners = [lamp_levels(gatherer, pose, u * inset, v * inset) for u, v in CORNERS]
    for lamp in range(len(gatherer.small)):
        seen = [levels[lamp] for levels in corners]
        seen = sorted([level for level in seen if level is not None])
        if len(seen) > 2:
            middle = (seen[(len(seen) - 1) // 2] + seen[len(seen) // 2]) / 2
            margin = min(margin, refuse_hollow(seen[0], middle, _LEANING))
    return margin


def bright_inset(profile):
    """Half-width, for check_bright_corners, at which no face's pip darkens a corner."""
    inset = OUTER
    for count, pips in profile.pips.items():
        clear = profile.radii[count] + _SOFT / profile.side
        if is_in_pip(inset, inset, pips, clear):
            return _OUTERMOST
    return inset
