"""A brake on guessing passwords: wrong tries make a name or an address wait, right ones cost nothing.

An address may have many people behind it, so it is given more wrong tries than a name. Whether a try is right
is only known when it is over: as many as may still be wrong run side by side, the others wait for their turn.
"""

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from host_tools.people.errors import SignInRefused, TooManyTries

FREE_TRIES = 5  # wrong ones before a name has to wait
FREE_TRIES_OF_ADDRESS = 50
FIRST_WAIT_S = 30.0  # doubles with each further one
LONGEST_WAIT_S = 900.0
_MOST_REMEMBERED = 10_000  # names and addresses with wrong tries: a bound on memory


class Brake:
    """Slows guessing, in threads. A waiting name is locked for everybody, its owner too: a lock-out.
    It ends by itself. `now` gives seconds on a clock that never steps back."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._failures: dict[str, tuple[int, float]] = {}  # count, time of the last
        self._running: Counter[str] = Counter()
        self._turn = threading.Condition()

    @contextmanager
    def trying(self, name: str, address: str) -> Iterator[None]:
        """Around one try, which raises SignInRefused when it is wrong. Raises TooManyTries.

        A right one proves the owner of the name: its wrong ones are forgotten, but not those of the address,
        or whoever has one password could try all the others from there."""
        free = {f"name {name}": FREE_TRIES, f"from {address}": FREE_TRIES_OF_ADDRESS}
        self._take_turn(free)
        try:
            yield
            self._forget(f"name {name}")
        except SignInRefused:
            self._count(free)
            raise
        finally:
            self._give_turn(free)

    def _take_turn(self, free: Mapping[str, int]) -> None:
        with self._turn:
            self._require(free)
            while not all(
                self._running[key] < max(1, tries - self._tries(key)) for key, tries in free.items()
            ):
                self._turn.wait()
                self._require(free)
            self._running.update(free.keys())

    def _give_turn(self, free: Mapping[str, int]) -> None:
        with self._turn:
            self._running -= Counter(free.keys())
            self._turn.notify_all()

    def _require(self, free: Mapping[str, int]) -> None:
        wait = max(self._wait_s(key, tries) for key, tries in free.items())
        if wait > 0:
            raise TooManyTries(wait)

    def _count(self, free: Mapping[str, int]) -> None:
        with self._turn:
            if len(self._failures) >= _MOST_REMEMBERED:
                oldest = sorted(self._failures, key=lambda key: self._failures[key][1])
                for key in oldest[: _MOST_REMEMBERED // 2]:
                    del self._failures[key]
            for key in free:
                self._failures[key] = (self._tries(key) + 1, self._now())

    def _forget(self, key: str) -> None:
        with self._turn:
            self._failures.pop(key, None)

    def _tries(self, key: str) -> int:
        """Wrong ones; after a long rest they begin anew."""
        count, last = self._failures.get(key, (0, 0.0))
        return 0 if self._now() - last > LONGEST_WAIT_S else count

    def _wait_s(self, key: str, tries: int) -> float:
        count, last = self._failures.get(key, (0, 0.0))
        if count < tries:
            return 0.0
        wait = min(FIRST_WAIT_S * 2.0 ** min(count - tries, 16), LONGEST_WAIT_S)
        return last + wait - self._now()
