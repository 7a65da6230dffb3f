"""What pictures show: pips, dice and faces, damage; and that a seed is a picture."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from host_tools.twin.camera import (
    BRANDS,
    STYLES,
    Brand,
    Lamp,
    LampError,
    Rig,
    Sensor,
    SizeError,
    Style,
    StyleError,
    Tracer,
    style_named,
)
from host_tools.twin.camera.photos import lying
from host_tools.twin.camera.picture import Picture
from host_tools.twin.camera.warp import Warper
from host_tools.twin.machine import Machine
from host_tools.twin.placing import CATEGORIES, place
from host_tools.twin.scene import DAMAGES, DISGUISED, DISGUISES, Die, Scene
from host_tools.twin.truth import up_face

RENDERERS = (Tracer, Warper)
RIG = Rig.drawn(np.random.default_rng(21), 320)


def _picture(make, scene: Scene, style: Style, seed: int = 1, rig: Rig = RIG) -> Picture:
    return make(rig).render(scene, style, np.random.default_rng(seed))


def _count_pips(picture: Picture, style: Style, face: int) -> int:
    """Blobs on the top face of die 1, by size and contrast alone, in the darkest of all lamps."""
    light = np.min(picture.frames, 0)
    top = ((picture.dice == 1) & (picture.faces == face)).astype(np.uint8)
    inner = cv2.erode(top, np.ones((7, 7))) > 0  # its rim bends away and is dark
    rows, columns = np.nonzero(inner)
    part = slice(rows.min(), rows.max() + 1), slice(columns.min(), columns.max() + 1)
    inside = inner[part]
    crop = light[part].astype(np.float32)
    dark = style.pip < style.body
    body, pip = (np.percentile(crop[inside], share) for share in ((75, 1) if dark else (25, 99)))
    cut = (body + pip) / 2
    marks = ((crop < cut) if dark else (crop > cut)) & inside
    big = cv2.resize(marks.astype(np.uint8), None, fx=4, fy=4, interpolation=cv2.INTER_NEAREST)
    count, _, stats, _ = cv2.connectedComponentsWithStats(big)
    return int(sum(area >= 6 * 16 for area in stats[1:count, cv2.CC_STAT_AREA]))


def _is_dark_in_the_middle(picture: Picture, face: int) -> bool:
    """Whether a dark spot is in the middle of the top face of die 1."""
    light = np.min(picture.frames, 0).astype(float)
    top = (picture.dice == 1) & (picture.faces == face)
    row, column = (round(float(at.mean())) for at in np.nonzero(top))
    return light[row - 1 : row + 2, column - 1 : column + 2].mean() < 0.6 * np.percentile(light[top], 75)


@pytest.mark.parametrize("make", RENDERERS)
@pytest.mark.parametrize("name", STYLES)
def test_every_face_of_every_style_shows_its_pips(make, name: str):
    style = STYLES[name]
    for face in range(1, 7):
        picture = _picture(make, Scene(60.0, (lying(face, 16.0, (3.0, -4.0), 0.3 * face),)), style)
        assert _count_pips(picture, style, face) == face


@pytest.mark.parametrize("name", BRANDS)
@pytest.mark.parametrize("edge", [16.0, 18.0, 19.0])
def test_every_brand_shows_its_pips_at_every_size(name: str, edge: float):
    style = replace(STYLES["white_black"], brand=BRANDS[name])
    for face in (1, 5, 6):
        picture = _picture(Tracer, Scene(60.0, (lying(face, edge, (0.0, 0.0), 0.4),)), style)
        assert _count_pips(picture, style, face) == face


@pytest.mark.parametrize("make", RENDERERS)
def test_a_lost_and_an_extra_pip_change_what_is_counted(make):
    style = STYLES["white_black"]
    for face in (2, 4, 6):
        die = lying(face, 16.0, (0.0, 0.0), 0.7)
        for damage, shown in (("pip-lost", face - 1), ("pip-extra", face + 1)):
            picture = _picture(make, Scene(60.0, (replace(die, damage=damage),)), style)
            assert _count_pips(picture, style, face) == shown


@pytest.mark.parametrize("make", RENDERERS)
@pytest.mark.parametrize("face", DISGUISES)
def test_a_disguise_shows_another_face_and_other_damage_leaves_the_middle_alone(make, face: int):
    style = STYLES["white_black"]
    die = lying(face, 16.0, (0.0, 0.0), 0.7)
    disguised = _picture(make, Scene(60.0, (replace(die, damage=DISGUISED),)), style)
    assert _count_pips(disguised, style, face) == DISGUISES[face]
    assert _is_dark_in_the_middle(disguised, face) == (face % 2 == 0)
    for damage in ("pip-lost", "pip-extra"):
        for seed in range(4):
            harmed = _picture(make, Scene(60.0, (replace(die, damage=damage),)), style, seed)
            assert _is_dark_in_the_middle(harmed, face) == (face % 2 == 1)


@pytest.mark.parametrize("make", RENDERERS)
@pytest.mark.parametrize("damage", DAMAGES)
def test_damage_shows_on_the_top_face(make, damage: str):
    style = STYLES["ivory_black"]
    die = lying(3, 16.0, (0.0, 0.0), 0.7)
    rig = replace(RIG, sensor=replace(RIG.sensor, read=0.0, row=0.0, electrons=1e12))
    sound, harmed = (
        _picture(make, Scene(60.0, (replace(die, damage=what),)), style, rig=rig) for what in ("", damage)
    )
    top = (sound.dice == 1) & (sound.faces == 3)
    off = np.max([np.abs(a.astype(int) - b) for a, b in zip(sound.frames, harmed.frames, strict=True)], 0)
    assert (off[top] > 20).sum() >= 8
    assert (off[cv2.dilate(top.astype(np.uint8), np.ones((9, 9))) == 0] > 20).sum() <= 40  # a shadow at most


@pytest.mark.parametrize("make", RENDERERS)
def test_unknown_damage_is_refused(make):
    die = replace(lying(3, 16.0, (0.0, 0.0), 0.7), damage="melted")
    with pytest.raises(StyleError, match="melted"):
        _picture(make, Scene(60.0, (die,)), STYLES["white_black"])


def _rim(marks: np.ndarray, pixels: int) -> np.ndarray:
    """Pixels that are so near to a border of the marks."""
    square = np.ones((2 * pixels + 1, 2 * pixels + 1))
    return cv2.dilate(marks, square) != cv2.erode(marks, square)


@pytest.mark.parametrize("category", ["flat", "touching", "wall", "cocked", "slight-tilt", "stacked"])
def test_both_renderers_see_the_same_dice_and_faces(category: str):
    """But at the rims, where the one has rounded edges, and where painter's order fails."""
    for seed in range(4):
        rng = np.random.default_rng(seed)
        scene = place(category, Machine(), rng)
        one, other = (_picture(make, scene, STYLES["white_black"]) for make in RENDERERS)
        dice_differ = (one.dice != other.dice) & ~_rim(one.dice, 2)
        faces_differ = (one.faces != other.faces) & ~_rim(one.faces, 2)
        allowed = 0.002 if category not in ("cocked", "stacked") else 0.05
        assert dice_differ.sum() <= allowed * (one.dice > 0).sum()
        assert faces_differ.sum() <= allowed * (one.dice > 0).sum()
        if category in ("flat", "touching", "wall"):
            assert one.visible == pytest.approx(other.visible, abs=0.03)


