"""A table as it runs: its link, what people may do at it now, its pace, and how it stops without doubt.

One step at a time: what would wait for a tumbler that is away is refused, what takes long goes on and its
outcome comes as an event. Nothing here decides money; that is the bridge's and the ledger's.
"""

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from host_tools import ledger, link
from host_tools.bridge import events as happenings
from host_tools.bridge.by import By
from host_tools.bridge.errors import BridgeError, RoundEnded, WrongStep
from host_tools.bridge.session import Session
from host_tools.bridge.sink import LedgerSink
from host_tools.bridge.table import Table, TableConfig
from host_tools.ledger import LedgerError, LedgerInUse, LedgerUnavailable
from host_tools.link import HostSession
from host_tools.link.clock import done_by
from host_tools.service import steps
from host_tools.service.config import TableSettings
from host_tools.service.devices import Tumbler
from host_tools.service.errors import DeviceAway, NotNow, RoundNotHere, StillGoing
from host_tools.service.stream import Stream
from host_tools.service.telling import log_event
from host_tools.service.views import AlarmView, EventView, FaultView

STEP_S = 20.0  # how long a step is waited for; it goes on afterwards
PAUSE_S = 1.0  # before what failed is tried again
ELSEWHERE_S = 2.0  # between two tries to have a table that another service has
ENDED = (happenings.RoundSettled, happenings.RoundVoid, happenings.RoundReferred, happenings.RoundCorrected)
_ALARMS = (happenings.EvidenceAlarm, happenings.AlarmAnswered, happenings.RoundCorrected)

SERVICE = By("service", "its clock")  # what it does when the time has come

T = TypeVar("T")
_log = logging.getLogger(__name__)


