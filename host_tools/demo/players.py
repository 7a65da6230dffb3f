"""Simulated players: each has a betting style, draws from a seed, and names only what the layout offers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from host_tools.bridge.events import RoundOutcome
from host_tools.bridge.table import Wager
from host_tools.settlement import Table

Choice = tuple[str, int]
"""A wager and how many chips on it."""
Style = Callable[["Seat", Random], list[Choice]]

FIRST_CHIPS = 20
MOST_CHIPS = 320


@dataclass
class Seat:
    """A player at the table: who, how they bet, on what terms, and how many chips they go on with."""

    player: str
    style: Style
    terms: Table
    going: int = FIRST_CHIPS

    def wagers(self, seed: str) -> list[Wager]:
        """The wagers of one round; the same seed and the same rounds before give the same wagers."""
        chosen = self.style(self, Random(f"{seed}/{self.player}"))
        return [
            Wager(
                f"{self.player.lower()}-{number}",
                self.player,
                wager,
                self.terms.text(chips * self.terms.chip_unit),
            )
            for number, (wager, chips) in enumerate(chosen, start=1)
        ]

    def learn(self, outcome: RoundOutcome) -> None:
        """Take in how the round ended: twice the chips after a loss, the first stake again after a win."""
        results = {wager.result for wager in outcome.wagers if wager.player == self.player}
        if "won" in results:
            self.going = FIRST_CHIPS
        elif results == {"lost"}:
            self.going = min(2 * self.going, MOST_CHIPS)

    def offers(self, *kinds: str) -> list[str]:
        """Names of the layout's wagers of these kinds; all of its wagers when it has none of them."""
        offered = self.terms.layout.offers
        return [offer.wager for offer in offered.values() if offer.kind in kinds] or list(offered)


def flat(seat: Seat, rng: Random) -> list[Choice]:
    """Small or big, always the same stake."""
    return [(rng.choice(seat.offers("small", "big")), 40)]


def doubler(seat: Seat, rng: Random) -> list[Choice]:
    """Even chances, doubled after every loss."""
    return [(rng.choice(seat.offers("odd", "even", "small", "big")), seat.going)]


def triple_chaser(seat: Seat, rng: Random) -> list[Choice]:
    """A little on any triple, less on one of them."""
    return [(rng.choice(seat.offers("any-triple")), 10), (rng.choice(seat.offers("triple")), 1)]


def total_lover(seat: Seat, rng: Random) -> list[Choice]:
    """Two different totals."""
    return [(wager, rng.randint(10, 20)) for wager in rng.sample(seat.offers("total"), 2)]


def domino_player(seat: Seat, rng: Random) -> list[Choice]:
    """Up to three two-dice combinations."""
    return [(wager, 15) for wager in rng.sample(seat.offers("domino"), rng.randint(1, 3))]


def high_roller(seat: Seat, rng: Random) -> list[Choice]:
    """Combinations of three dice, now and then with an empty hand, which the table refuses."""
    chips = 0 if rng.random() < 0.15 else rng.choice((50, 100, 200))
    return [(rng.choice(seat.offers("four-number", "three-single", "double-single", "single")), chips)]


STYLES: dict[str, Style] = {
    "Mei": flat,
    "Arun": doubler,
    "Farah": triple_chaser,
    "Tomas": total_lover,
    "Wei": domino_player,
    "Ines": high_roller,
}


def seat_players(terms: Table) -> Sequence[Seat]:
    """One seat for each style."""
    return [Seat(player, style, terms) for player, style in STYLES.items()]
