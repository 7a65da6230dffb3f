"""Blemishes of a bright face: cracks, chips and stains take light from it where it must be bare.

The light of a whole face changes over it as a plane does. What is darker than that in both composites is
neither a shadow, which the brightest lacks, nor beside a glare, which the darkest lacks. Where a lamp is
mirrored its frame is missing: there the face is judged for itself.
"""

from array import array

from .circles import is_in, mirror_images
from .corners import CORNERS, SPOTS
from .edges import level_at
from .kernels import next_under
from .refusal import Refused
from .solve import solve

_ON_FACE = 0.43  # half-width of the face without its rounded rim, nor what an outline between dice may be off
_SOFT = 0.06  # sides beyond a pip's edge that it darkens
_PLACES = (-0.4, -0.24, -0.08, 0.08, 0.24, 0.4)  # along and across, where the light of the face is measured
_LEAST = 7  # of them that tell a plane: no line holds so many
_FEW = 4  # and that tell how much darker it is where a lamp's frame is missing
_MARKED = 0.93  # share of the face's light below which such a place is dark for some reason
_ROUNDS = 3
_RING = 3  # pixels across the edge of a mirror image that may lie on either side of it
_DARK = 0.84  # and below which a pixel lacks light
_LACKING = 0.0004  # areas of a face in such light; dirt takes up to 0.00028, cracks from 0.00045
_WHOLE = 0.73  # share of its light below which a corner is broken; broken ones have 0.69 at most, whole 0.77


def prove_unblemished(gatherer, pose, pattern, outline):
    """Margin, 0 to 1: the share that is there of the light that dirt, or a rounded corner, may take.

    Refused when a bright face, outside its pips, lacks more.
    """
    radius = gatherer.profile.radii[len(pattern)]
    planes = gatherer.low, gatherer.high
    sampled = _sample(planes, gatherer.columns, outline, _circles(pose, pattern, radius))
    lights = [_light(levels) for levels in sampled]
    pips = _circles(pose, pattern, radius + _SOFT)
    images = mirror_images(gatherer, outline)
    hidden = pips + images
    whole = _prove_corners(planes, lights, gatherer.columns, outline, hidden)
    around = outline.x, outline.y, outline.side
    lacking = _lacking(planes, lights, gatherer, outline, around, hidden)
    for image in images:
        inside = image[0], image[1], image[2] - _RING
        dimmed = _dimmed(lights, sampled, outline, inside)
        if dimmed:
            hidden = pips + [other for other in images if other is not image]
            lacking += _lacking(planes, dimmed, gatherer, outline, inside, hidden)
    margin = 1 - lacking / (_LACKING * outline.side**2)
    if margin < 0:
        raise Refused("die-damaged", "mark")
    return min(margin, whole)


def _circles(pose, pattern, radius):
    return [pose.place(u, v) + (radius * pose.side,) for u, v in pattern]


def _sample(planes, columns, outline, pips):
    """Of each plane, the levels of places all over the face, 0 in pips."""
    sampled = [array("f", bytes(4 * len(_PLACES) ** 2)) for _ in planes]
    at = 0
    for u in _PLACES:
        for v in _PLACES:
            x, y = outline.place(u, v)
            if not is_in(x, y, 0, pips):
                for plane, levels in zip(planes, sampled):
                    levels[at] = level_at(plane, columns, x, y)
            at += 1
    return sampled


def _light(levels):
    """Level in the middle of the face and its slopes along u and v, told by the places that are not dark."""
    light = 0, 0, 0
    for _ in range(_ROUNDS):
        bare = [at for at in range(len(levels)) if levels[at] > _MARKED * _level(light, *_place(at))]
        if len(bare) < _LEAST:
            raise Refused("unreadable", "uneven-face")
        light = solve((1,) + _place(at) + (levels[at],) for at in bare)
    return light


def _place(at):
    return _PLACES[at // len(_PLACES)], _PLACES[at % len(_PLACES)]


def _dimmed(lights, sampled, outline, inside):
    """The lights as they are in a circle where one lamp's frame is missing; None when too few places tell."""
    places = []
    for at, level in enumerate(sampled[0]):
        x, y = outline.place(*_place(at))
        if level and is_in(x, y, 0, [inside]):
            places.append(at)
    if len(places) < _FEW:
        return None
    dimmed = []
    for light, levels in zip(lights, sampled):
        shares = sorted([levels[at] / max(1, _level(light, *_place(at))) for at in places])
        share = shares[len(shares) * 3 // 5]
        dimmed.append([share * term for term in light])
    return dimmed


def _level(light, u, v):
    return light[0] + light[1] * u + light[2] * v


def _lacking(planes, lights, gatherer, outline, inside, hidden):
    """Light that the face lacks in all planes, inside a circle and no hidden one, in pixels of full light."""
    first, light = planes[0], lights[0]
    cut = int(_DARK * (light[0] + (abs(light[1]) + abs(light[2])) * _ON_FACE)) + 1
    columns = gatherer.columns
    middle_x, middle_y, reach = inside
    lacking = 0
    for y in range(max(0, int(middle_y - reach)), min(gatherer.rows, int(middle_y + reach) + 2)):
        row = y * columns
        start, end = outline.span(y, _ON_FACE)
        end = row + min(columns, end, int(middle_x + reach) + 2)
        i = next_under(first, row + max(0, start, int(middle_x - reach)), end, 1, cut)
        while i < end:
            x = i - row
            u, v = outline.face(x, y)
            share = _share([plane[i] for plane in planes], lights, u, v)
            if share < _DARK and is_in(x, y, 0, [inside]) and not is_in(x, y, 0, hidden):
                lacking += _DARK - share
            i = next_under(first, i + 1, end, 1, cut)
    return lacking


def _prove_corners(planes, lights, columns, outline, hidden):
    """Margin; Refused when a corner lacks so much light that it is broken."""
    darkest = 1
    for along, across in CORNERS:
        shares = []
        for spot in SPOTS:
            u, v = spot[0] * along, spot[1] * across
            x, y = outline.place(u, v)
            if not is_in(x, y, 0, hidden):
                levels = [level_at(plane, columns, x, y) for plane in planes]
                shares.append(_share(levels, lights, u, v))
        if shares:
            darkest = min(darkest, sum(shares) / len(shares))
    if darkest < _WHOLE:
        raise Refused("die-damaged", "corner")
    return (darkest - _WHOLE) / (1 - _WHOLE)


def _share(levels, lights, u, v):
    """Share of its light that a place has in the plane that shows it best."""
    return max([level / max(1, _level(light, u, v)) for level, light in zip(levels, lights)])
