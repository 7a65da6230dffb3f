"""The ledger whole: opened by path or URL, written in transactions, checked, closed."""

import asyncio
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from host_tools.ledger.access import AccessLog, access_findings, account_findings
from host_tools.ledger.checks import RECENT, findings
from host_tools.ledger.errors import LedgerDamaged
from host_tools.ledger.leases import Leases
from host_tools.ledger.postgres import PostgresStore
from host_tools.ledger.shoes import card_findings
from host_tools.ledger.signatures import signature_findings
from host_tools.ledger.sqlite import SqliteStore
from host_tools.ledger.store import Store
from host_tools.ledger.writer import Writer

LEASE_S = 15.0

T = TypeVar("T")

_POSTGRES = ("postgresql://", "postgres://")


def open_ledger(where: Path | str, *, read_only: bool = False, lease_s: float = LEASE_S) -> "Ledger":
    """The ledger in the SQLite file of that path, made if there is none, or in the PostgreSQL of that URL.

    `read_only` is for auditors: it changes nothing and may be used while a table runs. `lease_s` is how long
    a bridge that died keeps its tables in PostgreSQL. Raises SqliteTooOld, LedgerUnusable or LedgerInUse.
    """
    if is_url(where):
        return Ledger(PostgresStore(str(where), read_only=read_only), lease_s)
    return Ledger(SqliteStore(Path(where), read_only=read_only))


def is_url(where: Path | str) -> bool:
    """Whether a ledger is in a PostgreSQL database, not in a file."""
    return isinstance(where, str) and where.startswith(_POSTGRES)


class Ledger(AccessLog):
    """Devices, records, rounds, wagers, settlements, postings and notices, whatever they are kept in.

    A write is done either inside `with ledger.transaction():` or by `await ledger.durably(work)`; it is on
    disk when that ends, and undone whole when it raises. Reads see what is committed.
    """

    def __init__(self, store: Store, lease_s: float = LEASE_S) -> None:
        super().__init__(store, Leases(store, lease_s))
        self._writer = Writer(store)

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Finish the work that waits, close the store and let another process have it."""
        self._writer.close()
        self.leases.close()
        self.store.close()

    def transaction(self) -> AbstractContextManager[None]:
        """All writes in the block, or none; durable when it ends. It blocks: for programs without a loop."""
        return self.store.transaction()

    async def durably(self, work: Callable[[], T]) -> T:
        """Do `work`, which calls this ledger, whole or not at all; its result once that is durable.

        It runs in the writer's thread, where several pieces of work may share one commit; an error of `work`
        undoes it alone. Raises LedgerUnavailable when the store cannot be written: nothing is acknowledged.
        """
        return await asyncio.wrap_future(self._writer.submit(work))

    def hold(self, table: str) -> None:
        """Take a table for this process, before the first write about it, in a transaction of its own.

        Raises LedgerInUse while another bridge has it. A SQLite file has one owner: all its tables are held.
        """
        self.leases.hold(table)

    def holds(self, table: str) -> bool:
        """Whether this process has the table still, as far as it knows."""
        return self.leases.holds(table)

    def let_go(self, table: str) -> None:
        """Give a table back, in a transaction of its own: another bridge may have it at once."""
        self.leases.let_go(table)

    def check(self) -> None:
        """Raise LedgerDamaged when the newest records, entries or rounds, or any table's balance, do not add
        up; takes bounded time however old the ledger is."""
        with self.store.snapshot():
            found = [
                *findings(self, RECENT),
                *card_findings(self, RECENT),
                *access_findings(self, RECENT),
            ]
        if found:
            raise LedgerDamaged(found)

    def check_everything(self) -> None:
        """Raise LedgerDamaged unless every record, entry, sum and access adds up; reads the whole ledger."""
        with self.store.snapshot():
            found = [
                *findings(self, None),
                *card_findings(self, None),
                *signature_findings(self),
                *access_findings(self, None),
                *account_findings(self),
            ]
        if found:
            raise LedgerDamaged(found)
