"""The truth of scenes set up by hand, and of the committed labels' rows."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from host_tools.twin.camera.photos import lying
from host_tools.twin.scene import Die, Scene, Thing, rows, vector
from host_tools.twin.solid import core, die_gap, footprint_gap, wall_gap
from host_tools.twin.truth import TOUCHING, DieTruth, Reason, SceneTruth, Verdict, _reasons, tell

UPRIGHT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
LABELS = Path(__file__).parents[2] / "frames/scenes320/labels.jsonl"


def turn(axis, degrees):
    x, y, z = axis
    cross = np.array([(0, -z, y), (z, 0, -x), (-y, x, 0)])
    angle = math.radians(degrees)
    return np.eye(3) + math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross


def die_at(x, y, z=8.0, rotation=UPRIGHT, **more):
    return Die(16.0, (x, y, z), rotation, **more)


def shown(*dice, things=(), count=None):
    return tell(Scene(60.0, dice, things), len(dice) if count is None else count)


@pytest.mark.parametrize(
    ("axis", "degrees", "face"),
    [
        *(((1, 0, 0), 0, 1), ((1, 0, 0), 180, 6), ((1, 0, 0), 90, 2), ((1, 0, 0), -90, 5)),
        *(((0, 1, 0), -90, 3), ((0, 1, 0), 90, 4)),
    ],
)
def test_the_face_that_looks_up(axis, degrees, face):
    """Turning about x by 90 degrees takes y up, so 2 shows; about y by -90 degrees takes x up, so 3 does."""
    assert shown(die_at(0, 0, rotation=rows(turn(axis, degrees)))).faces == (face,)


@given(yaw=st.floats(0, 360), azimuth=st.floats(0, 360), tilt=st.floats(0.01, 44))
def test_tilt_and_the_way_a_die_leans(yaw, azimuth, tilt):
    axis = (-math.sin(math.radians(azimuth)), math.cos(math.radians(azimuth)), 0.0)
    (die,) = shown(die_at(0, 0, rotation=rows(turn(axis, tilt) @ turn((0, 0, 1), yaw)))).dice
    assert die.face == 1
    assert die.tilt == pytest.approx(tilt, abs=1e-6)
    assert (die.lean - azimuth + 180) % 360 - 180 == pytest.approx(0, abs=1e-4)


@pytest.mark.parametrize(
    ("tilt", "verdict", "reason"),
    [
        (0.0, Verdict.READABLE, None),
        (1.4, Verdict.READABLE, None),
        (1.6, Verdict.BORDERLINE, Reason.SLIGHT_TILT),
        (5.9, Verdict.BORDERLINE, Reason.SLIGHT_TILT),
        (6.1, Verdict.MUST_REFUSE, Reason.COCKED),
        (45.0, Verdict.MUST_REFUSE, Reason.COCKED),
    ],
)
def test_verdict_by_tilt(tilt, verdict, reason):
    truth = shown(die_at(0, 0, rotation=rows(turn((0, 1, 0), tilt))), die_at(30, 0))
    assert (truth.verdict, truth.reason) == (verdict, reason)


def test_gaps_of_dice_side_by_side_and_corner_to_side():
    one, other, far = shown(die_at(0, 0), die_at(16.3, 0), die_at(0, -20)).dice
    assert one.gap_die == pytest.approx(0.3)
    assert (one.touching, other.touching, far.touching) == (True, True, False)
    assert far.gap_die == pytest.approx(4.0)
    # Half the diagonal of the core and the rounding reach 6.5 * sqrt 2 + 1.5 from the middle.
    turned = die_at(20, 0, rotation=rows(turn((0, 0, 1), 45)))
    assert shown(die_at(0, 0), turned).dice[0].gap_die == pytest.approx(20 - 8 - 6.5 * math.sqrt(2) - 1.5)


def test_gap_to_the_wall():
    reach = math.hypot(40 + 6.5, 6.5) + 1.5
    near, at = shown(die_at(40, 0), die_at(-(math.sqrt(58.5**2 - 6.5**2) - 6.5), 0)).dice
    assert near.gap_wall == pytest.approx(60 - reach)
    assert not near.touching_wall
    assert at.gap_wall == pytest.approx(0, abs=1e-9)
    assert at.touching_wall


def test_a_stack_is_told_from_dice_that_lean_on_each_other():
    truth = shown(die_at(0, 0), die_at(3, 1, 24.0), die_at(40, 0))
    assert [die.stacked for die in truth.dice] == [False, True, False]
    assert [die.carries for die in truth.dice] == [True, False, False]
    assert [die.touching for die in truth.dice] == [False, False, False]
    assert [die.gap_die for die in truth.dice[:2]] == [0, 0]
    assert truth.reason is Reason.STACKED
    leaning = die_at(16.9, 0, 9.9, rows(turn((0, 1, 0), 20)))
    truth = shown(die_at(0, 0), leaning)
    assert [die.stacked or die.carries for die in truth.dice] == [False, False]
    assert truth.reason is Reason.COCKED


def test_count_damage_and_objects():
    three = (die_at(-30, 0), die_at(0, 0), die_at(30, 0))
    assert shown(*three, count=3).verdict is Verdict.READABLE
    assert shown(*three[:2], count=3).reason is Reason.MISSING_DIE
    assert shown(count=3).reason is Reason.MISSING_DIE
    assert shown(*three, count=2).reason is Reason.EXTRA_DIE
    assert shown(*three[:2], replace(three[2], damage="chipped"), count=3).reason is Reason.DAMAGED
    assert shown(*three, things=(Thing((0, 30, 3), 3, 0.5),)).verdict is Verdict.MUST_REFUSE
    assert shown(*three, things=(Thing((0, 30, 1), 1, 0.5),)).verdict is Verdict.BORDERLINE
    assert shown(*three, things=(Thing((0, 30, 0.2), 0.2, 0.5),)).verdict is Verdict.READABLE


@pytest.mark.parametrize("face", range(1, 7))
def test_a_disguise_is_undecidable_unless_something_else_must_be_refused(face):
    die = lying(face, 16.0, (0.0, 0.0), 0.0)
    truth = tell(Scene(60.0, (replace(die, damage="disguised"),)), 1)
    assert truth.faces == (face,)
    assert truth.dice[0].shows == {2: 3, 3: 2, 4: 5, 5: 4}.get(face, face)
    assert truth.verdict is (Verdict.UNDECIDABLE if face in {2, 3, 4, 5} else Verdict.READABLE)
    assert tell(Scene(60.0, (replace(die, damage="disguised"),)), 2).verdict is Verdict.MUST_REFUSE


def test_all_reasons_are_told_the_gravest_first():
    truth = shown(die_at(0, 0, damage="pip-lost"), die_at(2, 0, 24, rows(turn((0, 1, 0), 8))), count=3)
    assert truth.reasons == (Reason.MISSING_DIE, Reason.STACKED, Reason.COCKED, Reason.DAMAGED)


def committed_labels():
    """All but those whose picture, not the scene, makes them borderline."""
    labels = [json.loads(row) for row in LABELS.read_text().splitlines()]
    return [label for label in labels if label["category"] != "quality"]


@pytest.mark.parametrize("label", committed_labels(), ids=lambda label: label["scene"])
def test_the_committed_labels_are_judged_as_they_say(label):
    dice = [from_label(die) for die in label["dice"]]
    truth = SceneTruth(tuple(dice), tuple(_reasons(dice, (), 3)))
    assert truth.verdict == label["verdict"]
    assert truth.reason == label["reason"]
    over_another = any(die["stacked"] for die in label["dice"])
    for die in label["dice"]:
        assert die["touching_wall"] == (die["gap_wall_mm"] < TOUCHING)
        assert over_another or die["touching"] == (die["gap_die_mm"] < TOUCHING)


def from_label(die):
    return DieTruth(
        face=die["face"],
        shows=die["face"],
        tilt=die["tilt_deg"],
        lean=0,
        centre=(0, 0, 0),
        edge=16,
        stacked=die["stacked"],
        carries=False,
        touching=die["touching"],
        touching_wall=die["touching_wall"],
        gap_die=die["gap_die_mm"],
        gap_wall=die["gap_wall_mm"],
        damaged=die["damaged"],
    )


# --- the distances that truth and placing stand on, against a slow independent answer


def sampled(die, n=21):
    """Points all over a die's core."""
    at = np.linspace(-1, 1, n) * (die.edge / 2 - die.rounding)
    grid = np.stack(np.meshgrid(at, at, at), -1).reshape(-1, 3)
    return grid @ die.matrix().T + np.array(die.centre)


