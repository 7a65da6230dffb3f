"""Readers run over whole sets of labelled scenes: the device's, the host's and the popular recipe."""

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from host_tools.images import LAMPS, Frame, load_frame, load_scene
from host_tools.scoring.baseline import Baseline
from host_tools.scoring.labels import Label, load_labels
from host_tools.scoring.profiles import LIGHT_STYLES, Profiles
from host_tools.scoring.tally import Tally
from host_tools.second_reader.profile import DARK_PIPS, LIGHT_PIPS, load_profile
from host_tools.second_reader.uncalibrated import UncalibratedReader

COUNT = 3
ReadScene = Callable[[list[bytes]], dict]
Opener = Callable[[Path, int], AbstractContextManager[ReadScene]]

_TOP = 1.085  # of a top face's side against one on the floor, in pictures whose labels tell only the floor's


@dataclass
class Score:
    """What a reader made of a set: its tally, the milliseconds of each scene, scenes without a profile."""

    tally: Tally = field(default_factory=Tally)
    times: list[int] = field(default_factory=list)
    skipped: int = 0


def score_set(
    folder: Path, profiles: Profiles, openers: dict[str, Opener], count: int = COUNT
) -> dict[str, Score]:
    """Score of each reader, opened once for each profile, on the labelled scenes of a folder."""
    scores = {name: Score() for name in openers}
    with ExitStack() as stack:
        opened: dict[tuple[str, Path], ReadScene] = {}
        for label in load_labels(folder):
            frames = load_label(label)
            profile = profiles.find(label, frames[0].width)
            for name, opener in openers.items():
                score = scores[name]
                if profile is None:
                    score.skipped += 1
                    continue
                key = name, profile
                if key not in opened:
                    opened[key] = stack.enter_context(opener(profile, count))
                fields = opened[key]([frame.pixels for frame in frames])
                score.tally.add(label, fields)
                score.times.append(fields["ms"])
    return scores


def score_singles(folder: Path) -> dict[str, Score]:
    """Scores without profiles on single pictures, whose labels tell the size of a die in pixels.

    Of photographs the colour of the pips is unknown: the recipe looks for dark ones, our reader for both.
    """
    scores = {"host, no profile": Score(), "recipe": Score()}
    for label in load_labels(folder):
        light = label.style in LIGHT_STYLES
        known = (LIGHT_PIPS if light else DARK_PIPS) if label.style else None
        frame = load_label(label)[0]
        reader = UncalibratedReader(_size(label), known, _count(label))
        scores["host, no profile"].tally.add(label, reader.read(frame))
        recipe = Baseline(_size(label), light, _count(label))
        scores["recipe"].tally.add(label, recipe.read(_stack([frame])))
    return scores


def _size(label: Label) -> float:
    fields = label.fields
    return fields["die_px"] if "die_px" in fields else _TOP * fields["die_mm"] * fields["px_per_mm"]


def _count(label: Label) -> int:
    return len(label.values) if "die_px" in label.fields else COUNT


def load_label(label: Label) -> list[Frame]:
    """Frames of a labelled scene. ImageError when a picture is missing or bad."""
    if not label.path.is_dir():
        return [load_frame(label.path)]
    return load_scene(label.path, LAMPS if any(label.path.glob("lamp1.*")) else 1)


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
