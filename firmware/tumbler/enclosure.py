"""Cover, dome, door and tilt: sampled levels in, debounced changes and faults out.

The cover has two channels that must agree: closed, open, or (while it moves) neither. Both at once, or
neither for longer than a cover can travel, is a sensor fault.
"""

# A level that is not the one named here is a fault of that name.
_SOUND = {
    "dome-intact": (True, "dome-broken"),
    "dome-closed": (True, "dome-open"),
    "door-closed": (True, "door-open"),
    "tilted": (False, "tilted"),
}
CHANNELS = ("cover-closed", "cover-open", "dome-intact", "dome-closed", "door-closed", "tilted")


class Enclosure:
    """Debounced enclosure channels.

    `limits`: channel_debounce_ms (a level must stand that long), cover_travel_ms.
    """

    def __init__(self, limits):
        self._limits = limits
        self._levels = {}
        self._pending = {}  # channel -> (level, since)
        self._between_since = None
        self._cover_reported = False

    def sample(self, level, now):
        """Read every channel with `level(name) -> bool` at `now` (ms); returns a list of events.

        ("channel", name, level) for each accepted change, ("fault", fact, detail) for each fault that begins.
        The first sample is accepted as it stands; of a sound channel it is no change worth reporting.
        """
        events = []
        for name in CHANNELS:
            self._sample_one(name, level(name), now, events)
        self._check_cover(now, events)
        return events

    def _sample_one(self, name, raw, now, events):
        known = self._levels.get(name)
        if raw == known:
            self._pending.pop(name, None)
            return
        if known is not None:
            pending = self._pending.get(name)
            if pending is None:
                self._pending[name] = now
                return
            if now - pending < self._limits.channel_debounce_ms:
                return
        self._pending.pop(name, None)
        self._levels[name] = raw
        sound = name in _SOUND and raw == _SOUND[name][0]
        if known is not None or not sound:
            events.append(("channel", name, raw))
        if name in _SOUND and not sound:
            events.append(("fault", _SOUND[name][1], ""))

    def _check_cover(self, now, events):
        closed, opened = self._levels["cover-closed"], self._levels["cover-open"]
        if closed != opened:
            self._between_since = None
            self._cover_reported = False
            return
        if self._between_since is None:
            self._between_since = now
        limit = self._limits.channel_debounce_ms if closed else self._limits.cover_travel_ms
        if now - self._between_since >= limit and not self._cover_reported:
            self._cover_reported = True
            detail = "cover channels disagree" if closed else "cover stuck between"
            events.append(("fault", "sensor-fault", detail))

    def present(self, fact):
        """True while the condition behind the fault `fact` still stands (the re-check before clearing it)."""
        if fact == "sensor-fault":
            return self._cover_reported
        for name, (sound, named) in _SOUND.items():
            if named == fact:
                return self._levels.get(name) != sound
        return False
