"""The check at start takes bounded time: whatever the number of rounds, and of wagers in one."""

import itertools
from dataclasses import replace
from pathlib import Path

import pytest
from ledger_rows import DEVICE, ROUND, enrolled, record
from test_ledger_checks import found_by_reading_all, tamper

from host_tools import ledger
from host_tools.ledger import open_ledger
from host_tools.ledger.checks import findings
from host_tools.ledger.sqlite import SqliteStore

STEPS = 1000  # of SQLite's machine, between two looks


@pytest.fixture(autouse=True)
def small_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("checks", "newest"):
        monkeypatch.setattr(f"host_tools.ledger.{module}.ROWS", 300)


def play(books: ledger.Ledger, rounds: int, wagers: int, *, last_is_open: bool = False) -> None:
    """Rounds of so many wagers, each settled; the last one may go on."""
    for number in range(rounds):
        with books.transaction():
            round_id = bytes([number]) * 16
            books.open_round(replace(ROUND, id=round_id))
            for state in ("opened", "betting"):
                books.set_state(round_id, state, 2)
            placed = [ledger.Wager(f"{each}", f"p{each}", "big", 100) for each in range(wagers)]
            books.place(round_id, placed, 3)
            books.add_record(record(number + 1), 4)
            if not (last_is_open and number == rounds - 1):
                void = ledger.Settlement(round_id, "void", None, "x", "void", "5.1", None, 5)
                back = [ledger.Outcome(each, "void", "", 0, 100, "", "5.1") for each in placed]
                books.conclude(void, back)


def work_of_a_check(path: Path) -> int:
    """What the check at start makes SQLite do, in STEPS."""
    steps = itertools.count()
    with open_ledger(path) as books:
        assert isinstance(books.store, SqliteStore)
        books.store._reader.set_progress_handler(lambda: next(steps) < 0, STEPS)
        books.check()
    return next(steps)


@pytest.mark.parametrize("last_is_open", [False, True])
def test_ten_times_the_wagers_cost_no_more(tmp_path: Path, last_is_open: bool) -> None:
    work = []
    for wagers in (500, 5000):
        path = tmp_path / f"{wagers}.db"
        with open_ledger(path) as books:
            enrolled(books)
            play(books, 3, wagers, last_is_open=last_is_open)
        work.append(work_of_a_check(path))
    assert work[1] <= 1.2 * work[0] + 5


@pytest.fixture
def crowded(tmp_path: Path) -> str:
    """A round of 400 wagers between rounds of ten."""
    path = tmp_path / "ledger.db"
    with open_ledger(path) as books:
        enrolled(books)
        play(books, 1, 10)
        for number, wagers in ((1, 400), (2, 10), (3, 10)):
            with books.transaction():
                add_round(books, number, wagers)
        books.check()
        assert found_by_reading_all(books) == []
    return str(path)


def add_round(books: ledger.Ledger, number: int, wagers: int) -> None:
    round_id = bytes([number]) * 16
    books.open_round(replace(ROUND, id=round_id))
    for state in ("opened", "betting"):
        books.set_state(round_id, state, 2)
    placed = [ledger.Wager(f"{each}", f"p{each}", "big", 100) for each in range(wagers)]
    books.place(round_id, placed, 3)
    void = ledger.Settlement(round_id, "void", None, "x", "void", "5.1", None, 5)
    books.conclude(void, [ledger.Outcome(each, "void", "", 0, 100, "", "5.1") for each in placed])


NOTICED = {0: False, 1: False, 2: True, 3: True}  # entries: the newest that fit


@pytest.mark.parametrize("number", NOTICED)
def test_what_is_behind_a_crowded_round_is_left_to_the_full_check(crowded: str, number: int) -> None:
    wager = f"(SELECT min(number) FROM wagers WHERE round = x'{(bytes([number]) * 16).hex()}')"
    tamper(crowded, f"UPDATE wagers SET wager = 'small' WHERE number = {wager}")
    with open_ledger(crowded) as books:
        assert bool(list(findings(books, 256))) == NOTICED[number]
        assert found_by_reading_all(books)


@pytest.mark.parametrize(("number", "noticed"), [(0, True), (1, False), (2, True), (3, True)])
def test_every_round_that_fits_is_summed_up(crowded: str, number: int, noticed: bool) -> None:
    outcome = f"wager = (SELECT min(number) FROM wagers WHERE round = x'{(bytes([number]) * 16).hex()}')"
    tamper(crowded, f"DELETE FROM outcomes WHERE {outcome}")
    with open_ledger(crowded) as books:
        told = [each for each in findings(books, 256) if each.startswith("round ")]
        assert bool(told) == noticed


def test_a_table_that_holds_more_stakes_than_the_bound_is_summed_up_by_the_full_check(tmp_path: Path) -> None:
    path = tmp_path / "ledger.db"
    with open_ledger(path) as books:
        enrolled(books)
        play(books, 1, 400, last_is_open=True)
        books.check()
        assert books.device(DEVICE).head_sequence == 1
    tamper(str(path), "UPDATE wagers SET stake = 1 WHERE id = '7'")
    with open_ledger(path) as books:
        books.check()
        assert any("unfinished rounds have" in each for each in found_by_reading_all(books))
