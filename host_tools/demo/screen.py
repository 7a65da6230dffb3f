"""The live picture of a table, 80x24 and larger: header, dice and verdict, wagers, totals and the road."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Literal

from rich.columns import Columns
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.layout import Layout
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table as Grid
from rich.text import Text

from host_tools.bridge.events import RoundOutcome, WagerOutcome
from host_tools.demo import dice
from host_tools.demo.totals import amount
from host_tools.demo.view import TableView

HEADER_ROWS = 2
ROUND_ROWS = 13
ROAD_ROWS = 9
DICE_COLUMNS = 3 * dice.WIDTH + 4
ALL_COLUMNS = 60  # where odds, result and what goes back have columns of their own
ROAD_CELL = 4
FRAMES_A_SECOND = 8

_PHASES = {
    "starting": "The controller starts",
    "ready": "Next round",
    "tumbling": "The dice tumble",
    "settling": "The dice come to rest",
    "betting": "Place your bets",
    "closed": "No more bets",
    "read": "The dice are read",
    "settled": "Settled",
    "void": "Void",
    "referred": "Referred",
}
_PHASE_STYLES = {
    "betting": "bold green",
    "void": "bold yellow",
    "referred": "bold magenta",
    "settled": "bold cyan",
}
_RESULT_STYLES = {"won": "bold green", "lost": "dim", "void": "yellow", "refused": "red", "held": "magenta"}
_LINK_STYLES = {"linked": "green", "waiting": "yellow", "silent": "bold red", "refused": "bold red"}


class Screen:
    """A renderable that always shows the present state of `view`; `clock` gives seconds for what moves."""

    def __init__(self, view: TableView, clock: Callable[[], float]) -> None:
        self._view = view
        self._clock = clock

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        height = options.height or console.height
        yield from console.render(self._layout(), options.update(height=height))

    def _layout(self) -> Layout:
        view = self._view
        middle = Layout(size=None, minimum_size=ROUND_ROWS)
        middle.split_row(Layout(self._round(), size=DICE_COLUMNS), Layout(_Wagers(view)))
        bottom = Layout(size=ROAD_ROWS)
        bottom.split_row(Layout(_totals(view), size=DICE_COLUMNS), Layout(_Road(view)))
        screen = Layout()
        screen.split_column(Layout(_header(view), size=HEADER_ROWS), middle, bottom)
        return screen

    def _round(self) -> Panel:
        view = self._view
        style = _PHASE_STYLES.get(view.phase, "bold")
        headline = Text(_PHASES[view.phase], style)
        body = Group(headline, self._progress(), self._dice(), *_verdict(view))
        return Panel(
            body,
            title=f"Round {view.number}" if view.number else "Tumbler",
            border_style="cyan",
            padding=(0, 1),
        )

    def _progress(self) -> RenderableType:
        view = self._view
        needed = view.sign.strokes_needed
        pips = "●" * view.strokes + "○" * max(0, needed - view.strokes)
        enough = "" if view.strokes >= needed else f" of {needed}"
        count = Text(f"{pips} {view.strokes}{enough} strokes ")
        if view.phase not in ("tumbling", "settling", "closed"):
            return count if view.strokes or view.phase == "tumbling" else Text()
        bar = ProgressBar(total=100, pulse=True, width=6, animation_time=self._clock(), pulse_style="cyan")
        return Columns([count, bar], padding=0)

    def _dice(self) -> RenderableType:
        view = self._view
        if view.reading and view.phase in ("read", "settled"):
            return dice.draw_faces(view.reading.faces)
        if view.outcome and view.outcome.faces:
            return dice.draw_faces(view.outcome.faces)
        if view.phase in ("tumbling", "settling"):
            return dice.draw_tumbling(int(self._clock() * FRAMES_A_SECOND) if view.phase == "tumbling" else 0)
        if view.phase in ("betting", "closed") and view.mode == "covered":
            return dice.draw_covered()
        return dice.draw_unread()


def _header(view: TableView) -> RenderableType:
    sign = view.sign
    sequence, digest = view.head
    grid = Grid.grid(expand=True, padding=(0, 1))
    grid.add_column(no_wrap=True, overflow="ellipsis", ratio=1)
    grid.add_column(no_wrap=True, justify="right")
    link = Text(f"● {view.link}", _LINK_STYLES[view.link])
    grid.add_row(
        Text.assemble((f" {sign.table} ", "bold reverse"), f" {sign.rulebook} · {sign.layout}"), link
    )
    trouble = _trouble(view)
    if view.console and not trouble:
        return Group(grid, Text(f" {view.console}"))  # a link is of use whole: nothing stands beside it
    chain = f"record {sequence} · {digest.hex()[:16] or 'no record yet'} "
    left = trouble or Text(f" tumbler {sign.device.hex()} · boot {view.boot}", "dim")
    grid.add_row(left, Text(chain, "dim"))
    return grid


def _trouble(view: TableView) -> Text | None:
    if view.link in ("silent", "refused"):
        return Text(f" tumbler {view.link}: {view.link_reason}", "bold red")
    if view.faults:
        faults = ", ".join(f"{fact} ({detail})" if detail else fact for fact, detail in view.faults.items())
        return Text(f" fault: {faults}", "bold red")
    return None


def _verdict(view: TableView) -> Iterator[RenderableType]:
    """At most four lines below the dice."""
    outcome = view.outcome
    if view.reading and (outcome is None or outcome.faces):
        yield Text("".join(f"{tilt / 10:.1f}°".center(dice.WIDTH) for tilt in view.reading.tilts), "dim")
    if outcome is None:
        return
    if outcome.verdict == "settled" and outcome.faces:
        yield Text(describe_faces(outcome.faces), "bold")
    else:
        yield Text(outcome.fact, _PHASE_STYLES[outcome.verdict])
        yield Text("every stake is returned" if outcome.verdict == "void" else "stakes held, people decide")
    yield Text(f"clause {outcome.clause}", "dim", no_wrap=True, overflow="ellipsis")
    yield Text(f"record {outcome.sequence}" if outcome.sequence else "no record", "dim")


def describe_faces(faces: tuple[int, int, int]) -> str:
    """`"3-4-5, total 12, big"`, ascending."""
    low, middle, high = sorted(faces)
    total = low + middle + high
    name = "triple" if low == high else "small" if total <= 10 else "big"
    return f"{low}-{middle}-{high}, total {total}, {name}"


class _Wagers:
    """The round's wagers, as many as the place holds; the last line counts the rest."""

    def __init__(self, view: TableView) -> None:
        self._view = view

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        view = self._view
        rows = list(_wager_rows(view))
        room = (options.height or len(rows) + 3) - 3
        rest = len(rows) - room
        shown = rows if rest <= 0 else rows[: room - 1]
        wide = options.max_width >= ALL_COLUMNS
        grid = Grid(box=None, padding=(0, 1) if wide else (0, 0, 0, 1), pad_edge=False)
        for name, justify, width in _COLUMNS if wide else _NARROW_COLUMNS:
            grid.add_column(
                name, justify=justify, min_width=width, no_wrap=True, overflow="ellipsis", header_style="dim"
            )
        for cells, style in shown:
            grid.add_row(*(cells if wide else _narrow(cells)), style=style)
        if len(shown) < len(rows):
            grid.add_row("", f"and {len(rows) - len(shown)} more", style="dim")
        staked = amount(sum((Decimal(wager.stake) for wager in view.wagers), Decimal("0.00")))
        title = f"Wagers · {len(view.wagers)} for {staked}"
        yield Panel(grid, title=title, border_style="cyan", padding=(0, 0, 0, 1), height=options.height)


