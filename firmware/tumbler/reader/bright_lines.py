"""Faint lines across a bright face: cracks and scratches that take a tenth of the light, or less.

No place of one is a blemish, but its way across is long, and darker than what lies beside it in both
composites: in the darkest there is no gloss, in the brightest no shadow.
"""

from .circles import mirror_images, pip_circles
from .lines import WHITE, Lines
from .refusal import Refused

_BLUR = 1.6  # pixels beyond a dark pip's edge that it darkens
_RIM = 0.1  # sides beyond a lamp's mirror image, whose rim looks like a line
_WHITE = 1.5  # of the level in the middle of the face: it rises towards the lamps
_MOST = 0.1  # share of the face's light that a place of a way counts at most: a speck of dirt is no line
_LACKING = 0.026  # share that a way may lack; of 1,840 sound faces none lacks more than 0.018


class BrightLines:
    """Looks for lines on the bright faces of a gatherer's scene."""

    def __init__(self, gatherer):
        self._gatherer = gatherer
        self._lines = Lines(gatherer)

    def check(self, pose, pattern, outline, lights):
        """Refused when a line crosses the face. lights: its FaceLights, of both composites."""
        lines, radii = self._lines, self._gatherer.profile.radii
        lines.grid.refuse_cut_off(outline, self._gatherer)
        hidden = pip_circles(pose, pattern, radii[len(pattern)] + _BLUR / outline.side)
        hidden += [
            (x, y, radius + _RIM * outline.side) for x, y, radius in mirror_images(self._gatherer, outline)
        ]
        lacking = []
        for light in lights:
            unit = WHITE / (_WHITE * max(1, light.terms[0]))
            bare = max(1, lines.see(light.plane, outline, unit, hidden))
            lacking.append(lines.way(_MOST * bare) / bare)
        if min(lacking) > _LACKING:
            raise Refused("die-damaged", "crack")
