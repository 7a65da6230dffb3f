"""A ledger in one SQLite file: a sound SQLite, one writing process, commits that wait for the disk."""

import contextlib
import fcntl
import os
import threading
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import apsw

from host_tools.ledger.errors import (
    LedgerDamaged,
    LedgerError,
    LedgerInUse,
    LedgerOutdated,
    LedgerUnavailable,
    LedgerUnusable,
    SqliteTooOld,
    StoreRefusal,
)
from host_tools.ledger.migrating import migrate
from host_tools.ledger.schema import APPLICATION_ID, MIGRATIONS, Check, Migration, Wall
from host_tools.ledger.store import Row, Store, insert_sql

OLDEST_SQLITE = (3, 51, 3)  # before it, two connections could reset the write-ahead log and corrupt the file
_AT_ONCE = 64  # rows of one statement: twice as fast as a statement each
_READ_WAIT_MS = 2000  # a reader waits so long for the moment in which the log is reset

_WORDS = {"bytes": "BLOB", "int": "INTEGER", "serial": "INTEGER PRIMARY KEY", "strict": "STRICT"}


def require_sqlite(version: str) -> None:
    """Raise SqliteTooOld unless `version` (as `"3.54.1"`) is free of the WAL-reset fault."""
    if tuple(int(part) for part in version.split(".")) < OLDEST_SQLITE:
        oldest = ".".join(map(str, OLDEST_SQLITE))
        raise SqliteTooOld(
            f"SQLite {version} can corrupt its write-ahead log; the ledger needs {oldest} or newer:"
            " install the apsw wheel, which brings its own, instead of the system's build"
        )


