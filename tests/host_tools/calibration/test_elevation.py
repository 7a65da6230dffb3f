"""How high lamps hang is told by the shadows of dice: in another renderer, and of lamps hung anywhere."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from host_tools.calibration import Calibration, Rig, load, write_profile
from host_tools.calibration.elevation import elevations_of
from host_tools.calibration.rig import find_images, find_platform
from host_tools.twin.camera import STYLES, Tracer
from host_tools.twin.camera import Rig as Machine
from host_tools.twin.camera.photos import photograph
from host_tools.twin.labels import label
from host_tools.twin.placing import place
from host_tools.twin.unit import Unit, generator
from tumbler.reader import Reader, load_profile
from tumbler.reader.profile import DARK_PIPS

FRAMES = Path(__file__).resolve().parents[2] / "frames"
UNIT = Unit(9830)


def told(empty: np.ndarray, faces: Path, rig: Rig) -> np.ndarray | None:
    platform = find_platform(empty)
    scenes = [load(faces / f"face{face}") for face in range(1, 7)]
    return elevations_of(empty, scenes, platform, find_images(empty, platform), rig)


@pytest.mark.parametrize("size", ["scenes320", "scenes160"])
@pytest.mark.parametrize(
    ("style", "off"),
    [
        ("white_black", 1.5),
        ("ivory_black", 1.5),
        ("asian_red", 1.5),
        ("black_white", 1.5),
        ("casino_red", 2.5),
    ],
)
def test_shadows_tell_it_in_another_renderer(size, style, off):
    folder = FRAMES / size / "calib"
    found = told(load(folder / "empty"), folder / style, Rig(elevation=30))
    assert found == pytest.approx([46.1, 46.1, 46.35, 47.07], abs=off)


def hung(machine: Machine, flat: tuple[float, ...], high: tuple[float, ...]) -> Machine:
    """The machine with each lamp so many times as far aside, and as high, and as strong as is right there."""
    moved = [
        replace(lamp, at=(x * f, y * f, z * h), gain=lamp.gain * f * h)
        for lamp, f, h in zip(machine.lamps, flat, high, strict=True)
        for x, y, z in [lamp.at]
    ]
    return replace(machine, lamps=tuple(moved))


@pytest.mark.parametrize(
    ("flat", "high", "distance"),
    [
        ((1.15,) * 4, (0.8,) * 4, 170),
        ((0.8,) * 4, (1.15,) * 4, 170),
        ((1.1, 0.9, 1.1, 0.9), (0.9, 1.1, 0.9, 1.1), 170),
        ((0.85,) * 4, (0.85,) * 4, 145),
        ((1.25,) * 4, (1.25,) * 4, 215),
    ],
    ids=["low", "high", "uneven", "near", "far"],
)
def test_dice_are_read_under_lamps_that_hang_elsewhere(flat, high, distance, tmp_path):
    machine = hung(UNIT.rig("160x120", "four"), flat, high)
    camera, style = Tracer(machine), STYLES["white_black"]
    rng = generator("photographs of lamps elsewhere")
    photograph(camera, style, tmp_path, rng, UNIT.edge, machine.platform)
    true = [np.degrees(np.arctan2(lamp.at[2], np.hypot(*lamp.at[:2]))) for lamp in machine.lamps]
    rig = Rig(die=UNIT.edge, platform=machine.platform, lamp=distance)
    assert told(load(tmp_path / "empty"), tmp_path, rig) == pytest.approx(true, abs=2)

    calibration = Calibration(load(tmp_path / "empty"), rig, lambda text: None)
    calibration.measure_light(tmp_path)
    calibration.measure_gains(tmp_path)
    fields = calibration.profile("white_black", DARK_PIPS, tmp_path)
    assert "gamma" not in fields, "the camera is linear"
    write_profile(fields, tmp_path / "profile.json")
    reader = Reader(load_profile(str(tmp_path / "profile.json")))
    right = 0
    for number in range(8):
        rng = generator("scenes of lamps elsewhere", number)
        scene = place("flat", UNIT.machine(), rng)
        picture = camera.render(scene, style, rng)
        reader.begin()
        for lamp, frame in enumerate(picture.frames):
            reader.add(frame.tobytes(), lamp)
        reading = reader.finish()
        values = label(str(number), "flat", scene, style, picture, machine.lens)["values"]
        assert reading.reason or sorted(reading.faces) == sorted(values)
        right += not reading.reason
    assert right >= 6


def test_a_floor_as_dark_as_its_shadows_tells_nothing():
    folder = FRAMES / "scenes160" / "calib"
    empty = load(folder / "empty")
    dark = np.where(empty > 150, empty, empty // 6)  # the lamps' mirror images in the dome stay
    assert told(dark, folder / "white_black", Rig()) is None
