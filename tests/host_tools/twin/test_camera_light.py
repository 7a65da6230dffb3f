"""Brightness, shadows and mirror images against what physics says by hand, on noiseless pictures."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from host_tools.twin.camera import STYLES, Rig, Style, Tracer
from host_tools.twin.camera.photos import Camera, lying
from host_tools.twin.camera.warp import Warper
from host_tools.twin.scene import Die, Scene, Thing, rows

SMOOTH = replace(STYLES["white_black"].brand, depth=0.0)
BARE = replace(STYLES["white_black"], pip=0.8, gloss=0.0, brand=SMOOTH)  # white and even all over
RENDERERS = (Tracer, Warper)


def _still(rig: Rig) -> Rig:
    """The rig without noise, blur, stray light and mirror images."""
    sensor = replace(
        rig.sensor, read=0.0, row=0.0, electrons=1e12, blur=0.0, vignette=0.0, gamma=1.0, stuck=()
    )
    return replace(rig, sensor=sensor, ambient=0.0, dome=0.0)


@pytest.fixture(scope="module")
def rig() -> Rig:
    return _still(Rig.drawn(np.random.default_rng(11), 320))


def _tilted(die: Die, degrees: float, azimuth: float) -> Die:
    axis = np.array([-np.sin(azimuth), np.cos(azimuth), 0]) * np.radians(degrees)
    return replace(die, rotation=rows(cv2.Rodrigues(axis)[0] @ die.matrix()))


def _above(die: Die) -> np.ndarray:
    """The middle of the top face of a flat die."""
    x, y, z = die.centre
    return np.array([x, y, z + die.edge / 2])


def _top_levels(
    camera: Camera, rig: Rig, die: Die, style: Style = BARE, others: tuple[Die, ...] = ()
) -> np.ndarray:
    """Mean level above black of the middle of the die's top face, under each lamp."""
    picture = camera.render(Scene(rig.platform, (die, *others)), style, np.random.default_rng(0))
    column, row = np.rint(rig.lens.project(_above(die))).astype(int)
    part = slice(row - 3, row + 4), slice(column - 3, column + 4)
    return np.array([frame[part].mean() - 2 for frame in picture.frames])


