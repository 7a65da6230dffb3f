"""The door for those who play: the table server, the dealer, and everybody who watches.

`Playing` is for one person or program. Its methods are those of `host_tools.client`'s client, which does the
same over HTTP.
"""

from collections.abc import AsyncIterator, Sequence

from host_tools import ledger
from host_tools.bridge.by import By
from host_tools.bridge.table import Wager, WagerAnswer, WithdrawalAnswer
from host_tools.people import Deed, Person, may
from host_tools.service.actions import CARDS
from host_tools.service.errors import Asked
from host_tools.service.running import RunningTable
from host_tools.service.running_cards import RunningCards
from host_tools.service.service import Service
from host_tools.service.table_viewing import table_view
from host_tools.service.viewing import round_view, wager_views
from host_tools.service.views import EventView, RoundView, TableView, WagerView

MOST_WAGERS = 1000  # in one batch
MOST_ROUNDS = 100  # in one answer
MOST_EVENTS = 500


class Playing:
    """What `person` may see and do at the tables. Every method raises NotAllowed when the role does not
    include it, TableUnknown and RoundNotHere for what is not there."""

    def __init__(self, service: Service, person: Person) -> None:
        self._service = service
        self._person = person

    # --- seeing ---

    async def tables(self) -> list[TableView]:
        """All tables, as configured; their rounds without wagers and differences, which `table` has."""
        self._person.require(Deed.WATCH)
        return [self._table_view(each, wagers=False) for each in self._service.tables.values()]

    async def table(self, table: str) -> TableView:
        """One table now."""
        self._person.require(Deed.WATCH)
        return self._table_view(self._service.table(table), wagers=True)

    async def round(self, table: str, round_id: str) -> RoundView:
        """A round and how it ended."""
        self._person.require(Deed.WATCH)
        running = self._service.table(table)
        return self.shown(running.round(round_bytes(round_id)))

    async def rounds(self, table: str, before: str | None = None, limit: int = 10) -> list[RoundView]:
        """The table's newest rounds, newest first; those opened before a round, where it is given."""
        self._person.require(Deed.WATCH)
        running = self._service.table(table)
        older = running.round(round_bytes(before)).id if before else None
        found = self._service.books.latest_rounds(table, min(limit, MOST_ROUNDS), older)
        return [self.shown(each) for each in found]

    async def wagers(self, table: str, round_id: str) -> list[WagerView]:
        """The round's wagers in the order they were placed, then those withdrawn."""
        self._person.require(Deed.SEE_WAGERS)
        running = self._service.table(table)
        return list(wager_views(self._service.books, running.round(round_bytes(round_id))))

    async def events(self, after: int = 0, table: str | None = None) -> list[EventView]:
        """The durable events above number `after`, at most MOST_EVENTS."""
        self._person.require(Deed.WATCH)
        if table is not None:
            self._service.table(table)
        return self._service.stream.events(after, table, MOST_EVENTS)

    def follow(self, after: int | None = None, table: str | None = None) -> AsyncIterator[EventView]:
        """The durable events above number `after` (None: from now on), and all that happens from now on.

        Raises SlowReader, StreamEnded."""
        self._person.require(Deed.WATCH)
        if table is not None:
            self._service.table(table)
        return self._service.stream.follow(after, table)

    # --- playing ---

    async def open_round(self, table: str) -> RoundView:
        """Open a round; the tumbler's record of it is durable."""
        self._person.require(Deed.PLAY)
        running = self._service.table(table)
        return self.shown(running.round(await running.open_round(self.by())))

    async def tumble(self, table: str, round_id: str) -> RoundView:
        """Start the strokes; the events tell when they are done."""
        running, wanted = self._at(Deed.PLAY, table, round_id)
        await self._service.dice_table(table).tumble(wanted, self.by())
        return self.shown(running.round(wanted))

    async def no_more_bets(self, table: str, round_id: str) -> RoundView:
        """Close bets."""
        running, wanted = self._at(Deed.PLAY, table, round_id)
        await running.no_more_bets(wanted, self.by())
        return self.shown(running.round(wanted))

    async def place(self, table: str, round_id: str, wagers: Sequence[Wager]) -> list[WagerAnswer]:
        """Register a batch, all or nothing, durably before the answers; the same id, the same answer."""
        running, wanted = self._at(Deed.WAGER, table, round_id)
        _require_batch(wagers)
        await running.bets_closed_in_time()
        return await running.table.place(wanted, wagers, self.by())

    async def withdraw(self, table: str, round_id: str, ids: Sequence[str]) -> list[WithdrawalAnswer]:
        """Withdraw a batch before no more bets, all or nothing, durably before the answers."""
        running, wanted = self._at(Deed.WAGER, table, round_id)
        _require_batch(ids)
        await running.bets_closed_in_time()
        return await running.table.withdraw(wanted, ids, self.by())

    async def change_dice(self, table: str, dice_set: str, inspected_ms: int | None = None) -> None:
        """Note in the tumbler's signed records which set of dice was laid into it, between rounds; and in the
        access log, when the set before was last inspected and found sound, Unix ms."""
        self._person.require(Deed.CHANGE_DICE)
        running = self._service.dice_table(table)
        if inspected_ms is not None and inspected_ms > self._service.clock.wall_ms():
            raise Asked("the last inspection cannot lie in the future")
        by = self.by(inspected_ms=inspected_ms)
        await running.take(lambda: running.table.change_dice(dice_set, by))

    # --- cards ---

    async def load_shoe(self, table: str, reason: str) -> TableView:
        """Put a new shoe on a table of cards, between two rounds."""
        self._person.require(Deed.LOAD_SHOE)
        running = self._service.cards_table(table)
        require_reason(reason)
        await running.take(lambda: running.table.load_shoe(reason, self.by()))
        return self._table_view(running, wagers=True)

    async def enter_card(self, table: str, shoe: str, position: int, face: int) -> RoundView:
        """Enter card number `position` of the shoe as it was drawn; the same again, the same answer. Returns
        its round, which is void if bets are still open (a card exposed early)."""
        self._person.require(Deed.DRAW)
        running, wanted = self._service.cards_table(table), round_bytes(shoe)
        round_id = await running.take(lambda: running.table.enter_card(wanted, position, face, self.by()))
        return self.shown(running.round(round_id))

    async def announce(self, table: str, round_id: str) -> RoundView:
        """Announce the result of three cards: the round is settled by them as they are entered, unless it is
        proposed that one of them is mistyped. Raises NotNow."""
        self._person.require(Deed.PLAY)
        running = self._service.cards_table(table)
        wanted = running.round(round_bytes(round_id)).id

        async def work() -> None:
            self._service.proposals.require_none(CARDS, wanted.hex())
            await running.table.announce(wanted, self.by())

        await running.take(work)
        return self.shown(running.round(wanted))

    # --- inside, and for the other doors ---

    def by(self, **told: object) -> By:
        """This person for the access log, with what is told of the deed."""
        return By(self._person.name, self._person.origin, told)

    def _at(self, deed: Deed, table: str, round_id: str) -> tuple[RunningTable | RunningCards, bytes]:
        self._person.require(deed)
        running = self._service.table(table)
        return running, running.round(round_bytes(round_id)).id

    def shown(self, round_: ledger.Round, *, wagers: bool = True) -> RoundView:
        """A round as this person sees it, without `wagers` where many are listed."""
        sees = wagers and may(self._person.role, Deed.SEE_WAGERS)
        return round_view(self._service.books, round_, self._service.find_rulebook, wagers=sees)

    def _table_view(self, running: RunningTable | RunningCards, *, wagers: bool) -> TableView:
        latest = running.latest
        shown = self.shown(latest, wagers=wagers) if latest else None
        return table_view(running, shown, self._service.stream.newest, self._service.clock.wall_ms())


def round_bytes(text: str) -> bytes:
    """A round's id from its hex text. Raises Asked."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise Asked("a round's id is 32 hex digits") from None


def require_reason(reason: str) -> None:
    """Raises Asked."""
    if not reason.strip():
        raise Asked("say why; the reason is kept")


def _require_batch(batch: Sequence[object]) -> None:
    if not 0 < len(batch) <= MOST_WAGERS:
        raise Asked(f"a batch has 1 to {MOST_WAGERS} wagers")
