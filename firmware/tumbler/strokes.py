"""Tumble counting: edges of the two stroke gates in, strokes with width and speed out.

The platform's vane passes the lower gate (`stroke-gate`), then the upper one (`stroke-top`) a known distance
above. Width is the time above the upper gate; speed is the gates' distance over the rise time. A weak stroke
pulses the lower gate without turning the dice, so a stroke counts only when both reach the board's minimum.

Invariant: each gate's accepted changes alternate, so a bouncing contact can never add a stroke.
"""

GATE = "stroke-gate"
TOP = "stroke-top"


class _Gate:
    """One gate, debounced: a level counts once it has stood for `debounce_us`; its time is its first edge."""

    def __init__(self, debounce_us):
        self._debounce_us = debounce_us
        self.level = False
        self.since_us = 0
        self._raw = False
        self._first_us = None  # first edge since the level was last stable
        self._last_us = 0

    def settle(self, now_us):
        """Accept a level that has stood long enough at `now_us`; True when the accepted level changed."""
        if self._first_us is None or now_us - self._last_us < self._debounce_us:
            return False
        first_us, self._first_us = self._first_us, None
        if self._raw == self.level:
            return False
        self.level = self._raw
        self.since_us = first_us
        return True

    def edge(self, level, t_us):
        if self._first_us is None:
            self._first_us = t_us
        self._raw = level
        self._last_us = t_us

    def settles_at(self):
        """Time at which the pending level is accepted; None when nothing is pending."""
        return None if self._first_us is None else self._last_us + self._debounce_us


class StrokeCounter:
    """Turns gate edges into events for the round.

    `limits`: debounce_us, min_width_us, min_speed_mm_s, max_width_us, gate_gap_um.
    """

    def __init__(self, limits):
        self._limits = limits
        self._gates = {GATE: _Gate(limits.debounce_us), TOP: _Gate(limits.debounce_us)}
        self._rise_us = None  # when the vane passed the lower gate
        self._top_us = None  # when it passed the upper gate
        self._width_us = 0
        self._speed = 0
        self._reported = False  # a stuck or inconsistent sensor is told once until it recovers

    def feed(self, channel, level, t_us):
        """Take one captured edge (`t_us`: microseconds, increasing); returns a list of events."""
        events = self.poll(t_us)
        self._gates[channel].edge(level, t_us)
        return events

    def poll(self, now_us):
        """Let `now_us` pass; returns a list of events.

        ("stroke", width_us, speed_mm_s), ("weak-stroke", width_us, speed_mm_s) or
        ("fault", "sensor-fault", detail).
        """
        events = []
        while True:
            gate = self._next_to_settle(now_us)
            if gate is None:
                break
            if self._gates[gate].settle(now_us):
                self._changed(gate, events)
        self._check_stuck(now_us, events)
        return events

    def _next_to_settle(self, now_us):
        """The gate whose pending level is due first, so that both gates are heard in order of time."""
        first = None
        first_due = now_us + 1
        for name in (GATE, TOP):
            due = self._gates[name].settles_at()
            if due is not None and due < first_due:
                first, first_due = name, due
        return first

    def _changed(self, name, events):
        gate = self._gates[name]
        if name == GATE and gate.level:
            self._rise_us = gate.since_us
            self._top_us = None
            self._width_us = self._speed = 0
        elif name == TOP and gate.level:
            if self._rise_us is None:
                self._fault("stroke gates disagree", events)
                return
            self._top_us = gate.since_us
            rise_us = max(1, gate.since_us - self._rise_us)
            self._speed = self._limits.gate_gap_um * 1000 // rise_us
        elif name == TOP:
            if self._top_us is not None:
                self._width_us = gate.since_us - self._top_us
        elif self._gates[TOP].level:
            self._fault("stroke gates disagree", events)
        elif self._rise_us is not None:
            self._rise_us = None
            self._reported = False
            wide = self._width_us >= self._limits.min_width_us
            strong = wide and self._speed >= self._limits.min_speed_mm_s
            events.append(("stroke" if strong else "weak-stroke", self._width_us, self._speed))

    def _check_stuck(self, now_us, events):
        for name in (GATE, TOP):
            gate = self._gates[name]
            if gate.level and now_us - gate.since_us > self._limits.max_width_us:
                self._fault("stroke sensor stuck", events)

    def _fault(self, detail, events):
        if not self._reported:
            self._reported = True
            events.append(("fault", "sensor-fault", detail))

    @property
    def stuck(self):
        """True while the sensor is in a state that no stroke explains (for the re-check of a fault)."""
        return self._reported and (self._gates[GATE].level or self._gates[TOP].level)
