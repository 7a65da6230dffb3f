"""A chipped corner: in the darkest frame its hollow lies in shadow, a whole face is even to all four.

Corners are compared with each other, so that neither exposure nor the fall of the light matters.
"""

from .pips import sample
from .refusal import Refused

_INSETS = 0.36, 0.40  # half-widths at which corners are looked at; pips of broad dice reach the inner one
_PROBE = 0.03  # radius of the cross of five samples, in sides
_HOLLOW = 0.6  # share of the next darkest corner's level below which a corner is gone; whole ones show 0.68
_DIFFERENCE = 3  # levels that noise may make


def check_corners(plane, columns, pose, light):
    """Refused when one corner of the face at `pose` is much darker than the other three.

    light: whether its pips are light, which never darken a corner.
    """
    for inset in _INSETS if light else _INSETS[1:]:
        corners = []
        for u, v in ((-inset, -inset), (-inset, inset), (inset, -inset), (inset, inset)):
            x, y = pose.place(u, v)
            corners.append(sample(plane, columns, x, y, _PROBE * pose.side))
        corners.sort()
        if corners[0] < _HOLLOW * corners[1] and corners[1] - corners[0] > _DIFFERENCE:
            raise Refused("die-damaged", "corner")
