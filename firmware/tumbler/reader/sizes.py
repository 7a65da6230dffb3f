"""How large the light pips of a dark face are, by the light that each adds to the face and not by its pixels.

A pip of seven pixels can be counted to no better than a third; the light in it and about its edge is the same
wherever its middle lies between the pixels.
"""

from math import ceil

from .kernels import sum_over
from .pips import levels
from .refusal import Refused
from .tilt import least_light

_EDGE = 0.6  # pixels beyond a pip's edge within which its light is summed up; farther out is its neighbour's
_SURE = 0.4, 2.0  # areas of a calibrated pip within which a spot is surely one
_ALIKE = 1.27  # how many times as large as its smallest pip a face's largest may be; whole dice show 1.19


def check_sizes(gatherer, pose, pattern):
    """Refused when a pip of a dark face is too small or too large for one, or they differ: a chip cuts a pip
    or joins it."""
    masses = pip_masses(gatherer, pose, pattern)
    if not all(map(is_sure, masses)):
        raise Refused("unreadable", "faint-spot")
    if max(masses) > _ALIKE * min(masses):
        raise Refused("die-damaged", "pips-differ")


def is_sure(mass):
    """Whether a spot of so many areas of a calibrated pip is of a pip's size."""
    return _SURE[0] < mass < _SURE[1]


def pip_masses(gatherer, pose, pattern):
    """The light of each pip in the darkest composite over that of its face, in areas of a calibrated pip."""
    profile = gatherer.profile
    count = len(pattern)
    body = levels(gatherer.low, gatherer.columns, pose, pattern)[0]
    strength = profile.pip_light * sum(gatherer.exposures) / profile.lamps / least_light(0, 0, profile)
    reach = profile.radii[count] * profile.side + _EDGE
    masses = []
    for u, v in pattern:
        x, y = pose.place(u, v)
        middle = x + gatherer.left - profile.platform[0], y + gatherer.top - profile.platform[1]
        full = strength * least_light(middle[0], middle[1], profile) - body
        masses.append(_light(gatherer, x, y, reach, body) / (max(full, 1) * profile.masses[count]))
    return masses


def _light(gatherer, x, y, reach, body):
    """Sum of what is lighter than the face within so many pixels of a place."""
    total = 0
    for row in range(max(0, ceil(y - reach)), min(gatherer.rows, int(y + reach) + 1)):
        half = (reach * reach - (row - y) ** 2) ** 0.5
        at = row * gatherer.columns
        start, end = max(0, ceil(x - half)), min(gatherer.columns, int(x + half) + 1)
        total += sum_over(gatherer.low, at + start, at + end, ceil(body))
    return total
