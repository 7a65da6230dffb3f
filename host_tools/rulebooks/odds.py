"""Exact house edges, by enumeration of all throws of three dice or draws of three cards."""

from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, product
from typing import NamedTuple

from host_tools.rulebooks.conditions import Faces
from host_tools.rulebooks.model import Decks, Layout, Offer, Rulebook

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


@cache
def dice_ways() -> Mapping[Faces, int]:
    """How many of the 216 throws of three dice show each multiset."""
    return Counter(_ascending(throw) for throw in product(range(1, 7), repeat=3))


@cache
def card_ways(each_face: int) -> Mapping[Faces, int]:
    """How many draws of three cards show each multiset, from a shoe with `each_face` cards of every face."""
    in_order: Counter[Faces] = Counter()
    for a, b, c in product(range(1, 7), repeat=3):
        in_order[_ascending((a, b, c))] += (
            each_face * (each_face - (b == a)) * (each_face - (c == a) - (c == b))
        )
    return {faces: count // 6 for faces, count in in_order.items()}


def _ascending(faces: tuple[int, ...]) -> Faces:
    first, second, third = sorted(faces)
    return first, second, third


def ways(rulebook: Rulebook, decks: int | None = None) -> Mapping[Faces, int]:
    """The ways to each outcome of the game; `decks` (cards only) defaults to the most allowed."""
    allowed = rulebook.decks
    if allowed is None:
        if decks is not None:
            raise DecksError(f"{rulebook.id} is played with dice; decks have no meaning there")
        return dice_ways()
    return card_ways(allowed.each_face * check_decks(rulebook.id, allowed, decks))


def check_decks(name: str, allowed: Decks, decks: int | None) -> int:
    """The number of decks to use: the one given if it is allowed, or else the most allowed."""
    if decks is None:
        return allowed.maximum
    if not allowed.minimum <= decks <= allowed.maximum:
        raise DecksError(
            f"{name} is played with {allowed.minimum} to {allowed.maximum} decks "
            f"(clause {allowed.clause}), not {decks}"
        )
    return decks


def house_edge(offer: Offer, outcomes: Mapping[Faces, int]) -> Edge:
    """The exact edge of one wager: 1 lost on each losing outcome, the odds won on each winning one."""
    of = sum(outcomes.values())
    winning = {faces: odds for faces in outcomes if (odds := offer.pays(faces)) is not None}
    won = sum(outcomes[faces] for faces in winning)
    paid = sum((outcomes[faces] * odds for faces, odds in winning.items()), Fraction(0))
    return Edge(offer.wager, offer_odds_text(offer), won, of, (of - won - paid) / of)


def layout_edges(rulebook: Rulebook, layout: Layout, decks: int | None = None) -> list[Edge]:
    """The edge of every wager of a layout, in the layout's order."""
    outcomes = ways(rulebook, decks)
    return [house_edge(offer, outcomes) for offer in layout.offers.values()]


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
    """The odds of a wager, lowest level first: `"64"`; `"1, 2, 12"` if they depend on the number of dice."""
    return ", ".join(dict.fromkeys(odds_text(offer.odds[level]) for level in sorted(offer.odds)))


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
