"""A candidate fitted to the picture: which face lies there, where, and how well it explains the patch.

The measure is the correlation of the patch with the drawn face plus the contrast along the square's edges
where the die ends, which alone tells the angle of a one.
"""

import math
from dataclasses import dataclass, replace
from functools import cache

import cv2
import numpy as np

from host_tools.second_reader.faces import GRID, INSIDE, SPAN, TURNS, Pose, U, V, patch, sample, templates
from host_tools.second_reader.light import Relit
from host_tools.second_reader.profile import FACES, LIGHT_PIPS, Look

_EDGE_WEIGHT = 0.35  # of the edges' contrast against the correlation of the pips
_IN, _OUT = 0.42, 0.57  # sides from the middle: on the face, and past its edge
_ALONG = np.linspace(-0.36, 0.36, 9, dtype=np.float32)
_STEPS = (1.0, 0.5, 0.25, 0.125)  # of the search: pixels, four degrees, 3 percent of the side
_HOPELESS = 0.5  # correlation after the first steps
_NEAR = np.ones((3, 3), np.uint8)
_MARK = 0.25  # of a pip's contrast: a mark, not noise
_FACE = 0.40  # sides from the middle: surely face


@dataclass(frozen=True)
class Fit:
    """A face laid over the picture.

    score    correlation of the patch with the drawn face, 1 when alike
    margin   how much less the next best face correlates
    edges    contrast at the four sides, 0 to 1, where the die ends; 0 where something as bright touches it
    level    of the face, depth: what its pips differ by (relit grey levels, above 0 for light pips)
    residual largest spot the drawn face leaves unexplained, as a share of `depth`
    marks    area of the largest thin mark on bare face, as a share of the face
    unrest   spread of the levels within pips, as a share of `depth`
    """

    face: int
    pose: Pose
    score: float
    margin: float
    edges: tuple[float, ...]
    level: float
    depth: float
    residual: float
    marks: float
    unrest: float


