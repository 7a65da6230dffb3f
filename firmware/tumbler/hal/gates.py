"""Capture of the stroke gates' edges by pin interrupts, without allocation, in order of time.

Where the port has hard interrupts (RP2, STM32, i.MX RT) an edge is timed as it happens; on ESP32 the handler
waits for the interpreter, so an edge is a little late and several may look like one. ESP32's pulse counter
would lose none, but tells no times, and strokes are judged by width and speed: it is left out. While RP2
erases or writes flash its interrupts wait, and an edge is late by up to some tenths of a second: so the
controller writes no flash from the drive's start to its stop (`tumbler bench strokes` tells what it would
spoil).

Level invariant: after each drain a gate's last level told is the pin's level. An edge that was missed is told
late, so edges of a gate can never stay out of step with it.
"""

from array import array

from tumbler.hal import ReadingFault

_SIZE = 256  # edges between two drains: both gates bouncing at 1 kHz for an eighth of a second


class GateOverrun(ReadingFault):
    """More edges came than could be kept: look for a bouncing contact or interference at the gates."""

    part = "stroke gates"


class _Ring:
    """Raw ticks and marks, written by interrupts of one priority and read by the main program."""

    def __init__(self, ticks_us):
        self._ticks_us = ticks_us
        self._ticks = array("i", [0] * _SIZE)
        self._marks = bytearray(_SIZE)
        self._head = 0
        self._tail = 0
        self.lost = 0

    def add(self, mark):
        """Keep `mark` with the time; called in interrupts, where nothing may be allocated."""
        head = self._head
        following = (head + 1) % _SIZE
        if following == self._tail:
            self.lost += 1
            return
        self._ticks[head] = self._ticks_us()
        self._marks[head] = mark
        self._head = following

    def take(self):
        """The oldest (mark, raw tick), None when there is none."""
        tail = self._tail
        if tail == self._head:
            return None
        taken = self._marks[tail], self._ticks[tail]
        self._tail = (tail + 1) % _SIZE
        return taken

    def empty(self):
        return self._tail == self._head


class _Gate:
    """One gate; `number` is its place among the gates. A mark is twice that and the level's bit."""

    def __init__(self, channel, source, number, ring):
        self.channel = channel
        self.active = source.active
        self.level = False  # as told last
        self._pin = source.pin
        self._high = source.high
        self._mark = number * 2
        self._ring = ring
        self._watch()

    def _watch(self):
        handler = self._on_edge  # bound here, once
        trigger = self._pin.IRQ_RISING | self._pin.IRQ_FALLING
        try:
            self._pin.irq(handler=handler, trigger=trigger, hard=True)
        except (TypeError, ValueError):  # a port without hard interrupts
            self._pin.irq(handler=handler, trigger=trigger)

    def _on_edge(self, pin):
        self._ring.add(self._mark + 1 if self._pin.value() == self._high else self._mark)


class StrokeGates:
    """inputs: {channel: pins.Input}; ticks_us: the port's tick."""

    def __init__(self, inputs, ticks_us):
        self._ticks_us = ticks_us
        self._ring = _Ring(ticks_us)
        self._gates = [
            _Gate(channel, inputs[channel], number, self._ring)
            for number, channel in enumerate(sorted(inputs))
        ]
        self._lost = 0  # as told last

    def edges(self, uptime):
        """Iterate over (channel, level, t_us) since the last time; `uptime` (hal.Uptime) gives the times.

        GateOverrun after the last one when edges were lost.
        """
        uptime.advance(self._ticks_us())
        taken = self._ring.take()
        while taken is not None:
            mark, raw = taken
            gate = self._gates[mark >> 1]
            gate.level = bool(mark & 1)
            yield gate.channel, gate.level, uptime.at(raw)
            taken = self._ring.take()
        for gate in self._gates:
            # In this order: an edge that comes in between is in the ring, with its own time, for next time.
            raw = self._ticks_us()
            level = gate.active()
            if level != gate.level and self._ring.empty():
                gate.level = level
                yield gate.channel, level, uptime.advance(raw)
        lost = self._ring.lost - self._lost
        if lost:
            self._lost += lost
            raise GateOverrun("%d edges lost" % lost)
