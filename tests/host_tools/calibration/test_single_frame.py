"""Profiles for a tumbler with one ring of lamps, whose images in the dome lie on the dice in each picture."""

import shutil
from pathlib import Path

import pytest

from host_tools.calibration import Calibration, CalibrationError, Rig, load, write_profile
from host_tools.calibration.proof import prove
from host_tools.twin.camera import BRANDS, Brand
from host_tools.twin.mix import Draw, Mix
from host_tools.twin.studio import Studio
from host_tools.twin.unit import Unit
from tumbler.reader import Reader, load_profile

UNIT = Unit(11, 2)
DARK, LIGHT = "dark-pips", "light-pips"
LIKE = 0.06  # share by which a measured length may be off


@pytest.fixture(scope="module")
def photographed(tmp_path_factory):
    """Takes the pictures of a style at a size, once: their folder."""
    taken: dict[tuple[str, str], Path] = {}

    def take(style: str, size: str) -> Path:
        if (style, size) not in taken:
            taken[style, size] = tmp_path_factory.mktemp("ring")
            UNIT.photograph(taken[style, size], style, size, "ring")
        return taken[style, size]

    return take


def calibration(folder: Path) -> Calibration:
    return Calibration(load(folder / "empty"), Rig(die=UNIT.edge), lambda _: None)


def check_make(fields: dict, make: Brand) -> None:
    """The profile has the make's pips where they are, against an outline that may be a little small."""
    pips = {int(face): told["pips"] for face, told in fields["faces"].items()}
    assert pips[5][-1] == pytest.approx((make.pitch, make.pitch), rel=LIKE)
    assert pips[6][-1] == pytest.approx((make.six[1], make.six[0]), rel=LIKE)
    radii = fields["faces"]["1"]["radius"], fields["faces"]["2"]["radius"]
    assert radii[0] / radii[1] == pytest.approx(make.single / make.pip, rel=0.12)


@pytest.mark.parametrize(
    ("style", "polarity", "make"),
    [
        ("ivory_black", DARK, "compact"),
        ("asian_red", DARK, "asian"),
        ("black_white", LIGHT, "classic"),
        ("casino_red", LIGHT, "casino"),
    ],
)
def test_each_make_is_measured_past_the_lamps_images_and_no_face_is_told_wrong(
    style, polarity, make, photographed
):
    folder = photographed(style, "320x240")
    assert UNIT.style(style).brand is BRANDS[make]
    made = calibration(folder)
    fields = made.profile(style, polarity, folder)
    check_make(fields, BRANDS[make])
    assert not any(read.wrong for read in prove(fields, made.pictures(folder), None))


def test_pictures_of_half_the_size_do_as_well(photographed):
    folder = photographed("white_black", "160x120")
    fields = calibration(folder).profile("white", DARK, folder)
    assert fields["faces"]["5"]["pips"][-1] == pytest.approx((0.26, 0.26), rel=LIKE)


def swap(folder: Path, one: str, other: str) -> None:
    (folder / one).rename(folder / "aside")
    (folder / other).rename(folder / one)
    (folder / "aside").rename(folder / other)


def test_a_die_in_the_folder_of_another_face_makes_no_profile(photographed, tmp_path):
    folder = shutil.copytree(photographed("asian_red", "320x240"), tmp_path / "swapped")
    swap(folder, "face3", "face4")
    with pytest.raises(CalibrationError, match="face"):
        calibration(folder).profile("asian", DARK, folder)


def test_a_picture_without_a_die_is_told(photographed, tmp_path):
    folder = shutil.copytree(photographed("asian_red", "320x240"), tmp_path / "without")
    shutil.rmtree(folder / "face2")
    shutil.copytree(folder / "empty", folder / "face2")
    with pytest.raises(CalibrationError, match="face2: 0 bodies where one die should lie"):
        calibration(folder).profile("asian", DARK, folder)


def test_one_lamp_tells_the_dice_but_reads_none_as_it_cannot_show_that_they_are_level(photographed, tmp_path):
    folder = photographed("asian_red", "320x240")
    profile = tmp_path / "profile.json"
    write_profile(calibration(folder).profile("asian", DARK, folder), profile)
    reader = Reader(load_profile(str(profile)), 3)
    told = 0
    for category, scenes in (("flat", 6), ("cocked", 3)):
        for number in range(scenes):
            draw = Draw(category, "asian_red", "320x240", "ring", "tracer", "none")
            shot = Studio(UNIT.seed, Mix({}), UNIT.number + 1).take(number * 3 + 2, draw)
            assert shot.unit == UNIT
            reader.begin()
            reader.add(shot.picture.frames[0].tobytes(), 0)
            reading = reader.finish()
            assert reading.verdict == "refused"
            assert reading.faces == ()
            if category == "flat" and reading.detail == "one-lamp":
                assert sorted(die.face for die in reading.dice) == sorted(shot.label["values"])
                told += 1
    assert told >= 1
