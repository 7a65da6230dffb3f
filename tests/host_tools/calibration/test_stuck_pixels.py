"""Pixels of the camera that are stuck: calibration finds them wherever they lie, for a die may lie there."""

from pathlib import Path

import numpy as np
import pytest

from host_tools.calibration import load
from host_tools.calibration.rig import find_stuck

FRAMES = Path(__file__).resolve().parents[2] / "frames"


@pytest.mark.parametrize("size", [320, 160])
@pytest.mark.parametrize("level", [0, 255])
def test_a_stuck_pixel_is_found_on_the_platform_and_its_dark_rim(size, level):
    empty = load(FRAMES / f"scenes{size}" / "calib" / "empty")
    empty[2] //= 5  # a dim lamp, under which the rim is as dark as a dead pixel
    known = find_stuck(empty)
    _, height, width = empty.shape
    away = np.hypot(*(np.indices((height, width)) - np.array([[[height]], [[width]]]) / 2))
    rng = np.random.default_rng(size + level)
    places = rng.permutation(np.argwhere(away < 0.47 * height))[:300]
    for row, column in places:
        patch = empty[:, row - 2 : row + 3, column - 2 : column + 3]
        if patch.max() > 215 or any(abs(x - column) < 3 and abs(y - row) < 3 for x, y in known):
            continue  # a mirror image of a lamp, or beside one that is stuck
        with_one = empty.copy()
        with_one[:, row, column] = level
        assert [column, row] in find_stuck(with_one), (column, row)


@pytest.mark.parametrize("size", [320, 160])
def test_a_sound_camera_has_none(size):
    empty = load(FRAMES / f"scenes{size}" / "calib" / "empty")
    mended = empty.copy()
    for column, row in find_stuck(empty):
        mended[:, row, column] = mended[:, row, column + 1]
    assert find_stuck(mended) == []
