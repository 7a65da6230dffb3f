"""Part `table`: shift after shift at a simulated table until so many table-hours are played.

Each shift follows from the seed and its number alone. What each came to is a line of a file, so that a
campaign that was stopped goes on where it was.
"""

import json
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from host_tools.faults.shift import play_shift

HOURS = 2.0  # a shift
FULL = 2000  # table-hours

_LINES = "shifts.jsonl"
_COUNTS = (
    *("records", "rounds", "wagers", "withdrawn", "refused", "boots", "torn_operations", "host_lives"),
    *("asked_again", "damaged_frames"),
)


def run(seed: int, size: int, out: Path, scratch: Path) -> dict[str, Any]:
    """Play `size` table-hours, a line of `out`/shifts.jsonl each shift; `scratch` holds the ledgers."""
    out.mkdir(parents=True, exist_ok=True)
    lines = out / _LINES
    done = [json.loads(line) for line in lines.read_text().splitlines()] if lines.exists() else []
    for number in range(len(done), round(size / HOURS)):
        done.append(_play(f"{seed}/{number}", scratch))
        with lines.open("a") as file:
            print(json.dumps(done[-1]), file=file)
    return summary(done)


def _play(seed: str, scratch: Path) -> dict[str, Any]:
    try:
        return {"shift": seed, **play_shift(seed, HOURS, scratch / seed.replace("/", "-"))}
    except Exception as error:  # whatever it is, it is the shift's result
        return {"shift": seed, "broken": f"{type(error).__name__}: {error}", "trace": traceback.format_exc()}


def summary(shifts: list[dict[str, Any]]) -> dict[str, Any]:
    """All shifts together; `broken` lists those that went wrong, each with the seed that plays it again."""
    sound = [each for each in shifts if "broken" not in each]
    return {
        "part": "table",
        "shifts": len(shifts),
        "table_hours": len(shifts) * HOURS,
        **{name: sum(each[name] for each in sound) for name in _COUNTS},
        **{name: dict(_total(each[name] for each in sound)) for name in ("verdicts", "faults")},
        "broken": [{"shift": each["shift"], "why": each["broken"]} for each in shifts if "broken" in each],
    }


def _total(counts: Iterator[dict[str, int]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for each in counts:
        total.update(each)
    return total
