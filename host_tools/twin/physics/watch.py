"""What a tumble looked like from outside, told from the log of its steps: gates, vibration, turns."""

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from host_tools.twin.machine import Machine
from host_tools.twin.physics.world import DRIVE, STEP_US
from host_tools.twin.scene import Scene
from host_tools.twin.truth import up_face

Array = NDArray[np.float64]
Edge = tuple[str, bool, int]  # gate, level, microseconds since the tumble began

WINDOW_US = 5_000  # of vibration samples: the step of the virtual board's plant
_BASE_KG = 4.0  # of the machine's base, which carries the accelerometer: a guess
_RANGE_MG = 16_000  # where an LIS3DH saturates
_NOISE_MG = 5


class Outcome(StrEnum):
    """How a tumble ended."""

    AT_REST = "at-rest"
    NEVER_AT_REST = "never-at-rest"
    ESCAPED = "escaped"


@dataclass(frozen=True, slots=True)
class Tumble:
    """One tumble. Times in microseconds since its first push.

    `edges`: of both gates in order of time; `vibration`: rows of time and the peak in milli-g of the 5 ms
    that end then; `rest_us`: when the last die stopped, None unless all did; `lasted_us`: simulated time;
    `before`, `after`: scenes, of which `after` is in motion if the dice never came to rest, and where a hand
    put them back if they escaped; `turns`: of each die, the angle it passed through, in whole turns;
    `highest`: of any die's centre, mm.
    """

    outcome: Outcome
    edges: tuple[Edge, ...]
    vibration: NDArray[np.int64]
    rest_us: int | None
    lasted_us: int
    before: Scene
    after: Scene
    turns: tuple[float, ...]
    highest: float

    @property
    def faces_before(self) -> tuple[int, ...]:
        return tuple(up_face(die) for die in self.before.dice)

    @property
    def faces(self) -> tuple[int, ...]:
        """The faces that look up at the end, in the order of the dice."""
        return tuple(up_face(die) for die in self.after.dice)


def edges(machine: Machine, travel: Array) -> tuple[Edge, ...]:
    """When the platform's vane passed the gates. `travel`: mm at every step, the first at time 0."""
    gates = (("stroke-gate", machine.gate_height), ("stroke-top", machine.gate_height + machine.gate_gap))
    found = [edge for gate, height in gates for edge in _crossings(gate, height, travel)]
    return tuple(sorted(found, key=lambda edge: edge[2]))


def _crossings(gate: str, height: float, travel: Array) -> list[Edge]:
    above = travel > height
    steps = np.nonzero(above[1:] != above[:-1])[0]
    part = (height - travel[steps]) / (travel[steps + 1] - travel[steps])
    times = np.rint((steps + part) * STEP_US)
    return [(gate, bool(above[i + 1]), int(t)) for i, t in zip(steps, times, strict=True)]


def vibration(masses: Array, velocity: Array) -> NDArray[np.int64]:
    """What the accelerometer on the base feels: all that moves pushes against the base.

    `masses`: kg of platform and other bodies; `velocity`: steps x bodies x 3, m/s.
    """
    momentum = (velocity * masses[:, None]).sum(1)
    force = np.diff(momentum, axis=0, prepend=momentum[:1]) / (STEP_US / 1e6)
    felt = np.linalg.norm(force, axis=1) / _BASE_KG / 9.81 * 1000
    size = WINDOW_US // STEP_US
    count = len(felt) // size
    peaks = felt[: count * size].reshape(count, size).max(1) if count else np.zeros(0)
    levels = np.clip(np.rint(peaks), _NOISE_MG, _RANGE_MG)
    return np.stack([np.arange(1, count + 1) * WINDOW_US, levels], 1).astype(np.int64)


def turns(rotation: Array) -> tuple[float, ...]:
    """Turns of each die. `rotation`: steps x dice x 3, rad/s."""
    passed = np.linalg.norm(rotation, axis=2).sum(0) * (STEP_US / 1e6) / (2 * np.pi)
    return tuple(float(each) for each in passed)


def dice(qvel: Array) -> Array:
    """The dice's part of a log of velocities: steps x dice x 6, first m/s, then rad/s."""
    return qvel[:, DRIVE:].reshape(len(qvel), -1, 6)
