"""What cards do in the ledger: a shoe is loaded, a card is entered, two people enter a mistyped one anew.

Everything here runs inside the caller's transaction: it looks at what is in the ledger, then writes or
raises.
"""

from collections.abc import Sequence

from host_tools import ledger
from host_tools.bridge.errors import DecisionIncomplete, RoundEnded, WrongStep
from host_tools.bridge.events import Event, body_of, kind_of
from host_tools.cards.errors import (
    CardConflict,
    CardOutOfOrder,
    NothingToCorrect,
    ShoeChanged,
    ShoeMissing,
    ShoeNotFit,
    TooManyCards,
)
from host_tools.cards.shoe import DRAW, Shoe
from host_tools.ledger import Ledger

EXPOSED_EARLY = "exposed-early"
SPENT_BY = ("foreign-card", "card-shortage", "card-excess", "shoe-exhausted")
"""The facts after which a shoe is not what it was loaded as: it is played on with by nobody."""


def keep(books: Ledger, table: str, event: Event, now_ms: int) -> Event:
    """Keep an event for those who were away; the end of a round has a notice of its own."""
    books.notify(table, kind_of(event), getattr(event, "round", None), body_of(event), now_ms)
    return event


def shoe_of(books: Ledger, loaded: ledger.Shoe) -> Shoe:
    """A loaded shoe with the cards that are out of it."""
    dealt = tuple(card.face for card in books.cards(loaded.id))
    return Shoe(loaded.decks, loaded.each_face, dealt)


def unfit(books: Ledger, loaded: ledger.Shoe | None) -> str:
    """Why no round can be played from the table's shoe; empty when one can."""
    if loaded is None:
        return "no shoe is on the table; load one"
    spent = books.voids_since(loaded, SPENT_BY)
    if spent:
        return f"the shoe ended with {spent[0]}; load a new one"
    shoe = shoe_of(books, loaded)
    if not shoe.completes_a_round:
        return f"{shoe.left} cards are left in the shoe, a round needs {DRAW}; load a new one"
    return ""


def load(books: Ledger, new: ledger.Shoe, now_ms: int) -> None:
    """Put a new shoe on the table, between two rounds. Raises WrongStep."""
    current = books.current_round(new.table)
    if current is not None:
        raise WrongStep(f"round {current.id.hex()} goes on; a shoe is changed between rounds")
    books.load_shoe(new, now_ms)


def require_shoe(books: Ledger, table: str) -> ledger.Shoe:
    """The shoe that a round can be played from. Raises ShoeMissing, ShoeNotFit."""
    loaded = books.shoe(table)
    why = unfit(books, loaded)
    if loaded is None:
        raise ShoeMissing(why)
    if why:
        raise ShoeNotFit(why)
    return loaded


def known(books: Ledger, table: str, card: ledger.Card) -> ledger.Card | None:
    """The card that is entered already where `card` is to go; None when nothing is.

    Raises ShoeMissing, ShoeChanged, CardConflict when another face was entered there."""
    loaded = books.shoe(table)
    if loaded is None:
        raise ShoeMissing(unfit(books, None))
    if loaded.id != card.shoe:
        raise ShoeChanged(f"shoe {card.shoe.hex()} is not on the table; it is {loaded.id.hex()}")
    entered = books.cards(loaded.id)
    if card.position > len(entered):
        return None
    found = entered[card.position - 1]
    if found.face != card.face:
        raise CardConflict(
            f"card {card.position} of the shoe is entered as {found.face};"
            " if that is wrong, two people correct it"
        )
    return found


def enter(books: Ledger, table: str, card: ledger.Card, now_ms: int) -> ledger.Card:
    """Enter the next card of the shoe into the current round, which `card` need not name; returns it.

    Raises CardOutOfOrder, CardImpossible, TooManyCards, and WrongStep when no round goes on."""
    loaded = require_loaded(books, table)
    shoe = shoe_of(books, loaded)
    if card.position != len(shoe.dealt) + 1:
        raise CardOutOfOrder(
            f"the next card of the shoe is number {len(shoe.dealt) + 1}, not {card.position}"
        )
    round_ = books.current_round(table)
    if round_ is None:
        raise WrongStep("no round goes on; a card is entered in its round: open one first")
    if len(books.cards_of_round(round_.id)) >= DRAW:
        raise TooManyCards(f"{DRAW} cards lie; announce the result, or refer the round if another one does")
    shoe.after(card.face)
    drawn = card._replace(round=round_.id)
    books.enter_cards([drawn], now_ms)
    return drawn


def require_loaded(books: Ledger, table: str) -> ledger.Shoe:
    """The shoe on the table, fit or not. Raises ShoeMissing."""
    loaded = books.shoe(table)
    if loaded is None:
        raise ShoeMissing(unfit(books, None))
    return loaded


def faces_of(books: Ledger, round_id: bytes) -> ledger.Faces:
    """The three cards of a round as they stand. Raises WrongStep while there are fewer."""
    cards = books.cards_of_round(round_id)
    if len(cards) != DRAW:
        raise WrongStep(f"{len(cards)} of {DRAW} cards are entered")
    first, second, third = (card.face for card in cards)
    return first, second, third


def correct(  # noqa: PLR0913, PLR0917 - what a correction is
    books: Ledger, round_id: bytes, faces: Sequence[int], people: tuple[str, str], reason: str, now_ms: int
) -> None:
    """Enter the three cards of a round anew, as two people saw them in the order they were drawn.

    Raises WrongStep, NothingToCorrect, CardImpossible, DecisionIncomplete."""
    faces_of(books, round_id)
    first, second = (name.strip() for name in people)
    if not first or not second or first.casefold() == second.casefold() or not reason.strip():
        raise DecisionIncomplete("two different people must decide, and say why")
    before = books.cards_of_round(round_id)
    anew = [
        card._replace(
            revision=card.revision + 1,
            face=face,
            entered_by=first,
            seconded_by=second,
            reason=reason.strip(),
        )
        for card, face in zip(before, faces, strict=True)
        if card.face != face
    ]
    if not anew:
        raise NothingToCorrect("these are the cards as they are entered")
    _require_possible(books, books.round(round_id).table, anew)
    books.enter_cards(anew, now_ms)


def _require_possible(books: Ledger, table: str, anew: Sequence[ledger.Card]) -> None:
    """The shoe must have had the cards as they are to be."""
    loaded = books.find_shoe(anew[0].shoe)
    if loaded is None or loaded.table != table:
        raise ShoeMissing(f"the shoe of these cards was never on table {table}")
    shoe_of(books, loaded).with_cards((card.position, card.face) for card in anew)


def require_open(round_: ledger.Round, *states: str) -> None:
    """Raise RoundEnded or WrongStep unless the round is in one of the states."""
    if not round_.is_open:
        raise RoundEnded(f"round {round_.id.hex()} is {round_.state}; open a new one")
    if round_.state not in states:
        raise WrongStep(f"the round is {round_.state}; this step needs it {' or '.join(states)}")
