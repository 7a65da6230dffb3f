"""Light pips weighed: where each lies and how large it is, by the light it adds to the face.

A pip of seven pixels can be counted to no better than a third; the light in it and about its edge is the same
wherever its middle lies between the pixels, and so is the middle of that light.
"""

from math import ceil, floor

from .kernels import sum_over
from .lamp_light import least_light
from .pips import Spot, levels
from .refusal import Refused
from .square import Pose, similarity

_EDGE = 0.6  # pixels beyond a pip's edge within which its light is summed up; farther out is its neighbour's
_SURE = 0.4, 2.0  # areas of a calibrated pip within which a spot is surely one
_ALIKE = 1.27  # how many times as large as its smallest pip a face's largest may be; whole dice show 1.19


def weigh(gatherer, pose, pattern):
    """The pose that the light of the pips near a pose has. Refused when a pip is too small or too large for
    one, or they differ: a chip cuts a pip or joins it."""
    pose = _pose_of(weigh_pips(gatherer, pose, pattern), pose, pattern)
    pips = weigh_pips(gatherer, pose, pattern)  # again, for the sums follow the pips to their middles
    masses = [pip.mass for pip in pips]
    if not all(map(is_sure, masses)):
        raise Refused("unreadable", "faint-spot")
    if max(masses) > _ALIKE * min(masses):
        raise Refused("die-damaged", "pips-differ")
    return _pose_of(pips, pose, pattern)


def _pose_of(pips, pose, pattern):
    """The pose of a face with these pips, as a single one at a pose is turned."""
    if len(pips) == 1:
        return Pose(pips[0].x, pips[0].y, pose.side, pose.angle)
    return similarity([(pip.x, pip.y) for pip in pips], pattern)[0]


def is_speck(mass):
    """Whether a spot of so many areas of a calibrated pip is too small for one."""
    return mass < _SURE[0]


def is_sure(mass):
    """Whether a spot of so many areas of a calibrated pip is of a pip's size."""
    return _SURE[0] < mass < _SURE[1]


def weigh_pips(gatherer, pose, pattern):
    """A Spot of each pip: the light in the darkest composite over that of its face, in areas of a calibrated
    pip, and where its middle is."""
    profile = gatherer.profile
    count = len(pattern)
    body, lights = _lights(gatherer, gatherer.low, pose, pattern)
    strength = profile.pip_light * sum(gatherer.exposures) / profile.lamps / least_light(0, 0, profile)
    pips = []
    for place, (at_x, at_y, light) in zip(pattern, lights):
        x, y = pose.place(*place)
        middle = x + gatherer.left - profile.platform[0], y + gatherer.top - profile.platform[1]
        full = strength * least_light(middle[0], middle[1], profile) - body
        pips.append(Spot(at_x, at_y, light / (max(full, 1) * profile.masses[count])))
    return pips


def amid_lamps(gatherer, pose, pattern):
    """The pose, moved to where pips are that are bowls: off the middle of the platform their light in the
    darkest composite lies to one side, and that in the brightest to the other."""
    planes = [_lights(gatherer, plane, pose, pattern)[1] for plane in (gatherer.low, gatherer.high)]
    x = y = 0
    for plane in planes:
        for place, (at_x, at_y, _) in zip(pattern, plane):
            pip_x, pip_y = pose.place(*place)
            x += at_x - pip_x
            y += at_y - pip_y
    both = 2 * len(pattern)
    return Pose(pose.x + x / both, pose.y + y / both, pose.side, pose.angle)


def _lights(gatherer, plane, pose, pattern):
    """(level of the face in a composite, [(x, y of its middle, sum) of the light of each pip over that])."""
    body = levels(plane, gatherer.columns, pose, pattern)[0]
    reach = gatherer.profile.radii[len(pattern)] * gatherer.profile.side + _EDGE
    rows, columns = (gatherer.columns, gatherer.rows), (1, gatherer.columns)
    lights = []
    for place in pattern:
        x, y = pose.place(*place)
        light, at_y = _middle(plane, rows, columns, y, x, reach, ceil(body))
        _, at_x = _middle(plane, columns, rows, x, y, reach, ceil(body))
        lights.append((at_x, at_y, light))
    return body, lights


def _middle(plane, across, along, at, beside, reach, body):
    """(sum, mean place) of what is over the level `body` in the lines within `reach` of the place `at` across
    them and `beside` along them; across, along: (stride, number) of lines, and of levels in a line."""
    stride, lines = across
    step, length = along
    total = moment = 0
    for line in range(max(0, ceil(at - reach)), min(lines, floor(at + reach) + 1)):
        half = max(0, reach * reach - (line - at) ** 2) ** 0.5  # rounding may leave less than nothing
        start, end = max(0, ceil(beside - half)), min(length, floor(beside + half) + 1)
        light = sum_over(plane, line * stride + start * step, line * stride + end * step, step, body)
        total += light
        moment += light * line
    return total, moment / total if total else at
