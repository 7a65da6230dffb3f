"""Reading without a profile: what a picture itself shows of the make of the dice and of how they lie."""

import math

import numpy as np
import pytest

from host_tools.images import Frame
from host_tools.second_reader.make import CLASSIC, COMPACT, Make
from host_tools.second_reader.profile import DARK_PIPS, LIGHT_PIPS
from host_tools.second_reader.uncalibrated import UncalibratedReader

SIDE, FLOOR, FACE, PIP = 30, 40.0, 170.0, 25.0
FINE = 4  # drawn so many times larger
BIG = Make(pitch=0.25, pip=0.092, single=0.17, along=0.25, across=0.25)
APART = [(1, 80, 70, 10), (5, 160, 130, 35), (6, 240, 170, 80)]
ROWS, COLUMNS = np.mgrid[: 240 * FINE, : 320 * FINE] / FINE


def lay(picture, make, face, x, y, degrees, bared=0.0, levels=(FACE, PIP)):
    """A face at x, y; `bared` sides of its side show beyond one edge, as when it leans the other way."""
    top, pip = levels
    c, s = (part(math.radians(degrees)) / SIDE for part in (math.cos, math.sin))
    u, v = c * (COLUMNS - x) + s * (ROWS - y), c * (ROWS - y) - s * (COLUMNS - x)
    picture[(u > 0) & (u < 0.485 + bared) & (np.abs(v) < 0.485)] = 0.5 * top
    picture[np.maximum(np.abs(u), np.abs(v)) < 0.485] = top
    look = make.look(DARK_PIPS, SIDE)
    for a, b in look.pips[face]:
        picture[np.hypot(u - a, v - b) < look.radii[face]] = pip


def read(dice, make=CLASSIC, draw=lambda picture: None, bared=(), spots=(), polarity=DARK_PIPS):
    """A reading of a picture of dice (face, x, y, degrees); `bared`: number of a die -> sides that show of
    its side; `spots`: places of lamps mirrored in the dome."""
    floor, *levels = (FLOOR, FACE, PIP) if polarity == DARK_PIPS else (120.0, 50.0, 220.0)
    picture = np.full(ROWS.shape, floor)
    draw(picture)
    for number, die in enumerate(dice):
        lay(picture, make, *die, bared=dict(bared).get(number, 0.0), levels=levels)
    for x, y in spots:
        picture[np.hypot(COLUMNS - x, ROWS - y) < 3] = 250.0
    small = picture.reshape(240, FINE, 320, FINE).mean(axis=(1, 3))
    noisy = small + np.random.default_rng(5).normal(0, 1, small.shape)
    return UncalibratedReader(SIDE, polarity).read(Frame(320, 240, noisy.round().astype(np.uint8).tobytes()))


@pytest.mark.parametrize("make", [CLASSIC, COMPACT, BIG], ids=["classic", "compact", "large one"])
def test_dice_of_any_make_are_read(make):
    assert read(APART, make)["faces"] == [1, 5, 6]


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


@pytest.mark.parametrize("bared", [0.0, FLAT - 0.1, FLAT, FLAT + 0.1])
def test_a_die_at_a_wall_is_read_when_it_bares_of_its_side_what_a_flat_one_does(bared):
    def wall(picture):
        picture[np.hypot(COLUMNS - 159.5, ROWS - 119.5) > 98] = 90.0

    fields = read([(1, 115, 80, 10), (5, 160, 150, 35), (6, 240, 120, 180)], draw=wall, bared={2: bared})
    assert fields["verdict"] == ("read" if bared == FLAT else "refused")


@pytest.mark.parametrize("polarity", [DARK_PIPS, LIGHT_PIPS])
def test_lamps_mirrored_on_the_floor_are_neither_pips_nor_dice(polarity):
    assert read(APART, spots=[(120, 100), (200, 90), (160, 190)], polarity=polarity)["faces"] == [1, 5, 6]


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
