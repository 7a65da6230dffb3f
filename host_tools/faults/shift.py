"""A shift at a simulated table, all from one seed: hours of virtual rounds while everything is broken."""

import shutil
from pathlib import Path
from random import Random
from typing import Any

from host_tools.faults.adversary import Adversary
from host_tools.faults.house import HostKilled
from host_tools.faults.simulation import Simulation
from host_tools.faults.virtual_time import run_virtually


def play_shift(seed: str, hours: float, folder: Path) -> dict[str, Any]:
    """Play and judge a shift in the new folder `folder`, which is then removed; what was done, in numbers.

    Raises PromiseBroken, or whatever the product raised; the folder then stays."""
    folder.mkdir(parents=True)
    figures = run_virtually(_Shift(Random(seed), hours * 3600, folder).run(), expected=HostKilled)
    shutil.rmtree(folder)
    return figures


class _Shift(Simulation):
    """A table in an adversary's hands."""

    def __init__(self, rng: Random, seconds: float, folder: Path) -> None:
        super().__init__(rng, rng.choice(("covered", "open")), folder)
        self.resets = rng.random() < 0.2
        self.damage.share = rng.choice((0.0, rng.uniform(0, 0.3)))
        self._seconds = seconds
        self._adversary = Adversary(self)

    async def trouble(self) -> None:
        """See Simulation."""
        await self._adversary.run(self._seconds)

    def pause(self) -> float:
        """See Simulation."""
        return self._adversary.pause()

    def figures(self) -> dict[str, Any]:
        """See Simulation."""
        return {**super().figures(), "faults": dict(self._adversary.done)}
