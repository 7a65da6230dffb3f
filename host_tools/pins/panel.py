"""The tester's panel, 80x24 and larger: inputs with their keys, outputs as lights, pictures, records."""

import asyncio
import contextlib
import os
import sys
import termios
import tty
from collections import deque
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.layout import Layout
from rich.live import Live
from rich.panel import Panel as Box
from rich.style import Style
from rich.table import Table as Grid
from rich.text import Text

from host_tools.pins.bench import Bench
from host_tools.pins.describe import describe_record
from host_tools.pins.pins import Pins
from host_tools.pins.rounds import Rounds
from host_tools.virtual_board.plant import GATE_GAP_UM

TOGGLES = "12345678"
WIDTHS_US = (4_000, 8_000, 12_000, 15_000, 20_000, 40_000, 120_000)
SPEED_MM_S = 950
SHAKE_MG, SHAKE_MS = 300, 500
LAMPS = 4
PICTURE_COLUMNS, PICTURE_ROWS = 16, 5
PINS_COLUMNS = 43
MIDDLE_ROWS = 13
KEPT_LINES = 60
LOOK_S = 0.1

KEYS = "1-8 input  s stroke  +/- width  f free  v shake  p play  x clear  c power  q quit"


class TesterPanel:
    """What the tester sees of `bench`, and what keys do to it."""

    def __init__(self, bench: Bench, rounds: Callable[[Callable[[str], None]], Rounds]) -> None:
        self.ended = asyncio.Event()
        self.width_us = 15_000
        self.lines: deque[str] = deque(maxlen=KEPT_LINES)
        self.rounds = rounds(self.lines.append)
        self._bench = bench
        self._told = 0
        self._tasks: set[asyncio.Task[None]] = set()
        pins = bench.pins
        self._keys: dict[str, Callable[[], object]] = {
            "s": lambda: pins.stroke(self.width_us, SPEED_MM_S),
            "+": lambda: self._choose_width(1),
            "-": lambda: self._choose_width(-1),
            "f": pins.free,
            "v": lambda: pins.shake(SHAKE_MG, SHAKE_MS),
            "p": self.rounds.begin,
            "x": lambda: self._begin(self._clear()),
            "c": self._switch_power,
            "q": self.ended.set,
            "\x03": self.ended.set,
        }
        for key, name in zip(TOGGLES, pins.inputs, strict=False):
            self._keys[key] = lambda name=name: pins.set(name, not pins.level(name))

    def press(self, key: str) -> None:
        """One key; unknown ones do nothing."""
        self._keys.get(key, lambda: None)()

    def look(self) -> None:
        """Take in the records that have come."""
        for record in self._bench.records(self._told):
            self.lines.append(describe_record(record))
            self._told = record.sequence

    def _choose_width(self, step: int) -> None:
        at = WIDTHS_US.index(self.width_us) + step
        self.width_us = WIDTHS_US[max(0, min(at, len(WIDTHS_US) - 1))]

    def _switch_power(self) -> None:
        board = self._bench.board
        self._begin(board.power_cut() if board.powered else board.power_on())

    async def _clear(self) -> None:
        for fact in self._bench.faults():
            self.lines.append(f"{fact}: {await self._bench.clear_fault(fact)}")

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # --- what it looks like

    def __rich__(self) -> Layout:
        middle = Layout(size=MIDDLE_ROWS)
        middle.split_row(Layout(self._pins(), size=PINS_COLUMNS), Layout(self._pictures()))
        screen = Layout()
        screen.split_column(
            Layout(self._header(), size=1),
            middle,
            Layout(_Lines(self.lines)),
            Layout(Text(KEYS, "dim", no_wrap=True), size=1),
        )
        return screen

    def _header(self) -> RenderableType:
        board = self._bench.board
        power = ("on", "green") if board.powered else ("no power", "bold red")
        seconds = f"{board.plant.time_us / 1e6:8.1f} s"
        state = "a round goes on" if self.rounds.playing else "p plays a round"
        return Text.assemble(
            (" tumbler ", "bold reverse"), " ", power, f" {seconds}  {board.plant.scenario.title}  ",
            (state, "dim"), no_wrap=True, overflow="ellipsis",
        )  # fmt: skip

    def _pins(self) -> RenderableType:
        pins = self._bench.pins
        grid = Grid.grid(padding=(0, 1))
        rows = max(len(pins.inputs), len(pins.outputs))
        for row in range(rows):
            grid.add_row(*_input_cells(pins, row), *_output_cells(pins, row))
        rise_us = GATE_GAP_UM * 1000 // SPEED_MM_S
        stroke = Text(f"stroke: {self.width_us} us wide, {rise_us} us rise", "dim")
        vibration = Text(f"vibration pin: {pins.voltage()}", "dim")
        return Box(Group(grid, stroke, vibration), title="pins", border_style="cyan", padding=(0, 1))

    def _pictures(self) -> RenderableType:
        size = self._bench.board.picture_size
        grid = Grid.grid(padding=(0, 1))
        for first in range(0, LAMPS, 2):
            frames = [self._bench.board.hands.pictures.get(lamp) for lamp in (first, first + 1)]
            grid.add_row(*(draw(frame, *size) for frame in frames))
        return Box(grid, title="pictures under lamps 0 to 3", border_style="cyan", padding=(0, 0, 0, 1))


