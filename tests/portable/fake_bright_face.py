"""A bright die with dark pips in slanting light, sharp or blurred, whole or marked."""

from math import pi

from tumbler.reader.face_light import face_lights
from tumbler.reader.square import Pose

_COLUMNS = 48
MIDDLE = 23.6
SIDE = 26.3
_PIP = 0.1
FACES = {
    1: [(0, 0)],
    2: [(-0.26, -0.26), (0.26, 0.26)],
    3: [(-0.26, 0.26), (0, 0), (0.26, -0.26)],
    4: [(u, v) for u in (-0.26, 0.26) for v in (-0.26, 0.26)],
    5: [(0, 0)] + [(u, v) for u in (-0.26, 0.26) for v in (-0.26, 0.26)],
    6: [(u, v) for u in (-0.26, 0, 0.26) for v in (-0.26, 0.26)],
}


def cover(distance, blur):
    """Share of a pixel inside an edge that is so many pixels away, in a picture as blurred as that."""
    return min(1, max(0, 0.5 + distance / blur))


class Machine:
    """As much of a gatherer as a face is judged by: the two composites of one die."""

    left = top = 0
    columns = rows = _COLUMNS

    def __init__(self, face, degrees, mark=None, blur=1.5, middle=(MIDDLE, MIDDLE)):
        """mark: share of the light that is left at u, v of the face; blur: pixels from dark to light."""
        self.pose = Pose(middle[0], middle[1], SIDE, degrees * pi / 180)
        self.pattern = FACES[face]
        self.profile = self
        self.side = SIDE
        self.radii = {face: _PIP}
        self.images = []
        self.low = self._draw(90, (0.25, -0.1), mark, blur)
        self.high = self._draw(170, (-0.1, 0.15), mark, blur)

    def _draw(self, level, slope, mark, blur):
        """The face, a rim beyond it that is lit on one side only, and what is dark about it."""
        plane = bytearray(_COLUMNS * _COLUMNS)
        for y in range(_COLUMNS):
            for x in range(_COLUMNS):
                u, v = self.pose.face(x, y)
                if max(abs(u), abs(v)) < 0.53:
                    light = 1 + slope[0] * u + slope[1] * v
                    for pu, pv in self.pattern:
                        away = ((u - pu) ** 2 + (v - pv) ** 2) ** 0.5
                        light *= 1 - 0.9 * cover((_PIP - away) * SIDE, blur)
                    if mark:
                        light *= mark(u, v)
                    if u > 0.47:
                        light *= 1.3
                    if v > 0.47:
                        light *= 0.6
                    plane[y * _COLUMNS + x] = int(level * light)
        return plane

    def lights(self):
        return face_lights(self, self.pose, self.pattern, self.pose)


def crack(offset, jag, along):
    """A crack from side to side of the face about v = offset, or u = offset, that bends `jag` to and fro."""

    def mark(u, v):
        if along:
            u, v = v, u
        bend = abs((u + 0.6) % 0.4 - 0.2) / 0.2 - 0.5
        return 1 - 0.75 * cover((0.018 - abs(v - offset - jag * bend)) * SIDE, 1)

    return mark


def speck(u0, v0):
    def mark(u, v):
        return 1 - 0.35 * cover((0.04 - ((u - u0) ** 2 + (v - v0) ** 2) ** 0.5) * SIDE, 1)

    return mark