Justify = Literal["left", "right"]
Column = tuple[str, Justify, int]
_COLUMNS: tuple[Column, ...] = (
    ("player", "left", 6),
    ("wager", "left", 19),
    ("stake", "right", 7),
    ("odds", "right", 6),
    ("result", "left", 7),
    ("back", "right", 8),
)
_NARROW_COLUMNS: tuple[Column, ...] = (
    ("name", "left", 5),
    *_COLUMNS[1:3],
    ("odds", "right", 4),
    ("back", "right", 7),
)


def _narrow(cells: tuple[str, ...]) -> tuple[str, ...]:
    """Result and what goes back in one column: the amount when it was won, the word otherwise."""
    *first, odds, result, back = cells
    return *first, odds.removesuffix(":1"), back if result == "won" else result


def _wager_rows(view: TableView) -> Iterator[tuple[tuple[str, ...], str]]:
    for wager in view.outcome.wagers if view.outcome else ():
        yield _outcome_cells(wager), _RESULT_STYLES[wager.result]
    if view.outcome is None or view.outcome.verdict == "referred":
        result = "held" if view.outcome else ""
        for wager in view.wagers:
            yield (wager.player, wager.wager, wager.stake, "", result, ""), _RESULT_STYLES.get(result, "")
    for refused in view.refused:
        wager = refused.wager
        yield (wager.player, wager.wager, wager.stake, "", "refused", ""), _RESULT_STYLES["refused"]


