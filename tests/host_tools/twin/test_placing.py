"""Placed scenes: nothing overlaps, nothing floats, faces are fair, and what is asked for is what is shown."""

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host_tools.twin.errors import ImpossibleMachine, NoRoom, UnknownCategory
from host_tools.twin.fairness import chi_square
from host_tools.twin.machine import Machine
from host_tools.twin.placing import CATEGORIES, place
from host_tools.twin.scene import DAMAGES
from host_tools.twin.solid import die_gap, lowest, thing_gap, wall_gap
from host_tools.twin.truth import Reason, Verdict, tell

GRAINS = 1e-9  # mm: what arithmetic leaves of a contact
SHOWS = {
    "flat": {None},
    "touching": {None},
    "wall": {None},
    "cocked": {Reason.COCKED},
    "slight-tilt": {Reason.SLIGHT_TILT},
    "stacked": {Reason.STACKED},
    "damaged": {Reason.DAMAGED},
    "disguised": {Reason.DISGUISED},
    "missing-die": {Reason.MISSING_DIE},
    "extra-die": {Reason.EXTRA_DIE},
    "foreign-object": {Reason.FOREIGN_OBJECT, Reason.SMALL_OBJECT},
}
machines = st.builds(Machine, die_edge=st.sampled_from([16.0, 18.0, 19.0]), die_rounding=st.floats(0.2, 2.5))


def placed(category, seed, machine=None):
    return place(category, machine or Machine(), np.random.default_rng(seed))


@pytest.mark.parametrize("category", CATEGORIES)
@settings(max_examples=25, deadline=None)
@given(machine=machines, seed=st.integers(0, 2**32))
def test_nothing_overlaps_or_floats(category, machine, seed):
    scene = placed(category, seed, machine)
    for one, other in itertools.combinations(scene.dice, 2):
        assert die_gap(one, other) >= -GRAINS
    for die in scene.dice:
        assert wall_gap(die, scene.platform_radius) >= -GRAINS
        assert min((thing_gap(die, thing) for thing in scene.things), default=1) >= -GRAINS
    on_floor = [die for die in scene.dice if abs(lowest(die)) <= GRAINS]
    for die in scene.dice:
        below = [other for other in scene.dice if other.centre[2] < die.centre[2] - die.edge / 2]
        assert die in on_floor or any(abs(die_gap(die, other)) <= GRAINS for other in below)


@pytest.mark.parametrize("category", CATEGORIES)
@settings(max_examples=40, deadline=None)
@given(machine=machines, seed=st.integers(0, 2**32))
def test_a_scene_shows_what_its_category_says(category, machine, seed):
    truth = tell(placed(category, seed, machine))
    assert truth.reason in SHOWS[category]
    if category == "flat":
        assert not any(die.touching or die.touching_wall for die in truth.dice)
    if category == "touching":
        assert sum(die.touching for die in truth.dice) >= 2
    if category == "wall":
        assert any(die.touching_wall for die in truth.dice)


def test_leaning_dice_are_held_by_what_they_lean_on():
    for seed in range(60):
        scene = placed("cocked", seed)
        truth = tell(scene)
        leaning = [i for i, die in enumerate(truth.dice) if die.tilt > 5]
        assert len(leaning) == 1
        die = scene.dice[leaning[0]]
        others = [other for other in scene.dice if other is not die]
        gaps = [wall_gap(die, scene.platform_radius), *(die_gap(die, other) for other in others)]
        gaps += [thing_gap(die, thing) for thing in scene.things]
        assert min(gaps) == pytest.approx(0, abs=1e-9)


def test_cocked_and_slight_tilts_reach_from_end_to_end_of_their_ranges():
    cocked = [max(die.tilt for die in tell(placed("cocked", seed)).dice) for seed in range(300)]
    slight = [max(die.tilt for die in tell(placed("slight-tilt", seed)).dice) for seed in range(200)]
    assert min(cocked) >= 6
    assert max(cocked) <= 45
    assert np.histogram(cocked, [6, 12, 20, 32, 45])[0].min() > 20
    assert min(slight) >= 1.5
    assert max(slight) < 6
    assert np.histogram(slight, [1.5, 3, 4.5, 6])[0].min() > 40


@pytest.mark.parametrize("category", CATEGORIES)
def test_every_face_is_as_likely_as_any(category):
    counts = Counter()
    for seed in range(150):
        counts.update(tell(placed(category, [CATEGORIES.index(category), seed])).faces)
    assert chi_square([counts[face] for face in range(1, 7)]).p > 1e-3


def test_the_same_seed_gives_the_same_scene_and_another_another():
    for category in CATEGORIES:
        assert placed(category, 5) == placed(category, 5)
    assert placed("flat", 5) != placed("flat", 6)


def test_stacks_come_square_crooked_high_and_across_two():
    carriers, heights = Counter(), Counter()
    for seed in range(100):
        truth = tell(placed("stacked", seed))
        carriers[sum(die.carries for die in truth.dice)] += 1
        heights[max(round(die.centre[2] / die.edge - 0.5) for die in truth.dice)] += 1
    assert carriers[1] > 20
    assert carriers[2] > 20
    assert heights[1] > 40
    assert heights[2] > 10


def test_dice_are_missing_down_to_none_and_every_damage_occurs():
    assert {len(placed("missing-die", seed).dice) for seed in range(60)} == {0, 1, 2}
    found = {die.damage for seed in range(60) for die in placed("damaged", seed).dice}
    assert found == {"", *DAMAGES}


def test_small_platforms_and_wrong_names_are_refused_by_name():
    with pytest.raises(UnknownCategory, match="flat"):
        placed("sideways", 0)
    with pytest.raises(NoRoom, match="flat"):
        placed("flat", 0, Machine(platform_radius=23, die_edge=16))
    with pytest.raises(NoRoom, match="two dice"):
        placed("stacked", 0, Machine(dice=1))


@pytest.mark.parametrize(
    "wrong",
    [
        {"die_edge": 80.0},
        {"die_edge": 0.0},
        {"friction_platform": -0.1},
        {"friction_dice": float("nan")},
        {"restitution": 1.1},
        {"restitution": 0.0},
        {"dice": 0},
        {"dice": 7},
        {"die_rounding": 5.0},
        {"die_rounding": 0.0},
        {"platform_radius": -1.0},
        {"force": 0.0},
        {"force_jitter": 1.0},
        {"off_centre": 61.0},
        {"pulse_jitter": 11.0},
        {"stroke_period": 40.0},
        {"gate_height": 7.5},
        {"dome_height": 30.0},
    ],
    ids=lambda wrong: next(iter(wrong)),
)
def test_a_machine_that_nobody_can_build_is_refused_by_the_parameters_name(wrong):
    with pytest.raises(ImpossibleMachine) as caught:
        Machine(**wrong)
    assert caught.value.parameter == next(iter(wrong))


def test_readable_scenes_are_readable():
    for category in ("flat", "touching", "wall"):
        assert tell(placed(category, 1)).verdict is Verdict.READABLE
