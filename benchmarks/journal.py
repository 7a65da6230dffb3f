"""The journal: what a durable record costs its flash; `ratio` is ours / baseline.

Baseline: one littlefs file that grows by a closed append a record, the simplest thing that is as durable.
"""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MICROPYTHON = Path(sys.executable).with_name("micropython")
_WHAT = (
    ("erases", "erases a record of 350 bytes; one growing file", "4 KiB blocks"),
    ("programmed", "programmed a record of 350 bytes; one growing file", "bytes"),
    ("us", "append on MicroPython to RAM flash; one growing file", "us"),
)


def run() -> list[dict]:
    """Rows {"bench", "what", "ours", "baseline", "ratio", "unit"}."""
    command = [MICROPYTHON, "-X", "heapsize=6m", "benchmarks/micropython/journal_rounds.py"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    told = json.loads(done.stdout)
    rows = [
        _row(what, told["journal"][key], told["file"][key], told["journal"][key] / told["file"][key], unit)
        for key, what, unit in _WHAT
    ]
    return [*rows, _row("mount and check the records kept", told["mount"]["us"] / 1000, None, None, "ms")]


def _row(what: str, ours: float, baseline: float | None, ratio: float | None, unit: str) -> dict:
    return {
        "bench": "journal",
        "what": what,
        "ours": ours,
        "baseline": baseline,
        "ratio": ratio,
        "unit": unit,
    }
