"""Reading without a profile: one overhead picture, of which only the size of a die is known.

Nothing is known of the lamp, the floor and the make of the dice, so only what shows in the picture itself
counts. A picture of an open table is read by Tabletop. Any other is taken for one of a tumbler, with the
camera's axis in the middle: all dice of one make, every one whole, square, of the size told, with as much of
its sides in sight as a flat one shows there, and floor in sight all around it. A cube that touches nothing
and stands on nothing lies flat; so do two whose top faces touch, as leaning ones part; so does one at the
wall whose sides show what those of others do. Everything else is refused.

What this does not promise: one lamp does not show a tilt (docs/one-lamp.md). On an open table a die that
something hidden beneath it props up is read as if it lay flat, as long as it looks square and shows less than
a third of a side. In a tumbler so is one that bares its sides about as a flat one does at its place.
"""

import math
from dataclasses import dataclass

import numpy as np

from host_tools.images import Frame
from host_tools.second_reader.around import DEGREES, Surroundings, apart, longest_arc, turned_from, turned_to
from host_tools.second_reader.believed import check_face
from host_tools.second_reader.faces import Pose
from host_tools.second_reader.fit import Fit, Fitter
from host_tools.second_reader.light import Relit
from host_tools.second_reader.make import CLASSIC, COMPACT, Make, refine
from host_tools.second_reader.outline import (
    Edge,
    check_sides,
    check_square,
    check_strips,
    edges,
    is_facing,
    rises,
)
from host_tools.second_reader.profile import DARK_PIPS, LIGHT_PIPS
from host_tools.second_reader.proof import Proof
from host_tools.second_reader.reader import answer, without_ghosts
from host_tools.second_reader.refusal import Refused
from host_tools.second_reader.search import Search
from host_tools.second_reader.table import lumps
from host_tools.second_reader.tabletop import Tabletop

_LEAST = 18.0  # pixels of a side: sides of smaller dice are too thin to show how they lie
_SEEN, _UNLIKE = 0.6, 0.7  # correlation and residual of what may be a die
_CERTAIN = 0.93  # correlation of all dice from which no other make is tried
_TOUCH = 0.05  # sides between top faces that touch: dice that lean on each other part by 0.1 at six degrees
_NEAR = 0.4  # sides between dice that may hide how one of them leans on the other
_BEHIND, _OUTWARD = 65, 95  # degrees from the way to a touching die, or outward, in which floor may be hidden
_BESIDE = 50  # degrees from the way to a touching die, at whose edges it hides the sides
_CLOSE = 15  # degrees to both sides of a way that count as one with it
_OPEN = 30  # degrees about a die on which no floor may be seen: a bright spot or a shadow


class UncalibratedReader:
    """Reads pictures of `count` dice whose sides are `die_px` pixels; on open tables at most about that."""

    def __init__(self, die_px: float, polarity: str | None = None, count: int = 3) -> None:
        """`polarity`: DARK_PIPS or LIGHT_PIPS when all dice are known to be so; else both are looked for."""
        polarities = [DARK_PIPS, LIGHT_PIPS] if polarity is None else [polarity]
        self._side = die_px
        self._tabletop = Tabletop(die_px, polarities, count)
        self._tumblers = [_Tumbler(die_px, known, count) for known in polarities]

    def read(self, frame: Frame) -> dict:
        """The fields of `tumbler read --json` for a picture of any size that a die fits in."""
        if min(frame.width, frame.height) < 2 * self._side:
            return answer([], [Refused("unreadable", "picture too small")])
        if self._side < _LEAST:
            return answer([], [Refused("unreadable", "dice too small")])
        floats = np.frombuffer(frame.pixels, np.uint8).reshape(frame.height, frame.width).astype(np.float32)
        lying = lumps(floats, self._side)
        if lying is not None:
            return self._tabletop.read(floats, lying)
        first, *others = (tumbler.read(floats) for tumbler in self._tumblers)
        return next((fields for fields in (first, *others) if fields["verdict"] == "read"), first)


