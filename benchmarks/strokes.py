"""What a flash write would do to the counting of strokes, were one made while strokes are counted.

The controller makes none from the drive's start to its stop, which is the baseline. RP2 erases and programs
flash with interrupts off: an edge that comes meanwhile is heard when they are on again, and of a pulse
within nothing is. Here one write falls at a random moment of each tumble of four strokes; times of the flash
are those of data sheets (W25Q16JV: page 0.4 ms, block 45 ms typical, 400 ms at most). Not measured on
hardware."""

import json
import random
from pathlib import Path

from tumbler.config import Limits
from tumbler.strokes import GATE, TOP, StrokeCounter

ROOT = Path(__file__).resolve().parents[1]
TUMBLES = 4000
_STROKES = 4
_PERIOD_US = 340_000
_WRITES = (
    ("a page programmed, 0.4 ms", 400),
    ("a block erased, 45 ms", 45_000),
    ("the slowest erase, 400 ms", 400_000),
)


def run() -> list[dict]:
    """Rows {"bench", "what", "ours", "baseline", "ratio", "unit"}: without a write, and with it."""
    limits = Limits(json.loads((ROOT / "boards" / "pico" / "board.json").read_text())["limits"])
    rows = []
    for strong, what in (
        (True, "tumbles of strong strokes miscounted"),
        (False, "tumbles of weak strokes counted"),
    ):
        for name, stall_us in _WRITES:
            ours = _wrong(limits, strong, 0)
            with_write = _wrong(limits, strong, stall_us)
            rows.append(_row(f"{what}; with {name} in each tumble", ours, with_write))
    return rows


def _wrong(limits: Limits, strong: bool, stall_us: int) -> float:
    """Percent of tumbles whose number of strong strokes is not what it was."""
    chance = random.Random(1)
    wrong = 0
    for _ in range(TUMBLES):
        begins = chance.randrange(_STROKES * _PERIOD_US)
        edges = [edge for number in range(_STROKES) for edge in _stroke(number * _PERIOD_US, strong, chance)]
        counted = _count(limits, _heard(edges, begins, begins + stall_us))
        wrong += counted != (_STROKES if strong else 0)
    return 100 * wrong / TUMBLES


def _stroke(at_us: int, strong: bool, chance: random.Random) -> list[tuple[int, str, bool]]:
    """A stroke's edges: about 0.95 m/s and 14 to 17 ms above the upper gate, or half of each."""
    width = chance.randrange(14_000, 17_000) if strong else chance.randrange(3_000, 7_000)
    rise = 1_050 if strong else 2_100  # between the gates, 1 mm apart
    top = at_us + rise
    return [
        (at_us, GATE, True),
        (top, TOP, True),
        (top + width, TOP, False),
        (top + width + rise, GATE, False),
    ]


def _heard(edges: list[tuple[int, str, bool]], begins: int, ends: int) -> list[tuple[int, str, bool]]:
    """The edges as interrupts tell them that have to wait from `begins` to `ends`, the upper gate's first."""
    heard = [edge for edge in edges if edge[0] < begins]
    for late_us, gate in ((0, TOP), (10, GATE)):
        before = [level for at, name, level in edges if name == gate and at < begins][-1:] == [True]
        after = [level for at, name, level in edges if name == gate and at < ends][-1:] == [True]
        if before != after:
            heard.append((ends + late_us, gate, after))
    return heard + [edge for edge in edges if edge[0] >= ends]


def _count(limits: Limits, edges: list[tuple[int, str, bool]]) -> int:
    counter = StrokeCounter(limits)
    events = []
    for at, gate, level in edges:
        events += counter.feed(gate, level, at)
    events += counter.poll(edges[-1][0] + _PERIOD_US if edges else 0)
    return sum(event[0] == "stroke" for event in events)


def _row(what: str, ours: float, baseline: float) -> dict:
    return {
        "bench": "strokes",
        "what": what,
        "ours": ours,
        "baseline": baseline,
        "ratio": ours / baseline if baseline else None,
        "unit": "percent",
    }
