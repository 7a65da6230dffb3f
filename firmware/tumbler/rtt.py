"""How long to wait for an answer: from measured round trips, as RFC 6298 has it, in whole milliseconds."""

FIRST_MS = 1000
# Above the longest stall of either side: signing and a flash erase here, a slow commit there.
LEAST_MS = 600
LONGEST_MS = 5000


class RoundTrip:
    """`timeout`: ms to wait now. Answers to what was sent twice are no measure (Karn): do not give them."""

    def __init__(self, least_ms=LEAST_MS):
        self.timeout = FIRST_MS
        self._least = least_ms
        self._smooth = None  # of the round trips, in eighths of a ms
        self._spread = 0  # their deviation, in quarters of a ms

    def measured(self, ms):
        """An answer came `ms` after the last byte of what it answers."""
        if self._smooth is None:
            self._smooth = 8 * ms
            self._spread = 2 * ms
        else:
            off = ms - self._smooth // 8
            self._smooth += off
            self._spread += abs(off) - self._spread // 4
        self.timeout = min(max(self._smooth // 8 + self._spread, self._least), LONGEST_MS)

    def missed(self):
        """No answer within the timeout: wait twice as long from now on, until one is measured."""
        self.timeout = min(2 * self.timeout, LONGEST_MS)
