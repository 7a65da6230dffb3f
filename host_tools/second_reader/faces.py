"""Pictures of the six top faces drawn from their look, and a picture's patch laid over them.

Both live on one grid: GRID x GRID cells across SPAN sides of the die, the middle of the face in the middle.
"""

import math
from dataclasses import dataclass

import cv2
import numpy as np

from host_tools.second_reader.profile import FACES, LIGHT_PIPS, Look

GRID = 40
SPAN = 1.3

_STEPS = ((np.arange(GRID) + 0.5) / GRID - 0.5) * SPAN
U, V = (grid.astype(np.float32) for grid in np.meshgrid(_STEPS, _STEPS))
INSIDE = np.maximum(np.abs(U), np.abs(V)) < 0.46
WAYS = ((1, 0), (-1, 0), (0, 1), (0, -1))  # du, dv to the four edges, opposite ones beside each other
TURNS = {1: 1, 2: 2, 3: 2, 4: 1, 5: 1, 6: 2}  # quarter turns that look different


@dataclass(frozen=True)
class Pose:
    """Where a face lies: middle x, y and side in pixels, angle in radians."""

    x: float
    y: float
    side: float
    angle: float

    def place(self, u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Pixels of places on the face, in sides from its middle."""
        c, s = self.side * math.cos(self.angle), self.side * math.sin(self.angle)
        return self.x + c * u - s * v, self.y + s * u + c * v

    def corners(self, side: float = 1.0) -> np.ndarray:
        """Its corners, or those of a square `side` times as wide, [4, 2], in pixels."""
        half = side / 2
        return np.stack(
            self.place(np.array([-half, half, half, -half]), np.array([-half, -half, half, half])), 1
        )


def draw_pips(look: Look, face: int, u: np.ndarray, v: np.ndarray, blur: float) -> np.ndarray:
    """1 in the pips of a face, 0 beside them, at places u, v; their edges are soft over `blur` sides."""
    drawn = np.zeros_like(u)
    for x, y in look.pips[face]:
        inside = (look.radii[face] - np.hypot(u - x, v - y)) / blur
        drawn = np.maximum(drawn, 1 / (1 + np.exp(-3.4 * np.clip(inside, -8, 8))))
    return drawn


def templates(look: Look) -> dict[int, np.ndarray]:
    """Face -> its pips on the grid: above 0 where brighter than the face, below where darker."""
    sign = 1 if look.polarity == LIGHT_PIPS else -1
    blur = 1.0 / look.side
    return {face: sign * draw_pips(look, face, U, V, blur).astype(np.float32) for face in FACES}


def sample(picture: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The picture (float32) at places between its pixels."""
    places = x.astype(np.float32), y.astype(np.float32)
    return cv2.remap(picture, *places, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def outward_levels(
    picture: np.ndarray, pose: Pose, way: tuple[int, int], out: np.ndarray, along: np.ndarray
) -> np.ndarray:
    """Levels on the way (one of WAYS) to an edge, [distance, place along it], both in sides of the pose."""
    return sample(picture, *pose.place(*outward_places(way, out, along)))


def outward_places(way: tuple[int, int], out: np.ndarray, along: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """u, v of the same places, each [distance, place along it]."""
    away, across = np.meshgrid(out, along, indexing="ij")
    du, dv = way
    return (du * away, across) if du else (across, dv * away)


def patch(picture: np.ndarray, pose: Pose) -> np.ndarray:
    """The picture over the grid, as if the face lay straight."""
    return sample(picture, *pose.place(U, V))