@pytest.mark.parametrize("make", RENDERERS)
def test_the_marks_lie_where_the_lens_sees_the_faces(make):
    scene = place("flat", Machine(), np.random.default_rng(5))
    picture = _picture(make, scene, STYLES["ivory_black"])
    for number, die in enumerate(scene.dice, 1):
        face = up_face(die)
        rows, columns = np.nonzero((picture.dice == number) & (picture.faces == face))
        x, y, z = die.centre
        seen = RIG.lens.project(np.array([x, y, z + die.edge / 2]))
        assert np.hypot(columns.mean() - seen[0], rows.mean() - seen[1]) < 0.5
        side = np.sqrt(len(rows)) / RIG.lens.focal * (RIG.lens.at[2] - die.edge)
        assert side == pytest.approx(die.edge, rel=0.06)


@pytest.mark.parametrize("make", RENDERERS)
def test_a_hidden_top_face_is_told(make):
    low = lying(1, 16.0, (0.0, 0.0), 0.2)
    high = replace(lying(2, 16.0, (5.0, 0.0), 0.2), centre=(5.0, 0.0, 24.0))
    picture = _picture(make, Scene(60.0, (low, high)), STYLES["white_black"])
    assert 0.2 < picture.visible[0] < 0.45
    assert picture.visible[1] == 1.0


