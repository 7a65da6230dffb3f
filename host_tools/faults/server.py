"""The table server of a simulated table: plays rounds, places wagers, and asks again until it is answered.

It outlives the host's process. What it was answered is what a player was told, and what a run is judged by.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable
from random import Random
from typing import Protocol, TypeVar

from host_tools.bridge.errors import BridgeError, DeviceRefusal, ReplyBelied, WrongStep
from host_tools.bridge.events import RoundOutcome
from host_tools.bridge.table import Table, Wager
from host_tools.faults.device import PromiseBroken
from host_tools.ledger import LedgerUnavailable
from host_tools.link import LinkError

_AGAIN_S = 1.0
# What leaves it open how the round stands: then, and only then, the service recovers, and so does this.
_DOUBTS = (DeviceRefusal, ReplyBelied, LinkError)
_INTERRUPTIONS = (BridgeError, LinkError, LedgerUnavailable)

Key = tuple[bytes, str]
T = TypeVar("T")


class HasTable(Protocol):
    """What a table server needs of its host."""

    table: Table


class TableServer:
    """`asked`: each wager by round and id, as it was sent; `registered` and `withdrawn`: the last answers.

    `outcomes`: what was told of each round; `asked_again`: batches whose answer a dead host never gave;
    `store_lost`: answers that the store could not be written; `stopping`: end after the round that is played;
    `rested`: so it was done; `closed`: the host may go.
    """

    thinking_s = 1.0, 12.0  # until a player's next wagers
    pause_s = 10.0, 30.0  # between rounds: a table plays some 80 an hour

    def __init__(self, rng: Random) -> None:
        self.asked: dict[Key, Wager] = {}
        self.registered: dict[Key, bool] = {}
        self.withdrawn: dict[Key, bool] = {}
        self.outcomes: dict[bytes, RoundOutcome] = {}
        self.concluded_at = 0.0
        self.asked_again = 0
        self.store_lost = 0
        self.stopping = False
        self.rested = asyncio.Event()
        self.closed = asyncio.Event()
        self._rng = rng
        self._batches: list[tuple[bytes, list[Wager]]] = []  # that wait for their answer
        self._withdrawals: list[tuple[bytes, list[str]]] = []

    # --- rounds

    async def play(self, house: HasTable) -> None:
        """Conclude what is open, then play until told to stop."""
        table = house.table
        await self._ask_all(table)
        await self._recover(table)
        while not self.stopping:
            await self._play_one(table)
            await asyncio.sleep(self._rng.uniform(*self.pause_s))
        await self._decide(table)
        self.rested.set()
        await self.closed.wait()

    async def concluded(self, count: int) -> None:
        """Return when so many rounds have come to an end."""
        while len(self.outcomes) < count:  # noqa: ASYNC110 - virtual time
            await asyncio.sleep(1)

    @property
    def waiting(self) -> bool:
        """Whether an answer has not come yet."""
        return bool(self._batches or self._withdrawals)

    async def _play_one(self, table: Table) -> None:
        try:
            await table.ready()
            self._learn(await table.play_round(self._bet))
        except DeviceRefusal as refusal:
            if refusal.status == "faulted":
                await self._clear(table, refusal.detail)
            await asyncio.sleep(_AGAIN_S)
            await self._recover(table)
        except _DOUBTS:
            await asyncio.sleep(_AGAIN_S)
            await self._recover(table)
        except (BridgeError, LedgerUnavailable):
            await asyncio.sleep(_AGAIN_S)
            await self._go_on(table)
        await self._bet_late(table)
        await self._decide(table)

    async def _go_on(self, table: Table) -> None:
        """Take the steps that the open round still needs; one may have failed as the store was away."""
        while table.round is not None:
            try:
                self._learn(await self._finish(table))
            except _DOUBTS:
                await asyncio.sleep(_AGAIN_S)
                await self._recover(table)
            except (BridgeError, LedgerUnavailable):
                await asyncio.sleep(_AGAIN_S)

    @staticmethod
    async def _finish(table: Table) -> RoundOutcome:
        steps = table.bets_open, table.no_more_bets
        if table.config.terms.rulebook.play_mode == "covered":
            steps = table.tumble, *steps
        for step in steps:
            with contextlib.suppress(WrongStep):  # it is taken, or the round has ended
                await step()
        return await table.finish_round()

    async def _recover(self, table: Table) -> None:
        """Find out how the open round stands, and bring it to its end."""
        while True:
            try:
                outcome = await table.recover()
                if outcome is None and table.round is not None:
                    outcome = await table.finish_round()
                if outcome is not None:
                    self._learn(outcome)
                return
            except _INTERRUPTIONS:
                await asyncio.sleep(_AGAIN_S)

    async def _clear(self, table: Table, fact: str) -> None:
        """Somebody has looked: the fault may be cleared."""
        with contextlib.suppress(*_INTERRUPTIONS):  # still present, or not for now: the next round will tell
            await table.clear_fault(fact)

    async def _decide(self, table: Table) -> None:
        """The shift manager voids what the rules leave to people."""
        for round_ in table.desk.referred():
            if self._rng.random() < 0.5 or self.stopping:
                outcome = await self._until_done(
                    lambda id=round_.id: table.desk.void_referred(
                        id, "Shift Manager", "the rules leave it open"
                    )
                )
                self.outcomes[outcome.round] = outcome
                self.keep()

    def keep(self) -> None:
        """Something has changed: what lives in a process that may be killed writes itself down."""

    def _learn(self, outcome: RoundOutcome) -> None:
        self.outcomes[outcome.round] = outcome
        self.concluded_at = asyncio.get_running_loop().time()
        self.keep()

    # --- wagers

    async def _bet(self, table: Table) -> None:
        round_id = table.round
        if round_id is None:
            return
        for _ in range(self._rng.randint(0, 3)):
            await asyncio.sleep(self._rng.uniform(*self.thinking_s))
            await self._place(table, round_id, self._new_batch(round_id))
            if self._rng.random() < 0.15:
                await self._withdraw(table, round_id)

    async def _bet_late(self, table: Table) -> None:
        """Somebody does not know that the round is over."""
        if self.outcomes and self._rng.random() < 0.1:
            round_id = next(reversed(self.outcomes))
            await self._place(table, round_id, self._new_batch(round_id))

    def _new_batch(self, round_id: bytes) -> list[Wager]:
        batch = [self._new_wager() for _ in range(self._rng.randint(1, 5))]
        self.asked.update({(round_id, each.id): each for each in batch})
        return batch

    def _new_wager(self) -> Wager:
        rng = self._rng
        one, other = sorted(rng.sample(range(1, 7), 2))
        even = ("small", "big", "odd", "even", "any-triple")
        numbered = (f"triple:{one}", f"double:{other}", f"single:{one}", f"domino:{one}-{other}")
        name = rng.choice((*even, *numbered, f"total:{rng.randint(4, 17)}"))
        if rng.random() < 0.02:
            name = "total:3"  # which no layout offers
        player = rng.choice(("Ann", "Ben", "Cy"))
        return Wager(f"{len(self.asked)}.{rng.randrange(1 << 30)}", player, name, str(rng.randint(1, 200)))

    async def _place(self, table: Table, round_id: bytes, batch: list[Wager]) -> None:
        """Ask, and ask again until there is an answer; sometimes once more after it."""
        self._batches.append((round_id, batch))
        self.keep()
        for _ in range(self._rng.choice((1, 1, 1, 1, 2))):
            await self._ask_to_place(table, round_id, batch)
        self._batches.remove((round_id, batch))
        self.keep()

    async def _withdraw(self, table: Table, round_id: bytes) -> None:
        mine = [id for (round_, id), taken in self.registered.items() if round_ == round_id and taken]
        if not mine:
            return
        chosen = self._rng.sample(mine, self._rng.randint(1, len(mine)))
        self._withdrawals.append((round_id, chosen))
        self.keep()
        await self._ask_to_withdraw(table, round_id, chosen)
        self._withdrawals.remove((round_id, chosen))
        self.keep()

    async def _ask_all(self, table: Table) -> None:
        """A host is there again: ask for every answer that never came."""
        while self._batches:
            round_id, batch = self._batches[0]
            await self._ask_to_place(table, round_id, batch)
            self._batches.pop(0)
            self.keep()
            self.asked_again += 1
        while self._withdrawals:
            round_id, ids = self._withdrawals[0]
            await self._ask_to_withdraw(table, round_id, ids)
            self._withdrawals.pop(0)
            self.keep()
            self.asked_again += 1

    async def _ask_to_place(self, table: Table, round_id: bytes, batch: list[Wager]) -> None:
        for each in await self._until_done(lambda: table.place(round_id, batch)):
            self._told(self.registered, (round_id, each.id), each.registered)

    async def _ask_to_withdraw(self, table: Table, round_id: bytes, ids: list[str]) -> None:
        for each in await self._until_done(lambda: table.withdraw(round_id, ids)):
            self._told(self.withdrawn, (round_id, each.id), each.withdrawn)

    async def _until_done(self, ask: Callable[[], Awaitable[T]]) -> T:
        """The answer, however long the store is away."""
        while True:
            try:
                return await ask()
            except LedgerUnavailable:
                self.store_lost += 1
                await asyncio.sleep(_AGAIN_S)

    @staticmethod
    def _told(answers: dict[Key, bool], key: Key, answer: bool) -> None:
        if answers.get(key) and not answer:
            raise PromiseBroken(f"wager {key[1]} of round {key[0].hex()} was taken, and now it was not")
        answers[key] = answer
