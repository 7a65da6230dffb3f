"""One device on an I2C bus or a UART; whatever fails on the bus becomes a SensorError that names it."""

import errno

from tumbler.hal import SensorError


def port_of(bus, settings):
    """The port of the device that `settings` tells: I2C at its "address", or the other end of a UART."""
    if hasattr(bus, "readfrom_into"):
        return I2cPort(bus, settings["address"])
    return UartPort(bus)


class I2cPort:
    """The device at `address` of an I2C bus."""

    def __init__(self, bus, address):
        self._bus = bus
        self._address = address

    def send(self, data):
        """Write `data` in one transfer."""
        try:
            taken = self._bus.writeto(self._address, data)
        except OSError as error:
            raise self._fault(error) from None
        if taken != len(data):
            raise SensorError("took %d of %d bytes" % (taken, len(data)))

    def receive(self, buffer):
        """Read into all of `buffer`; returns its length. A device with nothing to say sends filler."""
        try:
            self._bus.readfrom_into(self._address, buffer)
        except OSError as error:
            raise self._fault(error) from None
        return len(buffer)

    def read_registers(self, first, buffer):
        """Read as many registers as `buffer` is long, from `first` on."""
        try:
            self._bus.readfrom_mem_into(self._address, first, buffer)
        except OSError as error:
            raise self._fault(error) from None

    def write_registers(self, first, data):
        """Write `data` to the registers from `first` on."""
        try:
            self._bus.writeto_mem(self._address, first, data)
        except OSError as error:
            raise self._fault(error) from None

    def _fault(self, error):
        if error.errno == errno.ETIMEDOUT:
            return SensorError("I2C bus stuck: check the pull-ups")
        return SensorError("no answer at 0x%02x: check the cable" % self._address)


class UartPort:
    """The device at the other end of a UART."""

    def __init__(self, bus):
        self._bus = bus

    def send(self, data):
        """Hand all of `data` to the UART, whose transmit buffer holds many such requests."""
        try:
            taken = self._bus.write(data) or 0
        except OSError as error:
            raise _uart_fault(error) from None
        if taken != len(data):
            raise SensorError("UART took %d of %d bytes" % (taken, len(data)))

    def receive(self, buffer):
        """Read what has come in, at most all of `buffer`; returns how many bytes."""
        try:
            waiting = min(self._bus.any(), len(buffer))
            return (self._bus.readinto(buffer, waiting) or 0) if waiting else 0
        except OSError as error:
            raise _uart_fault(error) from None


def _uart_fault(error):
    return SensorError("UART failed (%s): check the adapter" % error.errno)
