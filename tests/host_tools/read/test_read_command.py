"""`tumbler read` and the picture loader: both runtimes, and a clear error with status 2 for bad input."""

import json
import zlib
from pathlib import Path

import pytest
from PIL import Image
from typer.testing import CliRunner

from host_tools.cli import app
from host_tools.commands import read as command
from host_tools.images import ImageError, load_frame, load_scene

ROOT = Path(__file__).parents[3]
FRAMES = ROOT / "tests/frames"
PROFILE = ROOT / "firmware/profiles/white_black_320.json"
SCENE = FRAMES / "scenes320/0004"

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


@pytest.mark.parametrize("runtime", ["micropython", "cpython"])
def test_reads_scenes_as_json_lines(runtime):
    done = run("--profile", PROFILE, "--runtime", runtime, "--json", SCENE, FRAMES / "scenes320/0026")
    assert done.exit_code == 0, done.output
    good, missing = map(json.loads, done.stdout.splitlines())
    assert good["file"] == str(SCENE)
    assert (good["verdict"], good["faces"], good["reason"]) == ("read", [1, 4, 2], None)
    names = {"face", "x", "y", "side", "angle", "tilt_deg", "flat", "confidence"}
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


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"format": 1}', "\xff", PROFILE.read_text()[:500]])
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


def test_the_host_runtime_is_not_offered():
    assert run("--profile", PROFILE, "--runtime", "host", SCENE).exit_code == 2
