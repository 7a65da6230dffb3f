"""What docs/testers.md promises of labelled scenes in tests: fresh by seed, the same again, as asked for."""

from collections.abc import Callable

import numpy as np
import pytest

from host_tools.twin.mix import CHOICES, MixError
from host_tools.twin.studio import Shot

Scenes = Callable[..., Shot]


def test_a_seed_gives_one_scene_and_another_seed_another(tumbler_scenes: Scenes) -> None:
    first, again, other = (tumbler_scenes(seed, size="160x120", lamps="four") for seed in (5, 5, 6))
    assert first.label == again.label
    assert first.scene == again.scene
    assert all(map(np.array_equal, first.picture.frames, again.picture.frames))
    assert first.scene != other.scene


def test_a_test_gets_what_it_asks_for(tumbler_scenes: Scenes) -> None:
    for number, category in enumerate(CHOICES["category"]):
        shot = tumbler_scenes(number, category=category, size="160x120", lamps="ring", trouble="none")
        assert shot.label["category"] == category
        assert [frame.shape for frame in shot.picture.frames] == [(120, 160)]
        if category in ("stacked", "cocked", "damaged", "missing-die", "extra-die"):
            assert shot.label["must_refuse"]
        if category == "disguised":
            assert shot.label["verdict"] == "undecidable"
        if category in ("flat", "touching", "wall"):
            assert shot.label["verdict"] == "readable"
            assert len(shot.label["values"]) == 3


def test_what_there_is_not_is_named(tumbler_scenes: Scenes) -> None:
    with pytest.raises(MixError, match="no category 'upright'; there are flat, touching"):
        tumbler_scenes(1, category="upright")