class SqliteStore(Store):
    """The file's lease and its connections; `read_only` takes no lease: others may read while a table runs.

    Raises SqliteTooOld, LedgerUnusable or LedgerInUse.
    """

    begin = "BEGIN IMMEDIATE"

    def __init__(
        self, path: Path, *, read_only: bool = False, sqlite_version: str = apsw.sqlite_lib_version()
    ) -> None:
        super().__init__()
        require_sqlite(sqlite_version)
        self.path = path.resolve()  # one lease, by whatever link the file is reached
        self._lease: tuple[int, ...] = () if read_only else _take_lease(self.path)
        self._reading = threading.RLock()
        try:
            if not read_only:
                self._connection = _connect(self.path)
                self._migrate()
            self._reader = _open(self.path, apsw.SQLITE_OPEN_READONLY)
        except BaseException:
            self._release()
            raise

    def _migrate(self) -> None:
        """Bring the schema up to date in one transaction, rows and all."""
        version = self._connection.pragma("user_version")
        if version == len(MIGRATIONS):
            return
        with _closed_on_failure(self._connection, self.path), self.transaction():
            migrate(self, version, script_of)
            self._connection.pragma("user_version", len(MIGRATIONS))
            self._connection.pragma("application_id", APPLICATION_ID)

    def close(self) -> None:
        """Close the file, then give the lease back."""
        self._reader.close()  # the writer is the last: it owns the checkpoint
        if self._lease:
            self._connection.close()
        self._release()

    def _release(self) -> None:
        for descriptor in self._lease:
            os.close(descriptor)
        self._lease = ()

    def execute(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """See Store."""
        if not self._lease:
            raise LedgerUnavailable(f"{self.path} is open for reading only")
        if sql == "COMMIT":
            self._require_in_place()
        with _named_errors():
            return list(self._connection.execute(sql, values))

    def _require_in_place(self) -> None:
        """What is written to a file that lost its name ends with this process, and SQLite does not look
        (sqlite.org/howtocorrupt.html, 4)."""
        try:
            named, _ = os.stat(self.path), os.stat(f"{self.path}-wal")
        except FileNotFoundError:
            named = None
        if named is None or not os.path.samestat(named, os.fstat(self._lease[-1])):
            raise LedgerUnavailable(
                f"{self.path} or its -wal was moved or removed while in use; nothing was acknowledged: put it"
                " back, or stop and restore a backup"
            )

    def read(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """See Store."""
        with self._reading, _named_errors():
            return list(self._reader.execute(sql, values))

    def write_many(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """See Store."""
        many = insert_sql(table, tuple(columns), _AT_ONCE)
        whole = len(rows) - len(rows) % _AT_ONCE
        with _named_errors():
            for start in range(0, whole, _AT_ONCE):
                self._connection.execute(many, list(chain.from_iterable(rows[start : start + _AT_ONCE])))
            self._connection.executemany(insert_sql(table, tuple(columns)), rows[whole:])

    @property
    def in_transaction(self) -> bool:
        """See Store."""
        return self._connection.in_transaction

    @contextlib.contextmanager
    def snapshot(self) -> Iterator[None]:
        """See Store."""
        with self._reading:
            self.read("BEGIN")
            try:
                yield
            finally:
                self.read("COMMIT")

    def stream(self, sql: str) -> Iterator[Row]:
        """See Store."""
        with _named_errors():
            yield from self._reader.execute(sql)

    def columns(self, table: str) -> list[str]:
        """See Store."""
        return [row[1] for row in self.read(f"PRAGMA table_info({table})")]

    def serialise(self, name: str) -> None:
        """See Store: there is one writer anyway."""

    def lower_walls(self) -> None:
        """See Store."""
        for migration in MIGRATIONS:
            for wall in migration.walls:
                self.execute(f"DROP TRIGGER {wall.name}")

    def raise_walls(self) -> None:
        """See Store."""
        for migration in MIGRATIONS:
            for wall in migration.walls:
                self.execute(_trigger(wall))

    def back_up(self, target: Path) -> None:
        """Copy the file as it is now to a new one, while it is in use."""
        _copy(self._reader, target)


def copy_of_any_format(path: Path, target: Path) -> None:
    """Copy a ledger, which may be of an older format, to a new file: what a bridge that was killed has left
    in the log beside it too. Raises LedgerUnusable."""
    with contextlib.closing(_open(path, apsw.SQLITE_OPEN_READONLY, may_be_old=True)) as source:
        _copy(source, target)


def _copy(source: apsw.Connection, target: Path) -> None:
    os.close(os.open(target, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    with (
        _named_errors(),
        contextlib.closing(apsw.Connection(str(target))) as copy,
        copy.backup("main", source, "main") as backup,
    ):
        backup.step()
        backup.finish()
        copy.pragma("journal_mode", "delete")  # one file, which stays one when it is read


@contextlib.contextmanager
def _named_errors() -> Iterator[None]:
    try:
        yield
    except apsw.ConstraintError as error:
        raise StoreRefusal(str(error)) from error
    except (apsw.FullError, apsw.IOError, apsw.ReadOnlyError, apsw.CantOpenError, apsw.BusyError) as error:
        raise LedgerUnavailable(
            f"the ledger cannot be used now ({error}); nothing was acknowledged: free space or make the file"
            " writable, then ask again"
        ) from error
    except (apsw.CorruptError, apsw.NotADBError) as error:
        raise LedgerDamaged([f"SQLite says: {error}"]) from error


def _take_lease(path: Path) -> tuple[int, int]:
    """Advisory locks on a file beside the ledger, which names who has it, and on the ledger itself, for when
    that file was removed or the ledger has a second name. The system releases them when the process ends,
    however it ends. The ledger is made here if there is none."""
    beside = path.with_name(path.name + ".lock")
    lease = _locked(beside, "its folder must be writable")
    if lease is None:
        holder = beside.read_text(errors="replace").strip() or "unknown"
        raise _in_use(path, f"process {holder}")
    try:
        own = _locked(path, "give a file that can be written")
        if own is None:
            raise _in_use(path, "another process, under another name or without its lock file")
    except BaseException:
        os.close(lease)
        raise
    os.ftruncate(lease, 0)
    os.pwrite(lease, f"{os.getpid()}\n".encode(), 0)
    return lease, own


def _locked(path: Path, advice: str) -> int | None:
    """The open, locked file, made if there is none; None while another process has it locked."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)  # players are private
    except OSError as error:
        raise LedgerUnusable(f"{path}: {error.strerror}; {advice}") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


def _in_use(path: Path, holder: str) -> LedgerInUse:
    return LedgerInUse(
        f"{path} is in use by {holder}; a ledger has one bridge at a time: stop that one first"
    )


def _connect(path: Path) -> apsw.Connection:
    """The writing connection to a ledger or an empty file."""
    connection = _open(path, apsw.SQLITE_OPEN_READWRITE, may_be_old=True)
    with _closed_on_failure(connection, path):
        _configure(connection)
    return connection


def _open(path: Path, flags: int, *, may_be_old: bool = False) -> apsw.Connection:
    """A connection to a ledger; anything else is refused before it is touched."""
    if not path.exists():
        raise LedgerUnusable(f"there is no ledger {path}")
    try:
        connection = apsw.Connection(str(path), flags=flags)
    except apsw.Error as error:
        raise LedgerUnusable(f"{path} cannot be opened: {error}") from error
    with _closed_on_failure(connection, path):
        connection.set_busy_timeout(_READ_WAIT_MS)
        version = connection.pragma("user_version")
        empty = next(iter(connection.execute("SELECT count(*) = 0 FROM sqlite_schema")))[0]
        if not (empty and may_be_old) and connection.pragma("application_id") != APPLICATION_ID:
            raise LedgerUnusable(f"{path} is a database, but not a Sic Bo ledger of this program")
        if version > len(MIGRATIONS):
            raise LedgerUnusable(
                f"{path} was written by a newer version (schema {version}); update this program"
            )
        if version < len(MIGRATIONS) and not may_be_old:
            raise LedgerOutdated(
                f"{path} has the older schema {version}: start a bridge on it, or restore it to a new file"
            )
    return connection


@contextlib.contextmanager
def _closed_on_failure(connection: apsw.Connection, path: Path) -> Iterator[None]:
    """Nothing holds a file that cannot be used; an error that does not say so by itself is told as that."""
    try:
        yield
    except BaseException as error:
        connection.close()
        if isinstance(error, LedgerError | apsw.Error) and not isinstance(error, LedgerUnusable):
            raise LedgerUnusable(f"{path} cannot be used as a ledger: {error}") from error
        raise


def _configure(connection: apsw.Connection) -> None:
    if connection.pragma("journal_mode", "wal") != "wal":
        raise LedgerUnusable("the file system does not support SQLite's write-ahead log; use a local disk")
    connection.pragma("synchronous", "full")
    connection.pragma("foreign_keys", True)
    connection.pragma("recursive_triggers", True)  # INSERT OR REPLACE must not slip past append-only
    connection.pragma("trusted_schema", False)
    connection.pragma("cell_size_check", True)


def script_of(migration: Migration) -> str:
    """A migration in SQLite's words."""
    checks = "".join(map(_check, migration.checks))
    return migration.tables.format(**_WORDS) + checks + "".join(map(_trigger, migration.walls))


def _check(check: Check) -> str:
    """SQLite alters no CHECK, but takes another text of the table (sqlite.org/lang_altertable.html, 7).

    The script creates something too, which makes every other connection read the schema again."""
    before, after = (text.replace("'", "''") for text in (check.before, check.after))
    return (
        "PRAGMA writable_schema = ON;\n"
        f"UPDATE sqlite_schema SET sql = replace(sql, '({before})', '({after})')"
        f" WHERE type = 'table' AND name = '{check.table}';\n"
        "PRAGMA writable_schema = RESET;\n"
    )


def _trigger(wall: Wall) -> str:
    return (
        f"CREATE TRIGGER {wall.name} BEFORE {wall.event} ON {wall.table} WHEN {wall.condition}\n"
        f"BEGIN SELECT RAISE(ABORT, '{wall.message}'); END;\n"
    )
