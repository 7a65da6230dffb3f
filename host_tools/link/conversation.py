"""Which conversation with a device goes on, and what is of it: nothing late is taken for a present word.

The host's greeting opens a conversation; the device's HELLO repeats that greeting and gives the session
number that dates every other frame of both sides. Statuses are dated within it by the device's own clock.
"""

import secrets
from collections.abc import Callable

from host_tools.link.commands import Peer

_NUMBERS = 2**32
_MOST_BEHIND = 8  # statuses in a row: so many late copies there are not, so the one before them was a lie


def fresh_greeting() -> int:
    """A number that nobody has greeted with before."""
    return secrets.randbelow(_NUMBERS - 1) + 1


class Conversation:
    """`greeting` opens the one that goes on, or that is to begin.

    `new_greeting` gives numbers from 1 to 2**32 - 1, by chance, so that no other host has used them.
    """

    def __init__(self, new_greeting: Callable[[], int] = fresh_greeting) -> None:
        self._new_greeting = new_greeting
        self.renew()

    def renew(self) -> None:
        """The next one is to begin: what was said until now is of before."""
        self.greeting = self._new_greeting()
        self.begin()

    def begin(self) -> None:
        """The device has given it a session: its statuses begin."""
        self._newest_ms = -1
        self._behind = 0

    def brings(self, uptime_ms: int) -> bool:
        """Whether a status of that time tells something new."""
        if uptime_ms <= self._newest_ms:
            self._behind += 1
            return False
        self._newest_ms, self._behind = uptime_ms, 0
        return True

    @property
    def belied(self) -> bool:
        """Whether one status was of a time that the device has not reached: it cannot be its own."""
        return self._behind >= _MOST_BEHIND


def is_old(peer: Peer, current: Peer | None) -> bool:
    """Whether a HELLO that answers the greeting of this conversation was overtaken by another one."""
    if current is None or peer.device != current.device:
        return False
    if peer.boot != current.boot:
        return peer.boot < current.boot
    return (peer.session - current.session) % _NUMBERS >= _NUMBERS // 2
