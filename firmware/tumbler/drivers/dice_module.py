"""The project's own dice module, a camera that reads by itself: I2C at 0x3D or UART (docs/dice-module.md).

Everything it tells is one block of 50 bytes with a CRC-16, the same on both buses. An answer counts only when
its sequence number is the one after the block that was read before the measurement was asked for.
"""

import hashlib

from tumbler.drivers import NOT_FLAT, UNKNOWN, Answer, Seen
from tumbler.drivers.frames import FrameReader
from tumbler.drivers.port import I2cPort, port_of
from tumbler.hal import SensorError

WHO_AM_I = 0xD6
VERSION = 1
BLOCK = 50  # bytes, its CRC-16 included
COMMAND_REGISTER = 0x40
MEASURE, SEND = 0x01, 0x02  # the first is also what the command register takes
UART_START = 0xA5
READY, BUSY, FAULT = 0x01, 0x02, 0x04  # bits of the status byte
MOST_DICE = 4  # how many objects the block holds, however many were counted
CERTAIN = 1000  # a confidence of one, in thousandths

_FIRST_DIE = 8
_DIE = 10  # bytes
_ANSWER_MS = 2000
_PAUSE_MS = 20  # between two looks at a module that measures
_REPEAT_MS = 200  # after which a block that was asked for over the UART is asked for again
_CHUNK = 64
_DRAIN = 8  # chunks, more than a receive buffer holds


def crc16(data):
    """CRC-16/IBM-3740 (polynomial 0x1021, start 0xFFFF) of `data`."""
    crc = 0xFFFF
    for byte in data:
        crc ^= byte << 8
        for _ in range(8):
            crc = (crc << 1 ^ 0x1021 if crc & 0x8000 else crc << 1) & 0xFFFF
    return crc


def crc8(data):
    """CRC-8/SMBUS (polynomial 0x07, start 0) of `data`."""
    crc = 0
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc << 1 ^ 0x07 if crc & 0x80 else crc << 1) & 0xFF
    return crc


def _u16(block, at):
    return block[at] | block[at + 1] << 8


def _sound(block):
    return crc16(block[: BLOCK - 2]) == _u16(block, BLOCK - 2)


class _Registers:
    """The module on I2C: its block is read whenever it is wanted."""

    def __init__(self, port):
        self._port = port
        self._block = bytearray(BLOCK)

    def begin(self):
        self.damaged = 0

    def measure(self):
        self._port.write_registers(COMMAND_REGISTER, bytes([MEASURE]))

    def ask(self):
        pass

    def block(self):
        self._port.read_registers(0, self._block)
        if self._block[0] != WHO_AM_I:
            raise SensorError("id 0x%02x is no dice module's" % self._block[0])
        if _sound(self._block):
            return self._block
        self.damaged += 1
        return None


class _Stream:
    """The module on a UART: its block is sent when asked for."""

    def __init__(self, port):
        self._port = port
        self._chunk = bytearray(_CHUNK)
        header = bytes([UART_START, WHO_AM_I])
        length = BLOCK + 1
        self._frames = FrameReader(header, 2, lambda head: length, length, lambda f: _sound(f[1:]), _CHUNK)

    def begin(self):
        self._frames.damaged = 0

    @property
    def damaged(self):
        return self._frames.damaged

    def measure(self):
        self._say(MEASURE)

    def ask(self):
        """Ask for the block; one that is on its way is passed by, for it tells of before."""
        for _ in range(_DRAIN):
            self._port.receive(self._chunk)
        self._say(SEND)

    def block(self):
        self._frames.feed(self._chunk, self._port.receive(self._chunk))
        frame = self._frames.next()
        return None if frame is None else frame[1:]

    def _say(self, operation):
        self._port.send(bytes([UART_START, operation, crc8([operation])]))


class Sensor:
    """See drivers.make_sensor."""

    def __init__(self, bus, settings):
        port = port_of(bus, settings)
        self._link = _Registers(port) if isinstance(port, I2cPort) else _Stream(port)
        self._deadline = None  # of the answer, None when none is wanted

    def request(self, now):
        """Begin a measurement."""
        self._deadline = now + _ANSWER_MS
        self._before = None  # sequence number before the measurement, None until that is asked for
        self._look_at = now
        self._waiting = False  # for a block that was asked for
        self._link.begin()

    def poll(self, now):
        """None or the Answer; SensorError when there is none in time, or none that can be trusted."""
        if self._deadline is None:
            return None
        try:
            answer = self._look(now)
        except SensorError:
            self._deadline = None
            raise
        if answer is not None:
            self._deadline = None
        elif now >= self._deadline:
            self._deadline = None
            raise SensorError(self._lateness())
        return answer

    def _lateness(self):
        if self._link.damaged:
            return "%d blocks with a wrong CRC" % self._link.damaged
        return "silent: check its power" if self._before is None else "no answer in %d ms" % _ANSWER_MS

    def _look(self, now):
        if now >= self._look_at:
            self._link.ask()
            self._waiting = True
            self._look_at = now + _REPEAT_MS
        if not self._waiting:
            return None
        block = self._link.block()
        if block is None:
            return None
        self._waiting = False
        self._look_at = now + _PAUSE_MS
        return self._judge(block)

    def _judge(self, block):
        if block[1] != VERSION:
            raise SensorError("register map %d, not %d" % (block[1], VERSION))
        if block[2] & FAULT:
            raise SensorError("module reports fault %d" % block[3])
        sequence = _u16(block, 4)
        if block[2] & BUSY:
            return None
        if self._before is None:
            self._before = sequence
            self._link.measure()
            return None
        if sequence == self._before:
            return None  # it has not begun yet
        if sequence != (self._before + 1) & 0xFFFF or not block[2] & READY:
            raise SensorError("sequence broken: module restarted?")
        objects = tuple(_seen(block, index) for index in range(min(block[6], MOST_DICE)))
        return Answer(objects, sequence, hashlib.sha256(block).digest())


def _seen(block, index):
    at = _FIRST_DIE + _DIE * index
    face, flat = block[at], block[at + 1]
    x, y, size, confidence = [_u16(block, at + offset) for offset in (2, 4, 6, 8)]
    if flat == 0:
        face = NOT_FLAT
    elif flat != 1 or not 1 <= face <= 6 or confidence > CERTAIN:
        face = UNKNOWN
    return Seen(face, x, y, size, size, confidence)
