"""Backup and restore: a ledger's rows in a new SQLite file, and back into a new file or an empty database.

A backup is itself a ledger, so the full check can tell whether it is one.
"""

import contextlib
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from host_tools.ledger.errors import LedgerOutdated, LedgerUnusable
from host_tools.ledger.ledger import Ledger, is_url, open_ledger
from host_tools.ledger.schema import TABLES
from host_tools.ledger.sqlite import SqliteStore, copy_of_any_format
from host_tools.ledger.store import Row, Store

_BATCH = 1000  # rows


def back_up(where: str | Path, target: Path) -> None:
    """Copy a ledger, as it is at one moment, to a new SQLite file; a table may run meanwhile.

    Raises LedgerUnusable when the target exists, and what `open_ledger` raises.
    """
    if target.exists():
        raise LedgerUnusable(f"{target} exists already; name a new file")
    with open_ledger(where, read_only=True) as books, _whole(target) as part:
        if isinstance(books.store, SqliteStore):
            books.store.back_up(part)
        else:
            with open_ledger(part) as copy:
                _copy(books, copy)


def restore(backup: Path, where: str | Path) -> None:
    """Bring a backup back as a new file or into an empty database.

    Raises LedgerUnusable when there is a ledger already, and what `open_ledger` raises.
    """
    if Path(where).exists():
        raise LedgerUnusable(f"{where} exists already; a backup is restored to a new file")
    with _up_to_date(backup) as current, open_ledger(current, read_only=True) as books:
        if is_url(where):
            _restore(books, where)
        else:
            with _whole(Path(where)) as part:
                _restore(books, part)


def _restore(books: Ledger, where: str | Path) -> None:
    with open_ledger(where) as copy:
        if copy.devices():
            raise LedgerUnusable("the database has a ledger already; a backup is restored to an empty one")
        _copy(books, copy)


@contextlib.contextmanager
def _whole(target: Path) -> Iterator[Path]:
    """Where to make a file that has its name once it is whole: one that was cut short would be a ledger, too,
    with nothing in it."""
    part = target.with_name(f"{target.name}.part")
    leavings = [part.with_name(part.name + suffix) for suffix in ("", "-wal", "-shm", "-journal", ".lock")]
    try:
        for each in leavings:
            each.unlink(missing_ok=True)
        yield part
        part.rename(target)
    finally:
        for each in leavings:
            each.unlink(missing_ok=True)


@contextlib.contextmanager
def _up_to_date(backup: Path) -> Iterator[Path]:
    """A backup that can be read today: one of an older format is copied and migrated, and stays as it is."""
    try:
        open_ledger(backup, read_only=True).close()
    except LedgerOutdated:
        with tempfile.TemporaryDirectory(dir=backup.parent) as folder:
            current = Path(folder) / backup.name
            copy_of_any_format(backup, current)
            open_ledger(current).close()
            yield current
    else:
        yield backup


def _copy(books: Ledger, copy: Ledger) -> None:
    with books.store.snapshot(), copy.store.transaction():
        copy.store.lower_walls()
        for table in TABLES:
            _copy_table(books.store, copy.store, table)
        copy.store.raise_walls()


def _copy_table(source: Store, target: Store, table: str) -> None:
    columns = source.columns(table)
    for rows in _batches(source.stream(f"SELECT {', '.join(columns)} FROM {table}")):
        target.insert_many(table, columns, rows)


def _batches(rows: Iterable[Row]) -> Iterable[list[Row]]:
    batch: list[Row] = []
    for row in rows:
        batch.append(row)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    yield batch
