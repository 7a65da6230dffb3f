"""A piece broken out of an edge of a face: there the face ends sooner than beside it.

Edges are straight, so an edge is compared with itself. Where a lit side of the die goes on from the face, the
face seems to end later, which is no notch.
"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

MOST_NOTCH = 0.04  # halves of a side that a sound edge may end sooner than beside it: 0.02 in 800 faces
UNSEEN = 2.0  # an end that is not seen
_BESIDE = 7  # places to each side in which the edge must be whole
_USUAL = 25  # per cent of the ends that are sooner than where edges are taken to end
_LEAST = 24  # ends that must be seen


def deepest_notch(ends: np.ndarray) -> float:
    """By how much two neighbouring places of an edge end sooner than others to both sides, and than usual.

    ends: [4, place] of a face, in halves of its side from the middle, or UNSEEN.
    """
    seen = ends < UNSEEN
    if seen.sum() < _LEAST:
        return 0.0
    pair = seen[:, 1:] & seen[:, :-1]
    out = np.where(pair, np.maximum(ends[:, 1:], ends[:, :-1]), np.inf)
    whole = np.where(pair, np.minimum(ends[:, 1:], ends[:, :-1]), -np.inf)
    around = np.pad(whole, ((0, 0), (_BESIDE, _BESIDE)), constant_values=-np.inf)
    windows = sliding_window_view(around, _BESIDE - 1, axis=1).max(axis=2)
    count = out.shape[1]
    edge = np.full(out.shape, np.percentile(ends[seen], _USUAL))
    for beside in windows[:, :count], windows[:, _BESIDE + 2 : _BESIDE + 2 + count]:
        edge = np.minimum(edge, np.where(np.isfinite(beside), beside, np.inf))
    return float(max(0.0, (edge - out).max()))
