"""Times making and parsing frames in interleaved rounds; prints one JSON object, microseconds a call."""

import gc
import json
import struct
import sys
import time
from binascii import crc32

sys.path.insert(0, "firmware")

from tumbler.link.framing import FrameParser, encode_frame

SESSION = 0x1234ABCD
SEQUENCE = (1001).to_bytes(8, "big")
RECORD = bytes([i * 89 % 256 for i in range(180)])  # of a signed reading's size, zeros as rare as in one
ROUNDS = 15
CALLS = 200


def loop_encode():
    """The same frame by the usual byte loop."""
    raw = struct.pack(">BI", 2, SESSION) + SEQUENCE + RECORD
    raw += struct.pack(">I", crc32(raw))
    out = bytearray(b"\x00\x00")
    code = 1
    for byte in raw:
        if byte:
            out.append(byte)
        if not byte or len(out) - code == 255:
            out[code] = len(out) - code
            code = len(out)
            out.append(0)
    out[code] = len(out) - code
    out.append(0)
    return bytes(out)


def loop_parse(stream):
    """Type, session and body of one frame by the usual byte loop."""
    piece = bytearray()
    for byte in stream:
        if byte:
            piece.append(byte)
    raw = bytearray()
    left = 0
    code = 255
    for byte in piece:
        if left == 0:
            if code < 255:
                raw.append(0)
            code = byte
            left = byte
        else:
            raw.append(byte)
        left -= 1
    if crc32(raw[:-4]) != struct.unpack(">I", raw[-4:])[0]:
        raise ValueError("the frame is damaged")
    type_byte, session = struct.unpack(">BI", raw)
    return type_byte, session, bytes(raw[5:-4])


parser = FrameParser()
frame = encode_frame(2, SESSION, SEQUENCE, RECORD)
if loop_encode() != frame or parser.feed(frame) != [loop_parse(frame)]:
    raise ValueError("the two implementations do not agree")

SUBJECTS = {
    "encode": lambda: encode_frame(2, SESSION, SEQUENCE, RECORD),
    "encode_loop": loop_encode,
    "parse": lambda: parser.feed(frame),
    "parse_loop": lambda: loop_parse(frame),
}


def time_of(call):
    gc.collect()
    start = time.ticks_us()
    for _ in range(CALLS):
        call()
    return time.ticks_diff(time.ticks_us(), start) / CALLS


times = {name: [] for name in SUBJECTS}
for _ in range(ROUNDS):
    for name, call in SUBJECTS.items():
        times[name].append(time_of(call))
print(json.dumps(times))
