"""The same settlement for arrays: numpy payoff tables, each entry one answer of `settle_wager`."""

from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from host_tools.rulebooks.odds import MULTISETS
from host_tools.settlement.money import minor_from_text
from host_tools.settlement.settling import Outcome, OutcomeError, settle_wager
from host_tools.settlement.table import Table, Wager


class StakesError(ValueError):
    """Arrays that would not be settled exactly: nothing is; the message names the first wager at fault."""


class Payoffs(NamedTuple):
    """Minor units by wager: `payout` without the stake, `returned` with it; both 0 where the wager lost."""

    payout: NDArray[np.int64]
    returned: NDArray[np.int64]


class PayoffTable:
    """What each wager of a table gains on one chip unit, for each of the 56 multisets of faces."""

    def __init__(self, table: Table) -> None:
        """Asks the scalar function about every wager on every multiset (a few ten milliseconds)."""
        self.table = table
        self.wagers: tuple[str, ...] = tuple(table.layout.offers)
        self._drawn = "cards" if table.rulebook.play_mode == "cards" else "dice"
        self._numbers = {wager: number for number, wager in enumerate(self.wagers)}
        # The stake limits are checked against the arrays; one chip may be below them.
        unlimited = replace(table, limits=None)
        chip = table.text(table.chip_unit)
        self._gains: dict[tuple[int, ...], NDArray[np.int64]] = {}
        for faces in MULTISETS:
            outcome = Outcome(faces, self._drawn)
            results = (settle_wager(unlimited, outcome, Wager("any", wager, chip)) for wager in self.wagers)
            gains = [minor_from_text(result.payout, table.decimals) for result in results]
            self._gains[faces] = np.array(gains, dtype=np.int64)
        ranges = [table.stake_range(wager) for wager in self.wagers]
        self._lowest = np.array([lowest for lowest, _ in ranges], dtype=np.int64)
        self._highest = np.array([highest for _, highest in ranges], dtype=np.int64)

    def numbers(self, wagers: Iterable[str]) -> NDArray[np.int32]:
        """The number of each wager, for `settle`; raises StakesError for one the layout does not offer."""
        try:
            return np.fromiter(map(self._numbers.__getitem__, wagers), dtype=np.int32)
        except KeyError as error:
            raise StakesError(f"{error.args[0]!r} is not offered on {self.table.layout.id}") from error

    def settle(self, outcome: Outcome, wagers: NDArray[np.integer], stakes: NDArray[np.int64]) -> Payoffs:
        """Settle wagers by their numbers and stakes in minor units, arrays of one length.

        Raises StakesError if any number or stake is not acceptable: all of an array is settled, or nothing.
        """
        if outcome.drawn != self._drawn:
            raise OutcomeError(f"{self.table.rulebook.id} is played with {self._drawn}, not {outcome.drawn}")
        self._check(wagers, stakes)
        first, second, third = sorted(outcome.faces)
        gain = self._gains[first, second, third][wagers]
        payout = stakes // self.table.chip_unit * gain
        return Payoffs(payout, np.where(gain > 0, stakes + payout, 0))

    def _check(self, wagers: NDArray[np.integer], stakes: NDArray[np.int64]) -> None:
        if wagers.ndim != 1 or wagers.shape != stakes.shape:
            raise StakesError(f"need two arrays of one length, not {wagers.shape} and {stakes.shape}")
        if not np.issubdtype(wagers.dtype, np.integer) or stakes.dtype != np.int64:
            raise StakesError(f"need integer wagers and int64 stakes, not {wagers.dtype} and {stakes.dtype}")
        if not wagers.size:
            return
        count, chip = len(self.wagers), self.table.chip_unit
        _refuse_any((wagers < 0) | (wagers >= count), f"is no wager's number (0 to {count - 1})", wagers)
        _refuse_any(stakes < self._lowest[wagers], "is below the least stake", stakes)
        _refuse_any(stakes > self._highest[wagers], "is above the most", stakes)
        _refuse_any(stakes % chip != 0, f"is no multiple of the chip unit {chip}", stakes)


def _refuse_any(bad: NDArray[np.bool_], reason: str, values: NDArray[np.integer]) -> None:
    if bad.any():
        position = int(bad.argmax())
        raise StakesError(f"position {position}: {values[position]} {reason}; nothing was settled")
