"""A rulebook as the rest of the host sees it: layouts, odds, limits and rulings, each with its clause."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import NamedTuple, TypeVar

from host_tools.rulebooks.conditions import Condition, Faces
from host_tools.rulebooks.wagers import Numbers
from tumbler.definitions import FACTS

DICE_FACTS = tuple(FACTS)
"""What the device reports when a round ends without a result (before an outcome is established)."""

TERMINAL_FACTS = ("terminal-lost-registered", "terminal-lost-unregistered", "terminal-lost-unclear")
"""What happened to one terminal: the ruling is for its wagers alone, the round continues for all others."""

HOST_FACTS = ("interrupted-after-outcome", "wrong-result-registered", *TERMINAL_FACTS)
"""What the host itself finds on an electronic table, beyond the device's facts."""

CARD_FACTS = ("exposed-early", "foreign-card", "card-shortage", "card-excess", "shoe-exhausted")
"""What ends a round of cards without a result."""

ACTIONS = ("void", "void-affected", "refer", "settle-by-dice")


def decided_facts(play_mode: str) -> tuple[str, ...]:
    """The facts that a rulebook of this play mode must decide, all of them."""
    return CARD_FACTS if play_mode == "cards" else DICE_FACTS + HOST_FACTS


class UnknownLayoutError(KeyError):
    """The rulebook has no layout of that name; the message lists those it has."""

    def __str__(self) -> str:
        return self.args[0]


class UnknownLimitsError(UnknownLayoutError):
    """The rulebook has no limits of that name; the message lists those it has."""


class UnknownFactError(UnknownLayoutError):
    """The fact is none that the rulebook decides; the message lists those it decides."""


@dataclass(frozen=True)
class Ruling:
    """What the document says about a fact.

    `void`: all stakes of the round go back. `void-affected`: this round and every other one the fact touched.
    `refer`: a person decides. `settle-by-dice`: the round is settled by what the dice show.
    """

    fact: str
    action: str
    clause: str
    note: str = ""


@dataclass(frozen=True)
class Offer:
    """One wager that a layout offers. `odds` maps the win condition's level to exact odds "to one"."""

    wager: str
    kind: str
    numbers: Numbers
    condition: Condition
    odds: dict[int, Fraction]
    odds_clause: str

    def pays(self, faces: Faces) -> Fraction | None:
        """The odds at which this wager wins on three faces, or None when it loses."""
        return self.odds.get(self.condition.level(faces, self.numbers))

    @property
    def wins(self) -> str:
        """When this wager is paid, in words."""
        return self.condition.says(sorted(self.odds))


@dataclass(frozen=True)
class Section:
    """The wagers of one kind under the title that the terminal shows."""

    kind: str
    title: str
    offers: tuple[Offer, ...]

    @property
    def condition(self) -> Condition:
        """The win condition, the same for every wager of a section."""
        return self.offers[0].condition


@dataclass(frozen=True)
class Layout:
    """What one terminal offers. `panels` are the printed layout: panels side by side, of rows of wagers."""

    id: str
    title: str
    clause: str
    note: str
    sections: tuple[Section, ...]
    panels: tuple[tuple[tuple[str, ...], ...], ...]

    @cached_property
    def offers(self) -> dict[str, Offer]:
        """Every offered wager by its name, in the order of the sections."""
        return {offer.wager: offer for section in self.sections for offer in section.offers}

    def all_odds(self) -> set[Fraction]:
        """Every odds at which some wager of this layout is paid."""
        return {odds for offer in self.offers.values() for odds in offer.odds.values()}


class Maximum(NamedTuple):
    """The most that may be staked on a wager, in units of the currency."""

    stake: Fraction
    clause: str


@dataclass(frozen=True)
class Limits:
    """Stake limits in units of the currency: one minimum for all (by `clause`), a maximum by wager name."""

    id: str
    minimum: Fraction
    maxima: dict[str, Maximum]
    clause: str


@dataclass(frozen=True)
class Decks:
    """The cards of a card game: how many of each face a deck has, and how many decks are allowed."""

    each_face: int
    minimum: int
    maximum: int
    clause: str


@dataclass(frozen=True)
class Closing:
    """How bets are closed, and the clauses on wagers placed or withdrawn afterwards."""

    when: str
    clause: str
    late_clause: str
    withdrawn_clause: str


@dataclass(frozen=True)
class Rulebook:
    """One rule document. `manual_entry` is the clause by which a dealer enters the dice by hand, empty where
    the document has none; `digest` is the SHA-256 of the file it was read from, in lower-case hex."""

    id: str
    title: str
    operator: str
    jurisdiction: str
    effective: str
    play_mode: str
    play_clause: str
    minimum_tumbles: int
    tumbles_clause: str
    manual_entry: str
    referral: str
    referral_clause: str
    closing: Closing
    decks: Decks | None
    layouts: dict[str, Layout]
    limits: dict[str, Limits]
    irregularities: dict[str, Ruling]
    digest: str = field(repr=False)

    def layout(self, name: str) -> Layout:
        """The layout of that name; raises UnknownLayoutError, which lists the names."""
        return _named(self.layouts, name, UnknownLayoutError, f"{self.id} has no layout")

    def limits_named(self, name: str) -> Limits:
        """The stake limits of that name; raises UnknownLimitsError, which lists the names."""
        return _named(self.limits, name, UnknownLimitsError, f"{self.id} has no limits")

    def ruling(self, fact: str) -> Ruling:
        """What the document says about a fact; raises UnknownFactError, which lists the facts."""
        return _named(self.irregularities, fact, UnknownFactError, f"{self.id} decides no fact")

    def __iter__(self) -> Iterator[Layout]:
        return iter(self.layouts.values())


T = TypeVar("T")


def _named(things: dict[str, T], name: str, error: type[UnknownLayoutError], missing: str) -> T:
    if name not in things:
        raise error(f"{missing} {name!r}; it has: {', '.join(things) or 'none'}")
    return things[name]
