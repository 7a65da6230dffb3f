"""At-rest detection: the dice are at rest once the platform's vibration has stayed low for long enough."""


class RestDetector:
    """`limits`: rest_mg (vibration below which nothing moves), rest_ms (how long it must stay there)."""

    def __init__(self, limits):
        self._limits = limits
        self._quiet_since = None
        self.at_rest = False

    def sample(self, vibration_mg, now):
        """Take the peak vibration since the last sample; returns [("rest",)], [("moving",)] or []."""
        if vibration_mg >= self._limits.rest_mg:
            self._quiet_since = None
        elif self._quiet_since is None:
            self._quiet_since = now
        rests = self._quiet_since is not None and now - self._quiet_since >= self._limits.rest_ms
        if rests == self.at_rest:
            return []
        self.at_rest = rests
        return [("rest",) if rests else ("moving",)]