def _seen_on_plane(rig: Rig, die: Die, through: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Where the ray through the middle of the pixels of `_top_levels` meets the plane of the tilted face."""
    column, row = np.rint(rig.lens.project(_above(die)))
    ray = np.array(rig.lens.rays(np.array([column]), np.array([row])), float)[:, 0]
    eye = np.array(rig.lens.at)
    return eye + ray * ((through - eye) @ normal) / (ray @ normal)


def _lambert(rig: Rig, place: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Brightness under each lamp by hand, in any unit."""
    to_lamps = np.array([lamp.at for lamp in rig.lamps]) - place
    away = np.linalg.norm(to_lamps, axis=1)
    reference = [
        np.hypot(np.hypot(*lamp.at[:2]), lamp.at[2] - 16) ** 3 / (lamp.at[2] - 16) for lamp in rig.lamps
    ]
    return np.array([lamp.gain for lamp in rig.lamps]) * reference * (to_lamps @ normal) / away**3


@pytest.mark.parametrize("make", RENDERERS)
@pytest.mark.parametrize("tilt", [0.0, 3.0, 6.0, 15.0])
@pytest.mark.parametrize("at", [(0.0, 0.0), (30.0, -20.0)])
def test_faces_are_as_bright_as_lambert_says(make, rig: Rig, tilt: float, at: tuple[float, float]):
    azimuth = 0.7
    die = _tilted(lying(1, 16.0, at, 0.3), tilt, azimuth)
    slope = np.radians(tilt)
    normal = np.array([np.sin(slope) * np.cos(azimuth), np.sin(slope) * np.sin(azimuth), np.cos(slope)])
    place = _seen_on_plane(rig, die, np.array(die.centre) + normal * 8, normal)
    seen = _top_levels(make(rig), rig, die)
    assert seen == pytest.approx(rig.sensor.white * _lambert(rig, place, normal), rel=0.015)


@pytest.mark.parametrize("make", RENDERERS)
@pytest.mark.parametrize(("tilt", "ratio"), [(3, 1.10), (6, 1.22), (10, 1.39)])
def test_a_tilt_shows_in_opposite_lamps(make, tilt: float, ratio: float):
    """Ratios that were measured on other pictures of such a machine, stray light included."""
    rig = Rig.drawn(np.random.default_rng(4), 320)
    rig = replace(_still(rig), ambient=rig.ambient)
    camera = make(rig)
    flat = lying(1, 16.0, (0.0, 0.0), 0.1)
    azimuth = np.arctan2(rig.lamps[0].at[1], rig.lamps[0].at[0])
    seen = _top_levels(camera, rig, _tilted(flat, tilt, azimuth)) / _top_levels(camera, rig, flat)
    assert seen[0] / seen[2] == pytest.approx(ratio, rel=0.01 * tilt**0.75)


@pytest.mark.parametrize("make", RENDERERS)
def test_a_rough_face_loses_less_of_its_light_as_the_lamp_stands_lower(make, rig: Rig):
    die = lying(1, 16.0, (40.0, 10.0), 0.2)
    rough, smooth = (_top_levels(make(rig), rig, die, style) for style in (replace(BARE, matt=0.7), BARE))
    ways = np.array([lamp.at for lamp in rig.lamps]) - _above(die)
    cosine = ways[:, 2] / np.linalg.norm(ways, axis=1)
    assert rough / smooth == pytest.approx((cosine * 2**0.5) ** -0.3, rel=0.01)


def test_gloss_lightens_a_die_near_a_lamp_and_none_in_the_middle(rig: Rig):
    camera = Tracer(rig)
    for name, most in (("white_black", 1.12), ("black_white", 2.4)):
        dull = replace(BARE, body=STYLES[name].body, pip=STYLES[name].body)
        glossy = replace(dull, gloss=STYLES[name].gloss)
        near, middle = lying(1, 16.0, (40.0, 0.0), 0.2), lying(1, 16.0, (0.0, 0.0), 0.2)
        shine = [
            _top_levels(camera, rig, die, glossy)[0] / _top_levels(camera, rig, die, dull)[0]
            for die in (near, middle)
        ]
        assert 1.03 < shine[0] < most
        assert shine[1] < 1 + (shine[0] - 1) / 3


@pytest.mark.parametrize("make", RENDERERS)
@pytest.mark.parametrize("lamp", range(4))
def test_shadows_fall_away_from_the_lamp(make, rig: Rig, lamp: int):
    die = lying(3, 16.0, (5.0, -8.0), 0.4)
    camera = make(rig)
    frame = camera.render(Scene(rig.platform, (die,)), BARE, np.random.default_rng(0)).frames[lamp]
    empty = camera.render(Scene(rig.platform, ()), BARE, np.random.default_rng(0)).frames[lamp]
    rows_, columns = np.nonzero((empty > 10) & (frame < 0.4 * empty))
    foot = rig.lens.project(np.array([5.0, -8.0, 0.0]))
    shadow = np.array([columns.mean(), rows_.mean()]) - foot
    to_lamp = rig.lens.project(np.array([*rig.lamps[lamp].at[:2], 0])) - foot
    cosine = shadow @ to_lamp / np.linalg.norm(shadow) / np.linalg.norm(to_lamp)
    assert cosine < -0.99
    # A lamp at 46 degrees throws a shadow about as long as the die is high.
    tip = np.array([5.0, -8.0, 0.0]) - 1.1 * 16 * np.array([*rig.lamps[lamp].at[:2], 0]) / np.hypot(
        *rig.lamps[lamp].at[:2]
    )
    column, row = np.rint(rig.lens.project(tip)).astype(int)
    assert frame[row, column] < 0.3 * empty[row, column]


@pytest.mark.parametrize("make", RENDERERS)
def test_a_die_shades_the_one_behind_it(make, rig: Rig):
    low = lying(1, 16.0, (-12.0, 0.0), 0.0)
    tall = replace(lying(2, 16.0, (8.0, 0.0), 0.0), centre=(8.0, 0.0, 24.0))
    alone, shaded = (_top_levels(make(rig), rig, low, others=others) for others in ((), (tall,)))
    assert shaded[0] < 0.2 * alone[0]  # lamp 0 is behind the tall one
    assert shaded[2] == pytest.approx(alone[2], rel=0.01)


def test_shadows_are_softer_the_farther_they_fall(rig: Rig):
    def width(height: float) -> int:
        die = replace(lying(1, 16.0, (0.0, 0.0), 0.0), centre=(0.0, 0.0, height))
        camera = Tracer(rig)
        pictures = [camera.render(Scene(60.0, dice), BARE, np.random.default_rng(0)) for dice in ((die,), ())]
        share = pictures[0].frames[0].astype(float) / np.maximum(pictures[1].frames[0], 1)
        return int(((share > 0.2) & (share < 0.8) & (pictures[0].dice == 0)).sum())

    assert width(30.0) > 1.5 * width(8.0)


@pytest.mark.parametrize("make", RENDERERS)
def test_mirror_images_move_with_the_lamp_and_saturate(make):
    rig = Rig.drawn(np.random.default_rng(2), 320)
    picture = make(rig).render(Scene(60.0, ()), BARE, np.random.default_rng(0))
    middle = rig.lens.project(np.zeros(3))
    for lamp, glare, frame in zip(rig.lamps, picture.glare, picture.frames, strict=True):
        assert not (glare & (picture.glare.sum(0) > 1)).any()
        assert 20 < glare.sum() < 150
        rows_, columns = np.nonzero(glare)
        assert np.median(frame[glare]) == 255
        spot = np.array([columns.mean(), rows_.mean()]) - middle
        to_lamp = rig.lens.project(np.array([*lamp.at[:2], 0])) - middle
        assert spot @ to_lamp / np.linalg.norm(spot) / np.linalg.norm(to_lamp) > 0.99


def test_both_renderers_put_the_mirror_images_in_one_place():
    for seed in range(5):
        rig = Rig.drawn(np.random.default_rng(seed), 320)
        places = []
        for make in RENDERERS:
            glare = make(rig).render(Scene(60.0, ()), BARE, np.random.default_rng(0)).glare
            places.append([np.argwhere(spot).mean(0) for spot in glare])
        assert np.abs(np.subtract(*places)).max() < 1.5


def test_white_faces_have_the_level_that_the_sensor_names():
    rig = _still(Rig.drawn(np.random.default_rng(8), 320))
    rig = replace(rig, lamps=tuple(replace(lamp, gain=1.0) for lamp in rig.lamps))
    levels = _top_levels(Tracer(rig), rig, lying(1, 16.0, (0.0, 0.0), 0.5))
    assert levels == pytest.approx(np.full(4, rig.sensor.white), rel=0.02)


def test_a_translucent_die_lets_light_into_its_shadow(rig: Rig):
    camera = Tracer(rig)
    levels = []
    for style in (STYLES["black_white"], STYLES["casino_red"]):
        frame = camera.render(
            Scene(60.0, (lying(1, 16.0, (0.0, 0.0), 0.0),)), style, np.random.default_rng(0)
        ).frames[0]
        column, row = np.rint(rig.lens.project(np.array([-16.0, 0.0, 0.0]))).astype(int)
        levels.append(int(frame[row, column]))
    assert levels[0] <= 3
    assert levels[1] > 8


def test_the_far_face_shines_through_a_translucent_die(rig: Rig):
    """A one is seen over a faint six."""
    style = STYLES["casino_red"]
    picture = Tracer(rig).render(
        Scene(60.0, (lying(1, 16.0, (0.0, 0.0), 0.0),)), style, np.random.default_rng(0)
    )
    light = np.min(picture.frames, 0).astype(float)
    top = cv2.erode((picture.faces == 1).astype(np.uint8), np.ones((5, 5))) > 0
    body, pip = np.percentile(light[top], (20, 99.5))
    faint = (light > body * 1.15) & (light < 0.6 * pip) & top
    count, _, stats, _ = cv2.connectedComponentsWithStats(faint.astype(np.uint8))
    assert sum(area > 6 for area in stats[1:count, cv2.CC_STAT_AREA]) >= 4


@pytest.mark.parametrize("make", RENDERERS)
def test_a_foreign_ball_is_seen_and_throws_a_shadow(make, rig: Rig):
    ball = Thing((0.0, 0.0, 4.0), 4.0, 0.6)
    camera = make(rig)
    with_ball, empty = (
        camera.render(Scene(60.0, (), things), BARE, np.random.default_rng(0)) for things in ((ball,), ())
    )
    column, row = np.rint(rig.lens.project(np.array([0, 0, 4.0]))).astype(int)
    assert with_ball.frames[0][row, column] > 1.3 * empty.frames[0][row, column]
    assert not with_ball.dice.any()
    assert (with_ball.frames[0] < 0.4 * empty.frames[0]).sum() > 20
