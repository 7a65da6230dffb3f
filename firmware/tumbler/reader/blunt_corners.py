"""A corner of a bright face that a chip cuts off: in the darkest composite the face ends sooner there.

Edges and corners of a make are rounded alike, so the corners of a face are compared with each other.
"""

from .corners import CORNERS
from .edges import level_at
from .refusal import Refused

_OUT, _IN = 0.6, 0.3  # half-widths between which a corner is looked for
_CUT = 0.5  # share of the face's level at which it ends
_PIXELS = 0.5  # between places looked at
# Sides by which a corner may end sooner than the next: of 900 sound dice 0.023 at most, and 0.034 beside
# another, which hides one of the corners; of 36 chips of a fifth of a side all but one are over 0.028.
_MOST, _MOST_BESIDE = 0.028, 0.04


def refuse_blunt_corner(gatherer, pose, level):
    """Refused when one corner of the bright face with its outline at a pose is cut off."""
    ends = [_end(gatherer, pose, corner, _CUT * level) for corner in CORNERS]
    ends = sorted([end for end in ends if end])
    if len(ends) < 3:
        return
    if ends[1] - ends[0] > (_MOST if len(ends) == 4 else _MOST_BESIDE):
        raise Refused("die-damaged", "corner")


def _end(gatherer, pose, corner, cut):
    """Half-width at which the face ends towards a corner; None where another body hides it."""
    step = _PIXELS / pose.side
    out = _OUT
    outer = _level(gatherer, pose, corner, out)
    if outer >= cut:
        return None
    while out > _IN:
        out -= step
        here = _level(gatherer, pose, corner, out)
        if here >= cut:
            return out + step * (here - cut) / (here - outer)
        outer = here
    return _IN


def _level(gatherer, pose, corner, out):
    x, y = pose.place(corner[0] * out, corner[1] * out)
    return level_at(gatherer.low, gatherer.columns, x, y)
