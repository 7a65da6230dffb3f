"""A table of cards as it runs: its pace, and what comes next.

It has no line and nothing to recover: whatever is so stands in the ledger, and a start goes on where the last
run stopped, with bets still open or cards half drawn.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import TypeVar

from host_tools import ledger, link
from host_tools.bridge import events as happenings
from host_tools.bridge.by import By
from host_tools.bridge.errors import BridgeError, WrongStep
from host_tools.bridge.terms import FindRulebook
from host_tools.cards.shoe import DRAW
from host_tools.cards.table import CardsConfig, CardsTable
from host_tools.ledger import Ledger, LedgerError, LedgerInUse, LedgerUnavailable
from host_tools.link.clock import done_by
from host_tools.service.config import CardsSettings
from host_tools.service.errors import NotNow, RoundNotHere
from host_tools.service.running import ELSEWHERE_S, ENDED, PAUSE_S, SERVICE
from host_tools.service.stream import Stream
from host_tools.service.views import EventView

T = TypeVar("T")
_log = logging.getLogger(__name__)


class RunningCards:
    """One table of cards of the service. `failure` says why it runs no more, where it does not; `elsewhere`
    who else has it, until this service takes it over."""

    def __init__(  # noqa: PLR0913, PLR0917 - what a table is made of
        self,
        settings: CardsSettings,
        books: Ledger,
        clock: link.Clock,
        stream: Stream,
        find_rulebook: FindRulebook,
        new_id: Callable[[], bytes],
    ) -> None:
        self.settings = settings
        self.name = settings.name
        self.failure = ""
        self.elsewhere = ""
        self.taken = asyncio.Event()
        self._books = books
        self._clock = clock
        self._stream = stream
        self._find_rulebook = find_rulebook
        self._new_id = new_id
        self._stopping = False
        self._changed = asyncio.Event()
        self._betting: tuple[bytes, float] | None = None  # a round and when its bets close
        self._opens_at = 0.0
        self._table: CardsTable | None = None
        self._take_table()

    @property
    def table(self) -> CardsTable:
        """The table itself. Raises NotNow while another service has it."""
        if self._table is None:
            raise NotNow(self.elsewhere)
        return self._table

    def _take_table(self) -> None:
        """Have the table, unless another service does; open bets are so again for their whole time."""
        config = CardsConfig(self.name, self.settings.terms, self.settings.decks)
        try:
            table = CardsTable(config, self._books, self._clock, self._find_rulebook, self._new_id)
        except LedgerInUse as error:
            self.elsewhere = str(error)
            return
        self._table, self.elsewhere = table, ""
        self._happenings = table.events()
        current = self.current
        if current is not None and current.state == "betting":
            self._begin_betting(current.id)
        self.taken.set()

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
    def bets_close_ms(self) -> int | None:
        """When bets close by themselves, Unix ms."""
        return self._wall(self._betting[1]) if self._betting else None

    @property
    def opens_ms(self) -> int | None:
        """When the next round may open, Unix ms; None when it may."""
        return self._wall(self._opens_at) if self._opens_at > self._clock.now() else None

    @property
    def step(self) -> str:
        """What comes next, one of steps.STEPS and steps.CARD_STEPS."""
        if self.quarantine:
            return "quarantined"
        latest = self.latest
        state = latest.state if latest else ""
        if latest is not None and state == "closed":
            drawn = len(self._books.cards_of_round(latest.id))
            return "announce" if drawn == DRAW else "draw-cards"
        if state in ("betting", "referred"):
            return "place-bets" if state == "betting" else "decide"
        if self.table.unfit:
            return "load-shoe"
        return "wait" if self.opens_ms is not None else "open-round"

    def round(self, round_id: bytes) -> ledger.Round:
        """The round of that id at this table. Raises RoundNotHere."""
        found = self._books.find_round(round_id)
        if found is None or found.table != self.name:
            raise RoundNotHere(f"table {self.name} has no round {round_id.hex()}")
        return found

    # --- steps ---

    async def open_round(self, by: By) -> bytes:
        """Open a round with bets open; its id."""
        if self._stopping:
            raise NotNow("the service stops; no round opens")
        if self.opens_ms is not None:
            raise NotNow(f"the next round may open in {self._opens_at - self._clock.now():.1f} s")
        round_id = await self.take(lambda: self.table.open_round(by))
        self._begin_betting(round_id)
        return round_id

    async def no_more_bets(self, round_id: bytes, by: By) -> None:
        """Close the round's bets."""
        await self.take(lambda: self.table.no_more_bets(round_id, by))

    async def bets_closed_in_time(self) -> None:
        """Close bets whose time is over before anything else is done with them: late is late."""
        if self._betting and self._clock.now() >= self._betting[1]:
            with contextlib.suppress(WrongStep):  # they are closed, or the round is over
                await self.table.no_more_bets(self._betting[0], SERVICE)

    async def take(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do one step. Raises NotNow and whatever the step raises."""
        if self.quarantine:
            raise NotNow(self.quarantine)
        await self.bets_closed_in_time()
        return await work()

    # --- running ---

    async def run(self) -> None:
        """Run until cancelled. What ends it otherwise is told in `failure`: others go on."""
        try:
            await self._take_over()
            async with asyncio.TaskGroup() as parts:
                for part in (self._follow(), self._keep_pace()):
                    parts.create_task(part)
        except BaseExceptionGroup as failures:
            self.failure = f"the table runs no more: {failures.exceptions[0]}"
            _log.error("table %s: %s", self.name, self.failure, exc_info=failures)
            self._hint()

    async def _take_over(self) -> None:
        """Wait for a table that another service has, and tell of what happens there meanwhile."""
        while self._table is None:
            await self._clock.sleep(ELSEWHERE_S)
            try:
                self._stream.catch_up()
                await asyncio.to_thread(self._books.hold, self.name)
            except LedgerInUse as error:
                self.elsewhere = str(error)
                continue
            except LedgerUnavailable:
                continue
            self._take_table()
            _log.warning("table %s: taken over from another service", self.name)
            self._hint()

    async def finish(self, grace_s: float) -> None:
        """Open no round any more. One that does not end by then goes on with the next start, as it stands."""
        self._stopping = True
        until = self._clock.now() + grace_s
        while not self.elsewhere and self.current is not None and self._clock.now() < until:
            await self._clock.sleep(0.05)

    async def _follow(self) -> None:
        async for event in self._happenings:
            self._take_in(event)
            self._changed.set()

    def _take_in(self, event: happenings.Event) -> None:
        match event:
            case happenings.BetsOpen(round=round_id):
                self._begin_betting(round_id)
            case happenings.BetsClosed():
                self._betting = None
            case _:
                pass
        if isinstance(event, ENDED):
            self._end(event.round, corrected=isinstance(event, happenings.RoundCorrected))
        if isinstance(event, happenings.DURABLE):
            self._stream.catch_up()
        else:
            self._stream.hint(
                EventView(
                    None,
                    self.name,
                    happenings.kind_of(event),
                    event.round.hex() if isinstance(event, _WITH_ROUND) else None,
                    self._clock.wall_ms(),
                    happenings.body_of(event),
                )
            )

    def _begin_betting(self, round_id: bytes) -> None:
        begun = self._betting is not None and self._betting[0] == round_id
        if self.settings.betting_s and not begun:
            self._betting = (round_id, self._clock.now() + self.settings.betting_s)

    def _end(self, round_id: bytes, *, corrected: bool) -> None:
        """A round has ended, or what was decided about an older one is durable."""
        if self._betting and self._betting[0] == round_id:
            self._betting = None
        latest = self.latest
        if latest is not None and latest.id == round_id and not corrected:
            self._opens_at = self._clock.now() + self.settings.between_s

    async def _keep_pace(self) -> None:
        """Close bets in time, and have displays look again when the next round may open."""
        while True:
            self._changed.clear()
            try:
                await self.bets_closed_in_time()
            except (BridgeError, LedgerError) as error:
                _log.info("table %s: %s; tried again in %g s", self.name, error, PAUSE_S)
                await self._clock.sleep(PAUSE_S)
                continue
            await self._changed_by(self._next_deadline())
            self._hint()

    def _next_deadline(self) -> float | None:
        now = self._clock.now()
        due = [self._opens_at, self._betting[1] if self._betting else now]
        return min((each for each in due if each > now), default=None)

    async def _changed_by(self, deadline: float | None) -> None:
        waiting = asyncio.ensure_future(self._changed.wait())
        try:
            await done_by(self._clock, waiting, deadline)
        finally:
            waiting.cancel()

    def _hint(self) -> None:
        self._stream.hint(EventView(None, self.name, "table-changed", None, self._clock.wall_ms(), {}))

    def _wall(self, at: float) -> int:
        return self._clock.wall_ms() + round(1000 * (at - self._clock.now()))


_WITH_ROUND = (happenings.WagersPlaced, happenings.WagersWithdrawn)
