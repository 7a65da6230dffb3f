"""A scripted day of rounds at a simulated table, played again and again, the power cut elsewhere each time.

Nothing else goes wrong. First it is counted how many operations of the flash the day has; then the power goes
in each of them, and once more in each of the first operations after that.
"""

import shutil
from pathlib import Path
from random import Random
from typing import Any

from host_tools.faults.house import HostKilled
from host_tools.faults.simulation import Simulation
from host_tools.faults.virtual_time import run_virtually

ROUNDS = 2  # a day
RECOVERY = 8  # operations after a cut in which the power goes again
_SPARSE = 13  # below the full size, of so many operations one has its recovery cut


def cut_everywhere(seed: int, rounds: int, scratch: Path) -> dict[str, Any]:
    """Days of `rounds` rounds in all: how many operations, cuts and cuts in recoveries; `broken` lists those
    after which something was wrong."""
    figures: dict[str, Any] = {"rounds": 0, "operations": 0, "cuts": 0, "cuts_in_recovery": 0, "broken": []}
    full = rounds > ROUNDS
    for number in range(-(-rounds // ROUNDS)):
        mode = ("covered", "open")[number % 2]
        day = f"{seed}/{number}"
        operations = _play(day, mode, [], scratch)["operations"]
        figures["rounds"] += ROUNDS
        figures["operations"] += operations
        for first in range(1, operations + 1):
            _try(figures, "cuts", day, mode, [first], scratch)
            if full or first % _SPARSE == 0:
                for second in range(1, RECOVERY + 1):
                    _try(figures, "cuts_in_recovery", day, mode, [first, second], scratch)
    return figures


def _try(  # noqa: PLR0913, PLR0917 - a day and its cuts
    figures: dict[str, Any], kind: str, day: str, mode: str, cuts: list[int], scratch: Path
) -> None:
    figures[kind] += 1
    try:
        _play(day, mode, cuts, scratch)
    except Exception as error:  # whatever it is, these cuts have brought it about
        figures["broken"].append({"day": day, "mode": mode, "cuts": cuts, "why": repr(error)})


def _play(seed: str, mode: str, cuts: list[int], scratch: Path) -> dict[str, Any]:
    folder = scratch / "day"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return run_virtually(_Day(seed, mode, cuts, folder).run(), expected=HostKilled)


class _Day(Simulation):
    """`cuts`: at which operation of the flash the power goes in each boot."""

    def __init__(self, seed: str, mode: str, cuts: list[int], folder: Path) -> None:
        super().__init__(Random(seed), mode, folder)
        self.world.calm = True
        self.device.cuts = list(cuts)
        self.device.tears = Random(f"{seed} {cuts}")

    async def trouble(self) -> None:
        """See Simulation."""
        await self.server.concluded(ROUNDS)

    def pause(self) -> float:
        """See Simulation."""
        return 0.2

    def figures(self) -> dict[str, Any]:
        """See Simulation."""
        return {**super().figures(), "operations": self.device.operations}
