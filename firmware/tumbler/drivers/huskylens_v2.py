"""HuskyLens 2 (SEN0638), protocol V0.2 of its maker (2025-11-26): I2C at 0x50 or UART at 115200 baud.

A frame is 55 AA, command, algorithm, length of the data, data, sum of all bytes before it (low byte).
Firmware with the first protocol (V0.1) numbers its commands otherwise and stays silent to this one: update
it. Numbers are little-endian; the picture is 640 x 480.
"""

from tumbler.drivers import UNKNOWN, Seen
from tumbler.drivers.huskylens import ANNOUNCED, OTHER, READY, SEEN, HuskyLens, face_of, frame_of, u16

_HEADER = b"\x55\xaa"
_KNOCK = 0x00
_GET_RESULT = 0x01
_RETURN_ARGS = 0x1A
_RETURN_INFO = 0x1B
_RETURN_BLOCK = 0x1C
_RETURN_ARROW = 0x1D

_LARGE_BOARD = 1
_DATA = 10  # bytes every answer to us has at the least; names and the like may follow
_MOST = 140  # bytes of a frame
_ANSWER_MS = 2000


class Sensor(HuskyLens):
    """See drivers.make_sensor; its setting "algorithm" names the one that was taught the dice."""

    def __init__(self, bus, settings):
        self._algorithm = settings["algorithm"]
        knock = frame_of(_HEADER + bytes([_KNOCK, 0, _DATA, _LARGE_BOARD]) + bytes(_DATA - 1))
        ask = frame_of(_HEADER + bytes([_GET_RESULT, self._algorithm, 0]))
        super().__init__(bus, settings, _HEADER, 4, _MOST, _ANSWER_MS, knock, ask)

    def understand(self, frame):
        """See HuskyLens.understand."""
        command, algorithm, size = frame[2], frame[3], frame[4]
        if size < _DATA:
            return (OTHER,)
        if command == _RETURN_ARGS:
            return (READY,) if frame[6] == 0 else (OTHER,)
        if algorithm != self._algorithm:
            return (OTHER,)
        if command == _RETURN_INFO:
            return ANNOUNCED, u16(frame, 7), frame[5], None
        if command in (_RETURN_BLOCK, _RETURN_ARROW):
            x, y, width, height = [u16(frame, at) for at in (7, 9, 11, 13)]
            face = face_of(frame[5]) if command == _RETURN_BLOCK else UNKNOWN
            return SEEN, Seen(face, x, y, width, height, None)
        return (OTHER,)
