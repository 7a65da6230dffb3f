"""The plant by itself, in its own time: what a board would see, without one."""

import json
from dataclasses import replace

import pytest

from host_tools.virtual_board.board import FRAMES
from host_tools.virtual_board.dice import RecordedScenes
from host_tools.virtual_board.plant import BETWEEN, CLOSED, OPENED, STEP_US, Plant
from host_tools.virtual_board.scenario import Event, Round, Scenario, Stroke

ROUND = Round("0008", "read", (2, 4, 5))
COVERED = Scenario("Covered", "covered", (ROUND,))


def with_round(scenario=COVERED, **changes):
    return replace(scenario, rounds=(replace(ROUND, **changes),))


class Board:
    """Speaks the plant's protocol as the HAL does, and keeps what it is told."""

    def __init__(self, scenario=COVERED):
        self.plant = Plant(scenario, RecordedScenes(scenario, FRAMES / "scenes320"))
        self.plant.power_on()
        self.levels = {}
        self.edges = []
        self.steps = []
        self.frame = None
        self.tell(start=1)

    def tell(self, **message):
        if self.plant.receive(message):
            self._hear(self.plant.answer())

    def _hear(self, answer):
        line, _, raw = answer.partition(b"\n")
        told = json.loads(line) if line else {}
        if "frame" in told:
            assert len(raw) == told["frame"]
            self.frame = raw
        elif told:
            self.levels |= told["levels"]
            self.edges += told["edges"]
            self.steps.append(told["t"])

    def wait(self, ms):
        until = self.plant.time_us + ms * 1000
        while self.plant.time_us < until and self.plant.power_off_ms is None:
            self.tell(idle=1)

    def cover(self):
        return {name: self.levels[name] for name in CLOSED}


def test_time_is_granted_in_small_steps():
    board = Board()
    board.wait(1000)
    grants = [after - before for before, after in zip(board.steps, board.steps[1:], strict=False)]
    assert set(grants) == {STEP_US}
    assert STEP_US <= 5000


def test_the_first_grant_tells_every_channel():
    for mode, cover in (("covered", CLOSED), ("open", OPENED)):
        board = Board(replace(COVERED, mode=mode))
        sound = {"dome-closed": True, "dome-intact": True, "door-closed": True, "tilted": False}
        assert board.levels == sound | cover


def test_a_lock_engaged_again_in_time_keeps_the_cover_closed():
    board = Board()
    board.tell(cover=True)
    board.wait(300)
    board.tell(cover=False)
    board.wait(2000)
    assert board.cover() == CLOSED


def test_a_cover_on_its_way_is_between():
    board = Board()
    board.tell(cover=True)
    board.wait(450)
    assert board.cover() == BETWEEN
    board.tell(cover=False)
    board.wait(1000)
    assert board.cover() == CLOSED


def test_without_a_dealer_nobody_moves_the_cover():
    board = Board(replace(COVERED, dealer=False))
    board.tell(cover=True)
    board.wait(2000)
    assert board.cover() == CLOSED


def test_an_open_cover_is_closed_after_a_power_cut():
    board = Board()
    board.tell(cover=True)
    board.wait(1000)
    assert board.cover() == OPENED
    board.plant.power_off()
    board.plant.power_on()
    board.tell(start=1)
    board.wait(1000)
    assert board.cover() == CLOSED


def test_a_power_cut_stops_the_drive():
    board = Board(with_round(events=(Event("stroke", nth=1, power_off_ms=5),)))
    board.tell(strokes=4)
    board.wait(2000)
    assert board.plant.power_off_ms == 5
    board.plant.power_off()
    board.plant.power_on()
    board.edges.clear()
    board.tell(start=1)
    board.wait(2000)
    assert board.edges == []


def test_nothing_happens_between_a_cut_and_the_owner_who_carries_it_out():
    cut = Event("drive", after_ms=7, power_off_ms=0)
    later = Event("drive", after_ms=8, levels={"tilted": True})
    board = Board(with_round(events=(cut, later)))
    board.tell(strokes=1)
    start_us = board.plant.time_us
    board.tell(idle=1)
    board.tell(idle=1)
    assert board.plant.time_us == start_us + 7_000
    assert board.plant.levels["tilted"] is False


