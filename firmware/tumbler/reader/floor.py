"""The rest of the platform: where no die lies, some lamp must show the bare floor, or something hides it."""

from math import ceil

from .kernels import next_under
from .refusal import Refused

_DARK = 0.45  # share of the empty platform's level below which the best-lit frame shows no floor
_AROUND = 1.2  # sides from the middle of a die within which its own dark sides are seen
INSIDE = 0.93  # share of the platform's radius; the rim is dark
_MOST = 0.15  # dark floor, in areas of a die, that dust and overlapping shadows may make
_STEP = 2


def check_floor(gatherer, bodies):
    """Refused when a dark thing lies on the platform, or before the camera, away from every body's pose."""
    profile = gatherer.profile
    limit = _DARK * min(profile.levels) * sum(gatherer.exposures) / len(gatherer.exposures)
    near = (_AROUND * profile.side) ** 2
    dark = 0
    for x, y in _dark_places(gatherer, limit):
        if not _is_near(x, y, bodies, near):
            dark += 1
    if dark * _STEP * _STEP > _MOST * profile.side * profile.side:
        raise Refused("extra-object", "dark thing")


def _dark_places(gatherer, limit):
    """x, y of every so many pixels on the platform that no lamp makes as light as `limit`."""
    columns = gatherer.columns
    profile = gatherer.profile
    middle_x = profile.platform[0] - gatherer.left
    middle_y = profile.platform[1] - gatherer.top
    reach = (INSIDE * profile.platform[2]) ** 2
    limit = ceil(limit)
    for y in range(0, gatherer.rows, _STEP):
        half = reach - (y - middle_y) ** 2
        if half <= 0:
            continue
        half = half**0.5
        row = y * columns
        end = row + min(columns, int(middle_x + half))
        i = next_under(gatherer.high, row + max(0, int(middle_x - half)), end, _STEP, limit)
        while i < end:
            yield i - row, y
            i = next_under(gatherer.high, i + _STEP, end, _STEP, limit)


def _is_near(x, y, bodies, near):
    return any((body.pose.x - x) ** 2 + (body.pose.y - y) ** 2 < near for body in bodies)
