"""What the lamps do to a level surface taken away, so that a flat face looks the same under each of them.

A frame divided by the light that falls on a level surface at the height of the top faces shows, under each
lamp, the same brightness for a flat matt face and different ones for a tilted face, a side or a reflection.
The median over the lamps is then a picture without reflections and shadows, and a face's brightness under the
lamps gives its normal (Woodham, Photometric method for determining surface orientation, 1980).
"""

from dataclasses import dataclass

import numpy as np

from host_tools.second_reader.exposure import Exposures
from host_tools.second_reader.lamps import rays, received
from host_tools.second_reader.profile import Profile

_BLACK = 2.0  # grey level of darkness
_GLOSS = 0.05  # a lamp this much too bright for the other three shows a reflection, not the normal
_NEAR = 1.5  # sides from a lamp's mirror image, within which a face shows its gloss


@dataclass(frozen=True)
class Relit:
    """A scene's frames with the light divided out.

    planes   array [lamp, row, column], float32, in grey levels of the platform's middle
    albedo   median over the lamps
    darkest  what all lamps light is bright: a hollow, which leans from one of them, is not
    steady   darkest but one: only what all lamps but one light is bright, so no side of a die is
    lit      brightest: only what no lamp lights is dark, so no shadow is
    """

    planes: np.ndarray
    albedo: np.ndarray
    darkest: np.ndarray
    steady: np.ndarray
    lit: np.ndarray

    @staticmethod
    def of(planes: np.ndarray) -> "Relit":
        """What the planes show together; one plane alone shows all of it."""
        ordered = np.sort(planes, axis=0)
        albedo = ordered[(len(ordered) - 1) // 2 : len(ordered) // 2 + 1].mean(axis=0)
        return Relit(planes, albedo, ordered[0], ordered[min(1, len(ordered) - 1)], ordered[-1])


class Light:
    """The lamps of a profile, as seen by level surfaces at the height of the top faces."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        rows, columns = np.mgrid[: profile.height, : profile.width]
        fall = np.array(profile.gains)[:, None, None] * received(rays(profile, columns, rows, profile.die_mm))
        middle = int(profile.platform[1]), int(profile.platform[0])
        self._fall = (fall / fall[:, *middle].mean()).astype(np.float32)
        self._exposures = Exposures(profile)
        self._linear = _linear(profile)
        self._stuck = [(int(x), int(y)) for x, y in profile.stuck]

    def straighten(self, frames: np.ndarray) -> np.ndarray:
        """The frames (uint8) with the levels of a linear camera."""
        return self._linear[frames]

    def relight(self, frames: np.ndarray) -> Relit:
        """Relit of frames [lamp, row, column] (uint8)."""
        planes = np.empty(frames.shape, np.float32)
        for lamp, frame in enumerate(frames):
            planes[lamp] = np.maximum(_mend(frame, self._stuck).astype(np.float32) - _BLACK, 0)
        strengths = self._exposures.against_each_other(planes)
        planes /= self._fall * strengths[:, None, None].astype(np.float32)
        return Relit.of(planes)

    def slope(self, levels: np.ndarray, burnt: np.ndarray, x: float, y: float) -> np.ndarray:
        """Tangents across and down of the lean of a face at x, y with a relit level under each lamp.

        Lamps that have the face `burnt` out are left out, and one that mirrors in a glossy face, if its
        mirror image is near: any other that is too bright may tell of a tilt.
        """
        towards = rays(self._profile, np.array(x), np.array(y), self._profile.die_mm)
        slopes = towards / towards[:, 2:]
        if burnt.any():
            return _lean(slopes[~burnt], levels[~burnt])
        everything = _lean(slopes, levels)
        residuals = levels - slopes @ np.linalg.lstsq(slopes, levels, rcond=None)[0]
        if np.abs(residuals).max() < _GLOSS / 4 * levels.mean():
            return everything
        suspects = [lamp for lamp, left in enumerate(residuals) if left > 0 and self._is_mirrored(lamp, x, y)]
        without = [_lean(np.delete(slopes, i, 0), np.delete(levels, i)) for i in suspects]
        return min([everything, *without], key=lambda lean: float(np.hypot(*lean)))

    def _is_mirrored(self, lamp: int, x: float, y: float) -> bool:
        reach = _NEAR * self._profile.look.side
        return any(
            np.hypot(x - column, y - row) < reach + radius
            for column, row, radius in self._profile.images[lamp]
        )


def _linear(profile: Profile) -> np.ndarray:
    """What a linear camera shows for each of 256 levels: darkness is _BLACK, the brightest stays."""
    levels = np.arange(256.0)
    share = np.clip((levels - profile.black) / (255 - profile.black), 0, 1) ** (1 / profile.gamma)
    lit = _BLACK + (255 - _BLACK) * share
    dark = np.maximum(levels - profile.black + _BLACK, 0)
    return np.rint(np.where(levels > profile.black, lit, dark)).astype(np.uint8)


def _lean(slopes: np.ndarray, levels: np.ndarray) -> np.ndarray:
    normal = np.linalg.lstsq(slopes, levels, rcond=None)[0]
    return normal[:2] / max(normal[2], 1e-6)


def _mend(frame: np.ndarray, stuck: list[tuple[int, int]]) -> np.ndarray:
    """The frame with stuck pixels taken from the four beside them: the next ones may be another pip's."""
    whole = frame.copy()
    for x, y in stuck:
        beside = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
        levels = [
            int(frame[row, column])
            for column, row in beside
            if 0 <= row < frame.shape[0] and 0 <= column < frame.shape[1] and (column, row) not in stuck
        ]
        if levels:
            whole[y, x] = sum(levels) // len(levels)
    return whole
