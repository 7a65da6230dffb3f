"""Which record to send next: go-back-N over record sequences, with repetition that never gives up."""

from tumbler.definitions import SEND_WINDOW
from tumbler.rtt import RoundTrip

_REJECTION_GAP_MS = 250  # a storm of NAKs must not become a storm of records


class SendWindow:
    """`committed`: newest record that the host has stored; `round_trip`: from record to acknowledgement.

    counters: `resends` (how often sending went back), `timeouts`, `naks`, `stray_acks` are counted in it.
    """

    def __init__(self, counters):
        self.round_trip = RoundTrip()
        self._counters = counters
        self._rejected_at = None
        self.open(0)

    def open(self, committed):
        """Begin after record `committed`, with nothing in flight."""
        self.committed = committed
        self._next = committed + 1
        self._highest = committed  # newest record handed to the line since `open`
        self._since = None  # when the last byte of a record went out, or an acknowledgement came in
        self._fresh = None  # the record on its way to the line, if it goes there for the first time
        self._timed = None  # the record whose round trip is measured,
        self._timed_at = 0  # and when it was sent

    def take(self, newest):
        """The sequence to send now, which then counts as sent, or None; `newest`: the journal's last."""
        if self._next > newest or self._next > self.committed + SEND_WINDOW:
            return None
        sequence = self._next
        self._next += 1
        self._fresh = sequence if sequence > self._highest else None
        self._highest = max(self._highest, sequence)
        return sequence

    def sent(self, now):
        """The last byte of the record taken has been written: the time to wait for its answer begins."""
        if self._timed is None and self._fresh is not None:
            self._timed, self._timed_at = self._fresh, now
        self._since = now

    def acknowledge(self, committed, now):
        """True when `committed` moves the window on; an old number does not, nor one that was never sent."""
        if not self.committed < committed <= self._highest:
            self._counters["stray_acks"] += 1
            return False
        if self._timed is not None and committed >= self._timed:
            self.round_trip.measured(now - self._timed_at)
            self._timed = None
        self.committed = committed
        self._next = max(self._next, committed + 1)
        self._since = now
        return True

    def reject(self, expected, now):
        """The host misses record `expected`: go back to it, unless it went back a moment ago."""
        self._counters["naks"] += 1
        if not self.committed < expected < self._next:
            return
        if self._rejected_at is not None and now - self._rejected_at < _REJECTION_GAP_MS:
            return
        self._rejected_at = now
        self._go_back(expected)

    def poll(self, now):
        """Go back to the oldest unacknowledged record when its time is over."""
        if self._next == self.committed + 1 or self._since is None:
            return
        if now - self._since < self.round_trip.timeout:
            return
        self._since = None
        self._counters["timeouts"] += 1
        self.round_trip.missed()
        self._go_back(self.committed + 1)

    def _go_back(self, sequence):
        self._next = sequence
        self._fresh = self._timed = None  # an answer may belong to either copy
        self._counters["resends"] += 1
