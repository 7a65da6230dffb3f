"""Reading without a profile: one overhead picture, of which only the size of a die is known.

Nothing is known of the lamp, the floor and the make of the dice, so only what shows in the picture itself
counts: every die whole, square, of the size told, with nothing but even floor around it, and unlike any other
face. A cube that touches nothing lies flat. Everything else is refused.
"""

import numpy as np

from host_tools.images import Frame
from host_tools.second_reader.faces import sample
from host_tools.second_reader.fit import Fit, Fitter
from host_tools.second_reader.light import Relit
from host_tools.second_reader.profile import Look
from host_tools.second_reader.proof import Proof
from host_tools.second_reader.reader import answer, without_ghosts
from host_tools.second_reader.refusal import Refused
from host_tools.second_reader.search import Search

_PITCH, _RADIUS = 0.265, 0.095  # of common dice, in sides
_SEEN, _UNLIKE = 0.6, 0.7  # correlation and residual of what may be a die
_SCORE, _MARGIN, _RESIDUAL = 0.85, 0.08, 0.35  # of a face that is believed
_CONTRAST = 0.3  # of the face's level: the least depth of the pips
_STEP = 0.12  # of the face's level: the least step at an edge
_SIZE, _SQUARE = 0.1, 0.05  # shares by which a die may be larger or smaller than told, and be oblong
_AROUND = np.linspace(0.85, 1.2, 8)  # sides from the middle, where only floor may be
_UNEVEN, _SOME = 0.25, 0.08  # share of its level by which floor may differ, and how much of it may do so
_OUTWARD = np.linspace(0.38, 0.72, 35)
_ALONG = np.linspace(-0.3, 0.3, 13)


class UncalibratedReader:
    """Reads pictures of `count` dice whose sides are about `die_px` pixels."""

    def __init__(self, die_px: float, polarity: str, count: int = 3) -> None:
        look = Look(polarity, die_px, _classic(_PITCH), dict.fromkeys(range(1, 7), _RADIUS))
        self._look = look
        self._count = count
        self._search = Search(look)
        self._fitter = Fitter(look)

    def read(self, frame: Frame) -> dict:
        """The fields of `tumbler read --json` for a picture of any size that a die fits in."""
        if min(frame.width, frame.height) < 2 * self._look.side:
            return answer([], [Refused("unreadable", "picture too small")])
        floats = np.frombuffer(frame.pixels, np.uint8).reshape(frame.height, frame.width).astype(np.float32)
        relit = Relit(floats[None], floats, floats, floats)
        fits = self._find(relit)
        read, refusals = [], []
        for fit in fits:
            try:
                self._prove(fit, floats)
                read.append((fit, Proof(None, 4)))
            except Refused as refusal:
                refusals.append(refusal)
        if len(fits) != self._count:
            reason = "die-missing" if len(fits) < self._count else "extra-object"
            refusals.append(Refused(reason, f"{len(fits)} of {self._count} dice"))
        return answer(read, refusals)

    def _find(self, relit: Relit) -> list[Fit]:
        found = []
        for candidate in self._search.find(relit.albedo, np.ones(relit.albedo.shape, bool)):
            fit = self._fitter.fit(relit, candidate.pose, candidate.face)
            if fit is not None and fit.score > _SEEN and fit.residual < _UNLIKE and fit.depth > 0:
                found.append(fit)
        return without_ghosts(found, self._look.side)

    def _prove(self, fit: Fit, picture: np.ndarray) -> None:
        if fit.residual > _RESIDUAL:
            raise Refused("die-damaged", "unexplained-spot")
        if fit.score < _SCORE or fit.margin < _MARGIN:
            raise Refused("unreadable", f"correlation {fit.score:.2f}")
        if fit.level > 250 or fit.depth < _CONTRAST * max(fit.level, fit.depth):
            raise Refused("unreadable", "faint pips")
        self._check_outline(fit, picture)
        self._check_alone(fit, picture)

    def _check_outline(self, fit: Fit, picture: np.ndarray) -> None:
        """Refused unless four clear edges make a square of the size told."""
        reaches = [self._reach(fit, picture, du, dv) for du, dv in ((1, 0), (-1, 0), (0, 1), (0, -1))]
        across, down = np.reshape(reaches, (2, 2)).sum(axis=1) / self._look.side
        lopsided = np.ptp(np.reshape(reaches, (2, 2)), axis=1).max() / self._look.side
        if abs(across - down) > _SQUARE or lopsided > 2 * _SQUARE:
            raise Refused("not-flat", "not square")
        if max(abs(across - 1), abs(down - 1)) > _SIZE:
            raise Refused("unreadable", "another size")

    def _check_alone(self, fit: Fit, picture: np.ndarray) -> None:
        """Refused when the floor around the die is not even: a wall, a thing or a die may be leant on."""
        away, turn = np.meshgrid(_AROUND, np.radians(np.arange(0, 360, 5)), indexing="ij")
        x = fit.pose.x + away * self._look.side * np.cos(turn)
        y = fit.pose.y + away * self._look.side * np.sin(turn)
        rows, columns = picture.shape
        if x.min() < 0 or y.min() < 0 or x.max() > columns - 1 or y.max() > rows - 1:
            raise Refused("unreadable", "at the picture's edge")
        floor = sample(picture, x, y)
        odd = np.abs(floor - np.median(floor)) > _UNEVEN * np.median(floor)
        if odd.mean() > _SOME:
            raise Refused("unreadable", "not alone")

    def _reach(self, fit: Fit, picture: np.ndarray, du: int, dv: int) -> float:
        """Pixels from the middle to an edge: where the level is midway between the face and beside it."""
        distances = _OUTWARD * self._look.side
        out, across = np.meshgrid(distances / fit.pose.side, _ALONG, indexing="ij")
        u, v = (du * out, across) if du else (across, dv * out)
        levels = np.median(sample(picture, *fit.pose.place(u, v)), axis=1)
        beside = float(np.median(levels[-6:]))
        if abs(fit.level - beside) < _STEP * max(fit.level, beside):
            raise Refused("unreadable", "no-outline")
        passed = (levels - fit.level) / (beside - fit.level) > 0.5
        if not passed[-6:].all() or passed[0]:
            raise Refused("unreadable", "no-outline")
        return float(distances[passed.argmax()])


def _classic(pitch: float) -> dict[int, list[tuple[float, float]]]:
    a = pitch
    corners = [(-a, -a), (a, -a), (-a, a), (a, a)]
    return {
        1: [(0.0, 0.0)],
        2: [(-a, -a), (a, a)],
        3: [(-a, -a), (0.0, 0.0), (a, a)],
        4: corners,
        5: [*corners, (0.0, 0.0)],
        6: [*corners, (-a, 0.0), (a, 0.0)],
    }
