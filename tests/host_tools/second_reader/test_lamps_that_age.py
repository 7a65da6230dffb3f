"""The second reader and lamps that give less, or more, than at calibration."""

from pathlib import Path

import numpy as np
import pytest

from host_tools.images import load_scene
from host_tools.scoring import load_labels
from host_tools.second_reader import SecondReader, load_profile
from host_tools.second_reader.exposure import Exposures

ROOT = Path(__file__).parents[3]
PROFILE = load_profile(ROOT / "firmware/profiles/white_black_320.json")
SCENES = [
    label for label in load_labels(ROOT / "tests/frames/scenes320") if label.style == "white_black"
]  # of all categories


def seen(label, strengths) -> np.ndarray:
    """A scene's frames [lamp, row, column] under lamps of such strengths; darkness is 2."""
    shape = PROFILE.height, PROFILE.width
    frames = [np.frombuffer(frame.pixels, np.uint8).reshape(shape) for frame in load_scene(label.path)]
    lit = 2 + (np.stack(frames).astype(float) - 2) * np.array(strengths)[:, None, None]
    return np.clip(np.rint(lit), 0, 255).astype(np.uint8)


def read(label, strengths) -> dict:
    return SecondReader(PROFILE).read([frame.tobytes() for frame in seen(label, strengths)])


@pytest.mark.parametrize("strengths", [(1, 1, 0.8, 1), (0.9, 1.05, 1, 0.95), (0.85, 0.85, 0.85, 0.85)])
def test_what_was_read_is_read_and_what_was_refused_is_not(strengths):
    for label in SCENES:
        faces = read(label, (1, 1, 1, 1))["faces"]
        assert read(label, strengths)["faces"] == faces, label.name


def test_the_floor_tells_a_lamp_that_gives_a_tenth_less():
    for label in (scene for scene in SCENES if scene.category != "quality"):
        lights = seen(label, (1, 0.9, 1, 1)).astype(np.float32) - 2
        told = Exposures(PROFILE).against_each_other(lights)
        share = told[1] / told[[0, 2, 3]].mean()
        assert share == pytest.approx(0.9, abs=0.03), label.name  # two doubts of 1 %
