"""The UART to the host: whatever the port's UART does, neither direction waits.

On RS-485 an output drives the transceiver while bytes leave, and a little longer.
"""

from tumbler.hal.pins import made, pin_of

_BUFFER = 2048  # bytes, each direction
_ROOM = _BUFFER // 2  # ports keep notes of their own in the transmit buffer
_HOLD_BYTES = 2  # times of a byte that the transceiver still drives the line behind the last one
_UNBUFFERED_ROOM = 32  # without a transmit buffer the port waits for every character: 3 ms at 115200


def open_uart(machine, where, settings, buffer=_BUFFER):
    """machine.UART of `settings` ("id", "tx", "rx", "baud"); True beside it when it has a transmit buffer.

    Ports whose UARTs have fixed pins take neither tx nor rx: there the id alone says which pins they are.
    """

    def build(keywords):
        return machine.UART(settings["id"], **keywords)

    pins = {end: pin_of(machine, "%s.%s" % (where, end), settings[end]) for end in ("tx", "rx")}
    never_wait = {"baudrate": settings["baud"], "timeout": 0, "timeout_char": 0}
    uart, groups = made(where, build, never_wait, {"rxbuf": buffer}, {"txbuf": buffer}, pins)
    return uart, groups >= 2


class Line:
    """uart: as of open_uart; now_us() -> microseconds since boot; direction: pins.Output, or None."""

    def __init__(self, uart, buffered, baud, now_us, direction=None):
        self._uart = uart
        self._room = _ROOM if buffered else _UNBUFFERED_ROOM
        self._byte_us = -(-10000000 // baud)  # start, 8 data and stop bit
        self._now_us = now_us
        self._out_by = 0  # when all that was handed over has left
        self._direction = direction
        self._driving = False

    def receive(self, buffer):
        """See hal."""
        if self._driving and self._now_us() >= self._out_by + _HOLD_BYTES * self._byte_us:
            self._drive(False)
        waiting = min(self._uart.any(), len(buffer))
        if not waiting:
            return 0
        return self._uart.readinto(buffer, waiting) or 0

    def send(self, data):
        """See hal. Never more than the transmit buffer has room for, as some ports then wait (ESP32)."""
        now = self._now_us()
        under_way = max(0, self._out_by - now)
        room = self._room + -under_way // self._byte_us  # a byte half sent is still there
        if not room:
            return 0
        if self._direction is not None:
            self._drive(True)
        taken = self._uart.write(memoryview(data)[:room]) or 0
        self._out_by = now + under_way + taken * self._byte_us
        return taken

    def _drive(self, on):
        self._driving = on
        self._direction.set(on)  # pyright: ignore[reportOptionalMemberAccess]
