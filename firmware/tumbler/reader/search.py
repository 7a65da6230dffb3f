"""Top faces that touch: squares of one size searched for in a region, which together must explain all of it.

A ring just inside a face's edge has no pips, so it is light all round wherever a face lies, and points just
outside are dark where no neighbour touches. The rings that see most dark outside them are the faces.
"""

# Buffers go where viper takes pointers.
# pyright: reportArgumentType=false

from array import array
from math import cos, pi, sin

from .edges import EDGES, fit_edges
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
_SAME = 0.25
_NEAREST = 0.93  # sides between the middles of two dice that stand beside each other, at least
_MARGIN = 0.06  # sides beyond a face's edge that its rounded rim is still bright
_PART = 0.5, 1.25  # areas of a face that each of a region's parts may have, pips and rims left out
_SAMPLED = 0.12  # sides between the places that tell the middle of a part
_ROUNDS = 4  # in which the middles of three faces settle
_BEYOND = 0.8  # sides from a face's middle to where its neighbour lies
_UNCOVERED = 0.06  # areas of a face in a region that no face explains
_RIM = 0.25  # sides that a face may reach beyond its region
_ROUGH = 0.03  # RMS distance of an edge from straight, in sides,
_STRAIGHT = 0.01  # and that of one so straight that no other turn is tried


class SquareSearch:
    """Finds faces of `smallest` to `largest` times `side` pixels in a plane with `columns`; `sides`: a Sides,
    which tells what else of their dice is light."""

    def __init__(self, side, columns, sides, smallest, largest):
        self._side = side
        self._sides = sides
        self._columns = columns
        self._smallest = smallest
        self._largest = largest
        self._rings = [_ring((side * _RING, side * _OUTSIDE), turn) for turn in range(_TURNS)]

    def find(self, plane, region, runs, cut, most):
        """[Pose] of at most `most` faces that explain all of a region brighter than cut; [] when none do.

        runs: gives (y, x0, x1) of each run of the region.
        """
        for count in range(1, most + 1):
            starts, fits = self._about_middles(plane, region, runs, cut, count)
            for poses in (self._by_free_edges(plane, region, cut, starts), fits):
                if self._explain(plane, runs(region), cut, poses):
                    return poses
        poses = self._poses(plane, region, cut)
        return self._choose(plane, region, runs, cut, poses, [], most) or []

    def _about_middles(self, plane, region, runs, cut, count):
        """Of so many faces about the middles of the parts of a region: Poses where they may lie, and those
        that were fitted to all their edges, [] when some were not."""
        step = max(1, int(self._side * _SAMPLED))
        is_line = region.y1 - region.y0 < step  # which may have no sampled row
        if is_line or not _PART[0] < region.area / count / self._side**2 < _PART[1]:
            return [], []
        middles = _middles(lambda: _sampled(runs(region), step), region.centre(), count)
        fits = [self._fit_about(plane, region, cut, x, y) for x, y in middles]
        turns = [fit.pose.angle for fit in fits if fit is not None]
        if not turns:
            return [], []
        # One that others hide, edge by edge, is turned as they are.
        starts = [
            Pose(x, y, self._side, turns[0]) if fit is None else fit.pose
            for (x, y), fit in zip(middles, fits)
        ]
        return starts, _all_found(fits)

    def _by_free_edges(self, plane, region, cut, starts):
        """Poses fitted without the edges that others hide: where dice without a dark rim touch, what is
        fitted there are their pips. [] when some are none."""
        if len(starts) < 2:
            return []
        begun = [_start_beside(starts, i, self._side) for i in range(len(starts))]
        return _all_found([self._fit(plane, region, cut, start, reaches) for start, reaches in begun])

    def _fit_about(self, plane, region, cut, x, y):
        """The Fit of a face about its middle, begun with the turns that have most dark points outside it."""
        at = int(y + 0.5) * self._columns + int(x + 0.5)
        size = len(plane)
        dark = [score(plane, size, self._columns, at, ring, _POINTS, cut, _DARK_RING) for ring in self._rings]
        most = max(dark)
        best = None
        for turn in sorted(range(_TURNS), key=lambda turn: (-dark[turn], turn)):
            if dark[turn] < most - 1 or (best is not None and best.rough <= _STRAIGHT):
                break
            fit = self._fit(plane, region, cut, self._turned(x, y, turn))
            if fit is not None and (best is None or _looseness(fit) < _looseness(best)):
                best = fit
        return best

    def _poses(self, plane, region, cut):
        """Poses of the most promising places, each face once, those with the freest and straightest edges
        first."""
        places = self._places(plane, region, cut)
        fits = [self._fit(plane, region, cut, self._turned(x, y, turn)) for _, x, y, turn in places]
        fits = [fit for fit in fits if fit is not None]
        fits.sort(key=_looseness)
        once = []
        for fit in fits:
            if all(_apart(fit.pose, other) >= _SAME * self._side for other in once):
                once.append(fit.pose)
        return once

    def _turned(self, x, y, turn):
        return Pose(x, y, self._side, turn * pi / 2 / _TURNS)

    def _fit(self, plane, region, cut, start, reaches=EDGES):
        """The Fit of a face of a region, begun at a Pose; None when none lies there. See fit_edges."""
        fit = fit_edges(plane, self._columns, start, cut, True, reaches)
        if fit is None or fit.rough > _ROUGH or not self._is_ring(plane, fit.pose, cut):
            return None
        growth = fit.pose.side / self._side
        return fit if self._smallest <= growth <= self._largest and self._is_in(fit.pose, region) else None

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

    def _choose(self, plane, region, runs, cut, poses, taken, most):
        """The first set of faces that leaves nothing of the region unexplained, None when there is none."""
        if taken and self._is_explained(plane, runs(region), cut, taken):
            return taken
        if len(taken) < most:
            for i, pose in enumerate(poses):
                if all(self._stand_apart(pose, other) for other in taken):
                    found = self._choose(plane, region, runs, cut, poses[i + 1 :], taken + [pose], most)
                    if found:
                        return found
        return None

    def _explain(self, plane, runs, cut, poses):
        """Whether there are faces, no two of which overlap, that together explain a region."""
        apart = poses and all(self._stand_apart(a, b) for i, a in enumerate(poses) for b in poses[:i])
        return apart and self._is_explained(plane, runs, cut, poses)

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

    def _is_explained(self, plane, runs, cut, poses):
        """Whether hardly a light pixel of a region lies in none of the faces, nor on a side of their dice."""
        count = 0
        limit = 0.5 + _MARGIN
        for y, x0, x1 in runs:
            parts = [(x0, x1 + 1)]
            for pose in poses:
                parts = without(parts, pose.span(y, limit))
            for side in self._sides.spans(y, poses):
                parts = without(parts, side)
            for start, end in parts:
                count += count_lights(plane, y * self._columns + start, y * self._columns + end, cut)
        return count <= _UNCOVERED * self._side**2


