"""A table's configuration: which layout it offers, in which money, and what it accepts as a wager."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import NamedTuple

from host_tools.rulebooks.model import Layout, Limits, Offer, Rulebook
from host_tools.rulebooks.odds import odds_text, player_advantages
from host_tools.rulebooks.wagers import MalformedWagerError, parse_wager
from host_tools.settlement.money import LARGEST_STAKE, MalformedAmountError, minor_from_text, text_from_minor

MOST_DECIMALS = 4
LONGEST_ID = 128

# JSON can spell halves of a surrogate pair alone; no file, database or reply could hold such an id.
_SURROGATE = re.compile("[\ud800-\udfff]")


class Wager(NamedTuple):
    """A wager as placed: an id unique in the round, a wager's name, a stake as exact decimal text."""

    id: str
    wager: str
    stake: str


def is_id(identity: object) -> bool:
    """Whether this can be the id of a wager: text of 1 to LONGEST_ID characters that UTF-8 can write."""
    return type(identity) is str and 0 < len(identity) <= LONGEST_ID and not _SURROGATE.search(identity)


class TableError(ValueError):
    """A table configuration that cannot be opened; the message says what to change."""


class ChipUnitError(TableError):
    """A chip unit that some odds of the layout would not pay exactly; the message names the odds."""


class PlayerAdvantageError(TableError):
    """The house has no edge on some wager and the configuration does not accept it; the message names it."""


class WagerRefusedError(ValueError):
    """A wager that the table does not take: the reason for the player, and the clause if a clause says so."""

    def __init__(self, reason: str, clause: str = "") -> None:
        self.reason = reason
        self.clause = clause
        super().__init__(reason)


@dataclass(frozen=True)
class Table:
    """An open table; make one with `open_table`. `chip_unit` is in minor units of the currency."""

    rulebook: Rulebook
    layout: Layout
    limits: Limits | None
    decimals: int
    chip_unit: int

    def accept(self, wager: Wager) -> tuple[Offer, int]:
        """What the wager is and its stake in minor units; raises WagerRefusedError."""
        if not is_id(wager.id):
            raise WagerRefusedError(f"malformed id: must be a text of 1 to {LONGEST_ID} Unicode characters")
        offer = self._offer(wager.wager)
        return offer, self._stake(offer, wager.stake)

    def check(self, wager: Wager) -> str | None:
        """Why the table would refuse this wager when it is placed, or None if it takes it."""
        try:
            self.accept(wager)
        except WagerRefusedError as refusal:
            return refusal.reason
        return None

    def _offer(self, name: str) -> Offer:
        if not isinstance(name, str):
            raise WagerRefusedError("malformed wager: must be text")
        offer = self.layout.offers.get(name)
        if offer is not None:
            return offer
        try:
            parse_wager(name)
        except MalformedWagerError as error:
            raise WagerRefusedError(f"malformed wager: {error}") from error
        raise WagerRefusedError(
            f"not on this layout: {name} is not offered on {self.layout.id}", self.layout.clause
        )

    def _stake(self, offer: Offer, text: str) -> int:
        if not isinstance(text, str):
            raise WagerRefusedError('malformed stake: must be decimal text, as "10" or "2.50"')
        try:
            stake = minor_from_text(text, self.decimals)
        except MalformedAmountError as error:
            raise WagerRefusedError(f"malformed stake: {error}") from error
        if stake % self.chip_unit:
            raise WagerRefusedError(f"not a multiple of the chip unit {self.text(self.chip_unit)}")
        lowest, highest = self.stake_range(offer.wager)
        limits = self.limits
        if stake < lowest:
            raise WagerRefusedError(
                f"outside limits: the least stake is {self.text(lowest)}", limits.clause if limits else ""
            )
        if stake > highest:
            raise WagerRefusedError(
                f"outside limits: the most on {offer.wager} is {self.text(highest)}",
                limits.maxima[offer.wager].clause if limits else "",
            )
        return stake

    def stake_range(self, wager: str) -> tuple[int, int]:
        """The least and the most stake on an offered wager, in minor units."""
        return self._stake_ranges[wager]

    @cached_property
    def _stake_ranges(self) -> dict[str, tuple[int, int]]:
        """By wager. Without limits: from one chip to the most that is settled."""
        if self.limits is None:
            return dict.fromkeys(self.layout.offers, (self.chip_unit, LARGEST_STAKE))
        unit = 10**self.decimals
        lowest = _whole(self.limits.minimum * unit)
        return {
            wager: (lowest, min(_whole(self.limits.maxima[wager].stake * unit), LARGEST_STAKE))
            for wager in self.layout.offers
        }

    def text(self, minor: int) -> str:
        """An amount of this table's money as decimal text."""
        return text_from_minor(minor, self.decimals)


