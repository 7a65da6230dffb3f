"""Reading dice that lie apart on an open table, of any make, size and colour, seen from about above.

Every lump on the table must be a die that stands alone: its pips those of one face in some make, about the
middle of a square outline, and little of its sides in sight. A cube that touches nothing and stands on floor
lies flat. What cannot be told so is refused: the whole picture, for its dice are read together or not at all.
"""

from dataclasses import dataclass

import numpy as np

from host_tools.second_reader.around import Surroundings, longest_arc
from host_tools.second_reader.believed import check_face
from host_tools.second_reader.faces import Pose
from host_tools.second_reader.fit import Fit, Fitter
from host_tools.second_reader.light import Relit
from host_tools.second_reader.make import CLASSIC, COMPACT, Make, refine
from host_tools.second_reader.outline import check_upright, edges_aslant, side_of
from host_tools.second_reader.proof import Proof
from host_tools.second_reader.reader import answer
from host_tools.second_reader.refusal import Refused
from host_tools.second_reader.search import Candidate, Search
from host_tools.second_reader.table import Lump

_SIZES = (1.0, 0.85, 0.72)  # of the side told, which may be that of a box about a die and its sides
_SMALLEST, _LARGEST = 0.55, 1.08  # of the side told
_CLAIMS = 3  # candidates of each make, colour and size that are fitted
_ALIKE = 0.03  # correlation by which alike fits differ
_AROUND = 0.4  # sides about a lump that are looked at
_HIDDEN = 30  # degrees about a die on which no floor may be seen: a speck
_COVER = 1.8  # of a top face: the most that a die and its shadow cover


@dataclass(frozen=True)
class _Drawn:
    """A face laid over the picture, the make it is drawn in, and the colour of its pips."""

    fit: Fit
    make: Make
    polarity: str


class Tabletop:
    """Reads `count` dice whose sides are at most about `side` pixels, with pips of any of the polarities."""

    def __init__(self, side: float, polarities: list[str], count: int) -> None:
        self._side = side
        self._count = count
        self._tools = [
            (make, polarity, Search(look), Fitter(look))
            for polarity in polarities
            for make in (CLASSIC, COMPACT)
            for look in (make.look(polarity, size * side) for size in _SIZES)
        ]

    def read(self, picture: np.ndarray, lumps: list[Lump]) -> dict:
        """The fields of `tumbler read --json` for a picture (float32) of an open table with these lumps."""
        if len(lumps) != self._count:
            reason = "die-missing" if len(lumps) < self._count else "extra-object"
            return answer([], [Refused(reason, f"{len(lumps)} of {self._count} dice")])
        relit = Relit.of(picture[None])
        read, refusals = [], []
        for lump in lumps:
            try:
                read.append((self._prove(self._draw(relit, lump), lump, picture), Proof(None, 4)))
            except Refused as refusal:
                refusals.append(refusal)
        return answer(read, refusals)

    def _draw(self, relit: Relit, lump: Lump) -> Fit:
        """The face that explains most of a lump, in the make of this die. Refused when there is none."""
        left, top, width, height = lump.box
        margin = round(_AROUND * self._side)
        x, y = max(left - margin, 0), max(top - margin, 0)
        cut = relit.albedo[y : top + height + margin, x : left + width + margin]
        inside = np.zeros(cut.shape, bool)
        inside[top - y : top - y + height, left - x : left - x + width] = True
        found = []
        for make, polarity, search, fitter in self._tools:
            for seen in sorted(search.find(cut, inside), key=_explained, reverse=True)[:_CLAIMS]:
                pose = Pose(seen.pose.x + x, seen.pose.y + y, seen.pose.side, seen.pose.angle)
                fit = fitter.fit(relit, pose, seen.face)
                if fit is not None and fit.depth > 0:
                    found.append(_Drawn(fit, make, polarity))
        if not found:
            raise Refused("unreadable", "no face")
        return _redrawn(_best(found), relit)

    def _prove(self, fit: Fit, lump: Lump, picture: np.ndarray) -> Fit:
        """The fit. Refused when the face is not believed, or not that of a die which lies alone and flat."""
        check_face(fit)
        side = side_of(edges_aslant(picture, fit.pose, fit.pose.side, 0.0), fit.pose.side)
        if not _SMALLEST < side / self._side < _LARGEST:
            raise Refused("unreadable", "another size")
        around = Surroundings(picture, fit.pose, side)
        check_upright(edges_aslant(picture, fit.pose, side, around.floor), side)
        if lump.area > _COVER * side**2 or longest_arc(around.blocked()) > _HIDDEN:
            raise Refused("unreadable", "not alone")
        return fit


def _explained(seen: Candidate | Fit) -> float:
    return seen.face * seen.score**4


def _best(found: list[_Drawn]) -> _Drawn:
    """The one that explains most; of the same face in several sizes that with edges, as ones look alike."""
    best = max(found, key=lambda drawn: _explained(drawn.fit))
    alike = [
        drawn
        for drawn in found
        if drawn.fit.face == best.fit.face and drawn.fit.score > best.fit.score - _ALIKE
    ]
    return max(alike, key=lambda drawn: sum(drawn.fit.edges))


def _redrawn(drawn: _Drawn, relit: Relit) -> Fit:
    """The same in the make that draws it best."""
    side = drawn.fit.pose.side
    make = refine(drawn.make, [drawn.fit], relit.albedo, drawn.polarity, side)
    fit = Fitter(make.look(drawn.polarity, side)).fit(relit, drawn.fit.pose, drawn.fit.face)
    if fit is None:
        raise Refused("unreadable", "no face")
    return fit
