"""What level the bare floor has under each lamp in a gatherer's small frames: what is not so is no floor.

Worked out once: a level for each lamp, row that is looked at and block of columns.
"""

from array import array

from .floor import INSIDE
from .lamp_light import lamp_light, least_light

EVERY = 2  # pixels of a small frame, across and down, of which one is looked at
_BLOCK = 8  # pixels of a small frame that have one level


class FloorLevels:
    """Levels of the floor in the frames of a gatherer; `rows` of a small frame are looked at."""

    def __init__(self, gatherer):
        profile = gatherer.profile
        step, columns = gatherer.step, gatherer.small_columns
        middle_x = profile.platform[0] - gatherer.left
        middle_y = profile.platform[1] - gatherer.top
        self.rows = range(0, (gatherer.rows + step - 1) // step, EVERY)
        self._blocks = (columns + _BLOCK - 1) // _BLOCK
        self._starts = array("h", bytes(2 * len(self.rows)))
        self._ends = array("h", bytes(2 * len(self.rows)))
        self._levels = [bytearray(len(self.rows) * self._blocks) for _ in range(profile.lamps)]
        share = profile.dim / least_light(0, 0, profile)
        for line, row in enumerate(self.rows):
            y = row * step - middle_y
            half = max(0, (INSIDE * profile.platform[2]) ** 2 - y * y) ** 0.5
            self._starts[line] = max(0, int((middle_x - half) / step) + 1)
            self._ends[line] = min(columns, int((middle_x + half) / step))
            for block in range(self._blocks):
                x = (block * _BLOCK + _BLOCK // 2) * step - middle_x
                for lamp, levels in enumerate(self._levels):
                    level = int(share * lamp_light(x, y, lamp, profile) + 0.5)
                    levels[line * self._blocks + block] = min(255, level)

    def spans(self, lamp, row):
        """[(first, end, level)] of the columns of a row that is looked at, on the platform."""
        levels = self._levels[lamp]
        return [(start, end, levels[place]) for place, start, end in self._places(row)]

    def lightest(self, row, exposures):
        """The same with the level that the lamp of the most light gives, with these exposures."""
        return [
            (start, end, max([levels[place] * share for levels, share in zip(self._levels, exposures)]))
            for place, start, end in self._places(row)
        ]

    def level(self, lamp, row, column):
        """That of a place in such a row."""
        return self._levels[lamp][row // EVERY * self._blocks + column // _BLOCK]

    def _places(self, row):
        """(where its levels are, first and end column) of each block in a row, on the platform."""
        line = row // EVERY
        start, end = self._starts[line], self._ends[line]
        for block in range(start // _BLOCK, (end + _BLOCK - 1) // _BLOCK):
            place = line * self._blocks + block
            yield place, max(start, block * _BLOCK), min(end, (block + 1) * _BLOCK)
