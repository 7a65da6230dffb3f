"""A whole table on a virtual board: firmware, registry, ledger, session and bridge, put together."""

import asyncio
import functools
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from host_tools.bridge.events import DeviceConnected, DeviceRefused, Event
from host_tools.bridge.sink import LedgerSink
from host_tools.bridge.table import Table, TableConfig
from host_tools.ledger import Ledger
from host_tools.link import HostSession, SystemClock, open_serial
from host_tools.records import Device, Record, Registry, Verifier
from host_tools.settlement import Table as Terms
from host_tools.virtual_board import Scenario, VirtualBoard

CONNECT_S = 30.0
COVER_S = 30.0
FAST_PING_S = 0.05  # a board that runs as fast as it goes lives seconds in that time

Progress = Callable[[str], None]


class TableUnusable(Exception):
    """The virtual table cannot be played: its device is silent or refused; the message says what to do."""


@dataclass(frozen=True, slots=True)
class RoundFacts:
    """What the signed records of a round say: how many strokes, the dice's tilts in tenths of a degree."""

    strokes: int
    tilts: tuple[int, ...]


class VirtualTable:
    """A running table: `board`, `books` (the ledger), `registry`, `table`; `events` from the start."""

    def __init__(
        self, board: VirtualBoard, books: Ledger, registry: Registry, sink: LedgerSink, table: Table
    ) -> None:
        self.board = board
        self.books = books
        self.registry = registry
        self.table = table
        self.events = table.events()
        self._sink = sink
        self._verifier = Verifier(registry)

    @property
    def device(self) -> bytes:
        """The board's device id."""
        return self.table.config.device

    def head(self) -> tuple[int, bytes]:
        """Sequence and digest of the newest record in the ledger."""
        return self._sink.head(self.device)

    def records(self, round_id: bytes) -> list[Record]:
        """The round's records in the ledger, verified again."""
        return [self._verifier.authenticate(stored.raw) for stored in self.books.records_of_round(round_id)]

    def facts(self, round_id: bytes) -> RoundFacts:
        """Strokes and tilts of a round; none where no record has them."""
        fields = [record.fields for record in self.records(round_id)]
        strokes = max((len(each.get("strokes", ())) for each in fields), default=0)
        tilts = next((tuple(each["tilts"]) for each in fields if "tilts" in each), ())
        return RoundFacts(strokes, tilts)

    async def ready(self) -> None:
        """Wait until the dealer has closed the cover, without which no covered round opens."""
        if self.board.plant.scenario.mode != "covered":
            return
        async with asyncio.timeout(COVER_S):
            while not self.board.plant.levels["cover-closed"]:
                await self.board.happens("cover-closed")


@asynccontextmanager
async def virtual_table(  # noqa: PLR0913 - what a table is made of
    directory: Path,
    scenario: Scenario,
    terms: Terms,
    *,
    speed: float | None,
    seed: str,
    new_round_id: Callable[[], bytes],
    progress: Progress = lambda text: None,
) -> AsyncIterator[VirtualTable]:
    """A table in `directory`, which must be empty, playing `scenario`; keys follow from `seed`.

    `speed` is the board's time by real time, None for as fast as it goes. Raises TableUnusable when the
    device does not connect, BoardError when it cannot be made.
    """
    progress("Compiling the firmware and making a board with new keys ...")
    identity = await VirtualBoard.create(directory / "board", seed=seed)
    registry = Registry([Device(identity.device, "virtual", identity.public_key, identity.host_key)])
    clock = SystemClock()
    with Ledger(directory / "ledger.sqlite") as books:
        sink = LedgerSink(books, registry, clock)
        async with VirtualBoard(directory / "board", scenario, speed=speed, seed=seed) as board:
            new_session = functools.partial(
                HostSession,
                functools.partial(open_serial, board.uart_path),
                sink,
                clock,
                ping_s=1.0 if speed else FAST_PING_S,
            )
            table = Table(
                TableConfig("table-1", identity.device, terms), sink, new_session, clock, new_round_id
            )
            virtual = VirtualTable(board, books, registry, sink, table)
            progress("Starting the controller ...")
            running = asyncio.create_task(table.run())
            try:
                events = table.events()
                await board.power_on()
                await _connected(events, running, board)
                yield virtual
            finally:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)


async def _connected(events: AsyncIterator[Event], running: asyncio.Task[None], board: VirtualBoard) -> None:
    """Wait until the device is there; raises TableUnusable, or what ended the link."""
    waiting = asyncio.ensure_future(_first_word(events))
    try:
        await asyncio.wait({waiting, running}, timeout=CONNECT_S, return_when=asyncio.FIRST_COMPLETED)
        if running.done():
            running.result()
        if not waiting.done():
            told = board.console or "(nothing)"
            raise TableUnusable(f"the controller is silent for {CONNECT_S:.0f} s; its console says:\n{told}")
        waiting.result()
    finally:
        waiting.cancel()


async def _first_word(events: AsyncIterator[Event]) -> None:
    async for event in events:
        if isinstance(event, DeviceConnected):
            return
        if isinstance(event, DeviceRefused):
            raise TableUnusable(f"the device is refused: {event.reason}")
