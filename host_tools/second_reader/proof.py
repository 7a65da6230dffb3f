"""What must be true of a fitted face before it is believed: explained, level, whole and of the right size."""

from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from host_tools.second_reader.faces import INSIDE, WAYS, U, V, draw_pips, outward_places, patch, sample
from host_tools.second_reader.fit import Fit, Fitter
from host_tools.second_reader.frames import FrameCheck
from host_tools.second_reader.leans import Lean, own_tilt
from host_tools.second_reader.light import Light, Relit
from host_tools.second_reader.notches import MOST_NOTCH, UNSEEN, deepest_notch
from host_tools.second_reader.profile import LIGHT_PIPS, Profile
from host_tools.second_reader.refusal import Refused
from host_tools.second_reader.single import SinglePip
from host_tools.second_reader.surface import Surface

FLAT_DEGREES = 4.0  # a level die measures 0 to 3, one of 6 degrees 5 and more
_SCORE = 0.8  # correlation of a face that is believed
_MARGIN = 0.05  # and how far the next best must stay behind
_RESIDUAL = 0.4  # of a pip's contrast: the largest spot that may stay unexplained
_MARKS = 0.008  # of the face: the largest mark beside dark pips, of which dirt makes small ones
_LIGHT_MARKS = 0.0095  # the same between light pips, where a clear die shows glints of its far side
_UNREST = 0.08  # of a pip's contrast: a crack makes light pips uneven
_FINE = 20  # pixels: a smaller die's pips are uneven anyway
_CONTRAST = 0.45  # of the face's level: the least depth of dark pips
_SIZE = 0.035  # share by which an outline may be larger than the profile's
_PITCH = 0.1  # and the pips' pattern: it differs from die to die of a brand
_DARKEST, _BRIGHTEST = 40, 250  # grey levels of a face in its brightest frame
_MOST_BURNT = 0.25  # share of a face, half of which tells its level
_REACH = 0.12  # and by which one side may seem nearer or farther from the middle, where a lit side shows
_WALL = 0.97  # of the platform's radius
_OUTWARD = np.linspace(0.38, 0.75, 38)
_ALONG = np.linspace(-0.4, 0.4, 25)


@dataclass(frozen=True)
class Proof:
    """tilt: degrees, None with one lamp; free: sides of the square where the die is seen to end."""

    tilt: float | None
    free: int


