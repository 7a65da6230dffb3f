"""A tumbler's platform: the wall's foot around it, the strongest circle about the picture's middle, and what
lies on it besides the dice.
"""

import math
from dataclasses import dataclass

import cv2
import numpy as np

from host_tools.second_reader.faces import Pose, sample

_ASIDE = np.arange(-6, 7, 2)  # pixels that a machine's middle is off the picture's
_LEAST = 0.5  # of half the picture's height: the least radius
_STEP, _WIDE = 0.5, 4  # pixels between two radii, and over how many of these the wall's edge is told
_RIM, _AROUND = 0.3, 1.05  # sides from the wall, and about a die's middle, in which no floor need show
_DARK, _BRIGHT, _NOISE = 0.6, 1.35, 4.0  # shares of the floor's level, and grey levels, that are no floor
_SPECK = 5  # pixels: less may be the camera's
_WAYS = np.radians(np.arange(0, 360, 3))


@dataclass(frozen=True)
class Wall:
    """Where the platform ends: a circle, in pixels."""

    x: float
    y: float
    radius: float

    def within(self, x: float, y: float) -> float:
        """Pixels from a place outward to the wall."""
        return self.radius - math.hypot(x - self.x, y - self.y)


def find_wall(picture: np.ndarray) -> Wall:
    """Where the platform of a picture (float32) ends."""
    rows, columns = picture.shape
    x, y = (columns - 1) / 2, (rows - 1) / 2
    radii = np.arange(_LEAST * min(x, y), min(x, y), _STEP)
    out = radii[:, None] * np.cos(_WAYS), radii[:, None] * np.sin(_WAYS)
    clearest, wall = -1.0, Wall(x, y, min(x, y))
    for dx in _ASIDE:
        for dy in _ASIDE:
            levels = np.median(sample(picture, x + dx + out[0], y + dy + out[1]), axis=1)
            change = np.abs(levels[_WIDE:] - levels[:-_WIDE])
            if change.max() > clearest:
                radius = float(radii[change.argmax() + _WIDE // 2])
                clearest, wall = float(change.max()), Wall(x + dx, y + dy, radius)
    return wall


def lumps(picture: np.ndarray, wall: Wall, dice: list[Pose], side: float) -> list[float]:
    """The areas, in top faces, of what is neither die nor floor on the platform, largest first."""
    rows, columns = np.mgrid[: picture.shape[0], : picture.shape[1]]
    bare = np.hypot(columns - wall.x, rows - wall.y) < wall.radius - _RIM * side
    for pose in dice:
        bare &= np.hypot(columns - pose.x, rows - pose.y) > _AROUND * side
    smooth = cv2.GaussianBlur(picture, (0, 0), 1.0)
    floor = float(np.median(smooth[bare])) if bare.any() else 0.0
    strange = bare & ((smooth > _BRIGHT * floor + _NOISE) | (smooth < _DARK * floor - _NOISE))
    _, _, stats, _ = cv2.connectedComponentsWithStats(strange.astype(np.uint8))
    areas = sorted(stats[1:, cv2.CC_STAT_AREA].tolist(), reverse=True)
    return [area / side**2 for area in areas if area > _SPECK]
