"""A table of cards as it runs: its pace, and what comes next.

It has no line and nothing to recover: whatever is so stands in the ledger, and a start goes on where the last
run stopped, with bets still open or cards half drawn.
"""

import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, TypeVar

from host_tools import link
from host_tools.bridge.by import By
from host_tools.bridge.errors import BridgeError
from host_tools.bridge.terms import FindRulebook
from host_tools.cards.shoe import DRAW
from host_tools.cards.table import CardsConfig, CardsTable
from host_tools.ledger import Ledger, LedgerError
from host_tools.service.config import CardsSettings
from host_tools.service.errors import NotNow
from host_tools.service.served import PAUSE_S, SERVICE, ServedTable
from host_tools.service.stream import Stream

T = TypeVar("T")
_log = logging.getLogger(__name__)


class RunningCards(ServedTable[CardsTable]):
    """One table of cards of the service."""

    def __init__(  # noqa: PLR0913, PLR0917 - what a table is made of
        self,
        settings: CardsSettings,
        books: Ledger,
        clock: link.Clock,
        stream: Stream,
        find_rulebook: FindRulebook,
        new_id: Callable[[], bytes],
    ) -> None:
        super().__init__(settings, books, clock, stream)
        self.settings = settings
        self._find_rulebook = find_rulebook
        self._new_id = new_id
        self._take_table()

    def _make_table(self) -> CardsTable:
        """See ServedTable; open bets are so again for their whole time."""
        config = CardsConfig(self.name, self.settings.terms, self.settings.decks)
        table = CardsTable(config, self._books, self._clock, self._find_rulebook, self._new_id)
        current = self.current
        if current is not None and current.state == "betting":
            self._begin_betting(current.id)
        return table

    async def _prepare(self) -> None:
        pass

    def _parts(self) -> Sequence[Coroutine[Any, Any, None]]:
        return (self._keep_pace(),)

    async def _close_bets(self, round_id: bytes) -> None:
        await self.table.no_more_bets(round_id, SERVICE)

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
        if state == "betting":
            return "place-bets"
        if self.table.unfit:
            return "load-shoe"
        return "wait" if self._opens_none else "open-round"

    # --- steps ---

    async def open_round(self, by: By) -> bytes:
        """Open a round with bets open; its id."""
        self._require_may_open()
        round_id = await self.take(lambda: self.table.open_round(by))
        self._begin_betting(round_id)
        return round_id

    async def no_more_bets(self, round_id: bytes, by: By) -> None:
        """Close the round's bets."""
        await self.take(lambda: self.table.no_more_bets(round_id, by))

    async def take(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do one step. Raises NotNow and whatever the step raises."""
        if self.quarantine:
            raise NotNow(self.quarantine)
        await self.bets_closed_in_time()
        return await work()

    # --- running ---

    async def finish(self, grace_s: float) -> None:
        """Open no round any more. One that does not end by then goes on with the next start, as it stands."""
        self._open_no_more()
        until = self._clock.now() + grace_s
        while not self.quarantine and self.current is not None and not self._is_over(until):
            await self._clock.sleep(0.05)

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
            await self._changed_by(self._next_deadline(self._clock.now()))
            self._hint("table-changed", None, {})
