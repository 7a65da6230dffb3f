"""The dice readers on the committed scenes, and on the sets in the folder that FRAMES names.

Right, wrong and refused of the device's reader under MicroPython, of the host's second reader and of the
popular recipe in the same run; the device's time and heap a scene. A set is a folder with labels.jsonl and
scenes of four lamps; its profiles lie in its folder `profiles`, else those that are shipped are used.
"""

import os
import subprocess
import sys
from pathlib import Path

from host_tools.images import load_scene
from host_tools.read.runtimes import read_on_host, read_on_micropython
from host_tools.scoring.sets import Score, read_by_recipe, score_photos, score_set

ROOT = Path(__file__).parents[1]
FRAMES = ROOT / "tests/frames"
PROFILES = ROOT / "firmware/profiles"
MICROPYTHON = Path(sys.executable).with_name("micropython")
READERS = {
    "device": read_on_micropython,
    "host": read_on_host,
    "recipe": read_by_recipe,
}
PHOTOS = "photos"
HEAPS = {"320x240": "scenes320/0032", "160x120": "scenes160/0032"}
HEAP_KB = range(100, 481, 10)
_READ_ONE = """
import sys, time
sys.path.insert(0, {firmware!r})
from tumbler.reader import Reader, load_profile
from tumbler.reader.stdio import serve
serve(Reader(load_profile({profile!r})), sys.stdin.buffer, sys.stdout.write, time.ticks_ms, time.ticks_diff)
"""


def run() -> list[dict]:
    """Rows {"bench", "what", "ours", "baseline", "ratio", "unit"}: the baseline is the popular recipe."""
    rows = []
    for folder in sets():
        scores = score(folder)
        recipe = scores.pop("recipe")
        for reader, found in scores.items():
            rows += _counts(f"{folder.name}, {reader}", found, recipe)
        if "device" in scores:
            times = sorted(scores["device"].times)
            rows.append(
                _row(f"{folder.name}, device: time, median scene", times[len(times) // 2], None, "ms")
            )
            rows.append(_row(f"{folder.name}, device: time, slowest scene", times[-1], None, "ms"))
        elif not scores:
            rows += [_row(f"{folder.name}, recipe: wrong", None, recipe.tally.all.wrong, "scenes")]
    for size, scene in HEAPS.items():
        rows.append(
            _row(f"{size}, device: least 64-bit heap with code and frame", least_heap(scene), None, "KB")
        )
    return rows


def sets() -> list[Path]:
    """Folders with labels: the committed ones, then those in FRAMES (one set, or a folder of sets)."""
    places = [FRAMES]
    if os.environ.get("FRAMES"):
        places.append(Path(os.environ["FRAMES"]))
    return [path.parent for place in places for path in sorted(place.rglob("labels.jsonl"))]


def score(folder: Path) -> dict[str, Score]:
    """Reader -> its score on one set; single pictures only by the recipe, as there is no profile for them."""
    if not any(path.is_dir() and (path / "lamp0.png").exists() for path in folder.iterdir()):
        return {"recipe": score_photos(folder)} if folder.name == PHOTOS else {"recipe": Score()}
    return {name: score_set(folder, opener) for name, opener in READERS.items()}


def least_heap(scene: str) -> int:
    """Smallest heap, in KB, with which the device's reader reads a touching scene from a stream."""
    frames = load_scene(FRAMES / scene)
    profile = str(PROFILES / f"white_black_{frames[0].width}.json")
    script = _READ_ONE.format(firmware=str(ROOT / "firmware"), profile=profile)
    for size in HEAP_KB:
        command = [MICROPYTHON, "-X", f"heapsize={size}k", "-c", script]
        pixels = b"".join(frame.pixels for frame in frames)
        done = subprocess.run(command, input=pixels, capture_output=True, check=False)
        if done.stdout.startswith(b'{"'):
            return size
    raise RuntimeError(f"{scene}: not read with {HEAP_KB[-1]} KB")


def _counts(what: str, found: Score, recipe: Score) -> list[dict]:
    ours, theirs = found.tally.all, recipe.tally.all
    pairs = {
        "right": (ours.right, theirs.right),
        "wrong, or read though it must be refused": (ours.wrong, theirs.wrong),
        "refused": (ours.refused, theirs.refused),
        "refused though readable": (ours.lost, theirs.lost),
    }
    return [_row(f"{what}: {name}", *pair, "scenes") for name, pair in pairs.items()]


def _row(what: str, ours: float | None, baseline: float | None, unit: str) -> dict:
    ratio = ours / baseline if ours is not None and baseline else None
    return {"bench": "reader", "what": what, "ours": ours, "baseline": baseline, "ratio": ratio, "unit": unit}
