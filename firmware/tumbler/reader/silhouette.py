"""The outline of a dark die: of its face against its own rim, or of its body against the lit floor.

Its rounded edges and its sides turn away from some lamp, so in the darkest of four frames a dark line runs
about the whole face, also where a neighbour touches it and where a clear die is as light as the floor. One
picture may lack it; in that and in the composite that has no shadow the floor is lighter than the body. The
lens sees the sides of a die that face the platform's middle, so there the body's outline is that of its base,
and only the edges away from the middle are the top face's own.
"""

from math import pi

from .edges import Fit, fit_edges, level_at
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
_WITHIN_RIM = 0.41  # half-width of the ring of points on the face inside its rim
_ON_RIM = 0.5  # and on it
_LIGHTER = 1.12  # times as light as its rim is a face at least; whole ones are by 1.2 to 2.5
_RIM = 0.89  # width of a face within its rim, in sides,
_GROWN = 0.1  # and share by which it may differ
_RIM_CROSSINGS = 3  # of 7 on an edge, at least, on
_RIM_EDGES = 3  # edges, at least


class Silhouettes:
    """Looks at dark dice of `side` pixels in the darkest and the brightest composite with `columns`.

    centre: of the platform, in their pixels; lens: height of a die as a share of the lens's height.
    """

    def __init__(self, low, high, columns, side, centre, lens):
        self._low = low
        self._high = high
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
        return self._fit_rim(pose) or self._fit_body(pose)

    def fit_turned(self, pose):
        """The same for a face whose turn is not known."""
        return self._fit_rim(self._turned_by_rim(pose)) or self._fit_turned_body(pose)

    def _fit_rim(self, pose):
        """Fit of a face within its rim, as wide as the face; None when no rim runs about it."""
        face, rim = self._face_and_rim(pose)
        start = Pose(pose.x, pose.y, _RIM * self._side, pose.angle)
        fit = fit_edges(self._low, self._columns, start, (face + rim) / 2, True)
        if fit is None or fit.rough > _ROUGH:
            return None
        if len([count for count in fit.free if count >= _RIM_CROSSINGS]) < _RIM_EDGES:
            return None
        found = Pose(fit.pose.x, fit.pose.y, fit.pose.side / _RIM, fit.pose.angle)
        face, rim = self._face_and_rim(found)
        if face < _LIGHTER * rim or abs(found.side / self._side - 1) > _GROWN:
            return None
        return Fit(found, fit.free, fit.rough)

    def _face_and_rim(self, pose):
        """The levels in the middle of those within a rim and of those on it."""
        at = Pose(pose.x, pose.y, self._side, pose.angle)
        return [self._levels(self._low, at, half)[2 * len(_PLACES)] for half in (_WITHIN_RIM, _ON_RIM)]

    def _turned_by_rim(self, pose):
        """The pose turned so that the face within is lightest against its rim."""
        return max(self._turned(pose), key=self._lightness_within_rim)

    def _turned(self, pose):
        """The pose turned in all the ways that are tried."""
        return [Pose(pose.x, pose.y, self._side, turn * pi / 2 / _TURNS) for turn in range(_TURNS)]

    def _lightness_within_rim(self, pose):
        face, rim = [sum(self._levels(self._low, pose, half)) for half in (_WITHIN_RIM, _ON_RIM)]
        return face - rim

    def _fit_body(self, pose):
        """Fit of a body against the floor."""
        start = Pose(pose.x, pose.y, self._side, pose.angle)
        cut = self._cut(start)
        if cut is None:
            return None
        fit = fit_edges(self._high, self._columns, start, cut, False, self._reaches(start))
        return fit if fit is not None and fit.rough <= _ROUGH and max(fit.free) >= 4 else None

    def _fit_turned_body(self, pose):
        """The same for a body whose turn is not known."""
        best = None
        for start in self._turned(pose):
            cut = self._cut(start)
            if cut is None:
                continue
            inside = self._lighter(start, _RING, cut)
            if inside <= MOST_FLOOR:
                seen = self._lighter(start, _OUTSIDE, cut) - _WITHIN * inside
                if best is None or seen > best[0]:
                    best = seen, start
        return self._fit_body(best[1]) if best else None

    def _reaches(self, pose):
        """For each edge +u, +v, -u, -v: 0.5, None where the base shows beside the top face."""
        u, v = pose.face(self._centre[0], self._centre[1])
        return [0.5 if self._lens * (along - 0.5) <= _INNER else None for along in (u, v, -u, -v)]

    def _cut(self, pose):
        """The level between body and floor, None where they do not differ enough."""
        inside = self._levels(self._high, pose, _RING)[2 * len(_PLACES)]
        floor = self._levels(self._high, pose, _AROUND)[3 * len(_PLACES)]
        return (inside + floor) / 2 if floor >= inside * _CONTRAST + _DIFFERENCE else None

    def _lighter(self, pose, half, cut):
        return len([level for level in self._levels(self._high, pose, half) if level > cut])

    def _levels(self, plane, pose, half):
        """The levels of a plane on a square ring, from dark to light."""
        levels = []
        for place in _PLACES:
            t = place * half / _RING
            for u, v in ((half, t), (-half, t), (t, half), (t, -half)):
                x, y = pose.place(u, v)
                levels.append(level_at(plane, self._columns, x, y))
        levels.sort()
        return levels
