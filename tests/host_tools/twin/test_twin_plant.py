"""A plant with the twin's dice: the board sees of a tumble what physics did, whatever the drive does."""

import json
from pathlib import Path

import numpy as np
import pytest

from host_tools.demo.twin import PROFILE, SIZE, STYLE, UNIT
from host_tools.twin.dice import ROLLED, WEAK, TwinDice
from host_tools.twin.strokes import MIN_TUMBLES, is_tumble, pulses
from host_tools.twin.truth import Reason, tell
from host_tools.virtual_board.plant import FIRST_STROKE_US, Plant
from host_tools.virtual_board.scenario import Round, Scenario

STROKES = 4
GATES = ("stroke-gate", "stroke-top")


class Board:
    """Speaks a plant's protocol as the HAL does, over rounds of the twin's dice."""

    def __init__(self, *words: str, seed: int = 3) -> None:
        self.dice = TwinDice(UNIT, STYLE, SIZE, seed, PROFILE)
        scenario = Scenario("Twin", "open", tuple(Round(word, "read") for word in words))
        self.plant = Plant(scenario, self.dice)
        self.plant.power_on()
        self.edges: list[list] = []
        self.vibration: list[int] = []
        self.frame = b""
        self.tell(start=1)

    def tell(self, **message: object) -> None:
        if not self.plant.receive(message):
            return
        line, _, raw = self.plant.answer().partition(b"\n")
        told = json.loads(line)
        self.frame = raw if "frame" in told else b""
        self.edges += told.get("edges", [])
        self.vibration.append(told.get("vibration", 0))

    def wait(self, ms: int) -> None:
        until = self.plant.time_us + 1000 * ms
        while self.plant.time_us < until:
            self.tell(idle=1)

    def picture(self, lamp: int) -> np.ndarray:
        self.tell(lamp=lamp)
        self.tell(capture=320 * 240)
        while not self.frame:
            self.tell(idle=1)
        return np.frombuffer(self.frame, np.uint8).reshape(240, 320)

    def cues(self, name: str) -> list[int]:
        return [at_us for at_us, what in self.plant.log if what == name]


def counted(board: Board) -> int:
    return sum(is_tumble(*pulse) for pulse in pulses([(gate, level, at) for gate, level, at in board.edges]))


def test_a_tumble_is_seen_as_strokes_vibration_and_rest() -> None:
    board = Board(ROLLED)
    before = board.dice.scene
    board.tell(strokes=STROKES)
    began_us = board.plant.time_us
    board.wait(4000)
    assert counted(board) == board.dice.tumbles == STROKES
    assert [gate for gate, level, _ in board.edges if level] == [*GATES] * STROKES
    times = [at for *_, at in board.edges]
    assert times == sorted(times)
    assert times[0] >= began_us + FIRST_STROKE_US
    assert len(board.cues("stroke")) == STROKES
    [rest_us] = board.cues("rest")
    assert rest_us > times[-1]
    assert max(board.vibration) > 1000
    assert max(board.vibration[-50:]) < 60, "at rest nothing shakes"
    assert board.dice.scene != before


def test_weak_strokes_do_not_count_as_tumbles() -> None:
    board = Board(WEAK)
    board.tell(strokes=STROKES)
    board.wait(4000)
    assert counted(board) == board.dice.tumbles < MIN_TUMBLES


def test_a_drive_that_stops_after_two_strokes_has_done_two_and_the_dice_lie_accordingly() -> None:
    stopped, whole = Board(ROLLED), Board(ROLLED)
    for board in (stopped, whole):
        board.tell(strokes=STROKES)
        board.wait(600)
    stopped.tell(drive=0)
    for board in (stopped, whole):
        board.wait(4000)
    assert counted(stopped) == stopped.dice.tumbles == 2
    assert stopped.edges == whole.edges[: len(stopped.edges)], "what had happened stays as it was"
    assert len(stopped.cues("rest")) == 1
    assert stopped.dice.scene != whole.dice.scene


@pytest.mark.parametrize("ms", [0, 100])
def test_a_drive_that_stops_before_its_first_stroke_moves_nothing(ms: int) -> None:
    board = Board(ROLLED)
    before = board.dice.truth.faces
    board.tell(strokes=STROKES)
    board.wait(ms)
    board.tell(drive=0)
    board.wait(3000)
    assert board.edges == []
    assert board.dice.truth.faces == before


def test_stopping_after_the_last_stroke_changes_nothing() -> None:
    stopped, whole = Board(ROLLED), Board(ROLLED)
    for board in (stopped, whole):
        board.tell(strokes=STROKES)
        board.wait(1300)
    stopped.tell(drive=0)
    for board in (stopped, whole):
        board.wait(3000)
    assert (stopped.edges, stopped.dice.scene) == (whole.edges, whole.dice.scene)


def test_a_power_cut_stops_the_drive_but_not_the_dice() -> None:
    board = Board(ROLLED)
    board.tell(strokes=STROKES)
    board.wait(600)
    board.plant.power_off()
    board.plant.power_on()
    board.edges.clear()
    board.tell(start=1)
    board.wait(3000)
    assert board.edges == []
    assert board.dice.tumbles == 2
    assert tell(board.dice.scene).faces == board.dice.truth.faces


def test_a_round_goes_on_from_where_the_dice_lay() -> None:
    board = Board(ROLLED, ROLLED)
    seen = []
    for _ in range(2):
        board.plant.next_round()
        board.tell(strokes=STROKES)
        board.wait(4000)
        seen.append(board.dice.scene)
    assert seen[0] != seen[1]
    other = Board(ROLLED, ROLLED)
    other.tell(strokes=STROKES)
    other.wait(4000)
    assert other.dice.scene == seen[0]


def test_frames_show_the_scene_under_the_lamp_that_is_on_with_noise_of_their_own() -> None:
    board = Board(ROLLED)
    board.tell(strokes=STROKES)
    board.wait(4000)
    first = [board.picture(lamp) for lamp in range(4)]
    second = [board.picture(lamp) for lamp in range(4)]
    for lamp in range(4):
        assert not np.array_equal(first[lamp], second[lamp]), "no two exposures are alike"
        alike = [np.abs(second[lamp].astype(int) - other).mean() for other in first]
        assert int(np.argmin(alike)) == lamp
        assert alike[lamp] < 2
    board.tell(lamp=None)
    board.tell(capture=320 * 240)
    while not board.frame:
        board.tell(idle=1)
    assert len(set(board.frame)) == 1, "without a lamp it is dark"


def test_a_category_is_how_the_dice_then_lie() -> None:
    board = Board("stacked")
    board.tell(strokes=STROKES)
    board.wait(4000)
    assert Reason.STACKED in board.dice.truth.reasons
    assert counted(board) == STROKES


def test_the_same_seed_rolls_the_same() -> None:
    boards = Board(ROLLED), Board(ROLLED), Board(ROLLED, seed=4)
    for board in boards:
        board.tell(strokes=STROKES)
        board.wait(4000)
    first, again, other = boards
    assert (first.edges, first.dice.scene) == (again.edges, again.dice.scene)
    assert np.array_equal(first.picture(2), again.picture(2))
    assert first.edges != other.edges


def test_a_word_that_means_nothing_is_named() -> None:
    with pytest.raises(ValueError, match="knows no scene '0004': rolled, weak, flat"):
        TwinDice(UNIT, STYLE, SIZE, 1, Path("none.json")).lay("0004")
