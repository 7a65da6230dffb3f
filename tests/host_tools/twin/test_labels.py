"""Labels of the twin's scenes: against the poses, against the picture's own pixels, in the agreed form."""

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest

from host_tools.twin.camera import STYLES, TROUBLES, Rig, Tracer, Troubled, TroubleError
from host_tools.twin.camera.photos import Camera, lying
from host_tools.twin.camera.warp import Warper
from host_tools.twin.labels import label
from host_tools.twin.machine import Machine
from host_tools.twin.placing import CATEGORIES, place
from host_tools.twin.scene import Scene, rows
from host_tools.twin.truth import tell

FRAMES = Path(__file__).parents[2] / "frames" / "scenes320"
RIG = Rig.drawn(np.random.default_rng(31), 320)
WHITE = STYLES["white_black"]
TRACER = Tracer(RIG)


def _labelled(scene: Scene, category: str = "flat", camera: Camera = TRACER, rig: Rig = RIG, style=WHITE):
    picture = camera.render(scene, style, np.random.default_rng(1))
    return picture, label("0007", category, scene, style, picture, rig.lens)


def _tilted(scene: Scene, degrees: float, azimuth: float) -> Scene:
    axis = np.array([-np.sin(azimuth), np.cos(azimuth), 0]) * np.radians(degrees)
    first = scene.dice[0]
    turned = replace(first, rotation=rows(cv2.Rodrigues(axis)[0] @ first.matrix()))
    return replace(scene, dice=(turned, *scene.dice[1:]))


def _three(face: int = 5) -> Scene:
    """Three flat dice, one of them in the middle."""
    places = ((0.0, 0.0), (-30.0, 10.0), (25.0, -20.0))
    return Scene(60.0, tuple(lying(face, 16.0, at, 0.3 + at[0]) for at in places))


def test_a_label_has_the_form_of_the_recorded_scenes():
    recorded = json.loads((FRAMES / "labels.jsonl").read_text().splitlines()[0])
    _, told = _labelled(place("flat", Machine(), np.random.default_rng(1)))
    assert list(told) == list(recorded)
    assert list(told["dice"][0]) == [*recorded["dice"][0], "shows"]
    again = json.loads(json.dumps(told, allow_nan=False))
    assert again == told
    for key, value in recorded["dice"][0].items():
        assert type(again["dice"][0][key]) is type(value), key
    assert np.shape(told["dice"][0]["corners_px"]) == (4, 2)
    assert len(told["dice"][0]["glare_frac"]) == 4


@pytest.mark.parametrize("category", CATEGORIES)
def test_labels_say_what_the_poses_say(category: str):
    for seed in range(3):
        scene = place(category, Machine(), np.random.default_rng(seed))
        _, told = _labelled(scene, category)
        truth = tell(scene)
        assert told["values"] == list(truth.faces)
        assert told["verdict"] == truth.verdict
        assert told["reason"] == truth.reason
        assert told["must_refuse"] == (truth.verdict == "must_refuse")
        assert told["borderline"] == (truth.verdict == "borderline")
        for die, known in zip(told["dice"], truth.dice, strict=True):
            assert (die["face"], die["shows"]) == (known.face, known.shows)
            assert die["tilt_deg"] == pytest.approx(known.tilt, abs=0.01)
            assert (die["stacked"], die["touching"], die["damaged"]) == (
                known.stacked,
                known.touching,
                known.damaged,
            )


@pytest.mark.parametrize("make", [Tracer, Warper])
def test_corners_and_centres_fit_the_pixels_of_the_top_face(make):
    scene = place("flat", Machine(), np.random.default_rng(3))
    picture, told = _labelled(scene, camera=make(RIG))
    for number, die in enumerate(told["dice"], 1):
        top = ((picture.dice == number) & (picture.faces == die["face"])).astype(np.uint8)
        drawn = np.zeros_like(top)
        cv2.fillPoly(drawn, [np.rint(die["corners_px"]).astype(np.int32)], 1)
        # OpenCV fills half a pixel beyond the corners; rounded edges end short of them.
        assert (top & drawn).sum() > 0.99 * top.sum()
        assert top.sum() > 0.8 * drawn.sum()
        ys, xs = np.nonzero(top)
        assert np.hypot(xs.mean() - die["top_px"][0], ys.mean() - die["top_px"][1]) < 0.5
        assert die["side_px"] == pytest.approx(np.sqrt(top.sum()), rel=0.07)
        assert die["top_visible"] == 1.0


def test_parallax_moves_the_top_outwards():
    _, told = _labelled(_three())
    middle = RIG.lens.project(np.zeros(3))
    for die in told["dice"][1:]:
        assert np.linalg.norm(die["top_px"] - middle) > np.linalg.norm(die["centre_px"] - middle) + 1


@pytest.mark.parametrize("azimuth", [0.0, 1.0, 2.5, 4.0, 5.5])
def test_the_lean_points_to_where_the_die_is_brighter(azimuth: float):
    """The direction in the picture, told again by the light of the four lamps on the leaning face."""
    style = replace(WHITE, pip=0.8, brand=replace(WHITE.brand, depth=0.0))
    pictures = [_labelled(_tilted(_three(1), tilt, azimuth), style=style) for tilt in (0.0, 10.0)]
    levels = []
    for picture, told in pictures:
        column, row = np.rint(told["dice"][0]["top_px"]).astype(int)
        levels.append(
            [frame[row - 2 : row + 3, column - 2 : column + 3].mean() - 2 for frame in picture.frames]
        )
    gain = np.subtract(np.divide(levels[1], levels[0]), 1)
    to_lamps = [
        RIG.lens.project(np.array([*lamp.at[:2], 0])) - RIG.lens.project(np.zeros(3)) for lamp in RIG.lamps
    ]
    units = [way / np.linalg.norm(way) for way in to_lamps]
    way = gain @ np.array(units)
    seen = np.degrees(np.arctan2(way[1], way[0]))
    told_lean = pictures[1][1]["dice"][0]["tilt_az_image_deg"]
    assert abs((seen - told_lean + 180) % 360 - 180) < 10
    assert pictures[1][1]["dice"][0]["tilt_deg"] == pytest.approx(10, abs=0.01)


