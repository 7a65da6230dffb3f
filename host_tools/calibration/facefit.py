"""One die's top face fitted to the pixels of a picture that can be trusted, by damped least squares."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from host_tools.calibration.classic import CLASSIC

Floats = NDArray[np.float64]

_AROUND = 0.8  # sides about the start's middle that are looked at
_EDGES = (3.0, 3.0, 1.8, 1.8, *[1.2] * 7)  # pixels over which an edge runs, fit by fit: soft, then sharp
_STRAY = 2.5  # median deviations from which a pixel counts less: a rim, a side face, a speck
_FAINT = 1.5  # levels below which a deviation is noise
_WORST = 40.0  # and at which it is as bad as can be
_RADIUS = 0.1  # of a pip in sides, where fits begin
# What a parameter is moved by to see what it does, and how far it may be from where the fit begins.
_STEPS = np.array([0.02, 0.02, 0.02, 0.002, 0.1, 0.1, 0.001, 0.001, 0.001, 0.1, 0.1])
_LOOSE = np.array([3.0, 3.0, 0.4, 0.2, 60, 60, 0.03, 0.03, 0.02, 10, 10])
_NOISE = 8.0  # levels that all pixels together may be off before the start gives way


@dataclass(frozen=True, slots=True)
class Start:
    """Where a fit begins: middle, side and turn (radians) of the face in pixels, level of its body and of its
    pips, and the distance of their rows, and of the rows' ends, from the middle, in sides."""

    x: float
    y: float
    side: float
    angle: float
    body: float
    pip: float
    spacing: tuple[float, float]


class FaceFit:
    """The face that explains a frame best. `parameters`: as in Start, then the pips' radius in sides and how
    much brighter the body grows over a side along x and y; `off`: mean deviation in levels; `part`: slices of
    the frame that were looked at."""

    def __init__(
        self, frame: np.ndarray, floor: Floats, hidden: NDArray[np.bool_], face: int, start: Start
    ) -> None:
        self._face = face
        self._start: Floats = np.array(
            [start.x, start.y, start.side, start.angle, start.body, start.pip, *start.spacing, _RADIUS, 0, 0]
        )
        reach = int(_AROUND * start.side) + 2
        row, column = max(0, int(start.y) - reach), max(0, int(start.x) - reach)
        self.part = slice(row, int(start.y) + reach + 1), slice(column, int(start.x) + reach + 1)
        seen = frame[self.part].astype(float)
        rows, columns = np.indices(seen.shape)
        self._rows, self._columns = rows + float(row), columns + float(column)
        self._floor = floor[self.part]
        near = np.hypot(self._columns - start.x, self._rows - start.y) < _AROUND * start.side
        self._use = near & ~hidden[self.part]
        self._seen = seen[self._use]
        self.parameters: Floats = self._start
        for edge in _EDGES:
            self._improve(edge)
        self.off = float(np.mean(np.minimum(np.abs(self._seen - self.model()[self._use]), _WORST)))

    def model(self) -> Floats:
        """The `part` of the frame as the face explains it."""
        return self._drawn(self.parameters, _EDGES[-1])

    def _improve(self, edge: float) -> None:
        """One step of the fit."""
        at = self.parameters
        off = self._seen - self._drawn(at, edge)[self._use]
        weight = 1 / (1 + (off / (_STRAY * max(float(np.median(np.abs(off))), _FAINT))) ** 2)
        moved = [self._drawn(at + step, edge) - self._drawn(at - step, edge) for step in np.diag(_STEPS)]
        slopes = np.stack([change[self._use] for change in moved], 1) / (2 * _STEPS)
        trust = (_NOISE / _LOOSE) ** 2
        weighted = slopes.T * weight
        step = np.linalg.solve(
            weighted @ slopes + np.diag(trust), weighted @ off + trust * (self._start - at)
        )
        self.parameters = at + np.clip(step, -_LOOSE, _LOOSE).astype(np.float64)

    def _drawn(self, parameters: Floats, edge: float) -> Floats:
        x, y, side, angle, body, pip, rows, ends, radius, along, down = parameters
        dx, dy = (self._columns - x) / side, (self._rows - y) / side
        u, v = dx * np.cos(angle) + dy * np.sin(angle), dy * np.cos(angle) - dx * np.sin(angle)
        ends = ends if self._face == max(CLASSIC) else rows
        nearest = np.min([np.hypot(u - a * rows, v - b * ends) for a, b in CLASSIC[self._face]], 0)
        on_pip = _rising((radius - nearest) * side / edge)
        on_face = _rising((0.5 - np.maximum(np.abs(u), np.abs(v))) * side / edge)
        bare = body + along * dx + down * dy
        return self._floor + on_face * (bare + (pip - bare) * on_pip - self._floor)


def _rising(away: Floats) -> Floats:
    """From 0 to 1 about 0, over a width of 1."""
    return 0.5 * (1 + np.tanh(2 * away))
