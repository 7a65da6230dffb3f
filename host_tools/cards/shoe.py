"""The shoe as arithmetic: how many cards of each face it was loaded with, dealt, and has left.

Pure: it knows no table and no clock. One deck is eight cards of each of the six faces (MBS 3 Card Sic Bo
2.2), a shoe has two to six decks (2.1).
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from host_tools.cards.errors import CardImpossible, DecksRefused
from host_tools.rulebooks.model import Decks

FACES = (1, 2, 3, 4, 5, 6)
DRAW = 3  # cards of a round (3.8)


@dataclass(frozen=True, slots=True)
class Shoe:
    """`decks` decks of `each_face` cards of each face, of which `dealt` are out, in their order.

    Raises CardImpossible where the shoe cannot have dealt them."""

    decks: int
    each_face: int
    dealt: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        for face, count in Counter(self.dealt).items():
            if face not in FACES:
                raise CardImpossible(f"a card shows 1 to 6, not {face!r}")
            if count > self.of_each_face:
                raise CardImpossible(
                    f"the shoe has {self.of_each_face} cards of face {face} and all are dealt: look again;"
                    " if it is so, the round is void as card-excess or foreign-card"
                )

    @property
    def of_each_face(self) -> int:
        """Cards of each face that it was loaded with."""
        return self.decks * self.each_face

    @property
    def size(self) -> int:
        """Cards that it was loaded with."""
        return len(FACES) * self.of_each_face

    @property
    def left(self) -> int:
        """Cards that are in it."""
        return self.size - len(self.dealt)

    @property
    def left_of(self) -> dict[int, int]:
        """Cards of each face that are in it."""
        out = Counter(self.dealt)
        return {face: self.of_each_face - out[face] for face in FACES}

    @property
    def completes_a_round(self) -> bool:
        """Whether it has the cards of a round (5.4)."""
        return self.left >= DRAW

    def after(self, face: int) -> "Shoe":
        """The shoe after one more card. Raises CardImpossible."""
        return Shoe(self.decks, self.each_face, (*self.dealt, face))

    def with_cards(self, cards: Iterable[tuple[int, int]]) -> "Shoe":
        """The shoe if (position, face) pairs had been dealt in the place of what was entered there; positions
        count from 1. Raises CardImpossible."""
        dealt = list(self.dealt)
        for position, face in cards:
            dealt[position - 1] = face
        return Shoe(self.decks, self.each_face, tuple(dealt))


def require_decks(rules: Decks, decks: int) -> None:
    """Raise DecksRefused unless the rules allow so many."""
    if not rules.minimum <= decks <= rules.maximum:
        raise DecksRefused(
            f"a shoe has {rules.minimum} to {rules.maximum} decks (clause {rules.clause}), not {decks}"
        )
