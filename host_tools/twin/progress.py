"""Progress of a long run on standard error: how much is done, how fast it goes, how long it takes."""

import sys
import time

_OFTEN_S = 0.5  # on a terminal, where a line replaces the one before
_SELDOM_S = 15.0


class Progress:
    """Counts `total` things called `what` (a plural), of which `done` were there before."""

    def __init__(self, what: str, total: int, done: int) -> None:
        self._what = what
        self._total = total
        self._first = self._done = done
        self._begun = self._told = time.monotonic()
        self._terminal = sys.stderr.isatty()

    def advance(self, count: int = 1, note: str = "") -> None:
        """So many more are done; `note` goes behind."""
        self._done += count
        now = time.monotonic()
        pause = _OFTEN_S if self._terminal else _SELDOM_S
        if now - self._told >= pause or self._done >= self._total:
            self._told = now
            self._tell(now, note)

    def _tell(self, now: float, note: str) -> None:
        rate = (self._done - self._first) / max(1e-9, now - self._begun)
        left = (self._total - self._done) / rate
        line = f"{self._done:,} of {self._total:,} {self._what}, {rate:.1f} a second, {left:.0f} s left{note}"
        end = "\n" if not self._terminal or self._done >= self._total else ""
        print(("\r\x1b[K" if self._terminal else "") + line, end=end, file=sys.stderr, flush=True)
