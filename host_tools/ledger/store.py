"""A database as the ledger needs it: durable transactions by one writer at a time, and reads beside them.

Two back ends do the same: `sqlite.SqliteStore` and `postgres.PostgresStore`. SQL is written once, with `?`
for values; what the dialects say differently is here.
"""

import contextlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from host_tools.ledger.errors import LedgerError, OutOfTransaction

Row = tuple[Any, ...]


class Store(ABC):
    """One writing connection, whose transactions take turns, and one for reading what is committed.

    The thread that is in a transaction reads its own writes; every other thread reads what is committed.
    """

    begin = "BEGIN"
    shared = False  # whether other processes may write to it, too
    now_ms = ""  # the database's own clock, in SQL

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._owner: int | None = None  # the thread in the transaction

    # --- what a back end provides ---

    @abstractmethod
    def execute(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """Run a statement on the writing connection: every one passes here, COMMIT too."""

    @abstractmethod
    def read(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """The rows of a query, of what is committed."""

    @abstractmethod
    def write_many(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """Insert rows, on the writing connection."""

    @property
    @abstractmethod
    def in_transaction(self) -> bool:
        """Whether the database still has the transaction that was begun."""

    @abstractmethod
    def snapshot(self) -> contextlib.AbstractContextManager[None]:
        """All reads in the block see one moment."""

    @abstractmethod
    def stream(self, sql: str) -> Iterator[Row]:
        """The rows of a query as they are asked for, inside a snapshot."""

    @abstractmethod
    def columns(self, table: str) -> list[str]:
        """The columns of a table, in their order."""

    @abstractmethod
    def serialise(self, name: str) -> None:
        """Inside the transaction: wait until no other one has asked for that name, and keep it to the end."""

    @abstractmethod
    def lower_walls(self) -> None:
        """Inside the transaction that fills an empty ledger from another: let its rows in as they are."""

    @abstractmethod
    def raise_walls(self) -> None:
        """Put the walls back, and number new rows above those that were let in."""

    @abstractmethod
    def close(self) -> None:
        """Close the connections; twice is harmless."""

    # --- what the ledger uses ---

    @contextlib.contextmanager
    def transaction(self) -> Iterator[None]:
        """All or nothing, and on disk when the block ends. Transactions do not nest."""
        if self._is_mine:
            raise LedgerError("a transaction is open already; transactions do not nest")
        with self._turn:
            self.execute(self.begin)
            self._owner = threading.get_ident()
            try:
                yield
                self.execute("COMMIT")
            except BaseException:
                self._undo("ROLLBACK")
                raise
            finally:
                self._owner = None

    @contextlib.contextmanager
    def savepoint(self) -> Iterator[None]:
        """All or nothing of a part of the transaction."""
        self.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            self._undo("ROLLBACK TO part", "RELEASE part")
            raise
        self.execute("RELEASE part")

    def _undo(self, *statements: str) -> None:
        """Undo, unless the database has done so already; the error that led here is the one to be told."""
        with contextlib.suppress(LedgerError):
            for statement in statements:
                if self.in_transaction:
                    self.execute(statement)

    def rows(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        """All rows of a query."""
        return self.execute(sql, values) if self._is_mine else self.read(sql, values)

    def row(self, sql: str, values: Sequence[Any] = ()) -> Row | None:
        """The first row of a query, or None."""
        found = self.rows(sql, values)
        return found[0] if found else None

    def write(self, sql: str, values: Sequence[Any] = ()) -> None:
        """One statement inside the transaction; raises OutOfTransaction outside of one."""
        self._require_transaction()
        self.execute(sql, values)

    def insert(self, table: str, row: Mapping[str, Any]) -> None:
        """Add one row inside the transaction."""
        self._require_transaction()
        self.execute(insert_sql(table, tuple(row)), tuple(row.values()))

    def insert_numbered(self, table: str, row: Mapping[str, Any]) -> int:
        """Add one row inside the transaction; returns the number it was given."""
        self._require_transaction()
        return self.execute(insert_sql(table, tuple(row)) + " RETURNING number", tuple(row.values()))[0][0]

    def insert_many(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        """Add rows inside the transaction, in their order."""
        self._require_transaction()
        if rows:
            self.write_many(table, columns, rows)

    def distinct(self, table: str, column: str) -> list[Any]:
        """The values of an indexed column, ascending; reads no more of the index than it has values."""
        following = f"SELECT {column} FROM {table} WHERE {column} > value ORDER BY {column} LIMIT 1"
        rows = self.rows(
            "WITH RECURSIVE found (value) AS ("
            f" SELECT (SELECT {column} FROM {table} ORDER BY {column} LIMIT 1)"
            f" UNION ALL SELECT ({following}) FROM found WHERE value IS NOT NULL"
            ") SELECT value FROM found WHERE value IS NOT NULL"
        )
        return [value for (value,) in rows]

    @property
    def _is_mine(self) -> bool:
        return self._owner == threading.get_ident()

    def _require_transaction(self) -> None:
        if not self._is_mine:
            raise OutOfTransaction("write inside `with ledger.transaction():`, to be whole or not at all")


@lru_cache(256)
def insert_sql(table: str, columns: tuple[str, ...], rows: int = 1) -> str:
    """The statement that adds so many rows of those columns."""
    marks = f"({', '.join('?' * len(columns))})"
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES {', '.join([marks] * rows)}"
