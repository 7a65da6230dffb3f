"""Whatever value of a ledger is changed behind its back, the full check finds it, or it is named here."""

import shutil
import threading
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest
import signed_ledger
from ledger_rows import NOBODY, ROUND, SETTLED, betting, enrolled, record, settled
from test_ledger_checks import found_by_reading_all, tamper

from host_tools import ledger
from host_tools.ledger import open_ledger
from host_tools.ledger.schema import TABLES
from host_tools.testing.postgres_server import PostgresServer

# Nothing vouches for these: when a state was last changed, numbers that only give an order (which is sealed),
# how far displays were told, and what the log of people does not have of an account.
UNSEALED = {
    "rounds.changed_ms",
    "notices.number",
    "deliveries.consumer",
    "access_log.number",
    *(f"accounts.{name}" for name in ("program", "secret", "made_ms")),
}


def changed(value: object, kind: str) -> object:
    if value is None:
        return {"INTEGER": 1000, "BLOB": b"x" * 16, "TEXT": "x"}[kind]
    if isinstance(value, int):
        return value + 1000
    if isinstance(value, bytes):
        return value[:-1] + bytes([value[-1] ^ 1])
    return f"{value}x"


@pytest.fixture(scope="module")
def signed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger of a signing device with its walls torn down."""
    where = tmp_path_factory.mktemp("ledger") / "signed.db"
    with open_ledger(where) as books:
        signed_ledger.fill(books)
    connection = apsw.Connection(str(where))
    connection.pragma("journal_mode", "delete")
    for (trigger,) in list(connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")):
        connection.execute(f"DROP TRIGGER {trigger}")
    connection.close()
    return where


def passes(where: Path) -> bool:
    with open_ledger(where, read_only=True) as books:
        try:
            books.check_everything()
        except ledger.LedgerDamaged:
            return False
    return True


@pytest.mark.parametrize("table", [table for table in TABLES if table != "accounts"])
def test_every_changed_value_is_found(signed: Path, tmp_path: Path, table: str) -> None:
    """In a table's oldest row, one column after the other."""
    reader = apsw.Connection(str(signed), flags=apsw.SQLITE_OPEN_READONLY)
    columns = [row[1:3] for row in reader.execute(f"PRAGMA table_info({table})")]
    oldest = next(iter(reader.execute(f"SELECT rowid, * FROM {table} ORDER BY rowid")))
    reader.close()
    assert passes(signed)
    missed = set()
    for (column, kind), value in zip(columns, oldest[1:], strict=True):
        copy = tmp_path / "copy.db"
        shutil.copy(signed, copy)
        writer = apsw.Connection(str(copy))
        writer.pragma("ignore_check_constraints", True)
        writer.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (changed(value, kind), oldest[0]))
        writer.close()
        if passes(copy):
            missed.add(f"{table}.{column}")
    assert missed == {each for each in UNSEALED if each.startswith(f"{table}.")}


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE records SET received_ms = 2 WHERE sequence = 4",
        "UPDATE records SET seal = digest WHERE sequence = 4",
        "UPDATE notices SET body = '{}' WHERE number = 2",
        "UPDATE notices SET topic = 'other' WHERE number = 3",
        "UPDATE notices SET number = 9 WHERE number = 1",
        "UPDATE notices SET seal = NULL",
        "DELETE FROM notices WHERE number = 1",
    ],
)
def test_arrivals_and_notices_are_sealed_at_the_start_too(where: str, sql: str) -> None:
    with open_ledger(where) as books:
        for again in (False, True, True):
            signed_ledger.fill(books, again)
        books.check()
    tamper(where, sql)
    with open_ledger(where) as books, pytest.raises(ledger.LedgerDamaged, match="not what was sealed"):
        books.check()


def assert_found_out(where: str, sql: str) -> None:
    """The full check finds what was changed."""
    tamper(where, sql)
    with open_ledger(where, read_only=True) as books, pytest.raises(ledger.LedgerDamaged):
        books.check_everything()


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE records SET kind = 'void' WHERE sequence = 3",
        "UPDATE records SET round = NULL WHERE sequence = 3",
        "UPDATE records SET boot = 9 WHERE sequence = 2",
        "UPDATE devices SET before_boot = -1",
        "DELETE FROM devices",
        "DELETE FROM notices",
    ],
)
def test_what_the_ledger_says_of_a_record_is_what_was_signed(where: str, sql: str) -> None:
    with open_ledger(where) as books:
        signed_ledger.fill(books)
    assert_found_out(where, sql)


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE entries SET step = 0 WHERE step = (SELECT max(step) FROM entries)",
        "UPDATE access_log SET step = 0",
        "UPDATE rounds SET number = -number, state = 'void' WHERE state = 'settled'",
        "UPDATE rounds SET mode = 'covered' WHERE mode = 'cards'",
        "UPDATE settlements SET sequence = NULL WHERE seconded_by = '' AND sequence IS NOT NULL",
        "DELETE FROM rounds WHERE number = (SELECT max(number) FROM rounds)",
    ],
)
def test_nothing_is_hidden_below_the_first_row_or_by_what_is_missing(where: str, sql: str) -> None:
    with open_ledger(where) as books:
        signed_ledger.fill(books)
        books.check_everything()
    if where.startswith("postgresql"):
        with psycopg.connect(where, autocommit=True) as owner:
            checks = owner.execute(
                "SELECT conrelid::regclass, conname FROM pg_constraint"
                " WHERE contype = 'c' AND connamespace = current_schema()::regnamespace"
            )
            for table, name in checks.fetchall():
                owner.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}".encode())
    assert_found_out(where, sql)


