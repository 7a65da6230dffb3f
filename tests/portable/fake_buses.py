"""Buses for drivers' tests, with the methods and the faults of machine.I2C and machine.UART.

A chip on I2C offers write(data) -> bytes acknowledged and read(buffer); one on a UART hear(data) and out, a
bytearray of what it says.
"""

import errno


class Clock:
    """Time that only the test and the code's own waiting move."""

    def __init__(self):
        self.ms = 0

    def now(self):
        return self.ms

    def idle(self):
        self.ms += 5


class I2c:
    """chips: {address: chip}. stuck: a chip holds a line low; every transfer ends in a timeout."""

    def __init__(self, chips):
        self.chips = chips
        self.stuck = False
        self.transfers = 0

    def _chip(self, address):
        self.transfers += 1
        if self.stuck:
            raise OSError(errno.ETIMEDOUT, "timeout")
        if address not in self.chips:
            raise OSError(errno.ENODEV, "no acknowledge")
        return self.chips[address]

    def writeto(self, address, data):
        return self._chip(address).write(bytes(data))

    def readfrom_into(self, address, buffer):
        self._chip(address).read(buffer)

    def writeto_mem(self, address, register, data):
        count = self._chip(address).write(bytes([register]) + bytes(data))
        if count != len(data) + 1:
            raise OSError(errno.EIO, "no acknowledge")

    def readfrom_mem_into(self, address, register, buffer):
        chip = self._chip(address)
        if chip.write(bytes([register])) != 1:
            raise OSError(errno.EIO, "no acknowledge")
        chip.read(buffer)


class Uart:
    """The wire to `chip`. trickle: bytes that arrive between two looks at it;
    room: bytes the transmit buffer takes; unplugged: every call fails."""

    def __init__(self, chip):
        self.chip = chip
        self.trickle = 1 << 20
        self.room = 256
        self.unplugged = False
        self._arrived = 0

    def _plugged(self):
        if self.unplugged:
            raise OSError(errno.EIO, "no acknowledge")

    def any(self):
        self._plugged()
        self._arrived = min(len(self.chip.out), self._arrived + self.trickle)
        return self._arrived

    def readinto(self, buffer, count):
        self._plugged()
        count = min(count, self._arrived)
        if not count:
            return None
        buffer[:count] = bytes(self.chip.out[:count])
        self.chip.out = self.chip.out[count:]
        self._arrived -= count
        return count

    def write(self, data):
        self._plugged()
        taken = bytes(data[: self.room])
        if not taken:
            return None
        self.chip.hear(taken)
        return len(taken)
