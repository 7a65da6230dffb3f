"""Leave to speak on a line that several devices share (RS-485): only in a turn that the host grants.

The host's POLL names a device and a number of frames, the last of which is DONE. The transceiver needs a
moment to let go of the line, so a turn begins a guard interval after its POLL was read, and a POLL that may
have waited unread, while this device was busy, is not used: by now another may be speaking.
"""

_GUARD_MS = 2
_STALE_MS = 50  # the host waits longer than that for a turn to begin


class Turn:
    """device: this device's id, 8 bytes. counters: `turns_missed` is counted in it."""

    def __init__(self, device, counters):
        self._device = device
        self._counters = counters
        self._frames = 0  # left in this turn
        self._begins = 0
        self._looked = 0  # when the line was last read

    def grant(self, values, now):
        """A POLL was read at `now`."""
        self._frames = 0  # whoever it names, an earlier turn is over
        if values["device"] != self._device:
            return
        if now - self._looked > _STALE_MS:
            self._counters["turns_missed"] += 1
            return
        self._frames = values["count"]
        self._begins = now + _GUARD_MS

    def looked(self, now, speaking):
        """The line has been read empty at `now`; speaking: a frame is being written."""
        self._looked = now
        if speaking:
            self._begins = now

    def may_speak(self, now):
        """True when a frame may begin now."""
        if now - self._begins > _STALE_MS:
            self._frames = 0  # slept through
        return self._frames > 0 and now >= self._begins

    def take(self):
        """A frame begins; True when it must be DONE."""
        self._frames -= 1
        return not self._frames

    def end(self):
        """DONE was said."""
        self._frames = 0
