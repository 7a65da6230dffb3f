"""The service in one process: its ledger, its tables, its people and the stream of what happens.

`playing`, `deciding` and `auditing` are the doors into it: each is for one person or program, asks whether
the role includes the deed, and logs what changed. The HTTP API goes through the same doors.
"""

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Iterable
from contextlib import AsyncExitStack
from functools import partial
from typing import Self

from argon2 import PasswordHasher

from host_tools import link
from host_tools.bridge.by import By, note
from host_tools.ledger import Ledger, open_ledger
from host_tools.outbox.mqtt import FanOut
from host_tools.people import Accounts, Sessions
from host_tools.records import Record, Registry, Verifier
from host_tools.rulebooks import Rulebook, load_rulebook
from host_tools.service.actions import Proposals
from host_tools.service.config import ServiceConfig, TableSettings
from host_tools.service.configured import note_configuration
from host_tools.service.devices import Tumbler, make_tumbler
from host_tools.service.errors import EvidenceMissing, RulesForbid, TableUnknown
from host_tools.service.metrics import Metrics, TimedSink, Waiting
from host_tools.service.running import RunningTable
from host_tools.service.running_cards import RunningCards
from host_tools.service.stream import Stream
from host_tools.service.views import EventView

MakeTumbler = Callable[[TableSettings], Awaitable[Tumbler]]

START = By("service", "its configuration")

_log = logging.getLogger(__name__)


