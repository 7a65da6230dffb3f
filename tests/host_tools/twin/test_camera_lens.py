"""Where the camera sees a point: the lens against OpenCV's own projection."""

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from host_tools.twin.camera import Lens, Rig, SizeError

lenses = st.builds(
    Lens,
    width=st.just(320),
    height=st.just(240),
    focal=st.floats(200, 500),
    middle=st.tuples(st.floats(140, 180), st.floats(100, 140)),
    at=st.tuples(st.floats(-5, 5), st.floats(-5, 5), st.floats(150, 250)),
    roll=st.floats(-180, 180),
    tilt_x=st.floats(-5, 5),
    tilt_y=st.floats(-5, 5),
    k1=st.floats(-0.1, 0.1),
)


def _points(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.uniform(-60, 60, (20, 2)), rng.uniform(0, 30, 20)])


@given(lenses, st.integers(0, 1000))
def test_points_are_seen_where_opencv_sees_them(lens: Lens, seed: int):
    points = _points(seed)
    matrix = np.array([[lens.focal, 0, lens.middle[0]], [0, lens.focal, lens.middle[1]], [0, 0, 1]])
    turn = cv2.Rodrigues(lens.axes())[0]
    shift = -lens.axes() @ np.array(lens.at)
    expected, _ = cv2.projectPoints(points, turn, shift, matrix, np.array([lens.k1, 0, 0, 0]))
    assert np.allclose(
        lens.project(points), expected.reshape(-1, 2), atol=0.01
    )  # it loses digits of half turns


@given(lenses, st.integers(0, 1000))
def test_the_ray_of_a_pixel_passes_the_point_seen_there(lens: Lens, seed: int):
    points = _points(seed)
    seen = lens.project(points)
    rays = np.stack(lens.rays(seen[:, 0], seen[:, 1]), 1).astype(float)
    to_point = points - lens.at
    off = to_point - rays * (to_point * rays).sum(1, keepdims=True)
    assert np.linalg.norm(off, axis=1).max() < 0.05  # mm


def test_lamp_0_is_to_the_right_and_lamp_1_at_the_top():
    lens = Rig.drawn(np.random.default_rng(3), 320).lens
    middle, right, up = lens.project(np.array([[0, 0, 0], [50, 0, 0], [0, 50, 0]]))
    assert right[0] - middle[0] > 50
    assert middle[1] - up[1] > 50


@pytest.mark.parametrize("width", [160, 320])
@pytest.mark.parametrize("platform", [50.0, 60.0, 80.0])
def test_every_drawn_rig_sees_its_whole_platform(width: int, platform: float):
    turns = np.linspace(0, 2 * np.pi, 60)
    rim = platform * np.stack([np.cos(turns), np.sin(turns), 0 * turns], 1)
    for seed in range(30):
        lens = Rig.drawn(np.random.default_rng(seed), width, platform).lens
        seen = lens.project(rim)
        assert seen.min() > 0
        assert (seen.max(0) < (lens.width - 1, lens.height - 1)).all()
        radius = np.ptp(seen, axis=0).mean() / 2
        assert 0.38 < radius / lens.height < 0.45


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"width": 0}, "at least 16"),
        ({"height": -1}, "at least 16"),
        ({"focal": 0.0}, "focal length"),
        ({"at": (0.0, 0.0, 10.0)}, "above the platform"),
    ],
)
def test_an_impossible_camera_is_refused(wrong: dict, text: str):
    fields = {"width": 320, "height": 240, "focal": 340.0, "middle": (160.0, 120.0), "at": (0.0, 0.0, 200.0)}
    with pytest.raises(SizeError, match=text):
        Lens(**(fields | wrong))
