"""Bright things: the floor is no lighter than the lamps make it, save where dice stand.

A thing that is as dark as the floor under one lamp is missing from the darkest composite; in the brightest it
is lit.
"""

from math import ceil

from .circles import all_images
from .floor_levels import EVERY
from .gather import chord
from .kernels import next_inside, next_outside
from .refusal import Refused
from .sides import seen_at

_LIGHTER = 1.5  # times the floor's level; light that a white die's side throws on it may make it 1.4
_NOISE = 3  # levels
_MOST = 0.018  # of it, in areas of a die; two specks of dust are less
_LEAST = 0.12  # sides of it in a row; less is dust
_BLUR = 3  # pixels beyond a die's edge that it lightens
_HEIGHTS = (0, 0.5, 1)  # of a die, at which it is looked for


class BrightThings:
    """Looks for them in the brightest composite of a gatherer, which no lamp's mirror image lightens; floor:
    its FloorLevels."""

    def __init__(self, gatherer, floor):
        self._gatherer = gatherer
        self._floor = floor
        self._images = all_images(gatherer)

    def check(self, poses):
        """Refused when something light lies on the platform beside the level dice at `poses`."""
        gatherer = self._gatherer
        side = gatherer.profile.side
        dice = [seen_at(gatherer, pose, height) for pose in poses for height in _HEIGHTS]
        found = 0
        for row in self._floor.rows:
            known = None
            for run in self._runs(row):
                known = known or self._known(row * gatherer.step, dice)
                bare = _bare(run, known)
                if bare >= _LEAST * side:
                    found += bare
        if found * EVERY * gatherer.step > _MOST * side * side:
            raise Refused("extra-object", "bright thing")

    def _known(self, y, dice):
        """First and end column of what dice, and the rims of mirror images, lighten in a row."""
        half = 0.5 + _BLUR / self._gatherer.profile.side
        bodies = [die.span(y, half) for die in dice]
        return bodies + [chord(y - at, x, radius, self._gatherer.columns) for x, at, radius in self._images]

    def _runs(self, row):
        """First and end column of each run, in the row of the composite that is one of a small frame, of what
        is lighter than floor."""
        gatherer = self._gatherer
        step, high = gatherer.step, gatherer.high
        base = row * step * gatherer.columns
        start = end = base
        for first, after, level in self._floor.lightest(row, gatherer.exposures):
            limit = ceil(_LIGHTER * level) + _NOISE
            stop = base + min(after * step, gatherer.columns)
            at = next_inside(high, base + first * step, stop, limit, 256)
            while at < stop:
                if at > end:  # else it goes on from the block before
                    if start < end:
                        yield start - base, end - base
                    start = at
                end = next_outside(high, at, stop, limit, 256)
                at = next_inside(high, end, stop, limit, 256)
        if start < end:
            yield start - base, end - base


def _bare(run, known):
    """How many pixels of a run lie outside all known spans."""
    start, end = run
    for first, after in known:
        if first <= start and end <= after:
            return 0
    return len([x for x in range(start, end) if not any(first <= x < after for first, after in known)])
