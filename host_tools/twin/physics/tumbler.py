"""A machine that tumbles its dice again and again, each time from where they lie.

The same machine, seed and strokes give the same tumbles on the same build of the engine.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from host_tools.twin.errors import ImpossibleMachine
from host_tools.twin.machine import Machine
from host_tools.twin.physics import watch
from host_tools.twin.physics.drive import pushes
from host_tools.twin.physics.watch import Outcome, Tumble
from host_tools.twin.physics.world import DRIVE, FREE, STEP_US, build, engine
from host_tools.twin.placing import place
from host_tools.twin.scene import Die, Scene, rows, vector

Array = NDArray[np.float64]

_CHUNK = 100  # steps between looks at whether all is still: 25 ms
_STILL_CHUNKS = 3
_STILL_SPEED = 0.006  # m/s
_STILL_TURN = 0.5  # rad/s
_PATIENCE = 6_000_000 // STEP_US  # steps after the last stroke
_GRAVITY = 9.81


@dataclass(frozen=True, slots=True)
class Mark:
    """A tumbler's whole state, to come back to."""

    state: Array
    random: dict[str, Any]


class Tumbler:
    """A simulated machine. It starts with `scene` at rest, or with its dice flat at random places.

    Foreign objects of the scene stick to the platform where they are.
    """

    def __init__(self, machine: Machine, seed: int, scene: Scene | None = None) -> None:
        self.machine = machine
        self._rng = np.random.default_rng(seed)
        self._engine = engine()
        scene = place("flat", machine, self._rng) if scene is None else scene
        self._scene = scene
        self._model = build(machine, len(scene.dice), scene.things)
        self._data = self._engine.MjData(self._model)
        self._masses = np.array(self._model.body_mass)[1:]
        self._put(scene)

    @property
    def scene(self) -> Scene:
        """What lies or moves on the platform now. It leans a little under the dice, to 0.15 degrees."""
        return self._scene

    def tumble(self, strokes: int, force: float | None = None) -> Tumble:
        """Do `strokes` (0 lets things settle) of `force` N, the machine's unless given; wait for rest, at
        most 6 s after the last. Errors: `ImpossibleMachine` for a force or count that cannot be."""
        force = self.machine.force if force is None else force
        if not 0 < force < 1000:
            raise ImpossibleMachine("force", f"must be above 0 and below 1000 N, not {force}")
        if not 0 <= strokes <= 100:
            raise ImpossibleMachine("strokes", f"must be from 0 to 100, not {strokes}")
        before = self._scene
        load = float(self._masses.sum()) * _GRAVITY
        log = self._run(pushes(self.machine, strokes, force, load, self._rng))
        outcome = self._outcome(log)
        if outcome is Outcome.ESCAPED:
            self._put_back()
        self._scene = self._seen()
        return self._told(outcome, log, before)

    def mark(self) -> Mark:
        """The state now, for `back`."""
        kind = self._engine.mjtState.mjSTATE_INTEGRATION
        state = np.empty(self._engine.mj_stateSize(self._model, kind))
        self._engine.mj_getState(self._model, self._data, state, kind)
        return Mark(state, dict(self._rng.bit_generator.state))

    def back(self, mark: Mark) -> None:
        """Return to a mark of this tumbler: what was tumbled since has not been."""
        kind = self._engine.mjtState.mjSTATE_INTEGRATION
        self._engine.mj_setState(self._model, self._data, mark.state, kind)
        self._rng.bit_generator.state = mark.random
        self._scene = self._seen()

    # --- bodies in and out of the engine

    def _put(self, scene: Scene) -> None:
        self._engine.mj_resetData(self._model, self._data)
        for at, die in zip(self._places(), scene.dice, strict=True):
            at[:3] = np.array(die.centre) / 1000
            self._engine.mju_mat2Quat(at[3:], die.matrix().ravel())

    def _places(self) -> Array:
        """A view of the engine's places of dice: dice x `FREE`."""
        return self._data.qpos[DRIVE:].reshape(-1, FREE)

    def _seen(self) -> Scene:
        places = zip(self._scene.dice, self._places(), strict=True)
        return replace(self._scene, dice=tuple(self._die(die, at) for die, at in places))

    def _die(self, die: Die, at: Array) -> Die:
        matrix = np.empty(9)
        self._engine.mju_quat2Mat(matrix, at[3:])
        return replace(die, centre=vector(at[:3] * 1000), rotation=rows(matrix.reshape(3, 3)))

    def _put_back(self) -> None:
        """A hand puts dice that escaped back."""
        self._put(place("flat", replace(self.machine, dice=len(self._scene.dice)), self._rng))

    # --- running

    def _run(self, drive: Array) -> "_Log":
        log = _Log(self._model.nq, self._model.nv, len(drive) + _PATIENCE)
        still = 0
        while log.count < len(drive) + _PATIENCE and still < _STILL_CHUNKS:
            first = log.count
            self._steps(drive[first : first + _CHUNK], log)
            if not self._inside():
                break
            quiet = log.count > len(drive) and self._quiet(log.qvel[first : log.count])
            still = still + 1 if quiet else 0
        log.end_where_it_broke()
        return log

    def _steps(self, drive: Array, log: "_Log") -> None:
        step, model, data = self._engine.mj_step, self._model, self._data
        force, qpos, qvel = data.qfrc_applied, data.qpos, data.qvel
        for i in range(_CHUNK):
            force[:DRIVE] = drive[i] if i < len(drive) else 0.0
            step(model, data)
            log.qpos[log.count] = qpos
            log.qvel[log.count] = qvel
            log.count += 1

    def _inside(self) -> bool:
        centres = self._places()[:, :3]
        reach = self.machine.platform_radius / 1000
        return bool(
            np.isfinite(self._data.qpos).all()
            and np.hypot(centres[:, 0], centres[:, 1]).max(initial=0) < reach
            and centres[:, 2].min(initial=0) > -reach / 10
            and centres[:, 2].max(initial=0) < self.machine.dome_height / 1000
        )

    def _quiet(self, qvel: Array) -> bool:
        moving = watch.dice(qvel)
        return bool(
            np.linalg.norm(moving[..., :3], axis=-1).max(initial=0) < _STILL_SPEED
            and np.linalg.norm(moving[..., 3:], axis=-1).max(initial=0) < _STILL_TURN
        )

    def _outcome(self, log: "_Log") -> Outcome:
        if not self._inside():
            return Outcome.ESCAPED
        last = log.qvel[max(0, log.count - _STILL_CHUNKS * _CHUNK) : log.count]
        return Outcome.AT_REST if self._quiet(last) else Outcome.NEVER_AT_REST

    def _told(self, outcome: Outcome, log: "_Log", before: Scene) -> Tumble:
        qpos, qvel = log.qpos[: log.count], log.qvel[: log.count]
        moving = watch.dice(qvel)
        platform = np.zeros((log.count, 1, 3))
        platform[:, 0, 2] = qvel[:, 0]
        rest_us = (log.count - _STILL_CHUNKS * _CHUNK) * STEP_US
        heights = qpos[:, DRIVE:].reshape(log.count, -1, FREE)[..., 2]
        return Tumble(
            outcome=outcome,
            edges=watch.edges(self.machine, qpos[:, 0] * 1000),
            vibration=watch.vibration(self._masses, np.concatenate([platform, moving[..., :3]], 1)),
            rest_us=rest_us if outcome is Outcome.AT_REST else None,
            lasted_us=log.count * STEP_US,
            before=before,
            after=self._scene,
            turns=watch.turns(moving[..., 3:]),
            highest=float(heights.max(initial=0)) * 1000,
        )


class _Log:
    """Places and velocities after every step."""

    def __init__(self, nq: int, nv: int, steps: int) -> None:
        self.count = 0
        self.qpos = np.empty((steps + _CHUNK, nq))
        self.qvel = np.empty((steps + _CHUNK, nv))

    def end_where_it_broke(self) -> None:
        """Forget what came after numbers that are none."""
        sound = np.isfinite(self.qvel[: self.count]).all(1) & np.isfinite(self.qpos[: self.count]).all(1)
        if not sound.all():
            self.count = int(np.argmin(sound))
