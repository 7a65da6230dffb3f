"""Simulated players: each has a betting style, draws from a seed, and names only wagers that the layout offers."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from host_tools.bridge.events import RoundOutcome
from host_tools.rulebooks import Layout

CHIP = Decimal("0.50")  # every odds of the layouts pays it exactly in cents
MAXIMUM = Decimal("200.00")

Choice = tuple[str, Decimal]
Style = Callable[["Seat", random.Random], list[Choice]]


@dataclass
class Seat:
    """A player at the table: who, how they bet, what they may bet on, and the stake they go on with."""

    player: str
    style: Style
    layout: Layout
    going: Decimal = Decimal("10.00")

    def choose(self, seed: str) -> list[Choice]:
        """The wagers of one round as (wager, stake); the same seed gives the same wagers."""
        return self.style(self, random.Random(f"{seed}/{self.player}"))

    def after(self, outcome: RoundOutcome) -> None:
        """Learn how the round ended: the stake to go on with doubles after a loss, and starts again after a win."""
        results = {wager.result for wager in outcome.wagers if wager.player == self.player}
        if "won" in results:
            self.going = Decimal("10.00")
        elif results == {"lost"}:
            self.going *= 2

    def offers(self, *kinds: str) -> list[str]:
        """Names of the layout's wagers of these kinds; all of its wagers when it has none of them."""
        names = [offer.wager for offer in self.layout.offers.values() if offer.kind in kinds]
        return names or list(self.layout.offers)


def flat(seat: Seat, rng: random.Random) -> list[Choice]:
    """Small or big, always the same stake."""
    return [(rng.choice(seat.offers("small", "big")), Decimal("20.00"))]


def doubler(seat: Seat, rng: random.Random) -> list[Choice]:
    """Doubles after every loss, until the table's maximum refuses the stake; then starts again."""
    stake = seat.going
    if stake > MAXIMUM:
        seat.going = Decimal("10.00")
    return [(rng.choice(seat.offers("odd", "even", "small", "big")), stake)]


def triple_chaser(seat: Seat, rng: random.Random) -> list[Choice]:
    """A little on any triple, less on one of them."""
    return [
        (rng.choice(seat.offers("any-triple")), Decimal("5.00")),
        (rng.choice(seat.offers("triple")), CHIP),
    ]


def total_lover(seat: Seat, rng: random.Random) -> list[Choice]:
    """Two different totals."""
    return [(wager, CHIP * rng.randint(10, 20)) for wager in rng.sample(seat.offers("total"), 2)]


def domino_player(seat: Seat, rng: random.Random) -> list[Choice]:
    """One to three two-dice combinations."""
    return [(wager, Decimal("7.50")) for wager in rng.sample(seat.offers("domino"), rng.randint(1, 3))]


def high_roller(seat: Seat, rng: random.Random) -> list[Choice]:
    """Combinations of three dice, now and then for more than the table takes."""
    stake = MAXIMUM * 5 if rng.random() < 0.2 else Decimal(rng.choice(("25.00", "50.00", "100.00")))
    return [(rng.choice(seat.offers("four-number", "three-single", "double-single", "single")), stake)]


STYLES: dict[str, Style] = {
    "Mei": flat,
    "Arun": doubler,
    "Farah": triple_chaser,
    "Tomas": total_lover,
    "Wei": domino_player,
    "Ines": high_roller,
}


def seat_players(layout: Layout) -> Sequence[Seat]:
    """One seat for each style."""
    return [Seat(player, style, layout) for player, style in STYLES.items()]
