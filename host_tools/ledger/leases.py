"""The chapter of leases: each table has one bridge at a time, and one that lost its table can write nothing.

A SQLite file is locked whole, so whoever has it has all its tables. Tables in a shared database are held by a
row with a fencing token and a time of expiry, by the database's clock: the holder moves the time on, another
may take the table over when it has passed, and every write about a table first compares the token.
"""

import contextlib
import os
import socket
import threading

from host_tools.ledger.errors import LeaseLost, LedgerInUse, LedgerUnavailable
from host_tools.ledger.store import Store

_RENEWALS = 3  # within one term of a lease


class Leases:
    """The tables that one process holds in a store that others write to, too."""

    def __init__(self, store: Store, term_s: float) -> None:
        self._store = store
        self._term_ms = round(term_s * 1000)
        self._held: dict[str, int] = {}
        self._guard = threading.Lock()
        self._stopped = threading.Event()
        self._keeper: threading.Thread | None = None

    def hold(self, table: str) -> None:
        """Take a table, in a transaction of its own; again is harmless. Raises LedgerInUse."""
        if not self._store.shared or table in self._held:
            return
        owner = f"process {os.getpid()} on {socket.gethostname()}"
        with self._store.transaction():
            token = self._taken(table, owner)
        with self._guard:
            self._held[table] = token
            if self._keeper is None:
                self._keeper = threading.Thread(target=self._keep, name="lease keeper", daemon=True)
                self._keeper.start()

    def holds(self, table: str) -> bool:
        """Whether the table is held, as the newest write or renewal has shown."""
        return not self._store.shared or table in self._held

    def let_go(self, table: str) -> None:
        """Give a table back, so that another bridge need not wait; again is harmless."""
        with self._guard:
            token = self._held.pop(table, None)
        if token is not None:
            with self._store.transaction():
                self._end(table, token)

    def _end(self, table: str, token: int) -> None:
        self._store.write("UPDATE leases SET until_ms = 0 WHERE table_name = ? AND token = ?", (table, token))

    def _taken(self, table: str, owner: str) -> int:
        self._store.write(
            "INSERT INTO leases (table_name, owner, token, until_ms) VALUES (?, ?, 0, 0)"
            " ON CONFLICT (table_name) DO NOTHING",
            (table, owner),
        )
        ((holder, token, left_ms),) = self._store.rows(
            f"SELECT owner, token, until_ms - {self._store.now_ms} FROM leases"
            " WHERE table_name = ? FOR UPDATE",
            (table,),
        )
        if left_ms > 0:
            raise LedgerInUse(
                f"table {table} is in use by {holder}; a table has one bridge at a time: stop that one first"
                f" (if it is dead, its lease ends in {left_ms / 1000:.0f} s)"
            )
        self._store.write(
            "UPDATE leases SET owner = ?, token = ?,"
            f" until_ms = {self._store.now_ms} + ? WHERE table_name = ?",
            (owner, token + 1, self._term_ms, table),
        )
        return token + 1

    def require(self, table: str) -> None:
        """Raise LeaseLost unless this process has the table, and keep others from taking it over until the
        transaction ends."""
        if not self._store.shared:
            return
        token = self._held.get(table)
        if token is None:
            raise LeaseLost(
                f"table {table} is not held by this process, or was taken over; hold it before writing"
            )
        rows = self._store.rows("SELECT token FROM leases WHERE table_name = ? FOR SHARE", (table,))
        if rows != [(token,)]:
            self._lose(table, token)
            raise LeaseLost(f"table {table} was taken over by another bridge; stop this one")

    def renew(self) -> None:
        """Move the end of all leases held on; those lost meanwhile are held no more."""
        with self._guard:
            held = list(self._held.items())
        for table, token in held:
            self._store.write(
                f"UPDATE leases SET until_ms = {self._store.now_ms} + ? WHERE table_name = ? AND token = ?",
                (self._term_ms, table, token),
            )
        newest = dict(self._store.rows("SELECT table_name, token FROM leases"))
        for table, token in held:
            if newest[table] != token:
                self._lose(table, token)

    def _lose(self, table: str, token: int) -> None:
        with self._guard:
            if self._held.get(table) == token:
                del self._held[table]

    def close(self) -> None:
        """Give the tables back, so that another bridge need not wait."""
        self._stopped.set()
        if self._keeper is None:
            return
        self._keeper.join()
        with contextlib.suppress(LedgerUnavailable), self._store.transaction():
            for table, token in self._held.items():
                self._end(table, token)

    def _keep(self) -> None:
        while not self._stopped.wait(self._term_ms / 1000 / _RENEWALS):
            with contextlib.suppress(LedgerUnavailable), self._store.transaction():
                self.renew()
