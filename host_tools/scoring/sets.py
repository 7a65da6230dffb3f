"""Readers run over whole sets of labelled scenes: the device's, the host's and the popular recipe."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from host_tools.images import Frame, load_frame, load_scene
from host_tools.scoring.baseline import Baseline
from host_tools.scoring.labels import Label, load_labels
from host_tools.scoring.tally import Tally
from host_tools.second_reader.profile import LIGHT_PIPS, load_profile

ReadScene = Callable[[list[bytes]], dict]
Opener = Callable[[Path, int], AbstractContextManager[ReadScene]]

SHIPPED = Path(__file__).resolve().parents[2] / "firmware/profiles"


@dataclass
class Score:
    """What a reader made of a set: its tally, the milliseconds of each scene, scenes without a profile."""

    tally: Tally = field(default_factory=Tally)
    times: list[int] = field(default_factory=list)
    skipped: int = 0


def find_profile(folder: Path, style: str, width: int) -> Path | None:
    """Profile for a set's scenes of a style: the set's own in `profiles`, else the one that is shipped."""
    for place in (folder / "profiles", SHIPPED):
        path = place / f"{style}_{width}.json"
        if path.exists():
            return path
    return None


def score_set(folder: Path, opener: Opener, count: int = 3) -> Score:
    """Score of one reader on the labelled scenes of a folder that are of four lamps."""
    score = Score()
    by_style: dict[str, list[Label]] = {}
    for label in load_labels(folder):
        by_style.setdefault(label.style, []).append(label)
    for style, labels in sorted(by_style.items()):
        width = load_label(labels[0])[0].width
        profile = find_profile(folder, style, width)
        if profile is None:
            score.skipped += len(labels)
            continue
        with opener(profile, count) as read_scene:
            for label in labels:
                fields = read_scene([frame.pixels for frame in load_label(label)])
                score.tally.add(label, fields)
                score.times.append(fields["ms"])
    return score


def score_photos(folder: Path, light_pips: bool = False) -> Score:
    """Score of the popular recipe on photographs, whose labels tell the number and the size of the dice."""
    score = Score()
    for label in load_labels(folder):
        recipe = Baseline(label.fields["die_px"], light_pips, len(label.values))
        score.tally.add(label, recipe.read(_stack(load_label(label))))
    return score


def load_label(label: Label) -> list[Frame]:
    """Frames of a labelled scene. ImageError when a picture is missing or bad."""
    return load_scene(label.path) if label.path.is_dir() else [load_frame(label.path)]


@contextmanager
def read_by_recipe(profile: Path, count: int) -> Iterator[ReadScene]:
    """The popular recipe, with a profile's size of die and colour of pips."""
    known = load_profile(profile)
    recipe = Baseline(known.look.side, known.look.polarity == LIGHT_PIPS, count)

    def read_scene(frames: list[bytes]) -> dict:
        start = time.perf_counter()
        pictures = [Frame(known.width, known.height, frame) for frame in frames]
        fields = recipe.read(_stack(pictures))
        return {**fields, "ms": int(1000 * (time.perf_counter() - start))}

    yield read_scene


def _stack(frames: list[Frame]) -> np.ndarray:
    return np.stack([np.frombuffer(f.pixels, np.uint8).reshape(f.height, f.width) for f in frames])
