"""Batches of wagers and withdrawals, durable with their entry of the access log before they are answered."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeVar

from host_tools import settlement
from host_tools.bridge import wagering
from host_tools.bridge.by import By, note
from host_tools.bridge.events import Event, WagersPlaced, WagersWithdrawn
from host_tools.bridge.wagering import Placed, Wager, WagerAnswer, WithdrawalAnswer, Withdrawn
from host_tools.ledger import Ledger

Batch = TypeVar("Batch", Placed, Withdrawn)


class Batches:
    """The wagers of one table under its terms; `tell` hears of what was new."""

    def __init__(
        self, books: Ledger, table: str, terms: settlement.Table, tell: Callable[[Event], None]
    ) -> None:
        self._books = books
        self._table = table
        self._terms = terms
        self._tell = tell

    async def place(self, round_id: bytes, wagers: Sequence[Wager], by: By, now_ms: int) -> list[WagerAnswer]:
        """Register a batch, all or nothing, durably before the answers, which are in the batch's order."""
        work = partial(wagering.place, self._books, round_id, wagers, self._terms, now_ms)
        placed = await self._books.durably(partial(self._noted, by, "place-wagers", round_id, now_ms, work))
        if placed.new:
            self._tell(WagersPlaced(round_id, len(placed.new), self._stake(placed)))
        return placed.answers

    async def withdraw(
        self, round_id: bytes, wager_ids: Sequence[str], by: By, now_ms: int
    ) -> list[WithdrawalAnswer]:
        """Withdraw a batch before no more bets, all or nothing, durably before the answers; as `place`."""
        work = partial(wagering.withdraw, self._books, round_id, wager_ids, self._terms, now_ms)
        done = await self._books.durably(partial(self._noted, by, "withdraw-wagers", round_id, now_ms, work))
        if done.new:
            self._tell(WagersWithdrawn(round_id, len(done.new), self._stake(done)))
        return done.answers

    def _stake(self, batch: Placed | Withdrawn) -> str:
        return self._terms.text(sum(each.stake for each in batch.new))

    def _noted(self, by: By, action: str, round_id: bytes, now_ms: int, work: Callable[[], Batch]) -> Batch:
        """Inside the transaction: what is answered again changes nothing and is not noted again."""
        done = work()
        if done.new:
            at = {"round": round_id.hex()}
            after = {**at, "ids": [each.id for each in done.new]}
            note(self._books, self._table, by, action, at, after, now_ms)
        return done
