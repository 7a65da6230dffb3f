"""Pictures of a die under an only lamp, with what the lamp's mirror images in the dome hide put in again.

The images stay where they are whatever lies on the platform, so the empty platform tells which pixels they
burn out. A square with the pips of its face is fitted to all others, and fills the gaps.
"""

from collections.abc import Iterator, Mapping
from itertools import product

import cv2
import numpy as np

from host_tools.calibration.errors import CalibrationError, not_alone
from host_tools.calibration.facefit import FaceFit, Start

_HALO = 5.0  # levels above the floor from which light of an image disturbs
_CHANGED = 6.0  # levels by which a die differs from the empty platform
_SPACINGS = ((0.2, 0.2), (0.26, 0.26))  # of pips from a face's middle, in sides, where fits begin
_SIXES = ((0.26, 0.26), (0.145, 0.29))  # of the rows and ends of a six
_TURNED = (2, 3, 6)  # faces that look otherwise after a quarter turn
_ODD = 1.4  # times what good fits are off by, from which a face's is begun anew elsewhere
_NONE = 2.2  # and from which it is not there
_ASIDE = 0.15  # sides by which the first look at a die may have missed its middle


def mended(
    empty: np.ndarray, scenes: Mapping[int, np.ndarray], side: float, light: bool
) -> dict[int, np.ndarray]:
    """Scenes (1, rows, columns) of one die by face, as they are without the lamp's images.

    empty: the same of the empty platform; side: about that of a face, in pixels; light: its pips are lighter.
    CalibrationError when a picture does not show its face.
    """
    veil = _Veil(empty[0])
    fits = {face: veil.first(scene[0], face, side, light) for face, scene in scenes.items()}
    good = sorted(fit.off for fit in fits.values())[1]
    for face, fit in fits.items():
        if fit.off > _ODD * good:
            others = [other.parameters for other in fits.values() if other.off <= _ODD * good]
            fits[face] = veil.again(scenes[face][0], face, np.median(others, 0), fit)
    for face, fit in fits.items():
        if fit.off > _NONE * good:
            raise CalibrationError(
                f"face{face}: no die with its pips is seen beside the lamp's images: does it show that face?"
                " Put it where the images cover none of its pips"
            )
    return {face: veil.filled(scene[0], fits[face])[None] for face, scene in scenes.items()}


class _Veil:
    """What the lamp's images hide of an only frame (rows, columns), and the floor beneath."""

    def __init__(self, empty: np.ndarray) -> None:
        self._empty = empty.astype(float)
        self._floor = cv2.medianBlur(empty, 13 if empty.shape[1] < 200 else 25).astype(float)
        self._hidden = self._empty > self._floor + _HALO

    def first(self, frame: np.ndarray, face: int, side: float, light: bool) -> FaceFit:
        """The best fit of a face begun where the picture differs from the empty platform."""
        x, y, angle = self._about(frame, face)
        body, pip = self._levels(frame, (x, y), 0.4 * side, 98 if light else 2)
        starts = [
            Start(x, y, side, angle + turn, body, pip, spacing)
            for spacing, turn in product(_SIXES if face == 6 else _SPACINGS, _turns(face))
        ]
        return self._best(frame, face, starts)

    def again(self, frame: np.ndarray, face: int, usual: np.ndarray, found: FaceFit) -> FaceFit:
        """The best fit of a face begun all about its place with what the other faces have in common."""
        x, y, _ = self._about(frame, face)
        _, _, side, _, body, pip, pitch, _, _, _, _ = usual
        aside = _ASIDE * side
        places = [(0, 0), (aside, 0), (-aside, 0), (0, aside), (0, -aside)]
        spacings = ((pitch, pitch), (pitch * 0.7, pitch * 1.4)) if face == 6 else ((pitch, pitch),)
        turns = np.radians(np.arange(0, 180 if face in _TURNED else 90, 15))
        starts = [
            Start(x + dx, y + dy, side, turn, body, pip, spacing)
            for (dx, dy), spacing, turn in product(places, spacings, turns)
        ]
        return min(found, self._best(frame, face, starts), key=lambda fit: fit.off)

    def filled(self, frame: np.ndarray, fit: FaceFit) -> np.ndarray:
        """The frame with floor and the fitted die where the images are."""
        whole = np.where(self._hidden, self._floor, frame)
        whole[fit.part] = np.where(self._hidden[fit.part], fit.model(), whole[fit.part])
        return np.clip(np.rint(whole), 0, 255).astype(np.uint8)

    def _best(self, frame: np.ndarray, face: int, starts: list[Start]) -> FaceFit:
        fits = [FaceFit(frame, self._floor, self._hidden, face, start) for start in starts]
        return min(fits, key=lambda fit: fit.off)

    def _about(self, frame: np.ndarray, face: int) -> tuple[float, float, float]:
        """Middle and turn of the largest thing that is not on the empty platform."""
        changed = (np.abs(frame - self._empty) > _CHANGED) | self._hidden
        changed = cv2.morphologyEx(changed.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
        _, parts = cv2.connectedComponents(changed, connectivity=4)
        sizes = np.bincount(parts[~self._hidden], minlength=2)
        sizes[0] = 0
        if not sizes.any():
            raise not_alone(face, 0)
        own = (parts == int(np.argmax(sizes))) & ~self._hidden
        middle, _, degrees = cv2.minAreaRect(np.argwhere(own)[:, ::-1].astype(np.float32))
        return float(middle[0]), float(middle[1]), float(np.radians(degrees))

    def _levels(
        self, frame: np.ndarray, at: tuple[float, float], reach: float, pips: int
    ) -> tuple[float, float]:
        """Of the body and of its pips, about: median and percentile `pips` within `reach` of a place."""
        rows, columns = np.indices(frame.shape)
        seen = frame[~self._hidden & (np.hypot(columns - at[0], rows - at[1]) < reach)]
        return float(np.median(seen)), float(np.percentile(seen, pips))


def _turns(face: int) -> Iterator[float]:
    yield 0.0
    if face in _TURNED:
        yield np.pi / 2