class Fitter:
    """Fits the faces of one look of dice."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self._light = look.polarity == LIGHT_PIPS
        self._drawn = templates(look)
        self._normal = {face: _normalised(drawn) for face, drawn in self._drawn.items()}
        self._spot = _disc(min(look.radii.values()))

    def fit(self, relit: Relit, start: Pose, face: int) -> Fit | None:
        """The best Fit near a start, None where no face is; `face` is the one first believed."""
        pose = self._settle(relit, start, face, _STEPS[:1])
        if self._correlate(relit.albedo, pose, face) < _HOPELESS:
            return None
        pose = self._settle(relit, pose, face, _STEPS[1:])
        ways = {other: self._best_way(relit, pose, other) for other in FACES}
        best = max(ways, key=lambda other: ways[other][0])
        if best != face:
            pose = self._settle(relit, ways[best][1], best, _STEPS[1:])
            ways = {other: self._best_way(relit, pose, other) for other in FACES}
        score, pose = ways[best]
        runner = max(ways[other][0] for other in FACES if other != best)
        rest = self._explain(relit.albedo, pose, best)
        edges = tuple(float(edge) for edge in self.edges(relit, pose))
        return Fit(best, pose, score, score - runner, edges, *rest)

    def _settle(self, relit: Relit, start: Pose, face: int, steps: tuple[float, ...]) -> Pose:
        """Pattern search for x, y, angle and side, in ever smaller steps."""
        pose, value = start, self._value(relit, start, face)
        for size in steps:
            step = size * np.array([1.0, 1.0, math.radians(4), 0.03 * start.side])
            moved = True
            while moved:
                moved = False
                for axis in range(4):
                    for sign in (1, -1):
                        delta = np.where(np.arange(4) == axis, sign * step, 0)
                        tried = Pose(
                            pose.x + delta[0], pose.y + delta[1], pose.side + delta[3], pose.angle + delta[2]
                        )
                        if (
                            abs(tried.side / self.look.side - 1) > 0.2
                            or _apart(tried, start) > 0.4 * start.side
                        ):
                            continue
                        found = self._value(relit, tried, face)
                        if found > value + 1e-5:
                            pose, value, moved = tried, found, True
        return pose

    def _value(self, relit: Relit, pose: Pose, face: int) -> float:
        return self._correlate(relit.albedo, pose, face) + _EDGE_WEIGHT * float(
            self.edges(relit, pose).mean()
        )

    def _correlate(self, picture: np.ndarray, pose: Pose, face: int) -> float:
        cells = patch(picture, pose)[INSIDE]
        cells = cells - cells.mean()
        return float(cells @ self._normal[face] / math.sqrt(float(cells @ cells) + 1.0))

    def _best_way(self, relit: Relit, pose: Pose, face: int) -> tuple[float, Pose]:
        """Highest correlation of a face at a pose, over its quarter turns."""
        turned = [replace(pose, angle=pose.angle + quarter * math.pi / 2) for quarter in range(TURNS[face])]
        return max(
            ((self._correlate(relit.albedo, way, face), way) for way in turned), key=lambda way: way[0]
        )

    def edges(self, relit: Relit, pose: Pose) -> np.ndarray:
        """Mean contrast across the four sides: a light-pipped die ends where the floor is lighter."""
        picture = relit.lit if self._light else relit.albedo
        inner, outer = (sample(picture, *pose.place(*_border(at))) for at in (_IN, _OUT))
        rise = (
            (outer - inner) / np.maximum(outer, 1) if self._light else (inner - outer) / np.maximum(inner, 1)
        )
        return np.clip(rise, 0, 0.6).mean(axis=1) / 0.6

    def _explain(self, picture: np.ndarray, pose: Pose, face: int) -> tuple[float, ...]:
        """(level, depth, residual, marks, unrest): a fit of level and depth, and what remains."""
        seen, drawn = patch(picture, pose), self._drawn[face]
        columns = np.stack([np.ones(INSIDE.sum()), drawn[INSIDE]], 1)
        (level, depth), *_ = np.linalg.lstsq(columns, seen[INSIDE], rcond=None)
        rest = ((seen - level - depth * drawn) / max(abs(depth), 1.0)).astype(np.float32)
        spots = _blurred(np.where(INSIDE, rest, 0), self._spot)
        spots = spots / np.maximum(_blurred(INSIDE.astype(np.float32), self._spot), 0.3)
        residual = np.abs(spots)[INSIDE].max()
        marks = self._marks(rest, pose, face)
        pips = cv2.erode(np.abs(drawn), _NEAR) > 0.6
        unrest = rest[pips].std() if pips.any() else 0.0
        return tuple(float(value) for value in (level, depth, residual, marks, unrest))

    def _marks(self, rest: np.ndarray, pose: Pose, face: int) -> float:
        """Largest area beside the pips that differs by a quarter of a pip's contrast, in faces."""
        bare = cv2.dilate(np.abs(self._drawn[face]), _NEAR) < 0.1
        out = np.maximum(np.abs(U), np.abs(V)) * pose.side / self.look.side
        marked = bare & (out < _FACE) & (np.abs(cv2.blur(rest, (2, 2))) > _MARK)
        _, _, stats, _ = cv2.connectedComponentsWithStats(marked.astype(np.uint8))
        return float(stats[1:, cv2.CC_STAT_AREA].max(initial=0)) * (SPAN / GRID) ** 2


def _apart(one: Pose, other: Pose) -> float:
    return math.hypot(one.x - other.x, one.y - other.y)


def _normalised(drawn: np.ndarray) -> np.ndarray:
    cells = drawn[INSIDE] - drawn[INSIDE].mean()
    return cells / np.sqrt((cells**2).sum())


@cache
def _border(at: float) -> tuple[np.ndarray, np.ndarray]:
    """Places u, v along the four sides, [4, 9], `at` sides from the middle."""
    across = np.full_like(_ALONG, at)
    u = np.stack([across, -across, _ALONG, _ALONG])
    v = np.stack([_ALONG, _ALONG, across, -across])
    return u, v


def _disc(radius: float) -> np.ndarray:
    """A pip-sized disc in cells of the grid, of sum 1."""
    cells = max(radius * GRID / SPAN * 0.9, 1.0)
    half = math.ceil(cells)
    y, x = np.mgrid[-half : half + 1, -half : half + 1]
    disc = (np.hypot(x, y) <= cells).astype(np.float32)
    return disc / disc.sum()


def _blurred(picture: np.ndarray, kernel: np.ndarray) -> np.ndarray:
    return cv2.filter2D(picture.astype(np.float32), cv2.CV_32F, kernel, borderType=cv2.BORDER_CONSTANT)
