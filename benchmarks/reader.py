"""The dice readers on the committed scenes, and on the sets in the folder that FRAMES names.

Right, wrong and refused of the device's reader under MicroPython, of the host's second reader and of the
popular recipe in the same run; the device's time and heap a scene, with its kernels in viper and with their
plain twins. A set is a folder with labels.jsonl and
scenes of four lamps or one picture each, as host_tools/scoring/profiles.py tells.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache, partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

from host_tools.images import load_scene
from host_tools.read.runtimes import read_on_host, read_on_micropython, serving
from host_tools.scoring.labels import load_labels
from host_tools.scoring.profiles import Profiles
from host_tools.scoring.sets import Score, read_by_recipe, score_set, score_singles
from host_tools.virtual_board.build import build

ROOT = Path(__file__).parents[1]
FRAMES = ROOT / "tests/frames"
PROFILES = ROOT / "firmware/profiles"
MICROPYTHON = Path(sys.executable).with_name("micropython")
SCENES = {  # of bright dice, which touch, and of dark ones: the reader loads the code of one kind
    "320x240": {"white_black": "scenes320/0032", "black_white": "scenes320/0018"},
    "160x120": {"white_black": "scenes160/0032", "black_white": "scenes160/0018"},
}
HEAP_KB = range(100, 601, 10)


def run() -> list[dict]:
    """Rows {"bench", "what", "ours", "baseline", "ratio", "unit"}: the baseline is the popular recipe."""
    rows = []
    for title, folder in sets().items():
        scores = score(folder)
        recipe = scores.pop("recipe")
        for reader, found in scores.items():
            rows += _counts(f"{title}, {reader}", found, recipe)
            if found.times:
                times = sorted(found.times)
                what = f"{title}, {reader}: time of a scene"
                rows.append(_row(f"{what}, median", times[len(times) // 2], None, "ms"))
                rows.append(_row(f"{what}, slowest", times[-1], None, "ms"))
    for size in SCENES:
        rows += _twins(size, measure(size))
    return rows


def sets() -> dict[str, Path]:
    """Title -> folder with labels: the committed ones, then those in FRAMES (a set or a folder of sets)."""
    found = {path.parent.name: path.parent for path in sorted(FRAMES.rglob("labels.jsonl"))}
    if os.environ.get("FRAMES"):
        more = sorted(Path(os.environ["FRAMES"]).rglob("labels.jsonl"))
        found |= {f"{path.parent.name} of FRAMES": path.parent for path in more}
    return found


def score(folder: Path) -> dict[str, Score]:
    """Reader -> its score on one set, with profiles where a scene is a folder of frames, else without."""
    if not any(label.path.is_dir() for label in load_labels(folder)):
        return score_singles(folder)
    device = partial(read_on_micropython, firmware=bytecode())
    openers = {"device": device, "host": read_on_host, "recipe": read_by_recipe}
    with tempfile.TemporaryDirectory() as made:
        return score_set(folder, Profiles(folder, Path(made)), openers)


class Twins(NamedTuple):
    """At one size: median milliseconds of a committed scene and least KB of heap for bright and
    for dark dice, with the device's viper kernels and with its plain ones; and the recipe's median."""

    viper_ms: float
    plain_ms: float
    recipe_ms: float
    viper_kb: int
    plain_kb: int


def measure(size: str) -> Twins:
    """Measure both twins and the recipe in one run, scene by scene."""
    folder = FRAMES / Path(SCENES[size]["white_black"]).parent
    with tempfile.TemporaryDirectory() as made:
        plain = Path(made) / "firmware"
        shutil.copytree(bytecode(), plain)
        (plain / "tumbler/reader/kernels_viper.mpy").unlink()
        openers = {
            "viper": partial(read_on_micropython, firmware=bytecode()),
            "plain": partial(read_on_micropython, firmware=plain),
            "recipe": read_by_recipe,
        }
        scores = score_set(folder, Profiles(folder, Path(made)), openers)
        medians = {name: median(score.times) for name, score in scores.items()}
        heaps = [least_heap(size, firmware) for firmware in (bytecode(), plain)]
    return Twins(medians["viper"], medians["plain"], medians["recipe"], *heaps)


def _twins(size: str, found: Twins) -> list[dict]:
    scene = f"{size}, device: median of a scene, viper kernels"
    heap = f"{size}, device: least 64-bit heap with code and frame, viper kernels"
    return [
        _row(f"{scene}; plain ones", found.viper_ms, found.plain_ms, "ms"),
        _row(f"{scene}; popular recipe, compiled", found.viper_ms, found.recipe_ms, "ms"),
        _row(f"{heap}; plain ones", found.viper_kb, found.plain_kb, "KB"),
    ]


@cache
def bytecode() -> Path:
    """The firmware as a board holds it."""
    return build()


def least_heap(size: str, firmware: Path) -> int:
    """Smallest heap, in KB, with which the device's reader reads a scene from a stream, of either kind."""
    return max(_least_heap(FRAMES / scene, style, firmware) for style, scene in SCENES[size].items())


def _least_heap(scene: Path, style: str, firmware: Path) -> int:
    frames = load_scene(scene)
    profile = PROFILES / f"{style}_{frames[0].width}.json"
    script = serving(profile, 3, firmware)
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
