"""Cracks and broken corners of a dark face: no pixel of them stands out from its noise, all together do.

The face is looked at under every lamp where the small frames are whole, else in the darkest frame, cut off
at the level of its bare part: so pips, what shines through from the far side and gloss are bare, and only
what is darker is left. A crack is a way across it, from one side to the other, that is darker than what lies
beside it; it takes light from the pips that it crosses, too. A broken corner is darker than the others.
"""

# Buffers go where viper takes pointers.
# pyright: reportArgumentType=false

from array import array
from math import exp

from .face_grid import FaceGrid
from .kernels import fill
from .profile import SHARP
from .refusal import Refused

_HALF = 0.46  # half-width of the face that is looked at
_ASIDE = 0.12  # sides between a way and the face beside it
_BODY = 0.2  # share of the face that is darker than what its bare part is taken for
_CLEAR_BODY = 0.1  # and of a clear die, whose far face's pips lighten much of it
_WHOLE = 240  # of a place as light as the bare face
_FLAT = 0.4  # and of that part of it that has no rounded edge
_SOFT = 1.2  # pixels beyond a pip's edge that it brightens
_IN_PIP = 0.8  # pixels within a pip's edge that its own light begins
_DEEPEST = 0.4  # share of the level that a place of the way counts, at most: a speck of dirt is no crack
_SHARE = 0.75  # of the dimmest way athwart that noise is taken to make of any dimmest way
# What a way may lack beyond this, and at all: so much of any level, and so many levels, which noise takes. Of
# 4,096 sound faces about 30 pixels wide none lacks more in the darkest frame.
_DIM = (0.027, 0.23), (0.042, 0.35)
_DIM_STEADY = (0.021, 0), (0.036, 0)  # and in the mean of the lamps, half as wide: of 2,996 four lack more
_NOISE = 0.25  # levels that noise takes from a bare place that counts as light as the level at most
_HOLLOW = 0.19  # share of the level by which one corner may be dimmer than the others
_CORNER = 0.42, 0.66  # most of u and of v, and least of their sum, in a corner: off its rim
_BARE, _PIP = 1, 2  # what a place is; a pip's has the hundredths of the pip's light it shows, too, times _PIP
_WELL_SEEN = 20  # side, in pixels, from which a pip shows how its light falls off to its edge:
_STEEP = 1.7  # by how much the curve is steeper for the lens's blur than 1 / (1 + exp(x)),
_SHADED = 0.92  # and share of that light where a pip that is a bowl lies in its own shade


