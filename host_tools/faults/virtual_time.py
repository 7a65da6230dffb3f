"""Time that passes in no time: an event loop whose clock leaps to the next timer, the same in every run."""

import asyncio
import selectors
from collections.abc import Coroutine
from typing import Any, TypeVar

WALL_MS = 1_764_000_000_000

T = TypeVar("T")


class Stuck(Exception):
    """Everything waits and no timer runs: the program would hang for ever."""


class _LeapingSelector(selectors.SelectSelector):
    """Instead of sleeping until the next timer, time leaps to it."""

    now = 0.0

    def select(self, timeout: float | None = None) -> Any:
        if timeout is None:
            raise Stuck
        self.now += max(timeout, 0)
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """Nothing outside of the process is ever waited for."""

    def __init__(self) -> None:
        self._leaping = _LeapingSelector()
        super().__init__(self._leaping)

    def time(self) -> float:
        """Seconds of virtual time."""
        return self._leaping.now


class VirtualClock:
    """The link's clock over the running loop; `offset_ms` sets the wall clock wrong."""

    def __init__(self, offset_ms: int = 0) -> None:
        self.offset_ms = offset_ms

    def now(self) -> float:
        """See link.Clock."""
        return asyncio.get_running_loop().time()

    def wall_ms(self) -> int:
        """See link.Clock."""
        return WALL_MS + self.offset_ms + int(self.now() * 1000)

    async def sleep(self, seconds: float) -> None:
        """See link.Clock."""
        await asyncio.sleep(seconds)


def run_virtually(work: Coroutine[Any, Any, T], expected: type[BaseException]) -> T:
    """Run `work` to its end in virtual time; errors nobody waited for are raised, but `expected` ones."""
    problems: list[BaseException] = []

    def keep(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception") or RuntimeError(context["message"])
        if not isinstance(error, expected):
            problems.append(error)

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.get_loop().set_exception_handler(keep)
        result = runner.run(work)
    if problems:
        raise problems[0]
    return result
