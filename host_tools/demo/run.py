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

from rich.console import Console

from host_tools.bridge.events import Event
from host_tools.demo.dealer import Dealer, Place
from host_tools.demo.displays import Display, JsonDisplay, LineDisplay, LiveDisplay, RoundDisplay, say
from host_tools.demo.players import Seat, seat_players
from host_tools.demo.report import RoundReport
from host_tools.demo.scenes import demo_scenario
from host_tools.demo.table import TABLE, served_table
from host_tools.demo.totals import Totals
from host_tools.demo.view import TableSign, TableView
from host_tools.rulebooks import RulebookError, UnknownLayoutError, UnknownRulebookError, load_rulebook
from host_tools.service.service import Service
from host_tools.settlement import Table as Terms
from host_tools.settlement import TableError, open_table
from host_tools.virtual_board.dice import Dice

CHIP_MINOR = 50  # what a chip is worth at the least, in cents


class DemoRefused(Exception):
    """The demo cannot be played as it was asked for; the message says what to change."""


@dataclass(frozen=True)
class Pace:
    """How fast the board goes (None: as fast as it can) and how long people have, in seconds; `people`: there
    are some, with the console and its pictures."""

    speed: float | None
    betting_s: float
    looking_s: float
    people: bool


PEOPLE = Pace(speed=1.0, betting_s=0.6, looking_s=4.0, people=True)
PROGRAMS = Pace(speed=None, betting_s=0.0, looking_s=0.0, people=False)


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
    """Play it. Raises DemoRefused, TumblerSilent, and KeyboardInterrupt once everything is closed."""
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
    scenario = demo_scenario(terms.rulebook.play_mode, str(demo.seed), twin=demo.twin)
    with _folder(demo.keep) as directory:
        served = served_table(
            directory,
            scenario,
            terms,
            speed=pace.speed,
            seed=demo.seed,
            dice=_dice(demo),
            pictures=pace.people,
            progress=say,
        )
        async with served as (service, board), _shown(display, service), _console(display, service, pace):
            await _play_rounds(demo, terms, display, pace, Dealer(service, board))


def _dice(demo: Demo) -> Dice | None:
    if not demo.twin:
        return None
    from host_tools.demo.twin import demo_dice  # noqa: PLC0415 - an optional extra

    return demo_dice(str(demo.seed))


async def _play_rounds(demo: Demo, terms: Terms, display: Display, pace: Pace, dealer: Dealer) -> None:
    seats = seat_players(terms)
    for number in itertools.count(1) if demo.rounds is None else range(1, demo.rounds + 1):
        await dealer.ready()
        display.begin(number)
        players = _Players(seats, f"{demo.seed}/{number}", display, pace.betting_s)
        outcome = await dealer.play_round(players.bet)
        strokes, tilts = dealer.facts(outcome.round)
        for seat in seats:
            seat.learn(outcome)
        view = display.view
        display.conclude(RoundReport(number, outcome, strokes, tilts, view.wagers, view.refused))
        await asyncio.sleep(pace.looking_s)


class _Players:
    """The seats in one round: each places its wagers while bets are open."""

    def __init__(self, seats: Sequence[Seat], seed: str, display: Display, pause_s: float) -> None:
        self._seats = seats
        self._seed = seed
        self._display = display
        self._pause_s = pause_s

    async def bet(self, place: Place) -> None:
        """See dealer.Betting."""
        for seat in self._seats:
            batch = seat.wagers(self._seed)
            self._display.placed(batch, await place(batch))
            await asyncio.sleep(self._pause_s)


@asynccontextmanager
async def _console(display: Display, service: Service, pace: Pace) -> AsyncIterator[None]:
    """People have the console beside the terminal; the link in the view makes their account, once."""
    if not pace.people:
        yield
        return
    from host_tools.api.server import serve  # noqa: PLC0415 - programs do without it

    def started(url: str) -> None:
        display.greet(f"{url}/#/setup/{service.accounts.set_up_secret()}")

    serving = asyncio.create_task(serve(service, started))
    try:
        yield
    finally:
        serving.cancel()
        await asyncio.gather(serving, return_exceptions=True)


@asynccontextmanager
async def _shown(display: Display, service: Service) -> AsyncIterator[None]:
    """The display is open and follows the table's events."""
    running = service.dice_table(TABLE)
    display.view.sign = _sign(running.settings.terms, running.tumbler.id)
    following = asyncio.create_task(_follow(display, running.table.events()))
    display.open()
    try:
        yield
    finally:
        following.cancel()
        await asyncio.gather(following, return_exceptions=True)
        display.close()


async def _follow(display: Display, events: AsyncIterator[Event]) -> None:
    async for event in events:
        display.follow(event)


def new_view(terms: Terms) -> TableView:
    """An empty view of a table with these terms and the demo's players."""
    return TableView(_sign(terms, b""), Totals([seat.player for seat in seat_players(terms)]))


def _sign(terms: Terms, device: bytes) -> TableSign:
    book = terms.rulebook
    return TableSign(TABLE, book.title, terms.layout.title, device, book.minimum_tumbles)


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
