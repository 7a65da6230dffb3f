"""Frames: making and parsing one on the MicroPython unix port against a byte loop, and its size on the wire.

A frame here holds a record of 180 bytes, as a signed reading has. Times are medians of interleaved rounds;
`ratio` is how many times faster, or smaller, ours is. Baselines of size: HDLC (RFC 1662) with FCS-32, and a
line of base64.
"""

import base64
import json
import subprocess
import sys
from pathlib import Path
from statistics import mean, median

from host_tools.link.framing import encode_frame

ROOT = Path(__file__).parents[1]
MICROPYTHON = Path(sys.executable).with_name("micropython")
_BODY = 8 + 180  # sequence and record
_HEADER_AND_CRC = 5 + 4
_SAMPLES = 200


def run() -> list[dict]:
    """Rows {"bench", "what", "ours", "baseline", "ratio", "unit"}; times in microseconds."""
    times = _times()
    bodies = [_arbitrary(seed) for seed in range(_SAMPLES)]
    ours = mean(len(encode_frame(2, 0x1234ABCD, body)) for body in bodies)
    hdlc = mean(_hdlc_size(body) for body in bodies)
    line = mean(len(base64.b64encode(bytes(_HEADER_AND_CRC) + body)) + 2 for body in bodies)
    return [
        _timed("make a frame on MicroPython; byte loop", times["encode"], times["encode_loop"]),
        _timed("parse a frame on MicroPython; byte loop", times["parse"], times["parse_loop"]),
        _row("a record of 180 bytes on the wire; HDLC", ours, hdlc, hdlc / ours, "bytes"),
        _row("a record of 180 bytes on the wire; base64 line", ours, line, line / ours, "bytes"),
    ]


def _times() -> dict[str, list[float]]:
    command = [MICROPYTHON, "-X", "heapsize=480k", "benchmarks/micropython/framing_rounds.py"]
    return json.loads(subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, check=True).stdout)


def _arbitrary(seed: int) -> bytes:
    """A body whose bytes are as good as random, the same in every run."""
    state = seed + 1
    body = bytearray()
    for _ in range(_BODY):
        state = state * 1103515245 + 12345 & 0x7FFFFFFF
        body.append(state >> 16 & 0xFF)
    return bytes(body)


def _hdlc_size(body: bytes) -> int:
    """Bytes between and with the flags; 0x7E and 0x7D are escaped, control characters are not."""
    return 2 + _HEADER_AND_CRC + len(body) + body.count(0x7E) + body.count(0x7D)


def _timed(what: str, ours: list[float], baseline: list[float]) -> dict:
    ratio = median(slow / fast for fast, slow in zip(ours, baseline, strict=True))
    return _row(what, median(ours), median(baseline), ratio, "us")


def _row(what: str, ours: float, baseline: float, ratio: float, unit: str) -> dict:
    return {
        "bench": "framing",
        "what": what,
        "ours": ours,
        "baseline": baseline,
        "ratio": ratio,
        "unit": unit,
    }