def open_table(  # noqa: PLR0913 (a table has so many settings, all but the first two by name)
    rulebook: Rulebook,
    layout: str,
    *,
    limits: str | None = None,
    decimals: int = 2,
    chip_unit: str | None = None,
    accept_player_advantage: Iterable[str] = (),
) -> Table:
    """Configure a table, or refuse with TableError (or UnknownLayoutError, UnknownLimitsError).

    `decimals` are those of the currency. `chip_unit` is decimal text; every stake must be a multiple of it.
    It defaults to the smallest amount that all odds of the layout pay exactly. `accept_player_advantage` must
    name every wager on which the house has no edge, or the table does not open.
    """
    if type(decimals) is not int or not 0 <= decimals <= MOST_DECIMALS:
        raise TableError(f"decimals must be from 0 to {MOST_DECIMALS}, not {decimals!r}")
    chosen = rulebook.layout(layout)
    stakes = None if limits is None else rulebook.limits_named(limits)
    _accept_advantages(rulebook, chosen, frozenset(accept_player_advantage))
    smallest = _smallest_chip_unit(chosen, decimals)
    unit = smallest if chip_unit is None else _chip_unit(chosen, chip_unit, decimals, smallest)
    if stakes is not None:
        _check_limits(stakes, unit, decimals)
    return Table(rulebook, chosen, stakes, decimals, unit)


def _accept_advantages(rulebook: Rulebook, layout: Layout, accepted: frozenset[str]) -> None:
    advantages = {edge.wager: edge for edge in player_advantages(rulebook, layout)}
    open_ones = [edge for wager, edge in advantages.items() if wager not in accepted]
    if open_ones:
        named = "; ".join(f"{edge.wager} (house edge {edge.edge}, {edge.percent} %)" for edge in open_ones)
        raise PlayerAdvantageError(
            f"{rulebook.id} {layout.id}: the house has no edge on {named}; "
            "to open this table anyway, name each such wager in accept_player_advantage"
        )
    needless = accepted - advantages.keys()
    if needless:
        raise TableError(
            f"accept_player_advantage names {', '.join(sorted(needless))}, where the house has its edge; "
            "remove it"
        )


def _smallest_chip_unit(layout: Layout, decimals: int) -> int:
    """The least amount in minor units that every odds of the layout pays exactly."""
    all_odds = layout.all_odds()
    unit = lcm(*(odds.denominator for odds in all_odds))
    if unit > LARGEST_STAKE:
        fractions = ", ".join(odds_text(odds) for odds in sorted(all_odds) if odds.denominator > 1)
        most = text_from_minor(LARGEST_STAKE, decimals)
        raise ChipUnitError(f"no stake up to {most} is paid exactly at all of {fractions} to 1")
    return unit


def _chip_unit(layout: Layout, text: object, decimals: int, smallest: int) -> int:
    if not isinstance(text, str):
        raise ChipUnitError(f'the chip unit must be decimal text, as "0.50", not {text!r}')
    try:
        unit = minor_from_text(text, decimals)
    except MalformedAmountError as error:
        raise ChipUnitError(f"the chip unit {error}") from error
    if not 0 < unit <= LARGEST_STAKE:
        raise ChipUnitError(
            f"the chip unit must be above 0 and at most {text_from_minor(LARGEST_STAKE, decimals)}"
        )
    inexact = [odds for odds in layout.all_odds() if (unit * odds).denominator != 1]
    if inexact:
        named = ", ".join(f"{odds_text(odds)} to 1" for odds in sorted(inexact))
        raise ChipUnitError(
            f"a chip unit of {text} is not paid exactly at {named} with {decimals} decimals; "
            f"use a multiple of {text_from_minor(smallest, decimals)}"
        )
    return unit


def _check_limits(limits: Limits, chip_unit: int, decimals: int) -> None:
    """Limits must be amounts of the currency and payable in chips, or some wager could never be placed."""
    for amount in {limits.minimum, *(most.stake for most in limits.maxima.values())}:
        minor = amount * 10**decimals
        if minor.denominator != 1 or minor.numerator % chip_unit:
            raise TableError(
                f"limits {limits.id}: {odds_text(amount)} is no multiple of the chip unit "
                f"{text_from_minor(chip_unit, decimals)}"
            )


def _whole(number: Fraction) -> int:
    if number.denominator != 1:
        raise ArithmeticError(f"{number} is not whole; this would pay a wrong amount")
    return number.numerator
