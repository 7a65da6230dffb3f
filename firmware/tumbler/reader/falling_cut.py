"""A cut that falls off as the light does: what lies far out is as dim as the lamps' distance makes it.

It is worked out once, for blocks of the picture.
"""

from .lamp_light import least_light

_BLOCK = 0.5  # sides of a die in which one cut is good enough


class FallingCut:
    """The cut that is `level` in the middle of the platform of a gatherer, and nowhere above `most`."""

    def __init__(self, gatherer, level, most=255):
        profile = gatherer.profile
        self._columns = gatherer.columns
        self._block = max(1, int(profile.side * _BLOCK))
        self._across = (gatherer.columns + self._block - 1) // self._block
        share = level / least_light(0, 0, profile)
        self._cuts = bytearray()
        for y in range(self._block // 2, gatherer.rows + self._block, self._block):
            for column in range(self._across):
                x = column * self._block + self._block // 2 + gatherer.left - profile.platform[0]
                light = least_light(x, y + gatherer.top - profile.platform[1], profile)
                self._cuts.append(min(int(most), int(share * light)))

    def spans(self, exposure):
        """Gives [(first column, end, least level)] of each row; exposure: against the calibrated one."""
        blocks = [self._spans(first, exposure) for first in range(0, len(self._cuts), self._across)]
        return lambda y: blocks[y // self._block]

    def _spans(self, first, exposure):
        """Those of the rows of a block; first: index of its cuts."""
        spans = []
        for column in range(self._across):
            least = max(1, min(255, int(self._cuts[first + column] * exposure)))
            start = column * self._block
            end = min(self._columns, start + self._block)
            if spans and spans[-1][2] == least:
                start = spans.pop()[0]
            spans.append((start, end, least))
        return spans
