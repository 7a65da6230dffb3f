"""The chapter of cards: the shoes of a table and every card drawn from them, once, as it was entered.

No device signs a card. Who entered it is kept with it, and the table's journal seals both.
"""

from collections.abc import Iterator, Sequence

from host_tools.ledger.errors import LedgerError
from host_tools.ledger.rounds import Rounds
from host_tools.ledger.rows import Card, Shoe

_SHOE = "id, table_name, decks, each_face, loaded_by, entry"
_CARD = "shoe, position, revision, face, round, entered_by, seconded_by, reason"
_NEWEST = """revision = (SELECT max(revision) FROM cards AS again
    WHERE again.shoe = cards.shoe AND again.position = cards.position)"""


class Shoes(Rounds):
    """Shoes by table, and the cards drawn from them as they stand, by shoe and by round."""

    def load_shoe(self, new: Shoe, now_ms: int) -> None:
        """Put a new shoe on its table; the one before it is done with."""
        row = (new.id, new.table, new.decks, new.each_face, new.loaded_by)
        self.enter(new.table, new.id, "shoe", now_ms, {"shoes": [row]})

    def shoe(self, table: str) -> Shoe | None:
        """The table's newest shoe, or None before the first."""
        row = self.store.row(
            f"SELECT {_SHOE} FROM shoes WHERE table_name = ? ORDER BY entry DESC LIMIT 1", (table,)
        )
        return Shoe(*row) if row else None

    def find_shoe(self, shoe_id: bytes) -> Shoe | None:
        """The shoe of that id, or None."""
        row = self.store.row(f"SELECT {_SHOE} FROM shoes WHERE id = ?", (shoe_id,))
        return Shoe(*row) if row else None

    def voids_since(self, shoe: Shoe, facts: Sequence[str]) -> list[str]:
        """Which of some facts have ended rounds of the table since the shoe was loaded."""
        marks = ", ".join("?" * len(facts))
        rows = self.store.rows(
            "SELECT fact FROM settlements JOIN entries ON entries.number = settlements.entry"
            f" WHERE entries.table_name = ? AND settlements.entry > ? AND fact IN ({marks}) ORDER BY entry",
            (shoe.table, shoe.entry, *facts),
        )
        return [fact for (fact,) in rows]

    def cards(self, shoe_id: bytes) -> list[Card]:
        """The cards drawn from a shoe, as they stand, in the order they were drawn."""
        rows = self.store.rows(
            f"SELECT {_CARD} FROM cards WHERE shoe = ? AND {_NEWEST} ORDER BY position", (shoe_id,)
        )
        return [Card(*row) for row in rows]

    def cards_of_round(self, round_id: bytes) -> list[Card]:
        """The cards drawn in a round, as they stand, in the order they were drawn."""
        rows = self.store.rows(
            f"SELECT {_CARD} FROM cards WHERE round = ? AND {_NEWEST} ORDER BY position", (round_id,)
        )
        return [Card(*row) for row in rows]

    def enter_cards(self, cards: Sequence[Card], now_ms: int) -> None:
        """Add cards of one round, drawn or, in the next revision, entered anew; the database refuses a gap, a
        second one at the same place, and a fourth one in a round. Raises LedgerError for none, or for cards
        of several rounds."""
        rounds = {card.round for card in cards}
        if len(rounds) != 1:
            raise LedgerError("cards are entered for one round at a time")
        round_ = self.round(rounds.pop())
        cause = "card" if all(card.revision == 1 for card in cards) else "card-correction"
        rows = sorted(tuple(card) for card in cards)
        self.enter(round_.table, round_.id, cause, now_ms, {"cards": rows})


# What each settled round of cards came to.
_SETTLED = """SELECT rounds.id, settlements.faces
    FROM rounds JOIN settlements ON settlements.round = rounds.id
    WHERE mode = 'cards' AND rounds.number > ? AND verdict = 'settled' AND settlements.entry =
        (SELECT max(entry) FROM settlements AS again WHERE again.round = rounds.id)
    ORDER BY rounds.number"""
# Faces of which a shoe has dealt more than it had.
_TOO_MANY = f"""SELECT shoes.id, face, count(*) FROM cards JOIN shoes ON shoes.id = cards.shoe
    WHERE {_NEWEST} GROUP BY shoes.id, decks, each_face, face HAVING count(*) > decks * each_face"""


def card_findings(books: Shoes, recent: int | None) -> Iterator[str]:
    """Results of cards that are not the cards, in the newest rounds or in all; shoes that dealt too many."""
    newest = books.store.rows("SELECT coalesce(max(number), 0) FROM rounds")[0][0]
    after = max(0, newest - recent) if recent is not None else 0
    for round_id, faces in books.store.rows(_SETTLED, (after,)):
        drawn = "-".join(str(card.face) for card in books.cards_of_round(round_id))
        if faces != drawn:
            yield f"round {round_id.hex()}: it is settled by {faces}, its cards are {drawn or 'none'}"
    if recent is None:
        for shoe, face, count in books.store.rows(_TOO_MANY):
            yield f"shoe {shoe.hex()}: it has dealt {count} cards of face {face}, more than it had"
