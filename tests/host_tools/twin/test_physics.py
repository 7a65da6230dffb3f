"""The simulated machine: gates as the firmware counts them, rest as gravity has it, dice that are fair."""

import itertools
import json
import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from host_tools.twin.errors import ImpossibleMachine, PhysicsMissing, UnknownCategory
from host_tools.twin.fairness import judge
from host_tools.twin.machine import Machine
from host_tools.twin.physics import PROVOKED, Outcome, Tumbler, provoke
from host_tools.twin.physics.world import DRIVE, build, engine
from host_tools.twin.placing import place
from host_tools.twin.scene import Die, Scene
from host_tools.twin.solid import die_gap, lowest, thing_gap, wall_gap
from host_tools.twin.truth import Reason, Verdict, tell
from tumbler.strokes import StrokeCounter

LIMITS = SimpleNamespace(
    **json.loads((Path(__file__).parents[3] / "boards/virtual/board.json").read_text())["limits"]
)
TUMBLING = 700  # mm/s
LEAN = 0.25  # mm: what the platform's lean under the dice does to heights at the rim


def events(tumble):
    """What the firmware's counter makes of the gates."""
    counter = StrokeCounter(LIMITS)
    found = [event for edge in tumble.edges for event in counter.feed(*edge)]
    return found + counter.poll(tumble.lasted_us + LIMITS.debounce_us)


def kept(tumbles):
    """The share of dice that show what they showed before."""
    return np.mean([np.array(tumble.faces) == np.array(tumble.faces_before) for tumble in tumbles])


@pytest.fixture(scope="module")
def rounds():
    tumbler = Tumbler(Machine(), 1)
    return [tumbler.tumble(4) for _ in range(80)]


@pytest.fixture(scope="module")
def provoked():
    return {kind: [provoke(kind, Machine(), seed) for seed in range(25)] for kind in PROVOKED}


def test_strong_strokes_count_as_tumbles_with_the_widths_and_speeds_of_a_voice_coil(rounds):
    for tumble in rounds:
        found = events(tumble)
        assert [kind for kind, *_ in found] == ["stroke"] * 4
        for _, width_us, speed in found:
            assert 12_000 < width_us < 19_000
            assert 800 < speed < 1_050
    widths = [width for tumble in rounds for _, width, _ in events(tumble)]
    assert 14_000 < np.median(widths) < 17_000


def test_each_stroke_passes_both_gates_in_order_a_third_of_a_second_after_the_last(rounds):
    for tumble in rounds:
        assert [edge[:2] for edge in tumble.edges] == [
            ("stroke-gate", True),
            ("stroke-top", True),
            ("stroke-top", False),
            ("stroke-gate", False),
        ] * 4
        times = [at for *_, at in tumble.edges]
        assert times == sorted(times)
        assert all(320_000 < b - a < 360_000 for a, b in itertools.pairwise(times[::4]))


def test_weak_strokes_pulse_the_gates_but_count_for_nothing_and_leave_the_faces():
    tumbler = Tumbler(Machine(), 3)
    tumbles = [tumbler.tumble(4, force=4.5) for _ in range(10)]
    found = [kind for tumble in tumbles for kind, *_ in events(tumble)]
    assert len(found) > 25
    assert all(
        sum(kind == "stroke" for kind, *_ in events(tumble)) < LIMITS.min_tumbles for tumble in tumbles
    )
    assert kept(tumbles) > 0.6


def test_a_board_tells_strokes_that_turn_the_dice_by_their_speed():
    """Strokes slower than `TUMBLING` may leave the dice as they were, so a board's minimum must be no lower.

    In rounds of three strokes, 150 each: 7 N, 420 to 580 mm/s, keeps 38 % of the faces; 8 N, to 660, 26 %;
    9 N, to 710, 22 %; from 10 N on, above 680, 17 %, which is fair."""
    tumbler = Tumbler(Machine(), 5)
    for force, turns_them in ((7, False), (16, True)):
        tumbles = [tumbler.tumble(3, force) for _ in range(15)]
        speeds = [speed for tumble in tumbles for _, _, speed in events(tumble)]
        assert len(speeds) == 45
        assert (min(speeds) > TUMBLING) if turns_them else (max(speeds) < TUMBLING)
        assert (kept(tumbles) < 0.3) == turns_them