def test_a_stacked_die_hides_the_top_below_and_is_seen_larger():
    low, high = lying(2, 16.0, (0.0, 0.0), 0.1), lying(4, 16.0, (4.0, 0.0), 0.1)
    high = replace(high, centre=(4.0, 0.0, 24.0))
    _, told = _labelled(Scene(60.0, (low, high, lying(6, 16.0, (-35.0, 0.0), 0.0))), "stacked")
    below, above, beside = told["dice"]
    assert told["reason"] == "stacked"
    assert told["must_refuse"]
    assert below["top_visible"] < 0.5
    assert above["stacked"]
    assert above["side_px"] > 1.06 * beside["side_px"]


def test_glare_is_told_under_the_lamp_whose_image_lies_on_the_face():
    spots = [
        np.argwhere(glare).mean(0)[::-1]
        for glare in TRACER.render(Scene(60.0, ()), WHITE, np.random.default_rng(0)).glare
    ]
    ray = np.array(RIG.lens.rays(spots[2][:1], spots[2][1:]))[:, 0]
    eye = np.array(RIG.lens.at)
    x, y, _ = eye + ray * ((16 - eye[2]) / ray[2])
    scene = Scene(60.0, (lying(3, 16.0, (float(x), float(y)), 0.2), *_three().dice[1:]))
    _, told = _labelled(scene)
    glare = told["dice"][0]["glare_frac"]
    assert 0.03 < glare[2] < 0.3
    assert glare[0] == glare[1] == glare[3] == 0


def test_a_lonely_die_has_no_gap_to_another():
    _, told = _labelled(Scene(60.0, (lying(3, 16.0, (0.0, 0.0), 0.2),)))
    assert told["dice"][0]["gap_die_mm"] is None
    assert told["reason"] == "missing_die"


@pytest.mark.parametrize("trouble", TROUBLES)
@pytest.mark.parametrize("make", [Tracer, Warper])
def test_trouble_with_the_picture_decides_when_the_dice_lie_well(make, trouble: str):
    scene = place("flat", Machine(), np.random.default_rng(4))
    picture, told = _labelled(scene, "quality", Troubled(make, RIG, trouble))
    grave = trouble in ("moving", "disagree")
    assert told["verdict"] == ("must_refuse" if grave else "borderline")
    assert told["reason"] == trouble == picture.trouble
    assert told["values"] == list(tell(scene).faces)
    _, cocked = _labelled(_tilted(scene, 20, 1.0), "cocked", Troubled(make, RIG, trouble))
    assert (cocked["verdict"], cocked["reason"]) == ("must_refuse", "cocked")


def _white_levels(picture, share: float) -> np.ndarray:
    top = cv2.erode((picture.faces > 0).astype(np.uint8), np.ones((5, 5))) > 0
    return np.array([np.percentile(frame[top], share) for frame in picture.frames])


def test_each_trouble_looks_like_it():
    scene = _three(6)
    sound = TRACER.render(scene, WHITE, np.random.default_rng(1))
    pictures = {t: Troubled(Tracer, RIG, t).render(scene, WHITE, np.random.default_rng(1)) for t in TROUBLES}
    usual = _white_levels(sound, 80)
    assert (_white_levels(pictures["dark"], 80) < 0.2 * usual).all()
    assert (_white_levels(pictures["overexposed"], 80) > 1.5 * usual).any()

    def sharpness(picture) -> float:
        return float(
            np.mean([np.abs(cv2.Laplacian(f, cv2.CV_32F))[picture.dice > 0].mean() for f in picture.frames])
        )

    for blurred in ("blur", "motion"):
        assert sharpness(pictures[blurred]) < 0.6 * sharpness(sound)
    assert sorted(_white_levels(pictures["lamp-out"], 80) < 15) == [False, False, False, True]


@pytest.mark.parametrize("trouble", ["moving", "disagree"])
def test_frames_that_do_not_show_one_scene_differ_by_more_than_light(trouble: str):
    """Some frames are those of the scene; the others show one die elsewhere or with another face."""
    scene = _three(6)
    sound = TRACER.render(scene, WHITE, np.random.default_rng(1))
    for seed in range(6):
        picture = Troubled(Tracer, RIG, trouble).render(scene, WHITE, np.random.default_rng(seed))
        off = [
            (np.abs(a.astype(int) - b) > 40).sum() for a, b in zip(sound.frames, picture.frames, strict=True)
        ]
        changed = [share > 20 for share in off]
        assert not changed[0]
        assert any(changed)
        if trouble == "disagree":
            assert sum(changed) == 1
        else:
            assert changed == sorted(changed)  # once moved, it stays


def test_unknown_trouble_and_trouble_that_one_frame_cannot_have_are_refused():
    with pytest.raises(TroubleError, match="overexposed"):
        Troubled(Tracer, RIG, "sleepy")
    ring = Rig.drawn_ring(np.random.default_rng(0), 160)
    with pytest.raises(TroubleError, match="more than one"):
        Troubled(Tracer, ring, "moving")
    assert len(Troubled(Tracer, ring, "dark").render(_three(), WHITE, np.random.default_rng(0)).frames) == 1
