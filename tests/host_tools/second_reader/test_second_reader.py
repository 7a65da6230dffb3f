"""The second reader reads what lies flat, refuses what it must, and never names a wrong face."""

import json
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host_tools.images import load_scene
from host_tools.scoring import Tally, load_labels
from host_tools.second_reader import (
    Agreement,
    FrameError,
    ProfileError,
    SecondReader,
    compare,
    load_profile,
)

ROOT = Path(__file__).parents[3]
FRAMES = ROOT / "tests/frames"
PROFILES = ROOT / "firmware/profiles"
READERS: dict[str, SecondReader] = {}


def reader(style, width):
    name = f"{style}_{width}"
    if name not in READERS:
        READERS[name] = SecondReader(load_profile(PROFILES / f"{name}.json"))
    return READERS[name]


def pixels(scene, width=320):
    return [frame.pixels for frame in load_scene(FRAMES / f"scenes{width}/{scene}")]


def pictures(frames):
    return [np.frombuffer(frame, np.uint8).reshape(240, 320).copy() for frame in frames]


@pytest.mark.parametrize("width", [320, 160])
def test_no_committed_scene_is_read_wrong_and_most_are_read(width):
    tally = Tally()
    for label in load_labels(FRAMES / f"scenes{width}"):
        if (PROFILES / f"{label.style}_{width}.json").exists():
            frames = [frame.pixels for frame in load_scene(label.path)]
            tally.add(label, reader(label.style, width).read(frames))
    assert tally.errors == []
    readable = tally.all.right + tally.all.lost
    assert tally.all.lost <= 0.1 * readable, tally.all.reasons


def test_under_one_lamp_only_dice_that_lie_alone_are_read():
    """The mean of four frames is one picture under all the light there is."""
    tally = Tally()
    for label in load_labels(FRAMES / "scenes320"):
        known = load_profile(PROFILES / f"{label.style}_320.json")
        images = tuple(image for images in known.images for image in images)
        single = replace(known, positions=((0.0, 0.0, 300.0),), gains=(1.0,), images=(images,))
        frames = [np.frombuffer(frame.pixels, np.uint8) for frame in load_scene(label.path)]
        tally.add(label, SecondReader(single).read([np.mean(frames, axis=0).astype(np.uint8).tobytes()]))
    assert tally.errors == []
    assert tally.by_category()["flat"].right > 0
    assert tally.by_category()["touching"].right == 0


def test_tells_where_the_dice_lie_and_how_flat():
    [label] = [label for label in load_labels(FRAMES / "scenes320") if label.name == "0004"]
    dice = reader("white_black", 320).read(pixels("0004"))["dice"]
    for die in dice:
        true = min(label.dice, key=lambda true: abs(true.x - die["x"]) + abs(true.y - die["y"]))
        assert (die["face"], die["flat"]) == (true.face, True)
        assert abs(true.x - die["x"]) < 1.5
        assert abs(true.y - die["y"]) < 1.5
        assert die["tilt_deg"] < 3


def test_lamps_in_another_order_are_noticed():
    read = reader("white_black", 320)
    frames = pixels("0004")
    for order in ((1, 0, 2, 3), (2, 1, 0, 3), (3, 2, 1, 0), (1, 2, 3, 0), (0, 3, 2, 1)):
        answer = read.read([frames[lamp] for lamp in order])
        assert (answer["verdict"], answer["detail"]) == ("refused", "lamps-uneven")


def test_a_stuck_camera_is_noticed():
    frames = pixels("0004")
    answer = reader("white_black", 320).read([frames[0]] * 4)
    assert (answer["verdict"], answer["detail"]) == ("refused", "stuck-camera")
    assert (
        reader("white_black", 320).read([frames[0], frames[1], frames[0], frames[3]])["verdict"] == "refused"
    )


@pytest.mark.parametrize("level", [0, 1, 128, 255])
def test_an_even_picture_is_refused(level):
    frames = [bytes([min(level + lamp, 255), *[level] * (320 * 240 - 1)]) for lamp in range(4)]
    assert reader("white_black", 320).read(frames)["verdict"] == "refused"


def test_frames_of_another_number_or_size_are_an_error():
    frames = pixels("0004")
    with pytest.raises(FrameError, match="3 frames"):
        reader("white_black", 320).read(frames[:3])
    with pytest.raises(FrameError, match="320 x 240"):
        reader("white_black", 320).read([*frames[:3], frames[3][:-1]])


@pytest.mark.parametrize("lamp", range(4))
def test_a_frame_of_another_scene_is_noticed(lamp):
    """All frames but one show the same faces: the median alone would never tell."""
    frames, others = pixels("0004"), pixels("0032")
    answer = reader("white_black", 320).read([others[i] if i == lamp else frames[i] for i in range(4)])
    assert answer["verdict"] == "refused"


@pytest.mark.parametrize("lamp", range(4))
@pytest.mark.parametrize("shift", [(0, 2), (2, 0), (-2, 1), (0, -3)])
def test_a_die_that_moves_between_frames_is_noticed(lamp, shift):
    frames = pictures(pixels("0004"))
    [die] = [die for die in reader("white_black", 320).read(pixels("0004"))["dice"] if die["face"] == 4]
    x, y, half = round(die["x"]), round(die["y"]), 13
    moved = frames[lamp][y - half : y + half, x - half : x + half].copy()
    frames[lamp][y - half + shift[1] : y + half + shift[1], x - half + shift[0] : x + half + shift[0]] = moved
    assert reader("white_black", 320).read([frame.tobytes() for frame in frames])["verdict"] == "refused"


