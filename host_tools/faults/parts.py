"""The parts of the proof by name, each with a seed that plays it again and a size."""

import importlib
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PARTS = ("flash", "table", "bridge", "store")

_MEMORY = Path("/dev/shm")


def run(part: str, seed: int, size: int | None, out: Path) -> dict[str, Any]:
    """One part at that size, or in full: its figures; `broken` lists what went wrong.

    `out` keeps what makes a long part go on where it was stopped. Ledgers lie in memory where there is any:
    that a commit waits for its disk is proven elsewhere, and thousands of them take their time there.
    """
    module = importlib.import_module(f"host_tools.faults.{part}_part")
    with tempfile.TemporaryDirectory(prefix="faults-", dir=_MEMORY if _MEMORY.is_dir() else None) as scratch:
        return module.run(seed, module.FULL if size is None else size, out / f"{part}-{seed}", Path(scratch))


def run_all(part: str | None, seed: int, size: int | None, out: Path) -> Iterator[dict[str, Any]]:
    """That part, or all of them."""
    for each in PARTS if part is None else (part,):
        yield run(each, seed, size, out)
