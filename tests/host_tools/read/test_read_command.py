"""`tumbler read` and the picture loader: both runtimes, and a clear error with status 2 for bad input."""

import json
import tempfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw
from typer.testing import CliRunner

from host_tools.cli import app
from host_tools.commands import read as command
from host_tools.images import ImageError, load_frame, load_scene
from host_tools.scoring import judge, load_labels

ROOT = Path(__file__).parents[3]
FRAMES = ROOT / "tests/frames"
PROFILE = ROOT / "firmware/profiles/white_black_320.json"
SCENE = FRAMES / "scenes320/0004"
PHOTO = FRAMES / "photos/webcam_mt_five_37.png"

if not any(entry.callback is command.read for entry in app.registered_commands):
    command.register(app)


def run(*arguments):
    return CliRunner().invoke(app, ["read", *map(str, arguments)])


@pytest.fixture
def scene(tmp_path):
    """A copy of a good scene to spoil."""
    folder = tmp_path / "scene"
    folder.mkdir()
    for lamp in range(4):
        (folder / f"lamp{lamp}.png").write_bytes((SCENE / f"lamp{lamp}.png").read_bytes())
    return folder


@pytest.mark.parametrize("runtime", ["micropython", "cpython", "host"])
def test_reads_scenes_as_json_lines(runtime):
    done = run("--profile", PROFILE, "--runtime", runtime, "--json", SCENE, FRAMES / "scenes320/0026")
    assert done.exit_code == 0, done.output
    good, missing = map(json.loads, done.stdout.splitlines())
    assert good["file"] == str(SCENE)
    assert (good["verdict"], good["faces"], good["reason"]) == ("read", [1, 4, 2], None)
    names = {"face", "x", "y", "side", "angle", "tilt_deg", "flat", "margin", "confidence"}
    assert all(set(die) == names for die in good["dice"])
    assert good["ms"] >= 0
    assert (missing["verdict"], missing["faces"], missing["reason"]) == ("refused", [], "die-missing")


def test_says_it_in_words():
    done = run("--profile", PROFILE, SCENE, FRAMES / "scenes320/0034")
    assert "1 4 2" in done.stdout
    assert "refused, extra-object: 4 bodies" in done.stdout


def test_count_is_what_must_lie_there():
    done = run("--profile", PROFILE, "--count", 2, "--json", FRAMES / "scenes320/0026")
    assert json.loads(done.stdout)["faces"] == [3, 3]


def test_pgm_is_read_like_png(scene):
    for lamp in range(4):
        path = scene / f"lamp{lamp}.png"
        frame = load_frame(path)
        header = b"P5\n# made by hand\n%d %d\n255\n" % (frame.width, frame.height)
        path.with_suffix(".pgm").write_bytes(header + frame.pixels)
        assert load_frame(path.with_suffix(".pgm")) == frame
        path.unlink()
    assert json.loads(run("--profile", PROFILE, "--json", scene).stdout)["faces"] == [1, 4, 2]


def chunk(kind, data):
    return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")


