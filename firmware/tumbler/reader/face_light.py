"""The light of a whole bright face: in a composite it changes over the face as a plane does."""

from array import array

from .circles import is_in, pip_circles
from .edges import level_at
from .pips import sample
from .refusal import Refused
from .solve import solve

_PLACES = (-0.4, -0.24, -0.08, 0.08, 0.24, 0.4)  # along and across, where the light of the face is measured
_LEAST = 7  # of them that tell a plane: no line holds so many
_FEW = 4  # and that tell how much darker it is where a lamp's frame is missing
_MARKED = 0.93  # share of the face's light below which such a place is dark for some reason
_ROUNDS = 3


class FaceLight:
    """The light of the face at `outline` in a composite `plane` with `columns`; `levels`: at places all over
    it, 0 in pips; `terms`: level in the middle of the face and its slopes along u and v."""

    def __init__(self, plane, columns, outline, levels, terms):
        self.plane = plane
        self.terms = terms
        self._columns = columns
        self._outline = outline
        self._levels = levels

    def level(self, u, v):
        """Of the bare face there."""
        return _level(self.terms, u, v)

    def share(self, x, y):
        """Share of its light that a place of the picture has."""
        return level_at(self.plane, self._columns, x, y) / max(1, self.level(*self._outline.face(x, y)))

    def contrast(self, columns, place, probe):
        """Share of its light that a pip takes, as a Shade tells it."""
        x, y = place
        return 1 - sample(self.plane, columns, x, y, probe) / max(1, self.level(*self._outline.face(x, y)))

    def dimmed(self, circle):
        """The light as it is in a circle where one lamp's frame is missing; None when too few places tell."""
        shares = []
        for at, level in enumerate(self._levels):
            u, v = _place(at)
            x, y = self._outline.place(u, v)
            if level and is_in(x, y, 0, [circle]):
                shares.append(level / max(1, self.level(u, v)))
        if len(shares) < _FEW:
            return None
        shares.sort()
        share = shares[len(shares) * 3 // 5]
        terms = [share * term for term in self.terms]
        return FaceLight(self.plane, self._columns, self._outline, self._levels, terms)


def face_lights(gatherer, pose, pattern, outline):
    """The FaceLights of a face in the darkest and in the brightest composite. Refused when it is uneven."""
    pips = pip_circles(pose, pattern, gatherer.profile.radii[len(pattern)])
    return [_measured(plane, gatherer.columns, outline, pips) for plane in (gatherer.low, gatherer.high)]


def _measured(plane, columns, outline, pips):
    """The FaceLight of a face off its pips, told by the places that are not dark."""
    levels = array("f", bytes(4 * len(_PLACES) ** 2))
    for at in range(len(levels)):
        x, y = outline.place(*_place(at))
        if not is_in(x, y, 0, pips):
            levels[at] = level_at(plane, columns, x, y)
    terms = 0, 0, 0
    for _ in range(_ROUNDS):
        bare = [at for at in range(len(levels)) if levels[at] > _MARKED * _level(terms, *_place(at))]
        if len(bare) < _LEAST:
            raise Refused("unreadable", "uneven-face")
        terms = solve((1,) + _place(at) + (levels[at],) for at in bare)
    return FaceLight(plane, columns, outline, levels, terms)


def _place(at):
    return _PLACES[at // len(_PLACES)], _PLACES[at % len(_PLACES)]


def _level(terms, u, v):
    return terms[0] + terms[1] * u + terms[2] * v