class Service:
    """An async context manager: inside, the tables run. Raises LedgerError and BoardError at start."""

    books: Ledger
    accounts: Accounts
    sessions: Sessions
    stream: Stream
    registry: Registry

    def __init__(
        self,
        config: ServiceConfig,
        clock: link.Clock,
        *,
        make: MakeTumbler | None = None,
        hasher: PasswordHasher | None = None,
        new_id: Callable[[], bytes] = lambda: secrets.token_bytes(16),
    ) -> None:
        """`new_id` gives 16 fresh random bytes, `make` a table's tumbler (by default as it is configured),
        `hasher` hashes passwords (by default as argon2 recommends)."""
        self._hasher = hasher
        self.config = config
        self.clock = clock
        self.new_id = new_id
        self.tables: dict[str, RunningTable | RunningCards] = {}
        self.proposals = Proposals(clock.now, config.proposal_s)
        self.metrics = Metrics(clock.now)
        self._fan_out: FanOut | None = None
        self._make = make or (lambda settings: make_tumbler(settings, config.state))

        self._running = AsyncExitStack()
        self._tasks: list[asyncio.Task[None]] = []
        self._wound_down = False

    async def __aenter__(self) -> Self:
        try:
            await self._start()
        except BaseException:
            await self._running.aclose()
            raise
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.stop()

    async def _start(self) -> None:
        config = self.config
        tumblers = [await self._make(each) for each in config.tables]
        self.registry = _registry(config, tumblers)
        self.books = self._running.enter_context(open_ledger(config.ledger))
        self.accounts = Accounts(self.books, self.clock.wall_ms, hasher=self._hasher)
        self.sessions = Sessions(self.accounts, self.clock.now)
        sink = TimedSink(self.books, self.registry, self.clock, self.find_rulebook)
        sink.observe = self.metrics.committed
        self.verifier = Verifier(self.registry)
        self.stream = Stream(self.books, [each.name for each in (*config.tables, *config.cards)])
        for settings, tumbler in zip(config.tables, tumblers, strict=True):
            table = RunningTable(settings, tumbler, sink, self.clock, self.stream, self.new_id)
            self.tables[settings.name] = table
            self._running.push_async_callback(tumbler.stop)
            if not table.elsewhere:
                await tumbler.start()
        for cards in config.cards:
            self.tables[cards.name] = RunningCards(
                cards, self.books, self.clock, self.stream, self.find_rulebook, self.new_id
            )
        configured = (*config.tables, *config.cards)
        await self.books.durably(
            lambda: note_configuration(self.books, configured, START, self.clock.wall_ms())
        )
        for each in self.tables.values():
            each.observe = partial(self.metrics.count, each.name)
            self._tasks.append(asyncio.create_task(each.run()))
        if config.mqtt is not None:
            self._fan_out = FanOut(
                self.books, lambda: filter(self.books.holds, list(self.tables)), config.mqtt
            )
            self._tasks.append(asyncio.create_task(self._fan_out.run()))

    async def wind_down(self) -> None:
        """Open no round any more, and let those that go on end while people and programs can still act;
        what is open to doubt after the grace is void."""
        self._wound_down = True
        finishing = [each.finish(self.config.grace_s) for each in self.tables.values()]
        _log_failures(await asyncio.gather(*finishing, return_exceptions=True))

    def hurry(self) -> None:
        """End the grace of `wind_down` now."""
        for each in self.tables.values():
            each.hurry()

    async def stop(self) -> None:
        """Wind down, unless that is done, and take everything down; again is harmless."""
        if not self._wound_down:
            await self.wind_down()
        if self._tasks:
            self.stream.close()
        for task in self._tasks:
            task.cancel()
        _log_failures(await asyncio.gather(*self._tasks, return_exceptions=True))
        self._tasks = []
        self.tables = {}
        await self._running.aclose()

    def figures(self) -> bytes:
        """All figures for Prometheus, in its text format."""
        mqtt = self._fan_out
        waiting = Waiting(
            proposals=len(self.proposals.waiting()),
            readers=self.stream.readers,
            sequence=self.stream.newest,
            mqtt_sent=mqtt.sent if mqtt else 0,
            mqtt_failures=mqtt.failures if mqtt else 0,
        )
        return self.metrics.text(list(self.tables.values()), waiting)

    def table(self, name: str) -> RunningTable | RunningCards:
        """The table of that name; raises TableUnknown."""
        if name not in self.tables:
            raise TableUnknown(f"there is no table {name!r} here")
        return self.tables[name]

    def dice_table(self, name: str) -> RunningTable:
        """The table of that name with its tumbler; raises TableUnknown, RulesForbid at a table of cards."""
        found = self.table(name)
        if isinstance(found, RunningCards):
            raise RulesForbid(f"table {name} is played with cards; it has no tumbler")
        return found

    def cards_table(self, name: str) -> RunningCards:
        """The table of that name with its shoe; raises TableUnknown, RulesForbid at a table of dice."""
        found = self.table(name)
        if isinstance(found, RunningTable):
            raise RulesForbid(f"table {name} is played with dice; it has no shoe")
        return found

    def find_rulebook(self, name: str) -> Rulebook:
        """The rulebook of a round: an operator's own as a table here has it, or a built-in one."""
        for settings in (*self.config.tables, *self.config.cards):
            if settings.terms.rulebook.id == name:
                return settings.terms.rulebook
        return load_rulebook(name)

    def records_of(self, round_id: bytes) -> list[Record]:
        """The round's records in the ledger, verified once more."""
        return [self.verifier.authenticate(each.raw) for each in self.books.records_of_round(round_id)]

    def frames_of(self, round_id: bytes) -> bytes:
        """The SHA-256 of the frames of the round's reading. Raises EvidenceMissing."""
        for record in reversed(self.records_of(round_id)):
            if "frames" in record.fields:
                return record.fields["frames"]
        raise EvidenceMissing("no record of this round names any pictures")

    def names_frames(self, round_id: bytes, digest: str) -> bool:
        """Whether a record of the round names frames of that SHA-256, in hex."""
        return any(each.fields.get("frames", b"").hex() == digest for each in self.records_of(round_id))

    def tell(self, kind: str, table: str = "", round_id: bytes | None = None) -> None:
        """A hint to all who follow."""
        hexed = round_id.hex() if round_id else None
        self.stream.hint(EventView(None, table, kind, hexed, self.clock.wall_ms(), {}))

    async def log(self, table: str, by: By, action: str) -> None:
        """Note in a table's access log, durably, what changes nothing in the ledger, as a proposal."""
        now_ms = self.clock.wall_ms()
        await self.books.durably(lambda: note(self.books, table, by, action, {}, {}, now_ms))


def _log_failures(ended: Iterable[object]) -> None:
    for each in ended:
        if isinstance(each, Exception):
            _log.error("a part of the service failed: %s", each, exc_info=each)


def _registry(config: ServiceConfig, tumblers: list[Tumbler]) -> Registry:
    """Registered devices, and the virtual ones that the service has made."""
    known = Registry.open(config.registry).devices() if config.registry else []
    made = [each.registered for each in tumblers if each.registered is not None]
    return Registry([*known, *made])
