"""Deployment: what the firmware takes of each board's flash, and what is left of the heap while it runs.

Baseline: the same files as plain source, and the heap itself.
"""

import asyncio
import re
import tempfile
from pathlib import Path

from host_tools.boards import Board, known_boards, load_board
from host_tools.virtual_board import VirtualBoard, everyday
from host_tools.virtual_board.build import FIRMWARE, build_slot

ROOT = Path(__file__).resolve().parents[1]
HEAPS = ("480k", "560k")
APPLICATION = Path(__file__).with_name("micropython") / "deploy_heap.py"
_START_S = 30


def run() -> list[dict]:
    """Rows {"bench", "what", "ours", "baseline", "ratio", "unit"}."""
    boards = [load_board(name) for name in known_boards()]
    rows = [_size(board) for board in boards if board.port != "blinka"]
    return rows + [_heap(frames, heap) for frames in ("scenes160", "scenes320") for heap in HEAPS]


def _size(board: Board) -> dict:
    build = build_slot(board.raw, board.mpy_arch)
    files = [path for path in build.rglob("*") if path.is_file()]
    ours = sum(path.stat().st_size for path in files)
    source = sum(_source(path, build).stat().st_size for path in files if _source(path, build).exists())
    what = (
        f"flash of {board.name} ({board.mpy_arch or 'bytecode'}), one slot of {len(files)} files; as source"
    )
    return _row(what, ours / 1024, source / 1024, ours / source, "KB")


def _source(path: Path, build: Path) -> Path:
    """What a file of a build was made of."""
    source = FIRMWARE / path.relative_to(build)
    return source.with_suffix(".py") if path.suffix == ".mpy" else source


def _heap(frames: str, heap: str) -> dict:
    """Free heap of the virtual board with a camera of `frames`, the application waiting for a round."""
    with tempfile.TemporaryDirectory() as folder:
        free = asyncio.run(_free(Path(folder) / "board", frames, heap))
    size = float(heap.removesuffix("k"))
    what = f"heap left with the application running, {frames} on a 64-bit interpreter; heap in all"
    if free is None:
        return _row(f"{what} (it refuses to start)", 0.0, size, 0.0, "KB")
    return _row(what, free / 1024, size, free / 1024 / size, "KB")


async def _free(folder: Path, frames: str, heap: str) -> int | None:
    """Bytes; None when the application does not start in so little."""
    played = everyday("covered", ROOT / "tests" / "frames" / frames, 1, 1)
    await VirtualBoard.create(folder, seed="bench", profile=played.profile)
    async with VirtualBoard(folder, played, speed=None, application=APPLICATION, heap=heap) as board:
        await board.power_on()
        async with asyncio.timeout(_START_S):
            while ">>> " not in board.console:  # noqa: ASYNC110 - nobody announces it
                await asyncio.sleep(0.02)
        told = re.search(r"^free (\d+)", board.console, re.MULTILINE)
        return int(told[1]) if told else None


def _row(what: str, ours: float, baseline: float | None, ratio: float | None, unit: str) -> dict:
    return {
        "bench": "deploy",
        "what": what,
        "ours": ours,
        "baseline": baseline,
        "ratio": ratio,
        "unit": unit,
    }
