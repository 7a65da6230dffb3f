"""What each lamp gives in a scene, against what it gave at calibration: lamps age, each in its own way.

The bare floor tells: divided by the level that it had at calibration it is the same everywhere, while dice
are brighter and shadows darker, each in its own way.
"""

import math

import cv2
import numpy as np

from host_tools.second_reader.lamps import rays, received
from host_tools.second_reader.profile import Profile

_INSIDE = 0.9  # share of the platform's radius; beyond, the rim is dark and dice at the wall overhang
_GRAIN = 5, 5  # pixels that are averaged: levels of a dark floor are coarse
_DARKEST, _BRIGHTEST = 0.4, 2.0  # shares of the calibrated light that a lamp may give
_STEP = 0.01  # logarithm of them
_PEAK = 15  # steps to both sides of the commonest share that are the floor's: grain, and how uneven it is lit
_LEAST = 0.1  # share of the platform that must be floor in the light
_DOUBT = 0.01  # of a share against the others', which the floor's grain leaves


class Exposures:
    """The floor of a profile under each lamp."""

    def __init__(self, profile: Profile) -> None:
        x, y, radius = profile.platform
        rows, columns = np.mgrid[: profile.height, : profile.width]
        self._floor = np.hypot(columns - x, rows - y) < _INSIDE * radius
        floor = received(rays(profile, columns[self._floor], rows[self._floor], 0))
        middle = received(rays(profile, np.array([x]), np.array([y]), 0))
        self._levels = floor / middle * np.array(profile.floors)[:, None] if profile.floors else None

    def against_each_other(self, lights: np.ndarray) -> np.ndarray:
        """Each lamp's share of its calibrated light, divided by their mean; 1 for all when one is not known.

        lights: frames [lamp, row, column], darkness 0. What the floor's grain may tell as well counts for 1.
        """
        unknown = np.ones(len(lights))
        if self._levels is None:
            return unknown
        floors = [cv2.blur(light, _GRAIN)[self._floor] for light in lights]
        shares = np.array([self._share(*each) for each in zip(floors, self._levels, strict=False)])
        if np.isnan(shares).any():
            return unknown
        off = shares / shares.mean() - 1
        return 1 + off - np.clip(off, -_DOUBT, _DOUBT)

    @staticmethod
    def _share(light: np.ndarray, level: np.ndarray) -> float:
        """The commonest share of the calibrated level; NaN when hardly any floor is in the light."""
        logs = np.log(np.maximum(light, 0.1) / level)
        counts, edges = np.histogram(logs, np.arange(np.log(_DARKEST), np.log(_BRIGHTEST), _STEP))
        near = np.convolve(counts, np.ones(2 * _PEAK + 1), "same")
        middle = (edges[near.argmax()] + edges[near.argmax() + 1]) / 2
        alike = np.abs(logs - middle) < (_PEAK + 0.5) * _STEP
        if alike.mean() < _LEAST:
            return math.nan
        return float(light[alike].sum() / level[alike].sum())
