"""The rest of the platform: where no die lies, some lamp must show the bare floor, or something hides it."""

from .refusal import Refused

_DARK = 0.45  # share of the empty platform's level below which the best-lit frame shows no floor
_AROUND = 1.2  # sides from the middle of a die within which its own dark sides are seen
_INSIDE = 0.93  # share of the platform's radius; the rim is dark
_MOST = 0.15  # dark floor, in areas of a die, that dust and overlapping shadows may make
_STEP = 2


def check_floor(gatherer, bodies):
    """Refused when a dark thing lies on the platform, or before the camera, away from every body's pose."""
    profile = gatherer.profile
    limit = _DARK * min(profile.levels) * sum(gatherer.exposures) / len(gatherer.exposures)
    high = gatherer.high
    columns = gatherer.columns
    middle_x = profile.platform[0] - gatherer.left
    middle_y = profile.platform[1] - gatherer.top
    reach = (_INSIDE * profile.platform[2]) ** 2
    near = (_AROUND * profile.side) ** 2
    dark = 0
    for y in range(0, gatherer.rows, _STEP):
        half = reach - (y - middle_y) ** 2
        if half <= 0:
            continue
        half = half**0.5
        row = y * columns
        for x in range(max(0, int(middle_x - half)), min(columns, int(middle_x + half)), _STEP):
            if high[row + x] < limit and not _is_near(x, y, bodies, near):
                dark += 1
    if dark * _STEP * _STEP > _MOST * profile.side * profile.side:
        raise Refused("extra-object", "dark thing")


def _is_near(x, y, bodies, near):
    return any((body.pose.x - x) ** 2 + (body.pose.y - y) ** 2 < near for body in bodies)
