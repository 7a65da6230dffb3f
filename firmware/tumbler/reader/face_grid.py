"""A face as a square of places along its own axes, across which ways are looked for that are darker than what
lies beside them, as cracks are.
"""

# Buffers go where viper takes pointers.
# pyright: reportArgumentType=false

from array import array

from .corners import CORNERS
from .kernels import dim_way, fill, turn
from .refusal import Refused

HIDDEN = 255  # a place that tells nothing
_POINT = 4096  # to a pixel, in the kernel
_SPARE = 0.1  # pixels that its rounding may make over a face: a 4096th for each step across and down


class FaceGrid:
    """The places of a face `half` sides to all ways from its middle, as many as pixels; `step` sides lie
    between two of them, and the first lies `first` from the middle. A place is compared with those `aside`
    places from it. Buffers are made here, once: `face` for the ways."""

    def __init__(self, side, half, aside):
        self.size = size = int(2 * half * side + 0.5)
        self.step = 2 * half / size
        self.first = (0.5 / size - 0.5) * 2 * half
        self.face = bytearray(size * size)
        self._aside = max(2, int(aside * side + 0.5))
        self._way = array("i", bytes(8 * size))

    def refuse_cut_off(self, pose, gatherer):
        """Refused when the edge of the picture cuts off a place of the face at a pose."""
        for u, v in CORNERS:
            x, y = pose.place(u * self.first, v * self.first)
            if not (_SPARE <= x < gatherer.columns - 1 - _SPARE and _SPARE <= y < gatherer.rows - 1 - _SPARE):
                raise Refused("unreadable", "off-platform")

    def look(self, places, gatherer, plane, pose, most, share):
        """Add to the buffer `places` what a plane shows of the face at `pose`, `share` where it is `most`."""
        x, y = pose.place(self.first, self.first)
        right, down = pose.place(self.first + self.step, self.first)
        at = [int(value * _POINT) for value in (x, y, right - x, down - y)]
        columns = gatherer.columns
        turn(places, self.size, plane, columns, at[0], at[1], at[2], at[3], int(most * 1024), share)

    def cover(self, u, v, radius, value):
        """Put a value in the places of `face` within a circle, in sides."""
        size = self.size
        places = 1 / self.step
        x, y, reach = (u - self.first) * places, (v - self.first) * places, radius * places
        for row in range(max(0, int(y - reach)), min(size, int(y + reach) + 2)):
            chord = reach * reach - (row - y) ** 2
            if chord > 0:
                chord **= 0.5
                start, end = max(0, int(x - chord + 1)), min(size, int(x + chord) + 1)
                fill(self.face, row * size + start, row * size + end, value)

    def dim_ways(self, deepest):
        """What the dimmest ways across `face` lack, from left to right and from top to bottom: dim_way."""
        size = self.size
        return [
            dim_way(self.face, size, along, across, self._aside, deepest, self._way)
            for along, across in ((1, size), (size, 1))
        ]