class RunningTable:
    """One table of the service. `failure` says why it runs no more, where it does not; `elsewhere` who else
    has it, until this service takes it over; `alarms` are those that nobody has answered for."""

    def __init__(  # noqa: PLR0913, PLR0917 - what a table is made of
        self,
        settings: TableSettings,
        tumbler: Tumbler,
        sink: LedgerSink,
        clock: link.Clock,
        stream: Stream,
        new_round_id: Callable[[], bytes],
    ) -> None:
        self.settings = settings
        self.name = settings.name
        self.tumbler = tumbler
        self.failure = ""
        self.elsewhere = ""
        self.taken = asyncio.Event()
        self.alarms: tuple[AlarmView, ...] = ()
        self.session: Session
        self._sink = sink
        self._books = sink.books
        self._clock = clock
        self._stream = stream
        self._status: dict[str, Any] | None = None
        self._details: dict[str, str] = {}
        self._quarantine = ""
        self._recovered = False
        self._stopping = False
        self._step: asyncio.Task[Any] | None = None
        self._changed = asyncio.Event()
        self._betting: tuple[bytes, float] | None = None  # a round and when its bets close
        self._opens_at = 0.0
        self._tumbled = b""  # the round that was, before the tumbler's next status says so
        self._new_round_id = new_round_id
        self._table: Table | None = None
        self._take_table()

    @property
    def table(self) -> Table:
        """The bridge's table. Raises NotNow while another service has it."""
        if self._table is None:
            raise NotNow(self.elsewhere)
        return self._table

    def _take_table(self) -> None:
        """Have the table, unless another service does."""
        settings = self.settings
        config = TableConfig(self.name, self.tumbler.id, settings.terms, settings.examination)
        try:
            table = Table(config, self._sink, self._new_session, self._clock, self._new_round_id)
        except LedgerInUse as error:
            self.elsewhere = str(error)
            return
        self._table, self.elsewhere = table, ""
        self._happenings = table.events()
        self.alarms = _alarms(table)
        self.taken.set()

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
    def current(self) -> ledger.Round | None:
        """The round that goes on, or None."""
        return self._books.current_round(self.name)

    @property
    def latest(self) -> ledger.Round | None:
        """The newest round, or None before the first."""
        return self._books.latest_round(self.name)

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
    def bets_close_ms(self) -> int | None:
        """When bets close by themselves, Unix ms."""
        return self._wall(self._betting[1]) if self._betting else None

    @property
    def opens_ms(self) -> int | None:
        """When the next round may open, Unix ms; None when it may."""
        return self._wall(self._opens_at) if self._opens_at > self._clock.now() else None

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
            waiting=self.opens_ms is not None,
        )

    def round(self, round_id: bytes) -> ledger.Round:
        """The round of that id at this table. Raises RoundNotHere."""
        found = self._books.find_round(round_id)
        if found is None or found.table != self.name:
            raise RoundNotHere(f"table {self.name} has no round {round_id.hex()}")
        return found

    # --- steps ---

    async def open_round(self, by: By) -> bytes:
        """Open a round; its id."""

        async def work() -> bytes:
            if self._stopping:
                raise NotNow("the service stops; no round opens")
            if self.opens_ms is not None:
                wait_s = self._opens_at - self._clock.now()
                raise NotNow(f"the next round may open in {wait_s:.1f} s")
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

    async def bets_closed_in_time(self) -> None:
        """Close bets whose time is over before anything else is done with them: late is late."""
        if self._betting and self._clock.now() >= self._betting[1]:
            with contextlib.suppress(WrongStep):  # they are closed, or the round is over
                await self.table.close_bets(self._betting[0], SERVICE)

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
        if isinstance(error, link.LinkError):
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

    async def run(self) -> None:
        """Run until cancelled. What ends it otherwise is told in `failure`: others go on."""
        try:
            await self._take_over()
            async with asyncio.TaskGroup() as parts:
                for part in (self.table.run(), self._follow(), self._keep_pace()):
                    parts.create_task(part)
        except BaseExceptionGroup as failures:
            self.failure = f"the table runs no more: {failures.exceptions[0]}"
            self._status = None
            _log.error("table %s: %s", self.name, self.failure, exc_info=failures)
            self._hint("table-changed", None, {})

    async def _take_over(self) -> None:
        """Wait for a table that another service has, and tell of what happens there meanwhile."""
        while self._table is None:
            await self._clock.sleep(ELSEWHERE_S)
            try:
                self._stream.catch_up()
                await asyncio.to_thread(self._books.hold, self.name)
            except LedgerInUse as error:
                self.elsewhere = str(error)
                continue
            except LedgerUnavailable:
                continue
            await self.tumbler.start()
            self._take_table()
            _log.warning("table %s: taken over from another service", self.name)

    async def finish(self, grace_s: float) -> None:
        """Let the round end, or void it while nobody knows its result. Once bets are closed the dice decide,
        also after a restart, so such a round is left to the device."""
        self._stopping = True
        until = self._clock.now() + grace_s
        while self._is_open_to_doubt() and self._status is not None and self._clock.now() < until:
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
        if self._betting and now >= self._betting[1] and step in ("place-bets", "closing"):
            await self.no_more_bets(self._betting[0], SERVICE)
        elif self.settings.automatic and step == "open-round" and not self._stopping:
            await self.open_round(SERVICE)
        elif self.settings.automatic and step == "tumble" and current and current.id != self._tumbled:
            await self.tumble(current.id, SERVICE)

    def _next_deadline(self, now: float) -> float | None:
        """When something is due that was not due `now`."""
        due = [self._opens_at, self._betting[1] if self._betting else now]
        return min((each for each in due if each > now), default=None)

    async def _changed_by(self, deadline: float | None) -> None:
        waiting = asyncio.ensure_future(self._changed.wait())
        try:
            await done_by(self._clock, waiting, deadline)
        finally:
            waiting.cancel()

    # --- what happens ---

    async def _follow(self) -> None:
        async for event in self._happenings:
            self._take_in(event)
            self._changed.set()

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
            case happenings.BetsOpen(round=round_id) if self.settings.betting_s:
                self._betting = (round_id, self._clock.now() + self.settings.betting_s)
            case happenings.BetsClosed():
                self._betting = None
            case _:
                pass
        if isinstance(event, ENDED):
            self._end(event.round, corrected=isinstance(event, happenings.RoundCorrected))
        if isinstance(event, _ALARMS):
            self.alarms = _alarms(self.table)
        if isinstance(event, happenings.DURABLE):
            self._stream.catch_up()
        elif not isinstance(event, happenings.RecordCommitted):  # these come too often to be told
            self._tell(event)

    def _distrust(self) -> str:
        """Why the session believes this tumbler no more; another one may have been refused in its place."""
        session = self.session
        return session.quarantined.get(self.tumbler.id, "") if isinstance(session, HostSession) else ""

    def _end(self, round_id: bytes, *, corrected: bool) -> None:
        """A round has ended, or what was decided about an older one is durable."""
        if self._betting and self._betting[0] == round_id:
            self._betting = None
        latest = self.latest
        if latest is not None and latest.id == round_id and not corrected:
            self._opens_at = self._clock.now() + self.settings.between_s

    def _tell(self, event: happenings.Event) -> None:
        round_id = getattr(event, "round", None)
        body = happenings.body_of(event)
        self._hint(happenings.kind_of(event), round_id.hex() if round_id else None, body)

    def _hint(self, kind: str, round_id: str | None, body: dict[str, object]) -> None:
        self._stream.hint(EventView(None, self.name, kind, round_id, self._clock.wall_ms(), body))

    def _wall(self, at: float) -> int:
        return self._clock.wall_ms() + round(1000 * (at - self._clock.now()))


def _alarms(table: Table) -> tuple[AlarmView, ...]:
    return tuple(
        AlarmView(each.number, each.round.hex(), each.fact, each.device, each.second, each.made_ms)
        for each in table.desk.alarms()
    )


def _shown(status: dict[str, Any]) -> tuple[object, ...]:
    """What of a status a display shows."""
    return tuple(status.get(name) for name in ("state", "covered", "round")) + tuple(status["faults"])
