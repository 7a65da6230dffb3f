"""Part `bridge`: the bridge's process is killed (SIGKILL) at random moments, and started again each time."""

import shutil
import traceback
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

from host_tools.faults.live import Sitting

FULL = 1000  # kills
_A_SITTING = 100  # kills on one ledger
_LONGEST_S = 1.5  # of a life


def run(seed: int, size: int, out: Path, scratch: Path) -> dict[str, Any]:
    """`size` kills, in covered and open play by turns."""
    del out
    total: Counter[str] = Counter()
    broken = []
    for number, begun in enumerate(range(0, size, _A_SITTING)):
        kills = min(_A_SITTING, size - begun)
        try:
            total.update(
                _sit(f"{seed}/{number}", ("covered", "open")[number % 2], kills, scratch / str(number))
            )
        except Exception as error:  # whatever it is, it is the sitting's result
            broken.append(
                {"sitting": f"{seed}/{number}", "why": repr(error), "trace": traceback.format_exc()}
            )
    return {"part": "bridge", **total, "broken": broken}


def _sit(seed: str, mode: str, kills: int, folder: Path) -> Counter[str]:
    rng = Random(seed)
    with Sitting(folder, str(folder / "ledger.db"), mode, seed) as sitting:
        for _ in range(kills):
            opening = rng.random() < 0.1  # it may not even have opened its store
            bridge = sitting.start_blindly() if opening else sitting.start()
            bridge.join(rng.uniform(0, _LONGEST_S))
            sitting.kill(bridge)
    figures = sitting.figures
    shutil.rmtree(folder)
    counts = ("records", "rounds", "wagers", "withdrawn", "refused", "asked_again")
    return Counter(
        {
            "kills": kills,
            **{name: figures[name] for name in counts},
            **figures["verdicts"],
        }
    )
