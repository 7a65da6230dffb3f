"""A table of cards over a real ledger, for tests: its clock moves a millisecond a look, its ids count up."""

import contextlib
import itertools
from collections.abc import Iterator
from pathlib import Path

from host_tools import settlement
from host_tools.bridge.by import By
from host_tools.bridge.deciding import Decision
from host_tools.bridge.wagering import Wager
from host_tools.cards.table import CardsConfig, CardsTable
from host_tools.ledger import Ledger, open_ledger
from host_tools.rulebooks import load_rulebook
from tests.host_tools.bridge.bridge_rig import Clock

RULEBOOK, NAME = "mbs-3-card-sic-bo-2016", "Cards 1"
DEALER = By("Ada", "10.0.0.1")
SERVER = By("the server", "10.0.0.2")
MANAGER = By("Mia", "10.0.0.3")
PICTURE = bytes(range(32))
TWO_PEOPLE = Decision("Sue", "Mia", "a two was typed as a three", PICTURE)
TERMS = settlement.open_table(load_rulebook(RULEBOOK), "standard", chip_unit="1")


class CardsHouse:
    """One table and its books; `clock` and `ids` outlive a restart."""

    def __init__(self, books: Ledger, clock: Clock, ids: Iterator[int], decks: int = 2) -> None:
        self.books = books
        self.table = CardsTable(
            CardsConfig(NAME, TERMS, decks),
            books,
            clock,
            load_rulebook,
            lambda: next(ids).to_bytes(16, "big"),
        )

    async def betting(self) -> bytes:
        """A round with bets open, of a shoe that is loaded where there is none fit."""
        if self.table.unfit:
            await self.table.load_shoe("a new shoe", MANAGER)
        return await self.table.open_round(DEALER)

    async def card(self, face: int, by: By = DEALER) -> bytes:
        """The next card of the shoe."""
        loaded, shoe = self.table.loaded, self.table.shoe
        assert loaded is not None
        assert shoe is not None
        return await self.table.enter_card(loaded.id, len(shoe.dealt) + 1, face, by)

    async def closed(self, faces: tuple[int, ...], wagers: list[Wager] | None = None) -> bytes:
        """A round with bets closed and these cards entered."""
        round_id = await self.betting()
        if wagers:
            answers = await self.table.place(round_id, wagers, SERVER)
            assert all(each.registered for each in answers), answers
        await self.table.no_more_bets(round_id, DEALER)
        for face in faces:
            await self.card(face)
        return round_id

    async def settled(self, faces: tuple[int, int, int], wagers: list[Wager] | None = None) -> bytes:
        """A whole round."""
        round_id = await self.closed(faces, wagers)
        await self.table.announce(round_id, DEALER)
        return round_id


@contextlib.contextmanager
def cards_house(where: Path | str, decks: int = 2) -> Iterator[CardsHouse]:
    """A table over a ledger, which is sound when the test is done."""
    with open_ledger(where) as books:
        house = CardsHouse(books, Clock(), itertools.count(1), decks)
        yield house
        books.check_everything()