def test_a_push_too_weak_to_lift_the_platform_to_the_gates_leaves_no_edge():
    tumble = Tumbler(Machine(), 3).tumble(4, force=2)
    assert tumble.edges == ()
    assert tumble.faces == tumble.faces_before


def test_dice_come_to_rest_flat_at_half_their_edge_within_seconds(rounds):
    assert {tumble.outcome for tumble in rounds} == {Outcome.AT_REST}
    for tumble in rounds:
        assert 1_200_000 < tumble.rest_us < 4_000_000
        assert tumble.rest_us < tumble.lasted_us
        for die, shown in zip(tumble.after.dice, tell(tumble.after).dice, strict=True):
            if shown.tilt < 0.3 and not shown.stacked:
                assert die.centre[2] == pytest.approx(8, abs=LEAN)
    assert np.mean([tell(tumble.after).verdict == Verdict.READABLE for tumble in rounds]) > 0.95


def test_every_die_turns_over_several_times(rounds):
    assert min(turn for tumble in rounds for turn in tumble.turns) > 2
    assert all(25 < tumble.highest < 90 for tumble in rounds)


def test_nothing_overlaps_at_rest(rounds, provoked):
    for tumble in [*rounds, *itertools.chain(*provoked.values())]:
        scene = tumble.after
        assert min((die_gap(a, b) for a, b in itertools.combinations(scene.dice, 2)), default=1) > -0.05
        for die in scene.dice:
            assert wall_gap(die, scene.platform_radius) > -0.05
            assert lowest(die) > -LEAN
            assert min((thing_gap(die, thing) for thing in scene.things), default=1) > -LEAN


def test_strong_strokes_are_fair(rounds):
    """80 rounds tell a coarse bias; the campaign plays thousands."""
    judged = judge([t.faces_before for t in rounds], [t.faces for t in rounds])
    assert judged.least_p > 1e-3
    assert 0.08 < judged.kept < 0.26


def test_a_tumble_goes_on_from_where_the_last_one_ended(rounds):
    for one, following in itertools.pairwise(rounds):
        assert following.before == one.after


def test_vibration_is_loud_at_a_stroke_and_quiet_at_rest(rounds):
    for tumble in rounds:
        times, levels = tumble.vibration.T
        assert np.array_equal(np.diff(times), np.full(len(times) - 1, 5_000))
        assert times[-1] == tumble.lasted_us
        assert levels.min() >= 5
        assert levels.max() <= 16_000
        assert levels[times > tumble.rest_us].max() < LIMITS.rest_mg
        for gate, level, at in tumble.edges:
            if gate == "stroke-top" and level:
                assert levels[(times > at - 20_000) & (times < at + 20_000)].max() > 1_000


def test_the_same_seed_gives_the_same_tumbles_and_another_others(rounds):
    again = Tumbler(Machine(), 1)
    other = Tumbler(Machine(), 2)
    for tumble in rounds[:2]:
        same = again.tumble(4)
        assert (same.after, same.edges, same.rest_us) == (tumble.after, tumble.edges, tumble.rest_us)
        assert np.array_equal(same.vibration, tumble.vibration)
        assert other.tumble(4).after != tumble.after


def test_a_drive_that_is_stopped_early_did_the_same_first_strokes():
    tumbler = Tumbler(Machine(), 7)
    tumbler.tumble(1)
    mark = tumbler.mark()
    whole = tumbler.tumble(4)
    tumbler.back(mark)
    assert tumbler.scene == whole.before
    half = tumbler.tumble(2)
    assert half.edges == whole.edges[:8]
    tumbler.back(mark)
    assert tumbler.tumble(4).after == whole.after


def test_dice_that_escaped_are_told_and_put_back():
    flat = place("flat", Machine(), np.random.default_rng(0))
    outside = Die(16.0, (0.0, 0.0, 150.0), flat.dice[0].rotation, damage="chipped")
    tumbler = Tumbler(Machine(), 0, Scene(60.0, (outside, *flat.dice[1:])))
    escaped = tumbler.tumble(4)
    assert escaped.outcome is Outcome.ESCAPED
    assert escaped.rest_us is None
    assert tell(escaped.after).verdict is Verdict.MUST_REFUSE  # for its damage alone
    assert not tell(escaped.after).dice[0].stacked
    following = tumbler.tumble(4)
    assert following.outcome is Outcome.AT_REST
    assert [die.damage for die in following.after.dice] == ["chipped", "", ""]


