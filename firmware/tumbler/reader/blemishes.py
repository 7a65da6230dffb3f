"""Blemishes of a bright face: cracks, chips and stains take light from it where it must be bare.

What is darker than the light of a whole face in both composites is neither a shadow, which the brightest
lacks, nor beside a glare, which the darkest lacks. Where a lamp is mirrored its frame is missing: there the
face is judged for itself.
"""

from .circles import is_in, mirror_images, pip_circles
from .corners import CORNERS, SPOTS
from .kernels import next_under
from .refusal import Refused

_ON_FACE = 0.43  # half-width of the face without its rounded rim, nor what an outline between dice may be off
_SOFT = 0.06  # sides beyond a pip's edge that it darkens
_RING = 3  # pixels across the edge of a mirror image that may lie on either side of it
_DARK = 0.84  # share of the face's light below which a pixel lacks light
_LACKING = 0.0004  # areas of a face in such light; dirt takes up to 0.00028, cracks from 0.00045
_WHOLE = 0.73  # share of its light below which a corner is broken; broken ones have 0.69 at most, whole 0.77


def prove_unblemished(gatherer, pose, pattern, outline, lights):
    """Margin, 0 to 1: the share that is there of the light that dirt, or a rounded corner, may take.

    Refused when a bright face, outside its pips, lacks more. lights: its FaceLights, of both composites.
    """
    pips = pip_circles(pose, pattern, gatherer.profile.radii[len(pattern)] + _SOFT)
    images = mirror_images(gatherer, outline)
    hidden = pips + images
    whole = _prove_corners(lights, outline, hidden)
    lacking = _lacking(lights, gatherer, outline, (outline.x, outline.y, outline.side), hidden)
    for image in images:
        inside = image[0], image[1], image[2] - _RING
        dimmed = [light.dimmed(inside) for light in lights]
        if all(dimmed):
            hidden = pips + [other for other in images if other is not image]
            lacking += _lacking(dimmed, gatherer, outline, inside, hidden)
    margin = 1 - lacking / (_LACKING * outline.side**2)
    if margin < 0:
        raise Refused("die-damaged", "mark")
    return min(margin, whole)


def _lacking(lights, gatherer, outline, inside, hidden):
    """Light that the face lacks in all composites, inside a circle and no hidden one, in pixels of full
    light."""
    middle, along, across = lights[0].terms
    cut = int(_DARK * (middle + (abs(along) + abs(across)) * _ON_FACE)) + 1
    columns = gatherer.columns
    middle_x, middle_y, reach = inside
    lacking = 0
    for y in range(max(0, int(middle_y - reach)), min(gatherer.rows, int(middle_y + reach) + 2)):
        row = y * columns
        start, end = outline.span(y, _ON_FACE)
        end = row + min(columns, end, int(middle_x + reach) + 2)
        i = next_under(lights[0].plane, row + max(0, start, int(middle_x - reach)), end, 1, cut)
        while i < end:
            x = i - row
            u, v = outline.face(x, y)
            share = max([light.plane[i] / max(1, light.level(u, v)) for light in lights])
            if share < _DARK and is_in(x, y, 0, [inside]) and not is_in(x, y, 0, hidden):
                lacking += _DARK - share
            i = next_under(lights[0].plane, i + 1, end, 1, cut)
    return lacking


def _prove_corners(lights, outline, hidden):
    """Margin; Refused when a corner lacks so much light that it is broken."""
    darkest = 1
    for along, across in CORNERS:
        shares = []
        for spot in SPOTS:
            x, y = outline.place(spot[0] * along, spot[1] * across)
            if not is_in(x, y, 0, hidden):
                shares.append(max([light.share(x, y) for light in lights]))
        if shares:
            darkest = min(darkest, sum(shares) / len(shares))
    if darkest < _WHOLE:
        raise Refused("die-damaged", "corner")
    return (darkest - _WHOLE) / (1 - _WHOLE)
