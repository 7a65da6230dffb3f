"""A demo from start to end: put the table together, seat the players, play, show, take it apart."""

import asyncio
import itertools
import signal
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from rich.console import Console

from host_tools.bridge.table import Table
from host_tools.demo.displays import Display, JsonDisplay, LineDisplay, LiveDisplay, RoundDisplay, say
from host_tools.demo.players import Seat, seat_players
from host_tools.demo.report import RoundReport
from host_tools.demo.scenes import demo_scenario
from host_tools.demo.totals import Totals
from host_tools.demo.view import TableSign, TableView
from host_tools.rulebooks import RulebookError, UnknownLayoutError, UnknownRulebookError, load_rulebook
from host_tools.settlement import Table as Terms
from host_tools.settlement import TableError, open_table
from host_tools.virtual_board.dice import Dice
from host_tools.virtual_table import VirtualTable, virtual_table

CHIP_MINOR = 50  # what a chip is worth at the least, in cents


class DemoRefused(Exception):
    """The demo cannot be played as it was asked for; the message says what to change."""


@dataclass(frozen=True)
class Pace:
    """How fast the board goes (None: as fast as it can) and how long people have, in seconds."""

    speed: float | None
    betting_s: float
    looking_s: float


PEOPLE = Pace(speed=1.0, betting_s=0.6, looking_s=4.0)
PROGRAMS = Pace(speed=None, betting_s=0.0, looking_s=0.0)


@dataclass(frozen=True)
class Demo:
    """What is played: `rounds` (None: until stopped), by `seed`; `keep` is where ledger and board stay;
    `twin`: with its dice, else with recorded scenes."""

    rounds: int | None
    seed: int
    rulebook: str
    layout: str
    keep: Path | None = None
    twin: bool = False


def run_demo(demo: Demo, *, headless: bool, as_json: bool) -> None:
    """Play it. Raises DemoRefused, TableUnusable, and KeyboardInterrupt once everything is closed."""
    terms = demo_terms(demo.rulebook, demo.layout)
    display = _choose_display(terms, headless, as_json)
    pace = PROGRAMS if headless or as_json else PEOPLE
    asyncio.run(play_demo(demo, terms, display, pace))


def demo_terms(rulebook: str, layout: str) -> Terms:
    """The table's terms, with chips that all odds of the layout pay exactly. Raises DemoRefused."""
    try:
        book = load_rulebook(rulebook)
        if book.play_mode not in ("covered", "open"):
            raise DemoRefused(
                f"{rulebook} is played with {book.play_mode}; the demo has dice: choose another one"
            )
        limits = next(iter(book.limits), None)
        smallest = open_table(book, layout, limits=limits)
        chips = -(-CHIP_MINOR // smallest.chip_unit)
        return open_table(book, layout, limits=limits, chip_unit=smallest.text(chips * smallest.chip_unit))
    except (UnknownRulebookError, UnknownLayoutError, RulebookError, TableError) as error:
        raise DemoRefused(str(error)) from error


async def play_demo(demo: Demo, terms: Terms, display: Display, pace: Pace) -> None:
    """Play the rounds and show them; whatever was started is stopped when it returns or raises."""
    _stop_on_sigterm()
    round_ids = (Random(f"{demo.seed}/{number}/round").randbytes(16) for number in itertools.count(1))
    scenario = demo_scenario(terms.rulebook.play_mode, str(demo.seed), twin=demo.twin)
    with _folder(demo.keep) as directory:
        playing = virtual_table(
            directory,
            scenario,
            terms,
            speed=pace.speed,
            seed=str(demo.seed),
            new_round_id=lambda: next(round_ids),
            dice=_dice(demo),
            progress=say,
        )
        async with playing as virtual, _shown(display, virtual):
            await _play_rounds(demo, terms, display, pace, virtual)


def _dice(demo: Demo) -> Dice | None:
    if not demo.twin:
        return None
    from host_tools.demo.twin import demo_dice  # noqa: PLC0415 - an optional extra

    return demo_dice(str(demo.seed))


async def _play_rounds(demo: Demo, terms: Terms, display: Display, pace: Pace, virtual: VirtualTable) -> None:
    seats = seat_players(terms)
    for number in itertools.count(1) if demo.rounds is None else range(1, demo.rounds + 1):
        await virtual.ready()
        virtual.board.next_round()
        virtual.board.plant.log.clear()  # for testers; here it would only grow
        display.begin(number)
        players = _Players(seats, f"{demo.seed}/{number}", display, pace.betting_s)
        outcome = await virtual.table.play_round(players.bet)
        facts = virtual.facts(outcome.round)
        for seat in seats:
            seat.learn(outcome)
        display.conclude(
            RoundReport(
                number, outcome, facts.strokes, facts.tilts, display.view.wagers, display.view.refused
            )
        )
        await asyncio.sleep(pace.looking_s)


class _Players:
    """The seats in one round: each places its wagers while bets are open."""

    def __init__(self, seats: Sequence[Seat], seed: str, display: Display, pause_s: float) -> None:
        self._seats = seats
        self._seed = seed
        self._display = display
        self._pause_s = pause_s

    async def bet(self, table: Table) -> None:
        """See bridge.table.Betting."""
        for seat in self._seats:
            round_id = table.round
            if round_id is None:
                return  # the round has ended before bets were closed
            batch = seat.wagers(self._seed)
            self._display.placed(batch, await table.place(round_id, batch))
            await asyncio.sleep(self._pause_s)


@asynccontextmanager
async def _shown(display: Display, virtual: VirtualTable) -> AsyncIterator[None]:
    """The display is open and follows the table's events."""
    display.view.sign = _sign(virtual.table.config.terms, virtual.device)
    following = asyncio.create_task(_follow(display, virtual))
    display.open()
    try:
        yield
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
        display.close()


async def _follow(display: Display, virtual: VirtualTable) -> None:
    async for event in virtual.events:
        display.follow(event)


def new_view(terms: Terms) -> TableView:
    """An empty view of a table with these terms and the demo's players."""
    return TableView(_sign(terms, b""), Totals([seat.player for seat in seat_players(terms)]))


def _sign(terms: Terms, device: bytes) -> TableSign:
    book = terms.rulebook
    return TableSign("Table 1", book.title, terms.layout.title, device, book.minimum_tumbles)


def _choose_display(terms: Terms, headless: bool, as_json: bool) -> Display:
    view = new_view(terms)
    if as_json:
        return JsonDisplay(view)
    if headless:
        return RoundDisplay(view)
    if sys.stdout.isatty():
        return LiveDisplay(view, Console(), time.monotonic)
    return LineDisplay(view)


@contextmanager
def _folder(keep: Path | None) -> Iterator[Path]:
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="tumbler-demo-") as folder:
            yield Path(folder)
    else:
        keep.mkdir(parents=True, exist_ok=True)
        if any(keep.iterdir()):
            raise DemoRefused(f"{keep} is not empty; the demo needs a new folder for its ledger and board")
        yield keep


def _stop_on_sigterm() -> None:
    """End cleanly on SIGTERM too, as on Ctrl-C."""
    task = asyncio.current_task()
    if task is not None:
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