@pytest.mark.parametrize("make", RENDERERS)
@pytest.mark.parametrize("width", [160, 320])
def test_the_same_seed_gives_the_same_picture(make, width: int):
    scenes = [place("touching", Machine(), np.random.default_rng(7)) for _ in range(2)]
    rigs = [Rig.drawn(np.random.default_rng(8), width) for _ in range(2)]
    style = replace(STYLES["casino_red"], dirt=1.0, wear=0.2)
    one, same = (_picture(make, s, style, 9, r) for s, r in zip(scenes, rigs, strict=True))
    other = _picture(make, scenes[0], style, 10, rigs[0])
    assert [f.tobytes() for f in one.frames] == [f.tobytes() for f in same.frames]
    assert one.frames[0].shape == (width * 3 // 4, width)
    assert all((a != b).mean() > 0.1 for a, b in zip(one.frames, other.frames, strict=True))


@pytest.mark.parametrize("make", RENDERERS)
def test_every_category_can_be_photographed(make):
    for category in CATEGORIES:
        scene = place(category, Machine(), np.random.default_rng(3))
        picture = _picture(make, scene, STYLES["asian_red"])
        assert len(picture.frames) == 4
        assert len(picture.visible) == len(scene.dice)
        assert set(np.unique(picture.dice)) <= set(range(len(scene.dice) + 1))


@pytest.mark.parametrize("make", RENDERERS)
def test_a_ring_of_light_gives_one_evenly_lit_frame(make):
    rig = Rig.drawn_ring(np.random.default_rng(5), 320)
    style = replace(STYLES["white_black"], pip=0.8)
    dice = tuple(lying(1, 16.0, at, 0.5) for at in ((-30.0, 0.0), (30.0, 0.0), (0.0, 30.0)))
    picture = _picture(make, Scene(60.0, dice), style, rig=rig)
    assert len(picture.frames) == 1
    levels = [np.median(picture.frames[0][(picture.dice == n) & (picture.faces == 1)]) for n in (1, 2, 3)]
    assert max(levels) / min(levels) < 1.25
    assert min(levels) > 60
    assert max(levels) < 230


def test_worn_and_dirty_dice_look_it():
    die = lying(5, 16.0, (0.0, 0.0), 0.5)
    fresh = STYLES["white_black"]
    column, row = np.rint(RIG.lens.project(np.array([0, 0, 16.0]))).astype(int)
    new, again, worn, dirty = (
        _picture(Tracer, Scene(60.0, (die,)), style, seed).frames[0].astype(int)
        for seed, style in enumerate((fresh, fresh, replace(fresh, wear=0.5), replace(fresh, dirt=6.0)))
    )
    assert worn[row, column] > new[row, column] + 20
    assert (np.abs(dirty - new) > 10).sum() > (np.abs(again - new) > 10).sum() + 5


def test_faces_are_exposed_as_a_camera_would_be_set():
    """White faces at 150 to 180 or so under the lamp that lights them best, none burnt out in the middle."""
    brightest = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        rig = Rig.drawn(rng, 160)
        scene = place("flat", Machine(), rng)
        picture = _picture(Tracer, scene, STYLES["white_black"], rig=rig)
        for number, die in enumerate(scene.dice, 1):
            top = (picture.dice == number) & (picture.faces == up_face(die))
            clear = top & ~picture.glare.any(0)
            brightest.append(max(np.percentile(frame[clear], 60) for frame in picture.frames))
    assert 140 < np.median(brightest) < 195
    assert max(brightest) < 255


def _rig(**fields) -> Rig:
    return replace(RIG, **fields)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: _rig(lamps=()), LampError, "without lamps"),
        (lambda: _rig(lamps=RIG.lamps[1:]), LampError, "every frame needs a lamp"),
        (lambda: Lamp((0.0, 0.0, -10.0), 0), LampError, "above the dice"),
        (lambda: Lamp((0.0, 0.0, 150.0), 0, radius=0.0), LampError, "above the dice"),
        (lambda: Lamp((0.0, 0.0, 150.0), 0, gain=-1.0), LampError, "above the dice"),
        (lambda: _rig(platform=0.0), SizeError, "platform radius"),
        (lambda: _rig(dome=30.0), SizeError, "wider than the platform"),
        (lambda: _rig(dome=500.0), SizeError, "below the camera"),
        (lambda: Rig.drawn(np.random.default_rng(0), 300), SizeError, "160 or 320"),
        (lambda: Rig.drawn(np.random.default_rng(0), 0), SizeError, "160 or 320"),
        (lambda: Sensor(white=0.0), SizeError, "white"),
        (lambda: Sensor(read=-1.0), SizeError, "read"),
        (lambda: style_named("green_purple"), StyleError, "white_black"),
        (lambda: replace(STYLES["white_black"], body=1.5), StyleError, "body"),
        (lambda: Brand("huge", pip=0.4), SizeError, "do not fit"),
        (lambda: Brand("dense", six=(0.15, 0.26)), SizeError, "overlap"),
        (lambda: Brand("none", single=0.0), SizeError, "single pip"),
    ],
)
def test_impossible_parameters_are_named(make, error: type[Exception], text: str):
    with pytest.raises(error, match=text):
        make()


def test_a_die_beyond_the_picture_does_not_break_it():
    gone = Die(16.0, (300.0, 0.0, 8.0), ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)))
    for make in RENDERERS:
        picture = _picture(make, Scene(60.0, (gone,)), STYLES["white_black"])
        assert not picture.dice.any()
        assert picture.visible == (0.0,)
