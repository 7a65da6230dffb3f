"""HuskyLens (SEN0305, SEN0336), protocol 0.5.1 of its maker: I2C at 0x32 or UART at 9600 baud.

A frame is 55 AA 11, length of the data, command, data, sum of all bytes before it (low byte). The module must
run an algorithm that frames every die (it is chosen and taught on the module itself); numbers are
little-endian.
"""

from tumbler.drivers import UNKNOWN, Seen
from tumbler.drivers.huskylens import ANNOUNCED, OTHER, READY, SEEN, HuskyLens, face_of, frame_of, u16

_HEADER = b"\x55\xaa\x11"
_REQUEST_KNOCK = 0x2C
_REQUEST_BLOCKS = 0x21  # learned or not: what it has no class for must not pass unseen
_RETURN_OK = 0x2E
_RETURN_INFO = 0x29
_RETURN_BLOCK = 0x2A
_RETURN_ARROW = 0x2B

_DATA = 10  # bytes of every frame that is an answer to us
_MOST = 40  # bytes of a frame
_ANSWER_MS = 500


class Sensor(HuskyLens):
    """See drivers.make_sensor."""

    def __init__(self, bus, settings):
        knock = frame_of(_HEADER + bytes([0, _REQUEST_KNOCK]))
        ask = frame_of(_HEADER + bytes([0, _REQUEST_BLOCKS]))
        super().__init__(bus, settings, _HEADER, 3, _MOST, _ANSWER_MS, knock, ask)

    def understand(self, frame):
        """See HuskyLens.understand."""
        command = frame[4]
        if command == _RETURN_OK:
            return (READY,)
        if frame[3] != _DATA:
            return (OTHER,)
        if command == _RETURN_INFO:
            return ANNOUNCED, u16(frame, 5), u16(frame, 7), u16(frame, 9)
        if command in (_RETURN_BLOCK, _RETURN_ARROW):
            x, y, width, height = [u16(frame, at) for at in (5, 7, 9, 11)]
            face = face_of(u16(frame, 13)) if command == _RETURN_BLOCK else UNKNOWN
            return SEEN, Seen(face, x, y, width, height, None)
        return (OTHER,)
