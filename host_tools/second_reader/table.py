"""An open table: a picture that is floor all over, but for specks and bodies of about a die's size.

A tumbler's picture shows its wall all around. Where the floor runs out of the picture on all sides there is
nothing to lean on, and the picture may be a piece of a larger one, so that nothing tells where the camera's
axis is.
"""

from dataclasses import dataclass

import cv2
import numpy as np

_SLOPE = 0.04  # of the floor's level for a pixel: more is an edge
_FAINT = 2.0  # grey levels for a pixel, besides the noise, that are no edge
_DARKEST, _BRIGHTEST = 0.7, 1.25  # shares of its level that floor may have
_DIM = 60.0  # grey levels: on a darker floor faint edges are lost in the noise
_FLOOR, _BORDER = 0.6, 0.9  # shares of the picture, and of its border, that are floor at least
_DUST, _GAP, _THIN = 0.1, 0.4, 0.25  # of the side told: what is finer is left out, parts so near are joined
_SPECK, _LARGE = 0.06, 1.7  # of the area, and of the side told: what is smaller is no die, nor what is larger


@dataclass(frozen=True)
class Lump:
    """What lies on the table: its box (left, top, width, height) and area, in pixels."""

    box: tuple[int, int, int, int]
    area: int


def lumps(picture: np.ndarray, side: float) -> list[Lump] | None:
    """What lies on an open table, None when the picture shows none. `side`: of a die in pixels, about."""
    level = float(np.median(picture))
    if level < _DIM:
        return None
    even = _even(picture, level)
    _, labels, stats, _ = cv2.connectedComponentsWithStats(even.astype(np.uint8), connectivity=4)
    stats[0, cv2.CC_STAT_AREA] = 0
    floor = labels == stats[:, cv2.CC_STAT_AREA].argmax()
    border = np.concatenate([floor[0], floor[-1], floor[:, 0], floor[:, -1]])
    if floor.mean() < _FLOOR or border.mean() < _BORDER:
        return None
    strange = (~floor).astype(np.uint8)
    for change, wide in ((cv2.MORPH_OPEN, _DUST), (cv2.MORPH_CLOSE, _GAP), (cv2.MORPH_OPEN, _THIN)):
        strange = cv2.morphologyEx(strange, change, _disc(wide * side))
    _, _, stats, _ = cv2.connectedComponentsWithStats(strange)
    found = [Lump((int(x), int(y), int(w), int(h)), int(area)) for x, y, w, h, area in stats[1:]]
    found = [lump for lump in found if lump.area > _SPECK * side**2]
    return found if all(max(lump.box[2:]) < _LARGE * side for lump in found) else None


def _even(picture: np.ndarray, level: float) -> np.ndarray:
    """Where the picture goes on without an edge, about as bright as the floor."""
    noise = float(np.median(np.abs(picture - cv2.medianBlur(picture, 3))))
    smooth = cv2.GaussianBlur(picture, (0, 0), 1.0)
    slope = np.hypot(
        cv2.Sobel(smooth, cv2.CV_32F, 1, 0, scale=1 / 8), cv2.Sobel(smooth, cv2.CV_32F, 0, 1, scale=1 / 8)
    )
    bounds = (smooth > _DARKEST * level) & (smooth < _BRIGHTEST * level)
    return (slope < max(_SLOPE * level, _FAINT + noise)) & bounds


def _disc(diameter: float) -> np.ndarray:
    wide = max(3, round(diameter))
    return cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (wide, wide))
