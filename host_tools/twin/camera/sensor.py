"""The image sensor: from light to grey levels, with blur, vignette, noise, stuck pixels and clipping."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from host_tools.twin.camera.errors import SizeError
from host_tools.twin.camera.vectors import Floats

BLACK = 2.0  # grey level of no light


@dataclass(frozen=True, slots=True)
class Sensor:
    """white: grey level of a white die's face in the middle of the platform, under one lamp.

    blur: of the lens, sigma in pixels; smear: motion in pixels, along columns and rows; vignette: light lost
    in the corners, a share; gamma: 1 is linear; electrons: for one grey level (shot noise); read, row: noise
    in grey levels; stuck: row, column, level.
    """

    white: float = 110.0
    blur: float = 0.6
    smear: tuple[float, float] = (0.0, 0.0)
    vignette: float = 0.1
    gamma: float = 1.0
    electrons: float = 120.0
    read: float = 0.4
    row: float = 0.1
    stuck: tuple[tuple[int, int, int], ...] = ()

    def __post_init__(self) -> None:
        for name in ("white", "gamma", "electrons"):
            if getattr(self, name) <= 0:
                raise SizeError(f"sensor {name} {getattr(self, name)}: must be more than 0")
        for name in ("blur", "vignette", "read", "row"):
            if getattr(self, name) < 0:
                raise SizeError(f"sensor {name} {getattr(self, name)}: cannot be negative")

    def expose(self, light: Floats, rng: np.random.Generator) -> NDArray[np.uint8]:
        """Frames (n, rows, columns) of grey levels, from sharp light in grey levels above black."""
        count, height, width = light.shape
        seen = smeared(blurred(light, self.blur), *self.smear)
        signal = seen * self._falloff(height, width)
        noise = rng.standard_normal(light.shape, np.float32)
        noise *= np.sqrt(signal / np.float32(self.electrons) + np.float32(self.read**2))
        signal += noise
        signal += self.row * rng.standard_normal((count, height, 1), np.float32)
        if self.gamma != 1:
            signal = 255 * np.clip(signal / 255, 0, None) ** np.float32(self.gamma)
        signal += np.float32(BLACK)
        frames = np.clip(np.rint(signal), 0, 255).astype(np.uint8)
        for row, column, level in self.stuck:
            frames[:, row, column] = level
        return frames

    def _falloff(self, height: int, width: int) -> Floats:
        rows = (np.arange(height, dtype=np.float32) - height / 2)[:, None] / (width / 2)
        columns = (np.arange(width, dtype=np.float32) - width / 2) / (width / 2)
        return 1 - np.float32(self.vignette / 1.5625) * (rows**2 + columns**2)


def blurred(light: Floats, sigma: float) -> Floats:
    """Frames (n, rows, columns) out of focus by a Gaussian of `sigma` pixels."""
    if sigma < 0.05:
        return light
    reach = max(1, int(np.ceil(2.6 * sigma)))
    taps = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    taps = (taps / taps.sum()).astype(np.float32)
    for axis in (1, 2):
        light = _along(light, taps, axis)
    return light


def smeared(light: Floats, columns: float, rows: float) -> Floats:
    """Frames blurred by an even motion over so many pixels."""
    if not columns and not rows:
        return light
    steps = max(2, int(np.ceil(np.hypot(columns, rows))) + 1)
    total = np.zeros_like(light)
    for share in np.linspace(-0.5, 0.5, steps):
        total += _moved(light, round(share * rows), round(share * columns))
    return total / steps


def _along(light: Floats, taps: Floats, axis: int) -> Floats:
    reach = len(taps) // 2
    pad = [(0, 0)] * 3
    pad[axis] = (reach, reach)
    wide = np.pad(light, pad, "edge")
    length = light.shape[axis]

    def shifted(by: int) -> Floats:
        return wide[:, by : by + length] if axis == 1 else wide[:, :, by : by + length]

    total = shifted(reach) * taps[reach]
    for tap in range(reach):
        total += (shifted(tap) + shifted(2 * reach - tap)) * taps[tap]
    return total


def _moved(light: Floats, rows: int, columns: int) -> Floats:
    pad = np.pad(light, ((0, 0), (abs(rows),) * 2, (abs(columns),) * 2), "edge")
    top, left = abs(rows) + rows, abs(columns) + columns
    return pad[:, top : top + light.shape[1], left : left + light.shape[2]]
