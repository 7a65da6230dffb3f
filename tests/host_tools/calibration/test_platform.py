"""The platform is found wherever the camera sees it whole, however much of the picture it fills."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from host_tools.calibration import CalibrationError
from host_tools.calibration.rig import find_platform

SIZES = {"320x240": (320, 240), "160x120": (160, 120)}


def empty(size: tuple[int, int], x: float, y: float, radius: float, seed: int = 0) -> np.ndarray:
    """Four frames of a platform that each lamp lights from its side, with a glint on the wall around it."""
    rng = np.random.default_rng(seed)
    width, height = size
    rows, columns = np.mgrid[:height, :width]
    away = np.hypot(columns - x, rows - y)
    floor = np.clip(radius - away + 0.5, 0, 1)
    frames = []
    for across, down in ((1, 0), (0, 1), (-1, 0), (0, -1)):
        towards = ((columns - x) * across + (rows - y) * down) / radius
        glint = 40 * np.exp(-(((away - 1.25 * radius) / 2) ** 2)) * np.clip(towards, 0, 1)
        light = 40 * np.exp(0.6 * towards) * floor + 5 + glint + rng.normal(0, 0.7, away.shape)
        frames.append(np.clip(light, 0, 255).astype(np.uint8))
    return np.stack(frames)


@given(st.sampled_from(sorted(SIZES)), st.floats(0.35, 0.49), st.floats(-1, 1), st.floats(-1, 1))
def test_it_is_found_wherever_it_is_seen_whole(size, share, right, down):
    width, height = SIZES[size]
    radius = share * height
    x = width / 2 + right * min(0.08 * height, width / 2 - radius - 1)
    y = height / 2 + down * (height / 2 - radius - 1)
    assert find_platform(empty((width, height), x, y, radius)) == pytest.approx((x, y, radius), abs=0.6)


@pytest.mark.parametrize(
    "frames",
    [
        np.zeros((4, 240, 320), np.uint8),
        np.full((4, 240, 320), 80, np.uint8),
        np.random.default_rng(1).integers(0, 256, (4, 240, 320)).astype(np.uint8),
        empty((320, 240), 160, 120, 112)[:, 12:],
        empty((320, 240), 160, 120, 112)[:, :, 56:],
        empty((320, 240), 160, 120, 140),
        empty((320, 240), 160, 120, 50),
    ],
    ids=["black", "grey", "noise", "cut above", "cut left", "too near", "too far"],
)
def test_what_does_not_show_it_whole_is_refused(frames):
    with pytest.raises(CalibrationError, match="rim is not found"):
        find_platform(frames)
