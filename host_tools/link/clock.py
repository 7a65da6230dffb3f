"""Time as the link sees it, passed in so that tests can hold it in their hands."""

import asyncio
import time
from collections.abc import Awaitable
from typing import Any, Protocol


class Clock(Protocol):
    """Time as the session sees it."""

    def now(self) -> float:
        """Seconds of a clock that never goes back."""
        ...

    def wall_ms(self) -> int:
        """Unix time in milliseconds."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Return after `seconds`."""
        ...


class SystemClock:
    """The system's monotonic and wall clocks."""

    def now(self) -> float:
        """See Clock."""
        return time.monotonic()

    def wall_ms(self) -> int:
        """See Clock."""
        return time.time_ns() // 1_000_000

    async def sleep(self, seconds: float) -> None:
        """See Clock."""
        await asyncio.sleep(seconds)


async def done_by(clock: Clock, awaited: Awaitable[Any], deadline: float | None) -> bool:
    """Wait until `deadline` (None: for ever); whether the future or task is done. It is not cancelled."""
    future = asyncio.ensure_future(awaited)
    if deadline is None:
        await asyncio.wait({future})
        return True
    timer = asyncio.ensure_future(clock.sleep(deadline - clock.now()))
    try:
        await asyncio.wait({future, timer}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        timer.cancel()
    return future.done()
