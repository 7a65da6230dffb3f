"""One table of cards: load a shoe, open a round, take wagers, no more bets, enter three cards, announce.

Each step is one transaction of the ledger, and nothing is known anywhere else: after a crash at any moment
the table goes on where the ledger says it is. Cards are facts as people or a shoe device entered them; the
rulebook decides what follows.
"""

import hashlib
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from host_tools import ledger, link, settlement
from host_tools.bridge.batches import Batches
from host_tools.bridge.by import BRIDGE, By, durably_noted, note, noted
from host_tools.bridge.deciding import Bench
from host_tools.bridge.errors import WrongStep
from host_tools.bridge.events import (
    BetsClosed,
    BetsOpen,
    CardEntered,
    Event,
    RoundOpened,
    RoundOutcome,
    ShoeLoaded,
    event_of,
)
from host_tools.bridge.feed import Feed
from host_tools.bridge.terms import FindRulebook, new_round
from host_tools.bridge.wagering import Wager, WagerAnswer, WithdrawalAnswer
from host_tools.cards import conclusion, drawing
from host_tools.cards.desk import CardsDesk
from host_tools.cards.errors import DecksRefused
from host_tools.cards.shoe import Shoe, require_decks
from host_tools.ledger import Ledger

REFERRED = "beyond-the-rules"  # the fact of a round that no clause of the document covers


@dataclass(frozen=True, slots=True)
class CardsConfig:
    """What is fixed for a table of cards while it runs: its name in the ledger, its terms, and how many decks
    its shoes have. Raises DecksRefused."""

    name: str
    terms: settlement.Table
    decks: int

    def __post_init__(self) -> None:
        rules = self.terms.rulebook.decks
        if rules is None:
            raise DecksRefused(f"{self.terms.rulebook.id} is not played with cards")
        require_decks(rules, self.decks)


