"""A tester's bench with the whole table on it: pins by name, power, records, and the pytest fixtures."""

import pytest

from host_tools.pins.describe import describe_record
from host_tools.pins.pins import NoSuchPin


def kinds(board, after=0):
    return [record.kind for record in board.records if record.sequence > after]


def facts(board):
    """What the records of faults and void rounds say, in words."""
    return [describe_record(record).split()[1:3] for record in board.records if "fact" in record.fields]


def test_an_ordinary_round_reads_what_the_scenario_says(tumbler_board):
    outcome = tumbler_board.play()
    assert (outcome.verdict, tuple(sorted(outcome.faces))) == ("settled", tumbler_board.round.faces)
    assert kinds(tumbler_board)[:4] == ["boot", "round-opened", "tumble", "no-more-bets"]


def test_an_input_reaches_the_firmware_and_comes_back(tumbler_board, tumbler_pins):
    tumbler_pins.set("door-closed", False)
    tumbler_board.pass_time(100)
    assert tumbler_pins.level("door-closed") is False
    assert facts(tumbler_board) == [["fault", "door-open"]]


@pytest.mark.parametrize("pin", ["dome-closed", "dome-intact", "door-closed"])
def test_a_pulse_is_a_fault_only_if_it_outlasts_debouncing(tumbler_board, tumbler_pins, pin):
    tumbler_pins.pulse(pin, 10)
    tumbler_board.pass_time(100)
    assert facts(tumbler_board) == []
    tumbler_pins.pulse(pin, 60)
    tumbler_board.pass_time(100)
    assert len(facts(tumbler_board)) == 1
    assert tumbler_pins.level(pin) is True


def test_a_stroke_that_nobody_commanded_is_a_fault_and_a_weak_one_is_not(tumbler_board, tumbler_pins):
    tumbler_pins.stroke(width_us=3_000)
    tumbler_board.pass_time(200)
    assert facts(tumbler_board) == []
    tumbler_pins.stroke()
    tumbler_board.pass_time(200)
    assert facts(tumbler_board) == [["fault", "drive-fault"]]


def test_a_gate_held_by_hand_stays_until_it_is_let_go(tumbler_board, tumbler_pins):
    tumbler_pins.set("stroke-gate", True)
    tumbler_board.pass_time(400)
    assert tumbler_pins.level("stroke-gate") is True
    assert facts(tumbler_board) == [["fault", "sensor-fault"]]
    tumbler_pins.free()
    tumbler_board.pass_time(20)
    assert tumbler_pins.level("stroke-gate") is False


def test_without_power_every_output_is_off_and_the_journal_stays(tumbler_board, tumbler_pins):
    tumbler_board.play()
    before = len(tumbler_board.records)
    tumbler_board.power_cut()
    assert not any(tumbler_pins.level(name) for name in tumbler_pins.outputs)
    tumbler_board.power_on()
    outcome = tumbler_board.play()
    assert outcome.verdict == "settled"
    after = [record for record in tumbler_board.records if record.sequence > before]
    assert (after[0].kind, after[0].boot) == ("boot", 2)


def test_the_lamps_are_lit_one_at_a_time_while_a_round_is_read(tumbler_board):
    lit = []

    def watch(bench):
        wire, _ = bench.board.hands.wire("lamp0")
        wire.watch(lambda level, at_us: lit.append(level))

    tumbler_board.call(watch)
    tumbler_board.play()
    assert lit
    assert lit == [True, False] * (len(lit) // 2)
    pictures = tumbler_board.call(lambda bench: dict(bench.board.hands.pictures))
    assert sorted(pictures) == [0, 1, 2, 3], "every lamp has lit a picture, and none was taken in the dark"


def test_a_program_error_is_journalled_and_the_board_starts_again(tumbler_board):
    def fail(bench):
        def idle():
            del bench.board._desk.idle
            raise RuntimeError("a tester's own")

        bench.board._desk.idle = idle

    tumbler_board.call(fail)
    tumbler_board.pass_time(500)
    assert ["fault", "program-fault"] in facts(tumbler_board)
    assert "a tester's own" in tumbler_board.console
    assert [record.boot for record in tumbler_board.records if record.kind == "boot"] == [1, 2]


def test_a_name_that_is_none_says_which_there_are(tumbler_pins):
    for wrong in ("dome", "drive", "GP2", ""):
        with pytest.raises(NoSuchPin, match="dome-closed"):
            tumbler_pins.set(wrong, True)
    with pytest.raises(NoSuchPin, match="dome-closed"):
        tumbler_pins.level("lamp9")
    with pytest.raises(NoSuchPin, match="stuck"):
        tumbler_pins.camera("broken")


@pytest.mark.tumbler(scenario="scenarios/dome-open.toml")
def test_a_scenario_file_is_played_as_it_stands(tumbler_board):
    expected = tumbler_board.round
    outcome = tumbler_board.play()
    assert outcome.fact == expected.fact == "dome-open"
