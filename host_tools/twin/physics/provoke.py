"""Rare rests made by the same physics: debris, dice set on edge against the glass, dice dropped on dice.

What comes of it is up to the physics, often nothing; only `host_tools.twin.truth` says what it is.
"""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.random import Generator

from host_tools.twin.errors import UnknownCategory
from host_tools.twin.machine import Machine
from host_tools.twin.physics.tumbler import Tumbler
from host_tools.twin.physics.watch import Tumble
from host_tools.twin.placing import place
from host_tools.twin.placing.moves import direction, leaned, shifted, touching
from host_tools.twin.scene import Die, Scene, Thing
from host_tools.twin.solid import footprint_gap, thing_gap, wall_gap

_BEADS = 6
_BEAD_RADII = (0.3, 2.0)  # mm
_DROP = 0.4  # of the edge: greatest height of a drop


def provoke(kind: str, machine: Machine, seed: int) -> Tumble:
    """What comes of one of `PROVOKED`; the same seed, the same. Errors: `UnknownCategory`, as `Tumbler`."""
    if kind not in _KINDS:
        raise UnknownCategory(f"no way to provoke {kind!r}: take one of {', '.join(PROVOKED)}")
    return _KINDS[kind](machine, np.random.default_rng(seed))


def _debris(machine: Machine, rng: Generator) -> Tumble:
    """A tumble among beads that stick to the platform."""
    scene = place("flat", machine, rng)
    beads: list[Thing] = []
    while len(beads) < _BEADS:
        bead = _bead(machine, rng)
        if all(thing_gap(die, bead) > 0 for die in scene.dice):
            beads.append(bead)
    return _tumbler(machine, rng, replace(scene, things=tuple(beads))).tumble(4)


def _bead(machine: Machine, rng: Generator) -> Thing:
    radius = float(rng.uniform(*_BEAD_RADII))
    out = (machine.platform_radius - radius) * math.sqrt(rng.uniform())
    x, y, _ = (float(value) for value in out * direction(rng.uniform(0, 2 * math.pi)))
    return Thing((x, y, radius), radius, float(rng.uniform(0.05, 0.9)))


def _on_edge(machine: Machine, rng: Generator) -> Tumble:
    """A die set on its edge against the glass of a machine that grips and does not bounce."""
    gripping = replace(machine, friction_glass=0.6, friction_platform=0.7, restitution=0.02)
    scene = place("flat", machine, rng)
    azimuth = float(rng.uniform(0, 2 * math.pi))
    lean = azimuth + math.pi + math.radians(rng.normal(0, 5))
    die = leaned(_in_the_middle(scene.dice[0]), lean, math.radians(rng.uniform(20, 44)))
    radius = machine.platform_radius
    die = touching(die, direction(azimuth), 2 * radius, lambda moved: wall_gap(moved, radius), 0.0)
    others = tuple(other for other in scene.dice[1:] if footprint_gap(die, other) > 0)
    return _tumbler(gripping, rng, replace(scene, dice=(die, *others))).tumble(0)


def _drop(machine: Machine, rng: Generator) -> Tumble:
    """One die let fall on another."""
    scene = place("flat", machine, rng)
    below = scene.dice[0]
    offset = 0.6 * machine.die_edge * math.sqrt(rng.uniform()) * direction(rng.uniform(0, 2 * math.pi))
    height = machine.die_edge * (1 + _DROP * rng.uniform())
    upper = leaned(scene.dice[-1], rng.uniform(0, 2 * math.pi), math.radians(rng.uniform(0, 15)))
    dropped = shifted(_in_the_middle(upper), (*(offset[:2] + below.centre[:2]), height))
    return _tumbler(machine, rng, replace(scene, dice=(*scene.dice[:-1], dropped))).tumble(0)


def _weak(machine: Machine, rng: Generator) -> Tumble:
    """Two strokes too weak to tumble."""
    return _tumbler(machine, rng, place("flat", machine, rng)).tumble(
        2, machine.force * rng.uniform(0.3, 0.5)
    )


def _in_the_middle(die: Die) -> Die:
    x, y, _ = die.centre
    return shifted(die, (-x, -y, 0))


def _tumbler(machine: Machine, rng: Generator, scene: Scene) -> Tumbler:
    return Tumbler(machine, int(rng.integers(2**32)), scene)


_KINDS: dict[str, Callable[[Machine, Generator], Tumble]] = {
    "debris": _debris,
    "edge-at-wall": _on_edge,
    "die-on-die": _drop,
    "weak-strokes": _weak,
}
PROVOKED = tuple(_KINDS)
