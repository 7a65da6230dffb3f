"""Frames as the host sees them: 0x00 COBS(type, session, body, CRC-32) 0x00, by the kept library `cobs`."""

import struct
import zlib
from collections import Counter
from typing import NamedTuple

from cobs import cobs

from tumbler.definitions import MAX_BODY

_HEADER = struct.Struct(">BI")
_CRC = struct.Struct(">I")
_LONGEST = _HEADER.size + MAX_BODY + _CRC.size
_LONGEST_STUFFED = _LONGEST + _LONGEST // 254 + 1


class Frame(NamedTuple):
    """A received frame whose CRC was right: type byte, session (uint, 32 bits) and body."""

    type_byte: int
    session: int
    body: bytes


def encode_frame(type_byte: int, session: int, body: bytes = b"") -> bytes:
    """One frame with delimiters at both ends; ValueError for a body longer than MAX_BODY."""
    if len(body) > MAX_BODY:
        raise ValueError(f"a body of {len(body)} bytes; {MAX_BODY} are allowed")
    raw = _HEADER.pack(type_byte, session) + body
    return b"\0" + cobs.encode(raw + _CRC.pack(zlib.crc32(raw))) + b"\0"


class FrameParser:
    """Cuts frames out of a stream of bytes and never holds more than the longest frame.

    It counts in `counters`: `crc_errors`, `overruns` (pieces longer than any frame) and `noise` (pieces
    between delimiters that are no frame, as a banner or half a frame).
    """

    def __init__(self, counters: Counter[str]) -> None:
        self._counters = counters
        self._piece = b""
        self._skipping = False

    def feed(self, data: bytes) -> list[Frame]:
        """The frames that `data` completes."""
        *complete, rest = data.split(b"\0")
        frames = []
        for piece in complete:
            self._extend(piece)
            frame = None if self._skipping else self._frame(self._piece)
            self._piece, self._skipping = b"", False
            if frame:
                frames.append(frame)
        self._extend(rest)
        return frames

    def _extend(self, piece: bytes) -> None:
        if self._skipping:
            return
        self._piece += piece
        if len(self._piece) > _LONGEST_STUFFED:
            self._counters["overruns"] += 1
            self._piece, self._skipping = b"", True

    def _frame(self, piece: bytes) -> Frame | None:
        if not piece:
            return None
        try:
            raw = cobs.decode(piece)
        except cobs.DecodeError:
            raw = b""
        size = len(raw) - _HEADER.size - _CRC.size
        if size < 0:
            self._counters["noise"] += 1
            return None
        if size > MAX_BODY:
            self._counters["overruns"] += 1
            return None
        if _CRC.unpack(raw[-_CRC.size :])[0] != zlib.crc32(raw[: -_CRC.size]):
            self._counters["crc_errors"] += 1
            return None
        type_byte, session = _HEADER.unpack_from(raw)
        return Frame(type_byte, session, raw[_HEADER.size : -_CRC.size])
