"""A square fitted to the edges of one top face, where they are free, to a tenth of a pixel.

Along each edge the level is followed outwards until it crosses the cut. Where a neighbour touches it crosses
nowhere, and that part of the edge tells nothing.
"""

from .kernels import level
from .square import Pose

EDGES = (0.5, 0.5, 0.5, 0.5)  # half-widths at which the edges +u, +v, -u and -v of a face lie
_ALONG = (-0.36, -0.24, -0.12, 0, 0.12, 0.24, 0.36)  # places along an edge, in sides
START = 0.05  # sides inside the edge where the search begins, outside every pip's own darkness
_INWARD = 0.12
_OUTWARD = 0.13
_STRAY = 0.05  # sides by which a crossing may stray from its edge's middle one
_TRUST = 3  # how many crossings the start's angle and side are worth
_ROUNDS = 3
_HALF = 4  # crossings of an edge


class Fit:
    """A fitted `pose`; `free[e]` crossings that lie on edge e of 4; `rough`: their RMS distance, in sides."""

    def __init__(self, pose, free, rough):
        self.pose = pose
        self.free = free
        self.rough = rough

    def sides(self):
        """Number of edges of which at least half is free."""
        return len([count for count in self.free if count >= _HALF])

    def across(self):
        """Whether the place along u, and along v, is known from an edge at least half of which is free."""
        right, lower, left, upper = self.free
        return max(right, left) >= _HALF, max(lower, upper) >= _HALF


def fit_edges(plane, columns, pose, cut, inside_above, reaches=EDGES):
    """Fit of the square whose edges cross `cut`, begun at `pose`; None when none of them does.

    inside_above: whether the body is brighter than the cut, or darker; reaches: for each edge, +u, +v, -u
    and -v, 0.5, or None for one that is not to be looked at.
    """
    fit = None
    for _ in range(_ROUNDS):
        found = []
        free = [0, 0, 0, 0]
        for edge in range(4):
            if reaches[edge] is None:
                continue
            crossings = _crossings(plane, columns, pose, cut, inside_above, edge, reaches[edge])
            if len(crossings) >= 2:
                middle = sorted([away for _, away in crossings])[len(crossings) // 2]
                for t, away in crossings:
                    if abs(away - middle) <= _STRAY:
                        found.append((edge, t, away))
                        free[edge] += 1
        if len(found) < 4:
            return None
        du, dv, turn, growth = _solve(found)
        rough = 0
        for edge, t, away in found:
            rough += (away - _model(edge, t, du, dv, turn, growth)) ** 2
        x, y = pose.place(du, dv)
        pose = Pose(x, y, pose.side * (1 + growth), pose.angle + turn)
        fit = Fit(pose, free, (rough / len(found)) ** 0.5)
    return fit


def _crossings(plane, columns, pose, cut, inside_above, edge, reach):
    """[(place along the edge, how far beyond `reach` the level crosses)] in sides."""
    found = []
    for t in _ALONG:
        away = crossing(plane, columns, pose, cut, inside_above, edge, reach, t)
        if away is not None and away > reach - _INWARD:
            found.append((t, away - reach))
    return found


def crossing(plane, columns, pose, cut, inside_above, edge, reach, t):
    """How far from the middle, in sides, the level crosses `cut` about where an edge of the face at `pose`
    lies, at the place `t` along it: None when farther out than is looked, the innermost place looked at when
    farther in. The rest is that of fit_edges."""
    step = 0.5 / pose.side

    def inside(away):
        """How far the level is on the body's side of the cut."""
        x, y = pose.place(*edge_place(edge, away, t))
        here = level_at(plane, columns, x, y)
        return here - cut if inside_above else cut - here

    start = reach - START
    here = inside(start)
    if here > 0:
        return _walk(inside, start, here, step, reach + _OUTWARD)
    if inside(reach + _OUTWARD) <= 0:
        return _walk(inside, start, here, -step, reach - _INWARD) or reach - _INWARD
    return None


def edge_place(edge, away, t):
    """u, v of the place so many sides from the middle towards an edge, at the place `t` along it."""
    if edge == 0:
        return away, t
    if edge == 1:
        return t, away
    if edge == 2:
        return -away, t
    return t, -away


def _walk(inside, away, before, step, end):
    """Where the level crosses the cut between `away`, where it is `before`, and `end`; None when nowhere."""
    while (end - away) * step > 0:
        here = inside(away + step)
        if (here > 0) != (before > 0):
            return away + step * before / (before - here)
        away += step
        before = here
    return None


def level_at(plane, columns, x, y):
    """The level between four pixels; 0 outside the plane."""
    if x < 0 or y < 0 or x >= columns - 1 or (int(y) + 1) * columns + int(x) + 1 >= len(plane):
        return 0
    return level(plane, columns, int(x * 32), int(y * 32)) / 1024


def _row(edge, t):
    """How far the edge moves outwards at t for a unit of shift u, v, turn and growth."""
    if edge == 0:
        return 1, 0, -t, 0.5
    if edge == 1:
        return 0, 1, t, 0.5
    if edge == 2:
        return -1, 0, t, 0.5
    return 0, -1, -t, 0.5


def _model(edge, t, du, dv, turn, growth):
    a, b, c, d = _row(edge, t)
    return a * du + b * dv + c * turn + d * growth


def _solve(found):
    """Least-squares shift u, v, turn and growth; what the edges leave open stays as it was."""
    m = [[0.0] * 5 for _ in range(4)]
    for i, trust in enumerate((0.01, 0.01, 0.03 * _TRUST, 0.25 * _TRUST)):
        m[i][i] = trust
    for edge, t, away in found:
        row = _row(edge, t)
        for i in range(4):
            for j in range(4):
                m[i][j] += row[i] * row[j]
            m[i][4] += row[i] * away
    for i in range(4):
        for j in range(i + 1, 4):
            share = m[j][i] / m[i][i]
            for k in range(i, 5):
                m[j][k] -= share * m[i][k]
    answer = [0.0] * 4
    for i in (3, 2, 1, 0):
        rest = m[i][4]
        for k in range(i + 1, 4):
            rest -= m[i][k] * answer[k]
        answer[i] = rest / m[i][i]
    return answer
