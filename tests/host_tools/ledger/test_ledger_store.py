"""The ledger's walls: append-only, one owner, sound SQLite, money that balances, damage that is noticed."""

import contextlib
import hashlib
import io
import json
import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import apsw
import pytest

from host_tools import ledger
from host_tools.ledger import (
    Ledger,
    Outcome,
    Referral,
    Round,
    Settlement,
    StoredRecord,
    Wager,
    export_records,
)
from host_tools.ledger.schema import MIGRATIONS
from tumbler.definitions import FIRST_PREVIOUS

DEVICE = b"tumbler1"
NOBODY = (0, FIRST_PREVIOUS, 0)
ROUND = Round(
    id=b"r" * 16,
    table="one",
    device=DEVICE,
    mode="open",
    rulebook="rules",
    rulebook_digest="digest",
    layout="layout",
    limits=None,
    decimals=2,
    chip_unit=100,
    state="opening",
    made_ms=1,
    changed_ms=1,
)
ANN = Wager("a", "Ann", "small", 1000)
BEN = Wager("b", "Ben", "big", 500)
SETTLED = Settlement(ROUND.id, "settled", (1, 2, 3), "", "settle", "3.5", 1, 9)
WON = Outcome(ANN, "won", "1", 1000, 2000, "", "4.1")
LOST = Outcome(BEN, "lost", "", 0, 0, "", "4.1")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


def record(sequence: int, content: bytes = b"") -> StoredRecord:
    raw = b"record %d " % sequence + content
    return StoredRecord(DEVICE, sequence, 1, "reading", ROUND.id, hashlib.sha256(raw).digest(), raw)


def betting(books: Ledger) -> None:
    """A device with one record, and a round with two wagers."""
    with books.transaction():
        books.enrol(DEVICE, b"k" * 32, NOBODY)
        books.add_record(record(1), 1)
        books.open_round(ROUND)
        books.set_state(ROUND.id, "opened", 2)
        books.set_state(ROUND.id, "betting", 3)
        books.place(ROUND.id, [ANN, BEN], 4)


def settled(books: Ledger) -> None:
    betting(books)
    with books.transaction():
        books.conclude(SETTLED, [WON, LOST], DEVICE)
        books.notify("round-settled", ROUND.id, {"verdict": "settled"}, 9)


def test_what_was_committed_is_there_after_opening_again(path: Path) -> None:
    with Ledger(path) as books:
        settled(books)
    with Ledger(path) as books:
        assert books.device(DEVICE).head_sequence == 1
        assert books.round(ROUND.id) == replace(ROUND, state="settled", changed_ms=9)
        assert books.settlement(ROUND.id) == SETTLED
        assert books.outcomes(ROUND.id) == [WON, LOST]
        assert [(each.account, each.amount) for each in books.postings(ROUND.id)] == [
            ("player:Ann", -1000),
            ("held", 1500),
            ("player:Ben", -500),
            ("held", -1500),
            ("player:Ann", 2000),
            ("house", -500),
        ]
        assert [json.loads(each.body) for each in books.notices()] == [{"verdict": "settled"}]
        assert books.latest_round("one") == books.round(ROUND.id)
        assert books.current_round("one") is None
        books.check()


def test_commits_wait_for_the_disk(path: Path) -> None:
    with Ledger(path) as books:
        connection = books.store.connection
        assert connection.pragma("journal_mode") == "wal"
        assert connection.pragma("synchronous") == 2
        assert connection.pragma("foreign_keys") == 1


@pytest.mark.parametrize("version", ["3.40.1", "3.51.2", "3.7.0"])
def test_a_sqlite_that_can_corrupt_its_log_is_refused(path: Path, version: str) -> None:
    with pytest.raises(ledger.SqliteTooOld, match=version):
        Ledger(path, version)
    assert not path.exists()