def _input_cells(pins: Pins, row: int) -> tuple[Text, ...]:
    names = pins.inputs
    if row >= len(names):
        return Text(), Text(), Text()
    level = pins.level(names[row])
    key = TOGGLES[row] if row < len(TOGGLES) else " "
    return Text(key, "bold"), Text(names[row]), Text("yes" if level else "no", "green" if level else "yellow")


def _output_cells(pins: Pins, row: int) -> tuple[Text, ...]:
    names = pins.outputs
    if row >= len(names):
        return Text(), Text()
    level = pins.level(names[row])
    return Text("●" if level else "○", "bold yellow" if level else "dim"), Text(names[row])


def draw(frame: bytes | None, width: int, height: int) -> Text:
    """A picture of PICTURE_COLUMNS x PICTURE_ROWS characters, two grey pixels in each."""
    text = Text(no_wrap=True)
    for row in range(PICTURE_ROWS):
        for column in range(PICTURE_COLUMNS):
            x = (2 * column + 1) * width // (2 * PICTURE_COLUMNS)
            upper, lower = (
                _grey(frame, width, x, (2 * half + 1) * height // (4 * PICTURE_ROWS))
                for half in (2 * row, 2 * row + 1)
            )
            text.append("▀", Style(color=upper, bgcolor=lower))
        if row < PICTURE_ROWS - 1:
            text.append("\n")
    return text


def _grey(frame: bytes | None, width: int, x: int, y: int) -> str:
    at = y * width + x
    value = frame[at] if frame and at < len(frame) else 0
    return f"#{value:02x}{value:02x}{value:02x}"


class _Lines:
    """The newest lines, as many as there is room for."""

    def __init__(self, lines: deque[str]) -> None:
        self._lines = lines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        room = (options.height or 8) - 2
        newest = list(self._lines)[-room:] if room > 0 else []
        text = Text("\n".join(newest), no_wrap=True, overflow="ellipsis")
        yield Box(text, title="records and rounds", border_style="cyan", padding=(0, 1))


async def serve_panel(bench: Bench, play_all: bool, console: Console) -> int:
    """Show the panel until "q"; with `play_all` the scenario is played by itself. Returns the exit status."""
    panel = TesterPanel(bench, lambda tell: Rounds(bench, tell))
    playing = asyncio.create_task(panel.rounds.play_all()) if play_all else None
    with _keyboard(panel.press), Live(panel, console=console, screen=True, auto_refresh=False) as live:
        while not panel.ended.is_set():
            panel.look()
            live.refresh()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(panel.ended.wait(), LOOK_S)
    if playing is not None:
        playing.cancel()
    panel.rounds.give_up()
    return 0


@contextlib.contextmanager
def _keyboard(press: Callable[[str], None]) -> Iterator[None]:
    """Each key at once, without echo, while this lasts."""
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    loop = asyncio.get_running_loop()

    def read() -> None:
        for key in os.read(terminal, 64).decode(errors="replace"):
            press(key)

    tty.setcbreak(terminal)
    loop.add_reader(terminal, read)
    try:
        yield
    finally:
        loop.remove_reader(terminal)
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)
