"""Wagers settled a second and core, from arrays and objects, against a plain loop; loading rulebooks.

`ratio` is how many times faster ours is. Loading is compared with parsing the same files unchecked.
"""

import random
import time
import tomllib
from collections.abc import Callable
from typing import Any

import numpy as np

from host_tools.rulebooks import DATA, load_rulebook, read_rulebook
from host_tools.settlement import Outcome, PayoffTable, Wager, open_table, settle, settle_wager

_OUTCOME = Outcome((1, 2, 6))
_CHIPS = ("1", "2", "5", "10", "20", "25", "50", "100", "200", "500")
_ROUND = 20_000


def run() -> list[dict[str, Any]]:
    """Rows {"bench", "what", "ours", "baseline", "ratio", "unit"}."""
    table = open_table(load_rulebook("mbs-electronic-sic-bo-v4"), "rapid-select", chip_unit="1")
    chance = random.Random(1)
    offered = list(table.layout.offers)
    wagers = [
        Wager(f"wager-{number}", chance.choice(offered), chance.choice(_CHIPS)) for number in range(_ROUND)
    ]
    plain = _ROUND / _seconds(lambda: [settle_wager(table, _OUTCOME, wager) for wager in wagers])
    objects = _ROUND / _seconds(lambda: settle(table, _OUTCOME, wagers))

    payoffs = PayoffTable(table)
    numbers = payoffs.numbers(wager.wager for wager in wagers)
    stakes = np.array([int(wager.stake) * 100 for wager in wagers], dtype=np.int64)
    arrays = _ROUND / _seconds(lambda: payoffs.settle(_OUTCOME, numbers, stakes), times=50)

    files = sorted(DATA.glob("*.toml"))
    parsing = _seconds(lambda: [tomllib.loads(file.read_text(encoding="utf-8")) for file in files])
    loading = _seconds(lambda: [read_rulebook(file) for file in files])
    return [
        _row("arrays, a round of 20,000; loop over settle_wager", arrays, plain, arrays / plain),
        _row("objects, a round of 20,000; loop over settle_wager", objects, plain, objects / plain),
        _row(
            "load all rulebooks, checked; tomllib alone",
            1000 * loading,
            1000 * parsing,
            parsing / loading,
            "ms",
        ),
    ]


def _seconds(work: Callable[[], object], times: int = 20) -> float:
    """The least processor time of a few repetitions; other processes on the machine do not count."""
    spent = []
    for _ in range(times):
        begin = time.process_time()
        work()
        spent.append(time.process_time() - begin)
    return min(spent)


def _row(what: str, ours: float, baseline: float, ratio: float, unit: str = "wagers/s") -> dict[str, Any]:
    return {
        "bench": "settlement",
        "what": what,
        "ours": round(ours, 1),
        "baseline": round(baseline, 1),
        "ratio": round(ratio, 2),
        "unit": unit,
    }
