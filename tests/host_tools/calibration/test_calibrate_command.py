"""`tumbler calibrate`: profiles from the rig's pictures, proved, and every kind of unusable picture told."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

ROOT = Path(__file__).resolve().parents[3]
TUMBLER = Path(sys.executable).with_name("tumbler")
CALIB = ROOT / "tests" / "frames" / "scenes320" / "calib"


def calibrate(*arguments):
    command = [TUMBLER, "calibrate", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def test_the_profile_is_the_shipped_one_and_its_pictures_show_what_was_found(tmp_path):
    out = tmp_path / "white_black.json"
    options = ("--empty", CALIB / "empty", "--faces", CALIB / "white_black", "--out", out)
    done = calibrate(*options, "--annotate", tmp_path / "seen", "--json")
    assert done.returncode == 0, done.stderr
    assert [(each["face"], each["read"]) for each in json.loads(done.stdout)["faces"]] == [
        (face, face) for face in range(1, 7)
    ]
    assert out.read_bytes() == (ROOT / "firmware" / "profiles" / "white_black_320.json").read_bytes()
    assert {path.name for path in (tmp_path / "seen").iterdir()} == {
        "empty.png",
        *(f"face{face}.png" for face in range(1, 7)),
    }


def test_a_profile_that_refuses_every_face_is_not_written(tmp_path, pictures):
    for number in range(1, 7):  # something dark lies there, too, which does not disturb the measuring
        for path in (pictures / "white_black" / f"face{number}").iterdir():
            picture = np.array(Image.open(path))
            picture[56:72, 104:120] = 2
            Image.fromarray(picture).save(path)
    out = tmp_path / "profile.json"
    options = ("--empty", pictures / "empty", "--faces", pictures / "white_black", "--out", out)
    done = calibrate(*options)
    assert done.returncode == 1, done.stderr
    assert "No profile is written, it refuses every face" in done.stdout
    assert not out.exists()


def test_light_pips(tmp_path):
    out = tmp_path / "black_white.json"
    options = ("--empty", CALIB / "empty", "--faces", CALIB / "black_white", "--out", out)
    done = calibrate(*options, "--polarity", "light-pips", "--json")
    assert done.returncode == 0, done.stderr
    read = {each["face"]: each["read"] for each in json.loads(done.stdout)["faces"]}
    assert all(read[face] in (0, face) for face in read)
    assert json.loads(out.read_text())["polarity"] == "light-pips"


@pytest.fixture
def pictures(tmp_path):
    return shutil.copytree(CALIB, tmp_path / "calib")


def swap(folder, one, other):
    (folder / one).rename(folder / "aside")
    (folder / other).rename(folder / one)
    (folder / "aside").rename(folder / other)


def spoilt(pictures, how):
    faces = pictures / "white_black"
    if how == "missing":
        (faces / "face3" / "lamp2.png").unlink()
    elif how == "swapped":
        swap(faces, "face3", "face4")
    elif how == "no-die":
        shutil.rmtree(faces / "face2")
        shutil.copytree(pictures / "empty", faces / "face2")
    elif how == "dark":
        for lamp in range(1, 4):
            shutil.copyfile(pictures / "empty" / "lamp0.png", pictures / "empty" / f"lamp{lamp}.png")
    elif how == "one-lamp":
        for lamp in range(1, 4):
            (pictures / "empty" / f"lamp{lamp}.png").unlink()
    elif how == "order":
        for folder in (pictures / "empty", *faces.iterdir()):
            swap(folder, "lamp0.png", "lamp1.png")
    elif how == "no-folder":
        shutil.rmtree(faces / "face6")
    elif how == "unlit":
        shutil.copyfile(pictures / "empty" / "lamp2.png", faces / "face3" / "lamp1.png")
    else:
        for picture in pictures.glob("**/lamp?.png"):
            Image.open(picture).resize((8, 6) if how == "tiny" else (1200, 900)).save(picture)


@pytest.mark.parametrize(
    ("how", "advice"),
    [
        ("missing", "face3: no lamp2.png"),
        ("swapped", "face3: 4 pips found on face 3: does the die show its 3"),
        ("no-die", "face2: 0 bodies where one die should lie"),
        ("dark", "neither a mirror image of the lamp"),
        ("one-lamp", "face1: 4 pictures of the die, 1 of the empty platform"),
        ("order", "lamps 0 and 2, and 1 and 3, must be opposite"),
        ("no-folder", "face6: no such folder"),
        ("unlit", "face3: lamp-not-lit: take its pictures"),
        ("tiny", "empty: pictures of 8 x 6 pixels"),
        ("huge", "empty: pictures of 1200 x 900 pixels"),
    ],
)
def test_unusable_pictures_make_no_profile(pictures, tmp_path, how, advice):
    spoilt(pictures, how)
    out = tmp_path / "profile.json"
    done = calibrate("--empty", pictures / "empty", "--faces", pictures / "white_black", "--out", out)
    assert done.returncode == 2, done.stdout + done.stderr
    assert advice in done.stderr
    assert "Traceback" not in done.stderr
    assert not out.exists()


def test_the_height_of_the_lens_can_be_told(tmp_path):
    out = tmp_path / "profile.json"
    options = ("--empty", CALIB / "empty", "--faces", CALIB / "white_black", "--out", out)
    done = calibrate(*options, "--camera-mm", "160")
    assert done.returncode == 0, done.stderr
    assert json.loads(out.read_text())["lens"] == 16 / 160
