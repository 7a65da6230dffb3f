"""The twin's machines calibrate as real ones do, and the device's reader reads what they show."""

from pathlib import Path

import numpy as np
import pytest

from host_tools.calibration import Calibration, load, write_profile
from host_tools.calibration import Rig as Drawing
from host_tools.twin.camera import STYLES, Rig, Tracer
from host_tools.twin.camera.photos import photograph
from host_tools.twin.camera.warp import Warper
from host_tools.twin.machine import Machine
from host_tools.twin.placing import place
from host_tools.twin.truth import tell
from tumbler.reader import Reader, load_profile

SEED = 100
SCENES = 5


@pytest.fixture(scope="module")
def rig() -> Rig:
    return Rig.drawn(np.random.default_rng(SEED), 320)


@pytest.fixture(scope="module")
def calibrated(rig: Rig, tmp_path_factory) -> tuple[Calibration, Path]:
    """A calibration from the twin's pictures, and the profile of its white dice."""
    folder = tmp_path_factory.mktemp("photos")
    photograph(Tracer(rig), STYLES["white_black"], folder, np.random.default_rng(SEED), 16.0, rig.platform)
    calibration = Calibration(load(folder / "empty"), Drawing(), lambda _: None)
    calibration.measure_light(folder)
    calibration.measure_gains(folder)
    profile = folder / "profile.json"
    write_profile(calibration.profile("twin", "dark-pips", folder), profile)
    return calibration, profile


def test_the_platform_and_the_mirror_images_are_found_where_they_are(rig: Rig, calibrated):
    calibration, _ = calibrated
    x, y, radius = calibration.platform
    turns = np.linspace(0, 2 * np.pi, 90)
    rim = rig.lens.project(rig.platform * np.stack([np.cos(turns), np.sin(turns), 0 * turns], 1))
    assert np.hypot(*(rim.mean(0) - (x, y))) < 1.5
    assert radius == pytest.approx(np.linalg.norm(rim - rim.mean(0), axis=1).mean(), rel=0.02)
    picture = Tracer(rig).render(
        place("flat", Machine(), np.random.default_rng(1)), STYLES["white_black"], np.random.default_rng(1)
    )
    for (image,), glare in zip(calibration.images, picture.glare, strict=True):
        row, column = np.argwhere(glare).mean(0)
        assert np.hypot(image[0] - column, image[1] - row) < 1.0


@pytest.mark.parametrize("make", [Tracer, Warper])
def test_the_device_reads_flat_dice_of_either_renderer_and_none_wrong(make, rig: Rig, calibrated):
    _, profile = calibrated
    camera, reader, right = make(rig), Reader(load_profile(str(profile)), 3), 0
    for seed in range(SCENES):
        rng = np.random.default_rng(seed)
        scene = place("flat", Machine(), rng)
        reader.begin()
        for lamp, frame in enumerate(camera.render(scene, STYLES["white_black"], rng).frames):
            reader.add(frame.tobytes(), lamp)
        reading = reader.finish()
        if reading.verdict == "read":
            assert sorted(reading.faces) == sorted(tell(scene).faces)
            right += 1
    assert right >= SCENES - 2
