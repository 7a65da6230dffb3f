"""Scratches and cracks of a dark face, where it must be bare; and scuffs, which are broad.

Torn surface is whitish. It shows in the darkest frame, in which no gloss is: a scratch is a way across the
face, from one side to the other, that is lighter than what lies beside it, on its own part at least. What
shines through a clear body from the far side is broader than one, unless the picture is small, and of a known
contrast: where more is light, the face is scuffed.

A crack swallows light, of which a black face gives back little but gloss: it is dark in the brightest frame.
On a clear face such lines lie between what shines through.
"""

# Buffers go where viper takes pointers.
# pyright: reportArgumentType=false

from .circles import pip_circles
from .face_grid import HIDDEN
from .kernels import count_lights, translate
from .lines import WHITE, Lines
from .refusal import Refused

_GLOW = 2.2  # pixels beyond a light pip's edge that it brightens, and more between two of them
_DARKEST = 3  # levels: a darker face is mostly noise
# What a way may have over the face, in the face's own light and in levels, which noise makes; and lack.
_LIGHT = 0.15, 0.8
_DARK = 0.045, 1.25
_FAR = 1.15  # and over it on a clear face, times the contrast that far pips have
_MOST = 0.8  # share of the face's own light that a place of a way counts at most: a speck of dust is no line
_SCUFFED = 0.06  # share of the pips' contrast by which a place is light,
_UNEVEN = 0.25  # with a share of the face's own level, which rises across it,
_SHINES = 2  # and times the contrast that bare sites of sound dice have, more in the darkest frame
_AREA = 0.006  # areas of a face that may be light; of sound black ones 0.0037 at most
_WELL_SEEN = 20  # side, in pixels, from which a speck of dust is no more than that
_CLEAR = 0.04  # contrast of bare sites from which far pips show


class DarkLines:
    """Looks for lines on the dark faces of a gatherer's scene."""

    def __init__(self, gatherer):
        self._gatherer = gatherer
        self._lines = Lines(gatherer)
        self._lacking = bytearray(256)
        profile = gatherer.profile
        # What bare sites showed at calibration: their limit lies halfway between that and the pips' limit.
        shown = max(0, 2 * profile.bare - profile.pip)
        self._scuffed = _SCUFFED + _SHINES * shown
        self._is_clear = shown > _CLEAR
        self._is_small = profile.side < _WELL_SEEN
        self._light = max(_LIGHT[0], _FAR * shown), _LIGHT[1]

    def check(self, pose, pattern, shades):
        """Refused when the face is scratched, scuffed or cracked.

        The pose has the calibrated side; shades: of the darkest and of the brightest composite.
        """
        gatherer, lines = self._gatherer, self._lines
        profile = gatherer.profile
        lines.grid.refuse_cut_off(pose, gatherer)
        pips = pip_circles(pose, pattern, profile.radii[len(pattern)] + _GLOW * profile.halo / pose.side)
        low, high = [max(shade.body, _DARKEST) for shade in shades]
        step = self._scuffed * shades[0].span + _UNEVEN * low
        unit = WHITE / (low + max(low, 2 * step))
        bare = lines.see(gatherer.low, pose, unit, pips)
        area = self._area(bare + unit * step)
        self._turn_dark(bare)
        is_told = not (self._is_clear and self._is_small)
        if area > _AREA or (is_told and self._way(bare, unit, self._light) > 1):
            raise Refused("die-damaged", "scratch")
        if not self._is_clear:
            unit = WHITE / (2 * high)
            bare = lines.see(gatherer.high, pose, unit, pips)
            if self._way(bare, unit, _DARK) > 1:
                raise Refused("die-damaged", "crack")

    def _area(self, cut):
        """Areas of the face that are lighter than the cut; none of a small die, of which dust is a pixel."""
        grid, counts = self._lines.grid, self._lines.counts
        if self._is_small:
            return 0
        light = count_lights(grid.face, 0, len(grid.face), int(cut) + 1) - counts[HIDDEN]
        return light * grid.step**2

    def _turn_dark(self, bare):
        """Have each place lack the light that it has over the bare part, as which pips count."""
        face, lacking = self._lines.grid.face, self._lacking
        for light in range(HIDDEN):
            lacking[light] = WHITE - min(WHITE, max(light, bare))
        lacking[HIDDEN] = WHITE - bare
        translate(face, 0, len(face), lacking)

    def _way(self, bare, unit, limits):
        """Share of its limits that the dimmest way across lacks."""
        own = max(bare, unit * _DARKEST)
        share, levels = limits
        return self._lines.way(_MOST * own) / max(share * own, levels * unit)
