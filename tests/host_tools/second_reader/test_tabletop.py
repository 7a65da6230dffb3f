"""Reading dice of any make, size and colour that lie apart on an open table, seen from about above."""

import math
from pathlib import Path

import numpy as np
import pytest

from host_tools.images import Frame, load_frame
from host_tools.scoring import load_labels
from host_tools.second_reader.make import CLASSIC, COMPACT
from host_tools.second_reader.profile import DARK_PIPS
from host_tools.second_reader.table import lumps
from host_tools.second_reader.uncalibrated import UncalibratedReader

PHOTOS = Path(__file__).parents[3] / "tests/frames/photos"
READ = ("tray_nb_20191209_095426_0-1-9.png", "tray_nb_20191209_095625_0-1.png")
TOLD, FLOOR, FINE = 32, 180.0, 4
WHITE, BLACK = (225.0, 30.0), (50.0, 190.0)  # face, pips
ROWS, COLUMNS = np.mgrid[: 120 * FINE, : 200 * FINE] / FINE
TWO = [(5, 50, 60, 10, 26, CLASSIC, WHITE), (3, 140, 60, 35, 30, COMPACT, BLACK)]


def paint(dice, aside=0.0, pips=1.0, shape=(1.0, 1.0)):
    """Grey levels of dice (face, x, y, degrees, side, make, levels); `aside`: sides that show of a side of
    each; `pips`: how deep they are; `shape`: along the die's own axes."""
    picture = np.full(ROWS.shape, FLOOR)
    for face, x, y, degrees, side, make, (level, pip) in dice:
        c, s = (part(math.radians(degrees)) / side for part in (math.cos, math.sin))
        u, v = c * (COLUMNS - x) + s * (ROWS - y), c * (ROWS - y) - s * (COLUMNS - x)
        u, v = u / shape[0], v / shape[1]
        picture[(u > 0) & (u < 0.485 + aside) & (np.abs(v) < 0.485)] = 0.6 * level
        picture[np.maximum(np.abs(u), np.abs(v)) < 0.485] = level
        look = make.look(DARK_PIPS, side)
        for a, b in look.pips[face]:
            picture[np.hypot(u - a, v - b) < look.radii[face]] = level + pips * (pip - level)
    return picture


def shot(picture):
    small = picture.reshape(120, FINE, 200, FINE).mean(axis=(1, 3))
    noisy = small + np.random.default_rng(5).normal(0, 1, small.shape)
    return np.clip(noisy.round(), 0, 255).astype(np.uint8)


def read(picture, count=2):
    pixels = shot(picture)
    rows, columns = pixels.shape
    return UncalibratedReader(TOLD, count=count).read(Frame(columns, rows, pixels.tobytes()))


def test_dice_of_several_makes_sizes_and_colours_are_read():
    assert sorted(read(paint(TWO))["faces"]) == [3, 5]


@pytest.mark.parametrize("aside", [0.1, 0.2])
def test_dice_seen_a_little_aslant_are_read(aside):
    five, three = TWO
    assert sorted(read(paint([five, (*three[:6], WHITE)], aside=aside))["faces"]) == [3, 5]


@pytest.mark.parametrize("aside", [0.4, 0.6])
def test_dice_seen_obliquely_are_refused(aside):
    assert read(paint(TWO, aside=aside))["verdict"] == "refused"


def test_dice_that_are_not_square_are_refused():
    assert read(paint(TWO, shape=(0.88, 1.0)))["verdict"] == "refused"


@pytest.mark.parametrize("count", [1, 3])
def test_another_number_of_dice_is_refused(count):
    assert read(paint(TWO), count)["reason"] == ("extra-object" if count == 1 else "die-missing")


def test_a_die_that_the_picture_cuts_is_refused():
    five, three = TWO
    cut = (three[0], 190, *three[2:])
    assert read(paint([five, cut]))["verdict"] == "refused"


def test_dice_that_touch_are_refused():
    one = (1, 87, 60, 0, 26, CLASSIC, WHITE)
    two = (2, 113, 60, 0, 26, CLASSIC, WHITE)
    assert read(paint([one, two]))["verdict"] == "refused"


def test_a_pip_washed_out_by_glare_is_refused():
    five, three = TWO
    picture = paint([five, three])
    half = (five[6][0] + five[6][1]) / 2
    picture[(np.hypot(COLUMNS - five[1], ROWS - five[2]) < 0.1 * five[4])] = half
    assert read(picture)["verdict"] == "refused"


def test_faint_pips_are_refused():
    assert read(paint(TWO, pips=0.2))["verdict"] == "refused"


def test_what_lies_on_a_table_is_counted_and_specks_are_not():
    picture = paint(TWO)
    picture[np.hypot(COLUMNS - 100, ROWS - 100) < 1.5] = 60.0
    found = lumps(shot(picture).astype(np.float32), TOLD)
    assert found is not None
    assert sorted(round(lump.box[0] + lump.box[2] / 2, -1) for lump in found) == [50, 140]


def test_a_wall_in_the_picture_is_no_open_table():
    picture = paint(TWO)
    picture[COLUMNS > 180] = 90.0
    assert lumps(shot(picture).astype(np.float32), TOLD) is None


@pytest.mark.parametrize("name", READ)
def test_photographs_of_real_dice_are_read(name):
    [label] = [label for label in load_labels(PHOTOS) if label.path.name == name]
    reader = UncalibratedReader(label.fields["die_px"], count=len(label.values))
    assert sorted(reader.read(load_frame(label.path))["faces"]) == sorted(label.values)