def spoil(path, how):
    data = path.read_bytes()
    image = Image.open(path)
    if how == "truncated":
        path.write_bytes(data[: len(data) // 2])
    elif how == "empty":
        path.write_bytes(b"")
    elif how == "text":
        path.write_text("not a picture")
    elif how == "jpeg":
        image.save(path, "JPEG")
    elif how == "colour":
        image.convert("RGB").save(path)
    elif how == "transparent":
        image.convert("LA").save(path)
    elif how == "palette":
        image.convert("P").save(path)
    elif how == "16-bit":
        image.convert("I;16").save(path)
    elif how == "1-bit":
        image.convert("1").save(path)
    elif how == "other-size":
        image.resize((160, 120)).save(path)
    elif how == "huge":
        header = chunk(b"IHDR", (100000).to_bytes(4, "big") * 2 + bytes([8, 0, 0, 0, 0]))
        path.write_bytes(data[:8] + header + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b""))
    elif how == "wide":
        Image.new("L", (5000, 4)).save(path)
    elif how == "bad-checksum":
        path.write_bytes(data[:60] + bytes([data[60] ^ 255]) + data[61:])
    elif how == "short-pgm":
        path.unlink()
        path.with_suffix(".pgm").write_bytes(b"P5 320 240 255\n" + bytes(100))
    elif how == "text-pgm":
        path.unlink()
        path.with_suffix(".pgm").write_bytes(b"P5 x y z\n")
    elif how == "missing":
        path.unlink()
    elif how == "folder":
        path.unlink()
        path.mkdir()
    elif how == "doubled":
        image.save(path.with_suffix(".pgm"))


BAD = {
    "truncated": "damaged",
    "empty": "not a PNG or PGM",
    "text": "not a PNG or PGM",
    "jpeg": "not a PNG or PGM",
    "colour": "colour; save it as 8-bit grey",
    "transparent": "transparent; save it as 8-bit grey",
    "palette": "palette; save it as 8-bit grey",
    "16-bit": "16-bit; save it as 8-bit grey",
    "1-bit": "1-bit; save it as 8-bit grey",
    "other-size": "160 x 120 pixels",
    "huge": "lamp2",
    "wide": "at most 4096",
    "bad-checksum": "lamp2",
    "short-pgm": "damaged",
    "text-pgm": "lamp2",
    "missing": "no lamp2.png",
    "folder": "is a folder",
    "doubled": "remove one",
}


@pytest.mark.parametrize(("how", "message"), BAD.items())
def test_a_bad_picture_is_an_error(scene, how, message):
    spoil(scene / "lamp2.png", how)
    with pytest.raises(ImageError, match=message):
        load_scene(scene)
    done = run("--profile", PROFILE, "--json", "--runtime", "cpython", scene)
    assert done.exit_code == 2
    assert message in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((FRAMES / "scenes320/0004/lamp0.png",), "give the folder"),
        ((FRAMES / "scenes160/0004",), "the profile is for 320 x 240"),
        ((FRAMES / "nowhere",), "nowhere"),
    ],
)
def test_a_wrong_input_is_an_error(arguments, message):
    done = run("--profile", PROFILE, *arguments)
    assert done.exit_code == 2
    assert message in done.stderr


BAD_PROFILES = ["", "{", "[]", "{}", '{"format": 1}', "\xff", PROFILE.read_text()[:500], "[" * 100_000]
BAD_PROFILES.append("\xef\xbb\xbf" + PROFILE.read_text())  # a byte order mark, which no board takes


@pytest.mark.parametrize("text", BAD_PROFILES)
def test_a_bad_profile_is_an_error(tmp_path, text):
    path = tmp_path / "profile.json"
    path.write_bytes(text.encode("latin-1"))
    done = run("--profile", path, SCENE)
    assert done.exit_code == 2
    assert str(path) in done.stderr


def test_a_missing_profile_is_an_error():
    done = run("--profile", "nowhere.json", SCENE)
    assert done.exit_code == 2
    assert "nowhere.json" in done.stderr


def test_says_what_is_missing_to_read():
    assert "give --profile, or --die-px" in run(SCENE).stderr
    assert "give --profile, or --die-px" in run("--profile", PROFILE, "--die-px", 25, SCENE).stderr
    wrong = run("--die-px", 25, "--runtime", "cpython", PHOTO)
    assert (wrong.exit_code, wrong.stdout) == (2, "")
    assert "--runtime host" in wrong.stderr


@pytest.mark.parametrize("polarity", ["dark-pips", "light-pips"])
def test_a_photograph_is_never_read_wrong_without_a_profile(polarity):
    for label in load_labels(FRAMES / "photos"):
        size = ("--die-px", label.fields["die_px"], "--count", len(label.values), "--polarity", polarity)
        done = run(*size, "--json", label.path)
        assert done.exit_code == 0, done.output
        assert not judge(label, json.loads(done.stdout)).outcome.is_error