def _all_found(fits):
    """Poses of fits, [] when one is None."""
    poses = [fit.pose for fit in fits if fit is not None]
    return poses if len(poses) == len(fits) else []


def _start_beside(poses, i, side):
    """(Pose, reaches): where the fit of face i begins, and its edges that others do not hide. If two edges
    across from each other are hidden, as in the midst of a row, it lies midway."""
    pose, others = poses[i], poses[:i] + poses[i + 1 :]
    reaches = []
    for u, v in ((_BEYOND, 0), (0, _BEYOND), (-_BEYOND, 0), (0, -_BEYOND)):
        reaches.append(None if any(_has(other, *pose.place(u, v)) for other in others) else 0.5)
    x = sum([other.x for other in others]) / len(others)
    y = sum([other.y for other in others]) / len(others)
    u, v = pose.face(x, y)
    u = u if reaches[0] is None and reaches[2] is None else 0
    v = v if reaches[1] is None and reaches[3] is None else 0
    x, y = pose.place(u, v)
    return Pose(x, y, side, pose.angle), reaches


def _has(pose, x, y):
    """Whether a point lies on a face."""
    u, v = pose.face(x, y)
    return max(abs(u), abs(v)) < 0.5


def _looseness(fit):
    """Least of the fit with the freest edges and the straightest."""
    return -fit.sides(), fit.rough


def _middles(places, middle, count):
    """x, y of the middles of the `count` parts of what lies about a middle, each of the places nearest to its
    own (Lloyd 1982), begun with places as far apart as can be; places: gives the x, y of each."""
    if count == 1:
        return [middle]
    middles = []
    while len(middles) < count:
        others = middles[:] or [middle]
        middles.append(max(places(), key=lambda place: min([_away(place, other) for other in others])))
    for _ in range(_ROUNDS):
        middles = _middles_of_parts(places(), middles)
    return middles


def _middles_of_parts(places, middles):
    """The middles of the places that are nearest to each of these."""
    sums = [[0, 0, 0] for _ in middles]
    for place in places:
        away = [_away(place, middle) for middle in middles]
        part = sums[away.index(min(away))]
        part[0] += 1
        part[1] += place[0]
        part[2] += place[1]
    return [(x / number, y / number) for number, x, y in sums if number]


def _away(place, other):
    return (place[0] - other[0]) ** 2 + (place[1] - other[1]) ** 2


def _sampled(runs, step):
    """x, y of every so many pixels of runs."""
    for y, x0, x1 in runs:
        if y % step == 0:
            for x in range(x0, x1 + 1, step):
                yield x, y


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
