"""Reading dice in a tumbler's picture, whose platform is in the middle below the lens.

All dice are of one make, found from the picture; every one must show a face, explained to the last spot, and
lie flat, and nothing else may lie on the platform.
"""

from collections.abc import Iterable, Iterator

import numpy as np

from host_tools.second_reader.believed import check_face
from host_tools.second_reader.fit import Fit, Fitter
from host_tools.second_reader.glare import check_glare, without_glare
from host_tools.second_reader.light import Relit
from host_tools.second_reader.lying import Lying
from host_tools.second_reader.make import CLASSIC, COMPACT, LARGE_ONE, Make, refine
from host_tools.second_reader.platform import Scene
from host_tools.second_reader.profile import LIGHT_PIPS, Look
from host_tools.second_reader.proof import Proof
from host_tools.second_reader.reader import answer, without_ghosts
from host_tools.second_reader.refusal import Refused
from host_tools.second_reader.search import Search
from host_tools.second_reader.wall import find_wall

_SEEN, _UNLIKE = 0.6, 0.7  # correlation and residual of what may be a die
_ENDS = 0.1  # mean contrast at the sides of what may be a die; a lamp's image on the floor has 0.08
_CERTAIN = 0.93  # correlation of all dice from which no other make is tried
_OFF = 0.02  # share by which a size is off that is worth another look
_LARGER = 1.12  # times the size told, where dice are looked for that were not found with it

_Tried = tuple[Make, Search, Fitter]


class Tumbler:
    """Reads pictures of a tumbler with `count` dice whose sides are about `die_px` pixels."""

    def __init__(self, die_px: float, polarity: str, count: int) -> None:
        self._side = die_px
        self._polarity = polarity
        self._is_dark = polarity == LIGHT_PIPS
        self._count = count
        self._searches = list(_searches(polarity, die_px))

    def read(self, picture: np.ndarray) -> tuple[float, dict]:
        """How much its dice explain of a picture (float32), and the fields of `tumbler read --json`."""
        side, scene = self._side, self._scene(picture, self._side)
        look, fits = self._find(scene.picture, side, self._searches)
        found = side * _LARGER if len(fits) < self._count else scene.side_of(fits, side)
        if abs(found / side - 1) > _OFF:
            side, scene = found, self._scene(picture, found)
            look, fits = self._find(scene.picture, side, _searches(self._polarity, side))
        lying = Lying(picture, scene, fits, scene.side_of(fits, side))
        return _explained(fits[: self._count]), self._judge(look, fits, picture, lying)

    def _scene(self, picture: np.ndarray, side: float) -> Scene:
        clear = picture if self._is_dark else without_glare(picture, side)
        return Scene(clear, find_wall(clear), self._is_dark)

    def _judge(self, look: Look, fits: list[Fit], picture: np.ndarray, lying: Lying) -> dict:
        """What the dice found amount to."""
        read, refusals = [], []
        for fit in fits:
            try:
                check_face(fit, self._is_dark)
                if not self._is_dark:
                    check_glare(fit, look, picture)
                lying.check_flat(fit)
                read.append((fit, Proof(None, 4)))
            except Refused as refusal:
                refusals.append(refusal)
        if len(fits) != self._count:
            reason = "die-missing" if len(fits) < self._count else "extra-object"
            refusals.append(Refused(reason, f"{len(fits)} of {self._count} dice"))
        try:
            lying.check_bare()
        except Refused as refusal:
            refusals.append(refusal)
        return answer(read, refusals)

    def _find(self, clear: np.ndarray, side: float, searches: Iterable[_Tried]) -> tuple[Look, list[Fit]]:
        """The dice in a picture without glare, drawn in the make that explains all of them best, and its
        look; `side`: of a die in pixels, about."""
        relit = Relit.of(clear[None])
        make, fits = CLASSIC, []
        for tried, search, fitter in searches:
            found = _best_first(without_ghosts(_fit_all(relit, search, fitter), side))
            if _explained(found[: self._count]) > _explained(fits[: self._count]):
                make, fits = tried, found
            if len(fits) == self._count and fits[-1].score > _CERTAIN:
                break
        make = refine(make, fits[: self._count], clear, self._polarity, side)
        look = make.look(self._polarity, side)
        return look, _best_first(without_ghosts(_fit_again(relit, look, fits), side))


def _searches(polarity: str, side: float) -> Iterator[_Tried]:
    for make in (CLASSIC, LARGE_ONE, COMPACT):
        look = make.look(polarity, side)
        yield make, Search(look), Fitter(look)


def _fit_all(relit: Relit, search: Search, fitter: Fitter) -> list[Fit]:
    candidates = search.find(relit.albedo, np.ones(relit.albedo.shape, bool))
    fits = [fitter.fit(relit, candidate.pose, candidate.face) for candidate in candidates]
    return [fit for fit in fits if fit is not None and _may_be(fit)]


def _fit_again(relit: Relit, look: Look, fits: list[Fit]) -> list[Fit]:
    fitter = Fitter(look)
    again = [fitter.fit(relit, fit.pose, fit.face) for fit in fits]
    return [fit for fit in again if fit is not None and _may_be(fit)]


def _may_be(fit: Fit) -> bool:
    """Whether a fit may be a die: it has an outline, as lamps mirrored in the dome have none."""
    ends = sum(fit.edges) / len(fit.edges) > _ENDS
    return ends and fit.score > _SEEN and fit.residual < _UNLIKE and fit.depth > 0


def _best_first(fits: list[Fit]) -> list[Fit]:
    return sorted(fits, key=lambda fit: fit.score, reverse=True)


def _explained(fits: list[Fit]) -> float:
    return sum(fit.face * fit.score**4 for fit in fits)
