"""Cracks of a bright face that run from pip to pip or start at one, where pips and rim hide most of them.

Every face looks the same when it is turned by half about the middle of its pips: a place beside a pip, in its
blur, has as much light as the place across the middle, whatever the lens, the lamp or the make. A crack has
not. It is a way across the face, from one side to the other, that has less light than the places across the
middle and than what lies beside it. Light is judged as for blemishes, in the composite that shows most of it.

The one is left out: half of a crack that its pip could hide lies across the middle from the other half, and
the crack is bare on both sides of the pip, where it is a blemish.
"""

# Buffers go where viper takes pointers.
# pyright: reportArgumentType=false

from array import array

from .circles import mirror_images, pip_circles
from .kernels import dim_way, fill, turn
from .refusal import Refused
from .square import Pose

_HALF = 0.48  # half-width of the face that is looked at
_ASIDE = 0.1  # sides between a way and what lies beside it
_EDGE = 1.1  # pixels beyond a pip's edge where blur makes the light too steep to be compared
_HIDDEN = 1  # pixels about a lamp's mirror image that its rim takes light from
_WHOLE = 240  # of a place that has all its light
_SPARE = 44  # of it that noise, a pip's bowl, a lit rim beside it and the pose may take from any place
_DEEPEST = 120  # of it that a place of the way counts, at most: a speck of dirt is no crack
# Share of its light that a way may lack. Of 21,400 sound faces about 28 pixels wide none lacks more than
# 0.005, nor of 1,200 in a blurred picture more than 0.002; of 58 cracks that are no blemish 51 lack more.
_LACKING = 0.008
_POINT = 4096  # to a pixel, in the kernel


class BrightCracks:
    """Looks for cracks in the faces of a gatherer's scene; buffers are made here, once."""

    def __init__(self, gatherer):
        side = gatherer.profile.side
        size = int(2 * _HALF * side + 0.5)
        self._gatherer = gatherer
        self._size = size
        self._aside = max(2, int(_ASIDE * side + 0.5))
        self._face = bytearray(size * size)
        self._other = bytearray(size * size)
        self._way = array("i", bytes(8 * size))

    def check(self, pose, pattern, outline, lights):
        """Margin, 0 to 1: the share of the light that any way across the face may lack, and does not.

        Refused when a crack crosses the face. lights: its FaceLights, of both composites.
        """
        if len(pattern) == 1:
            return 1
        gatherer, size = self._gatherer, self._size
        face = Pose(pose.x, pose.y, outline.side, outline.angle)
        x0, y0, x1, y1 = face.box(0, gatherer.columns + 1, gatherer.rows + 1)
        if x0 == 0 or y0 == 0 or x1 == gatherer.columns or y1 == gatherer.rows:
            raise Refused("unreadable", "off-platform")
        self._see(face, outline, lights)
        self._compare()
        radius = gatherer.profile.radii[len(pattern)] + _EDGE / outline.side
        for x, y, reach in pip_circles(pose, pattern, radius):
            self._clear(*face.face(x, y), reach / outline.side)
        for x, y, reach in mirror_images(gatherer, face):
            u, v = face.face(x, y)
            for side in (-1, 1):
                self._clear(side * u, side * v, (reach + _HIDDEN) / outline.side)
        dim = 0
        for along, across in ((1, size), (size, 1)):
            dim = max(dim, dim_way(self._face, size, along, across, self._aside, _DEEPEST, self._way))
        margin = 1 - dim / (_LACKING * size * _WHOLE)
        if margin < 0:
            raise Refused("die-damaged", "crack")
        return margin

    def _see(self, pose, outline, lights):
        """Have the share of its light that each place of the face has, where it is the larger of both
        composites'."""
        size = self._size
        step = 2 * _HALF / size
        first = step / 2 - _HALF
        x, y = pose.place(first, first)
        right, down = pose.place(first + step, first)
        at = [int(value * _POINT) for value in (x, y, right - x, down - y)]
        for seen, light in ((self._face, lights[0]), (self._other, lights[1])):
            fill(seen, 0, size * size, 0)
            columns = self._gatherer.columns
            turn(seen, size, light.plane, columns, at[0], at[1], at[2], at[3], 255 * 1024, 255)
        u, v = outline.face(x, y)
        steps = [(light.terms[1] * step, light.terms[2] * step) for light in lights]
        face, other = self._face, self._other
        i = 0
        for row in range(size):
            low, high = [light.level(u, v) + row * step[1] for light, step in zip(lights, steps)]
            for _ in range(size):
                share = max(face[i] / max(1, low), other[i] / max(1, high))
                face[i] = _WHOLE if share >= 1 else int(share * _WHOLE)
                low += steps[0][0]
                high += steps[1][0]
                i += 1

    def _compare(self):
        """Have of each place the share of the light of the place across the middle, if it is less."""
        face = self._face
        across = self._size * self._size - 1
        for i in range(across // 2 + 1):
            here, there = face[i], face[across - i]
            if here < there:
                here, there = min(_WHOLE, _WHOLE * here // there + _SPARE), _WHOLE
            else:
                here, there = _WHOLE, min(_WHOLE, _WHOLE * there // max(1, here) + _SPARE)
            face[i], face[across - i] = here, there

    def _clear(self, u, v, radius):
        """Have the places of a circle, in sides, lack nothing."""
        size = self._size
        places = size / (2 * _HALF)
        x, y, reach = (u + _HALF) * places - 0.5, (v + _HALF) * places - 0.5, radius * places
        for row in range(max(0, int(y - reach)), min(size, int(y + reach) + 2)):
            chord = reach * reach - (row - y) ** 2
            if chord > 0:
                chord **= 0.5
                start, end = max(0, int(x - chord + 1)), min(size, int(x + chord) + 1)
                fill(self._face, row * size + start, row * size + end, _WHOLE)
