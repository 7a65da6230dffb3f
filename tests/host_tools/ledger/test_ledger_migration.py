"""A ledger of an older format becomes one of today's, whole or not at all, and is as safe from then on.

`old/` has ledgers as the program of their day wrote them, with rounds that ended every way.
"""

import lzma
import shutil
from pathlib import Path

import apsw
import pytest
import signed_ledger

from host_tools import ledger
from host_tools.ledger import open_ledger
from host_tools.ledger.copying import restore
from host_tools.ledger.schema import MIGRATIONS
from host_tools.ledger.seals import SEALED_SINCE
from host_tools.ledger.store import Store

OLD = sorted((Path(__file__).parent / "old").glob("*.db.xz"))
UNCHANGED = ("devices", "entries", "rounds", "wagers", "settlements", "outcomes", "postings", "access_log")


@pytest.fixture(params=OLD, ids=[path.name.split(".")[0] for path in OLD])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / "ledger.db"
    path.write_bytes(lzma.decompress(request.param.read_bytes()))
    return path


def rows_of(path: Path) -> dict[str, list[tuple]]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    found = {table: list(connection.execute(f"SELECT * FROM {table} ORDER BY rowid")) for table in UNCHANGED}
    found["records"] = list(connection.execute("SELECT raw, received_ms FROM records ORDER BY sequence"))
    found["notices"] = list(connection.execute("SELECT number, topic, body FROM notices ORDER BY number"))
    connection.close()
    return found


def test_there_are_old_ledgers() -> None:
    assert len(OLD) == 2


def test_an_old_ledger_is_brought_up_to_date_with_all_its_rows(old: Path) -> None:
    before = rows_of(old)
    assert all(before.values())
    open_ledger(old).close()
    assert rows_of(old) == before
    with open_ledger(old) as books:
        books.check_everything()
        signed_ledger.fill(books, again=True)
        books.check_everything()
    with open_ledger(old, read_only=True) as books:
        books.check_everything()


def test_its_walls_stand_again(old: Path) -> None:
    with open_ledger(old) as books:
        for table in ("records", "notices", "wagers"):
            with pytest.raises(ledger.StoreRefusal), books.transaction():
                books.store.write(f"DELETE FROM {table}")
        with pytest.raises(ledger.StoreRefusal, match="sealed"), books.transaction():
            books.store.insert("notices", {"source": "x", "topic": "x", "body": "{}", "made_ms": 1})


@pytest.mark.parametrize(
    "sql", ["UPDATE records SET received_ms = 0 WHERE sequence = 2", "UPDATE notices SET body = ''"]
)
def test_what_is_changed_after_the_migration_is_found(old: Path, sql: str) -> None:
    open_ledger(old).close()
    connection = apsw.Connection(str(old))
    for (trigger,) in list(connection.execute("SELECT name FROM sqlite_schema WHERE type = 'trigger'")):
        connection.execute(f"DROP TRIGGER {trigger}")
    connection.execute(sql)
    connection.close()
    with open_ledger(old) as books, pytest.raises(ledger.LedgerDamaged, match="not what was sealed"):
        books.check()


def test_a_migration_that_fails_has_changed_nothing(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some rows are sealed already when the disk is full."""
    before, schema = rows_of(old), schema_of(old)
    write, room = Store.write, iter(range(7))

    def fill_up(store: Store, sql: str, values: tuple = ()) -> None:
        if next(room, None) is None:
            raise ledger.LedgerUnavailable("disk full")
        write(store, sql, values)

    monkeypatch.setattr(Store, "write", fill_up)
    with pytest.raises(ledger.LedgerUnusable, match="disk full"):
        open_ledger(old)
    assert (rows_of(old), schema_of(old)) == (before, schema)
    monkeypatch.undo()
    with open_ledger(old) as books:
        books.check_everything()


def schema_of(path: Path) -> tuple[int, list[tuple]]:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    found = connection.pragma("user_version"), list(connection.execute("SELECT name, sql FROM sqlite_schema"))
    connection.close()
    return found


def test_an_auditor_is_told_what_to_do_with_an_old_file(old: Path) -> None:
    before = old.read_bytes()
    with pytest.raises(ledger.LedgerUnusable, match="restore it"):
        open_ledger(old, read_only=True)
    assert old.read_bytes() == before


def test_an_old_backup_is_restored_to_a_ledger_of_today(old: Path, tmp_path: Path) -> None:
    before = old.read_bytes()
    restore(old, tmp_path / "restored.db")
    assert old.read_bytes() == before
    with open_ledger(tmp_path / "restored.db", read_only=True) as books:
        books.check_everything()
        assert books.devices()


def test_what_an_old_bridge_that_was_killed_left_in_its_log_is_restored(old: Path, tmp_path: Path) -> None:
    bridge = apsw.Connection(str(old))
    bridge.pragma("journal_mode", "wal")
    bridge.execute("INSERT INTO notices (source, topic, body, made_ms) VALUES ('table 1', 'last', '{}', 9)")
    killed = tmp_path / "killed.db"
    for suffix in ("", "-wal"):
        shutil.copy(f"{old}{suffix}", f"{killed}{suffix}")
    bridge.close()
    restore(killed, tmp_path / "restored.db")
    with open_ledger(tmp_path / "restored.db", read_only=True) as books:
        assert [each.topic for each in books.notices("table 1")][-1] == "last"


def test_an_old_database_server_is_brought_up_to_date(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """On both stores: the schema before seals, filled by hand, and what is made of it."""
    for module in ("migrating", "postgres", "sqlite"):
        monkeypatch.setattr(f"host_tools.ledger.{module}.MIGRATIONS", MIGRATIONS[: SEALED_SINCE - 1])
    with open_ledger(where) as books, books.transaction():
        for number in range(3):
            notice = {"source": "one", "topic": "t", "body": "{}", "made_ms": number}
            books.store.insert("notices", notice)
    monkeypatch.undo()
    with open_ledger(where) as books:
        assert all(len(seal) == 32 for (seal,) in books.store.rows("SELECT seal FROM notices"))
        with books.transaction():
            books.notify("one", "t", None, {}, 9)
        books.check_everything()
        with pytest.raises(ledger.StoreRefusal), books.transaction():
            books.store.write("DELETE FROM notices")
