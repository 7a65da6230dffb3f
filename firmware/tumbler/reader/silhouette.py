"""The outline of a dark die against the lit floor, in the composite that has no shadow.

The lens sees the sides of a die that face the platform's middle, so there the outline is that of the die's
base, and only the edges away from the middle are the top face's own.
"""

from math import pi

from .edges import fit_edges, level_at
from .square import Pose

_AROUND = 0.8  # half-width of the ring of points on the floor, in sides
_RING = 0.44  # and of the ring on the face, outside every pip
_PLACES = (-0.36, -0.18, 0, 0.18, 0.36)
_CONTRAST = 1.25  # least share by which the floor is brighter
_DIFFERENCE = 4
_INNER = 0.02  # sides by which the base may show beside an edge that is taken for the top face's
_TURNS = 12
_OUTSIDE = 0.6  # and of a ring on the floor that lies in the face where this is wrongly turned
_WITHIN = 3  # points of floor beyond a face that one point of floor in it is worth, to tell how it is turned
MOST_FLOOR = 7  # of 20 points on a face that may be as light as the floor: glints along one rounded rim
_ROUGH = 0.035


class Silhouettes:
    """Looks at dark dice of `side` pixels in a plane with `columns`.

    centre: of the platform, in its pixels; lens: height of a die as a share of the lens's height.
    """

    def __init__(self, plane, columns, side, centre, lens):
        self._plane = plane
        self._columns = columns
        self._side = side
        self._centre = centre
        self._lens = lens

    def floor_inside(self, pose):
        """How many of 20 points of a face at a pose show floor; 0 where dice are no darker than the floor."""
        cut = self._cut(pose)
        return 0 if cut is None else self._lighter(pose, _RING, cut)

    def fit(self, pose):
        """Fit of the face at a pose; None when no edge of its own shows."""
        start = Pose(pose.x, pose.y, self._side, pose.angle)
        cut = self._cut(start)
        if cut is None:
            return None
        fit = fit_edges(self._plane, self._columns, start, cut, False, self._reaches(start))
        return fit if fit is not None and fit.rough <= _ROUGH and max(fit.free) >= 4 else None

    def fit_turned(self, pose):
        """The same for a face whose turn is not known."""
        best = None
        for turn in range(_TURNS):
            start = Pose(pose.x, pose.y, self._side, turn * pi / 2 / _TURNS)
            cut = self._cut(start)
            if cut is None:
                continue
            inside = self._lighter(start, _RING, cut)
            if inside <= MOST_FLOOR:
                seen = self._lighter(start, _OUTSIDE, cut) - _WITHIN * inside
                if best is None or seen > best[0]:
                    best = seen, start
        return self.fit(best[1]) if best else None

    def _reaches(self, pose):
        """For each edge +u, +v, -u, -v: 0.5, None where the base shows beside the top face."""
        u, v = pose.face(self._centre[0], self._centre[1])
        return [0.5 if self._lens * (along - 0.5) <= _INNER else None for along in (u, v, -u, -v)]

    def _cut(self, pose):
        """The level between body and floor, None where they do not differ enough."""
        inside = self._levels(pose, _RING)[2 * len(_PLACES)]
        floor = self._levels(pose, _AROUND)[3 * len(_PLACES)]
        return (inside + floor) / 2 if floor >= inside * _CONTRAST + _DIFFERENCE else None

    def _lighter(self, pose, half, cut):
        return len([level for level in self._levels(pose, half) if level > cut])

    def _levels(self, pose, half):
        """The levels on a square ring, from dark to light."""
        levels = []
        for place in _PLACES:
            t = place * half / _RING
            for u, v in ((half, t), (-half, t), (t, half), (t, -half)):
                x, y = pose.place(u, v)
                levels.append(level_at(self._plane, self._columns, x, y))
        levels.sort()
        return levels
