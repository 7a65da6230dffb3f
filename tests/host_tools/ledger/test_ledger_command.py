"""`tumbler ledger`: the answer by exit status, backups that are checked, restores that lose nothing."""

import json
import signal
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from signed_ledger import fill
from test_ledger_checks import tamper

from host_tools.ledger import open_ledger
from host_tools.ledger.schema import TABLES
from host_tools.testing.postgres_server import PostgresServer


def tumbler(*arguments: object) -> subprocess.CompletedProcess[str]:
    program = "from host_tools.cli import main; main()"
    command = [sys.executable, "-c", program, "ledger", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def rows_of(where: str | Path) -> dict[str, list[tuple]]:
    with open_ledger(where, read_only=True) as books:
        return {table: sorted(books.store.rows(f"SELECT * FROM {table}"), key=repr) for table in TABLES}


@pytest.fixture
def filled(where: str) -> str:
    with open_ledger(where) as books:
        fill(books)
    return where


def test_a_sound_ledger_is_said_to_be_sound_with_the_ends_of_its_chains(filled: str) -> None:
    with open_ledger(filled) as books:  # the table runs
        done = tumbler("check", filled, "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        told = json.loads(done.stdout)
        assert (told["ok"], told["findings"]) == (True, [])
        (device,) = books.devices()
        assert told["devices"][0]["digest"] == device.head_digest.hex()
        (newest,) = [books.newest_entry(table) for table in books.tables()]
        assert newest is not None
        assert told["tables"][0]["digest"] == newest.digest.hex()
        assert told["access_logs"][0]["entry"] == 1
    text = tumbler("check", filled)
    assert text.returncode == 0
    assert "every record, chain and sum is right" in text.stdout


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE wagers SET player = 'Eve' WHERE number = 1",
        "UPDATE access_log SET who = 'Eve'",
        "UPDATE devices SET public_key = head_digest",
    ],
)
def test_a_ledger_that_was_tampered_with_is_said_to_be_wrong(filled: str, sql: str) -> None:
    tamper(filled, sql)
    done = tumbler("check", filled, "--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["findings"]
    assert "NOT" in tumbler("check", filled).stdout


def test_what_is_no_ledger_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("hello")
    for where in (tmp_path / "none", tmp_path / "text", "postgresql://tumbler@/ledger?host=/nowhere"):
        done = tumbler("check", where)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("tumbler ledger: ")


def test_a_backup_of_a_running_table_comes_back_the_same_on_both_kinds_of_store(
    filled: str, tmp_path: Path, postgres: PostgresServer
) -> None:
    backup = tmp_path / "backup.db"
    with open_ledger(filled):
        done = tumbler("backup", filled, backup)
    assert done.returncode == 0, done.stdout + done.stderr
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    before = rows_of(filled)
    assert rows_of(backup) == before
    for target in (str(tmp_path / "restored.db"), postgres.new_database()):
        done = tumbler("restore", backup, target)
        assert done.returncode == 0, done.stdout + done.stderr
        assert rows_of(target) == before
        with open_ledger(target) as books:  # and it can be gone on with, behind walls
            books.hold("table 1")
            fill(books, again=True)
            books.check()
            with pytest.raises(Exception, match="append-only"), books.transaction():
                books.store.write("UPDATE postings SET amount = 1")


def test_nothing_is_backed_up_or_restored_over(filled: str, tmp_path: Path) -> None:
    backup = tmp_path / "backup.db"
    assert tumbler("backup", filled, backup).returncode == 0
    before = backup.read_bytes()
    assert tumbler("backup", filled, backup).returncode == 2
    assert backup.read_bytes() == before
    assert tumbler("restore", backup, filled).returncode == 2
    assert rows_of(filled) == rows_of(backup)


_KILLED_MIDWAY = """
import os, signal, sys
from pathlib import Path
from host_tools.ledger import copying, sqlite

def killed(*_):
    os.kill(os.getpid(), signal.SIGKILL)

copying._copy_table = killed
sqlite.SqliteStore.back_up = lambda _, part: (part.write_bytes(b"half"), killed())
getattr(copying, sys.argv[1])(sys.argv[2], Path(sys.argv[3]))
"""


@pytest.mark.parametrize("deed", ["back_up", "restore"])
def test_what_was_cut_short_is_no_ledger_and_is_made_anew(filled: str, tmp_path: Path, deed: str) -> None:
    source = filled
    if deed == "restore":
        source = str(tmp_path / "backup.db")
        assert tumbler("backup", filled, source).returncode == 0
    target = tmp_path / "target.db"
    cut = subprocess.run([sys.executable, "-c", _KILLED_MIDWAY, deed, source, str(target)], check=False)
    assert cut.returncode == -signal.SIGKILL
    assert not target.exists()
    assert tumbler(deed.replace("_", ""), source, target).returncode == 0
    assert rows_of(str(target)) == rows_of(filled)
    assert list(tmp_path.glob("target.db.part*")) == []


def test_a_backup_that_was_tampered_with_is_told_at_restore(filled: str, tmp_path: Path) -> None:
    backup = tmp_path / "backup.db"
    assert tumbler("backup", filled, backup).returncode == 0
    tamper(str(backup), "UPDATE postings SET amount = amount - 1 WHERE number = 1")
    assert tumbler("restore", backup, tmp_path / "restored.db").returncode == 1
