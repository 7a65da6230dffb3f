"""A chipped corner of a dark face: its hollow leans from one lamp and towards another.

Corners are compared with each other, so that neither exposure nor the fall of the light matters: in the
darkest frame, and by all lamps together, for their gloss differs from corner to corner. It moves with the
lamp, and no corner of a whole face is the darkest under all, unless it is the one farthest from the middle of
the platform, about which the lamps are mirrored. And they are compared with the dim part of the bare face,
which what shines through a clear body to the other corners does not lighten.
"""

from math import log

from .agreement import lamp_levels
from .corners import CORNERS, OUTER, SPOTS, refuse_hollow
from .hollows import corner_lacks
from .pips import is_in_pip, sample
from .refusal import Refused

_INNER = 0.36  # half-width at which corners are looked at, too; pips of broad dice reach it
_GLOW = 0.9  # pixels beyond a light pip's edge that its corner outshines one without a pip
_SOFT_LIGHT = 1.2  # and that it brightens at all
_PROBE = 0.03  # radius of the cross of five samples, in sides
_HOLLOW = 0.6  # share of the next darkest corner's level below which a dark face's is gone; whole ones: 0.68
_DARKER = 0.09  # least logarithm by which a broken corner is darker than the next darkest, in the lamps' mean
# Of that logarithm from the middle of the platform to its edge, with the square of the way: the mean gloss of
# lamps mirrored about the middle. Shiny makes have up to 0.6, matt ones 0.15.
_FALL = 0.6
_NOISE = 1.5  # levels
_LAMPS = 3  # least that must show a corner
_WHOLE = 0.1  # share of the dim bare face's light that a whole corner may lack
# And that one which is off lacks, with what noise makes of the few pixels of a corner, by pixels of a side:
# of 5,100 whole faces 30 pixels wide one lacks more, of 4,100 half as wide six.
_OFF, _OFF_BY_SIDE = 0.095, 1.5
_TELLING = 3  # spots of a corner that tell so
# A face that is taken to lie aside has as much light too much at one corner as it lacks at the opposite one.
# But what shines through lightens a corner, too: so much of it is taken for that.
_ASIDE = 0.3
# Gloss that ends on a face, and one taken to lie aside, leave two corners side by side without light: so much
# of what the other lacks is no chip's.
_BOTH = 0.5


def check_dark_corners(plane, columns, inset, pose):
    """Margin; Refused when one corner of the dark face at `pose` is much darker than the other three."""
    margin = 1
    for half in (inset, OUTER):
        corners = []
        for u, v in CORNERS:
            x, y = pose.place(u * half, v * half)
            corners.append(sample(plane, columns, x, y, _PROBE * pose.side))
        corners.sort()
        margin = min(margin, refuse_hollow(corners[0], corners[1], _HOLLOW))
    return margin


def dark_inset(profile):
    """Inner half-width, for check_dark_corners, at which no face's pip brightens a corner; blurred ones of
    small dice reach farther out."""
    inset = _INNER
    while inset < OUTER and _is_lit(inset, profile):
        inset += 0.01
    return inset


def _is_lit(inset, profile):
    return any(
        is_in_pip(inset, inset, pips, profile.radii[count] + _GLOW * profile.halo / profile.side)
        for count, pips in profile.pips.items()
    )


def check_steady_corners(gatherer, pose, pattern):
    """Margin; Refused when one corner of the dark face at `pose` is the darkest for all lamps together, with
    the fall of its gloss or without, or lacks light against the bare face. The pose has its true side."""
    lacks = corner_lacks(gatherer, pose, pattern)
    margin = min(_whole(lacks, pose.side), _steady(gatherer, pose, pattern, lacks))
    if margin < 0:
        raise Refused("die-damaged", "corner")
    return margin


def _whole(lacks, side):
    """Margin of the corner that lacks most light against the bare face."""
    margin = 1
    for corner, (lack, spots) in enumerate(lacks):
        if lack is None or spots < _TELLING:
            continue
        aside = min(max(-(lacks[3 - corner][0] or 0), 0), _ASIDE)
        beside = [other or 0 for i, (other, _) in enumerate(lacks) if i not in (corner, 3 - corner)]
        own = lack - aside - _BOTH * max(0, *beside)
        margin = min(margin, 1 - own / (_OFF + _OFF_BY_SIDE / side))
    return margin


def _steady(gatherer, pose, pattern, lacks):
    """Margin of the corner that is darkest against the others, if it may lack light against the bare face."""
    doubtful = [corner for corner, (lack, _) in enumerate(lacks) if lack is None or lack > _WHOLE]
    if not doubtful:
        return 1
    profile = gatherer.profile
    near = profile.radii[len(pattern)] + _SOFT_LIGHT * profile.halo / pose.side
    corners = [_corner(gatherer, pose, pattern, near, corner) for corner in CORNERS]
    falls = [_fall(gatherer, pose, corner) for corner in CORNERS]
    margin = 1
    for corner in doubtful:
        darker = min(_darker(corners, [0] * len(CORNERS), corner), _darker(corners, falls, corner))
        margin = min(margin, 1 - darker / _DARKER)
    return margin


def _darker(corners, falls, corner):
    """Logarithm by which a corner is darker than the next darkest, in the lamps' mean; 0 when few show it.

    falls: by which each corner is darker anyway.
    """
    darker = []
    for lamp, level in enumerate(corners[corner]):
        others = []
        for other, levels in enumerate(corners):
            if other != corner and levels[lamp] is not None:
                others.append(log(levels[lamp] + _NOISE) + falls[other])
        if level is not None and others:
            darker.append(min(others) - log(level + _NOISE) - falls[corner])
    return sum(darker) / len(darker) if len(darker) >= _LAMPS else 0


def _fall(gatherer, pose, corner):
    """Logarithm by which gloss may have fallen off from the middle of the platform to a corner."""
    middle_x, middle_y, radius = gatherer.profile.platform
    x, y = pose.place(corner[0] * OUTER, corner[1] * OUTER)
    x, y = x + gatherer.left - middle_x, y + gatherer.top - middle_y
    return _FALL * (x * x + y * y) / (radius * radius)


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
