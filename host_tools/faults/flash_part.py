"""Part `flash`: the power goes at every operation of the flash, in the ring alone and under a whole table."""

from pathlib import Path
from typing import Any

from host_tools.faults import day, flash

FULL = 40  # rounds of the day at the table; from this size on the ring is tried in full, too


def run(seed: int, size: int, out: Path, scratch: Path) -> dict[str, Any]:
    """The ring under every fault of its flash, then a day of `size` rounds cut at every operation."""
    del out
    figures: dict[str, Any] = {"part": "flash", "broken": []}
    try:
        figures["ring"] = flash.run(seed, full=size >= FULL)
    except flash.FaultFound as fault:
        figures["broken"].append({"seed": seed, "why": str(fault)})
    figures["table"] = day.cut_everywhere(seed, size, scratch)
    figures["broken"] += figures["table"].pop("broken")
    return figures
