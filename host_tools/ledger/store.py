"""One SQLite file, opened as a ledger must be: a sound SQLite, one writing process, durable commits."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import apsw

from host_tools.ledger.errors import LedgerInUse, LedgerUnusable, OutOfTransaction, SqliteTooOld
from host_tools.ledger.schema import APPLICATION_ID, MIGRATIONS

OLDEST_SQLITE = (3, 51, 3)  # before it, two connections could reset the write-ahead log and corrupt the file


def require_sqlite(version: str) -> None:
    """Raise SqliteTooOld unless `version` (as `"3.54.1"`) is free of the WAL-reset fault."""
    if tuple(int(part) for part in version.split(".")) < OLDEST_SQLITE:
        oldest = ".".join(map(str, OLDEST_SQLITE))
        raise SqliteTooOld(
            f"SQLite {version} can corrupt its write-ahead log; the ledger needs {oldest} or newer:"
            " install the apsw wheel, which brings its own, instead of the system's build"
        )


class Store:
    """The connection and its lease. Writes are allowed only inside `with store.transaction():`."""

    def __init__(self, path: Path, sqlite_version: str) -> None:
        require_sqlite(sqlite_version)
        self.path = path
        self._lease = _take_lease(path)
        try:
            self.connection = _connect(path)
        except BaseException:
            os.close(self._lease)
            raise

    def close(self) -> None:
        """Close the file, then give the lease back. Closing twice is harmless."""
        self.connection.close()
        if self._lease >= 0:
            os.close(self._lease)
            self._lease = -1

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, and on disk when the block ends. Transactions do not nest."""
        self.connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.connection.execute("COMMIT")
        except BaseException:
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise

    def rows(self, sql: str, values: tuple = ()) -> list[tuple]:
        """All rows of a query."""
        return list(self.connection.execute(sql, values))

    def row(self, sql: str, values: tuple = ()) -> tuple | None:
        """The first row of a query, or None."""
        return next(iter(self.connection.execute(sql, values)), None)

    def write(self, sql: str, values: tuple = ()) -> None:
        """One statement inside the transaction; raises OutOfTransaction outside of one."""
        self._require_transaction()
        self.connection.execute(sql, values)

    def write_many(self, sql: str, rows: list[tuple]) -> None:
        """One statement for each of the rows, inside the transaction."""
        self._require_transaction()
        self.connection.executemany(sql, rows)

    def _require_transaction(self) -> None:
        if not self.connection.in_transaction:
            raise OutOfTransaction("write inside `with ledger.transaction():`, to be whole or not at all")


def _take_lease(path: Path) -> int:
    """An advisory lock beside the file; the system releases it when the process ends, however it ends."""
    lock_path = path.with_name(path.name + ".lock")
    try:
        lease = os.open(lock_path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise LedgerUnusable(f"{lock_path}: {error.strerror}; its folder must be writable") from error
    try:
        fcntl.flock(lease, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        holder = os.pread(lease, 32, 0).decode(errors="replace").strip() or "unknown"
        os.close(lease)
        raise LedgerInUse(
            f"{path} is in use by process {holder}; a ledger has one bridge at a time: stop that one first"
        ) from error
    os.ftruncate(lease, 0)
    os.pwrite(lease, f"{os.getpid()}\n".encode(), 0)
    return lease


def _connect(path: Path) -> apsw.Connection:
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))  # players are private
    except OSError as error:
        raise LedgerUnusable(f"{path}: {error.strerror}; give a file that can be written") from error
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        version = _recognised(connection, path)
        _configure(connection)
        _migrate(connection, version)
    except apsw.Error as error:
        connection.close()
        raise LedgerUnusable(f"{path} cannot be used as a ledger: {error}") from error
    except BaseException:
        connection.close()
        raise
    return connection


def _recognised(connection: apsw.Connection, path: Path) -> int:
    """The schema version of a ledger, 0 of an empty file; anything else is refused before it is touched."""
    version = connection.pragma("user_version")
    empty = next(iter(connection.execute("SELECT count(*) = 0 FROM sqlite_schema")))[0]
    if not empty and connection.pragma("application_id") != APPLICATION_ID:
        raise LedgerUnusable(f"{path} is a database, but not a Sic Bo ledger")
    if version > len(MIGRATIONS):
        raise LedgerUnusable(f"{path} was written by a newer version (schema {version}); update this program")
    return version


def _configure(connection: apsw.Connection) -> None:
    if connection.pragma("journal_mode", "wal") != "wal":
        raise LedgerUnusable("the file system does not support SQLite's write-ahead log; use a local disk")
    connection.pragma("synchronous", "full")
    connection.pragma("foreign_keys", True)
    connection.pragma("recursive_triggers", True)  # INSERT OR REPLACE must not slip past append-only
    connection.pragma("trusted_schema", False)
    connection.pragma("cell_size_check", True)


def _migrate(connection: apsw.Connection, version: int) -> None:
    """Bring the schema up to date in one transaction."""
    with connection:
        for number, migration in enumerate(MIGRATIONS[version:], start=version):
            connection.execute(migration)
            connection.pragma("user_version", number + 1)
        connection.pragma("application_id", APPLICATION_ID)
