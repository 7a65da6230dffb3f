"""Top faces that touch: squares of one size searched for in a region, which together must explain all of it.

A ring just inside a face's edge has no pips, so it is light all round wherever a face lies, and points just
outside are dark where no neighbour touches. The rings that see most dark outside them are the faces.
"""

# Buffers go where viper takes pointers.
# pyright: reportArgumentType=false

from array import array
from math import cos, pi, sin

from .edges import fit_edges
from .gather import without
from .kernels import count_lights, score
from .square import Pose

_RING = 0.45  # half-width of the ring, in sides
_OUTSIDE = 0.62  # half-width of the ring of points outside
_PLACES = (-0.36, -0.18, 0, 0.18, 0.36)
_POINTS = 4 * len(_PLACES)
_TURNS = 12
_STEP = 0.09  # sides between the places that are tried
_DARK_RING = 4  # points of a ring that may be dark: dirt, a rounded corner, a pip near the edge
_KEPT = 14
_UNIT = 16
_SAME = 0.25
_NEAREST = 0.93  # sides between the middles of two dice that stand beside each other, at least
_MARGIN = 0.06  # sides beyond a face's edge that its rounded rim is still bright
_UNCOVERED = 0.06  # areas of a face in a region that no face explains
_RIM = 0.25  # sides that a face may reach beyond its region
_ROUGH = 0.03  # RMS distance of an edge from straight, in sides


class SquareSearch:
    """Finds faces of `smallest` to `largest` times `side` pixels in a plane with `columns`."""

    def __init__(self, side, columns, smallest, largest):
        self._side = side
        self._columns = columns
        self._smallest = smallest
        self._largest = largest
        self._rings = [_ring((side * _RING, side * _OUTSIDE), turn) for turn in range(_TURNS)]

    def find(self, plane, region, runs, cut, most):
        """[Fit] of at most `most` faces that explain all of a region brighter than cut; [] when none do.

        runs: gives (y, x0, x1) of each run of the region.
        """
        fits = self._fits(plane, region, cut)
        return self._choose(plane, region, runs, cut, fits, [], most) or []

    def _fits(self, plane, region, cut):
        """Fits of the most promising places, each face once, those with the freest edges first."""
        fits = []
        for _, x, y, turn in self._places(plane, region, cut):
            start = Pose(x, y, self._side, turn * pi / 2 / _TURNS)
            fit = fit_edges(plane, self._columns, start, cut, True)
            if fit is None or fit.rough > _ROUGH or not self._is_ring(plane, fit.pose, cut):
                continue
            growth = fit.pose.side / self._side
            fitting = self._smallest <= growth <= self._largest and self._is_in(fit.pose, region)
            if fitting:
                fits.append(fit)
        fits.sort(key=lambda fit: -sum(fit.free))
        once = []
        for fit in fits:
            if all(_apart(fit.pose, other.pose) >= _SAME * self._side for other in once):
                once.append(fit)
        return once

    def _is_ring(self, plane, pose, cut):
        """Whether the ring of a fitted pose is light all round."""
        dark = 0
        for t in _PLACES:
            for u, v in ((_RING, t), (-_RING, t), (t, _RING), (t, -_RING)):
                x, y = pose.place(u, v)
                i = int(y + 0.5) * self._columns + int(x + 0.5)
                if not 0 <= i < len(plane) or plane[i] < cut:
                    dark += 1
        return dark <= _DARK_RING

    def _is_in(self, pose, region):
        """Whether a face lies in the box of a region, so that it is not a neighbour's. A region of a face
        that is not much brighter than the cut lacks its rim."""
        slack = int(_RIM * self._side)
        x0, y0, x1, y1 = pose.box(0, region.x1 + slack, region.y1 + slack)
        return (
            x0 >= region.x0 - slack
            and y0 >= region.y0 - slack
            and x1 <= region.x1 + slack
            and y1 <= region.y1 + slack
        )

    def _places(self, plane, region, cut):
        """The best (score, x, y, turn), at most _KEPT of them and none twice."""
        best = []
        step = max(1, int(self._side * _STEP + 0.5))
        reach = int(self._side * 0.45)
        columns = self._columns
        size = len(plane)
        for y in range(region.y0 + reach, region.y1 - reach + 1, step):
            for x in range(region.x0 + reach, region.x1 - reach + 1, step):
                at = y * columns + x
                for turn in range(_TURNS):
                    dark = score(plane, size, columns, at, self._rings[turn], _POINTS, cut, _DARK_RING)
                    if dark >= 0:
                        _keep(best, (dark, x, y, turn), self._side)
        return best

    def _choose(self, plane, region, runs, cut, fits, taken, most):
        """The first set of faces that leaves nothing of the region unexplained, None when there is none."""
        if taken and self._uncovered(plane, runs(region), cut, taken) <= _UNCOVERED * self._side**2:
            return taken
        if len(taken) < most:
            for i, fit in enumerate(fits):
                if all(self._stand_apart(fit.pose, other.pose) for other in taken):
                    found = self._choose(plane, region, runs, cut, fits[i + 1 :], taken + [fit], most)
                    if found:
                        return found
        return None

    def _stand_apart(self, a, b):
        """Whether two faces do not overlap: no corner of one is inside the other."""
        if _apart(a, b) < _NEAREST * self._side:
            return False
        for one, other in ((a, b), (b, a)):
            for u, v in ((-0.45, -0.45), (-0.45, 0.45), (0.45, -0.45), (0.45, 0.45)):
                s, t = other.face(*one.place(u, v))
                if abs(s) < 0.45 and abs(t) < 0.45:
                    return False
        return True

    def _uncovered(self, plane, runs, cut, taken):
        """Light pixels of a region that lie in no face taken."""
        count = 0
        limit = 0.5 + _MARGIN
        for y, x0, x1 in runs:
            parts = [(x0, x1 + 1)]
            for fit in taken:
                parts = without(parts, fit.pose.span(y, limit))
            for start, end in parts:
                count += count_lights(plane, y * self._columns + start, y * self._columns + end, cut)
        return count


def _ring(halves, turn):
    """Whole-pixel offsets x, y of the points of square rings of these half-widths, one after the other."""
    angle = turn * pi / 2 / _TURNS
    c, s = cos(angle), sin(angle)
    offsets = array("h")
    for half in halves:
        for t in _PLACES:
            along = t / _RING * half
            for u, v in ((half, along), (-half, along), (along, half), (along, -half)):
                offsets.append(int(u * c - v * s + 100.5) - 100)
                offsets.append(int(u * s + v * c + 100.5) - 100)
    return offsets


def _keep(best, place, side):
    """Put a place among the best, in place of poorer ones near it that are turned the same way."""
    score, x, y, _ = place
    for i, (other, ox, oy, _) in enumerate(best):
        if (ox - x) ** 2 + (oy - y) ** 2 < (0.2 * side) ** 2:
            if score > other:
                best[i] = place
            return
    best.append(place)
    best.sort(key=lambda item: -item[0])
    if len(best) > _KEPT:
        best.pop()


def _apart(a, b):
    return ((a.x - b.x) ** 2 + (a.y - b.y) ** 2) ** 0.5
