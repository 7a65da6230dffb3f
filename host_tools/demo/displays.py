"""The four ways to show a table: the live screen, lines as things happen, a line a round, JSON a round."""

import json
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal

from rich.console import Console
from rich.live import Live

from host_tools.bridge.events import (
    BetsClosed,
    BetsOpen,
    DeviceLost,
    DeviceRefused,
    Event,
    EvidenceAlarm,
    FaultRaised,
    RecordDropped,
    ResultRead,
    RoundOpened,
    StrokeCounted,
)
from host_tools.bridge.table import Wager, WagerAnswer
from host_tools.demo.report import RoundReport
from host_tools.demo.screen import FRAMES_A_SECOND, Screen, describe_faces
from host_tools.demo.totals import amount
from host_tools.demo.view import TableView


class Display:
    """Keeps the view; the others add what they show of it. This one shows nothing."""

    def __init__(self, view: TableView) -> None:
        self.view = view

    def open(self) -> None:
        """Begin to show."""

    def close(self) -> None:
        """Give the terminal back."""

    def greet(self, link: str) -> None:
        """The console is open; `link` makes the first account, once."""
        self.view.console = link

    def begin(self, number: int) -> None:
        """A new round is about to open."""
        self.view.begin(number)

    def follow(self, event: Event) -> None:
        """Something happened at the table."""
        self.view.follow(event)

    def placed(self, batch: Sequence[Wager], answers: Sequence[WagerAnswer]) -> None:
        """The table answered to a batch of wagers."""
        self.view.placed(batch, answers)

    def conclude(self, report: RoundReport) -> None:
        """A round is over."""
        self.view.conclude(report.outcome)


class LiveDisplay(Display):
    """The live screen; its last picture stays on the terminal."""

    def __init__(self, view: TableView, console: Console, clock: Callable[[], float]) -> None:
        super().__init__(view)
        self._console = console
        self._screen = Screen(view, clock)
        self._live = Live(self._screen, console=console, screen=True, refresh_per_second=FRAMES_A_SECOND)

    def open(self) -> None:
        """See Display."""
        self._live.start()

    def close(self) -> None:
        """See Display."""
        self._live.stop()
        self._console.print(self._screen, height=min(self._console.height, 24))


class JsonDisplay(Display):
    """One JSON object a round."""

    def conclude(self, report: RoundReport) -> None:
        """See Display."""
        super().conclude(report)
        print(json.dumps(report.as_json(self.view.totals)), flush=True)


class RoundDisplay(Display):
    """A line a round."""

    def conclude(self, report: RoundReport) -> None:
        """See Display."""
        super().conclude(report)
        print(describe_round(report, self.view), flush=True)


class LineDisplay(RoundDisplay):
    """A line for each thing that happens, for a terminal that cannot redraw or a file."""

    def greet(self, link: str) -> None:
        """See Display."""
        super().greet(link)
        print(f"The console is at {link}, which makes the first account, once.", flush=True)

    def follow(self, event: Event) -> None:
        """See Display."""
        super().follow(event)
        line = describe_event(event, self.view)
        if line:
            print(line, flush=True)

    def placed(self, batch: Sequence[Wager], answers: Sequence[WagerAnswer]) -> None:
        """See Display."""
        super().placed(batch, answers)
        for wager, answer in zip(batch, answers, strict=True):
            refused = "" if answer.registered else f", refused: {answer.reason}"
            print(f"  {wager.player} stakes {wager.stake} on {wager.wager}{refused}", flush=True)


def describe_event(event: Event, view: TableView) -> str:
    """A line for people, or nothing for what a line of its own would only repeat."""
    line = ""
    match event:
        case RoundOpened():
            line = f"Round {view.number}: opened, {event.mode} play"
        case StrokeCounted(count=count):
            line = f"  stroke {count}"
        case BetsOpen():
            line = "  place your bets"
        case BetsClosed():
            line = "  no more bets"
        case ResultRead(faces=faces) if view.outcome is None:  # else the round's own line has told them
            line = f"  the dice are read: {describe_faces(faces)}"
        case FaultRaised(fact=fact, detail=detail):
            line = f"  fault: {fact} {detail}".rstrip()
        case EvidenceAlarm(fact=fact):
            line = f"  the last result is in doubt: {fact}"
        case RecordDropped(reason=reason):
            line = f"a record was refused and is asked for again: {reason}"
        case DeviceLost(reason=reason):
            line = f"the tumbler is silent: {reason}"
        case DeviceRefused(reason=reason):
            line = f"the tumbler is refused: {reason}"
    return line


def describe_round(report: RoundReport, view: TableView) -> str:
    """The round in one line: what it came to, the rule, the money."""
    outcome = report.outcome
    what = describe_faces(outcome.faces) if outcome.faces else outcome.fact
    staked = sum((Decimal(wager.stake) for wager in report.wagers), Decimal())
    back = sum((Decimal(wager.returned) for wager in outcome.wagers), Decimal())
    money = f"{len(report.wagers)} wagers, {amount(staked)} staked, {amount(back)} back"
    return (
        f"round {report.number:<3d} {outcome.verdict:8s} {what:26s} clause {outcome.clause:8s}"
        f" {money}, house {amount(view.totals.house)}"
    )


def say(text: str) -> None:
    """A message of progress, apart from the output."""
    print(text, file=sys.stderr, flush=True)
