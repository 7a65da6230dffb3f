"""What a display knows about a table, folded from its events; it draws nothing and decides nothing."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from host_tools.bridge.events import (
    AlarmAnswered,
    AtRest,
    BetsClosed,
    BetsOpen,
    DeviceConnected,
    DeviceLost,
    DeviceRefused,
    Event,
    EvidenceAlarm,
    FaultCleared,
    FaultRaised,
    RecordCommitted,
    RecordDropped,
    ResultRead,
    RoundCorrected,
    RoundHeld,
    RoundOpened,
    RoundOutcome,
    RoundReferred,
    RoundSettled,
    RoundVoid,
    StoreBack,
    StoreLost,
    StrokeCounted,
    WagersPlaced,
    WagersWithdrawn,
)
from host_tools.bridge.table import Wager, WagerAnswer
from host_tools.demo.report import Refused
from host_tools.demo.totals import Totals

HISTORY = 24  # more than the widest road shows


RoundEvent = (
    BetsOpen
    | WagersPlaced
    | WagersWithdrawn
    | BetsClosed
    | StrokeCounted
    | AtRest
    | ResultRead
    | RoundHeld
    | RoundSettled
    | RoundVoid
    | RoundReferred
    | RoundCorrected
)


@dataclass(frozen=True)
class TableSign:
    """What stands over a table all the time."""

    table: str
    rulebook: str
    layout: str
    device: bytes
    strokes_needed: int


@dataclass
class TableView:
    """The state of a display.

    `phase` is one of `starting`, `ready`, `tumbling`, `settling`, `betting`, `closed`, `read`, and the
    verdicts `settled`, `void`, `referred`. `console`: the link that opens the console, once it is there.
    """

    sign: TableSign
    totals: Totals
    link: str = "waiting"
    link_reason: str = ""
    console: str = ""
    boot: int = 0
    head: tuple[int, bytes] = (0, b"")
    phase: str = "starting"
    number: int = 0
    round: bytes = b""
    mode: str = ""
    strokes: int = 0
    reading: ResultRead | None = None
    wagers: list[Wager] = field(default_factory=list)
    refused: list[Refused] = field(default_factory=list)
    outcome: RoundOutcome | None = None
    faults: dict[str, str] = field(default_factory=dict)
    history: deque[tuple[int, RoundOutcome]] = field(default_factory=lambda: deque(maxlen=HISTORY))

    def begin(self, number: int) -> None:
        """A new round is about to open; what still comes of the one before is late."""
        self.number, self.round, self.mode = number, b"", ""
        self.strokes, self.reading, self.outcome = 0, None, None
        self.wagers, self.refused = [], []
        self.phase = "ready"

    def follow(self, event: Event) -> None:
        """Take one event in. One that tells of a concluded round is late and changes no phase."""
        match event:
            case DeviceConnected(boot=boot):
                self.link, self.link_reason, self.boot = "linked", "", boot
                self.phase = "ready" if self.phase == "starting" else self.phase
                self.faults.pop("record", None)
            case RecordDropped(reason=reason):
                self.faults["record"] = reason
            case DeviceLost(reason=reason):
                self.link, self.link_reason = "silent", reason
            case DeviceRefused(reason=reason):
                self.link, self.link_reason = "refused", reason
            case RecordCommitted(sequence=sequence, digest=digest):
                self.head = (sequence, digest)
            case (
                FaultRaised() | FaultCleared() | StoreLost() | StoreBack() | EvidenceAlarm() | AlarmAnswered()
            ):
                self._follow_trouble(event)
            case RoundOpened(round=round_id, mode=mode):
                if self.outcome is None:
                    self.round, self.mode = round_id, mode
                    self.phase = "tumbling" if mode == "covered" else "ready"
            case _ if isinstance(event, RoundEvent):
                if event.round == self.round:
                    self._follow_round(event)

    def _follow_trouble(
        self, event: FaultRaised | FaultCleared | StoreLost | StoreBack | EvidenceAlarm | AlarmAnswered
    ) -> None:
        match event:
            case FaultRaised(fact=fact, detail=detail):
                self.faults[fact] = detail
            case FaultCleared(fact=fact):
                self.faults.pop(fact, None)
            case StoreLost(reason=reason):
                self.faults["ledger"] = reason
            case StoreBack():
                self.faults.pop("ledger", None)
            case EvidenceAlarm(fact=fact):
                self.faults["evidence"] = fact
            case AlarmAnswered():
                self.faults.pop("evidence", None)

    def _follow_round(self, event: RoundEvent) -> None:
        if isinstance(event, StrokeCounted | AtRest):
            self._follow_tumble(event)
            return
        if isinstance(event, ResultRead):
            self.reading = event
        if self.outcome is None:
            tumbling = isinstance(event, BetsClosed) and self.mode == "open"
            self.phase = "tumbling" if tumbling else _PHASES[type(event)]

    def _follow_tumble(self, event: StrokeCounted | AtRest) -> None:
        """Unsigned news: they may come after the tumble's record, and change no later phase."""
        if isinstance(event, StrokeCounted):
            self.strokes = max(self.strokes, event.count)
        if self.phase in ("ready", "tumbling"):
            done = isinstance(event, AtRest) or self.strokes >= self.sign.strokes_needed
            self.phase = "settling" if done else "tumbling"

    def placed(self, batch: Sequence[Wager], answers: Sequence[WagerAnswer]) -> None:
        """Take in what the table answered to a batch of wagers."""
        for wager, answer in zip(batch, answers, strict=True):
            if answer.registered:
                self.wagers.append(wager)
            else:
                self.refused.append(Refused(wager, answer.reason))

    def conclude(self, outcome: RoundOutcome) -> None:
        """Take in how the round ended."""
        self.outcome = outcome
        self.phase = outcome.verdict
        self.totals.add(outcome, self.wagers)
        self.history.append((self.number, outcome))


_PHASES = {
    BetsOpen: "betting",
    WagersPlaced: "betting",
    WagersWithdrawn: "betting",
    BetsClosed: "closed",
    ResultRead: "read",
    RoundHeld: "read",
    RoundSettled: "settled",
    RoundVoid: "void",
    RoundReferred: "referred",
    RoundCorrected: "settled",
}
