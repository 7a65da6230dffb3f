"""What lies around a die in one picture: floor, seen on all ways out, or something that it may lean on.

Floor is what goes on evenly around the die; shadows on it are soft, while walls, rims and other bodies begin
with an edge.
"""

import math
from collections.abc import Iterable
from dataclasses import replace

import cv2
import numpy as np

from host_tools.second_reader.faces import Pose

_WINDOW = 2.0  # sides about the die that are looked at
_AROUND = (0.75, 1.2)  # sides from the middle, where most of what is seen is floor
_SLOPE = 0.055  # of the floor's level for a pixel, when a die has _PIXELS: more is an edge
_PIXELS = 30.0
_FAINT = 2.0  # grey levels for a pixel, besides the noise, that are no edge
_DARKEST, _BRIGHTEST = 0.4, 1.25  # shares of its level that floor may have, shadows included
_MARGIN = 4.0  # grey levels
_FAR, _SEEN = 0.5, 0.08  # sides beyond the die's edge within which floor is to be seen, and how much of it
_FACE = 0.97  # sides: a top face without its rounded rim
DEGREES = 5  # between two ways out


class Surroundings:
    """The ways out from a die. `floor` is the level of the floor around it."""

    def __init__(self, picture: np.ndarray, pose: Pose, side: float) -> None:
        self._pose = pose
        self._side = side
        half = int(_WINDOW * side)
        self._column, self._row = round(pose.x) - half, round(pose.y) - half
        padded = cv2.copyMakeBorder(picture, half, half, half, half, cv2.BORDER_CONSTANT, value=-100.0)
        seen = padded[self._row + half :, self._column + half :][: 2 * half + 1, : 2 * half + 1]
        far = self._distance(*seen.shape)
        around = (far > _AROUND[0]) & (far < _AROUND[1]) & (seen >= 0)
        self.floor = float(np.median(seen[around])) if around.any() else 0.0
        even = self._even(seen, around) & (far > 0.5)
        _, labels = cv2.connectedComponents(even.astype(np.uint8), connectivity=4)
        sizes = np.bincount(labels[around & even], minlength=1)
        self._is_floor = (labels == sizes.argmax()) & even if sizes.sum() else np.zeros_like(even)

    def blocked(self) -> list[float]:
        """Angles, degrees in the picture, of the ways on which no floor is seen close to the die."""
        return [angle for angle in range(0, 360, DEGREES) if not self._is_open(math.radians(angle))]

    def _distance(self, rows: int, columns: int) -> np.ndarray:
        """Of every pixel from the die's middle, in sides, 0.5 at its edges."""
        y, x = np.mgrid[:rows, :columns]
        dx, dy = x + self._column - self._pose.x, y + self._row - self._pose.y
        c, s = math.cos(self._pose.angle) / self._side, math.sin(self._pose.angle) / self._side
        return np.maximum(np.abs(c * dx + s * dy), np.abs(c * dy - s * dx))

    def _even(self, seen: np.ndarray, around: np.ndarray) -> np.ndarray:
        """Where the picture goes on without an edge, about as bright as the floor."""
        if not around.any():
            return np.zeros(seen.shape, bool)
        noise = float(np.median(np.abs(seen - cv2.medianBlur(seen, 3))[around]))
        smooth = cv2.GaussianBlur(seen, (3, 3), 0.8)
        slope = np.hypot(
            cv2.Sobel(smooth, cv2.CV_32F, 1, 0, scale=1 / 8), cv2.Sobel(smooth, cv2.CV_32F, 0, 1, scale=1 / 8)
        )
        limit = max(_SLOPE * self.floor, _FAINT + noise) * _PIXELS / self._side
        darkest, brightest = _DARKEST * self.floor - _MARGIN / 2, _BRIGHTEST * self.floor + _MARGIN
        return (slope < limit) & (smooth > darkest) & (smooth < brightest)

    def _is_open(self, angle: float) -> bool:
        c, s = math.cos(angle), math.sin(angle)
        turned = math.cos(angle - self._pose.angle), math.sin(angle - self._pose.angle)
        edge = 0.5 * self._side / max(abs(part) for part in turned)
        away = np.arange(edge, edge + _FAR * self._side, 0.5)
        columns = np.round(self._pose.x + away * c).astype(int) - self._column
        rows = np.round(self._pose.y + away * s).astype(int) - self._row
        return _longest_run(self._is_floor[rows, columns]) * 0.5 >= _SEEN * self._side


def longest_arc(angles: list[float]) -> int:
    """Degrees of the longest run of neighbouring ways among these."""
    blocked = [angle in set(angles) for angle in range(0, 360, DEGREES)]
    return min(_longest_run(blocked + blocked) * DEGREES, 360)


def apart(one: Pose, other: Pose, side: float) -> float:
    """Sides between the top faces of two dice; below 0 when they overlap."""
    faces = [replace(pose, side=side).corners(_FACE).astype(np.float32) for pose in (one, other)]
    depths = [
        cv2.pointPolygonTest(second, (float(x), float(y)), True)
        for first, second in (faces, faces[::-1])
        for x, y in first
    ]
    return -max(depths) / side


def turned_from(angles: Iterable[float], towards: float, within: float) -> list[float]:
    """Those of the ways that are more than `within` degrees from the way `towards`."""
    return [angle for angle in angles if _between(angle, towards) > within]


def turned_to(angles: Iterable[float], towards: float, within: float) -> list[float]:
    """The others."""
    return [angle for angle in angles if _between(angle, towards) <= within]


def _between(one: float, other: float) -> float:
    """Degrees between two ways."""
    return abs((one - other + 180) % 360 - 180)


def _longest_run(marks: Iterable[bool]) -> int:
    longest = run = 0
    for here in marks:
        run = run + 1 if here else 0
        longest = max(longest, run)
    return longest