class Cracks:
    """Looks for cracks in the faces of a gatherer's scene; buffers are made here, once."""

    def __init__(self, gatherer):
        profile = gatherer.profile
        self._grid = FaceGrid(profile.side, _HALF, _ASIDE)
        size = self._size = self._grid.size
        self._gatherer = gatherer
        self._body = _CLEAR_BODY if profile.is_clear else _BODY
        self._seen = bytearray(size * size)
        self._face = self._grid.face
        self._counts = array("i", bytes(4 * 256))
        self._shaded, blur = 1, 0
        if profile.side >= _WELL_SEEN:
            self._shaded, blur = _SHADED, SHARP * profile.halo / profile.side
        self._parts = {}
        for face, pips in profile.pips.items():
            radius = profile.radii[face]
            inner = radius - _IN_PIP / profile.side
            outer = radius + _SOFT * profile.halo / profile.side
            parts = _parts(size, pips, (radius, inner, outer), blur)
            if any(part == _BARE for part in parts):  # else blur brightens all of the face
                self._parts[face] = parts
        self._corners = [_corner(size, u, v) for u in (-1, 1) for v in (-1, 1)]

    def check(self, pose, face):
        """Margin; Refused when a crack crosses the dark face with so many pips at `pose`, or a corner is off.

        The pose has the calibrated side.
        """
        gatherer = self._gatherer
        if face not in self._parts:
            raise Refused("unreadable", "pips-blurred")
        self._grid.refuse_cut_off(pose, gatherer)
        if gatherer.step == 1:
            planes, limits = gatherer.small, _DIM_STEADY
        else:
            planes, limits = (gatherer.low,), _DIM
        whole, level = self._see(planes, pose, face)
        margin = 1 - self._dimness(whole, [share + levels / level for share, levels in limits])
        if margin < 0:
            raise Refused("die-damaged", "crack")
        corner = 1 - self._hollow(whole) / _HOLLOW
        if corner < 0:
            raise Refused("die-damaged", "corner")
        return min(margin, corner)

    def _see(self, planes, pose, face):
        """Have the face in the sum of the planes; what a place shows that is as light as its bare part, and
        the mean level of that part."""
        share = _WHOLE // len(planes)
        whole = share * len(planes)
        fill(self._face, 0, self._size * self._size, 0)
        level = sum([self._look(plane, pose, self._parts[face], share) for plane in planes]) / len(planes)
        self._level_out(self._parts[face], int(whole * (1 - _NOISE / level)))
        self._skip_stuck(pose, whole)
        return whole, level

    def _level_out(self, parts, most):
        """Have no place off the bare part lighter than that is in its noise: a narrow one between wide pips,
        whose light blurs, would look like a way."""
        face = self._face
        for i, part in enumerate(parts):
            if part != _BARE and face[i] > most:
                face[i] = most

    def _dimness(self, whole, limits):
        """Share of its limit that the dimmest way across the face lacks. Noise makes both ways dim, from left
        to right and from top to bottom; a crack is one of them, unless it runs aslant."""
        ways = [dim / (self._size * whole) for dim in self._grid.dim_ways(int(whole * _DEEPEST))]
        return max((max(ways) - _SHARE * min(ways)) / limits[0], max(ways) / limits[1])

    def _hollow(self, whole):
        """Share of the level by which the dimmest corner is dimmer than the two in the middle."""
        seen = [sum([self._face[i] for i in corner]) / len(corner) for corner in self._corners]
        seen.sort()
        return ((seen[1] + seen[2]) / 2 - seen[0]) / whole

    def _look(self, plane, pose, parts, share):
        """Add what a plane shows of the face, at most `share`; the level of its bare part."""
        seen, face, size = self._seen, self._face, self._size
        fill(seen, 0, size * size, 0)
        self._grid.look(seen, self._gatherer, plane, pose, 255, 255)
        counts = self._counts
        for level in range(256):
            counts[level] = 0
        for i, part in enumerate(parts):
            if part == _BARE:
                counts[seen[i]] += 1
        level = max(1, _level_of(counts, self._body * sum(counts)))
        self._grid.look(face, self._gatherer, plane, pose, level, share)
        self._dim_pips(parts, level, share)
        return level

    def _dim_pips(self, parts, level, share):
        """Take from the face what its pips lack of their mean light, as it falls off to their edges."""
        seen, face = self._seen, self._face
        light = shown = 0
        for i, part in enumerate(parts):
            if part >= _PIP:
                light += seen[i] - level
                shown += part // _PIP
        if light <= 0:
            return
        light /= shown
        for i, part in enumerate(parts):
            if part >= _PIP:
                whole = level + self._shaded * light * (part // _PIP)
                if seen[i] < whole:
                    face[i] = max(0, face[i] - share + int(share * seen[i] / whole))

    def _skip_stuck(self, pose, whole):
        """Have a stuck pixel look like the bare face."""
        gatherer, size = self._gatherer, self._size
        for x, y in gatherer.profile.stuck:
            u, v = pose.face(x - gatherer.left, y - gatherer.top)
            column, row = int((u / _HALF + 1) * size / 2), int((v / _HALF + 1) * size / 2)
            for i in range(max(0, row - 1), min(size, row + 2)):
                for j in range(max(0, column - 1), min(size, column + 2)):
                    self._face[i * size + j] = whole


def _level_of(counts, wanted):
    """The level below which `wanted` of the counted lie, each anywhere between its level and the next."""
    for level, count in enumerate(counts):
        if wanted < count:
            return level + wanted / count
        wanted -= count
    return len(counts)


def _parts(size, pips, radii, blur):
    """What lies at each of size x size places of a face: _PIP times the hundredths of a pip's light that show
    there, within its inner radius, _BARE beyond the outer one, or neither. radii: of a pip, inner and outer;
    blur: by which its light falls off to its edge, 0 when that does not show; all in sides."""
    radius, inner, outer = radii
    parts = bytearray(size * size)
    steps = _steps(size)
    for row, v in enumerate(steps):
        for column, u in enumerate(steps):
            away = min([((u - pip_u) ** 2 + (v - pip_v) ** 2) ** 0.5 for pip_u, pip_v in pips])
            if away < inner:
                shown = 1 / (1 + exp(_STEEP * (away - radius) / blur)) if blur else 1
                parts[row * size + column] = _PIP * int(100 * shown)
            elif max(abs(u), abs(v)) < _FLAT and away > outer:
                parts[row * size + column] = _BARE
    return parts


def _corner(size, along, across):
    """Places of the corner in the direction along, across."""
    most, least = _CORNER
    steps = [step * along for step in _steps(size)], [step * across for step in _steps(size)]
    return [
        row * size + column
        for row, v in enumerate(steps[1])
        for column, u in enumerate(steps[0])
        if u < most and v < most and u + v > least and min(u, v) > 0
    ]


def _steps(size):
    """Where the places of a row lie, in sides from the middle."""
    return [((i + 0.5) / size - 0.5) * 2 * _HALF for i in range(size)]
