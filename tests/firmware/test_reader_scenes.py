"""The reader on every committed scene: no wrong face, the right reason, the same answer on MicroPython."""

import json
from pathlib import Path

import numpy as np
import pytest

from host_tools.images import load_scene
from tumbler.reader import Reader, load_profile

ROOT = Path(__file__).parents[2]
FRAMES = ROOT / "tests/frames"
PROFILES = ROOT / "firmware/profiles"
SETS = {"scenes320": 320, "scenes160": 160}


def labels_of(folder):
    with (FRAMES / folder / "labels.jsonl").open() as file:
        return [json.loads(line) for line in file]


LABELS = {(name, label["scene"]): label for name in SETS for label in labels_of(name)}
READERS: dict[tuple[str, int], Reader] = {}


def profile_path(style, width):
    return PROFILES / f"{style}_{width}.json"


def reader_for(style, width):
    if (style, width) not in READERS:
        READERS[style, width] = Reader(load_profile(str(profile_path(style, width))))
    return READERS[style, width]


def frames_of(name, scene):
    frames = load_scene(FRAMES / name / scene)
    return np.stack([np.frombuffer(f.pixels, np.uint8).reshape(f.height, f.width) for f in frames])


def read(style, frames):
    reader = reader_for(style, frames.shape[2])
    reader.begin()
    for lamp, frame in enumerate(frames):
        reader.add(np.ascontiguousarray(frame, np.uint8).tobytes(), lamp)
    return reader.finish()


def read_scene(name, scene):
    return read(LABELS[name, scene]["style"], frames_of(name, scene))


def assert_not_wrong(reading, label):
    """Whatever was done to the frames, a face that is reported is the one that lies there."""
    if reading.verdict == "read":
        assert not label["must_refuse"], reading.faces
        assert sorted(reading.faces) == sorted(label["values"])


@pytest.mark.parametrize(("name", "scene"), LABELS)
def test_no_scene_is_read_wrong(name, scene):
    reading = read_scene(name, scene)
    assert_not_wrong(reading, LABELS[name, scene])
    if reading.verdict == "read":
        assert len(reading.faces) == 3
        assert reading.reason is None
    else:
        assert reading.faces == ()
        assert reading.detail
        assert len(reading.detail) <= 24
