"""What shows of a die's sides in a tumbler's picture, against what a flat one shows at its place.

Seen from above, the top of a flat die is shifted outward by a share of its distance from the place below
the lens, the rise. So it bares a strip of its sides where they face that place, and nothing elsewhere. The
foot of a die that leans by six degrees is a tenth of a side from where a flat one's is.
"""

import math

import numpy as np

from host_tools.second_reader.outline import Edge
from host_tools.second_reader.refusal import Refused

_RISE = 0.085  # that of most machines
_LOWEST, _HIGHEST = 0.06, 0.11  # of rises that a machine's camera has
_BARE = 0.44  # sides from the middle, to which the rise adds, where a flat die's bared side ends
_TOP = 0.5  # sides from the middle, where its body ends at edges that bare no side
_STRIP = 0.05  # sides by which its body may end elsewhere
_SURE = 0.035  # the same for a faint end that is to tell that the die is flat
_BODY = 0.27  # sides farther out than a flat one ends: another body's edge
# Sides farther out: more shows at the rim, where a lean adds 0.14 of it, and at least the second share.
_CLEAR, _RIM = 0.12, 0.05
_LOPSIDED, _JOINED = 0.022, 0.03  # sides by which rims may tell of a lean, of a die alone and beside another
_FACING = -1.3  # sides outward: edges that face the middle this much bare enough to be measured


def rises(found: list[Edge]) -> list[float]:
    """What the bared sides in sight tell of the camera: by how much of its distance from the picture's middle
    the top of a flat die is shifted outward."""
    told = [(edge.end - _BARE) / -edge.outward for edge in found if is_facing(edge) and not edge.is_faint]
    return [rise for rise in told if _LOWEST < rise < _HIGHEST]


def is_facing(edge: Edge) -> bool:
    """Whether an edge faces the middle so that a flat die bares its side there, and it is seen."""
    return edge.outward < _FACING and edge.bares


def check_sides(found: list[Edge], rise: float) -> None:
    """Refused when a body ends elsewhere than a flat die's does, at edges that nothing hides."""
    for edge in found:
        beyond = _beyond(edge, rise)
        # A faint end where a flat die bares no side may be a shadow's.
        tells = (is_facing(edge) and _is_likely(edge, beyond)) or (edge.bares and not edge.is_faint)
        if tells and abs(beyond) > _STRIP and beyond < _BODY:
            raise Refused("not-flat", "a side shows" if beyond > 0 else "a side is hidden")


def _is_likely(edge: Edge, beyond: float) -> bool:
    """Whether a faint end may be a side's: one that leans so far out shows it at its rim, too."""
    return not edge.is_faint or beyond < _CLEAR or edge.rim > _RIM * beyond


def check_rims(found: list[Edge], rise: float, is_alone: bool) -> None:
    """Refused when the rims around a top face tell of a lean, on an axis on which no foot in sight tells
    better. Its four edges are `found`, opposite ones beside each other."""
    axes = [
        pair[0].rim
        for pair in (found[:2], found[2:])
        if not any(is_facing(edge) and not edge.is_faint and is_level(edge, rise) for edge in pair)
    ]
    if math.hypot(*axes) > (_LOPSIDED if is_alone else _JOINED):
        raise Refused("not-flat", "lopsided")


def is_level(edge: Edge, rise: float) -> bool:
    """Whether a body ends where a flat die's does."""
    return edge.bares and abs(_beyond(edge, rise)) <= (_SURE if edge.is_faint else _STRIP)


def rise_of(told: list[float]) -> float:
    """The rise by those `told`, the usual one of machines counted among them."""
    return float(np.median([_RISE, *told]))


def _beyond(edge: Edge, rise: float) -> float:
    """Sides by which a body ends farther out than a flat die's."""
    return edge.end - max(_TOP, _BARE + rise * -edge.outward)
