"""The second board's side, sent over its raw REPL: levels at once, edges to the microsecond, outputs heard.

Runs on MicroPython and CPython. Interrupts and the play itself allocate nothing.
"""

from array import array

_HEARD = 128  # edges kept until the host asks
_LEAD_US = 1000  # between the call and the first edge


class Player:
    """machine, time: the modules. drives: (pin, its first level) of each wire to an input of the board under
    test; watches: (pin, the level it has while nothing drives it) of each wire from an output."""

    def __init__(self, machine, time, drives, watches):
        pin = machine.Pin
        self._time = time
        self._input = pin.IN
        self._codes = bytearray(_HEARD)
        self._written = self._read = 0
        self._outs = [pin(number, pin.OUT, value=level) for number, level in drives]
        pulls = (pin.PULL_DOWN, pin.PULL_UP)
        self._watches = [
            _Watch(pin(number, pin.IN, pulls[rest]), index, self._hear)
            for index, (number, rest) in enumerate(watches)
        ]

    def set_levels(self, levels):
        """levels: (index in drives, 0 or 1) each, put out now in this order."""
        for index, level in levels:
            self._outs[index].value(level)

    def play(self, edges):
        """edges: (index in drives, 0 or 1, microseconds after the first) each, ascending.

        Returns how late the latest was, in microseconds.
        """
        count = len(edges)
        pins = [self._outs[index] for index, _, _ in edges]
        levels = bytearray(level for _, level, _ in edges)
        offsets = array("i", (offset for _, _, offset in edges))
        now, add, diff = self._time.ticks_us, self._time.ticks_add, self._time.ticks_diff
        begun = add(now(), _LEAD_US)
        latest = i = 0
        while i < count:
            due = add(begun, offsets[i])
            late = diff(now(), due)
            while late < 0:
                late = diff(now(), due)
            pins[i].value(levels[i])
            latest = max(latest, late)
            i += 1
        return latest

    def levels(self):
        """The level of each watched output now."""
        return [watch.pin.value() for watch in self._watches]

    def heard(self):
        """(index in watches, its new level) of each edge since the last call, oldest first.

        Raises RuntimeError when there were more than are kept: some are lost.
        """
        written = self._written
        if written - self._read > _HEARD:
            self._read = written
            raise RuntimeError("more edges of the outputs than are kept: is a wire loose?")
        told = []
        while self._read < written:
            code = self._codes[self._read % _HEARD]
            told.append((code >> 1, code & 1))
            self._read += 1
        return told

    def release(self):
        """Drive nothing any more: the board under test sees its own pulls."""
        for out in self._outs:
            out.init(self._input)
        for watch in self._watches:
            watch.end()

    def _hear(self, index, level):
        self._codes[self._written % _HEARD] = index << 1 | level
        self._written += 1


class _Watch:
    def __init__(self, pin, index, hear):
        self.pin = pin
        self._index = index
        self._hear = hear
        self._last = pin.value()
        both = pin.IRQ_RISING | pin.IRQ_FALLING
        # A bound method made now: one made in the interrupt would need memory.
        self._changed = self._change
        try:
            pin.irq(self._changed, both, hard=True)
        except TypeError:  # a port that has only soft interrupts
            pin.irq(self._changed, both)

    def _change(self, pin):
        level = pin.value()
        if level != self._last:
            self._last = level
            self._hear(self._index, level)

    def end(self):
        self.pin.irq(None, self.pin.IRQ_RISING | self.pin.IRQ_FALLING)
