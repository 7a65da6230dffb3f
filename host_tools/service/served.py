"""What tables of dice and of cards share: who has the table, the time of its bets, what is told of it.

A table that another service has, or that cannot run, is tried again until it runs here: nobody starts it.
"""

import asyncio
import contextlib
import logging
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from typing import Any, Generic, Protocol, TypeVar

from host_tools import ledger, link
from host_tools.bridge import events as happenings
from host_tools.bridge.by import By
from host_tools.bridge.errors import WrongStep
from host_tools.ledger import LeaseLost, Ledger, LedgerError, LedgerInUse, LedgerUnavailable
from host_tools.link.clock import done_by
from host_tools.service.config import CardsSettings, TableSettings
from host_tools.service.errors import NotNow, RoundNotHere
from host_tools.service.stream import Stream
from host_tools.service.views import EventView

PAUSE_S = 1.0  # before what failed is tried again
ELSEWHERE_S = 2.0  # between two tries to have a table that another service has, or that stands still

SERVICE = By("service", "its clock")  # what it does when the time has come

_ENDED = (happenings.RoundSettled, happenings.RoundVoid, happenings.RoundReferred, happenings.RoundCorrected)

_log = logging.getLogger(__name__)


class Follows(Protocol):
    """A table of the bridge, as far as it tells what happens."""

    def events(self) -> AsyncIterator[happenings.Event]:
        """What happens from now on."""
        ...


B = TypeVar("B", bound=Follows)