def test_stop_ends_the_strokes_and_their_number_may_differ_from_the_command():
    for count, stop_ms, seen in ((None, 5000, 4), (2, 5000, 2), (6, 5000, 6), (None, 600, 2), (0, 5000, 0)):
        board = Board(with_round(stroke_count=count))
        board.tell(strokes=4)
        board.wait(stop_ms)
        board.tell(drive=0)
        board.wait(3000)
        assert sum(gate == "stroke-top" and level for gate, level, _ in board.edges) == seen


def test_a_stuck_gate_gives_no_edges_until_it_is_free():
    stuck = Event("stroke", nth=1, stick={"stroke-gate": True})
    free = Event("repair", free=True)
    board = Board(with_round(events=(stuck, free)))
    board.tell(strokes=4)
    board.wait(2000)
    gate = [level for name, level, _ in board.edges if name == "stroke-gate"]
    assert gate == [True, False, True]
    board.plant.cue("repair")
    board.wait(10)
    assert [level for name, level, _ in board.edges if name == "stroke-gate"][-1] is False


def test_a_glitch_pulses_the_lower_gate_only_and_shakes_nothing():
    glitch = Event("round-opened", strokes=(Stroke(0, 10_000),))
    board = Board(with_round(events=(glitch,)))
    board.plant.cue("round-opened")
    board.wait(100)
    assert [(gate, level) for gate, level, _ in board.edges] == [
        ("stroke-gate", True),
        ("stroke-gate", False),
    ]
    assert board.edges[1][2] - board.edges[0][2] == 200
    assert "stroke" not in [what for _, what in board.plant.log]


def test_rest_comes_600_ms_after_the_last_stroke():
    board = Board()
    board.tell(strokes=4)
    board.wait(4000)
    log = board.plant.log
    [rest_us] = [at_us for at_us, what in log if what == "rest"]
    begun_us = next(at_us for at_us, what in log if what == "drive") + 150_000 + 3 * 340_000
    assert rest_us == begun_us + 600_000


def test_rounds_follow_the_player_or_the_drive_and_start_over():
    shown = {"0008": (2, 4, 5), "0009": (2, 2, 5), "0027": (1, 3, 5)}
    rounds = tuple(Round(scene, "read", faces) for scene, faces in shown.items())
    scenario = replace(COVERED, rounds=rounds)
    told = Plant(scenario, RecordedScenes(scenario, FRAMES / "scenes320"))
    assert [told.next_round().scene for _ in range(4)] == ["0008", "0009", "0027", "0008"]
    board = Board(scenario)
    seen = []
    for _ in range(4):
        board.tell(strokes=1)
        board.wait(1000)
        seen.append(board.plant.round.scene)
    assert seen == ["0008", "0009", "0027", "0008"]


def test_events_are_counted_within_their_round():
    event = Event("stroke", nth=2, levels={"tilted": True})
    board = Board(replace(COVERED, rounds=(ROUND, replace(ROUND, events=(event,)))))
    for tilted in (False, True):
        board.plant.next_round()
        board.tell(strokes=2)
        board.wait(1500)
        assert board.levels["tilted"] is tilted


@pytest.mark.parametrize("camera", ["stuck", "dark"])
def test_cameras_that_deceive_give_the_same_frame_under_every_lamp(camera):
    board = Board(with_round(events=(Event("capture", camera=camera),)))
    frames = set()
    for lamp in range(4):
        board.tell(lamp=lamp)
        board.tell(capture=320 * 240)
        board.wait(40)
        assert board.frame is not None
        frames.add(board.frame)
    assert len(frames) == 1


def test_a_capture_given_up_leaves_no_frame_behind():
    board = Board()
    board.tell(capture=320 * 240)
    board.tell(capture=0)
    board.wait(200)
    assert board.frame is None