class Prover:
    """Proves fits of one profile."""

    def __init__(self, profile: Profile, light: Light, fitter: Fitter) -> None:
        self._look = profile.look
        self._single = SinglePip(profile.look, fitter)
        self._surface = Surface(profile.look)
        self._frames = FrameCheck(profile)
        self._platform = profile.platform
        self._scale = profile.scale
        self._light = light
        self._side = profile.look.side
        self._light_pips = profile.look.polarity == LIGHT_PIPS

    def prove(self, fit: Fit, relit: Relit, frames: np.ndarray, others: list[Fit]) -> Proof:
        """Proof that the face lies there; Refused with what is missing."""
        burnt = self._burnt(fit, frames)
        tilt = None
        if len(frames) > 1:
            tilt = own_tilt(*self._lean(fit, relit, burnt), self._leans(others, relit, frames))
            if tilt >= FLAT_DEGREES:
                raise Refused("not-flat", f"tilt {tilt:.1f} deg")
        free = 0 if self._light_pips else self._check_outline(fit, relit, others)
        if tilt is None and (free < len(WAYS) or self._at_wall(fit)):
            raise Refused("unreadable", "flat under one lamp?")
        self._check_face(fit)
        if self._light_pips and fit.face == 1:
            self._single.check(fit, relit)
        self._surface.check(fit, relit)
        self._frames.check(fit, relit)
        return Proof(tilt, free)

    def _burnt(self, fit: Fit, frames: np.ndarray) -> np.ndarray:
        """Which lamps have the face burnt out. Refused when it shows too little."""
        cells = self._bright_cells(fit)
        faces = [patch(frame.astype(np.float32), fit.pose)[cells] for frame in frames]
        if np.median(faces, axis=1).max() < _DARKEST:
            raise Refused("unreadable", "too-dark")
        burnt = np.mean(np.array(faces) >= _BRIGHTEST, axis=1) > _MOST_BURNT
        if burnt.sum() >= min(2, len(burnt)):
            raise Refused("unreadable", "too-bright")
        return burnt

    def _leans(self, fits: list[Fit], relit: Relit, frames: np.ndarray) -> list[Lean]:
        """Those of dice that are neither too dark nor burnt out."""
        leans = []
        for fit in fits:
            with suppress(Refused):
                leans.append(self._lean(fit, relit, self._burnt(fit, frames)))
        return leans

    def _lean(self, fit: Fit, relit: Relit, burnt: np.ndarray) -> Lean:
        cells = self._bright_cells(fit)
        levels = np.array([np.median(patch(plane, fit.pose)[cells]) for plane in relit.planes])
        place = np.array([fit.pose.x, fit.pose.y]) - self._platform[:2]
        return place / self._scale, self._light.slope(levels, burnt, fit.pose.x, fit.pose.y)

    def _bright_cells(self, fit: Fit) -> np.ndarray:
        """Cells of the grid that are surely face, or with light pips surely pip."""
        pips = draw_pips(self._look, fit.face, U, V, 1 / self._side)
        return INSIDE & (pips > 0.8 if self._light_pips else pips < 0.1)

    def _check_face(self, fit: Fit) -> None:
        if fit.residual > _RESIDUAL:
            raise Refused("die-damaged", "unexplained-spot")
        if fit.marks > (_LIGHT_MARKS if self._light_pips else _MARKS):
            raise Refused("die-damaged", "unexplained-mark")
        if self._light_pips and self._side > _FINE and fit.unrest > _UNREST:
            raise Refused("die-damaged", "uneven pips")
        if fit.score < _SCORE:
            raise Refused("unreadable", f"correlation {fit.score:.2f}")
        if fit.margin < _MARGIN:
            raise Refused("unreadable", "two faces fit")
        if not self._light_pips and fit.depth < _CONTRAST * fit.level:
            raise Refused("unreadable", "faint pips")
        if fit.face > 1 and abs(fit.pose.side / self._side - 1) > _PITCH:
            raise Refused("die-damaged", "pips-misplaced")

    def _check_outline(self, fit: Fit, relit: Relit, others: list[Fit]) -> int:
        """How many sides end where a die's do; a side may be hidden only by a neighbour."""
        edges = self._edges(fit, relit.albedo)
        reaches = np.median(edges, axis=1)
        ends = np.abs(reaches - 1) <= _REACH
        unlit = np.abs(np.median(self._edges(fit, relit.steady), axis=1) - 1) <= _REACH
        for reach, end, (du, dv) in zip(reaches, ends | unlit, WAYS, strict=True):
            if reach < 1 - _REACH or not (end or self._beside(fit, du, dv, others)):
                raise Refused("die-damaged", "odd-outline")
        widths = [reaches[pair].mean() for pair in ([0, 1], [2, 3]) if ends[pair].all()]
        if not widths:
            widths = [reaches[ends].mean()] if ends.any() else []
        if not widths:
            raise Refused("unreadable", "no-outline")
        # A side of the die that is lit widens one axis, so the smaller one tells the size.
        if min(widths) > 1 + _SIZE:
            raise Refused("stacked", "too near")
        if min(widths) < 1 - 2 * _SIZE:
            raise Refused("die-damaged", "small outline")
        if deepest_notch(self._edges(fit, relit.darkest)) > MOST_NOTCH:
            raise Refused("die-damaged", "chipped edge")
        return int((ends | unlit).sum())

    def _edges(self, fit: Fit, picture: np.ndarray) -> np.ndarray:
        """How far four edges are from the middle at places along them, [4, place], in halves of the side.

        An edge is where the face, its pips filled in, falls to half its level; UNSEEN where it does not.
        """
        cut = 0.5 * fit.level
        out = _OUTWARD * self._side / fit.pose.side
        edges = np.full((len(WAYS), len(_ALONG)), UNSEEN)
        for side, way in enumerate(WAYS):
            u, v = outward_places(way, out, _ALONG)
            pips = draw_pips(self._look, fit.face, u, v, 1 / self._side)
            levels = sample(picture, *fit.pose.place(u, v)) + fit.depth * pips
            dark = levels < cut
            places = np.flatnonzero(dark.any(axis=0))
            after = dark.argmax(axis=0)[places]
            before = np.maximum(after - 1, 0)
            high, low = levels[before, places], levels[after, places]
            fall = np.clip((high - cut) / np.maximum(high - low, 1e-3), 0, 1)
            edges[side, places] = 2 * (_OUTWARD[before] + fall * (_OUTWARD[1] - _OUTWARD[0]))
        return edges

    def _at_wall(self, fit: Fit) -> bool:
        """Whether the die may lean on the wall around the platform."""
        x, y, radius = self._platform
        corners = fit.pose.corners(self._side / fit.pose.side) - (x, y)
        return bool(np.hypot(*corners.T).max() > _WALL * radius)

    def _beside(self, fit: Fit, du: float, dv: float, others: list[Fit]) -> bool:
        """Whether another die found lies against this side."""
        x, y = (float(at) for at in fit.pose.place(np.array(du * 0.95), np.array(dv * 0.95)))
        near = 0.8 * self._side
        return any(np.hypot(other.pose.x - x, other.pose.y - y) < near for other in others)
