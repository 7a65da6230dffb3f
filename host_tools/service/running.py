"""A table of dice as it runs: its link, what people may do at it now, its pace, its stop without doubt.

One step at a time: what would wait for a tumbler that is away is refused, what takes long goes on and its
outcome comes as an event. Nothing here decides money; that is the bridge's and the ledger's.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, TypeVar

from host_tools import link
from host_tools.bridge import events as happenings
from host_tools.bridge.by import By
from host_tools.bridge.errors import BridgeError, DeviceRefusal, ReplyBelied, RoundEnded
from host_tools.bridge.session import Session
from host_tools.bridge.sink import LedgerSink
from host_tools.bridge.table import Table, TableConfig
from host_tools.ledger import LedgerError
from host_tools.link import HostSession
from host_tools.link.clock import done_by
from host_tools.service import steps
from host_tools.service.config import TableSettings
from host_tools.service.devices import Tumbler
from host_tools.service.errors import DeviceAway, NotNow, StillGoing
from host_tools.service.served import PAUSE_S, SERVICE, ServedTable
from host_tools.service.stream import Stream
from host_tools.service.telling import log_event
from host_tools.service.views import AlarmView, FaultView

STEP_S = 20.0  # how long a step is waited for; it goes on afterwards
_ALARMS = (happenings.EvidenceAlarm, happenings.AlarmAnswered, happenings.RoundCorrected)
_APART = (link.LinkError, DeviceRefusal, ReplyBelied)  # after these, tumbler and ledger may tell two stories

T = TypeVar("T")
_log = logging.getLogger(__name__)


class RunningTable(ServedTable[Table]):
    """One table of dice of the service; `alarms` are those that nobody has answered for."""

    def __init__(  # noqa: PLR0913, PLR0917 - what a table is made of
        self,
        settings: TableSettings,
        tumbler: Tumbler,
        sink: LedgerSink,
        clock: link.Clock,
        stream: Stream,
        new_round_id: Callable[[], bytes],
    ) -> None:
        super().__init__(settings, sink.books, clock, stream)
        self.settings = settings
        self.tumbler = tumbler
        self.alarms: tuple[AlarmView, ...] = ()
        self.session: Session
        self._sink = sink
        self._status: dict[str, Any] | None = None
        self._details: dict[str, str] = {}
        self._quarantine = ""
        self._recovered = False
        self._step: asyncio.Task[Any] | None = None
        self._tumbled = b""  # the round that was, before the tumbler's next status says so
        self._new_round_id = new_round_id
        self._take_table()

    def _make_table(self) -> Table:
        settings = self.settings
        config = TableConfig(self.name, self.tumbler.id, settings.terms, settings.examination)
        table = Table(config, self._sink, self._new_session, self._clock, self._new_round_id)
        self.alarms = _alarms(table)
        return table

    async def _prepare(self) -> None:
        await self.tumbler.start()

    def _parts(self) -> Sequence[Coroutine[Any, Any, None]]:
        return self.table.run(), self._keep_pace()

    async def _close_bets(self, round_id: bytes) -> None:
        await self.table.close_bets(round_id, SERVICE)

    async def _stand_still(self, failure: Exception) -> None:
        if self._step is not None:
            self._step.cancel()
        self._status, self._recovered = None, False
        await super()._stand_still(failure)

    def _new_session(self, on_status: Callable[[dict[str, Any]], None], **callbacks: Any) -> Session:
        def hear(status: dict[str, Any]) -> None:
            before, self._status = self._status, status
            on_status(status)
            self._changed.set()
            if before is None or _shown(before) != _shown(status):
                self._hint("table-changed", None, {})

        self.session = self.tumbler.new_session(self._sink, self._clock, on_status=hear, **callbacks)
        return self.session

    # --- what is so now ---

    @property
    def status(self) -> dict[str, Any] | None:
        """What the tumbler told last; None while it is away."""
        return self._status

    @property
    def quarantine(self) -> str:
        """Why the tumbler is not believed, or the table does not run here; empty when all is well."""
        return self._quarantine or self.failure or self.elsewhere

    @property
    def faults(self) -> tuple[FaultView, ...]:
        """The faults that are latched now."""
        names = self._status["faults"] if self._status else ()
        return tuple(FaultView(each, self._details.get(each, ""), steps.remedy_of(each)) for each in names)

    @property
    def step(self) -> str:
        """What comes next, one of steps.STEPS."""
        latest = self.latest
        return steps.next_step(
            play_mode=self.settings.terms.rulebook.play_mode,
            recovered=self._recovered,
            quarantined=bool(self.quarantine),
            status=self._status,
            latest=(latest.mode, latest.state) if latest else None,
            waiting=self._opens_none,
        )

    # --- steps ---

    async def open_round(self, by: By) -> bytes:
        """Open a round; its id."""

        async def work() -> bytes:
            self._require_may_open()
            if self.current is None:
                self.tumbler.before_round()
            round_id = await self.table.open_round(by)
            self.tumbler.cue("round-opened")
            return round_id

        return await self.take(work)

    async def tumble(self, round_id: bytes, by: By) -> None:
        """Start the strokes of the current round."""
        await self.take(lambda: self.in_round(round_id, lambda: self.table.tumble(by)))
        self._tumbled = round_id

    async def no_more_bets(self, round_id: bytes, by: By) -> None:
        """Close the current round's bets."""

        async def work() -> None:
            await self.in_round(round_id, lambda: self.table.no_more_bets(by))
            self.tumbler.cue("no-more-bets")

        await self.take(work)

    async def take(self, work: Callable[[], Awaitable[T]]) -> T:
        """Do one step at the tumbler. Raises NotNow, DeviceAway, StillGoing and whatever the step raises."""
        if self.quarantine:
            raise NotNow(self.quarantine)
        if self._step is not None and not self._step.done():
            raise NotNow("another step is under way at this table; follow its events and ask again")
        if self._status is None:
            raise DeviceAway(f"the tumbler of table {self.name} is not connected: check its power and line")
        if not self._recovered:
            raise NotNow("the table finds out what an earlier run left; ask again in a moment")
        return await self._run_step(work)

    async def _run_step(self, work: Callable[[], Awaitable[T]]) -> T:
        step = asyncio.ensure_future(work())
        self._step = step
        step.add_done_callback(self._after_step)
        if not await done_by(self._clock, step, self._clock.now() + STEP_S):
            raise StillGoing("the tumbler has not finished yet; the round's events tell how it ends")
        return step.result()

    def _after_step(self, step: asyncio.Task[Any]) -> None:
        error = None if step.cancelled() else step.exception()
        if isinstance(error, _APART):
            self._recovered = False  # what was done is in the records; find out before the next step
        if error is not None:
            self._stream.catch_up()  # a round that was never opened has ended without an event
        self._hint("table-changed", None, {})
        self._changed.set()

    async def in_round(self, round_id: bytes, step: Callable[[], Awaitable[T]]) -> T:
        """Do a step that the table does in its current round, if that is the round which is meant."""
        current = self.current
        if current is None or current.id != round_id:
            raise RoundEnded(f"round {round_id.hex()} is {self.round(round_id).state}; it is over")
        return await step()

    # --- running ---

    async def finish(self, grace_s: float) -> None:
        """Let the round end, or void it while nobody knows its result. Once bets are closed the dice decide,
        also after a restart, so such a round is left to the device."""
        self._open_no_more()
        until = self._clock.now() + grace_s
        while self._is_open_to_doubt() and self._status is not None and not self._is_over(until):
            await self._clock.sleep(0.05)
        if self._is_open_to_doubt() and self._status is not None and not self.quarantine:
            try:
                await self.take(lambda: self.table.void_round("host-lost", by=SERVICE))
            except (BridgeError, NotNow, DeviceAway, StillGoing, link.LinkError, LedgerError) as error:
                _log.warning("table %s: the round is left to the next start: %s", self.name, error)

    def _is_open_to_doubt(self) -> bool:
        current = self.current
        return current is not None and current.state not in ("closed", "held")

    async def _keep_pace(self) -> None:
        """Recover, close bets in time, and do by itself what comes next where rounds are automatic."""
        while True:
            self._changed.clear()
            now = self._clock.now()
            try:
                if not self._recovered and self._status is not None and not self.quarantine:
                    await self._recover()
                await self._act(now)
            except (BridgeError, LedgerError, link.LinkError, NotNow, DeviceAway, StillGoing) as error:
                _log.info("table %s: %s; tried again in %g s", self.name, error, PAUSE_S)
                await self._clock.sleep(PAUSE_S)
                continue
            await self._changed_by(self._next_deadline(now))

    async def _recover(self) -> None:
        await self.table.recover()
        self._recovered = True
        self._stream.catch_up()
        self._hint("table-changed", None, {})

    async def _act(self, now: float) -> None:
        if self._step is not None and not self._step.done():
            return
        step = self.step
        current = self.current
        if step == "opening":  # by nobody any more: its step did not hear whether the ledger had taken it
            await self._recover()
        elif self._betting and now >= self._betting[1] and step in ("place-bets", "closing"):
            await self.no_more_bets(self._betting[0], SERVICE)
        elif self.settings.automatic and step == "open-round" and not self._stopping:
            await self.open_round(SERVICE)
        elif self.settings.automatic and step == "tumble" and current and current.id != self._tumbled:
            await self.tumble(current.id, SERVICE)

    # --- what happens ---

    def _take_in(self, event: happenings.Event) -> None:
        log_event(self.name, event)
        match event:
            case happenings.DeviceLost():
                self._status = None
            case happenings.DeviceConnected():
                self._quarantine = self._distrust()
            case happenings.DeviceRefused(reason=reason):
                self._status, self._quarantine = None, reason
            case happenings.FaultRaised(fact=fact, detail=detail):
                self._details[fact] = detail
            case _:
                super()._take_in(event)
        if isinstance(event, _ALARMS):
            self.alarms = _alarms(self.table)

    def _distrust(self) -> str:
        """Why the session believes this tumbler no more; another one may have been refused in its place."""
        session = self.session
        return session.quarantined.get(self.tumbler.id, "") if isinstance(session, HostSession) else ""


def _alarms(table: Table) -> tuple[AlarmView, ...]:
    return tuple(
        AlarmView(each.number, each.round.hex(), each.fact, each.device, each.second, each.made_ms)
        for each in table.desk.alarms()
    )


def _shown(status: dict[str, Any]) -> tuple[object, ...]:
    """What of a status a display shows."""
    return tuple(status.get(name) for name in ("state", "covered", "round")) + tuple(status["faults"])
