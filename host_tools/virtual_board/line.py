"""What every simulated board has on its host's side: a terminal as its UART, and the pace of its time."""

import asyncio
import contextlib
import os
import tty

from host_tools.virtual_board.plant import STEP_US

_BACKLOG_S = 0.02  # how far pacing may catch up after a pause


class UartTerminal:
    """A pseudo-terminal: the board has `end` (a descriptor that does not block), the host opens `path`."""

    def __init__(self) -> None:
        self.end, far_end = os.openpty()
        tty.setraw(far_end)
        self.path = os.ttyname(far_end)
        os.close(far_end)
        os.set_blocking(self.end, False)

    def empty(self) -> None:
        """What came while the board had no power was never received."""
        with contextlib.suppress(OSError):
            while os.read(self.end, 4096):
                pass

    def close(self) -> None:
        """Give the terminal back."""
        os.close(self.end)


class Pace:
    """When a board's next step of time is due."""

    def __init__(self) -> None:
        self._granted_at = 0.0

    async def step(self, speed: float | None) -> None:
        """Wait until a step at `speed` (board time by real time, None: at once) is due."""
        if speed is None:
            await asyncio.sleep(0)
            return
        now = asyncio.get_running_loop().time()
        self._granted_at = max(self._granted_at + STEP_US / 1e6 / speed, now - _BACKLOG_S)
        await asyncio.sleep(max(0.0, self._granted_at - now))
