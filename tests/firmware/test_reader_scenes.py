"""The reader on every committed scene: no wrong face, named reasons, the same answers on MicroPython."""

import functools
import json
from pathlib import Path

import numpy as np
import pytest

from host_tools.images import load_frame, load_scene
from host_tools.read.runtimes import read_on_micropython
from tumbler.reader import FrameError, Reader, load_profile
from tumbler.reader.profile import Profile
from tumbler.reader.stdio import answer

ROOT = Path(__file__).parents[2]
FRAMES = ROOT / "tests/frames"
PROFILES = ROOT / "firmware/profiles"
SETS = {"scenes320": 320, "scenes160": 160}


def labels_of(folder):
    with (FRAMES / folder / "labels.jsonl").open() as file:
        return [json.loads(line) for line in file]


LABELS = {(name, label["scene"]): label for name in SETS for label in labels_of(name)}
PIP = 60  # level in the darkest frame that nothing but a light pip has
READERS: dict[tuple[str, int], Reader] = {}


def profile_path(style, width):
    return PROFILES / f"{style}_{width}.json"


def reader_for(style, width):
    if (style, width) not in READERS:
        READERS[style, width] = Reader(load_profile(str(profile_path(style, width))))
    return READERS[style, width]


def frames_of(name, scene):
    frames = load_scene(FRAMES / name / scene)
    return np.stack([np.frombuffer(f.pixels, np.uint8).reshape(f.height, f.width) for f in frames])


def read(style, frames):
    return feed(reader_for(style, frames.shape[2]), frames)


def feed(reader, frames):
    reader.begin()
    for lamp, frame in enumerate(frames):
        reader.add(np.ascontiguousarray(frame, np.uint8).tobytes(), lamp)
    return reader.finish()


@functools.cache
def read_scene(name, scene):
    return read(LABELS[name, scene]["style"], frames_of(name, scene))


def assert_not_wrong(reading, label):
    """Whatever was done to the frames, a face that is reported is the one that lies there."""
    if reading.verdict == "read":
        assert not label["must_refuse"], reading.faces
        assert sorted(reading.faces) == sorted(label["values"])


@pytest.mark.parametrize(("name", "scene"), LABELS)
def test_no_scene_is_read_wrong(name, scene):
    reading = read_scene(name, scene)
    assert_not_wrong(reading, LABELS[name, scene])
    if reading.verdict == "read":
        assert len(reading.faces) == 3
        assert reading.reason is None
    else:
        assert reading.faces == ()
        assert reading.detail
        assert len(reading.detail) <= 24


NAMED = {
    "0003": "not-flat",
    "0021": "stacked",
    "0017": "unreadable",
    "0038": "unreadable",
    "0026": "die-missing",
    "0034": "extra-object",
    "0029": "die-damaged",
}


@pytest.mark.parametrize(("scene", "reason"), NAMED.items())
def test_every_reason_is_named(scene, reason):
    assert read_scene("scenes320", scene).reason == reason


def test_most_readable_scenes_are_read():
    """A reader that refuses everything would pass the other tests."""
    for category, least in (("flat", 12), ("touching", 5), ("wall", 2)):
        scenes = [key for key, label in LABELS.items() if label["category"] == category]
        assert sum(read_scene(*key).verdict == "read" for key in scenes if key[0] == "scenes320") >= least


def test_places_and_tilts_agree_with_the_truth():
    for (name, scene), label in LABELS.items():
        reading = read_scene(name, scene)
        for die in reading.dice if reading.verdict == "read" else ():
            tops = [np.hypot(d["top_px"][0] - die.x, d["top_px"][1] - die.y) for d in label["dice"]]
            truth = label["dice"][int(np.argmin(tops))]
            assert min(tops) < 0.05 * truth["side_px"] + 0.5
            assert die.face == truth["face"]
            assert abs(die.tilt_deg - truth["tilt_deg"]) < 4.2


GOOD = ["0004", "0012", "0027", "0035", "0020", "0018"]


def edited(scene, change):
    frames = frames_of("scenes320", scene).astype(float)
    return np.clip(change(frames).round(), 0, 255).astype(np.uint8)


