"""A bench for the bridge: one table on a virtual board whose line and plant can be tampered with.

For scenarios, pins and campaigns, which look below the service. Tables for people and programs, the demo's
too, are run by `host_tools.service`.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from host_tools.bridge.events import DeviceConnected, DeviceLost, DeviceRefused, Event
from host_tools.bridge.examining import Examination
from host_tools.bridge.line import PortLine
from host_tools.bridge.sink import LedgerSink
from host_tools.bridge.table import Table, TableConfig
from host_tools.ledger import Ledger, open_ledger
from host_tools.link import HostSession, SystemClock, Transport
from host_tools.pins.board import BlinkaBoard
from host_tools.pins.second_board.board import WiredBoard
from host_tools.records import Device, Record, Registry, Verifier
from host_tools.settlement import Table as Terms
from host_tools.virtual_board import Scenario, VirtualBoard
from host_tools.virtual_board.dice import Dice

CONNECT_S = 20.0
COVER_S = 30.0
CATCH_UP_S = 30.0
SEEN_MS = 100  # after power-on a board has seen its enclosure by then: well above any board's debouncing
FASTEST = 30.0  # times real time: a board that outran its host would call it lost
PING_S = 1.0  # of the board's time

# A board with a plant around it, which plays scenarios.
PlantBoard = VirtualBoard | BlinkaBoard | WiredBoard


class TableUnusable(Exception):
    """The virtual table cannot be played: its device is silent or refused; the message says what to do."""


class Line:
    """The host's end of the serial line; while `silent`, nothing of what the host says gets out."""

    def __init__(self, open_transport: Callable[[], Awaitable[Transport]]) -> None:
        self.silent = False
        self._open = open_transport

    async def open(self) -> Transport:
        """A Transport, as a session opens it."""
        return _Spoken(self, await self._open())


class _Spoken:
    """A Transport over a Line."""

    def __init__(self, line: Line, transport: Transport) -> None:
        self._line = line
        self._transport = transport
        self.read = transport.read
        self.close = transport.close

    async def write(self, data: bytes) -> None:
        """See Transport."""
        if not self._line.silent:
            await self._transport.write(data)


class VirtualTable:
    """A table and its parts: the ledger `books`, the host's `session`, and `events` from the start on.

    `ports`: paths and patterns of the ports that the board may be on, its own one if there are none.
    `status`: what the device told last.
    """

    session: HostSession
    status: dict[str, Any] | None = None

    def __init__(  # noqa: PLR0913 - what a table is made of
        self,
        board: PlantBoard,
        books: Ledger,
        registry: Registry,
        terms: Terms,
        new_round_id: Callable[[], bytes],
        *,
        ports: Sequence[str] = (),
        examination: Examination | None = None,
    ) -> None:
        clock = SystemClock()
        self.board = board
        self.books = books
        self.registry = registry
        self.line = Line(PortLine(board.identity.device, ports or [board.uart_path], "virtual"))
        self.sink = LedgerSink(books, registry, clock, lambda name: terms.rulebook)
        config = TableConfig("table-1", board.identity.device, terms, examination=examination)
        self.table = Table(config, self.sink, self._new_session, clock, new_round_id)
        self.events = self.table.events()
        self._verifier = Verifier(registry)

    def _new_session(self, on_status: Callable[[dict[str, Any]], None], **callbacks: Any) -> HostSession:
        def hear(status: dict[str, Any]) -> None:
            self.status = status
            on_status(status)

        ping_s = PING_S / max(1.0, self.board.speed or FASTEST)
        self.session = HostSession(self.line.open, self.sink, on_status=hear, ping_s=ping_s, **callbacks)
        return self.session

    @property
    def device(self) -> bytes:
        """The board's device id."""
        return self.board.identity.device

    def records(self, round_id: bytes) -> list[Record]:
        """The round's records in the ledger, verified once more."""
        return [self._verifier.authenticate(stored.raw) for stored in self.books.records_of_round(round_id)]

    async def ready(self) -> None:
        """Wait until the device lets a round open, as far as the scenario's dealer closes the cover."""
        await self.pass_time(SEEN_MS)
        if self.board.plant.scenario.dealer:
            async with asyncio.timeout(COVER_S):
                await self.table.ready()

    async def caught_up(self) -> None:
        """Wait until the ledger has every record that the device has signed so far. Raises TimeoutError."""
        if not self.board.powered:
            return
        asked_us, self.status = self.board.plant.time_us, None
        await self.pass_time(1)
        async with asyncio.timeout(CATCH_UP_S):
            while not self._is_told(asked_us):  # noqa: ASYNC110 - nobody announces it
                await asyncio.sleep(0.002)

    def _is_told(self, asked_us: int) -> bool:
        status = self.status
        if status is None or status["uptime_ms"] < self.board.plant.uptime_ms(asked_us):
            return False
        return self.sink.head(self.device)[0] >= status["last"]

    async def pass_time(self, ms: int) -> None:
        """Wait until so much of the board's own time has passed."""
        await pass_time(self.board, ms)


