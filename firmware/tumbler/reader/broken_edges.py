"""A piece broken out of an edge of a bright face: in the darkest composite the face ends sooner there than
beside it.

Edges are straight, so an edge is compared with itself. Where a side of the die is lit as the face is, it
seems to end later, which is no break.
"""

from .edges import EDGES, START, crossing, edge_place
from .pips import is_in_pip
from .refusal import Refused

_ALONG = tuple([t / 100 for t in range(-40, 41, 4)])  # places along an edge, in sides, off the corners
_CUT = 0.6  # share of the face's level at which it ends
_SOFT = 1.0  # pixels beyond a pip's edge that it darkens
_BESIDE = 8  # places from a break in which the edge must be whole
_USUAL = 4  # of so many ends one is sooner than where edges are taken to end
_TELLING = 16  # ends that must be seen
# Pixels by which two neighbouring places may end sooner: of 7,500 sound faces 30 pixels wide none does by
# more than 0.51. The last places of an edge also seem to where it is taken to run aslant.
_MOST = 0.6
_ONE_SIDED = 0.6  # what their depth counts for: two of those faces have 0.78 and 0.98


def refuse_broken_edge(gatherer, pose, pattern, outline, level):
    """Refused when a piece is broken out of an edge of the bright face whose pips lie at `pose`."""
    clear = gatherer.profile.radii[len(pattern)] + _SOFT / outline.side
    pips = [outline.face(*pose.place(u, v)) for u, v in pattern]
    edges = [_ends(gatherer, outline, edge, _CUT * level, pips, clear) for edge in range(4)]
    seen = sorted([end for ends in edges for end in ends if end is not None])
    if len(seen) < _TELLING:
        return
    usual = seen[len(seen) // _USUAL]
    if max([_break(ends, usual) for ends in edges]) * outline.side > _MOST:
        raise Refused("die-damaged", "edge")


def _ends(gatherer, outline, edge, cut, pips, clear):
    """Half-width at which the face ends at each place along an edge; None where that cannot be told."""
    reach = EDGES[edge]
    ends = []
    for t in _ALONG:
        end = crossing(gatherer.low, gatherer.columns, outline, cut, True, edge, reach, t)
        if end is not None and end < reach - START:
            u, v = edge_place(edge, reach - START, t)
            if is_in_pip(u, v, pips, clear):
                end = None
        ends.append(end)
    return ends


def _break(ends, usual):
    """Sides by which two neighbouring places of an edge end sooner than usual and than others beside them."""
    pairs = [(ends[i], ends[i + 1]) for i in range(len(ends) - 1)]
    whole = [0 if None in pair else min(pair) for pair in pairs]
    deepest = 0
    for i, pair in enumerate(pairs):
        if None in pair:
            continue
        beside = [whole[max(0, i - _BESIDE) : max(0, i - 1)], whole[i + 2 : i + 2 + _BESIDE]]
        edges = [max(places) for places in beside if any(places)]
        depth = min([usual] + edges) - max(pair)
        deepest = max(deepest, depth if len(edges) > 1 else depth * _ONE_SIDED)
    return deepest
