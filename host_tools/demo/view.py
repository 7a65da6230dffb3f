"""What a display knows about a table, folded from its events; it draws nothing and decides nothing."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

from host_tools.bridge.events import (
    AtRest,
    BetsClosed,
    BetsOpen,
    DeviceConnected,
    DeviceLost,
    DeviceRefused,
    Event,
    FaultCleared,
    FaultRaised,
    ResultRead,
    RoundOpened,
    RoundOutcome,
    RoundReferred,
    RoundSettled,
    RoundVoid,
    StrokeCounted,
    WagersPlaced,
)
from host_tools.bridge.table import Wager, WagerAnswer
from host_tools.demo.report import Refused
from host_tools.demo.totals import Totals

HISTORY = 24  # more than the widest road shows


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
    verdicts `settled`, `void`, `referred`.
    """

    sign: TableSign
    totals: Totals
    link: str = "waiting"
    link_reason: str = ""
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
            case DeviceLost(reason=reason):
                self.link, self.link_reason = "silent", reason
            case DeviceRefused(reason=reason):
                self.link, self.link_reason = "refused", reason
            case FaultRaised(fact=fact, detail=detail):
                self.faults[fact] = detail
            case FaultCleared(fact=fact):
                self.faults.pop(fact, None)
            case RoundOpened(round=round_id, mode=mode):
                if self.outcome is None:
                    self.round, self.mode = round_id, mode
                    self.phase = "tumbling" if mode == "covered" else "ready"
            case ResultRead():
                if event.round == self.round:
                    self.reading = event
                    self._enter("read", event.round)
            case StrokeCounted(round=round_id, count=count):
                if round_id == self.round:
                    self.strokes = max(self.strokes, count)
                    done = self.strokes >= self.sign.strokes_needed
                    self._enter("settling" if done else "tumbling", round_id)
            case _:
                self._enter(_PHASES.get(type(event), self.phase), event.round)

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

    def _enter(self, phase: str, round_id: bytes) -> None:
        if round_id == self.round and self.outcome is None:
            self.phase = "tumbling" if phase == "closed" and self.mode == "open" else phase


_PHASES = {
    BetsOpen: "betting",
    WagersPlaced: "betting",
    BetsClosed: "closed",
    AtRest: "settling",
    RoundSettled: "settled",
    RoundVoid: "void",
    RoundReferred: "referred",
}
