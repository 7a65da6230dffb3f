"""Records as they arrive from one device: strictly in order, each once, kept until they are committed."""

import hashlib
from enum import Enum, auto

from host_tools.link.errors import Equivocation

_MOST_WAITING = 64  # records; an honest device keeps to its send window, so this only bounds a hostile one
_REMEMBERED = 16  # digests, to tell a repetition from an equivocation


class Verdict(Enum):
    """What became of a record."""

    ACCEPTED = auto()
    REPEATED = auto()  # accepted or committed before
    MISSED = auto()  # the first sign that the one before it is missing
    IGNORED = auto()  # one more after a missing one, or one too many


class Inbox:
    """`committed`: newest record that the sink holds; `expected`: the next one to accept."""

    def __init__(self, device: bytes, committed: int, digest: bytes) -> None:
        self.device = device
        self.committed = committed
        self.expected = committed + 1
        self._digests = {committed: digest}
        self._waiting: list[tuple[int, bytes]] = []
        self._gap_reported = False

    def offer(self, sequence: int, raw: bytes) -> Verdict:
        """Take record `sequence` if its turn has come. Equivocation when an earlier one read differently."""
        digest = hashlib.sha256(raw).digest()
        if sequence < self.expected:
            if self._digests.get(sequence, digest) != digest:
                raise Equivocation(f"two different records have sequence {sequence}")
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

    def take(self) -> list[tuple[int, bytes]]:
        """All accepted records that wait for their commit, in order; they wait no longer."""
        batch, self._waiting = self._waiting, []
        return batch
