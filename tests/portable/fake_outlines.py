"""Bright faces on a dark floor, with corners or pieces of their edges gone: their darkest composite."""

from math import radians

from tumbler.reader.square import Pose

LEVEL = 150  # of a face
_SIZE = 60
_FLOOR, _PIP = 25, 20
_FINE = (-0.375, -0.125, 0.125, 0.375)  # across and down a pixel, the places that its level is the mean of
_ENDS = _FINE[0], _FINE[3]


class Picture:
    """As much of a gatherer as outlines are judged by."""

    columns = _SIZE

    def __init__(self, faces):
        self.profile = self
        self.radii = {len(face.pips): face.radius for face in faces}
        self.low = bytearray(_SIZE * _SIZE)
        for y in range(_SIZE):
            for x in range(_SIZE):
                self.low[y * _SIZE + x] = _mean(faces, x, y)


def _mean(faces, x, y):
    """Of the levels within a pixel; all are alike where those near its corners are."""
    ends = [_level(faces, x + across, y + down) for across in _ENDS for down in _ENDS]
    if min(ends) == max(ends):
        return ends[0]
    levels = [_level(faces, x + across, y + down) for across in _FINE for down in _FINE]
    return sum(levels) // len(levels)


def _level(faces, x, y):
    return max([face.level(x, y) for face in faces])


class Face:
    """A face at a pose, with all corners cut by `bevel` sides, the first one by `chip`, without what lies in
    the circle `gone` (u, v, radius in sides), and with pips of a radius."""

    def __init__(self, pose, bevel=0.0, chip=0.0, gone=None, pips=(), radius=0.1):
        self.pose = pose
        self.bevel = bevel
        self.chip = chip
        self.gone = gone
        self.pips = pips
        self.radius = radius

    def level(self, x, y):
        u, v = self.pose.face(x, y)
        cut = self.chip if u < 0 and v < 0 and self.chip else self.bevel
        if max(abs(u), abs(v)) >= 0.5 or abs(u) + abs(v) >= 1 - cut:
            return _FLOOR
        if self.gone and _is_within(u - self.gone[0], v - self.gone[1], self.gone[2]):
            return _FLOOR
        if any(_is_within(u - pu, v - pv, self.radius) for pu, pv in self.pips):
            return _PIP
        return LEVEL


def _is_within(u, v, radius):
    return u * u + v * v < radius * radius


def at(degrees, side=28):
    return Pose(30.3, 29.6, side, radians(degrees))
