"""Which record to send next: go-back-N over record sequences, with repetition that never gives up."""

from tumbler.definitions import SEND_WINDOW

_FIRST_TIMEOUT_MS = 1000  # above the longest stall of either side: a flash erase, a slow commit
_LONGEST_TIMEOUT_MS = 5000
_REJECTION_GAP_MS = 250  # a storm of NAKs must not become a storm of records


class SendWindow:
    """`committed`: newest record that the host has stored; `resends`: how often sending went back."""

    def __init__(self):
        self.resends = 0
        self._rejected_at = None
        self.open(0)

    def open(self, committed):
        """Begin after record `committed`, with nothing in flight."""
        self.committed = committed
        self._next = committed + 1
        self._highest = committed  # newest record handed to the line since `open`
        self._timeout = _FIRST_TIMEOUT_MS
        self._since = None  # when the last byte of a record went out, or an acknowledgement came in

    def take(self, newest):
        """The sequence to send now, which then counts as sent, or None; `newest`: the journal's last."""
        if self._next > newest or self._next > self.committed + SEND_WINDOW:
            return None
        self._next += 1
        self._highest = max(self._highest, self._next - 1)
        return self._next - 1

    def sent(self, now):
        """The last byte of a record has been written: the time to wait for its acknowledgement begins."""
        self._since = now

    def acknowledge(self, committed, now):
        """True when `committed` moves the window on; an old number does not, nor one that was never sent."""
        if not self.committed < committed <= self._highest:
            return False
        self.committed = committed
        self._next = max(self._next, committed + 1)
        self._timeout = _FIRST_TIMEOUT_MS
        self._since = now
        return True

    def reject(self, expected, now):
        """The host misses record `expected`: go back to it, unless it went back a moment ago."""
        if not self.committed < expected < self._next:
            return
        if self._rejected_at is not None and now - self._rejected_at < _REJECTION_GAP_MS:
            return
        self._rejected_at = now
        self._next = expected
        self.resends += 1

    def poll(self, now):
        """Go back to the oldest unacknowledged record when its time is over."""
        if self._next == self.committed + 1 or self._since is None or now - self._since < self._timeout:
            return
        self._next = self.committed + 1
        self._since = None
        self._timeout = min(2 * self._timeout, _LONGEST_TIMEOUT_MS)
        self.resends += 1
