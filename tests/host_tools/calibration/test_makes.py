"""Makes of dice whose pips lie so near each other that one may be taken for another."""

from pathlib import Path

from host_tools.calibration import Calibration, Rig, load, write_profile
from host_tools.calibration.proof import prove
from host_tools.twin.mix import load_mix
from host_tools.twin.studio import Studio
from host_tools.twin.unit import Unit
from tumbler.reader import Reader, load_profile

ROOT = Path(__file__).resolve().parents[3]
CALIB = ROOT / "tests" / "frames" / "scenes160" / "calib"


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
