"""Shadows: under each lamp the floor is lit wherever no die stands in its way, or something else does.

Each lamp's frame is judged by that lamp's own shadows: what lies in the shadow of a die under one lamp shows
under another.
"""

from math import ceil

from .floor import INSIDE
from .kernels import next_under
from .lamp_light import lamp_light, least_light
from .refusal import Refused

_SHADE = 0.4  # share of the light that the lamp gives below which a place is shaded
_MOST = 0.06  # shadow that no die throws, in areas of a die, over all lamps
_SEEN = 5  # least side of a die, in places looked at
_BLOCK = 8  # pixels of a small frame that have one limit
_MARGIN = 0.08  # sides beyond a die within which it may throw a shadow: of its size, and of the lamp's
_LEAST = 0.001  # mm: the least way along a die's axis, to divide by
_ITSELF = 0.56  # half-width within which the die itself is seen


class Shadows:
    """Looks for strange shadows in the small frames of a gatherer; what light falls where is worked out here,
    once: a limit for each lamp, row that is looked at and block of columns."""

    def __init__(self, gatherer):
        profile = gatherer.profile
        self._gatherer = gatherer
        self._middle_x = profile.platform[0] - gatherer.left
        self._middle_y = profile.platform[1] - gatherer.top
        self._every = max(1, int(profile.side / gatherer.step / _SEEN))
        blocks = (gatherer.small_columns + _BLOCK - 1) // _BLOCK
        share = _SHADE * profile.dim / least_light(0, 0, profile)
        self._blocks = blocks
        self._limits = []
        for lamp in range(profile.lamps):
            limits = bytearray()
            for y in range(0, gatherer.rows, self._every * gatherer.step):
                for block in range(blocks):
                    x = (block * _BLOCK + _BLOCK // 2) * gatherer.step
                    light = lamp_light(x - self._middle_x, y - self._middle_y, lamp, profile)
                    limits.append(min(255, int(share * light)))
            self._limits.append(limits)

    def check(self, poses):
        """Refused when a shadow lies on the platform that none of the level dice at `poses` throws."""
        gatherer = self._gatherer
        profile = gatherer.profile
        dice = [_Obstacle(pose, self._middle_x, self._middle_y, profile) for pose in poses]
        ground = profile.scale * (1 - profile.lens)
        strange = 0
        for lamp in range(profile.lamps):
            for x, y in self._dark_places(lamp):
                place = (x - self._middle_x) / ground, (y - self._middle_y) / ground
                if not (_is_on_a_die(x, y, dice) or any(die.shades(*place, lamp) for die in dice)):
                    strange += self._is_lit(x, y)
        if strange * (self._every * gatherer.step) ** 2 > _MOST * profile.side * profile.side:
            raise Refused("extra-object", "strange shadow")

    def _is_lit(self, x, y):
        """Whether another lamp lights a place; what is dark under all is a speck or a dead pixel."""
        gatherer = self._gatherer
        row, column = y // gatherer.step, x // gatherer.step
        block = row // self._every * self._blocks + column // _BLOCK
        for lamp, small in enumerate(gatherer.small):
            limit = self._limits[lamp][block] * gatherer.exposures[lamp]
            if small[row * gatherer.small_columns + column] >= limit:
                return True
        return False

    def _dark_places(self, lamp):
        """x, y of every so many pixels on the platform that a lamp does not light."""
        gatherer = self._gatherer
        small, step, every = gatherer.small[lamp], gatherer.step, self._every
        limits, exposure = self._limits[lamp], gatherer.exposures[lamp]
        reach = (INSIDE * gatherer.profile.platform[2]) ** 2
        first = 0
        for row in range(0, (gatherer.rows + step - 1) // step, every):
            half = reach - (row * step - self._middle_y) ** 2
            if half > 0:
                half = half**0.5
                base = row * gatherer.small_columns
                start = max(0, int((self._middle_x - half) / step) + 1)
                end = min(gatherer.small_columns, int((self._middle_x + half) / step))
                for block in range(start // _BLOCK, (end + _BLOCK - 1) // _BLOCK):
                    limit = ceil(limits[first + block] * exposure)
                    at = base + max(start, block * _BLOCK)
                    stop = base + min(end, (block + 1) * _BLOCK)
                    at = next_under(small, at, stop, every, limit)
                    while at < stop:
                        yield (at - base) * step, row * step
                        at = next_under(small, at + every, stop, every, limit)
            first += self._blocks


class _Obstacle:
    """A level die in the lamps' way: its middle in mm from the platform's, `half` its width, and for each
    lamp where it stands along the die's axes, with the share of the way to it up to the die's top."""

    def __init__(self, pose, middle_x, middle_y, profile):
        self.pose = pose
        self.x = (pose.x - middle_x) / profile.scale
        self.y = (pose.y - middle_y) / profile.scale
        self.half = (0.5 + _MARGIN) * profile.die_mm
        self.lamps = []
        for lamp_x, lamp_y, lamp_z in profile.positions:
            u, v = pose.turned(lamp_x - self.x, lamp_y - self.y)
            self.lamps.append((u, v, profile.die_mm / lamp_z))

    def shades(self, x, y, lamp):
        """Whether the lamp's way to a place of the floor, in mm, leads through the die."""
        u, v = self.pose.turned(x - self.x, y - self.y)
        lamp_u, lamp_v, out = self.lamps[lamp]
        into = 0
        for start, end in ((u, lamp_u), (v, lamp_v)):
            way = end - start
            if abs(way) < _LEAST:
                way = _LEAST
            one, other = (-self.half - start) / way, (self.half - start) / way
            into, out = max(into, min(one, other)), min(out, max(one, other))
        return into < out


def _is_on_a_die(x, y, dice):
    for die in dice:
        u, v = die.pose.face(x, y)
        if -_ITSELF < u < _ITSELF and -_ITSELF < v < _ITSELF:
            return True
    return False
