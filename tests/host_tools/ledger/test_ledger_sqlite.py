"""A ledger in a file: one owner, sound SQLite, durable commits; what is no ledger is left alone."""

import contextlib
import os
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from ledger_rows import DEVICE, betting, enrolled, record, settled

from host_tools import ledger
from host_tools.ledger import open_ledger
from host_tools.ledger.schema import MIGRATIONS
from host_tools.ledger.sqlite import SqliteStore


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.db"


def test_commits_wait_for_the_disk(path: Path) -> None:
    with open_ledger(path) as books, books.transaction():
        assert books.store.rows("PRAGMA journal_mode") == [("wal",)]
        assert books.store.rows("PRAGMA synchronous") == [(2,)]
        assert books.store.rows("PRAGMA foreign_keys") == [(1,)]


@pytest.mark.parametrize("version", ["3.40.1", "3.51.2", "3.7.0"])
def test_a_sqlite_that_can_corrupt_its_log_is_refused(path: Path, version: str) -> None:
    with pytest.raises(ledger.SqliteTooOld, match=version):
        SqliteStore(path, sqlite_version=version)
    assert not path.exists()


def test_a_second_bridge_on_the_same_file_is_refused(path: Path) -> None:
    with open_ledger(path) as books:
        with pytest.raises(ledger.LedgerInUse, match=str(os.getpid())):
            open_ledger(path)
        program = f"from host_tools.ledger import open_ledger; open_ledger({str(path)!r})"
        other = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
        assert other.returncode == 1
        assert "LedgerInUse" in other.stderr
        betting(books)
        alias = path.with_name("alias.db")
        alias.symlink_to(path)
        with pytest.raises(ledger.LedgerInUse):
            open_ledger(alias)
    open_ledger(path).close()


def test_a_removed_lock_file_or_a_second_name_lets_no_other_bridge_in(path: Path) -> None:
    program = "import sys; from host_tools.ledger import open_ledger; open_ledger(sys.argv[1])"
    second = path.with_name("second.db")
    with open_ledger(path) as books:
        betting(books)
        second.hardlink_to(path)
        path.with_name(path.name + ".lock").unlink()
        for name in (path, second):
            command = [sys.executable, "-c", program, str(name)]
            other = subprocess.run(command, capture_output=True, text=True, check=False)
            assert other.returncode == 1
            assert "LedgerInUse" in other.stderr
    second.unlink()
    open_ledger(path).close()


@pytest.mark.parametrize(("suffix", "replaced"), [("", False), ("", True), ("-wal", False)])
def test_nothing_is_acknowledged_in_a_file_that_was_moved_away(
    path: Path, suffix: str, replaced: bool
) -> None:
    """It would be gone with the process, or be in a file that nobody looks at."""
    with open_ledger(path) as books:
        enrolled(books)
        here, away = Path(f"{path}{suffix}"), path.with_name("away")
        here.rename(away)
        if replaced:
            here.touch()
        with pytest.raises(ledger.LedgerUnavailable, match="moved or removed"), books.transaction():
            books.add_record(record(1), 1)
        assert books.device(DEVICE).head_sequence == 0
        away.replace(here)
        with books.transaction():
            books.add_record(record(1), 1)
    with open_ledger(path) as books:
        assert books.device(DEVICE).head_sequence == 1


def test_the_lease_ends_with_its_process_however_it_ends(path: Path) -> None:
    program = f"""
import os, signal
from host_tools.ledger import open_ledger
books = open_ledger({str(path)!r})
with books.transaction():
    books.enrol(b"tumbler1", b"k" * 32, (0, bytes(32), 0))
with books.transaction():
    books.enrol(b"tumbler2", b"l" * 32, (0, bytes(32), 0))
    os.kill(os.getpid(), signal.SIGKILL)
"""
    killed = subprocess.run([sys.executable, "-c", program], check=False)
    assert killed.returncode == -9
    with open_ledger(path) as books:
        assert [device.id for device in books.devices()] == [DEVICE]


def test_only_its_owner_may_read_it(path: Path) -> None:
    open_ledger(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def make_other_database(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("CREATE TABLE other (x)")


def make_text(path: Path) -> None:
    path.write_text("not a database, but long enough to look at" * 20)


def make_newer(path: Path) -> None:
    open_ledger(path).close()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")


@pytest.mark.parametrize("make", [make_other_database, make_text, make_newer, Path.mkdir])
@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_that_is_no_ledger_is_refused_and_left_alone(
    path: Path, make: Callable[[Path], None], read_only: bool
) -> None:
    make(path)
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(ledger.LedgerUnusable):
        open_ledger(path, read_only=read_only)
    assert (path.read_bytes() if path.is_file() else b"") == before


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(ledger.LedgerUnusable, match="folder"):
        open_ledger(tmp_path / "none" / "ledger.db")


def test_an_auditor_makes_no_ledger(path: Path) -> None:
    with pytest.raises(ledger.LedgerUnusable):
        open_ledger(path, read_only=True)
    assert not path.exists()


def test_a_row_cannot_be_replaced_either(path: Path) -> None:
    with open_ledger(path) as books:
        settled(books)
        for table in ("records", "wagers", "settlements", "outcomes", "postings", "notices", "entries"):
            before = books.store.rows(f"SELECT * FROM {table}")
            marks = ", ".join("?" * len(before[0]))
            with pytest.raises(ledger.StoreRefusal), books.transaction():
                books.store.write(f"INSERT OR REPLACE INTO {table} VALUES ({marks})", before[0])
            assert books.store.rows(f"SELECT * FROM {table}") == before
