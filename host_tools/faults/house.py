"""The host of a simulated table: ledger, session and bridge as they are, killed at any statement or await.

A killed host leaves what a dead process leaves: the database file and its log as they are at that moment,
copied before anything is tidied up. The next host opens that copy.
"""

import asyncio
import shutil
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from host_tools.bridge.sink import LedgerSink
from host_tools.bridge.table import Table, TableConfig
from host_tools.faults.device import PromiseBroken
from host_tools.faults.line import Cable
from host_tools.faults.virtual_time import VirtualClock
from host_tools.ledger import LedgerUnavailable
from host_tools.ledger.ledger import Ledger
from host_tools.ledger.sqlite import SqliteStore
from host_tools.ledger.store import Row
from host_tools.link import HostSession, Transport, identity
from host_tools.records import Device, Registry
from host_tools.rulebooks import load_rulebook
from host_tools.settlement import open_table

T = TypeVar("T")

TABLE = "table 1"
TERMS = {
    "covered": open_table(load_rulebook("mbs-electronic-sic-bo-v4"), "rapid-select", chip_unit="1"),
    "open": open_table(load_rulebook("rws-sic-bo-open-cover-2021"), "pay-table-1", chip_unit="1"),
}
_COMMIT_S = 0.02


class HostKilled(BaseException):
    """The host's process dies at this statement."""


class _Store(SqliteStore):
    """The SQLite back end; each statement that writes passes `before`, which may raise."""

    def __init__(self, path: Path, before: Callable[[str], None]) -> None:
        self._before = before
        super().__init__(path)

    def execute(self, sql: str, values: Sequence[Any] = ()) -> list[Row]:
        self._before(sql)
        return super().execute(sql, values)

    def write_many(self, table: str, columns: Sequence[str], rows: Sequence[Row]) -> None:
        self._before(f"INSERT INTO {table}")
        super().write_many(table, columns, rows)


class _Books(Ledger):
    """A ledger whose commits take virtual time in place of a thread's."""

    def __init__(self, store: _Store, rng: Random) -> None:
        super().__init__(store)
        self._rng = rng

    async def durably(self, work: Callable[[], T]) -> T:
        """See Ledger."""
        await asyncio.sleep(self._rng.uniform(0, _COMMIT_S))
        with self.transaction():
            result = work()
        await asyncio.sleep(self._rng.uniform(0, _COMMIT_S))
        return result


class House:
    """One life of the host's process on the ledger in `folder`; `dead` is set when it was killed.

    `killed_in`: statements until it is killed; `store_away`: until then nothing can be written.
    """

    def __init__(  # noqa: PLR0913, PLR0917 - what a host is started with
        self, folder: Path, device: Device, mode: str, cable: Cable, clock: VirtualClock, rng: Random
    ) -> None:
        self.folder = folder
        self.mode = mode
        self.dead = asyncio.Event()
        self.killed_in: int | None = None
        self.store_away = 0.0
        self.books: Ledger = _Books(_Store(folder / "ledger.db", self._before), rng)
        self.sink = LedgerSink(self.books, Registry([device]), clock)
        self._device = device
        self._cable = cable
        self._clock = clock
        self._rng = rng
        self._tasks: list[asyncio.Task[None]] = []
        self.table = Table(
            TableConfig(TABLE, device.id, TERMS[mode]),
            self.sink,
            self._new_session,
            clock,
            self._new_round_id,
        )

    def _new_session(self, **callbacks: Any) -> HostSession:
        self.session = HostSession(
            self._open, self.sink, self._clock, new_greeting=self._new_greeting, **callbacks
        )
        return self.session

    def _new_greeting(self) -> int:
        return self._rng.randrange(1, 1 << 32)

    def _new_round_id(self) -> bytes:
        return self._rng.randbytes(16)

    async def _open(self) -> Transport:
        """Find the device on whatever port it is now."""
        ports = [self._cable.pattern]
        return await identity.open_by_identity(self._device.id, ports, new_greeting=self._new_greeting)

    # --- life and death

    async def live(self, play: Callable[["House"], Coroutine[Any, Any, None]]) -> None:
        """Run the table and `play` until killed, or until `play` returns; raises what went wrong."""
        waiting = asyncio.create_task(self._wait_dead())
        self._tasks = [asyncio.create_task(self.table.run()), asyncio.create_task(play(self))]
        try:
            done, _ = await asyncio.wait([waiting, *self._tasks], return_when=asyncio.FIRST_COMPLETED)
            if not self.dead.is_set():
                for task in done:
                    task.result()
                if self._tasks[0] in done:
                    raise PromiseBroken("the table's run has ended by itself")
        finally:
            for task in (waiting, *self._tasks):
                task.cancel()
            await asyncio.gather(waiting, *self._tasks, return_exceptions=True)
            self._cable.let_go()
            self.books.close()
            if self.dead.is_set():
                shutil.rmtree(self.folder)

    async def _wait_dead(self) -> None:
        await self.dead.wait()

    def kill(self) -> Path:
        """The process is dead now; returns the folder of the next one."""
        if not self.dead.is_set():
            self.next_folder.mkdir()
            for name in ("ledger.db", "ledger.db-wal"):
                if (self.folder / name).exists():
                    shutil.copyfile(self.folder / name, self.next_folder / name)
            self._cable.let_go()
            self.dead.set()
        return self.next_folder

    @property
    def next_folder(self) -> Path:
        """Where the next life's ledger is."""
        return self.folder.with_name(f"{int(self.folder.name) + 1}")

    def _before(self, sql: str) -> None:
        """Each statement that writes passes here before it is run."""
        if self.killed_in is not None:
            self.killed_in -= 1
            if self.killed_in <= 0:
                self.killed_in = None
                self.kill()
        if self.dead.is_set():
            raise HostKilled(sql)
        if self.store_away and self._clock.now() < self.store_away and sql != "ROLLBACK":
            raise LedgerUnavailable("database or disk is full")
