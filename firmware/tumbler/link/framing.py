"""Frames on the wire: 0x00 COBS(type, session, body, CRC-32) 0x00, cut out of whatever else arrives."""

import struct
from binascii import crc32

from tumbler.definitions import MAX_BODY

_HEADER = 5  # type, session
_CRC = 4
_FULL = 255  # code of a COBS block of 254 bytes that no zero follows
_LONGEST = _HEADER + MAX_BODY + _CRC
_LONGEST_STUFFED = _LONGEST + _LONGEST // 254 + 1


def encode_frame(type_byte, session, *body_parts):
    """One frame as bytes, delimiters at both ends; `body_parts` are bytes-like and follow one another.

    COBS without copying: each zero of the raw frame becomes, in place, the distance to the next one.
    """
    frame = bytearray(b"\x00\x00")  # the delimiter, and the place of the first code byte
    frame += struct.pack(">BI", type_byte, session)
    for part in body_parts:
        frame += part
    frame += struct.pack(">I", crc32(memoryview(frame)[2:]) & 0xFFFFFFFF)
    frame += b"\x00"
    code = 1
    last = len(frame) - 1
    while code < last:
        distance = frame.find(b"\x00", code + 1) - code
        if distance > _FULL or (distance == _FULL and code + distance < last):
            distance = _FULL
            frame[code + _FULL : code + _FULL] = b"\x00"  # the place of one more code byte
            last += 1
        frame[code] = distance
        code += distance
    return bytes(frame)


class FrameParser:
    """Cuts frames out of a stream of bytes; its one buffer holds the longest frame and is made once.

    Counters: `crc_errors` pieces whose CRC-32 is wrong, `overruns` pieces longer than any frame, `noise`
    pieces between delimiters that are no frame at all (banner text, halves of frames).
    """

    def __init__(self):
        self.crc_errors = 0
        self.overruns = 0
        self.noise = 0
        self._buffer = bytearray(_LONGEST_STUFFED + 1)
        self._view = memoryview(self._buffer)
        self._used = 0
        self._skipping = False  # until the next delimiter, after an overrun

    def feed(self, data):
        """The frames that `data` (bytes-like, any length) completes, as a list of (type, session, body)."""
        frames = []
        data = memoryview(data)
        at = 0
        while at < len(data):
            count = min(len(data) - at, len(self._buffer) - self._used)
            filled = self._used + count
            self._view[self._used : filled] = data[at : at + count]
            at += count
            self._cut(filled, frames)
        return frames

    def _cut(self, filled, frames):
        """Take the pieces that end in the buffer's first `filled` bytes and keep the unfinished one."""
        start = 0
        scan = self._used
        while True:
            zero = self._buffer.find(b"\x00", scan, filled)
            if zero < 0:
                break
            if self._skipping:
                self._skipping = False
            elif zero > start:
                frame = self._frame(start, zero)
                if frame:
                    frames.append(frame)
            start = scan = zero + 1
        self._keep(start, filled)

    def _keep(self, start, filled):
        rest = filled - start
        if rest == len(self._buffer) and not self._skipping:
            self.overruns += 1
            self._skipping = True
        if self._skipping:
            rest = 0
        elif start:
            self._view[:rest] = self._view[start:filled]
        self._used = rest

    def _frame(self, start, stop):
        """The frame between two delimiters, or None with one counter raised."""
        stop = self._unstuff(start, stop)
        start += 1
        size = stop - start - _CRC
        if size < _HEADER:
            self.noise += 1
            return None
        if size > _HEADER + MAX_BODY:
            self.overruns += 1
            return None
        body_end = start + size
        (crc,) = struct.unpack_from(">I", self._buffer, body_end)
        if crc32(self._view[start:body_end]) & 0xFFFFFFFF != crc:
            self.crc_errors += 1
            return None
        type_byte, session = struct.unpack_from(">BI", self._buffer, start)
        return type_byte, session, bytes(self._view[start + _HEADER : body_end])

    def _unstuff(self, start, stop):
        """Undo COBS in place. Returns the data's end, its start being `start` + 1; 0 when it is not COBS."""
        buffer = self._buffer
        at = start  # of a code byte
        full = False  # the block before was a full one, so this code byte stands for no zero
        while at < stop:
            code = buffer[at]
            if at + code > stop:
                return 0
            if full:
                self._view[at : stop - 1] = self._view[at + 1 : stop]
                stop -= 1
                at -= 1
            elif at > start:
                buffer[at] = 0
            at += code
            full = code == _FULL
        return stop
