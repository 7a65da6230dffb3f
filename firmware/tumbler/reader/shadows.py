"""Shadows: under each lamp the floor is lit wherever no die stands in its way, or something else does.

Each lamp's frame is judged by that lamp's own shadows: what lies in the shadow of a die under one lamp shows
under another. What is dark under all of them, though some reach it, is a dark thing.
"""

from .floor_levels import EVERY
from .kernels import next_under
from .refusal import Refused

_SHADE = 0.4  # share of the floor's level below which a place is shaded
_MOST = 0.07  # shadow that no die throws, or dark thing, in areas of a die, over all lamps
_MARGIN = 0.08  # sides beyond a die within which it may throw a shadow: of its size, and of the lamp's
_LEAST = 0.001  # mm: the least way along a die's axis, to divide by
_ITSELF = 0.56  # half-width within which the die itself is seen


class Shadows:
    """Looks for strange shadows in the small frames of a gatherer; floor: its FloorLevels."""

    def __init__(self, gatherer, floor):
        profile = gatherer.profile
        self._gatherer = gatherer
        self._floor = floor
        self._middle_x = profile.platform[0] - gatherer.left
        self._middle_y = profile.platform[1] - gatherer.top
        self._stuck = [(int(x) - gatherer.left, int(y) - gatherer.top) for x, y in profile.stuck]

    def check(self, poses):
        """Refused when a shadow lies on the platform that none of the level dice at `poses` throws, or a dark
        thing."""
        gatherer = self._gatherer
        profile = gatherer.profile
        dice = [_Obstacle(pose, self._middle_x, self._middle_y, profile) for pose in poses]
        ground = profile.scale * (1 - profile.lens)
        strange = unlit = 0
        for lamp in range(profile.lamps):
            for row, column in self._dark_places(lamp):
                x, y = column * gatherer.step, row * gatherer.step
                place = (x - self._middle_x) / ground, (y - self._middle_y) / ground
                if _is_on_a_die(x, y, dice) or any(die.shades(*place, lamp) for die in dice):
                    continue
                if self._is_lit(row, column):
                    strange += 1
                elif (x, y) not in self._stuck:
                    unlit += 1
        most = _MOST * (profile.side / (EVERY * gatherer.step)) ** 2
        if strange > most:
            raise Refused("extra-object", "strange shadow")
        if unlit > max(most, profile.lamps):  # and more than a pixel that has died since
            raise Refused("extra-object", "dark thing")

    def _is_lit(self, row, column):
        """Whether another lamp lights a place."""
        gatherer = self._gatherer
        for lamp, small in enumerate(gatherer.small):
            limit = self._limit(lamp, self._floor.level(lamp, row, column))
            if small[row * gatherer.small_columns + column] >= limit:
                return True
        return False

    def _limit(self, lamp, level):
        """The level below which floor of a level is shaded in this scene."""
        return int(_SHADE * level * self._gatherer.exposures[lamp] + 0.5)

    def _dark_places(self, lamp):
        """Row and column, in the small frames, of places on the platform that a lamp does not light."""
        small, columns = self._gatherer.small[lamp], self._gatherer.small_columns
        for row in self._floor.rows:
            base = row * columns
            for start, end, level in self._floor.spans(lamp, row):
                limit = self._limit(lamp, level)
                at = next_under(small, base + start, base + end, EVERY, limit)
                while at < base + end:
                    yield row, at - base
                    at = next_under(small, at + EVERY, base + end, EVERY, limit)


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
