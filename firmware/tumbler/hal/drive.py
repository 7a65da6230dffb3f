"""The drive: pulses of the solenoid by a timer, which ends them whatever the controller does.

A periodic timer, hard where the port has such, decides by the clock alone whether the load is on. It needs
no help from the main program, and neither too large a count nor a program that hangs keeps the drive running
longer than the limit. Where timers wait for the interpreter (ESP32, older RP2), a call that does not return
delays them; then the watchdog resets the board, and the load's own resistor switches it off.
"""


class Drive:
    """output: pins.Output; settings: "on_ms" (length of a pulse), "period_ms"; limit_ms: of a run of strokes;
    machine and time: the port's modules."""

    def __init__(self, output, settings, limit_ms, machine, time):
        self._output = output
        self._on_ms = settings["on_ms"]
        self._period_ms = settings["period_ms"]
        self._limit_ms = limit_ms
        self._time = time
        self._left = 0  # pulses still to end
        self._pulsing = False
        self._began = 0
        self._pulse = 0  # when the newest pulse began
        self._running = False
        self._timer = _timer(machine)
        # A pulse is at most a quarter longer than on_ms.
        self._periodic = {
            "mode": machine.Timer.PERIODIC,
            "period": max(1, self._on_ms // 4),
            "callback": self._tick,  # bound here, once
        }

    def start(self, count):
        """Begin `count` strokes; strokes under way end."""
        self.stop()
        now = self._time.ticks_ms()
        self._began = now
        self._pulse = self._time.ticks_add(now, -self._period_ms)  # the first is due at once
        self._left = count
        self._running = True
        try:
            self._timer.init(hard=True, **self._periodic)
        except (TypeError, ValueError):  # a port without hard timers
            self._timer.init(**self._periodic)

    def stop(self):
        """Switch the drive off."""
        self._left = 0
        if self._running:
            self._running = False
            self._timer.deinit()
        self._pulsing = False
        self._output.set(False)

    def poll(self):
        """Call often: stops the timer after the last stroke, and the drive at its limit."""
        if self._running and (not self._left or self._expired(self._time.ticks_ms())):
            self.stop()

    def _expired(self, now):
        return self._time.ticks_diff(now, self._began) >= self._limit_ms

    def _tick(self, timer):
        """In the timer's interrupt: nothing may be allocated."""
        now = self._time.ticks_ms()
        if self._left and self._expired(now):
            self._left = 0
        if not self._left:
            self._pulsing = False
            self._output.set(False)
            return
        age = self._time.ticks_diff(now, self._pulse)
        if self._pulsing:
            if age >= self._on_ms:
                self._pulsing = False
                self._output.set(False)
                self._left -= 1
        elif age >= self._period_ms:
            self._pulsing = True
            self._pulse = now
            self._output.set(True)


def _timer(machine):
    """Timer 0 where there is one (ESP32's virtual timers are too coarse), else a virtual timer."""
    try:
        return machine.Timer(0)
    except ValueError:
        return machine.Timer(-1)
