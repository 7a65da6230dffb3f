"""Records as they arrive in one conversation: strictly in order, each once, kept until they are committed."""

import hashlib
from enum import Enum, auto

from host_tools.link.commands import Peer

_MOST_WAITING = 64  # records; an honest device keeps to its send window, so this only bounds a hostile one
_MOST_CONTESTED = 4  # records that wait to be judged; an honest device sends none
_REMEMBERED = 16  # digests, to tell a repetition from another record of the same sequence


class Verdict(Enum):
    """What became of a record."""

    ACCEPTED = auto()
    REPEATED = auto()  # accepted or committed before
    CONTESTED = auto()  # another one of this sequence was accepted or committed before
    MISSED = auto()  # the first sign that the one before it is missing
    IGNORED = auto()  # one more after a missing one, or one too many


class Inbox:
    """`committed`: newest record that the sink holds; `expected`: the next one to accept."""

    def __init__(self, peer: Peer, committed: int, digest: bytes) -> None:
        self.device = peer.device
        self.boot = peer.boot
        self.go_back(committed, digest)
        self._gap_reported = False

    def go_back(self, committed: int, digest: bytes) -> None:
        """Begin again behind the record that is committed: what waits is dropped; the caller asks for it."""
        self.committed = committed
        self.expected = committed + 1
        self._digests = {committed: digest}
        self._waiting: list[tuple[int, bytes]] = []
        self._contested: list[tuple[int, bytes]] = []
        self._gap_reported = True

    def offer(self, sequence: int, raw: bytes) -> Verdict:
        """Take record `sequence` if its turn has come."""
        digest = hashlib.sha256(raw).digest()
        if sequence < self.expected:
            if self._digests.get(sequence, digest) != digest:
                return self._contest(sequence, raw)
            self._gap_reported = False  # the device went back; what is missing now is missing anew
            return Verdict.REPEATED
        if sequence > self.expected:
            first = not self._gap_reported
            self._gap_reported = True
            return Verdict.MISSED if first else Verdict.IGNORED
        if len(self._waiting) == _MOST_WAITING:
            return Verdict.IGNORED
        self._gap_reported = False
        self._digests[sequence] = digest
        self._digests.pop(sequence - _REMEMBERED, None)
        self._waiting.append((sequence, raw))
        self.expected += 1
        return Verdict.ACCEPTED

    def _contest(self, sequence: int, raw: bytes) -> Verdict:
        if len(self._contested) == _MOST_CONTESTED:
            return Verdict.IGNORED
        self._contested.append((sequence, raw))
        return Verdict.CONTESTED

    def take(self) -> list[tuple[int, bytes]]:
        """All accepted records that wait for their commit, in order; they wait no longer."""
        batch, self._waiting = self._waiting, []
        return batch

    def take_contested(self) -> list[tuple[int, bytes]]:
        """The records that differ from a committed one of their sequence: one of the two was forged."""
        contested, self._contested = self._contested, []
        return [each for each in contested if each[0] <= self.committed]