class CardsTable:
    """A table and its shoe. Steps: `load_shoe`, `open_round`, `place`..., `no_more_bets`, `enter_card` three
    times, `announce`. A step out of order raises WrongStep, one in a round that has ended RoundEnded, a card
    that cannot be CardsError; LedgerUnavailable passes through: ask again."""

    def __init__(
        self,
        config: CardsConfig,
        books: Ledger,
        clock: link.Clock,
        find_rulebook: FindRulebook,
        new_id: Callable[[], bytes],
    ) -> None:
        """`new_id` gives 16 fresh random bytes. Raises LedgerInUse when another bridge has the table."""
        self.config = config
        self._books = books
        self._clock = clock
        self._find_rulebook = find_rulebook
        self._new_id = new_id
        self._feed = Feed()
        self.device = source_of(config.name)
        books.hold(config.name)
        with books.transaction():
            books.enrol(self.device, _no_key(config.name), (0, bytes(32), 0))
        self._batches = Batches(books, config.name, config.terms, self._feed.put)
        self.desk = CardsDesk(books, config.name, self._bench, self._feed.put)

    def events(self) -> AsyncIterator[Event]:
        """What happens from now on, for one display; raises `EventsOverrun` when its reader is too slow."""
        return self._feed.follow()

    @property
    def loaded(self) -> ledger.Shoe | None:
        """The shoe on the table, or None before the first."""
        return self._books.shoe(self.config.name)

    @property
    def shoe(self) -> Shoe | None:
        """The shoe on the table as arithmetic, or None before the first."""
        loaded = self.loaded
        return drawing.shoe_of(self._books, loaded) if loaded else None

    @property
    def unfit(self) -> str:
        """Why no round can be opened from the shoe; empty when one can."""
        return drawing.unfit(self._books, self.loaded)

    # --- the shoe ---

    async def load_shoe(self, reason: str, by: By) -> bytes:
        """Put a new shoe on the table, between rounds, for a reason; its id. Raises WrongStep."""
        rules = self.config.terms.rulebook.decks
        each_face = rules.each_face if rules else 0
        new = ledger.Shoe(self._new_id(), self.config.name, self.config.decks, each_face, by.who)
        now_ms = self._clock.wall_ms()
        self._feed.put(await self._books.durably(partial(self._load, new, reason, by, now_ms)))
        return new.id

    def _load(self, new: ledger.Shoe, reason: str, by: By, now_ms: int) -> Event:
        before = self._books.shoe(new.table)
        told = {}
        if before is not None:
            left = drawing.shoe_of(self._books, before).left
            told = {"shoe": before.id.hex(), "left": left, "unfit": drawing.unfit(self._books, before)}
        drawing.load(self._books, new, now_ms)
        after = {"shoe": new.id.hex(), "decks": new.decks, "reason": reason}
        note(self._books, new.table, by, "load-shoe", told, after, now_ms)
        return drawing.keep(self._books, new.table, ShoeLoaded(new.id, new.decks), now_ms)

    async def enter_card(self, shoe: bytes, position: int, face: int, by: By) -> bytes:
        """Enter card number `position` of the shoe, once: again with the same face changes nothing. Before no
        more bets it is a card exposed early, and the round is void (5.1). Returns its round.

        Raises CardsError, WrongStep."""
        now_ms = self._clock.wall_ms()
        asked = ledger.Card(shoe, position, 1, face, b"", by.who)
        round_id, events = await self._books.durably(partial(self._enter, asked, by, now_ms))
        for event in events:
            self._feed.put(event)
        return round_id

    def _enter(self, asked: ledger.Card, by: By, now_ms: int) -> tuple[bytes, list[Event]]:
        """Inside the transaction: the card's round, and what happened; nothing when it was entered before."""
        found = drawing.known(self._books, self.config.name, asked)
        if found is not None:
            return found.round, []
        current = self._current()
        by = replace(by, told={"shoe": asked.shoe.hex(), "card": asked.position, "face": asked.face})
        work = partial(self._drawn, asked, current, by, now_ms)
        return current.id, noted(self._books, by, "enter-card", current.id, now_ms, work)

    def _drawn(self, asked: ledger.Card, current: ledger.Round, by: By, now_ms: int) -> list[Event]:
        card = drawing.enter(self._books, self.config.name, asked, now_ms)
        entered = CardEntered(card.round, card.position, card.face)
        events = [drawing.keep(self._books, self.config.name, entered, now_ms)]
        if current.state == "betting":
            bench = Bench(self._books, self._find_rulebook, now_ms)
            why = f"card {card.position} of the shoe was entered before no more bets"
            events.append(event_of(conclusion.void(bench, current, drawing.EXPOSED_EARLY, by.who, why)))
        return events

    # --- the steps of a round ---

    async def open_round(self, by: By = BRIDGE) -> bytes:
        """Open a round with bets open ("Place your bets, please"); its id.

        Raises WrongStep while one goes on, ShoeMissing, ShoeNotFit."""
        opening = new_round(
            self._new_id(), self.config.name, self.device, self.config.terms, self._clock.wall_ms()
        )
        work = partial(self._open, opening)
        for event in await durably_noted(self._books, by, "open-round", opening.id, opening.made_ms, work):
            self._feed.put(event)
        return opening.id

    def _open(self, opening: ledger.Round) -> list[Event]:
        current = self._books.current_round(self.config.name)
        if current is not None:
            raise WrongStep(f"round {current.id.hex()} goes on; announce its result first")
        drawing.require_shoe(self._books, self.config.name)
        self._books.open_round(opening)
        self._books.set_state(opening.id, "opened", opening.made_ms)
        self._books.set_state(opening.id, "betting", opening.made_ms)
        events = RoundOpened(opening.id, opening.mode), BetsOpen(opening.id)
        return [drawing.keep(self._books, opening.table, each, opening.made_ms) for each in events]

    async def place(self, round_id: bytes, wagers: Sequence[Wager], by: By = BRIDGE) -> list[WagerAnswer]:
        """Register a batch, all or nothing, durably before the answers; the same id, the same answer."""
        return await self._batches.place(round_id, wagers, by, self._clock.wall_ms())

    async def withdraw(
        self, round_id: bytes, wager_ids: Sequence[str], by: By = BRIDGE
    ) -> list[WithdrawalAnswer]:
        """Withdraw a batch before no more bets, all or nothing, durably before the answers."""
        return await self._batches.withdraw(round_id, wager_ids, by, self._clock.wall_ms())

    async def no_more_bets(self, round_id: bytes, by: By = BRIDGE) -> None:
        """Close bets ("No more bets"); closed already, nothing changes. Raises RoundEnded."""
        closed = await self._books.durably(partial(self._close, round_id, by, self._clock.wall_ms()))
        if closed is not None:
            self._feed.put(closed)

    def _close(self, round_id: bytes, by: By, now_ms: int) -> Event | None:
        drawing.require_open(self._books.round(round_id), "betting", "closed")
        if self._books.round(round_id).state == "closed":
            return None

        def close() -> Event:
            self._books.set_state(round_id, "closing", now_ms)
            self._books.set_state(round_id, "closed", now_ms)
            return drawing.keep(self._books, self.config.name, BetsClosed(round_id), now_ms)

        return noted(self._books, by, "no-more-bets", round_id, now_ms, close)

    async def announce(self, round_id: bytes, by: By) -> None:
        """Settle by the three cards as they lie entered; settled already, nothing changes.

        Raises RoundEnded, WrongStep while a card is missing, TermsLost."""
        bench = self._bench()
        outcome = await self._books.durably(partial(self._announced, bench, round_id, by))
        if outcome is not None:
            self._feed.put(event_of(outcome))

    def _announced(self, bench: Bench, round_id: bytes, by: By) -> RoundOutcome | None:
        round_ = self._books.round(round_id)
        if round_.state == "settled":
            return None
        drawing.require_open(round_, "closed")
        work = partial(conclusion.settle, bench, round_, by.who)
        return noted(self._books, by, "announce", round_id, bench.now_ms, work)

    async def void_round(self, round_id: bytes, fact: str, reason: str, by: By) -> None:
        """End a round without a result because of a fact that the rulebook rules on (5.1 to 5.4).

        Raises UnknownFactError, RoundEnded, WrongStep, TermsLost."""
        bench = self._bench()

        def work() -> RoundOutcome:
            round_ = self._books.round(round_id)
            drawing.require_open(round_, "betting", "closed")
            return conclusion.void(bench, round_, fact, by.who, reason)

        by = replace(by, told={"fact": fact, **by.told})
        outcome = await durably_noted(self._books, by, "order-void", round_id, bench.now_ms, work)
        self._feed.put(event_of(outcome))

    async def refer(self, round_id: bytes, by: By) -> None:
        """Leave a round that no clause covers to people; its wagers are frozen. Raises RoundEnded."""
        bench = self._bench()

        def work() -> RoundOutcome:
            round_ = self._books.round(round_id)
            drawing.require_open(round_, "betting", "closed")
            return conclusion.refer(bench, round_, REFERRED)

        outcome = await durably_noted(self._books, by, "refer", round_id, bench.now_ms, work)
        self._feed.put(event_of(outcome))

    # --- inside ---

    def _bench(self) -> Bench:
        return Bench(self._books, self._find_rulebook, self._clock.wall_ms())

    def _current(self) -> ledger.Round:
        current = self._books.current_round(self.config.name)
        if current is None:
            raise WrongStep("no round goes on; a card is entered in its round: open one first")
        return current


def source_of(table: str) -> bytes:
    """What stands in the ledger where a tumbler's id does: derived from the table's name, 8 bytes."""
    return _no_key(table)[:8]


def _no_key(table: str) -> bytes:
    """What stands where a public key does. Nobody has a private key to it: it can sign no record."""
    return hashlib.sha256(f"cards are entered by hand at {table}".encode()).digest()