def test_dice_alone_on_even_floor_are_read_without_a_profile(tmp_path):
    path = tmp_path / "overhead.png"
    draw_overhead(path, [(1, 125, 100, 10), (5, 162, 120, 35), (6, 197, 140, 80)])
    fields = json.loads(run("--die-px", 26, "--json", path).stdout)
    assert (fields["verdict"], fields["faces"]) == ("read", [1, 5, 6])
    assert all(die["tilt_deg"] is None for die in fields["dice"])


def test_dice_that_may_lean_on_each_other_are_not_read_without_a_profile(tmp_path):
    path = tmp_path / "overhead.png"
    draw_overhead(path, [(1, 70, 60, 10), (5, 160, 120, 0), (6, 190, 120, 0)])
    assert json.loads(run("--die-px", 26, "--json", path).stdout)["verdict"] == "refused"


def draw_overhead(path, dice):
    """Faces at x, y turned by some degrees, 26 pixels wide, drawn eight times larger and reduced."""
    image = Image.new("L", (320 * 8, 240 * 8), 40)
    places = {str(n): ((n % 3 - 1) * 0.265, (n // 3 - 1) * 0.265) for n in range(9)}
    for face, x, y, degrees in dice:
        tile = Image.new("L", (26 * 8, 26 * 8), 170)
        draw = ImageDraw.Draw(tile)
        names = {1: "4", 5: "02468", 6: "036258"}[face]
        for name in names:
            u, v = (26 * 8 * (0.5 + at) for at in places[name])
            draw.ellipse((u - 20, v - 20, u + 20, v + 20), fill=25)
        turned = tile.rotate(degrees, expand=True, fillcolor=0)
        mask = Image.new("L", tile.size, 255).rotate(degrees, expand=True, fillcolor=0)
        image.paste(turned, (8 * x - turned.width // 2, 8 * y - turned.height // 2), mask)
    image.resize((320, 240), Image.Resampling.BOX).save(path)


@pytest.mark.parametrize("runtime", ["cpython", "host"])
def test_draws_what_was_read_for_people(tmp_path, runtime):
    done = run("--profile", PROFILE, "--runtime", runtime, "--annotate", tmp_path / "new", SCENE)
    assert done.exit_code == 0, done.output
    with Image.open(tmp_path / "new/scenes320-0004.png") as picture:
        assert picture.mode == "RGB"
        assert picture.width >= 3 * 320
        red, _, blue = picture.split()
        coloured = np.asarray(blue, int) - np.asarray(red, int)
    assert coloured.max() > 80, "nothing is drawn in colour"


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_damaged_files_end_in_an_error_or_an_honest_answer(data):
    """Bytes changed, lost, doubled or put in anywhere in a frame's file."""
    lamp = data.draw(st.integers(0, 3))
    good = (SCENE / f"lamp{lamp}.png").read_bytes()
    at = data.draw(st.integers(0, len(good)))
    length = data.draw(st.integers(0, 200))
    middle = data.draw(st.binary(max_size=40))
    with tempfile.TemporaryDirectory() as folder:
        for other in range(4):
            (Path(folder) / f"lamp{other}.png").write_bytes((SCENE / f"lamp{other}.png").read_bytes())
        (Path(folder) / f"lamp{lamp}.png").write_bytes(good[:at] + middle + good[at + length :])
        done = run("--profile", PROFILE, "--runtime", "cpython", "--json", folder)
    if done.exit_code == 2:
        assert done.stderr
        assert done.stdout == ""
    else:
        assert done.exit_code == 0, done.output
        fields = json.loads(done.stdout)
        assert fields["verdict"] == "refused" or fields["faces"] == [1, 4, 2]


@settings(max_examples=60, deadline=None)
@given(
    st.binary(max_size=400), st.sampled_from(["", "P5 ", "P5 320 240 255\n", "P5 0 0 255\n", "P2 2 2 255\n"])
)
def test_any_bytes_are_a_picture_or_an_error(content, start):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "frame.pgm"
        path.write_bytes(start.encode() + content)
        done = run("--die-px", 25, "--json", path)
    assert done.exit_code in {0, 2}, done.output
    if done.exit_code == 0:
        assert json.loads(done.stdout)["verdict"] == "refused"
