"""A soft lens spreads the light of light pips over a dark face: calibration tells how far, and the face is
judged where it does not reach."""

from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from host_tools.calibration import Calibration, Rig, load, write_profile
from host_tools.calibration.blur import SOFT, spread
from host_tools.read.runtimes import READERS, Runtime
from host_tools.twin.camera import Tracer
from host_tools.twin.camera.photos import photograph
from host_tools.twin.placing import place
from host_tools.twin.truth import tell
from host_tools.twin.unit import Unit

UNIT = Unit(5)
STYLE = "black_white"
SCENES = 16


def disc(x: float, y: float, radius: float, blur: float) -> np.ndarray:
    """A bright disc on a dim face through a lens, with eight points to a pixel each way."""
    fine = 8
    rows, columns = (np.indices((40 * fine, 40 * fine)) + 0.5) / fine - 0.5
    lit = 10 + 90.0 * (np.hypot(columns - x, rows - y) < radius)
    lit = cv2.GaussianBlur(lit, (0, 0), fine * blur)
    return lit.reshape(40, fine, 40, fine).mean((1, 3))


@pytest.mark.parametrize("blur", [0.9, 1.2, 1.5])
@pytest.mark.parametrize("radius", [2.6, 3.2])
def test_the_spread_is_that_of_the_lens_and_of_a_pixel_itself(radius, blur):
    told = spread(disc(19.7, 20.2, radius, blur), 19.7, 20.2, radius)
    assert told == pytest.approx(np.hypot(blur, 12**-0.5), rel=0.15)


@pytest.mark.parametrize("blur", [0.3, 0.45, 0.65])
@pytest.mark.parametrize("radius", [1.3, 2.6, 3.2])
def test_lenses_in_focus_are_sharp(radius, blur):
    assert spread(disc(19.7, 20.2, radius, blur), 19.7, 20.2, radius) < SOFT


def made(blur: float, folder: Path) -> tuple[Tracer, dict]:
    """A camera with that lens, and the profile that its pictures give."""
    machine, style = UNIT.machine(), UNIT.style(STYLE)
    rig = UNIT.rig("320x240", "four")
    camera = Tracer(replace(rig, sensor=replace(rig.sensor, blur=blur)))
    photograph(camera, style, folder, np.random.default_rng(1), UNIT.edge, machine.platform_radius)
    measured = Rig(die=UNIT.edge, platform=machine.platform_radius)
    calibration = Calibration(load(folder / "empty"), measured, lambda _: None)
    calibration.measure_light(folder)
    return camera, calibration.profile(STYLE, "light-pips", folder)


def read(camera: Tracer, profile: Path) -> int:
    """How many scenes are read, none of them wrongly."""
    machine, style, right = UNIT.machine(), UNIT.style(STYLE), 0
    with READERS[Runtime.MICROPYTHON](profile, 3) as read_scene:
        for number in range(SCENES):
            scene = place(("flat", "touching", "wall")[number % 3], machine, np.random.default_rng(number))
            frames = camera.render(scene, style, np.random.default_rng(number)).frames
            answer = read_scene([frame.tobytes() for frame in frames])
            if answer["verdict"] == "read":
                assert sorted(answer["faces"]) == sorted(tell(scene).faces)
                right += 1
    return right


def test_dark_dice_are_read_through_a_soft_lens(tmp_path):
    camera, fields = made(1.1, tmp_path)
    assert fields["blur"] == pytest.approx(1.15, abs=0.15)
    write_profile(fields, tmp_path / "told.json")
    write_profile({name: fields[name] for name in fields if name != "blur"}, tmp_path / "sharp.json")
    right = read(camera, tmp_path / "told.json")
    assert right >= SCENES - 1
    assert right > read(camera, tmp_path / "sharp.json")


def test_of_a_lens_in_focus_nothing_is_said(tmp_path):
    _, fields = made(0.6, tmp_path)
    assert "blur" not in fields