def _outcome_cells(wager: WagerOutcome) -> tuple[str, ...]:
    odds = wager.odds.replace("/", ":") if "/" in wager.odds else f"{wager.odds}:1" if wager.odds else ""
    return wager.player, wager.wager, wager.stake, odds, wager.result, wager.returned


def _totals(view: TableView) -> Panel:
    totals = view.totals
    grid = Grid.grid(expand=True)
    grid.add_column(no_wrap=True, overflow="ellipsis")
    grid.add_column(justify="right", no_wrap=True)
    for player, net in totals.players.items():
        grid.add_row(player, _signed(net))
    held = f" (held {amount(totals.held)})" if totals.held else ""
    grid.add_row(Text(f"House{held}", "bold"), _signed(totals.house))
    return Panel(grid, title="Totals", border_style="cyan", padding=(0, 1), height=ROAD_ROWS)


def _signed(net: Decimal) -> Text:
    return Text(f"{'+' if net > 0 else ''}{amount(net)}", "green" if net > 0 else "red" if net < 0 else "dim")


class _Road:
    """The last rounds, newest at the right: number, faces ascending, total, and small, big or triple."""

    def __init__(self, view: TableView) -> None:
        self._view = view

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = (options.max_width - 4) // ROAD_CELL
        rounds = list(self._view.history)[-room:]
        columns = [_road_column(number, outcome) for number, outcome in rounds]
        lines = [Text().join(cells) for cells in zip(*columns, strict=True)]
        yield Panel(
            Group(*lines),
            title=f"Last {len(rounds)} rounds" if len(rounds) > 1 else "Rounds",
            border_style="cyan",
            padding=(0, 1),
            height=options.height,
        )


def _road_column(number: int, outcome: RoundOutcome) -> list[Text]:
    cells: list[tuple[str, str]] = [(str(number)[-3:], "dim")]
    if outcome.faces:
        name = describe_faces(outcome.faces).rsplit(" ", 1)[1]
        style = {"small": "blue", "big": "red", "triple": "bold green"}[name]
        cells += [(str(face), "red" if face in (1, 4) else "") for face in sorted(outcome.faces)]
        cells += [(str(sum(outcome.faces)), "bold"), (name[0].upper(), style)]
    else:
        style = _PHASE_STYLES[outcome.verdict]
        cells += [("·", "dim")] * 3 + [("—", style), ("V" if outcome.verdict == "void" else "R", style)]
    return [Text(text.rjust(ROAD_CELL - 1) + " ", style) for text, style in cells]
