"""Where faces may lie: a matched filter of every face at every angle over the whole picture.

Normalised cross-correlation (Lewis, Fast normalized cross-correlation, 1995) with drawn faces, on a picture
reduced until a die is SIDE pixels wide.
"""

import math
from dataclasses import dataclass

import cv2
import numpy as np

from host_tools.second_reader.faces import TURNS, Pose, draw_pips
from host_tools.second_reader.profile import FACES, LIGHT_PIPS, Look

SIDE = 15.0
_ANGLES = 15  # over a quarter turn
_LEAST = 0.5  # correlation of a face worth a look
_CORE = 0.42  # half the width compared, in sides: the pips and not the rim
_FAINT = 5.0  # grey levels; what varies less is noise
_APART = 0.33  # sides between candidates: dice are farther apart, patterns made of two dice are not
_MOST = 16  # candidates; three dice and what else may lie there


@dataclass(frozen=True)
class Candidate:
    """A place where a face may lie, and its correlation."""

    pose: Pose
    face: int
    score: float


class Search:
    """The filters of one look of dice; made once, used for any number of pictures."""

    def __init__(self, look: Look) -> None:
        self._side = look.side
        self._factor = min(SIDE / look.side, 1.0)
        self._turns = [self._filters(look, step * math.pi / 2 / _ANGLES) for step in range(_ANGLES)]

    def find(self, picture: np.ndarray, inside: np.ndarray) -> list[Candidate]:
        """Candidates in a picture (float32) where `inside` is True, best first, none near a better one."""
        small = cv2.resize(picture, None, fx=self._factor, fy=self._factor, interpolation=cv2.INTER_AREA)
        allowed = cv2.resize(inside.astype(np.uint8), small.shape[::-1], interpolation=cv2.INTER_NEAREST) > 0
        best = np.full(small.shape, -1.0, np.float32)
        weight = np.zeros(small.shape, np.float32)
        which = np.zeros((*small.shape, 2), np.int16)
        for turn, (square, filters) in enumerate(self._turns):
            spread = _spread(small, square)
            for number, (_, _, drawn) in enumerate(filters):
                strength = cv2.filter2D(small, cv2.CV_32F, drawn, borderType=cv2.BORDER_REPLICATE)
                found = strength / spread
                explained = np.maximum(found, 0) ** 2 * strength
                better = explained > weight
                best[better], weight[better] = found[better], explained[better]
                which[better] = turn, number
        weight[~allowed | (best < _LEAST)] = 0
        return self._peaks(best, weight, which)

    def _filters(self, look: Look, angle: float) -> tuple[np.ndarray, list[tuple[int, float, np.ndarray]]]:
        """The square's cells, and (face, angle, filter) of each face and way to lie at this angle."""
        side = look.side * self._factor
        half = math.ceil(side * 0.71)
        y, x = np.mgrid[-half : half + 1, -half : half + 1].astype(np.float32)
        square = self._cells(x, y, side, angle)
        sign = 1 if look.polarity == LIGHT_PIPS else -1
        filters = []
        for face in FACES:
            for quarter in range(TURNS[face]):
                turned = angle + quarter * math.pi / 2
                c, s = math.cos(turned) / side, math.sin(turned) / side
                pips = sign * draw_pips(look, face, c * x + s * y, c * y - s * x, 1.0 / side)
                pips = (pips - (pips * square).sum() / square.sum()) * square
                filters.append((face, turned, (pips / np.sqrt((pips**2).sum())).astype(np.float32)))
        return square.astype(np.float32), filters

    @staticmethod
    def _cells(x: np.ndarray, y: np.ndarray, side: float, angle: float) -> np.ndarray:
        c, s = math.cos(angle) / side, math.sin(angle) / side
        return (np.maximum(np.abs(c * x + s * y), np.abs(c * y - s * x)) < _CORE).astype(np.float32)

    def _peaks(self, best: np.ndarray, weight: np.ndarray, which: np.ndarray) -> list[Candidate]:
        """Peaks of what a face explains: a two explains more than a one laid on either of its pips."""
        apart = int(_APART * self._side * self._factor)
        found = []
        left = weight.copy()
        while len(found) < _MOST:
            row, column = np.unravel_index(left.argmax(), left.shape)
            if left[row, column] <= 0:
                break
            turn, number = which[row, column]
            face, angle, _ = self._turns[turn][1][number]
            x, y = ((at + 0.5) / self._factor - 0.5 for at in (column, row))
            found.append(Candidate(Pose(x, y, self._side, angle), face, float(best[row, column])))
            cv2.circle(left, (int(column), int(row)), apart, 0.0, -1)
        return found


def _spread(picture: np.ndarray, square: np.ndarray) -> np.ndarray:
    """Root of the summed squares about the mean, over the square at every place."""
    cells = square.sum()
    total = cv2.filter2D(picture, cv2.CV_32F, square, borderType=cv2.BORDER_REPLICATE)
    squares = cv2.filter2D(picture**2, cv2.CV_32F, square, borderType=cv2.BORDER_REPLICATE)
    return np.sqrt(np.maximum(squares - total**2 / cells, cells * _FAINT**2))
