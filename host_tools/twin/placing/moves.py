"""Moves of one die: turn it, lean it, slide it until it touches. Angles in radians, azimuths from x.

Distances of convex bodies along a straight move fall, then rise; so where a die comes to touch is found by
bisection.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import permutations, product

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from host_tools.twin.machine import Machine
from host_tools.twin.scene import Die, Thing, rows
from host_tools.twin.solid import core, lowest

Array = NDArray[np.float64]

_GREY = 0.3
_STEPS = 44  # halvings: from a platform's width to below a picometre


def _orientations() -> list[Array]:
    """The 24 ways to set a cube on a table with its sides along x and y."""
    found = []
    for order in permutations(range(3)):
        for signs in product((-1.0, 1.0), repeat=3):
            matrix = np.zeros((3, 3))
            matrix[range(3), order] = signs
            if np.linalg.det(matrix) > 0:
                found.append(matrix)
    return found


_ORIENTATIONS = _orientations()


def about_z(angle: float) -> Array:
    """Rotation about the vertical."""
    c, s = math.cos(angle), math.sin(angle)
    return np.array([(c, -s, 0), (s, c, 0), (0, 0, 1)])


def direction(azimuth: float) -> Array:
    """The horizontal unit vector of an azimuth, 3."""
    return np.array((math.cos(azimuth), math.sin(azimuth), 0.0))


def any_azimuth(rng: Generator) -> float:
    return float(rng.uniform(0, 2 * math.pi))


def flat(machine: Machine, rng: Generator, yaw: float) -> Die:
    """A die flat in the middle, every face equally likely; its sides stand at `yaw` and square to it."""
    matrix = about_z(yaw) @ _ORIENTATIONS[rng.integers(24)]
    half = machine.die_edge / 2
    return Die(machine.die_edge, (0.0, 0.0, half), rows(matrix), rounding=machine.die_rounding)


def shifted(die: Die, by: Sequence[float] | Array) -> Die:
    x, y, z = (float(c + d) for c, d in zip(die.centre, by, strict=True))
    return replace(die, centre=(x, y, z))


def raised(die: Die, height: float) -> Die:
    """The die moved up or down until its lowest point is at `height`."""
    return shifted(die, (0, 0, height - lowest(die)))


def leaned(die: Die, azimuth: float, tilt: float) -> Die:
    """The die on the floor, its upper face leaning towards `azimuth` by `tilt`."""
    turn = about_z(azimuth)
    c, s = math.cos(tilt), math.sin(tilt)
    lean = turn @ np.array([(c, 0, s), (0, 1, 0), (-s, 0, c)]) @ turn.T
    return raised(replace(die, rotation=rows(lean @ die.matrix())), 0)


def turned_about_middle(body: Die | Thing, angle: float) -> Die | Thing:
    """A body carried around the platform's middle by `angle`."""
    turn = about_z(angle)
    x, y, z = (float(value) for value in turn @ np.array(body.centre))
    if isinstance(body, Thing):
        return replace(body, centre=(x, y, z))
    return replace(body, centre=(x, y, z), rotation=rows(turn @ body.matrix()))


def touching(die: Die, towards: Array, far: float, gap_of: Callable[[Die], float], gap: float) -> Die:
    """The die moved along `towards` until `gap_of` it is `gap`, at most `far` mm."""
    near = 0.0
    for _ in range(_STEPS):
        middle = (near + far) / 2
        if gap_of(shifted(die, middle * towards)) > gap:
            near = middle
        else:
            far = middle
    return shifted(die, near * towards)


def bead_under(die: Die, tilt: float, along: float, aside: float) -> Thing:
    """The ball on the floor that holds up a die leaning by `tilt` towards minus x.

    It touches the face underneath `along` (0..1 of the core's edge) from the die's lowest edge, `aside` mm
    from that edge's middle.
    """
    corners = core(die)
    foot = corners[np.argsort(corners[:, 2])[:2]].mean(0)
    reach = along * (die.edge - 2 * die.rounding)
    c, s = math.cos(tilt), math.sin(tilt)
    radius = (die.rounding * (1 - c) + reach * s) / (1 + c)
    out = reach * c + (die.rounding + radius) * s
    centre = foot + out * direction(0) + aside * direction(math.pi / 2)
    return Thing((float(centre[0]), float(centre[1]), radius), radius, _GREY)
