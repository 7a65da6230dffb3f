"""The dice reader under MicroPython: time and heap a scene, and what it makes of the committed scenes."""

import json
import subprocess
import sys
from pathlib import Path

from host_tools.commands.read import read_on_micropython
from host_tools.images import load_scene

ROOT = Path(__file__).parents[1]
FRAMES = ROOT / "tests/frames"
PROFILES = ROOT / "firmware/profiles"
MICROPYTHON = Path(sys.executable).with_name("micropython")
SETS = {"scenes320": (320, "320x240"), "scenes160": (160, "160x120")}
HEAP_KB = range(100, 481, 10)
_READ_ONE = """
import gc, sys, time
gc.threshold(32768)  # else what the compiler leaves behind parts the heap
sys.path.insert(0, {firmware!r})
from tumbler.reader import Reader, load_profile
from tumbler.reader.stdio import serve
serve(Reader(load_profile({profile!r})), sys.stdin.buffer, sys.stdout.write, time.ticks_ms, time.ticks_diff)
"""


def run() -> list[dict]:
    """Rows {"bench", "what", "ours", "baseline", "ratio", "unit"}; there is no other reader to compare."""
    rows = []
    for name, (width, size) in SETS.items():
        labels = [json.loads(line) for line in (FRAMES / name / "labels.jsonl").read_text().splitlines()]
        counts, times = _read_all(name, width, labels)
        times.sort()
        rows.append(_row(f"{size}: time, median scene", times[len(times) // 2], "ms"))
        rows.append(_row(f"{size}: time, slowest scene", times[-1], "ms"))
        rows.append(_row(f"{size}: least 64-bit heap with code and frame", _least_heap(name, width), "KB"))
        rows += [_row(f"{size}: {what}", count, "scenes") for what, count in counts.items()]
    return rows


def _row(what: str, ours: int, unit: str) -> dict:
    return {"bench": "reader", "what": what, "ours": ours, "baseline": None, "ratio": None, "unit": unit}


def _read_all(name: str, width: int, labels: list[dict]) -> tuple[dict[str, int], list[int]]:
    counts = {"right": 0, "wrong": 0, "refused, must be": 0, "refused, borderline": 0, "refused, readable": 0}
    times = []
    for style in sorted({label["style"] for label in labels}):
        with read_on_micropython(PROFILES / f"{style}_{width}.json", 3) as read_scene:
            for label in labels:
                if label["style"] == style:
                    frames = load_scene(FRAMES / name / label["scene"])
                    fields = read_scene([frame.pixels for frame in frames])
                    times.append(fields["ms"])
                    counts[_judge(label, fields)] += 1
    return counts, times


def _judge(label: dict, fields: dict) -> str:
    if fields["verdict"] == "read":
        right = sorted(fields["faces"]) == sorted(label["values"]) and not label["must_refuse"]
        return "right" if right else "wrong"
    if label["must_refuse"]:
        return "refused, must be"
    return "refused, borderline" if label["borderline"] else "refused, readable"


def _least_heap(name: str, width: int) -> int:
    """Smallest heap, in KB, with which a touching scene is read from a stream."""
    frames = b"".join(frame.pixels for frame in load_scene(FRAMES / name / "0032"))
    profile = str(PROFILES / f"white_black_{width}.json")
    script = _READ_ONE.format(firmware=str(ROOT / "firmware"), profile=profile)
    for size in HEAP_KB:
        command = [MICROPYTHON, "-X", f"heapsize={size}k", "-c", script]
        done = subprocess.run(command, input=frames, capture_output=True, check=False)
        if done.stdout.startswith(b'{"'):
            return size
    raise RuntimeError(f"{name}: not read with {HEAP_KB[-1]} KB")
