"""Strokes as a device counts them from its gates: wide and fast enough for the virtual board's profile."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from host_tools.twin.physics import Edge

_BOARD = Path(__file__).resolve().parents[2] / "boards" / "virtual" / "board.json"
_LIMITS = json.loads(_BOARD.read_text())["limits"]
MIN_TUMBLES: int = _LIMITS["min_tumbles"]  # of a round that is read


def pulses(edges: Iterable[Edge]) -> Iterator[tuple[int, float]]:
    """Width in us and speed in mm/s of each time that the platform passed both gates."""
    gate_us = top_us = None
    for gate, level, at_us in edges:
        if gate == "stroke-gate" and level:
            gate_us = at_us
        elif gate == "stroke-top" and level:
            top_us = at_us
        elif gate == "stroke-top" and gate_us is not None and top_us is not None:
            yield at_us - top_us, _LIMITS["gate_gap_um"] * 1000 / max(1, top_us - gate_us)
            gate_us = top_us = None


def is_tumble(width_us: int, speed_mm_s: float) -> bool:
    """Whether a stroke counts."""
    return width_us >= _LIMITS["min_width_us"] and speed_mm_s >= _LIMITS["min_speed_mm_s"]


def tumbles(edges: Iterable[Edge]) -> int:
    """How many strokes count."""
    return sum(is_tumble(*pulse) for pulse in pulses(edges))
