"""The journal: what a durable record costs its flash, how long power-on takes; `ratio` is ours / baseline.

Baseline: one littlefs file that grows by an append and flush a record, the simplest thing that is as durable.
The ring runs as on a board, in blocks that the littlefs volume lends; the volume's own operations count.
"""

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from host_tools.virtual_board import VirtualBoard, load_scenario

ROOT = Path(__file__).resolve().parents[1]
MICROPYTHON = Path(sys.executable).with_name("micropython")
_PROGRAM = "benchmarks/micropython/journal_rounds.py"
_FILL = ROOT / "benchmarks" / "micropython" / "fill_journal.py"
_WHAT = (
    ("erases", "erases a record of 180 to 350 bytes", "4 KiB blocks"),
    ("programmed", "programmed a record", "bytes"),
    ("operations", "erases and programs a record", "operations"),
    ("us", "append on MicroPython to RAM flash", "us"),
)


def run() -> list[dict]:
    """Rows {"bench", "what", "ours", "baseline", "ratio", "unit"}."""
    told = json.loads(_micropython(_PROGRAM))
    rows = []
    for journal in ("ring", "files"):
        for key, what, unit in _WHAT:
            ours, baseline = told[journal][key], told["appended"][key]
            rows.append(_row(f"{journal}: {what}; littlefs append and flush", ours, baseline, unit))
    rows.append(
        _row("ring of 64 blocks, full: mount, every page read", told["mount"]["us"] / 1000, None, "ms")
    )
    rows.append(_row("ring of 64 blocks, full: records in it", told["mount"]["records"], None, "records"))
    fresh, full = asyncio.run(_power_ons())
    rows.append(_row("virtual board, power-on to HELLO: full journal; fresh one", full, fresh, "ms"))
    return rows


def _micropython(program: str) -> str:
    command = [os.fspath(MICROPYTHON), "-X", "heapsize=8m", program]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


async def _power_ons() -> tuple[float, float]:
    """Milliseconds from power-on to the first frame on the wire: with a fresh journal, with a full one."""
    scenario = load_scenario(ROOT / "scenarios" / "ordinary-open.toml")
    times = []
    with tempfile.TemporaryDirectory() as folder:
        directory = Path(folder) / "board"
        await VirtualBoard.create(directory, seed="benchmark")
        for full in (False, True):
            if full:
                async with VirtualBoard(directory, scenario, speed=None, application=_FILL) as board:
                    await board.power_on()
                    await _filled(board)
            tries = []
            for _ in range(3):
                async with VirtualBoard(directory, scenario, speed=None) as board:
                    tries.append(await _first_frame(board))
            times.append(min(tries))
    return times[0], times[1]


async def _filled(board: VirtualBoard) -> None:
    for _ in range(600):
        await asyncio.sleep(0.1)
        if "the journal is full" in board.console:
            return
    raise RuntimeError(board.console)


async def _first_frame(board: VirtualBoard) -> float:
    line = os.open(board.uart_path, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    try:
        begun = time.perf_counter()
        await board.power_on()
        for _ in range(20_000):
            await asyncio.sleep(0.001)
            with contextlib.suppress(BlockingIOError):
                if b"\0" in os.read(line, 4096):
                    return (time.perf_counter() - begun) * 1000
        raise RuntimeError(board.console)
    finally:
        os.close(line)


def _row(what: str, ours: float, baseline: float | None, unit: str) -> dict:
    ratio = None if baseline is None else ours / baseline
    return {
        "bench": "journal",
        "what": what,
        "ours": ours,
        "baseline": baseline,
        "ratio": ratio,
        "unit": unit,
    }
