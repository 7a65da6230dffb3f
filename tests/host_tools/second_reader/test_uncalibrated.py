"""Reading without a profile: what a picture itself shows of the make of the dice and of how they lie."""

import math
from pathlib import Path

import numpy as np
import pytest

from host_tools.images import Frame, load_frame
from host_tools.second_reader.faces import Pose
from host_tools.second_reader.make import CLASSIC, COMPACT, Make
from host_tools.second_reader.outline import edges
from host_tools.second_reader.profile import DARK_PIPS, LIGHT_PIPS
from host_tools.second_reader.uncalibrated import UncalibratedReader

FRAMES = Path(__file__).resolve().parents[2] / "frames" / "scenes320"
SIDE, FLOOR, FACE, PIP = 30, 40.0, 170.0, 25.0
RIM = 0.00625  # sides of a top face by which it is farther in than its pips, for each side outward
FINE = 4  # drawn so many times larger
BIG = Make(pitch=0.25, pip=0.092, single=0.17, along=0.25, across=0.25)
WIDE = Make(pitch=0.3, pip=0.09, single=0.09, along=0.3, across=0.3)
APART = [(1, 80, 70, 10), (5, 160, 130, 35), (6, 240, 170, 80)]
ROWS, COLUMNS = np.mgrid[: 240 * FINE, : 320 * FINE] / FINE


def lay(picture, make, face, x, y, degrees, bared=0.0, levels=(FACE, PIP), rim=RIM):
    """A face at x, y; `bared` sides of its side show beyond one edge, as when it leans the other way. Its top
    reaches farther towards the middle than outward, as round rims do."""
    top, pip = levels
    c, s = (part(math.radians(degrees)) / SIDE for part in (math.cos, math.sin))
    u, v = c * (COLUMNS - x) + s * (ROWS - y), c * (ROWS - y) - s * (COLUMNS - x)
    picture[(u > 0) & (u < 0.485 + bared) & (np.abs(v) < 0.485)] = 0.5 * top
    du, dv = (
        rim * np.clip(out, -2.6, 2.6)
        for out in (c * (x - 159.5) + s * (y - 119.5), c * (y - 119.5) - s * (x - 159.5))
    )
    picture[np.maximum(np.abs(u + du), np.abs(v + dv)) < 0.485] = top
    look = make.look(DARK_PIPS, SIDE)
    for a, b in look.pips[face]:
        picture[np.hypot(u - a, v - b) < look.radii[face]] = pip


def read(
    dice,
    make=CLASSIC,
    draw=lambda picture: None,
    bared=(),
    spots=(),
    polarity=DARK_PIPS,
    told: float = SIDE,
    rim=RIM,
):
    """A reading of a picture of dice (face, x, y, degrees); `bared`: number of a die -> sides that show of
    its side; `spots`: places of lamps mirrored in the dome; `told`: their side in pixels."""
    floor, *levels = (FLOOR, FACE, PIP) if polarity == DARK_PIPS else (120.0, 50.0, 220.0)
    picture = np.full(ROWS.shape, floor)
    draw(picture)
    for number, die in enumerate(dice):
        lay(picture, make, *die, bared=dict(bared).get(number, 0.0), levels=levels, rim=rim)
    for x, y in spots:
        picture[np.hypot(COLUMNS - x, ROWS - y) < 3] = 250.0
    small = picture.reshape(240, FINE, 320, FINE).mean(axis=(1, 3))
    noisy = small + np.random.default_rng(5).normal(0, 1, small.shape)
    return UncalibratedReader(told, polarity).read(Frame(320, 240, noisy.round().astype(np.uint8).tobytes()))


@pytest.mark.parametrize("make", [CLASSIC, COMPACT, BIG], ids=["classic", "compact", "large one"])
def test_dice_of_any_make_are_read(make):
    assert read(APART, make)["faces"] == [1, 5, 6]


def test_a_die_whose_rims_do_not_show_where_it_lies_is_refused():
    fields = read(APART, rim=0.0)
    assert (fields["reason"], fields["detail"]) == ("not-flat", "lopsided")


def test_a_foot_is_found_in_the_shadow_in_which_it_stands():
    picture = np.full((60, 120), 100.0, np.float32)
    picture[15:45, 15:45] = 200.0
    picture[15:45, 45:52] = 40.0
    found = edges(picture, Pose(29.5, 29.5, 30.0, 0.0), 30.0, 100.0, (100.0, 29.5))
    assert found[0].end == pytest.approx((51.5 - 29.5) / 30 - 0.027, abs=0.012)


def test_dice_whose_pips_are_far_apart_are_found_with_too_small_a_size():
    assert read(APART, make=WIDE, told=SIDE * 0.9)["faces"] == [1, 5, 6]


def test_the_slope_of_a_shadow_is_no_side():
    def shade(picture):
        out = np.maximum(np.abs(COLUMNS - 205), np.abs(ROWS - 120)) - SIDE / 2
        picture *= 1 - 0.6 * np.clip(1 - out / 12, 0, 1)

    assert read([(1, 80, 70, 10), (5, 160, 170, 35), (6, 205, 120, 90)], draw=shade)["verdict"] == "read"


def test_two_whose_tops_touch_are_read():
    assert read([(1, 80, 70, 10), (5, 160, 130, 0), (6, 190, 130, 0)])["faces"] == [1, 5, 6]


@pytest.mark.parametrize("gap", [0.1, 0.15])
def test_two_whose_tops_part_a_little_may_lean_on_each_other(gap):
    fields = read([(1, 80, 70, 10), (5, 160, 130, 0), (6, 160 + SIDE * (0.97 + gap), 130, 0)])
    assert (fields["reason"], fields["detail"]) == ("unreadable", "not alone")