def test_a_second_bridge_on_the_same_file_is_refused(path: Path) -> None:
    with Ledger(path) as books:
        with pytest.raises(ledger.LedgerInUse, match=str(os.getpid())):
            Ledger(path)
        program = f"from host_tools.ledger import Ledger; Ledger({str(path)!r})"
        other = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        assert other.returncode == 1
        assert "LedgerInUse" in other.stderr
        betting(books)
        alias = path.with_name("alias.db")
        alias.symlink_to(path)
        with pytest.raises(ledger.LedgerInUse):
            Ledger(alias)
    Ledger(path).close()


def test_the_lease_ends_with_its_process_however_it_ends(path: Path) -> None:
    program = f"""
import os, signal
from host_tools.ledger import Ledger
books = Ledger({str(path)!r})
with books.transaction():
    books.enrol(b"tumbler1", b"k" * 32, (0, bytes(32), 0))
books.store.connection.execute("BEGIN IMMEDIATE")
books.enrol(b"tumbler2", b"l" * 32, (0, bytes(32), 0))
os.kill(os.getpid(), signal.SIGKILL)
"""
    killed = subprocess.run([sys.executable, "-c", program], check=False)
    assert killed.returncode == -9
    with Ledger(path) as books:
        assert [device.id for device in books.devices()] == [DEVICE]


def test_only_its_owner_may_read_it(path: Path) -> None:
    Ledger(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def make_other_database(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE other (x)")


def make_text(path: Path) -> None:
    path.write_text("not a database, but long enough to look at" * 20)


def make_newer(path: Path) -> None:
    Ledger(path).close()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")


@pytest.mark.parametrize("make", [make_other_database, make_text, make_newer, Path.mkdir])
def test_a_file_that_is_no_ledger_is_refused_and_left_alone(path: Path, make: Callable[[Path], None]) -> None:
    make(path)
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(ledger.LedgerUnusable):
        Ledger(path)
    assert (path.read_bytes() if path.is_file() else b"") == before


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ledger.LedgerUnusable, match="folder"):
        Ledger(tmp_path / "none" / "ledger.db")


APPENDED = ["records", "wagers", "settlements", "outcomes", "postings", "notices"]


@pytest.mark.parametrize("table", [*APPENDED, "rounds", "devices"])
def test_nothing_is_ever_deleted(path: Path, table: str) -> None:
    with Ledger(path) as books:
        settled(books)
        with pytest.raises(apsw.ConstraintError), books.transaction():
            books.store.write(f"DELETE FROM {table}")
        assert books.store.row(f"SELECT count(*) > 0 FROM {table}") == (1,)


@pytest.mark.parametrize("table", APPENDED)
def test_nothing_appended_is_ever_changed(path: Path, table: str) -> None:
    with Ledger(path) as books:
        settled(books)
        before = books.store.rows(f"SELECT * FROM {table}")
        columns = [row[1] for row in books.store.rows(f"PRAGMA table_info({table})")]
        for column in columns:
            with pytest.raises(apsw.ConstraintError), books.transaction():
                books.store.write(f"UPDATE {table} SET {column} = {column}")
        values = ", ".join("?" * len(columns))
        with pytest.raises(apsw.ConstraintError), books.transaction():
            books.store.write(f"INSERT OR REPLACE INTO {table} VALUES ({values})", before[0])
        assert books.store.rows(f"SELECT * FROM {table}") == before


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE rounds SET state = 'betting'",
        "UPDATE rounds SET state = 'void'",
        "UPDATE rounds SET state = 'referred'",
        "UPDATE rounds SET rulebook = 'other'",
        "UPDATE rounds SET chip_unit = 1",
        "UPDATE devices SET head_sequence = 0",
        "UPDATE devices SET public_key = zeroblob(32)",
        "UPDATE devices SET head_sequence = head_sequence + 2",
    ],
)
def test_rounds_and_heads_only_move_forward(path: Path, sql: str) -> None:
    with Ledger(path) as books:
        settled(books)
        with pytest.raises(apsw.ConstraintError), books.transaction():
            books.store.write(sql)


