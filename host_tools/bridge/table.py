"""One table: open a round, take wagers, no more bets, tumble, and wait for what the records prove."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from host_tools import ledger, link
from host_tools.bridge.batches import Batches
from host_tools.bridge.by import BRIDGE, By, durably_noted, note, noted
from host_tools.bridge.conclusion import outcome_of, refer_lost, void_unopened
from host_tools.bridge.config import TableConfig
from host_tools.bridge.desk import Desk
from host_tools.bridge.errors import DeviceRefusal, ReplyBelied, RoundEnded, WrongStep
from host_tools.bridge.events import (
    AtRest,
    DeviceConnected,
    DeviceLost,
    DeviceRefused,
    Event,
    RecordDropped,
    RoundOutcome,
    StoreBack,
    StoreLost,
    StrokeCounted,
)
from host_tools.bridge.examining import Examination, Examiner
from host_tools.bridge.feed import Feed
from host_tools.bridge.pictures import Pictures
from host_tools.bridge.session import NewSession
from host_tools.bridge.sink import LedgerSink
from host_tools.bridge.terms import new_round
from host_tools.bridge.trust import Trust
from host_tools.bridge.wagering import Wager, WagerAnswer, WithdrawalAnswer
from host_tools.ledger import Ledger, LedgerUnavailable
from host_tools.link.tasks import together
from host_tools.rulebooks import TERMINAL_FACTS
from host_tools.settlement import Table as Terms

_SETTLING_PAUSE_S = 0.05  # between two tries to close bets while the dice still come to rest

Betting = Callable[["Table"], Awaitable[None]]
Conclude = Callable[[Ledger, ledger.Round, Terms, int], RoundOutcome]


class Table:
    """A table and its tumbler. One round at a time; every step rests on the ledger, never on hope.

    Order of the steps: covered play `open_round`, `tumble`, `bets_open`, `place`..., `no_more_bets`,
    `result`; open play `open_round`, `place`..., `no_more_bets`, `tumble`, `result`. `run` keeps the link up.
    A step out of order raises `WrongStep`, one in a round that has ended `RoundEnded`, one that the device
    refuses `DeviceRefusal`, one whose reply was not true `ReplyBelied`; the link's errors pass through, and
    `recover` finds out what was done. Steps are taken `by` somebody, for the access log.
    """

    def __init__(
        self,
        config: TableConfig,
        sink: LedgerSink,
        new_session: NewSession,
        clock: link.Clock,
        new_round_id: Callable[[], bytes],
    ) -> None:
        """`sink` is also the session's; `new_round_id` gives 16 fresh random bytes.

        Raises DeviceUnknown, and LedgerInUse when another bridge has the table."""
        self.config = config
        self._books = sink.books
        self._sink = sink
        self._clock = clock
        self._new_round_id = new_round_id
        self._status: dict[str, Any] | None = None
        self._trust = Trust()
        self._changed = asyncio.Event()
        self._feed = Feed()
        self._batches = Batches(self._books, config.name, config.terms, self._follow)
        self._books.device(config.device)
        self._books.hold(config.name)
        self.desk = Desk(config.name, config.device, sink)
        if config.examination and config.examination.holds:
            sink.hold_readings(config.device)
        sink.seat(config.device, config.name)
        sink.listen(config.device, self._follow)
        self._examiner = self._new_examiner(config.examination) if config.examination else None
        self._session = new_session(only=config.device, on_status=self._on_status, on_event=self._on_link)

    async def run(self) -> None:
        """Keep the link to the device, and look at the evidence, until cancelled; an error of the ledger ends
        it too."""
        if self._examiner is None:
            await self._session.run()
        else:
            await together(self._session.run(), self._examiner.run(self._session.questions))

    @property
    def pictures(self) -> Pictures | None:
        """The evidence of its rounds; None at a table without an examination."""
        return self._examiner.pictures if self._examiner else None

    @property
    def round(self) -> bytes | None:
        """Id of the round that is not concluded yet, or None."""
        current = self._books.current_round(self.config.name)
        return current.id if current else None

    def events(self) -> AsyncIterator[Event]:
        """What happens from now on, for one display; raises `EventsOverrun` when its reader is too slow."""
        return self._feed.follow()

    # --- the steps of a round ---

    async def ready(self) -> None:
        """Wait until a round can be opened: in covered play, until the device sees the cover closed."""
        if self.config.terms.rulebook.play_mode == "covered":
            await self._until(lambda: self._status is not None and self._status.get("covered", True))

    async def open_round(self, by: By = BRIDGE) -> bytes:
        """Open a round on the device; returns its id once the device's record is durable."""
        current = self._books.current_round(self.config.name)
        if current is not None:
            raise WrongStep(f"round {current.id.hex()} goes on; await its result, void it or recover")
        round_id, now_ms = self._new_round_id(), self._clock.wall_ms()
        opening = new_round(round_id, self.config.name, self.config.device, self.config.terms, now_ms)
        work = partial(self._books.open_round, opening)
        await durably_noted(self._books, by, "open-round", round_id, now_ms, work)
        reply = await self._command("open-round", round=round_id, mode=opening.mode)
        if reply.status != "done":
            await self._void_unopened(round_id)
            raise DeviceRefusal("open-round", reply.status, reply.detail)
        await self._until_shown("open-round", lambda: self._state(round_id) != "opening")
        return round_id

    async def bets_open(self) -> None:
        """Wait until wagers are accepted (covered play: the tumble is recorded). Raises RoundEnded."""
        round_ = self._current()
        await self._until(lambda: self._state(round_.id) not in ("opening", "opened"))
        self._require(round_.id, "betting")

    async def place(self, round_id: bytes, wagers: Sequence[Wager], by: By = BRIDGE) -> list[WagerAnswer]:
        """Register a batch, all or nothing, durably before the answers, which are in the batch's order.

        `round_id` names the round, so that a batch sent again late gets its old answer, never a new round.
        """
        return await self._batches.place(round_id, wagers, by, self._clock.wall_ms())

    async def withdraw(
        self, round_id: bytes, wager_ids: Sequence[str], by: By = BRIDGE
    ) -> list[WithdrawalAnswer]:
        """Withdraw a batch before no more bets, all or nothing, durably before the answers; as `place`."""
        return await self._batches.withdraw(round_id, wager_ids, by, self._clock.wall_ms())

    async def close_bets(self, round_id: bytes, by: By = BRIDGE) -> None:
        """Close bets in the ledger alone: no wager is taken any more. Raises RoundEnded, WrongStep."""
        await self._books.durably(partial(self._close_bets, round_id, by, self._clock.wall_ms()))

    async def no_more_bets(self, by: By = BRIDGE) -> None:
        """Close bets in the ledger, then on the device; returns once the device's record is durable."""
        round_ = self._current()
        await self.close_bets(round_.id, by)
        reply = await self._command("no-more-bets", round=round_.id)
        while reply.status == "wrong-state" and reply.state == "settling":
            await self._clock.sleep(_SETTLING_PAUSE_S)
            reply = await self._command("no-more-bets", round=round_.id)
        self._require_done("no-more-bets", round_.id, reply)
        await self._until_shown("no-more-bets", lambda: self._state(round_.id) != "closing")

    async def tumble(self, by: By = BRIDGE) -> None:
        """Start the strokes; returns when the device has accepted the command, before they are done."""
        round_, now_ms = self._current(), self._clock.wall_ms()
        in_time = partial(self._require, round_.id, "opened" if round_.mode == "covered" else "closed")
        await durably_noted(self._books, by, "tumble", round_.id, now_ms, in_time)
        reply = await self._command("tumble", round=round_.id)
        self._require_done("tumble", round_.id, reply)

    async def result(self) -> RoundOutcome:
        """Wait until the current (or else the latest) round is settled, void or referred."""
        latest = self._books.latest_round(self.config.name)
        if latest is None:
            raise WrongStep("no round has been opened at this table")
        return await self._outcome(latest.id)

    async def void_round(
        self, fact: str = "host-void", decided_by: str = "", by: By = BRIDGE
    ) -> RoundOutcome:
        """Have the device end the round without a result, and wait for the outcome.

        `fact` is the reason that the rulebook rules on, `decided_by` the person behind it: where the
        rulebook refers the fact, the round is void only with a name, and referred without one. A reading that
        the device established first stands. Raises UnknownFactError, WrongStep."""
        round_ = self._current()
        if round_.state == "held":
            raise WrongStep("the reading waits for its evidence: release the round or refer it")
        if fact in TERMINAL_FACTS:
            raise WrongStep(f"{fact} concerns the wagers of one terminal; it does not void the round")
        refers = self.config.terms.rulebook.ruling(fact).action == "refer" and not decided_by
        now_ms, by = self._clock.wall_ms(), replace(by, told={"fact": fact, **by.told})
        order = partial(self._books.order_void, ledger.VoidOrder(round_.id, fact, decided_by, now_ms))
        action = "refer" if refers else "order-void"
        await durably_noted(self._books, by, action, round_.id, now_ms, order)
        reply = await self._command("void-round", round=round_.id)
        if reply.status != "done" and self._is_open(round_.id):
            raise DeviceRefusal("void-round", reply.status, reply.detail)
        return await self._outcome(round_.id)

    async def clear_fault(self, fact: str, by: By = BRIDGE) -> None:
        """Have the device re-check and clear a latched fault; returns once its record is durable."""
        now_ms = self._clock.wall_ms()
        await self._books.durably(
            partial(note, self._books, self.config.name, by, "clear-fault", {"fault": fact}, {}, now_ms)
        )
        reply = await self._command("clear-fault", fact=fact)
        if reply.status != "done":
            raise DeviceRefusal("clear-fault", reply.status, reply.detail)

    async def change_dice(self, dice_set: str, by: By = BRIDGE) -> None:
        """Have the device sign that `dice_set` lies in it now, which must be between rounds; rounds before no
        longer count as played with the dice that follow. Raises WrongStep."""
        if self._books.current_round(self.config.name) is not None:
            raise WrongStep("a round goes on: change the dice after its end")
        now_ms, told = self._clock.wall_ms(), {"dice_set": dice_set}
        await self._books.durably(
            partial(note, self._books, self.config.name, by, "change-dice", {}, told, now_ms)
        )
        reply = await self._command("change-dice-set", dice_set=dice_set)
        if reply.status != "done":
            raise DeviceRefusal("change-dice-set", reply.status, reply.detail)

    # --- whole rounds ---

    async def play_round(self, betting: Betting) -> RoundOutcome:
        """One whole round in the rulebook's play mode. `betting(table)` runs while bets are open: it places
        wagers and returns when the betting time is over. A round may end before bets open; then `betting` is
        not called. Neither a device that restarts in between nor a reply that was not true ends the call: the
        records decide."""
        try:
            await self.open_round()
            if self.config.terms.rulebook.play_mode == "covered":
                await self.tumble()
            await self.bets_open()
            await betting(self)
            await self.no_more_bets()
        except RoundEnded:
            return await self.result()
        except (link.DeviceRestarted, ReplyBelied):
            return await self.recover() or await self.finish_round()
        return await self.finish_round()

    async def finish_round(self) -> RoundOutcome:
        """Drive the round from closed bets to its outcome: in open play tumble first, then wait."""
        current = self._books.current_round(self.config.name)
        if current is not None and current.mode == "open" and not self._sink.standing(current).tumbled:
            try:
                await self.tumble()
            except (link.DeviceRestarted, ReplyBelied):
                return await self.recover() or await self.finish_round()
            except RoundEnded:
                return await self.result()
            except DeviceRefusal as refusal:
                if refusal.status != "wrong-state":  # the tumble runs already, by an earlier command
                    raise
        return await self.result()

    async def recover(self) -> RoundOutcome | None:
        """Conclude what an earlier run left open, once the device has told all its records, before play.

        A round whose bets were closed, or that is held, stays open for `finish_round`; one whose bets were
        not closed is void as `host-lost`; so is one that the device never opened; one that it no longer
        knows is referred.
        Returns the outcome of a round concluded here, None when none was left open."""
        before = self._books.current_round(self.config.name)
        status = await self._told_everything()
        current = self._books.current_round(self.config.name)
        playing = status.get("round")
        if playing is not None and (current is None or current.id != playing):
            await self._command("void-round", round=playing)  # a round that is not in this ledger, or is over
        if current is None:
            return outcome_of(self._books, self._books.round(before.id)) if before else None
        if current.state == "held":
            return None
        if current.state == "opening":
            return await self._void_unopened(current.id) or await self.recover()
        if playing != current.id:
            return await self._end(current, "refer-lost", refer_lost) or await self.recover()
        if current.state == "closed":
            return None
        return await self.void_round("host-lost")

    # --- inside ---

    def _new_examiner(self, examination: Examination) -> Examiner:
        config = self.config
        return Examiner(config.name, config.device, examination, self._sink, self._clock)

    async def _command(self, name: str, **arguments: Any) -> link.Reply:
        """Give a command and wait until every record up to its reply is in the ledger."""
        reply = await self._session.command(name, **arguments)
        await self._until_shown(name, lambda: self._sink.head(self.config.device)[0] >= reply.sequence)
        return reply

    async def _told_everything(self) -> dict[str, Any]:
        """What the device says in a conversation that begins now, once the ledger has all its records.

        A status of before may have been on its way for long, and tell of a device that had not yet heard of
        the round; and no command of before, that may be on its way yet, is carried out from now on."""
        self._require_trust()
        self._status = None
        await self._session.renew()

        def told() -> bool:
            return self._status is not None and self._sink.head(self.config.device)[0] == self._status["last"]

        await self._until(told)
        return self._status or {}

    async def _until_shown(self, command: str, holds: Callable[[], bool]) -> None:
        """`_until`, for what the reply to a command has promised. Raises ReplyBelied."""
        self._trust.on_reply()
        await self._until(lambda: holds() or self._trust.belies)
        if not holds():
            self._session.counters["untrue_replies"] += 1
            raise ReplyBelied(command)

    async def _until(self, holds: Callable[[], bool]) -> None:
        while not self._now(holds):
            self._require_trust()
            self._changed.clear()
            await self._changed.wait()

    def _require_trust(self) -> None:
        if self._trust.reason:
            raise link.DeviceQuarantined(self._trust.reason)

    def _now(self, holds: Callable[[], bool]) -> bool:
        """Whether it holds; not yet, while the store cannot be asked. The next status asks again."""
        try:
            return holds()
        except LedgerUnavailable:
            return False

    async def _outcome(self, round_id: bytes) -> RoundOutcome:
        await self._until(lambda: not self._is_open(round_id))
        return outcome_of(self._books, self._books.round(round_id))

    async def _void_unopened(self, round_id: bytes) -> RoundOutcome | None:
        return await self._end(self._books.round(round_id), "void-unopened", void_unopened)

    async def _end(self, seen: ledger.Round, action: str, conclude: Conclude) -> RoundOutcome | None:
        """Conclude a round without the device; None when it is not as it was `seen`."""
        now_ms = self._clock.wall_ms()
        return await self._books.durably(partial(self._conclude, seen, action, conclude, now_ms))

    def _conclude(
        self, seen: ledger.Round, action: str, conclude: Conclude, now_ms: int
    ) -> RoundOutcome | None:
        """Inside the transaction: a record of the round may have been committed just before it."""
        if self._state(seen.id) != seen.state:
            return None
        work = partial(conclude, self._books, seen, self.config.terms, now_ms)
        return noted(self._books, BRIDGE, action, seen.id, now_ms, work)

    def _close_bets(self, round_id: bytes, by: By, now_ms: int) -> None:
        """Inside the transaction: a record that ends the round may have been committed just before it."""
        self._require(round_id, "betting", "closing")
        if self._state(round_id) == "betting":
            close = partial(self._books.set_state, round_id, "closing", now_ms)
            noted(self._books, by, "no-more-bets", round_id, now_ms, close)

    def _state(self, round_id: bytes) -> str:
        return self._books.round(round_id).state

    def _is_open(self, round_id: bytes) -> bool:
        return self._books.round(round_id).is_open

    def _current(self) -> ledger.Round:
        current = self._books.current_round(self.config.name)
        if current is None:
            latest = self._books.latest_round(self.config.name)
            if latest is None:
                raise WrongStep("no round is open; open one first")
            raise RoundEnded(f"round {latest.id.hex()} is {latest.state}; open a new one")
        return current

    def _require(self, round_id: bytes, *states: str) -> None:
        round_ = self._books.round(round_id)
        if not round_.is_open:
            raise RoundEnded(f"round {round_id.hex()} is {round_.state}; open a new one")
        if round_.state not in states:
            raise WrongStep(f"the round is {round_.state}; this step needs it {' or '.join(states)}")

    def _require_done(self, command: str, round_id: bytes, reply: link.Reply) -> None:
        if reply.status == "done":
            return
        if not self._is_open(round_id):
            raise RoundEnded(f"round {round_id.hex()} is {self._state(round_id)}; open a new one")
        raise DeviceRefusal(command, reply.status, reply.detail)

    def _follow(self, event: Event) -> None:
        if isinstance(event, StoreLost | StoreBack):
            self._trust.stored = isinstance(event, StoreBack)
        self._feed.put(event)
        self._changed.set()

    def _on_status(self, status: dict[str, Any]) -> None:
        before, self._status = self._status or {}, status
        round_id = status.get("round")
        if round_id is not None and status["strokes"] and status["strokes"] != before.get("strokes"):
            self._feed.put(StrokeCounted(round_id, status["strokes"]))
        lying, lay = _dice_lie(status), _dice_lie(before)
        if round_id is not None and lying and not lay:
            self._feed.put(AtRest(round_id))
        believed = not self._trust.reason
        self._trust.on_status(status, self._sink.head(self.config.device)[0], self._clock.now())
        if believed and self._trust.reason:
            self._feed.put(DeviceRefused(self.config.device, self._trust.reason))
        self._changed.set()

    def _on_link(self, event: link.Event) -> None:
        self._trust.on_link(event)
        device = event.device or self.config.device
        if event.kind in ("connected", "restarted"):
            self._status = None  # told in an earlier conversation
            self._feed.put(DeviceConnected(device, event.boot or 0))
        elif event.kind == "renewed":
            self._status = None
        elif event.kind == "lost":
            self._feed.put(DeviceLost(device, event.reason))
        elif event.kind == "doubted":
            self._feed.put(RecordDropped(device, event.reason))
        else:
            self._feed.put(DeviceRefused(device, event.reason))
        self._changed.set()


def _dice_lie(status: dict[str, Any]) -> bool:
    """Whether the strokes of the round are done and the dice are at rest."""
    return bool(status.get("at_rest")) and status.get("state") in ("concealed", "closed", "reading")