def shift(frames, dx):
    moved = frames.copy()
    moved[1:3] = np.roll(frames[1:3], dx, 2)
    return moved


def blur(frames, times):
    for _ in range(times):
        for axis in (1, 2):
            frames = (np.roll(frames, 1, axis) + 2 * frames + np.roll(frames, -1, axis)) / 4
    return frames


EDITS = {
    "lamps-in-another-order": lambda f: f[[1, 2, 3, 0]],
    "opposite-lamps-exchanged": lambda f: f[[2, 1, 0, 3]],
    "one-frame-four-times": lambda f: f[[0, 0, 0, 0]],
    "black": lambda f: f * 0,
    "white": lambda f: f * 0 + 255,
    "dark": lambda f: f * 0.4,
    "burnt": lambda f: f * 4,
    "one-lamp-out": lambda f: f * np.array([1, 1, 0.05, 1])[:, None, None],
    "blurred": lambda f: blur(f, 12),
    "very-blurred": lambda f: blur(f, 60),
    "moved-3": lambda f: shift(f, 3),
    "moved-8": lambda f: shift(f, 8),
    "noisy": lambda f: f + np.random.default_rng(1).normal(0, 12, f.shape),
    "very-noisy": lambda f: f + np.random.default_rng(2).normal(0, 50, f.shape),
    "mirrored": lambda f: f[:, :, ::-1],
    "upside-down": lambda f: f[:, ::-1],
    "larger": lambda f: np.repeat(np.repeat(f[:, 60:180, 80:240], 2, 1), 2, 2),
}
MUST_REFUSE = set(EDITS) - {"opposite-lamps-exchanged", "blurred", "moved-3", "noisy"}


@pytest.mark.parametrize("name", EDITS)
def test_spoilt_frames_are_never_read_wrong(name):
    for scene in GOOD:
        label = LABELS["scenes320", scene]
        reading = read(label["style"], edited(scene, EDITS[name]))
        assert_not_wrong(reading, label)
        if name in MUST_REFUSE:
            assert reading.verdict == "refused", (scene, reading.faces)


def disc(frames, x, y, radius):
    rows, columns = np.indices(frames.shape[1:])
    return np.clip(radius + 0.5 - np.hypot(columns - x, rows - y), 0, 1)


def spots_of(die):
    """Pixel places of the lattice of a die's top face, and how it is turned."""
    corners = np.array(die["corners_px"])
    along, across = corners[1] - corners[0], corners[2] - corners[1]
    return np.array(die["top_px"]), along, across


@pytest.mark.parametrize("scene", ["0004", "0012", "0027", "0030"])
def test_a_pip_that_fades_is_never_read_wrong(scene):
    """Every site of every die painted over, until a quarter of a pip is left (in the middle) or nothing."""
    label = LABELS["scenes320", scene]
    for die in label["dice"]:
        top, along, across = spots_of(die)
        for u, v, left in ((0, 0, 0.25), (0.28, 0.28, 0), (-0.28, 0.28, 0), (0.28, 0, 0), (0, -0.28, 0)):
            frames = frames_of("scenes320", scene).astype(float)
            x, y = top + u * along + v * across
            bare_x, bare_y = top + 0.14 * along
            mask = disc(frames, x, y, 0.13 * die["side_px"])
            for frame in frames:
                bare = frame[int(bare_y) - 1 : int(bare_y) + 2, int(bare_x) - 1 : int(bare_x) + 2].mean()
                frame[:] = frame * (1 - mask) + mask * (left * frame + (1 - left) * bare)
            assert_not_wrong(read(label["style"], frames.round().astype(np.uint8)), label)


@pytest.mark.parametrize("scene", ["0004", "0012", "0027", "0030"])
def test_a_spot_that_is_no_pip_is_never_read_wrong(scene):
    label = LABELS["scenes320", scene]
    rng = np.random.default_rng(int(scene))
    for die in label["dice"]:
        top, along, across = spots_of(die)
        for _ in range(6):
            u, v = rng.uniform(-0.45, 0.45, 2)
            lattice = [abs(u - a) + abs(v - b) for a in (-0.28, 0, 0.28) for b in (-0.28, 0, 0.28)]
            frames = frames_of("scenes320", scene).astype(float)
            x, y = top + u * along + v * across
            mask = disc(frames, x, y, rng.uniform(0.06, 0.11) * die["side_px"])
            mask *= 0.4 if min(lattice) < 0.14 else 1
            frames = frames * (1 - mask) + 10 * mask
            assert_not_wrong(read(label["style"], frames.round().astype(np.uint8)), label)