class ServedTable(ABC, Generic[B]):
    """One table of the service. `elsewhere` says who else has it, until this service takes it over, and
    `failure` why it stands still meanwhile otherwise; `observe` is called with each event."""

    def __init__(
        self, settings: TableSettings | CardsSettings, books: Ledger, clock: link.Clock, stream: Stream
    ) -> None:
        self.name = settings.name
        self.failure = ""
        self.elsewhere = ""
        self.observe: Callable[[happenings.Event], None] = lambda _event: None
        self._betting_s = settings.betting_s
        self._between_s = settings.between_s
        self._books = books
        self._clock = clock
        self._stream = stream
        self._stopping = False
        self._hurried = False
        self._changed = asyncio.Event()
        self._betting: tuple[bytes, float] | None = None  # a round and when its bets close
        self._opens_at = 0.0
        self._table: B | None = None

    @property
    def table(self) -> B:
        """The bridge's table. Raises NotNow while it does not run here."""
        if self._table is None:
            raise NotNow(self.elsewhere or self.failure)
        return self._table

    # --- what a kind of table adds ---

    @abstractmethod
    def _make_table(self) -> B:
        """The bridge's table, which then is this process's. Raises LedgerInUse."""

    @abstractmethod
    async def _prepare(self) -> None:
        """Make ready what the table needs before it comes over, or once more after it stood still."""

    @abstractmethod
    def _parts(self) -> Sequence[Coroutine[Any, Any, None]]:
        """What runs as long as the table does."""

    @abstractmethod
    async def _close_bets(self, round_id: bytes) -> None:
        """Close a round's bets, whose time is over. Raises WrongStep when they are closed."""

    # --- what is so now ---

    @property
    def quarantine(self) -> str:
        """Why the table does not run here; empty when all is well."""
        return self.failure or self.elsewhere

    @property
    def current(self) -> ledger.Round | None:
        """The round that goes on, or None."""
        return self._books.current_round(self.name)

    @property
    def latest(self) -> ledger.Round | None:
        """The newest round, or None before the first."""
        return self._books.latest_round(self.name)

    @property
    def referred(self) -> list[ledger.Round]:
        """Every round that waits for the shift manager, its wagers frozen, the oldest first."""
        return self._books.referred_rounds(self.name)

    @property
    def bets_close_ms(self) -> int | None:
        """When bets close by themselves, Unix ms."""
        return self._wall(self._betting[1]) if self._betting else None

    @property
    def opens_ms(self) -> int | None:
        """When the next round may open, Unix ms; None when it may."""
        return self._wall(self._opens_at) if self._opens_at > self._clock.now() else None

    def round(self, round_id: bytes) -> ledger.Round:
        """The round of that id at this table. Raises RoundNotHere."""
        found = self._books.find_round(round_id)
        if found is None or found.table != self.name:
            raise RoundNotHere(f"table {self.name} has no round {round_id.hex()}")
        return found

    async def bets_closed_in_time(self) -> None:
        """Close bets whose time is over before anything else is done with them: late is late."""
        if self._betting and self._clock.now() >= self._betting[1]:
            with contextlib.suppress(WrongStep):  # they are closed, or the round is over
                await self._close_bets(self._betting[0])

    @property
    def _opens_none(self) -> bool:
        """Whether no round may open now, whatever else is so."""
        return self._stopping or self.opens_ms is not None

    def _require_may_open(self) -> None:
        if self._stopping:
            raise NotNow("the service stops; no round opens")
        if self.opens_ms is not None:
            raise NotNow(f"the next round may open in {self._opens_at - self._clock.now():.1f} s")

    # --- running ---

    def _open_no_more(self) -> None:
        """A stop begins: no round opens any more, and displays say so."""
        self._stopping = True
        self._hint("table-changed", None, {})

    def hurry(self) -> None:
        """Wait for no round's end any more in `finish`."""
        self._hurried = True

    def _is_over(self, until: float) -> bool:
        """Whether the grace of a stop has ended."""
        return self._hurried or self._clock.now() >= until

    async def run(self) -> None:
        """Run until cancelled. What stops the table is told and tried again; other tables go on."""
        while True:
            try:
                await self._come_over()
                async with asyncio.TaskGroup() as parts:
                    for part in (*self._parts(), self._follow(), self._keep_hold()):
                        parts.create_task(part)
            except Exception as failure:  # one table's trouble must not be another's
                await self._stand_still(failure)
            await self._clock.sleep(ELSEWHERE_S)

    def _take_table(self) -> None:
        """Have the table, unless another service does."""
        try:
            table = self._make_table()
        except LedgerInUse as error:
            self.elsewhere = str(error)
            return
        self._happenings = table.events()
        self._table, self.elsewhere, self.failure = table, "", ""

    async def _come_over(self) -> None:
        """Wait for a table that does not run here, and tell of what happens there meanwhile."""
        while self._table is None:
            try:
                self._stream.catch_up()
                await asyncio.to_thread(self._books.hold, self.name)
            except LedgerInUse as error:
                self.elsewhere, self.failure = str(error), ""
            except LedgerUnavailable:
                pass
            else:
                await self._prepare()
                self._take_table()
                _log.warning("table %s: runs here now", self.name)
                self._hint("table-changed", None, {})
                continue
            await self._clock.sleep(ELSEWHERE_S)

    async def _stand_still(self, failure: Exception) -> None:
        """Have the table no more, so that another service may, and say why."""
        cause = failure.exceptions[0] if isinstance(failure, ExceptionGroup) else failure
        self._table = None
        self.failure = f"the table stands still and is tried again: {cause}"
        _log.error("table %s: %s", self.name, self.failure, exc_info=failure)
        with contextlib.suppress(LedgerError):
            await asyncio.to_thread(self._books.let_go, self.name)
        self._hint("table-changed", None, {})

    async def _keep_hold(self) -> None:
        """Notice when another service has taken the table over: nothing can be written about it any more."""
        while self._books.holds(self.name):
            await self._clock.sleep(ELSEWHERE_S)
        raise LeaseLost("another service has taken the table over")

    async def _follow(self) -> None:
        async for event in self._happenings:
            self._take_in(event)
            self.observe(event)
            if isinstance(event, _ENDED):
                self._end(event.round, corrected=isinstance(event, happenings.RoundCorrected))
            if isinstance(event, happenings.DURABLE):
                self._stream.catch_up()
            elif not isinstance(event, happenings.RecordCommitted):  # these come too often to be told
                self._tell(event)
            self._changed.set()

    def _take_in(self, event: happenings.Event) -> None:
        """Act on what happened, before it is told."""
        match event:
            case happenings.BetsOpen(round=round_id):
                self._begin_betting(round_id)
            case happenings.BetsClosed():
                self._betting = None
            case _:
                pass

    def _begin_betting(self, round_id: bytes) -> None:
        begun = self._betting is not None and self._betting[0] == round_id
        if self._betting_s and not begun:
            self._betting = (round_id, self._clock.now() + self._betting_s)

    def _end(self, round_id: bytes, *, corrected: bool) -> None:
        """A round has ended, or what was decided about an older one is durable."""
        if self._betting and self._betting[0] == round_id:
            self._betting = None
        latest = self.latest
        if latest is not None and latest.id == round_id and not corrected:
            self._opens_at = self._clock.now() + self._between_s

    def _next_deadline(self, now: float) -> float | None:
        """When something is due that was not due `now`."""
        due = [self._opens_at, self._betting[1] if self._betting else now]
        return min((each for each in due if each > now), default=None)

    async def _changed_by(self, deadline: float | None) -> None:
        waiting = asyncio.ensure_future(self._changed.wait())
        try:
            await done_by(self._clock, waiting, deadline)
        finally:
            waiting.cancel()

    # --- what is told ---

    def _tell(self, event: happenings.Event) -> None:
        round_id = getattr(event, "round", None)
        body = happenings.body_of(event)
        self._hint(happenings.kind_of(event), round_id.hex() if round_id else None, body)

    def _hint(self, kind: str, round_id: str | None, body: dict[str, object]) -> None:
        self._stream.hint(EventView(None, self.name, kind, round_id, self._clock.wall_ms(), body))

    def _wall(self, at: float) -> int:
        return self._clock.wall_ms() + round(1000 * (at - self._clock.now()))
