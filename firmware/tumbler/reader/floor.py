"""The rest of the platform: where no die lies, some lamp must show the bare floor, or something hides it; and
where a lamp throws a shadow, a die must stand in its way, or something else does."""

from math import ceil

from .kernels import next_under
from .refusal import Refused
from .tilt import least_light

_DARK = 0.45  # share of the empty platform's level below which the best-lit frame shows no floor
_AROUND = 1.2  # sides from the middle of a die within which its own dark sides are seen
_INSIDE = 0.93  # share of the platform's radius; the rim is dark
_MOST = 0.15  # dark floor, in areas of a die, that dust and overlapping shadows may make
_SHADE = 0.4  # share of the light that the farthest lamp would give below which a place is shaded
_MOST_SHADE = 0.1  # and shadow that no die throws
_STEP = 2
_SHADE_STEP = 3
_HEIGHTS = (0, 0.25, 0.5, 0.75, 1)  # of a die, at which light is followed to the lamp
_MARGIN = 0.08  # sides beyond a die within which it may throw a shadow: of its size, and of the lamp's


def check_floor(gatherer, bodies):
    """Refused when a dark thing lies on the platform, or before the camera, away from every body's pose."""
    profile = gatherer.profile
    limit = _DARK * min(profile.levels) * sum(gatherer.exposures) / len(gatherer.exposures)
    near = (_AROUND * profile.side) ** 2
    dark = 0
    for x, y in _dark_places(gatherer, gatherer.high, limit, _STEP):
        if not _is_near(x, y, bodies, near):
            dark += 1
    if dark * _STEP * _STEP > _MOST * profile.side * profile.side:
        raise Refused("extra-object", "dark thing")


def check_shadows(gatherer, bodies):
    """Refused when a shadow lies on the platform that none of the level dice `bodies` throws."""
    profile = gatherer.profile
    share = _SHADE * profile.dim * min(gatherer.exposures) / least_light(0, 0, profile)
    middle_x = profile.platform[0] - gatherer.left
    middle_y = profile.platform[1] - gatherer.top
    ground = profile.scale * (1 - profile.lens)
    obstacles = [_Obstacle(die, middle_x, middle_y, profile) for die in bodies]
    shade = 0
    most = int(_SHADE * profile.dim * min(gatherer.exposures)) + 1
    for x, y in _dark_places(gatherer, gatherer.low, most, _SHADE_STEP):
        limit = share * least_light(x - middle_x, y - middle_y, profile)
        if gatherer.low[y * gatherer.columns + x] < limit and not _is_thrown(
            (x - middle_x) / ground, (y - middle_y) / ground, obstacles
        ):
            shade += 1
    if shade * _SHADE_STEP * _SHADE_STEP > _MOST_SHADE * profile.side * profile.side:
        raise Refused("extra-object", "strange shadow")


def _dark_places(gatherer, plane, limit, step):
    """x, y of every so many pixels on the platform that are darker than `limit`."""
    columns = gatherer.columns
    profile = gatherer.profile
    middle_x = profile.platform[0] - gatherer.left
    middle_y = profile.platform[1] - gatherer.top
    reach = (_INSIDE * profile.platform[2]) ** 2
    limit = ceil(limit)
    for y in range(0, gatherer.rows, step):
        half = reach - (y - middle_y) ** 2
        if half <= 0:
            continue
        half = half**0.5
        row = y * columns
        end = row + min(columns, int(middle_x + half))
        i = next_under(plane, row + max(0, int(middle_x - half)), end, step, limit)
        while i < end:
            yield i - row, y
            i = next_under(plane, i + step, end, step, limit)


class _Obstacle:
    """A level die in the lamps' way: its middle in mm from the platform's, `half` its width, and for each
    lamp where it stands along the die's axes, with the shares of the way to it at _HEIGHTS."""

    def __init__(self, pose, middle_x, middle_y, profile):
        self.pose = pose
        self.x = (pose.x - middle_x) / profile.scale
        self.y = (pose.y - middle_y) / profile.scale
        self.half = (0.5 + _MARGIN) * profile.die_mm
        self.lamps = []
        for lamp_x, lamp_y, lamp_z in profile.positions:
            u, v = pose.turned(lamp_x - self.x, lamp_y - self.y)
            self.lamps.append((u, v, [share * profile.die_mm / lamp_z for share in _HEIGHTS]))


def _is_thrown(x, y, obstacles):
    """Whether some lamp's way to a place on the floor, in mm, leads through a die."""
    for die in obstacles:
        u, v = die.pose.turned(x - die.x, y - die.y)
        half = die.half
        for lamp_u, lamp_v, ways in die.lamps:
            for way in ways:
                if abs(u + (lamp_u - u) * way) < half and abs(v + (lamp_v - v) * way) < half:
                    return True
    return False


def _is_near(x, y, bodies, near):
    return any((body.pose.x - x) ** 2 + (body.pose.y - y) ** 2 < near for body in bodies)
