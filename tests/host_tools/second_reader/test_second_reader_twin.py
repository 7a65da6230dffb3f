"""What the second reader makes of the twin's dice: sound ones are read, and not those that are damaged."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

from host_tools.campaign.profiles import Profiles
from host_tools.second_reader import SecondReader, load_profile
from host_tools.second_reader.light import Light
from host_tools.twin.mix import Draw, load_mix
from host_tools.twin.studio import Shot, Studio

SEED, UNITS, UNIT = 9500, 6, 4  # a tumbler whose dice have pips near the edges of a six
SIZE = "320x240"
STYLES = ("ivory_black", "casino_red")
KNOWN = Path(__file__).parents[3] / "firmware/profiles/white_black_320.json"


@pytest.fixture(scope="module")
def readers(tmp_path_factory) -> dict[str, SecondReader]:
    profiles = Profiles(tmp_path_factory.mktemp("profiles"), SEED, UNITS, (SIZE,), ("four",), STYLES)
    profiles(UNIT)
    paths = {style: profiles.path(UNIT, SIZE, "four", style) for style in STYLES}
    return {style: SecondReader(load_profile(path)) for style, path in paths.items() if path}


def shots(category: str, style: str) -> Iterator[Shot]:
    studio = Studio(SEED, load_mix(), UNITS)
    draw = Draw(category, style, SIZE, "four", "tracer", "none")
    for number in range(UNIT, 100_000, UNITS):
        yield studio.take(number, draw)


def read(readers: dict[str, SecondReader], shot: Shot) -> dict:
    frames = [np.asarray(frame).tobytes() for frame in shot.picture.frames]
    return readers[shot.draw.style].read(frames)


def test_pips_near_the_edge_of_a_six_are_no_chip(readers: dict[str, SecondReader]) -> None:
    sixes = (shot for shot in shots("flat", "ivory_black") if 6 in shot.label["values"])
    for shot in islice(sixes, 4):
        assert sorted(read(readers, shot)["faces"]) == sorted(shot.label["values"])


def test_floor_that_dice_shade_from_every_lamp_is_no_thing(readers: dict[str, SecondReader]) -> None:
    """Between dice that nearly touch there is a wedge that no lamp reaches."""
    studio = Studio(SEED, load_mix(), UNITS)
    shot = studio.take(160, Draw("touching", "ivory_black", SIZE, "four", "tracer", "none"))
    assert sorted(read(readers, shot)["faces"]) == sorted(shot.label["values"])


@pytest.mark.parametrize(
    ("style", "damage", "least"),
    [
        ("ivory_black", "cracked", 4),
        ("ivory_black", "chipped", 4),
        ("ivory_black", "nicked", 4),
        ("ivory_black", "scratched", 4),
        ("casino_red", "cracked", 4),
        ("casino_red", "chipped", 4),
        ("casino_red", "scratched", 2),  # what shines through parts them
    ],
)
def test_cracks_broken_corners_and_edges_and_scratches_are_seen(
    readers: dict[str, SecondReader], style: str, damage: str, least: int
) -> None:
    damaged = (shot for shot in shots("damaged", style) if damage in {die.damage for die in shot.scene.dice})
    answers = [read(readers, shot) for shot in islice(damaged, 5)]
    assert sum(answer["verdict"] == "refused" for answer in answers) >= least, [
        answer["faces"] for answer in answers
    ]


NONE_BURNT = np.zeros(4, bool)


def levels(x: float, y: float, degrees: float, lamp: int, gloss: float) -> list[float]:
    """Of a face at x, y, tilted to the right, under each lamp; one of them shows a share more."""
    known = load_profile(KNOWN)
    middle = np.array([(x - known.platform[0]) / known.scale, (y - known.platform[1]) / known.scale])
    rays = np.array(known.positions) - [*middle, known.die_mm]
    rays /= rays[:, 2:]
    normal = [np.sin(np.radians(degrees)), 0.0, np.cos(np.radians(degrees))]
    shown = 120 * rays @ normal
    shown[lamp] *= 1 + gloss
    return shown.tolist()


def tilt(light: Light, *face) -> float:
    return float(np.degrees(np.arctan(np.hypot(*light.slope(*face)))))


@pytest.mark.parametrize("lamp", range(4))
def test_only_a_lamp_whose_mirror_image_is_near_is_left_out_of_the_tilt(lamp: int) -> None:
    """What else is too bright may be the tilt itself."""
    known = load_profile(KNOWN)
    light = Light(known)
    column, row, _ = known.images[lamp][0]
    x, y, _ = known.platform
    away = 2 * x - column, 2 * y - row
    assert tilt(light, np.array(levels(column, row, 0, lamp, 0.2)), NONE_BURNT, column, row) < 0.5
    assert tilt(light, np.array(levels(*away, 0, lamp, 0.2)), NONE_BURNT, *away) > 4
    assert tilt(light, np.array(levels(*away, 6, lamp, 0.0)), NONE_BURNT, *away) == pytest.approx(6, abs=0.3)


@pytest.mark.parametrize("lamp", range(4))
def test_a_lamp_that_burns_the_face_out_is_left_out_of_the_tilt(lamp: int) -> None:
    known = load_profile(KNOWN)
    light, burnt = Light(known), np.arange(4) == lamp
    x, y, _ = known.platform
    for degrees in (0, 6):
        seen = np.array(levels(x, y, degrees, lamp, -0.3))
        assert tilt(light, seen, burnt, x, y) == pytest.approx(degrees, abs=0.3)
        assert tilt(light, seen, NONE_BURNT, x, y) != pytest.approx(degrees, abs=0.3)
