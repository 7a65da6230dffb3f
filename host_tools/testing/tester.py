"""What a test holds: a running board and its pins, with plain calls in place of coroutines.

The table runs in a thread with an event loop of its own; every call is carried out there, in order.
"""

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from host_tools.bridge.events import RoundOutcome
from host_tools.pins.bench import Bench, open_bench, scenario_of
from host_tools.records import Record
from host_tools.virtual_board.scenario import Event, Round

LONGEST_S = 120.0
SEED = "a tester's board"

T = TypeVar("T")


class PinsUnderTest:
    """The pins by name (host_tools.pins.pins.Pins), for a test. True means what the name says."""

    def __init__(self, board: "BoardUnderTest") -> None:
        self._board = board

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of what a test can set."""
        return self._board.bench.pins.inputs

    @property
    def outputs(self) -> tuple[str, ...]:
        """The names of what the board sets."""
        return self._board.bench.pins.outputs

    def level(self, name: str) -> bool:
        """The present level of an input or output."""
        return self._board.call(lambda bench: bench.pins.level(name))

    def set(self, name: str, level: bool) -> None:
        """Put an input at a level; a stroke gate stays there until `free`."""
        self._board.call(lambda bench: bench.pins.set(name, level))

    def pulse(self, name: str, ms: int) -> None:
        """Put an input at the other level for `ms`."""
        self._board.call(lambda bench: bench.pins.pulse(name, ms))

    def free(self) -> None:
        """Stuck stroke gates work again."""
        self._board.call(lambda bench: bench.pins.free())

    def stroke(self, width_us: int = 15_000, speed_mm_s: int = 950, bounces: int = 0) -> None:
        """The platform strikes once, commanded or not."""
        self._board.call(lambda bench: bench.pins.stroke(width_us, speed_mm_s, bounces))

    def shake(self, milli_g: int, ms: int) -> None:
        """The platform vibrates."""
        self._board.call(lambda bench: bench.pins.shake(milli_g, ms))

    def camera(self, state: str) -> None:
        """working, dead, short, stuck or dark."""
        self._board.call(lambda bench: bench.pins.camera(state))


class BoardUnderTest:
    """A tumbler on Blinka with a table around it. Board time passes as fast as it goes, in every call."""

    def __init__(self, bench: Bench, loop: asyncio.AbstractEventLoop) -> None:
        self.bench = bench
        self.pins = PinsUnderTest(self)
        self._loop = loop

    # --- what a test does

    def play(self) -> RoundOutcome:
        """Play the next round as host and dealer do, to its end; returns how it ended."""
        return self._await(self.bench.play)

    def during(self, when: str, *, nth: int = 1, after_ms: int = 0, **what: Any) -> None:
        """In the next round, `after_ms` after the `nth` `when`, this happens: an event as in a scenario.

        `what`: levels, stick, free, vibration_mg with for_ms, camera, scene, strokes, power_off_ms.
        """
        event = Event(when, nth, after_ms, **what)
        self.call(lambda bench: bench.during(event))

    def clear_fault(self, fact: str) -> str:
        """Have the device check and clear a latched fault: "done", or why not ("still-present")."""
        return self._await(lambda: self.bench.clear_fault(fact))

    def pass_time(self, ms: int) -> None:
        """Let so much board time pass."""
        self._await(lambda: self.bench.table.pass_time(ms))

    def power_cut(self) -> None:
        """Cut the power."""
        self._await(self.bench.board.power_cut)

    def power_on(self) -> None:
        """Give the board power again."""
        self._await(self.bench.board.power_on)

    # --- what a test looks at

    @property
    def round(self) -> Round:
        """What the scenario says of the round played last, or to be played first."""
        return self.bench.board.plant.round

    @property
    def records(self) -> list[Record]:
        """Every record that the device has signed, verified; `kind` and `fields` tell what it says."""
        self._await(self.bench.table.caught_up)
        return self.call(lambda bench: bench.records())

    @property
    def faults(self) -> list[str]:
        """The faults that are latched: no round opens before they are cleared."""
        self._await(self.bench.table.caught_up)
        return self.call(lambda bench: bench.faults())

    @property
    def console(self) -> str:
        """What the firmware has printed when something in it went wrong."""
        return self.bench.board.console

    # --- in the table's thread

    def call(self, do: Callable[[Bench], T]) -> T:
        """Carry out `do` in the table's thread, between two grants of board time."""

        async def carry_out() -> T:
            return do(self.bench)

        return self._await(carry_out)

    def finish(self, done: asyncio.Event) -> None:
        """Set `done` in the table's thread, unless the table has ended by itself."""
        with contextlib.suppress(RuntimeError):
            self._loop.call_soon_threadsafe(done.set)

    def _await(self, begin: Callable[[], Awaitable[T]]) -> T:
        async def bounded() -> T:
            async with asyncio.timeout(LONGEST_S):
                return await begin()

        return asyncio.run_coroutine_threadsafe(bounded(), self._loop).result()


@contextlib.contextmanager
def board_under_test(
    directory: Path, mode: str = "covered", scenario: str | Path | None = None
) -> Iterator[BoardUnderTest]:
    """A board in the empty folder `directory`, playing ordinary rounds in `mode`, or the file `scenario`."""
    played = scenario_of(Path(scenario) if scenario else None, mode)
    ready: Future[BoardUnderTest] = Future()
    done = asyncio.Event()

    async def serve() -> None:
        async with open_bench(directory, played, speed=None, seed=SEED) as bench:
            ready.set_result(BoardUnderTest(bench, asyncio.get_running_loop()))
            await done.wait()

    ending: list[BaseException] = []

    def run() -> None:
        try:
            asyncio.run(serve())
        except BaseException as error:
            ending.append(error)
            if not ready.done():
                ready.set_exception(error)

    thread = threading.Thread(target=run, name="tumbler table", daemon=True)
    thread.start()
    board = ready.result()
    try:
        yield board
    finally:
        board.finish(done)
        thread.join()
    if ending:
        raise ending[0]
