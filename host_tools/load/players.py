"""The table server of all tables: it bets in every round that it hears of, and keeps what it was answered.

A batch without an answer is asked again with the same ids until there is one, as a table server must.
"""

import asyncio
import time
from collections import Counter
from random import Random

from host_tools.client import EventView, HttpTables, Refused, Unreachable, Wager

BATCH = 10  # wagers
ENDS = ("round-settled", "round-void", "round-referred")
_AGAIN_S = 0.5
_FINAL = 500  # a refusal below is the caller's fault, but for these two
_WAIT = (429,)

Key = tuple[bytes, str]


class Players:
    """`asked`, `registered` and `withdrawn` are as those of faults.server.TableServer; `told` are the durable
    events as (number, kind, round); `betted` counts wagers by round.

    `placing_s`: how long each answer to a batch took; `announcing_ms`: from a settlement's time to its event.
    """

    def __init__(self, tables: HttpTables, wagers: int, rng: Random, betting_s: float) -> None:
        self.asked: dict[Key, Wager] = {}
        self.registered: dict[Key, bool] = {}
        self.withdrawn: dict[Key, bool] = {}
        self.told: list[tuple[int, str, str | None]] = []
        self.betted: Counter[str] = Counter()
        self.placing_s: list[float] = []
        self.announcing_ms: list[float] = []
        self.asked_again = 0
        self.stopping = False
        self._tables = tables
        self._wagers = wagers
        self._rng = rng
        self._betting_s = betting_s
        self._bets: set[asyncio.Task[None]] = set()

    async def follow(self) -> None:
        """Hear of all that happens and bet, until cancelled; raises what a bet raised."""
        async for event in self._tables.follow(0):
            self._hear(event)
            for bet in [each for each in self._bets if each.done()]:
                self._bets.discard(bet)
                bet.result()

    async def rest(self) -> None:
        """Bet no more, and return when every answer is there."""
        self.stopping = True
        await asyncio.gather(*self._bets)

    def _hear(self, event: EventView) -> None:
        if event.sequence is not None:
            self.told.append((event.sequence, event.kind, event.round))
        if event.kind in ENDS:
            self.announcing_ms.append(time.time() * 1000 - event.at_ms)
        if event.kind == "bets-open" and event.round is not None and not self.stopping:
            self._bets.add(asyncio.create_task(self._bet(event.table, event.round)))

    async def _bet(self, table: str, round_id: str) -> None:
        wagers = [self._new_wager() for _ in range(self._wagers)]
        for batch in (wagers[at : at + BATCH] for at in range(0, len(wagers), BATCH)):
            await asyncio.sleep(self._rng.uniform(0, 0.6 * self._betting_s * BATCH / self._wagers))
            await self._place(table, round_id, batch)
        if self._rng.random() < 0.1:
            await self._withdraw(table, round_id, [each.id for each in wagers[:3]])

    def _new_wager(self) -> Wager:
        rng = self._rng
        one, other = sorted(rng.sample(range(1, 7), 2))
        even = ("small", "big", "odd", "even", "any-triple")
        name = rng.choice(
            (*even, f"triple:{one}", f"double:{other}", f"single:{one}", f"domino:{one}-{other}")
        )
        player = f"player {rng.randrange(300)}"
        return Wager(f"{rng.randrange(1 << 48):x}", player, name, str(rng.randint(1, 200)))

    async def _place(self, table: str, round_id: str, batch: list[Wager]) -> None:
        round_ = bytes.fromhex(round_id)
        self.asked.update({(round_, each.id): each for each in batch})
        began = time.perf_counter()
        answers = await self._answered(lambda: self._tables.place(table, round_id, batch))
        self.placing_s.append(time.perf_counter() - began)
        self.registered.update({(round_, each.id): each.registered for each in answers})
        self.betted[round_id] += sum(each.registered for each in answers)

    async def _withdraw(self, table: str, round_id: str, ids: list[str]) -> None:
        answers = await self._answered(lambda: self._tables.withdraw(table, round_id, ids))
        self.withdrawn.update({(bytes.fromhex(round_id), each.id): each.withdrawn for each in answers})

    async def _answered(self, ask):
        while True:
            try:
                return await ask()
            except Unreachable:
                pass
            except Refused as refused:
                if refused.status < _FINAL and refused.status not in _WAIT:
                    raise
            self.asked_again += 1
            await asyncio.sleep(_AGAIN_S)
