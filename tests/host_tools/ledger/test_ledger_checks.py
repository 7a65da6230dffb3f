"""Damage and tampering are noticed: at start in what is new and in the sums, by the full check anywhere."""

from dataclasses import replace
from pathlib import Path

import apsw
import psycopg
import pytest
from ledger_rows import DEVICE, ROUND, record, settled

from host_tools import ledger
from host_tools.ledger import open_ledger
from host_tools.ledger.access import access_findings
from host_tools.ledger.checks import findings

DAMAGE = {
    "a posting is changed": "UPDATE postings SET amount = amount + 1 WHERE amount > 0",
    "a posting is gone": "DELETE FROM postings WHERE number = 1",
    "money goes from held to a player": "INSERT INTO postings VALUES"
    " (99, 3, 'player:Eve', 5), (98, 3, 'held', -5)",
    "a stake is changed": "UPDATE wagers SET stake = 1 WHERE id = 'b'",
    "a player is changed": "UPDATE wagers SET player = 'Eve' WHERE id = 'b'",
    "an outcome is gone": "DELETE FROM outcomes",
    "an outcome is changed": "UPDATE outcomes SET clause = '1' WHERE result = 'lost'",
    "the faces are changed": "UPDATE settlements SET faces = '6-6-6' WHERE verdict = 'settled'",
    "the terms are changed": "UPDATE rounds SET layout = 'other'",
    "a round is open again": "UPDATE rounds SET state = 'betting'",
    "an entry is changed": "UPDATE entries SET made_ms = 0 WHERE step = 2",
    "balances are changed": "UPDATE entries SET house = house - 1, players = players + 1 WHERE step = 3",
    "a record is gone": "DELETE FROM records WHERE sequence = 2",
    "the newest record is gone": "DELETE FROM records WHERE sequence = 3",
    "a record is changed": "UPDATE records SET raw = digest WHERE sequence = 2",
    "an access is denied": "UPDATE access_log SET who = 'Eve'",
    "the head is moved": "UPDATE devices SET head_sequence = 2",
}


def found_by_reading_all(books: ledger.Ledger) -> list[str]:
    """All but the signatures, which the records of these tests do not have."""
    return [*findings(books, None), *access_findings(books, None)]


def tamper(where: str, sql: str) -> None:
    """Change a ledger behind its back, as its owner can."""
    if where.startswith("postgresql"):
        with psycopg.connect(where, autocommit=True) as connection:
            connection.execute("SET session_replication_role = replica")  # no walls, no foreign keys
            assert connection.execute(sql.encode()).rowcount
        return
    connection = apsw.Connection(where)
    for (trigger,) in list(connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")):
        connection.execute(f"DROP TRIGGER {trigger}")
    connection.pragma("ignore_check_constraints", True)
    connection.execute(sql)
    assert connection.changes()
    connection.close()


@pytest.mark.parametrize("damage", DAMAGE)
def test_the_check_at_start_notices_damage(where: str, damage: str) -> None:
    with open_ledger(where) as books:
        settled(books)
        with books.transaction():
            for sequence in (2, 3):
                books.add_record(record(sequence), 10)
            books.log_access("one", who="Mia", origin="here", action="void", before="", after="", now_ms=1)
        books.check()
    tamper(where, DAMAGE[damage])
    with open_ledger(where) as books:
        with pytest.raises(ledger.LedgerDamaged) as error:
            books.check()
        assert error.value.findings
        assert found_by_reading_all(books)


def test_balances_at_the_end_vouch_for_rounds_long_past(where: str) -> None:
    """A round in play that was robbed of its stakes shows in the sums, however old it is."""
    with open_ledger(where) as books:
        settled(books)
        with books.transaction():
            books.open_round(replace(ROUND, id=b"2" * 16))
            for state in ("opened", "betting"):
                books.set_state(b"2" * 16, state, 10)
            books.place(b"2" * 16, [ledger.Wager("c", "Cy", "big", 700)], 11)
            books.refer(ledger.Referral(b"2" * 16, "tilted", "6.1", 1, 12))
        assert list(findings(books, recent=1)) == []
    tamper(where, "DELETE FROM wagers WHERE id = 'c'")
    with open_ledger(where) as books:
        assert any("unfinished rounds have 0" in each for each in findings(books, recent=1))


@pytest.fixture
def long_ago(tmp_path: Path) -> str:
    """A ledger whose first round is older than what a short check reads."""
    where = str(tmp_path / "old.db")
    with open_ledger(where) as books:
        settled(books)
        with books.transaction():
            for who in ("Mia", "Tom"):
                books.log_access("one", who=who, origin="here", action="void", before="", after="", now_ms=1)
        for number in range(5):
            later = replace(ROUND, id=bytes([number]) * 16)
            with books.transaction():
                books.open_round(later)
                void = ledger.Settlement(later.id, "void", None, "never-opened", "void", "5.1.2", None, 20)
                books.conclude(void, [])
                books.add_record(record(number + 2), 20)
    return where


OLD = [each for each in DAMAGE if each not in ("the newest record is gone", "the head is moved")]


@pytest.mark.parametrize("damage", OLD)
def test_the_full_check_reads_everything(long_ago: str, damage: str) -> None:
    sql = DAMAGE[damage]
    if damage == "a round is open again":
        sql += " WHERE number = 1"
    tamper(long_ago, sql)
    with open_ledger(long_ago, read_only=True) as books:
        assert found_by_reading_all(books), damage


def test_a_sound_ledger_passes_both(long_ago: str) -> None:
    with open_ledger(long_ago, read_only=True) as books:
        books.check()
        assert found_by_reading_all(books) == []
        assert books.device(DEVICE).head_sequence == 6