def test_a_drive_beyond_all_measure_ends_in_a_named_outcome():
    tumbler = Tumbler(Machine(), 1)
    with np.errstate(all="raise"):
        tumbles = [tumbler.tumble(4, force=950) for _ in range(6)]
    assert Outcome.ESCAPED in {tumble.outcome for tumble in tumbles}
    assert all(np.isfinite(tumble.highest) and tell(tumble.after).dice for tumble in tumbles)


def test_dice_that_never_rest_end_the_tumble_all_the_same():
    """Friction always wins within seconds, so here the look for stillness is made blind."""
    tumbler = Tumbler(Machine(), 0)
    tumbler._quiet = lambda qvel: False
    tumble = tumbler.tumble(0)
    assert tumble.outcome is Outcome.NEVER_AT_REST
    assert tumble.rest_us is None
    assert 6_000_000 <= tumble.lasted_us < 6_100_000


def test_rare_rests_come_from_physics_too(provoked):
    reasons = {
        kind: Counter(reason for t in tumbles for reason in tell(t.after, len(t.after.dice)).reasons)
        for kind, tumbles in provoked.items()
    }
    assert reasons["debris"][Reason.COCKED] + reasons["debris"][Reason.SLIGHT_TILT] > 1
    assert reasons["edge-at-wall"][Reason.COCKED] > 4
    assert reasons["die-on-die"][Reason.STACKED] > 4
    tilts = [die.tilt for t in provoked["edge-at-wall"] for die in tell(t.after).dice if die.tilt > 6]
    assert 15 < min(tilts) < max(tilts) < 46


def test_other_dice_and_beads_are_tumbled_as_the_scene_has_them():
    machine = Machine(die_edge=19, die_rounding=0.6, dice=4)
    tumble = Tumbler(machine, 4).tumble(4)
    assert len(tumble.faces) == 4
    assert {die.edge for die in tumble.after.dice} == {19}
    scene = place("foreign-object", Machine(), np.random.default_rng(2))
    assert Tumbler(Machine(), 1, scene).tumble(3).after.things == scene.things


@pytest.mark.parametrize("restitution", [0.3, 0.53, 0.8])
def test_a_die_that_falls_flat_bounces_as_its_restitution_says(restitution):
    model = build(Machine(restitution=restitution, dice=1), 1)
    data = engine().MjData(model)
    data.qpos[DRIVE + 2] = 0.008 + 0.030
    heights = []
    for _ in range(1300):
        engine().mj_step(model, data)
        heights.append(data.qpos[DRIVE + 2] - 0.008)
    lowest_at = int(np.argmin(heights[:400]))
    rebound = np.sqrt(max(heights[lowest_at:]) / 0.030)
    assert rebound == pytest.approx(restitution, abs=0.08)


@pytest.mark.parametrize(
    ("strokes", "force"), [(-1, 16), (101, 16), (4, 0), (4, -3), (4, float("nan")), (4, 5000)]
)
def test_impossible_strokes_are_refused(strokes, force):
    with pytest.raises(ImpossibleMachine):
        Tumbler(Machine(), 0).tumble(strokes, force)


def test_an_unknown_way_to_provoke_is_refused():
    with pytest.raises(UnknownCategory, match="debris"):
        provoke("sneeze", Machine(), 0)


def test_without_the_engine_one_sentence_names_the_command_that_installs_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(PhysicsMissing, match="make twin"):
        Tumbler(Machine(), 0)


def test_the_engine_writes_no_file_where_the_user_is(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    flat = place("flat", Machine(), np.random.default_rng(0))
    inside = Die(16.0, flat.dice[0].centre, flat.dice[0].rotation)
    Tumbler(Machine(), 0, Scene(60.0, (inside, *flat.dice))).tumble(1)
    assert list(tmp_path.iterdir()) == []
