"""Is the face whole? What the lamps show of it besides its pips, against an even face of this look.

A crack is a thin dark line from one side to the other: the darkest way across is found step by step, and how
dark it is on average against what lies beside it. A scratch of a dark face is a light line. A chipped corner
is a hollow, which two of four lamps leave dark, while glare and the pips of a clear die's far side only
lighten; the other corners tell what is usual.
"""

import math
from dataclasses import replace

import cv2
import numpy as np

from host_tools.second_reader.faces import Pose, draw_pips, sample
from host_tools.second_reader.fit import Fit
from host_tools.second_reader.hollows import lacks
from host_tools.second_reader.light import Relit
from host_tools.second_reader.profile import LIGHT_PIPS, Look
from host_tools.second_reader.refusal import Refused

_GRID, _SPAN = 56, 1.4  # cells across so many sides: finer than the picture's pixels
_STEPS = ((np.arange(_GRID) + 0.5) / _GRID - 0.5) * _SPAN
_U, _V = (grid.astype(np.float32) for grid in np.meshgrid(_STEPS, _STEPS))
_OUT = np.maximum(np.abs(_U), np.abs(_V))
_FACE = 0.42  # sides from the middle: within the rounded rim
_WITHIN = 0.4  # sides from the middle all around: on a face however it is turned
_BARE, _PIP = 0.05, 0.95  # cover by pips: surely none, and surely one
_UNSURE = 0.5  # pixels about a pip's rim, where a drawn one may differ from the picture
_FAINT = 2.0  # relit grey levels: a darker face is mostly noise
_NOISE = 0.3  # grey levels, that even a face without any has
_LIGHTER, _DARKER = 0.05, 0.6  # shares of the face's level by which a cell counts as lighter or darker
_OWN = 0.65  # quantile of a face's darkness that is its own
_LINE = slice(*np.searchsorted(_STEPS, (-0.4, 0.4)))  # cells along a crack that are looked at
_BESIDE, _PIXELS = 0.07, 1.6  # sides, and at least pixels, from a crack to what lies beside it
_RIDGE = (-0.2, 0.35)  # a cell counts by no more, so that no speck is a line
_TURN = 0.01  # what a step aside costs
# How dark a way across may be on average, and by how much a corner may be darker than others. The highest of
# 672 sound dice with dark pips were 0.022 and 0.168; of 700 with light ones 0.062, where told, and 0.259.
_CRACK, _CHIP = 0.032, 0.21
_LIGHT_CRACK, _LIGHT_CHIP = 0.085, 0.31
# And how light: of 1,080 sound dice with light pips none has more than 0.054, very clear ones up to 0.077.
_SCRATCH = 0.09
_GLOW = 2.2  # pixels beyond a light pip's edge that it brightens, and more between two of them
_WELL_SEEN, _FEW = 20.0, 3  # pixels of a side of dice that are not small; few pips
# Share of the dim bare face's light that a corner beside light pips may lack: of 8,600 sound dice two lack
# 0.21, all others 0.19 at most.
_LACK = 0.21
_CORNER = 0.28  # sides about a corner
_CELLS = 3  # of the grid: fewer do not tell a corner's level


