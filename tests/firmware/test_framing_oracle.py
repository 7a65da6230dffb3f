"""The device's frames against independent code: PyPI cobs and zlib, the host's parser, CPython's hmac."""

import hmac
import struct
import zlib
from collections import Counter

from cobs import cobs
from hypothesis import given, settings
from hypothesis import strategies as st

from host_tools.link import framing as host
from tumbler.definitions import MAX_BODY
from tumbler.link import framing as device
from tumbler.link.hmac import hmac_sha256

BODIES = st.one_of(
    st.binary(max_size=700),
    st.binary(min_size=1, max_size=3).flatmap(lambda unit: st.integers(0, 233).map(lambda n: unit * n)),
    st.lists(st.sampled_from([b"\0", b"\xff" * 253, b"\1" * 254, b"\2" * 255]), max_size=4).map(b"".join),
)
TYPES = st.integers(0, 255)
SESSIONS = st.integers(0, 2**32 - 1)


def reference(type_byte, session, body):
    raw = struct.pack(">BI", type_byte, session) + body
    return b"\0" + cobs.encode(raw + struct.pack(">I", zlib.crc32(raw))) + b"\0"


def bodies_of(length):
    return (
        bytes(length),
        b"\xff" * length,
        bytes(i % 255 + 1 for i in range(length)),
        bytes(i % 3 for i in range(length)),
    )


def test_every_length_and_filling():
    for length in [*range(701), MAX_BODY - 1, MAX_BODY]:
        for body in bodies_of(length):
            frame = reference(2, 0x01000001, body)
            assert device.encode_frame(2, 0x01000001, body) == frame
            assert host.encode_frame(2, 0x01000001, body) == frame
            assert device.FrameParser().feed(frame) == [(2, 0x01000001, body)]
            assert host.FrameParser(Counter()).feed(frame) == [(2, 0x01000001, body)]


@settings(max_examples=400, deadline=None)
@given(TYPES, SESSIONS, BODIES)
def test_any_frame(type_byte, session, body):
    body = body[:MAX_BODY]
    assert device.encode_frame(type_byte, session, body) == reference(type_byte, session, body)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.tuples(TYPES, SESSIONS, st.binary(max_size=300)), max_size=5), st.data())
def test_any_split_gives_the_same_frames(frames, data):
    stream = b"".join(reference(*frame) for frame in frames)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=12)))
    pieces = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    for parser in (device.FrameParser(), host.FrameParser(Counter())):
        assert [frame for piece in pieces for frame in parser.feed(piece)] == frames


@settings(max_examples=400, deadline=None)
@given(
    st.lists(st.one_of(st.binary(max_size=2500), st.just(b"\0"), BODIES.map(lambda b: reference(2, 7, b))))
)
def test_both_parsers_agree_on_any_stream(pieces):
    """Frames and counters: two parsers written apart see the same things in the same rubbish."""
    ours, counters = device.FrameParser(), Counter()
    theirs = host.FrameParser(counters)
    for piece in pieces:
        assert ours.feed(piece) == theirs.feed(piece)
    assert ours.feed(b"\0") == theirs.feed(b"\0")
    counted = counters["crc_errors"], counters["overruns"], counters["noise"]
    assert (ours.crc_errors, ours.overruns, ours.noise) == counted
    frame = reference(3, 9, b"alive")
    assert ours.feed(frame) == theirs.feed(frame) == [(3, 9, b"alive")]


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200), st.binary(max_size=300))
def test_hmac(key, message):
    assert hmac_sha256(key, message) == hmac.digest(key, message, "sha256")