async def pass_time(board: PlantBoard, ms: int) -> None:
    """Wait until so much of the board's own time has passed."""
    due_us = board.plant.time_us + ms * 1000
    while board.plant.time_us < due_us:  # noqa: ASYNC110 - nobody announces each grant of time
        await asyncio.sleep(0.001)


@asynccontextmanager
async def virtual_table(  # noqa: PLR0913 - what a table is made of
    directory: Path,
    scenario: Scenario,
    terms: Terms,
    *,
    speed: float | None,
    seed: str,
    new_round_id: Callable[[], bytes],
    board_kind: type[PlantBoard] = VirtualBoard,
    dice: Dice | None = None,
) -> AsyncIterator[VirtualTable]:
    """A running table in the empty folder `directory`, playing `scenario`; keys follow from `seed`.

    `dice`, which need a VirtualBoard, take the place of the scenario's recorded scenes. `speed` is the
    board's time by real time, None for as fast as its host can follow. Raises TableUnusable when the device
    does not connect, BoardError when it cannot be made.
    """
    if dice is None:
        new_board = board_kind
        identity = await board_kind.create(directory / "board", seed=seed, profile=scenario.profile)
    else:
        new_board = partial(VirtualBoard, dice=dice)
        identity = await VirtualBoard.create(directory / "board", seed=seed, profile=dice.profile)
    registry = Registry([Device(identity.device, "virtual", identity.public_key, identity.host_key)])
    registry.write_public(directory / "registry.json")
    with open_ledger(directory / "ledger.sqlite") as books:
        async with new_board(directory / "board", scenario, speed=speed or FASTEST, seed=seed) as board:
            virtual = VirtualTable(board, books, registry, terms, new_round_id)
            watch = _Watch(virtual.table.events(), board)
            try:
                async with asyncio.TaskGroup() as link:
                    tasks = [link.create_task(virtual.table.run()), link.create_task(watch.run())]
                    await board.power_on()
                    await watch.connected.wait()
                    yield virtual
                    for task in tasks:
                        task.cancel()
            except BaseExceptionGroup as failures:
                raise failures.exceptions[0] from None


class _Watch:
    """Ends a table whose device is refused, or silent for longer than a restart takes."""

    def __init__(self, words: AsyncIterator[Event], board: PlantBoard) -> None:
        self.connected = asyncio.Event()
        self._words = words
        self._board = board

    async def run(self) -> None:
        """Follow the table's events for ever; raises TableUnusable."""
        while True:
            try:
                async with asyncio.timeout(None if self.connected.is_set() else CONNECT_S):
                    self._hear(await anext(self._words))
            except TimeoutError:
                told = self._board.console.strip() or "(nothing)"
                raise TableUnusable(
                    f"the controller is silent for {CONNECT_S:.0f} s. Start again, which makes a new board;"
                    f" if it stays silent, its console says why:\n{told}"
                ) from None

    def _hear(self, event: Event) -> None:
        if isinstance(event, DeviceConnected):
            self.connected.set()
        elif isinstance(event, DeviceLost):
            self.connected.clear()
        elif isinstance(event, DeviceRefused):
            raise TableUnusable(
                f"the device is refused: {event.reason}. Keep its folder as evidence and start with a new one"
            )
