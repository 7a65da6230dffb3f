"""Where polygons lie that the warping renderer draws: faces, shadows and mirror images."""

import cv2
import numpy as np
from numpy.typing import NDArray

from host_tools.twin.camera.rig import Lamp, Rig
from host_tools.twin.scene import Die, Thing

BITS = 4  # of OpenCV's fractions of a pixel
_SQUARE = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)], np.float64)
_CUBE = np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], np.float64)


def square(die: Die, axis: int, sign: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Corners (4, 3) and normal of the face on an axis of the die."""
    local = np.zeros((4, 3))
    local[:, axis] = sign
    local[:, [(axis + 1) % 3, (axis + 2) % 3]] = _SQUARE
    corners = np.array(die.centre) + local * die.edge / 2 @ die.matrix().T
    return corners, die.matrix()[:, axis] * sign


def solid_points(body: Die | Thing) -> NDArray[np.float64]:
    """Points (n, 3) whose hull is about the body."""
    if isinstance(body, Die):
        return np.array(body.centre) + _CUBE * (body.edge / 2 - 0.2 * body.rounding) @ body.matrix().T
    turns = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    rings = [
        (np.cos(t) * np.cos(h), np.sin(t) * np.cos(h), np.sin(h))
        for t in turns
        for h in (-0.9, -0.3, 0.3, 0.9)
    ]
    return np.array(body.centre) + body.radius * np.array(rings)


def thrown(points: NDArray[np.float64], lamp: Lamp) -> NDArray[np.float64]:
    """Where the lamp throws points onto the platform's plane."""
    at = np.array(lamp.at)
    return at + (points - at) * (at[2] / np.maximum(at[2] - points[:, 2:], 1.0))


def highlight(rig: Rig, lamp: Lamp) -> NDArray[np.float64]:
    """The point of the dome that mirrors the lamp to the camera: the shortest way over its surface."""
    eye, at = np.array(rig.lens.at), np.array(lamp.at)
    shares = np.linspace(0, 1, 400)[:, None]
    ways = shares * at / np.linalg.norm(at) + (1 - shares) * eye / np.linalg.norm(eye)
    points = rig.dome * ways / np.linalg.norm(ways, axis=1, keepdims=True)
    lengths = np.linalg.norm(points - eye, axis=1) + np.linalg.norm(points - at, axis=1)
    return points[int(lengths.argmin())]


def fixed(points: NDArray) -> NDArray[np.int32]:
    """Points (n, 2) with OpenCV's fractions of a pixel, (n, 1, 2)."""
    return np.rint(np.asarray(points) * 2**BITS).astype(np.int32).reshape(-1, 1, 2)


def put_polygon(picture: NDArray, points: NDArray, value: float) -> None:
    """Fill a convex polygon (n, 2)."""
    cv2.fillConvexPoly(picture, fixed(points), value, cv2.LINE_8, BITS)


def put_disc(picture: NDArray, middle: NDArray, radius: float, value: float) -> None:
    """Fill a disc."""
    column, row = fixed(middle)[0, 0]
    cv2.circle(picture, (int(column), int(row)), round(radius * 2**BITS), value, -1, cv2.LINE_8, BITS)