@pytest.mark.parametrize("level", [0, 255])
def test_a_stuck_pixel_on_a_pip_never_hides_it(level):
    known = load_profile(PROFILES / "asian_red_160.json")
    right = SecondReader(known).read(pixels("0000", 160))
    [three] = [die for die in right["dice"] if die["face"] == 3]
    x, y = round(three["x"]), round(three["y"])
    frames = [bytearray(frame) for frame in pixels("0000", 160)]
    for frame in frames:
        frame[y * 160 + x] = level
    mended = SecondReader(replace(known, stuck=(*known.stuck, (x, y)))).read([bytes(f) for f in frames])
    assert mended["verdict"] == "refused" or mended["faces"] == right["faces"]
    unknown = SecondReader(known).read([bytes(f) for f in frames])
    assert unknown["verdict"] == "refused" or unknown["faces"] == right["faces"]


def test_one_lamp_gone_dark_is_refused():
    frames = pixels("0004")
    assert reader("white_black", 320).read([*frames[:3], bytes(320 * 240)])["verdict"] == "refused"


@settings(max_examples=25, deadline=None)
@given(st.data())
def test_a_pip_painted_over_is_never_read(data):
    """A pip gone or added under all lamps, wherever: the face is refused, unless a fair other one remains."""
    frames = pictures(pixels("0000"))
    answer = reader("asian_red", 320).read(pixels("0000"))
    die = data.draw(st.sampled_from(answer["dice"]))
    turn = np.radians(die["angle"])
    u = data.draw(st.floats(-0.3, 0.3)) * die["side"]
    v = data.draw(st.floats(-0.3, 0.3)) * die["side"]
    x = die["x"] + np.cos(turn) * u - np.sin(turn) * v
    y = die["y"] + np.sin(turn) * u + np.cos(turn) * v
    rows, columns = np.mgrid[:240, :320]
    spot = np.hypot(columns - x, rows - y) <= 2.6
    for frame in frames:
        around = np.hypot(columns - die["x"], rows - die["y"]) <= 11
        frame[spot] = np.median(frame[around]) * data.draw(st.sampled_from([0.15, 1.0]))
    spoiled = reader("asian_red", 320).read([frame.tobytes() for frame in frames])
    true = sorted(answer["faces"])
    centre = np.hypot(u, v) < 2.5  # a five without its middle is a four, whoever looks
    assert spoiled["verdict"] == "refused" or sorted(spoiled["faces"]) == true or centre


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from(["0004", "0032", "0008"]))
def test_covered_parts_never_make_another_face(seed, scene):
    """A thing of any grey over any part of the platform: refused, or read as the dice still lie."""
    rng = np.random.default_rng(seed)
    frames = pictures(pixels(scene))
    true = sorted(reader("white_black", 320).read(pixels(scene))["faces"])
    x, y = rng.integers(70, 230), rng.integers(30, 190)
    wide, high = rng.integers(6, 40, 2)
    level = rng.integers(0, 256)
    for frame in frames:
        frame[y : y + high, x : x + wide] = level
    answer = reader("white_black", 320).read([frame.tobytes() for frame in frames])
    assert answer["verdict"] == "refused" or sorted(answer["faces"]) == true


@settings(max_examples=10, deadline=None)
@given(st.binary(min_size=1, max_size=64), st.integers(0, 2**32 - 1))
def test_noise_is_refused(pattern, seed):
    rng = np.random.default_rng(seed)
    frames = [rng.integers(0, 256, 320 * 240, dtype=np.uint8) for _ in range(4)]
    for frame in frames:
        frame[: len(pattern)] = np.frombuffer(pattern, np.uint8)
    assert reader("white_black", 320).read([frame.tobytes() for frame in frames])["verdict"] == "refused"


@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"format": 3}', "\xff", "[" * 100_000])
def test_a_bad_profile_is_an_error(tmp_path, text):
    path = tmp_path / "profile.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(ProfileError, match="profile"):
        load_profile(path)


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_a_profile_changed_anywhere_is_no_other_error(tmp_path_factory, data):
    fields = json.loads((PROFILES / "white_black_320.json").read_text())
    name = data.draw(st.sampled_from(sorted(fields)))
    junk = st.one_of(
        st.none(), st.booleans(), st.floats(), st.text(max_size=3), st.lists(st.integers(), max_size=4)
    )
    fields[name] = data.draw(junk)
    path = tmp_path_factory.mktemp("profile") / "profile.json"
    path.write_text(json.dumps(fields))
    with suppress(ProfileError):
        SecondReader(load_profile(path))


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ([1, 2, 3], [3, 1, 2], Agreement.AGREE),
        ([], [], Agreement.AGREE),
        ([1, 2, 3], [1, 2, 2], Agreement.DIFFER),
        ([1, 1, 2], [1, 2, 2], Agreement.DIFFER),
        ([1, 2, 3], [], Agreement.UNSURE),
        ([], [1, 2, 3], Agreement.UNSURE),
    ],
)
def test_only_the_same_faces_agree(first, second, expected):
    assert compare({"faces": first}, {"verdict": "read", "faces": second}) is expected