class _Tumbler:
    """Reads pictures of a tumbler with `count` dice whose sides are `die_px` pixels."""

    def __init__(self, die_px: float, polarity: str, count: int) -> None:
        self._side = die_px
        self._polarity = polarity
        self._count = count
        self._searches = [
            (make, Search(make.look(polarity, die_px)), Fitter(make.look(polarity, die_px)))
            for make in (CLASSIC, COMPACT)
        ]

    def read(self, floats: np.ndarray) -> dict:
        fits = self._find(Relit(floats[None], floats, floats, floats))
        seen, refusals = [], []
        for fit in fits:
            try:
                seen.append(self._look_at(fit, floats))
            except Refused as refusal:
                refusals.append(refusal)
        read = []
        for die in seen:
            try:
                self._check_alone(die, [other for other in seen if other is not die])
                read.append((die.fit, Proof(None, 4)))
            except Refused as refusal:
                refusals.append(refusal)
        if len(fits) != self._count:
            reason = "die-missing" if len(fits) < self._count else "extra-object"
            refusals.append(Refused(reason, f"{len(fits)} of {self._count} dice"))
        return answer(read, refusals)

    def _find(self, relit: Relit) -> list[Fit]:
        """The dice, drawn in the make that explains all of them best."""
        make, fits = CLASSIC, []
        for tried, search, fitter in self._searches:
            found = self._fit_all(relit, search, fitter)
            if _explained(found[: self._count]) > _explained(fits[: self._count]):
                make, fits = tried, found
            if len(fits) == self._count and fits[-1].score > _CERTAIN:
                break
        if not fits:
            return []
        make = refine(make, fits[: self._count], relit.albedo, self._polarity, self._side)
        return self._fit_again(relit, make, fits)

    def _fit_all(self, relit: Relit, search: Search, fitter: Fitter) -> list[Fit]:
        found = []
        for candidate in search.find(relit.albedo, np.ones(relit.albedo.shape, bool)):
            fit = fitter.fit(relit, candidate.pose, candidate.face)
            if fit is not None and _may_be(fit):
                found.append(fit)
        return _best_first(without_ghosts(found, self._side))

    def _fit_again(self, relit: Relit, make: Make, fits: list[Fit]) -> list[Fit]:
        fitter = Fitter(make.look(self._polarity, self._side))
        again = [fitter.fit(relit, fit.pose, fit.face) for fit in fits]
        found = [fit for fit in again if fit is not None and _may_be(fit)]
        return _best_first(without_ghosts(found, self._side))

    def _look_at(self, fit: Fit, picture: np.ndarray) -> "_Seen":
        """Refused when the face is not believed, or the outline is not that of a flat die."""
        check_face(fit)
        surroundings = Surroundings(picture, fit.pose, self._side)
        found = edges(picture, fit.pose, self._side, surroundings.floor)
        check_square(found)
        rows, columns = picture.shape
        middle = Pose((columns - 1) / 2, (rows - 1) / 2, self._side, 0.0)
        return _Seen(fit, found, surroundings.blocked(), _way(middle, fit.pose))

    def _check_alone(self, die: "_Seen", others: list["_Seen"]) -> None:
        """Refused when the die may lean on something: floor shows around it, or a flat die that it touches,
        or its sides tell that it leans on nothing outward."""
        blocked, hidden, near = die.blocked, [], False
        for other in others:
            gap = apart(die.fit.pose, other.fit.pose, self._side)
            near = near or gap < _NEAR
            if -_TOUCH < gap < _TOUCH:
                way = _way(die.fit.pose, other.fit.pose)
                blocked = turned_from(blocked, way, _BEHIND)
                hidden += turned_to(range(0, 360, DEGREES), way, _BESIDE)
        told = [rise for other in others for rise in rises(other.edges)]
        outward = longest_arc(blocked) > _OPEN
        if outward:
            if near or not told or turned_from(blocked, die.outward, _OUTWARD):
                raise Refused("unreadable", "not alone")
            hidden = die.blocked
        shown = [edge for edge in die.edges if not _is_among(edge.angle, hidden)]
        if outward and not any(is_facing(edge) for edge in shown):
            raise Refused("unreadable", "not alone")
        check_sides(shown)
        if told:
            check_strips(shown, told)


@dataclass(frozen=True)
class _Seen:
    """A die: its face, its edges, the ways on which no floor shows and the one outward, in degrees."""

    fit: Fit
    edges: list[Edge]
    blocked: list[float]
    outward: float


def _way(start: Pose, end: Pose) -> float:
    """The way from one place to another, in degrees."""
    return math.degrees(math.atan2(end.y - start.y, end.x - start.x))


def _is_among(angle: float, blocked: list[float]) -> bool:
    """Whether all ways close to this one are blocked."""
    return len(turned_to(blocked, angle, _CLOSE)) >= 2 * _CLOSE // DEGREES


def _may_be(fit: Fit) -> bool:
    return fit.score > _SEEN and fit.residual < _UNLIKE and fit.depth > 0


def _best_first(fits: list[Fit]) -> list[Fit]:
    return sorted(fits, key=lambda fit: fit.score, reverse=True)


def _explained(fits: list[Fit]) -> float:
    return sum(fit.face * fit.score**4 for fit in fits)