def nearest(one, other):
    """Distance of two cores by alternating projections, less the roundings."""
    point = np.array(other.centre)
    for _ in range(1500):
        point = clamped(clamped(point, one), other)
    return float(np.linalg.norm(point - clamped(point, one))) - one.rounding - other.rounding


def clamped(point, die):
    half = die.edge / 2 - die.rounding
    local = (point - np.array(die.centre)) @ die.matrix()
    return np.clip(local, -half, half) @ die.matrix().T + np.array(die.centre)


def any_die(rng, spread):
    q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    q[:, 0] *= np.sign(np.linalg.det(q))
    return Die(16.0, vector(rng.uniform(-spread, spread, 3)), rows(q), rounding=float(rng.uniform(0.2, 3)))


def test_distances_of_dice_agree_with_a_slow_search():
    rng = np.random.default_rng(7)
    apart = 0
    for _ in range(40):
        one, other = any_die(rng, 16), any_die(rng, 16)
        gap = die_gap(one, other)
        if gap > -one.rounding - other.rounding:
            apart += 1
            assert gap == pytest.approx(nearest(one, other), abs=1e-3)
        else:
            inside = np.linalg.norm(sampled(one) - [clamped(p, other) for p in sampled(one)], axis=1)
            assert inside.min() < 1.2
    assert apart > 15


def test_shadows_never_lie_further_apart_than_bodies_and_reach_no_further():
    rng = np.random.default_rng(8)
    for _ in range(200):
        one, other = any_die(rng, 20), any_die(rng, 20)
        gap = footprint_gap(one, other)
        if gap >= 0:
            assert gap <= die_gap(one, other) + 1e-9
        across = np.linalg.norm(core(one)[:, None, :2] - core(other)[None, :, :2], axis=-1).min()
        assert gap <= across - one.rounding - other.rounding + 1e-9
        reach = np.hypot(*core(one)[:, :2].T).max() + one.rounding
        assert wall_gap(one, 60) == pytest.approx(60 - reach)
