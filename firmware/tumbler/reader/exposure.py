"""What each lamp gives in a scene, against what it gave at calibration: the bare floor tells it.

Lamps age and flicker, each in its own way. One that gives a tenth less makes every face look as if it leaned
by three degrees away from it; the floor beside the dice is dimmer by the same tenth, and lies level.
"""

# Buffers go where viper takes pointers.
# pyright: reportArgumentType=false

from array import array

from .kernels import sum_over
from .lamp_light import floor_light
from .tone import BLACK

DOUBT = 0.01  # of an exposure against the others: by grain and noise it is 0.3 percent off, by 0.9 at most

_ACROSS = 18  # places looked at across the platform
_RUN = 5  # pixels of two rows each
_ROWS = 0, 2
_INSIDE = 0.9  # share of the platform's radius; beyond, the rim is dark and dice at the wall overhang
_FINE = 16  # parts of a level that a place's own is kept in
_UNIT = 256  # steps of an exposure of 1
_SHADED, _COVERED = 0.65, 1.5  # of what the whole picture tells: beyond lie shadows and dice, not the floor
_ALIKE = 0.1  # of the middle one of these places, within which others are averaged with it
_LEAST = 0.25  # share of the places that must show the floor; three dice and their shadows leave 0.35


class FloorLight:
    """The empty platform's light under each lamp, at places of a gatherer's small frames."""

    def __init__(self, gatherer):
        profile = gatherer.profile
        self._row = gatherer.small_columns
        self._places = array("i")
        self._levels = [array("H") for _ in profile.floors]
        if profile.floors:
            self._choose(gatherer, profile)
        self._lights = array("i", bytes(4 * len(self._places)))
        self._counts = array("h", bytes(2 * 2 * _UNIT))

    def _choose(self, gatherer, profile):
        """Note the places and the levels that they had at calibration."""
        middle_x, middle_y, radius = profile.platform
        radius *= _INSIDE
        rows = len(gatherer.small[0]) // self._row - _ROWS[-1]
        for place in range(_ACROSS * _ACROSS):
            x = ((place % _ACROSS + 0.5) * 2 / _ACROSS - 1) * radius
            y = ((place // _ACROSS + 0.5) * 2 / _ACROSS - 1) * radius
            column = int((x + middle_x - gatherer.left) / gatherer.step) - _RUN // 2
            row = int((y + middle_y - gatherer.top) / gatherer.step) - _ROWS[-1] // 2
            is_seen = 0 <= column <= self._row - _RUN and 0 <= row < rows
            if is_seen and x * x + y * y < radius * radius:
                self._places.append(row * self._row + column)
                for lamp, floor in enumerate(profile.floors):
                    share = floor_light(x, y, lamp, profile) / floor_light(0, 0, lamp, profile)
                    level = min(255, floor * share)
                    self._levels[lamp].append(int(_FINE * _RUN * len(_ROWS) * level) + 1)

    def exposure(self, small, lamp, about):
        """Light of a lamp's small frame as a share of that at calibration, `about` that of the whole picture;
        None when hardly any floor is seen."""
        lights = self._lights
        for i, place in enumerate(self._places):
            lights[i] = 0
            for row in _ROWS:
                at = place + row * self._row
                lights[i] += _FINE * sum_over(small, at, at + _RUN, 1, BLACK)
        usual = self._median(lamp, about)
        if usual is None:
            return None
        seen = calibrated = 0
        low, high = int((1 - _ALIKE) * usual), int((1 + _ALIKE) * usual)
        for light, level in zip(lights, self._levels[lamp]):
            if low * level <= light * _UNIT <= high * level:
                seen += light
                calibrated += level
        return seen / calibrated if calibrated else None

    def _median(self, lamp, about):
        """Of the places that are as light as the floor may be, in parts of _UNIT."""
        counts = self._counts
        for i in range(len(counts)):
            counts[i] = 0
        for light, level in zip(self._lights, self._levels[lamp]):
            counts[min(light * _UNIT // level, len(counts) - 1)] += 1
        start, end = int(_SHADED * about * _UNIT), min(int(_COVERED * about * _UNIT), len(counts) - 1)
        wanted = sum(counts[start:end])
        if wanted <= _LEAST * len(self._places):
            return None
        wanted /= 2
        share = start
        while wanted > counts[share]:
            wanted -= counts[share]
            share += 1
        return share