class Surface:
    """Checks faces of one look of dice."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self._light = look.polarity == LIGHT_PIPS

    def check(self, fit: Fit, relit: Relit) -> None:
        """Refused when a crack runs across the face, or a corner is chipped. One lamp does not tell."""
        if len(relit.planes) == 1:
            return
        pips = draw_pips(self._look, fit.face, _U, _V, 1 / self._look.side)
        # How a light one lies is only told by its outline, too badly to say where its edges and corners are.
        unturned = self._light and fit.face == 1
        pose = replace(fit.pose, side=self._look.side) if unturned else fit.pose
        face = np.hypot(_U, _V) < _WITHIN if unturned else _OUT < _FACE
        usable = self._usable(pips) & face
        odd = np.stack([self._odd(_patch(plane, pose), pips, face) for plane in relit.planes])
        if self._crack(odd, usable) > self._most_crack(fit.face):
            raise Refused("die-damaged", "crack")
        if self._light and self._scratch(odd, self._far(pips) & face) > _SCRATCH:
            raise Refused("die-damaged", "scratch")
        if unturned:
            return
        if _corner(odd, usable) > (_LIGHT_CHIP if self._light else _CHIP):
            raise Refused("die-damaged", "chipped corner")
        if self._light:
            lack = lacks(relit.planes, pose, self._look, fit.face)
            if np.nan_to_num(lack).max() > _LACK:
                raise Refused("die-damaged", "chipped corner")

    def _most_crack(self, face: int) -> float:
        """How dark a way across a sound face may be. Between many light pips of small dice it may be any."""
        if not self._light:
            return _CRACK
        told = self._look.side >= _WELL_SEEN or len(self._look.pips[face]) <= _FEW
        return _LIGHT_CRACK if told else math.inf

    def _usable(self, pips: np.ndarray) -> np.ndarray:
        """Cells whose level the look tells: off the pips' rims and, as dark pips show nothing, off those."""
        wide = 2 * max(1, round(_UNSURE / self._look.side * _GRID / _SPAN)) + 1
        rims = ((pips > _BARE) & (pips < 0.9)).astype(np.uint8)
        sure = cv2.dilate(rims, np.ones((wide, wide), np.uint8)) == 0
        return sure if self._light else sure & (pips < _BARE)

    def _far(self, pips: np.ndarray) -> np.ndarray:
        """Cells so far from light pips that these do not brighten them."""
        cells = max(1, round(_GLOW / self._look.side * _GRID / _SPAN))
        disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * cells + 1,) * 2)
        return cv2.dilate((pips > _BARE).astype(np.uint8), disc) == 0

    def _odd(self, seen: np.ndarray, pips: np.ndarray, face: np.ndarray) -> np.ndarray:
        """By what share a patch differs from what an even face with these pips would show under its lamp."""
        bare = face & (pips < _BARE)
        middle = float(np.median(seen[bare]))
        level = _even(seen, bare)
        full = face & (pips > _PIP)
        depth = float(np.median(seen[full])) - middle if full.any() else 0.0
        drawn = np.maximum(level + depth * pips, 0.3 * middle)
        return (seen - drawn) / np.maximum(drawn if self._light else level, max(middle / 2, _FAINT))

    def _crack(self, odd: np.ndarray, usable: np.ndarray) -> float:
        """How dark the darkest way across is, on average, against what lies beside it.

        The median of the lamps: glare lightens under one, a hollow darkens under some. What lies beside is no
        lighter than the face itself, of which a clear die's far side may lighten half.
        """
        dark = -np.median(odd, axis=0)
        dark = np.clip(dark - np.quantile(dark[usable], _OWN), -_LIGHTER, _DARKER)
        return self._way(dark, usable, hidden=-np.inf)

    def _scratch(self, odd: np.ndarray, usable: np.ndarray) -> float:
        """How light the lightest way across is, on average, against what lies beside it.

        The least of the lamps: a scratch is light under all of them, gloss is not. What is not usable may be
        as light: half of what shines through a clear body is no line. On small dice all of it is narrow.
        """
        if self._look.side < _WELL_SEEN or not usable.any():
            return 0.0
        light = np.min(odd, axis=0)
        light = np.clip(light - np.quantile(light[usable], _OWN), 0, _DARKER)
        return self._way(light, usable, hidden=np.inf)

    def _way(self, stands_out: np.ndarray, usable: np.ndarray, hidden: float) -> float:
        """How much the way across that stands out most does so, on average; unusable cells by `hidden`."""
        beside = max(3, round(max(_BESIDE, _PIXELS / self._look.side) * _GRID / _SPAN))
        return max(
            _way_across(cells, usable_cells, beside, hidden)
            for cells, usable_cells in ((stands_out, usable), (stands_out.T, usable.T))
        )


def _patch(picture: np.ndarray, pose: Pose) -> np.ndarray:
    return sample(picture, *pose.place(_U, _V))


def _even(seen: np.ndarray, bare: np.ndarray) -> np.ndarray:
    """The level of an even face, rising steadily across it, in all cells: a robust fit to the bare ones."""
    places = np.stack([np.ones(bare.sum()), _U[bare], _V[bare]], 1)
    levels = seen[bare]
    plane = np.array([np.median(levels), 0.0, 0.0])
    for _ in range(6):
        off = np.abs(levels - places @ plane)
        weights = np.maximum(1.0, off / (1.5 * np.median(off) + _NOISE)) ** -1.5
        weighted = places * weights[:, None]
        plane = np.linalg.solve(weighted.T @ places, weighted.T @ levels)
    return plane[0] + plane[1] * _U + plane[2] * _V


def _way_across(stands_out: np.ndarray, usable: np.ndarray, beside: int, hidden: float) -> float:
    """Mean of the way from left to right that stands out most; it turns by at most 45 degrees.

    A cell counts by how much more it stands out than the cells `beside` it above and below, of which unusable
    ones stand out by `hidden`.
    """
    around = np.maximum(
        *(
            np.where(np.roll(usable, by, axis=0), np.roll(stands_out, by, axis=0), hidden)
            for by in (-beside, beside)
        )
    )
    around[np.isneginf(around)] = 0.0
    told = usable & np.isfinite(around)
    ridge = np.clip(np.where(told, stands_out - around, 0), *_RIDGE)[_LINE, _LINE]
    steps = cv2.blur(ridge.astype(np.float32), (1, 2)).T
    sums = steps[0]
    for step in steps[1:]:
        above = np.concatenate([[-np.inf], sums[:-1]])
        below = np.concatenate([sums[1:], [-np.inf]])
        sums = np.maximum(sums, np.maximum(above, below) - _TURN) + step
    return float(sums.max()) / len(steps)


def _corner(odd: np.ndarray, usable: np.ndarray) -> float:
    """By how much the darkest corner is darker than the others, under the two lamps that leave it darkest.

    Others that the far side lightens do not count as lighter than the face.
    """
    corners = []
    for u, v in ((-0.5, -0.5), (0.5, -0.5), (-0.5, 0.5), (0.5, 0.5)):
        cells = usable & (np.hypot(_U - u, _V - v) < _CORNER)
        if cells.sum() >= _CELLS:
            corners.append(-float(np.sort(odd[:, cells].mean(axis=1))[:2].mean()))
    if len(corners) < 2:
        return 0.0
    darkest, *others = sorted(corners, reverse=True)
    return darkest - max(float(np.median(others)), 0.0)