@pytest.mark.parametrize("bared", [0.1, 0.17, 0.25])
def test_a_die_that_shows_more_of_its_side_than_a_flat_one_is_refused(bared):
    fields = read(APART, bared={1: bared})
    assert fields["verdict"] == "refused"
    assert fields["reason"] == "not-flat"


def test_a_die_at_a_wall_is_not_read_when_nothing_shows_that_it_is_flat():
    def wall(picture):
        picture[COLUMNS > 250] = 90.0

    fields = read([(1, 80, 70, 10), (5, 160, 130, 35), (6, 240, 170, 0)], draw=wall)
    assert (fields["reason"], fields["detail"]) == ("unreadable", "not alone")


FLAT = 0.183  # of a die's side that shows where the next tests' die lies


@pytest.mark.parametrize("polarity", [DARK_PIPS, LIGHT_PIPS])
@pytest.mark.parametrize("off", [0.84, 0.91, 1.1])
def test_a_size_told_too_small_or_too_large_does_not_matter(off, polarity):
    def wall(picture):
        picture[np.abs(np.hypot(COLUMNS - 159.5, ROWS - 119.5) - 117) < 1.5] = 15.0

    dice = [(1, 79, 119.5, 0), (5, 240, 119.5, 180), (6, 159.5, 200, -90)]
    bared = dict.fromkeys(range(3), FLAT)
    fields = read(dice, draw=wall, bared=bared, polarity=polarity, told=SIDE * off)
    assert (fields["verdict"], fields["detail"]) == ("read", None)


@pytest.mark.parametrize("bared", [0.0, FLAT - 0.1, FLAT, FLAT + 0.1])
def test_a_die_at_a_wall_is_read_when_it_bares_of_its_side_what_a_flat_one_does(bared):
    def wall(picture):
        picture[np.hypot(COLUMNS - 159.5, ROWS - 119.5) > 98] = 90.0

    fields = read([(1, 115, 80, 10), (5, 160, 150, 35), (6, 240, 120, 180)], draw=wall, bared={2: bared})
    assert fields["verdict"] == ("read" if bared == FLAT else "refused")


@pytest.mark.parametrize("polarity", [DARK_PIPS, LIGHT_PIPS])
def test_lamps_mirrored_on_the_floor_are_neither_pips_nor_dice(polarity):
    assert read(APART, spots=[(120, 100), (200, 90), (160, 190)], polarity=polarity)["faces"] == [1, 5, 6]


def test_what_is_larger_than_lamps_mirrored_on_the_floor_is_no_lamp():
    def bead(picture):
        picture[np.hypot(COLUMNS - 120, ROWS - 180) < 7] = 120.0

    assert read(APART, draw=bead, spots=[(120, 100), (200, 90)])["reason"] == "extra-object"


def test_glare_on_bare_face_is_seen_through():
    assert read([(1, 80, 70, 0), *APART[1:]], spots=[(89, 79)])["faces"] == [1, 5, 6]


def test_glare_that_may_hide_a_pip_is_refused():
    two, (u, v) = (2, 80, 70, 0), (80, 70)
    assert read([two, *APART[1:]], spots=[(u, v)])["verdict"] == "refused"


@pytest.mark.parametrize("polarity", [DARK_PIPS, LIGHT_PIPS])
def test_a_die_too_many_is_refused_though_its_face_is_hidden(polarity):
    def block(picture):
        level = 170.0 if polarity == DARK_PIPS else 20.0
        picture[(np.abs(COLUMNS - 120) < 14) & (np.abs(ROWS - 170) < 14)] = level

    assert read(APART, draw=block, polarity=polarity)["reason"] == "extra-object"


@pytest.mark.parametrize("bared", [0.1, 0.2])
def test_a_dark_die_that_shows_more_of_its_side_than_a_flat_one_is_refused(bared):
    assert read(APART, polarity=LIGHT_PIPS)["faces"] == [1, 5, 6]
    assert read(APART, bared={1: bared}, polarity=LIGHT_PIPS)["verdict"] == "refused"


@pytest.mark.parametrize("scene", ["0001", "0022", "0008"])  # black, clear red and white dice
def test_a_refusal_tells_of_the_pips_that_the_dice_have(scene):
    frame = load_frame(FRAMES / scene / "lamp0.png")
    dark, light, either = (
        UncalibratedReader(29.0, polarity).read(frame) for polarity in (DARK_PIPS, LIGHT_PIPS, None)
    )
    assert dark != light
    assert either == (dark if scene == "0008" else light)


def test_a_crack_across_a_face_is_refused():
    def read_with_crack(width):
        picture = np.full(ROWS.shape, FLOOR)
        for die in APART:
            lay(picture, CLASSIC, *die)
        picture[(np.abs(ROWS - 118 - 0.3 * (COLUMNS - 160)) < width) & (np.abs(COLUMNS - 160) < 9)] = 60.0
        small = picture.reshape(240, FINE, 320, FINE).mean(axis=(1, 3)).round().astype(np.uint8)
        return UncalibratedReader(SIDE, DARK_PIPS).read(Frame(320, 240, small.tobytes()))

    assert read_with_crack(0.0)["faces"] == [1, 5, 6]
    assert read_with_crack(1.2)["reason"] == "die-damaged"


def test_dice_too_small_to_show_how_they_lie_are_refused():
    frame = Frame(320, 240, bytes(320 * 240))
    assert UncalibratedReader(15, DARK_PIPS).read(frame)["detail"] == "dice too small"
