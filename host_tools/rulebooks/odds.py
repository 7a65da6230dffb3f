"""Exact house edges, by enumeration of all throws of three dice or draws of three cards."""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from typing import NamedTuple

from host_tools.rulebooks.conditions import Faces, Test
from host_tools.rulebooks.model import Layout, Offer, Rulebook
from host_tools.rulebooks.wagers import Numbers

MULTISETS: tuple[Faces, ...] = tuple(combinations_with_replacement(range(1, 7), 3))
"""The 56 outcomes that differ for settlement, each ascending."""


class Edge(NamedTuple):
    """The house edge of one wager: the expected loss of a stake of one; below 0 the player has the advantage.

    `ways` of `of` equally likely outcomes win.
    """

    wager: str
    odds: str
    ways: int
    of: int
    edge: Fraction

    @property
    def percent(self) -> str:
        """The edge in percent as decimal text, rounded half to even to four places."""
        return f"{decimal_text(Fraction(round(self.edge * 1_000_000), 10_000), 4)}"


class DecksError(ValueError):
    """A number of decks that the rulebook does not allow; the message says which it does."""


Shoe = int
"""How many cards of each face the cards are drawn from; 0 for dice, which are thrown."""

DICE: Shoe = 0


@cache
def ways(shoe: Shoe) -> Mapping[Faces, int]:
    """How many of all throws, or of all draws of three cards without replacement, show each multiset."""
    found: Counter[Faces] = Counter()
    for throw in product(range(1, 7), repeat=3):
        first, second, third = sorted(throw)
        found[first, second, third] += 1 if shoe == DICE else _draws(throw, shoe)
    # A throw tells the dice apart; a draw is the same in whichever of six orders its cards came.
    return found if shoe == DICE else {faces: count // 6 for faces, count in found.items()}


def _draws(faces: tuple[int, ...], shoe: Shoe) -> int:
    """The ways in which three cards of these faces come in this order: each leaves one less of its face."""
    first, second, third = faces
    return shoe * (shoe - (second == first)) * (shoe - (third == first) - (third == second))


def shoe_of(rulebook: Rulebook, decks: int | None = None) -> Shoe:
    """What the rulebook's game draws from; `decks` (cards only) defaults to the most allowed.

    Raises DecksError for a number of decks that the rules do not allow, and for decks of dice.
    """
    allowed = rulebook.decks
    if allowed is None:
        if decks is not None:
            raise DecksError(f"{rulebook.id} is played with dice; decks have no meaning there")
        return DICE
    chosen = allowed.maximum if decks is None else decks
    if not allowed.minimum <= chosen <= allowed.maximum:
        raise DecksError(
            f"{rulebook.id} is played with {allowed.minimum} to {allowed.maximum} decks "
            f"(clause {allowed.clause}), not {decks}"
        )
    return allowed.each_face * chosen


@cache
def _ways_by_level(test: Test, totals: Numbers, numbers: Numbers, shoe: Shoe) -> Counter[int]:
    """How many ways lead to each level of a win condition."""
    found: Counter[int] = Counter()
    for faces, count in ways(shoe).items():
        found[test.level(faces, numbers, totals)] += count
    return found


def house_edge(offer: Offer, shoe: Shoe = DICE) -> Edge:
    """The exact edge of one wager: 1 lost on each losing outcome, the odds won on each winning one."""
    levels = _ways_by_level(offer.condition.test, offer.condition.totals, offer.numbers, shoe)
    of = levels.total()
    won = sum(levels[level] for level in offer.odds)
    paid = sum((levels[level] * odds for level, odds in offer.odds.items()), Fraction(0))
    return Edge(offer.wager, offer_odds_text(offer), won, of, (of - won - paid) / of)


def layout_edges(rulebook: Rulebook, layout: Layout, decks: int | None = None) -> list[Edge]:
    """The edge of every wager of a layout, in the layout's order."""
    shoe = shoe_of(rulebook, decks)
    return [house_edge(offer, shoe) for offer in layout.offers.values()]


def player_advantages(rulebook: Rulebook, layout: Layout) -> list[Edge]:
    """The wagers of a layout on which the house has no edge (0 or below), with any allowed decks."""
    allowed = rulebook.decks
    found: dict[str, Edge] = {}
    for decks in range(allowed.minimum, allowed.maximum + 1) if allowed else (None,):
        for edge in layout_edges(rulebook, layout, decks):
            if edge.edge <= 0 and (edge.wager not in found or edge.edge < found[edge.wager].edge):
                found[edge.wager] = edge
    return list(found.values())


def offer_odds_text(offer: Offer) -> str:
    """The odds of a wager: `"64"`; `"1, 2, 12"`, one for each number of dice, if they depend on it."""
    texts = [odds_text(offer.odds[level]) for level in sorted(offer.odds)]
    return texts[0] if len(set(texts)) == 1 else ", ".join(texts)


@cache
def odds_text(odds: Fraction) -> str:
    """Exact text of odds: decimal where it ends (`"11.5"`), else a fraction (`"20/3"`)."""
    for places in range(5):
        if 10**places % odds.denominator == 0:
            return decimal_text(odds, places)
    return str(odds)


def decimal_text(number: Fraction, places: int) -> str:
    """A fraction that has at most `places` decimals, as decimal text with exactly that many."""
    scaled = number * 10**places
    if scaled.denominator != 1:
        raise ValueError(f"{number} has more than {places} decimals")
    digits = f"{abs(scaled.numerator):0{places + 1}d}"
    sign = "-" if number < 0 else ""
    return f"{sign}{digits[:-places]}.{digits[-places:]}" if places else f"{sign}{digits}"
