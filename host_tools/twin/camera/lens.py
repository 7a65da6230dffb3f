"""The overhead camera: a pinhole with radial distortion, from platform millimetres to pixels and back."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from host_tools.twin.camera.errors import SizeError
from host_tools.twin.camera.vectors import Floats

_UNDISTORT_STEPS = 6


@dataclass(frozen=True, slots=True)
class Lens:
    """A camera over the platform, looking down.

    width, height, focal: pixels; middle: column and row of the optical axis; at: its place in mm in the
    platform's frame; roll and the tilts in degrees; k1: radial distortion, OpenCV's first coefficient.
    """

    width: int
    height: int
    focal: float
    middle: tuple[float, float]
    at: tuple[float, float, float]
    roll: float = 0.0
    tilt_x: float = 0.0
    tilt_y: float = 0.0
    k1: float = 0.0

    def __post_init__(self) -> None:
        if self.width < 16 or self.height < 16:
            raise SizeError(f"a picture of {self.width} x {self.height} pixels: at least 16 x 16")
        if self.focal <= 0:
            raise SizeError(f"focal length {self.focal} pixels: must be more than 0")
        if self.at[2] <= 50:
            raise SizeError(f"camera {self.at[2]} mm above the platform: at least 50, dice lie below it")

    def axes(self) -> NDArray[np.float64]:
        """Rows: the camera's right, down and forward, in the platform's frame (3x3)."""
        roll, a, b = np.radians((self.roll, self.tilt_x, self.tilt_y))
        overhead = np.array([[1.0, 0, 0], [0, -1, 0], [0, 0, -1]])
        rolled = np.array([[np.cos(roll), -np.sin(roll), 0], [np.sin(roll), np.cos(roll), 0], [0, 0, 1]])
        about_x = np.array([[1, 0, 0], [0, np.cos(a), -np.sin(a)], [0, np.sin(a), np.cos(a)]])
        about_y = np.array([[np.cos(b), 0, np.sin(b)], [0, 1, 0], [-np.sin(b), 0, np.cos(b)]])
        return about_x @ about_y @ rolled @ overhead

    def project(self, points: NDArray) -> NDArray[np.float64]:
        """Columns and rows (..., 2) of points (..., 3) in mm; pixel centres are whole numbers."""
        local = (np.asarray(points, np.float64) - self.at) @ self.axes().T
        plane = local[..., :2] / local[..., 2:]
        stretch = 1 + self.k1 * (plane**2).sum(-1, keepdims=True)
        return plane * stretch * self.focal + self.middle

    def rays(self, columns: NDArray, rows: NDArray) -> tuple[Floats, Floats, Floats]:
        """x, y, z of unit directions from the camera through pixels, in the platform's frame."""
        x_seen = ((columns - self.middle[0]) / self.focal).astype(np.float32)
        y_seen = ((rows - self.middle[1]) / self.focal).astype(np.float32)
        x, y = x_seen, y_seen
        for _ in range(_UNDISTORT_STEPS if self.k1 else 0):
            shrink = 1 / (1 + np.float32(self.k1) * (x * x + y * y))
            x, y = x_seen * shrink, y_seen * shrink
        length = 1 / np.sqrt(x * x + y * y + 1)
        a = self.axes().astype(np.float32)
        return (
            (x * a[0, 0] + y * a[1, 0] + a[2, 0]) * length,
            (x * a[0, 1] + y * a[1, 1] + a[2, 1]) * length,
            (x * a[0, 2] + y * a[1, 2] + a[2, 2]) * length,
        )

    def window(self, points: NDArray, margin: float) -> tuple[int, int, int, int]:
        """First and last-plus-one column, then row, of the pixels around the points (n, 3); may be empty."""
        seen = self.project(points)
        low, high = seen.min(0) - margin, seen.max(0) + margin
        left, right = np.clip((np.floor(low[0]), np.ceil(high[0]) + 1), 0, self.width).astype(int)
        top, bottom = np.clip((np.floor(low[1]), np.ceil(high[1]) + 1), 0, self.height).astype(int)
        return int(left), int(right), int(top), int(bottom)
