"""Whatever happens to the pins in a round, it is read right or not at all, and the next ones go on."""

from random import Random

import pytest

from host_tools.virtual_board.scenario import CAMERAS, Stroke

SEEDS = (0, 2, 3, 5)
ROUNDS = 3
SOUND = {"dome-closed": True, "dome-intact": True, "door-closed": True, "tilted": False}
MOMENTS = ("drive", "stroke", "rest", "capture", "round-opened", "no-more-bets", "cover-opened")
LATEST_MS = 6_000  # by then whatever still waited for its moment has happened
COVER_TRAVEL_MS = 5_000  # of the board file
WIDTHS_US = (0, 500, 6_000, 15_000, 300_000)
CHANNELS = (*SOUND, "cover-closed", "cover-open")


def mishap(random):
    """One event, as keywords of `during`."""
    kind = random.choice(("levels", "stick", "strokes", "shake", "camera", "power"))
    what = {
        "levels": {"levels": {random.choice(CHANNELS): random.random() < 0.5}},
        "stick": {"stick": {random.choice(("stroke-gate", "stroke-top")): random.random() < 0.5}},
        "strokes": {"strokes": (Stroke(random.choice(WIDTHS_US), random.randint(50, 2_000)),)},
        "shake": {"vibration_mg": random.randint(20, 3_000), "for_ms": random.randint(1, 4_000)},
        "camera": {"camera": random.choice(CAMERAS)},
        "power": {"power_off_ms": random.randint(0, 500)},
    }[kind]
    return {"when": random.choice(MOMENTS), "after_ms": random.randint(0, 1_500), **what}


def repair(board, mode):
    """Everything is sound again; faults are cleared, which the device checks."""
    board.pass_time(LATEST_MS)
    closed = mode == "covered"
    for name, level in {**SOUND, "cover-closed": closed, "cover-open": not closed}.items():
        board.pins.set(name, level)
    board.pins.free()
    board.pins.camera("working")
    board.pass_time(COVER_TRAVEL_MS + 1_000)
    for fact in board.faults:
        assert board.clear_fault(fact) == "done", fact
    assert board.faults == []


@pytest.mark.parametrize("mode", ["covered", "open"])
@pytest.mark.parametrize("seed", SEEDS)
def test_a_round_is_read_right_or_not_at_all(seed, mode, request):
    request.node.add_marker(pytest.mark.tumbler(mode=mode))
    board = request.getfixturevalue("tumbler_board")
    random = Random(f"{mode} {seed}")
    for _ in range(ROUNDS):
        events = [mishap(random) for _ in range(random.randint(1, 3))]
        for event in events:
            board.during(**event)
        outcome = board.play()
        if outcome.verdict == "settled":
            assert tuple(sorted(outcome.faces)) == board.round.faces, events
        repair(board, mode)
    outcome = board.play()
    assert (outcome.verdict, tuple(sorted(outcome.faces or ()))) == ("settled", board.round.faces)
    assert [record.sequence for record in board.records] == list(range(1, len(board.records) + 1))
