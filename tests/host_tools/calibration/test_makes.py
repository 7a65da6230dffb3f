"""Makes of dice whose pips lie near each other, and dice so clear that those of the far face show."""

from pathlib import Path

import numpy as np
import pytest

from host_tools.calibration import Calibration, Rig, load, write_profile
from host_tools.calibration.proof import prove
from host_tools.twin.mix import load_mix
from host_tools.twin.placing import place
from host_tools.twin.studio import Studio
from host_tools.twin.unit import Unit, generator
from tumbler.reader import Reader, load_profile

ROOT = Path(__file__).resolve().parents[3]
FRAMES = ROOT / "tests" / "frames"
CALIB = FRAMES / "scenes160" / "calib"


def calibration(empty: Path, matt: Path, die: float) -> Calibration:
    made = Calibration(load(empty), Rig(die=die), lambda _: None)
    made.measure_light(matt)
    made.measure_gains(matt)
    return made


def test_dice_whose_six_lies_beside_the_corners_of_the_other_faces_read_their_own_pictures(tmp_path):
    unit = Unit(11, 2)
    assert unit.style("ivory_black").brand.name == "compact"
    unit.photograph(tmp_path, "ivory_black", "320x240", "four")
    made = calibration(tmp_path / "empty", tmp_path, unit.edge)
    fields = made.profile("compact", "dark-pips", tmp_path)
    assert all(read.right for read in prove(fields, made.pictures(tmp_path), None))


def test_light_pips_that_blur_joins_at_half_the_size_make_the_shipped_profile(tmp_path):
    made = calibration(CALIB / "empty", CALIB / "white_black", 16.0)
    profile = tmp_path / "casino_red_160.json"
    write_profile(made.profile("casino_red", "light-pips", CALIB / "casino_red"), profile)
    assert profile.read_bytes() == (ROOT / "firmware" / "profiles" / profile.name).read_bytes()


def test_dice_whose_broad_pips_leave_little_bare_lie_level_off_the_middle_too(tmp_path):
    studio = Studio(2, load_mix(), 4)
    unit = Unit(2, 3)
    assert unit.style("white_black").brand.name == "broad"
    unit.photograph(tmp_path, "white_black", "320x240", "four")
    made = calibration(tmp_path / "empty", tmp_path, unit.edge)
    profile = tmp_path / "profile.json"
    write_profile(made.profile("broad", "dark-pips", tmp_path), profile)
    reader = Reader(load_profile(str(profile)))
    for number in (239, 535, 639):  # with dice near the wall, to all sides
        scene = studio.shoot(number)
        assert (scene.unit, scene.label["style"], scene.label["size"]) == (unit, "white_black", "320x240")
        reader.begin()
        for lamp, frame in enumerate(scene.picture.frames):
            reader.add(frame.tobytes(), lamp)
        assert reader.finish().faces, "off by 5 degrees and more while the lamps' strengths were wrong"


def test_sixes_whose_broad_pips_leave_one_line_bare_are_not_cracked(tmp_path):
    unit = Unit(9843, 2)
    style = unit.style("black_white")
    assert style.brand.name == "broad"
    for name in ("white_black", "black_white"):
        unit.photograph(tmp_path / name, name, "160x120", "four")
    made = calibration(tmp_path / "white_black" / "empty", tmp_path / "white_black", unit.edge)
    profile = tmp_path / "profile.json"
    write_profile(made.profile("broad", "light-pips", tmp_path / "black_white"), profile)
    reader = Reader(load_profile(str(profile)))
    camera = unit.camera("160x120", "four", "tracer")
    cracked = []
    for number in range(40):
        rng = generator("scenes with broad pips", number)
        picture = camera.render(place("flat", unit.machine(), rng), style, rng)
        cracked.append(answer(reader, picture.frames).detail == "crack")
    assert sum(cracked) <= 5


def answer(reader, frames):
    reader.begin()
    for lamp, frame in enumerate(frames):
        reader.add(np.rint(frame).astype(np.uint8).tobytes(), lamp)
    return reader.finish()


@pytest.mark.parametrize("size", ["320", "160"])
@pytest.mark.parametrize("face", range(1, 7))
def test_clear_dice_through_which_the_far_face_shows_are_read(size, face):
    reader = Reader(load_profile(str(ROOT / "firmware" / "profiles" / f"casino_red_{size}.json")), 1)
    scene = load(FRAMES / f"scenes{size}" / "calib" / "casino_red" / f"face{face}")
    assert answer(reader, scene).faces == (face,)


@pytest.mark.parametrize("size", ["320", "160"])
@pytest.mark.parametrize("face", [3, 5])
@pytest.mark.parametrize("left", [0.7, 0.6, 0.5])
def test_a_worn_middle_pip_of_clear_dice_is_not_taken_for_the_far_face(size, face, left):
    reader = Reader(load_profile(str(ROOT / "firmware" / "profiles" / f"casino_red_{size}.json")), 1)
    scene = load(FRAMES / f"scenes{size}" / "calib" / "casino_red" / f"face{face}").astype(float)
    (die,) = answer(reader, scene).dice
    rows, columns = np.indices(scene.shape[1:])
    away = np.hypot(columns - die.x, rows - die.y) / die.side
    bare = np.median(scene[:, (away > 0.16) & (away < 0.22)], axis=1)[:, None]
    pip = away < 0.15
    scene[:, pip] = bare + left * (scene[:, pip] - bare)
    assert answer(reader, scene).faces in ((), (face,))