def test_a_settlement_by_other_faces_than_were_read_is_found(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though all its seals are right: whoever writes the file can make them, but no reading."""
    monkeypatch.setattr(signed_ledger, "SETTLED", replace(SETTLED, faces=(4, 5, 6)))
    with open_ledger(where) as books:
        signed_ledger.fill(books)
        books.check()
        with pytest.raises(ledger.LedgerDamaged) as error:
            books.check_everything()
        assert len(error.value.findings) == 2
        assert all("settled by 4-5-6, which is not what was read" in each for each in error.value.findings)


def test_wagers_of_one_stake_that_change_places_are_found(where: str) -> None:
    """Each is alone in its entry, so no seal can tell; the winner's money can."""
    ann, ben = ledger.Wager("a", "Ann", "small", 100), ledger.Wager("b", "Ben", "small", 100)
    with open_ledger(where) as books:
        betting(books)
        with books.transaction():
            books.withdraw(ROUND.id, ["a", "b"], 5)
            books.place(ROUND.id, [ann._replace(id="c")], 5)
            books.place(ROUND.id, [ben._replace(id="d", wager="big")], 5)
            won = ledger.Outcome(ann._replace(id="c"), "won", "1", 100, 200, "", "4.1")
            lost = ledger.Outcome(ben._replace(id="d", wager="big"), "lost", "", 0, 0, "", "4.1")
            books.conclude(SETTLED, [won, lost])
        assert found_by_reading_all(books) == []
    tamper(where, "UPDATE wagers SET number = 99 WHERE number = 3")
    tamper(where, "UPDATE wagers SET number = 3 WHERE number = 4")
    tamper(where, "UPDATE wagers SET number = 4 WHERE number = 99")
    with open_ledger(where, read_only=True) as books:
        assert any("players have other money" in each for each in found_by_reading_all(books))


def test_a_referred_round_that_is_said_to_be_open_is_found(where: str) -> None:
    with open_ledger(where) as books:
        betting(books)
        with books.transaction():
            books.refer(ledger.Referral(ROUND.id, "unreadable", "5.10", 1, 5))
        assert found_by_reading_all(books) == []
    tamper(where, "UPDATE rounds SET state = 'betting'")
    with open_ledger(where) as books, pytest.raises(ledger.LedgerDamaged):
        books.check()


def test_tables_that_write_at_once_are_sound(postgres: PostgresServer) -> None:
    """Their entries and rounds are numbered in turns."""
    url = postgres.new_database()
    with open_ledger(url) as one, open_ledger(url) as two:
        enrolled(one)
        two.hold("two")
        with two.transaction():
            two.enrol(b"tumbler2", b"2" * 32, NOBODY)
        other = replace(ROUND, id=b"2" * 16, table="two", device=b"tumbler2")
        opened = threading.Thread(target=open_between, args=(two, other))
        with one.transaction():
            insert = one.store.insert_numbered

            def entered_first(table: str, row: Mapping[str, Any]) -> int:
                number = insert(table, row)
                opened.start()
                opened.join()
                return number

            one.store.insert_numbered = entered_first
            one.open_round(ROUND)
        order = one.store.rows("SELECT table_name FROM rounds ORDER BY number")
        assert [name for (name,) in order] == ["two", "one"]
        assert found_by_reading_all(one) == []


def open_between(books: ledger.Ledger, round_: ledger.Round) -> None:
    with books.transaction():
        books.open_round(round_)


def test_rounds_in_another_order_are_found(where: str) -> None:
    with open_ledger(where) as books:
        settled(books)
        with books.transaction():
            books.open_round(replace(ROUND, id=b"2" * 16))
            books.add_record(record(2), 9)
    tamper(where, "UPDATE rounds SET number = 9 WHERE number = 1")
    with open_ledger(where) as books, pytest.raises(ledger.LedgerDamaged):
        books.check()
