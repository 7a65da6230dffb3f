"""Cameras that bend their levels, see stray light, add noise or have a weak lamp: calibrated as a user does,
from their own pictures, they are read, and nothing is read wrong.
"""

import io
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from host_tools.calibration import Calibration, CalibrationError, Rig, load, write_profile
from host_tools.read.runtimes import READERS, Runtime
from host_tools.scoring.judging import Outcome, judge
from host_tools.scoring.labels import load_labels
from tumbler.reader.profile import DARK_PIPS
from tumbler.reader.tone import tone_table

ROOT = Path(__file__).resolve().parents[3]
FRAMES = ROOT / "tests" / "frames"
STYLE = "white_black"
Camera = Callable[[np.ndarray, np.random.Generator], np.ndarray]


def bent(gamma: float) -> Camera:
    return lambda frames, _: 255 * (frames / 255) ** gamma


def pedestal(frames: np.ndarray, _: np.random.Generator) -> np.ndarray:
    """Black at 16, white at 235, as video has them."""
    return 16 + frames * 219 / 255


def crushed(frames: np.ndarray, _: np.random.Generator) -> np.ndarray:
    """Contrast made so great that the half of the platform in the weaker light is all but black."""
    return np.maximum(3, 2.2 * frames - 42)


def worn(frames: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A lamp that gives 30 per cent less, in a lens that darkens the corners, and twice the noise."""
    rows, columns = np.indices(frames.shape[1:]) / (frames.shape[1] / 2) - [[[1]], [[4 / 3]]]
    lamps = np.array([1, 1, 0.7, 1])[:, None, None]
    return frames * lamps * (1 - 0.2 * np.minimum(1.3, rows**2 + columns**2)) + rng.normal(0, 1, frames.shape)


def jpeg(frames: np.ndarray, _: np.random.Generator) -> np.ndarray:
    decoded = []
    for frame in np.rint(np.clip(frames, 0, 255)).astype(np.uint8):
        file = io.BytesIO()
        Image.fromarray(frame).save(file, "jpeg", quality=95)
        decoded.append(np.asarray(Image.open(file)))
    return np.array(decoded, float)


def matt(frames: np.ndarray, _: np.random.Generator) -> np.ndarray:
    """No mirror images of the lamps: the dome is matt, or there is none."""
    near = np.ones((9, 9), np.uint8)
    bare = []
    for frame in np.rint(frames).astype(np.uint8):
        bright = cv2.dilate((frame > 200).astype(np.uint8), near)
        bare.append(cv2.inpaint(frame, bright, 5, cv2.INPAINT_TELEA))
    return np.array(bare, float)


# A camera, and how many of the 24 scenes, 14 of which can be read, it must read at least.
CAMERAS = {
    "gamma-0.75": (bent(0.75), 12),
    "gamma-1.35": (bent(1.35), 12),
    "pedestal": (pedestal, 12),
    "worn": (worn, 8),
    "jpeg": (jpeg, 10),
}


def through(camera: Camera, frames: np.ndarray, seed: int) -> np.ndarray:
    seen = camera(frames.astype(float), np.random.default_rng(seed))
    return np.clip(np.rint(seen), 0, 255).astype(np.uint8)


class Seen(Calibration):
    """A calibration from the committed pictures, seen by another camera."""

    def __init__(self, camera: Camera, frames: Path, faces: Camera | None = None) -> None:
        self._camera = faces or camera
        self._faces = frames / "calib" / STYLE
        super().__init__(through(camera, load(frames / "calib" / "empty"), 0), Rig(), lambda _: None)

    def pictures(self, faces: Path) -> dict[int, np.ndarray]:
        return {face: through(self._camera, scene, face) for face, scene in super().pictures(faces).items()}

    def profile_of_nothing(self) -> dict:
        """The fields that need no dice."""
        return self._describe("", DARK_PIPS)

    def made(self, path: Path) -> Path:
        self.measure_light(self._faces)
        self.measure_gains(self._faces)
        write_profile(self.profile(STYLE, DARK_PIPS, self._faces), path)
        return path


def outcomes(runtime: Runtime, camera: Camera, profile: Path, scenes: int) -> list[Outcome]:
    labels = [label for label in load_labels(FRAMES / "scenes320") if label.style == STYLE][:scenes]
    with READERS[runtime](profile, 3) as read:
        return [
            judge(label, read([f.tobytes() for f in through(camera, load(label.path), i)])).outcome
            for i, label in enumerate(labels)
        ]


@pytest.mark.parametrize("name", CAMERAS)
def test_the_device_reads_what_another_camera_shows_and_nothing_wrong(name, tmp_path):
    camera, least = CAMERAS[name]
    profile = Seen(camera, FRAMES / "scenes320").made(tmp_path / "profile.json")
    found = outcomes(Runtime.MICROPYTHON, camera, profile, 24)
    assert not any(outcome.is_error for outcome in found), found
    assert found.count(Outcome.RIGHT) >= least


def test_the_host_s_reader_takes_the_camera_s_curve_away_too(tmp_path):
    camera, _ = CAMERAS["gamma-0.75"]
    profile = Seen(camera, FRAMES / "scenes320").made(tmp_path / "profile.json")
    found = outcomes(Runtime.HOST, camera, profile, 10)
    assert not any(outcome.is_error for outcome in found), found
    assert Outcome.LOST not in found


@pytest.mark.parametrize(("size", "gamma"), [("scenes320", 0.65), ("scenes160", 0.8), ("scenes320", 1.25)])
def test_with_the_curve_measured_half_the_light_is_half_the_level(size, gamma):
    seen = Seen(bent(gamma), FRAMES / size)
    seen.measure_light(FRAMES / size / "calib" / STYLE)
    fields = seen.profile_of_nothing()
    table = tone_table(fields["black"], fields["gamma"])
    assert table is not None
    for level in (30, 50, 80, 120):
        full, half = (table[round(255 * (light / 255) ** gamma)] - 2 for light in (2 * level, level))
        assert half / full == pytest.approx(0.5, rel=0.12)


@pytest.mark.parametrize("size", ["scenes320", "scenes160"])
def test_lamps_that_no_dome_mirrors_are_found_by_their_light(size):
    told, found = (
        [lamp["at"] for lamp in Seen(camera, FRAMES / size).profile_of_nothing()["lamps"]]
        for camera in (bent(1), matt)
    )
    assert np.abs(np.array(told) - np.array(found)).max() < 10  # mm; a lamp is 13 wide


def test_clear_dice_that_throw_no_dark_shadow_do_not_bend_a_linear_camera():
    seen = Seen(bent(1), FRAMES / "scenes160", faces=lambda frames, _: np.maximum(frames, 12))
    seen.measure_light(FRAMES / "scenes160" / "calib" / STYLE)
    assert "black" not in seen.profile_of_nothing()


def test_pictures_of_dice_in_another_light_are_told(tmp_path):
    seen = Seen(bent(1), FRAMES / "scenes320", faces=lambda frames, _: 0.4 * frames)
    with pytest.raises(CalibrationError, match="face1: too-dark: take its pictures with the lamps"):
        seen.made(tmp_path / "profile.json")


def test_a_curve_that_no_gamma_explains_is_told(tmp_path):
    with pytest.raises(CalibrationError, match="the camera's own corrections"):
        Seen(crushed, FRAMES / "scenes320").made(tmp_path / "profile.json")
