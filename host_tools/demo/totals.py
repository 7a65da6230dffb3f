"""Running totals of a table from the outcomes of its rounds, in exact decimals."""

from collections.abc import Sequence
from decimal import Decimal

from host_tools.bridge.events import RoundOutcome
from host_tools.bridge.table import Wager

_ZERO = Decimal("0.00")


def amount(value: Decimal) -> str:
    """Money as people read it and programs parse it: at least two decimals, never an exponent."""
    return f"{value:.2f}" if value == round(value, 2) else f"{value:f}"


class Totals:
    """What each player is up or down, what the house is, and what is held for rounds left to people."""

    def __init__(self, players: Sequence[str]) -> None:
        self.players = dict.fromkeys(players, _ZERO)
        self.house = _ZERO
        self.held = _ZERO

    def add(self, outcome: RoundOutcome, staked: Sequence[Wager]) -> None:
        """Take a round in. `staked` are its registered wagers: held when it is referred, which lists none."""
        if outcome.verdict == "referred":
            for wager in staked:
                self._move(wager.player, -Decimal(wager.stake))
                self.held += Decimal(wager.stake)
        for wager in outcome.wagers:
            gain = Decimal(wager.returned) - Decimal(wager.stake)
            self._move(wager.player, gain)
            self.house -= gain

    def as_json(self) -> dict:
        """`{"players": {name: net}, "house": net, "held": stakes}`, exact decimal text."""
        players = {name: amount(net) for name, net in self.players.items()}
        return {"players": players, "house": amount(self.house), "held": amount(self.held)}

    def _move(self, player: str, gain: Decimal) -> None:
        self.players[player] = self.players.get(player, _ZERO) + gain
