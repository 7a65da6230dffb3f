"""How much light the corners of a dark face lack, in the darkest composite and under each lamp.

A corner is compared with the dim part of the bare face: gloss and what shines through a clear body only
lighten, and differ over the face and from lamp to lamp about as much as a chip's hollow does. Each is divided
by the light that falls there, which differs by a fifth across a face.
"""

from .agreement import lamp_levels
from .corners import CORNERS
from .edges import level_at
from .lamp_light import lamp_light
from .pips import is_in_pip
from .tone import BLACK

# Of a corner: where its hollow is deepest, off its rounded rim.
_SPOTS = ((0.41, 0.41), (0.41, 0.35), (0.35, 0.41), (0.41, 0.29), (0.29, 0.41), (0.37, 0.37), (0.34, 0.34))
_PATCHES = (-0.3, -0.15, 0, 0.15, 0.3)  # along and across, where the bare face is looked at
_NO_CORNER = 0.5  # most of the sum of |u| and |v| there
_AROUND = 0.035  # half-width of a patch, whose corners are averaged
_HALO = 1.4  # pixels beyond a light pip's edge that it brightens
# Times as light as the dimmest patch that others are which nothing lightens: most are lightened where the far
# face of a clear die shows through its one.
_ALIKE = 1.15
_FEW = 3  # patches that tell the bare face's light, and lamps that tell a corner's
_HIDDEN = 0.6  # share of a corner's spots that must be seen
_LIGHTER = 0.1  # share by which a corner may look lighter under a lamp
_FAINT = 2  # levels: a darker face is mostly noise
_ASIDE = 0.4  # sides from the middle at which the lamps' light is compared with that in the middle


def corner_lacks(gatherer, pose, pattern):
    """For each of CORNERS (share of the dim bare face's light that it lacks, spots that tell so), the share
    None when they do not tell. The pose has the calibrated side."""
    profile = gatherer.profile
    near = profile.radii[len(pattern)] + _HALO * profile.halo / pose.side
    fall = _fall(gatherer, pose)
    bare = _bare(gatherer, pose, pattern, near, fall)
    found = []
    for along, across in CORNERS:
        spots = [(u * along, v * across) for u, v in _SPOTS]
        spots = [(u, v) for u, v in spots if not is_in_pip(u, v, pattern, near)]
        found.append((_lack(_mean(gatherer, pose, spots, fall), bare), len(spots)))
    return found


def _lack(corner, bare):
    """Mean of what a corner lacks in the darkest composite and of what it lacks under the lamps."""
    shares = [
        max(-_LIGHTER, 1 - level / max(_FAINT, dim))
        for level, dim in zip(corner[1:], bare[1:])
        if level is not None and dim is not None
    ]
    if corner[0] is None or bare[0] is None or len(shares) < _FEW:
        return None
    return (1 - corner[0] / max(_FAINT, bare[0]) + sum(shares) / len(shares)) / 2


def _bare(gatherer, pose, pattern, near, fall):
    """Light of the dim part of the bare face: in the darkest composite, and under each lamp."""
    patches = []
    for u in _PATCHES:
        for v in _PATCHES:
            if abs(u) + abs(v) > _NO_CORNER:
                continue
            spots = [(u + du, v + dv) for du in (-_AROUND, _AROUND) for dv in (-_AROUND, _AROUND)]
            if not any(is_in_pip(at_u, at_v, pattern, near) for at_u, at_v in spots):
                patches.append(_mean(gatherer, pose, spots, fall))
    bare = []
    for plane in range(len(fall)):
        levels = [patch[plane] for patch in patches if patch[plane] is not None]
        levels.sort()
        bare.append(_dim(levels) if len(levels) >= _FEW else None)
    return bare


def _dim(levels):
    """The lower quartile of sorted levels, or the mean of the lowest and of those about as low, if that is
    less: gloss lightens no more than three quarters of a face, what shines through may."""
    low = [level for level in levels if level <= _ALIKE * max(_FAINT, levels[0])]
    return min(levels[len(levels) // 4], sum(low) / len(low))


def _mean(gatherer, pose, spots, fall):
    """Mean level of spots, as if the light were everywhere as in the middle of the face: in the darkest
    composite, and under each lamp; None where most are hidden."""
    totals = [0] * len(fall)
    counts = [0] * len(fall)
    for u, v in spots:
        x, y = pose.place(u, v)
        levels = [level_at(gatherer.low, gatherer.columns, x, y)] + lamp_levels(gatherer, pose, u, v)
        for plane, level in enumerate(levels):
            if level is not None:
                along, across = fall[plane]
                totals[plane] += (level - BLACK) / (1 + u * along + v * across)
                counts[plane] += 1
    return [
        total / count if count and count >= _HIDDEN * len(spots) else None
        for total, count in zip(totals, counts)
    ]


def _fall(gatherer, pose):
    """Share by which light rises for each side along u and along v: that of the darkest lamp, and of each."""
    middle, along, across = [_lights(gatherer, pose, u, v) for u, v in ((0, 0), (_ASIDE, 0), (0, _ASIDE))]
    return [((u / at - 1) / _ASIDE, (v / at - 1) / _ASIDE) for at, u, v in zip(middle, along, across)]


def _lights(gatherer, pose, u, v):
    profile = gatherer.profile
    x, y = pose.place(u, v)
    x, y = x + gatherer.left - profile.platform[0], y + gatherer.top - profile.platform[1]
    lights = [lamp_light(x, y, lamp, profile) for lamp in range(profile.lamps)]
    return [min(lights)] + lights
