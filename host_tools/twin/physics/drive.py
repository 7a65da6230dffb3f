"""What the drive does: the push of each stroke, with its jitter, as force and torques of every step."""

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from host_tools.twin.machine import Machine
from host_tools.twin.physics.world import DRIVE, STEP_US

Array = NDArray[np.float64]


def pushes(machine: Machine, strokes: int, force: float, load: float, rng: Generator) -> Array:
    """Newton and newton metres on the platform, steps x `DRIVE`, up to where the next stroke would begin.

    `load`: the weight in N that the push carries besides. Each stroke draws its numbers in turn, so fewer
    strokes begin like more.
    """
    parts = [_stroke(machine, force, load, rng) for _ in range(strokes)]
    return np.concatenate(parts) if parts else np.zeros((0, DRIVE))


def _stroke(machine: Machine, force: float, load: float, rng: Generator) -> Array:
    strength, longer, later = rng.uniform(-1, 1, 3)
    out, azimuth = machine.off_centre / 1000 * np.sqrt(rng.uniform()), rng.uniform(0, 2 * np.pi)
    lasts = machine.pulse + machine.pulse_jitter * longer
    period = machine.stroke_period + machine.period_jitter * later
    push = force * (1 + machine.force_jitter * strength) + load
    share = np.clip(lasts * 1000 / STEP_US - np.arange(round(period * 1000 / STEP_US)), 0, 1)
    lever = np.array([1.0, out * np.sin(azimuth), -out * np.cos(azimuth)])
    return push * share[:, None] * lever