LIGHT_PIPS = [
    scene
    for (name, scene), label in LABELS.items()
    if name == "scenes320" and label["style"] in {"black_white", "casino_red"} and not label["must_refuse"]
]


@pytest.mark.parametrize("scene", LIGHT_PIPS)
def test_a_light_spot_on_a_dark_face_or_beside_it_is_refused(scene):
    label, whole = LABELS["scenes320", scene], frames_of("scenes320", scene)
    assert read(label["style"], whole).faces
    for die in label["dice"]:
        top, along, across = spots_of(die)
        for u, v in ((0.33, 0.33), (0.36, -0.3), (-0.4, 0.1), (0.1, -0.4), (-0.33, 0.33)):
            x, y = top + u * along + v * across
            mask = disc(whole, x, y, 0.06 * die["side_px"])
            if (mask * (whole.min(0) > PIP)).any():  # on a pip it may be one
                continue
            frames = whole * (1 - mask) + 110 * mask
            assert not read(label["style"], frames.round().astype(np.uint8)).faces, (die["face"], u, v)


def test_specks_of_dust_as_far_apart_as_a_two_s_pips_are_no_die():
    frames = frames_of("scenes320", "0020").copy()
    reader = reader_for("casino_red", 320)
    (u, v), _ = reader.profile.pips[2]
    apart = round(2 * np.hypot(u, v) * reader.profile.side)
    for x in (110, 110 + apart):
        frames[:, 140:142, x : x + 3] = 110
    reading = feed(reader, frames)
    assert reading.faces == read_scene("scenes320", "0020").faces
    assert len(reading.faces) == 3


def test_photographs_of_other_dice_are_never_read_wrong():
    """As if no lamp were mirrored in the dome and the light as calibrated, so that the dice are looked at."""
    values = json.loads(profile_path("white_black", 320).read_text())
    for lamp in values["lamps"]:
        lamp["images"] = []
    for label in labels_of("photos"):
        frame = load_frame(FRAMES / "photos" / label["file"])
        pixels = np.frombuffer(frame.pixels, np.uint8).reshape((frame.height, frame.width)).astype(float)
        pixels *= 40 / np.percentile(pixels, 75)
        frames = np.stack([pixels * gain for gain in (1, 0.98, 0.96, 0.99)]).clip(0, 255).astype(np.uint8)
        reading = feed(Reader(Profile(values, b""), len(label["values"])), frames)
        if reading.verdict == "read":
            assert sorted(reading.faces) == sorted(label["values"]), label["file"]


def test_micropython_answers_the_same():
    """The real interpreter with about the memory of a board, exactly, to the last digit that is reported."""
    scenes = {
        ("scenes320", "white_black"): ["0004", "0012", "0021", "0034", "0017"],
        ("scenes320", "casino_red"): ["0020", "0022"],
        ("scenes160", "white_black"): ["0032", "0026"],
    }
    for (name, style), chosen in scenes.items():
        with read_on_micropython(profile_path(style, SETS[name]), 3) as read_there:
            for scene in chosen:
                fields = read_there([frame.tobytes() for frame in frames_of(name, scene)])
                assert fields.pop("ms") < 5000
                assert fields == answer(read(style, frames_of(name, scene)))


def test_the_reader_recovers_from_misuse():
    reader = reader_for("white_black", 320)
    frames = [frame.tobytes() for frame in frames_of("scenes320", "0004")]
    reader.begin()
    reader.add(frames[0], 0)
    with pytest.raises(FrameError, match="of 4 frames"):
        reader.finish()
    reader.begin()
    with pytest.raises(FrameError, match="76799 bytes"):
        reader.add(frames[0][1:], 0)
    with pytest.raises(FrameError, match="out of turn"):
        reader.add(frames[2], 2)
    assert read_scene("scenes320", "0004").verdict == "read"
