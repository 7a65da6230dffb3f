"""Makes of dice whose pips lie so near each other that one may be taken for another."""

from pathlib import Path

from host_tools.calibration import Calibration, Rig, load, write_profile
from host_tools.calibration.proof import prove
from host_tools.twin.unit import Unit

ROOT = Path(__file__).resolve().parents[3]
CALIB = ROOT / "tests" / "frames" / "scenes160" / "calib"


def calibration(empty: Path, matt: Path, die: float) -> Calibration:
    made = Calibration(load(empty), Rig(die=die), lambda _: None)
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
