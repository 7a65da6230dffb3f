"""How much light the corners of a face with light pips lack, lamp by lamp: a hollow leans from some lamp.

Gloss and what shines through a clear body only lighten, and differ from lamp to lamp and over the face: a
corner is compared with the dim part of the bare face under the same lamp, and counts as no lighter than that.
A face taken to lie a little aside shows as much light too much at one corner as it lacks at the opposite one.
"""

from dataclasses import replace

import cv2
import numpy as np

from host_tools.second_reader.faces import Pose, sample
from host_tools.second_reader.profile import Look

_GRID, _SPAN = 48, 1.2  # cells across so many sides
_STEPS = ((np.arange(_GRID) + 0.5) / _GRID - 0.5) * _SPAN
_U, _V = (grid.astype(np.float32) for grid in np.meshgrid(_STEPS, _STEPS))
_RIM, _REACH = 0.43, 0.74  # most of |u| and |v| of a corner, off its rounded rim, and least of their sum
_INNER, _NO_CORNER = 0.4, 0.6  # most of |u| and |v| of the bare face, and of their sum
_HALO = 1.5  # pixels beyond a light pip's edge that it brightens
_AROUND = 5  # cells that a place of the bare face is averaged over
_FEW = 60  # of them tell nothing
_DIM = 0.25  # quantile of the bare face that nothing lightens
_DARK = 2.0  # relit grey levels: a darker face is mostly noise
_LIGHTER = 0.1  # share by which a corner may count as lighter under a lamp
_CELLS = 4  # of the grid: fewer do not tell a corner's level
_CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))  # the opposite one of each is as far from the end


def lacks(planes: np.ndarray, pose: Pose, look: Look, face: int) -> np.ndarray:
    """Share of the bare face's light that each corner of a face lacks, in the mean of the lamps.

    planes: relit, [lamp, row, column]. NaN where pips leave too little of a corner. The pose's side is what
    its pips measure, too badly to say where the rim begins; the look's is taken.
    """
    pose = replace(pose, side=look.side)
    away = np.min([np.hypot(_U - u, _V - v) for u, v in look.pips[face]], axis=0)
    clear = away > look.radii[face] + _HALO / look.side
    u, v = np.abs(_U), np.abs(_V)
    bare = clear & (np.maximum(u, v) < _INNER) & (u + v < _NO_CORNER)
    outer = clear & (np.maximum(u, v) < _RIM) & (u + v >= _REACH)
    corners = [outer & (_U * along > 0) & (_V * across > 0) for along, across in _CORNERS]
    light = np.mean([_light(_patch(plane, pose), bare, corners) for plane in planes], axis=0)
    return -(light + np.nan_to_num(np.maximum(light[::-1], 0)))


def _patch(plane: np.ndarray, pose: Pose) -> np.ndarray:
    return sample(plane, *pose.place(_U, _V))


def _light(seen: np.ndarray, bare: np.ndarray, corners: list[np.ndarray]) -> list[float]:
    """Share by which each corner is lighter than the dim part of the bare face under one lamp."""
    around = cv2.blur(seen, (_AROUND, _AROUND))[bare]
    if len(around) < _FEW:
        return [np.nan] * len(corners)
    level = max(float(np.quantile(around, _DIM)), _DARK)
    return [
        min(float(seen[corner].mean()) / level - 1, _LIGHTER) if corner.sum() >= _CELLS else np.nan
        for corner in corners
    ]