@pytest.mark.parametrize("state", ["opening", "opened", "closing", "closed", "settled", "void", "referred"])
def test_the_database_itself_takes_wagers_only_while_bets_are_open(path: Path, state: str) -> None:
    steps = {
        "opening": [],
        "opened": ["opened"],
        "closing": ["opened", "betting", "closing"],
        "closed": ["opened", "betting", "closing", "closed"],
    }
    with Ledger(path) as books:
        with books.transaction():
            books.enrol(DEVICE, b"k" * 32, NOBODY)
            books.add_record(record(1), 1)
            books.open_round(ROUND)
            for step in steps.get(state, steps["closed"]):
                books.set_state(ROUND.id, step, 2)
            if state == "referred":
                books.refer(Referral(ROUND.id, "tilted", "6.1", 1, 3), DEVICE)
            elif state in ("settled", "void"):
                faces = (1, 2, 3) if state == "settled" else None
                books.conclude(replace(SETTLED, verdict=state, faces=faces), [], DEVICE)
        assert books.round(ROUND.id).state == state
        with pytest.raises(apsw.ConstraintError, match="not open"), books.transaction():
            books.place(ROUND.id, [ANN], 4)
        assert books.wagers(ROUND.id) == []


def test_writing_outside_a_transaction_is_refused(path: Path) -> None:
    with Ledger(path) as books:
        with pytest.raises(ledger.OutOfTransaction):
            books.enrol(DEVICE, b"k" * 32, NOBODY)
        assert books.devices() == []


def test_a_transaction_that_fails_leaves_nothing(path: Path) -> None:
    with Ledger(path) as books:
        betting(books)
        with contextlib.suppress(ZeroDivisionError), books.transaction():
            books.conclude(SETTLED, [WON, LOST], DEVICE)
            raise ZeroDivisionError
        assert books.settlement(ROUND.id) is None
        assert books.round(ROUND.id).state == "betting"
        books.check()


WRONG_OUTCOMES = {
    "a wager missing": [WON],
    "a wager twice": [WON, LOST, LOST],
    "a wager nobody placed": [WON, LOST, replace(LOST, wager=Wager("c", "Ann", "big", 1))],
    "another stake": [WON, replace(LOST, wager=replace(BEN, stake=400))],
    "a loser gets his stake": [WON, replace(LOST, returned=500)],
    "a winner is short": [replace(WON, returned=1999), LOST],
    "a payout on a lost wager": [WON, replace(LOST, payout=1)],
    "a win that pays nothing": [replace(WON, payout=0, returned=1000), LOST],
}


@pytest.mark.parametrize("wrong", WRONG_OUTCOMES)
def test_a_settlement_that_does_not_add_up_is_refused(path: Path, wrong: str) -> None:
    with Ledger(path) as books:
        betting(books)
        with pytest.raises((ledger.LedgerError, apsw.ConstraintError)), books.transaction():
            books.conclude(SETTLED, WRONG_OUTCOMES[wrong], DEVICE)
        assert books.settlement(ROUND.id) is None
        assert len(books.postings(ROUND.id)) == 3


def test_a_round_is_settled_once(path: Path) -> None:
    with Ledger(path) as books:
        settled(books)
        with pytest.raises(apsw.ConstraintError), books.transaction():
            books.conclude(SETTLED, [WON, LOST], DEVICE)
        with pytest.raises(apsw.ConstraintError), books.transaction():
            books.refer(Referral(ROUND.id, "tilted", "6.1", 1, 3), DEVICE)
        assert len(books.postings(ROUND.id)) == 6


def test_a_settlement_rests_on_a_record_that_is_there(path: Path) -> None:
    with Ledger(path) as books:
        betting(books)
        with pytest.raises(apsw.ConstraintError), books.transaction():
            books.conclude(replace(SETTLED, sequence=2), [WON, LOST], DEVICE)


def test_a_referred_round_can_be_settled_later_and_only_once(path: Path) -> None:
    with Ledger(path) as books:
        betting(books)
        with books.transaction():
            books.refer(Referral(ROUND.id, "tilted", "6.1", 1, 3), DEVICE)
        books.check()
        with books.transaction():
            books.conclude(SETTLED, [WON, LOST], DEVICE)
        assert books.round(ROUND.id).state == "settled"
        books.check()


