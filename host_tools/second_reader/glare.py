"""Glare on faces with dark pips: a mirrored lamp hides pips, and makes none.

So a face is read with what is too bright taken for bare face, as long as what the glare leaves in sight tells
it from every other face.
"""

import cv2
import numpy as np

from host_tools.second_reader.faces import INSIDE, TURNS, patch, templates
from host_tools.second_reader.fit import Fit
from host_tools.second_reader.profile import Look
from host_tools.second_reader.refusal import Refused

_BRIGHT = 1.12  # of a face's level: more is glare, not noise
_PIP, _SPOT, _NEAR = 0.4, 0.5, 0.25  # sides across: larger than pips, than mirrored lamps, and than what an
# opening with that leaves out of a die's corners
_MARGIN = 0.08  # correlation by which the face is liker than others in what is in sight
_RIM = np.ones((3, 3), np.uint8)


def without_glare(picture: np.ndarray, side: float) -> np.ndarray:
    """The picture without spots that are brighter than what they lie on and smaller than dice."""
    level = picture
    for change, wide in ((cv2.MORPH_CLOSE, _PIP), (cv2.MORPH_OPEN, _SPOT), (cv2.MORPH_DILATE, _NEAR)):
        disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * round(wide * side / 2) + 1,) * 2)
        level = cv2.morphologyEx(level, change, disc)
    return np.minimum(picture, _BRIGHT * level)


def check_glare(fit: Fit, look: Look, picture: np.ndarray) -> None:
    """Refused when what glare leaves in sight may be another face."""
    seen = patch(picture, fit.pose)
    glare = cv2.dilate((seen > _limit(seen)).astype(np.uint8), _RIM)
    cells = INSIDE & (glare == 0)
    like = {face: max(_likenesses(seen, drawn, cells, face)) for face, drawn in templates(look).items()}
    if like.pop(fit.face) < max(like.values()) + _MARGIN:
        raise Refused("unreadable", "glare")


def _limit(seen: np.ndarray) -> float:
    """The level from which a face shows glare, by its bare face, which is more than half of it."""
    return _BRIGHT * float(np.median(seen[INSIDE & (seen >= np.median(seen[INSIDE]))]))


def _likenesses(seen: np.ndarray, drawn: np.ndarray, cells: np.ndarray, face: int) -> list[float]:
    """Correlation of the cells with a face, for each way that it may lie."""
    turned = [np.rot90(drawn, turn)[cells] for turn in range(TURNS[face])]
    return [float(np.corrcoef(seen[cells], one)[0, 1]) if one.any() else 0.0 for one in turned]
