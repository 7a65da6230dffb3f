"""How far a camera spreads the light of a point, told from the edges of light pips."""

from statistics import NormalDist

import numpy as np

from host_tools.calibration.rig import bilinear

SOFT = 1.0  # pixels: a lens that spreads light farther is out of focus, or a poor one
_BEYOND = 3.0  # pixels from a pip's edge to bare face
_ACROSS = 0.75  # pixels to both sides of the edge between which its steepness is measured
_STEP = 0.1  # pixels
_WAYS = np.radians(np.arange(0, 360, 15))


def spread(plane: np.ndarray, x: float, y: float, radius: float) -> float:
    """Standard deviation in pixels of a point's light, told from a pip's edge; `radius`: the pip's, about."""
    away = np.arange(_STEP, radius + _BEYOND + _STEP, _STEP)
    rings = _rings(plane, x, y, away)
    levels = np.median(rings, axis=1)
    top, bare = levels[0], np.percentile(rings[-1], 25)  # of the bare face: other pips lie near it
    edge = away[np.argmax(levels < (top + bare) / 2)]
    inner, outer = np.interp([edge - _ACROSS, edge + _ACROSS], away, levels)
    steep = min(max((inner - outer) / max(top - bare, 1.0), 0.01), 0.99)
    return _ACROSS / NormalDist().inv_cdf((1 + steep) / 2)


def _rings(plane: np.ndarray, x: float, y: float, away: np.ndarray) -> np.ndarray:
    """Levels all around a place, a row for each distance."""
    height, width = plane.shape
    columns = np.clip(x + away[:, None] * np.cos(_WAYS), 0, width - 1.001)
    rows = np.clip(y + away[:, None] * np.sin(_WAYS), 0, height - 1.001)
    return bilinear(plane, columns, rows)