def test_one_open_round_a_table_and_a_device(path: Path) -> None:
    with Ledger(path) as books:
        betting(books)
        for other in (replace(ROUND, id=b"2" * 16), replace(ROUND, id=b"2" * 16, table="two")):
            with pytest.raises(apsw.ConstraintError), books.transaction():
                books.open_round(other)


def test_records_come_once_and_without_gaps(path: Path) -> None:
    with Ledger(path) as books:
        with books.transaction():
            books.enrol(DEVICE, b"k" * 32, NOBODY)
            assert books.add_record(record(1), 1)
            assert not books.add_record(record(1), 2)
        with pytest.raises(ledger.RecordConflict, match="quarantine"), books.transaction():
            books.add_record(record(1, b"other"), 2)
        with pytest.raises(ledger.LedgerError, match="2 is next"), books.transaction():
            books.add_record(record(3), 2)
        with pytest.raises(ledger.DeviceUnknown), books.transaction():
            books.add_record(replace(record(1), device=b"stranger"), 2)
        assert [each.sequence for each in books.records(DEVICE)] == [1]


def test_a_device_keeps_its_key(path: Path) -> None:
    with Ledger(path) as books:
        for _ in range(2):
            with books.transaction():
                books.enrol(DEVICE, b"k" * 32, NOBODY)
        with pytest.raises(ledger.LedgerError, match="another key"), books.transaction():
            books.enrol(DEVICE, b"x" * 32, NOBODY)


def test_the_first_order_to_void_stands(path: Path) -> None:
    with Ledger(path) as books:
        betting(books)
        for fact in ("host-lost", "host-void"):
            with books.transaction():
                books.order_void(ledger.VoidOrder(ROUND.id, fact, "", 5))
        order = books.void_order(ROUND.id)
        assert order is not None
        assert order.fact == "host-lost"


ROUND_SQL = f"x'{ROUND.id.hex()}'"
DAMAGE = {
    "a posting is changed": "UPDATE postings SET amount = amount + 1 WHERE amount > 0",
    "a posting is gone": "DELETE FROM postings WHERE number = 1",
    "money goes from held to a player": f"INSERT INTO postings VALUES"
    f" (99, {ROUND_SQL}, 'settlement', 'player:Eve', 5, 1), (98, {ROUND_SQL}, 'settlement', 'held', -5, 1)",
    "a stake is changed": "UPDATE wagers SET stake = 1 WHERE id = 'b'",
    "an outcome is gone": "DELETE FROM outcomes",
    "a settlement is gone": "DELETE FROM settlements",
    "a record is gone": "DELETE FROM records WHERE sequence = 1",
    "the newest record is gone": "DELETE FROM records WHERE sequence = 2",
    "a record is changed": "UPDATE records SET raw = x'00' WHERE sequence = 1",
    "the head is moved": "UPDATE devices SET head_sequence = 1",
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_the_check_at_start_notices_damage(path: Path, damage: str) -> None:
    with Ledger(path) as books:
        settled(books)
        with books.transaction():
            books.add_record(record(2), 10)
        books.check()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for (trigger,) in connection.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'trigger'"
        ).fetchall():
            connection.execute(f"DROP TRIGGER {trigger}")
        assert connection.execute(DAMAGE[damage]).rowcount
    with Ledger(path) as books, pytest.raises(ledger.LedgerDamaged) as error:
        books.check()
    assert error.value.findings


def test_records_are_exported_as_they_were_received(path: Path) -> None:
    with Ledger(path) as books:
        betting(books)
        with books.transaction():
            books.add_record(record(2), 10)
        out = io.StringIO()
        assert export_records(books, DEVICE, out) == 2
        assert [json.loads(line) for line in out.getvalue().splitlines()] == [
            {"device": DEVICE.hex(), "sequence": each, "record": record(each).raw.hex()} for each in (1, 2)
        ]
        with pytest.raises(ledger.DeviceUnknown):
            export_records(books, b"stranger", out)
