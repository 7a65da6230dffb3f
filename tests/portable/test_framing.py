"""Frames survive every length, every split and every kind of rubbish around them."""

import struct
import unittest
from binascii import crc32

from tumbler.definitions import MAX_BODY
from tumbler.link.framing import FrameParser, encode_frame

SESSION = 0x00FF8001


def textbook_cobs(data):
    """COBS as in Cheshire and Baker 1999, byte by byte: the oracle for the encoder that works in place."""
    out = bytearray()
    block = bytearray()
    for index, byte in enumerate(data):
        if byte:
            block.append(byte)
        if not byte or (len(block) == 254 and index + 1 < len(data)):
            out.append(len(block) + 1)
            out += block
            block = bytearray()
    out.append(len(block) + 1)
    return bytes(out + block)


def textbook_frame(type_byte, session, body):
    raw = struct.pack(">BI", type_byte, session) + body
    return b"\x00" + textbook_cobs(raw + struct.pack(">I", crc32(raw) & 0xFFFFFFFF)) + b"\x00"


def bodies(length):
    """All-zero, all-non-zero and mixed bodies of one length."""
    return (
        bytes(length),
        b"\xff" * length,
        bytes([index % 255 + 1 for index in range(length)]),
        bytes([index * 7 % 256 for index in range(length)]),
    )


class Noise:
    """A small fixed generator, the same under every interpreter."""

    def __init__(self, seed):
        self.state = seed

    def below(self, limit):
        self.state = (self.state * 75 + 74) % 65537
        return self.state % limit

    def bytes(self, count):
        return bytes([self.below(256) for _ in range(count)])


class Encoding(unittest.TestCase):
    def test_every_length_matches_the_textbook_and_comes_back(self):
        edges = (244, 245, 246, 253, 254, 255, 256, 499, 500, 501, 508, 509, 510, 700, MAX_BODY - 1, MAX_BODY)
        for length in list(range(24)) + list(range(24, 700, 29)) + list(edges):
            for body in bodies(length):
                frame = encode_frame(0x02, SESSION, body)
                self.assertEqual(frame, textbook_frame(0x02, SESSION, body))
                self.assertEqual(FrameParser().feed(frame), [(0x02, SESSION, body)])

    def test_runs_of_exactly_a_full_block(self):
        for length in range(248, 260):
            for body in (b"\x01" * length + b"\x00", b"\x00" + b"\x01" * length + b"\x00\x02"):
                frame = encode_frame(0x02, SESSION, body, body)
                self.assertEqual(frame, textbook_frame(0x02, SESSION, body + body))
                self.assertEqual(FrameParser().feed(frame), [(0x02, SESSION, body + body)])

    def test_a_frame_holds_no_zero_but_its_delimiters(self):
        for body in bodies(600):
            frame = encode_frame(0x15, 0, body)
            self.assertEqual(frame.count(b"\x00"), 2)
            self.assertEqual((frame[0], frame[-1]), (0, 0))

    def test_parts_are_one_body(self):
        parts = (b"\x00\x01", bytearray(b"\x02\x00"), memoryview(b"x\x03y")[1:2])
        self.assertEqual(encode_frame(1, 2, *parts), encode_frame(1, 2, b"\x00\x01\x02\x00\x03"))

    def test_extreme_headers_come_back(self):
        for type_byte, session in ((0, 0), (255, 0xFFFFFFFF), (1, 1), (0x14, 0x80000000)):
            frame = encode_frame(type_byte, session)
            self.assertEqual(FrameParser().feed(frame), [(type_byte, session, b"")])


class Parsing(unittest.TestCase):
    def setUp(self):
        self.parser = FrameParser()
        self.frames = [
            (1, SESSION, b""),
            (2, SESSION, bytes(40)),
            (3, 7, b"\xa5" * 300),
            (4, 7, b"\x00x\x00"),
        ]
        self.stream = b"".join([encode_frame(*frame) for frame in self.frames])

    def counters(self):
        return self.parser.crc_errors, self.parser.overruns, self.parser.noise

    def test_one_byte_at_a_time(self):
        received = []
        for byte in self.stream:
            received += self.parser.feed(bytes([byte]))
        self.assertEqual(received, self.frames)
        self.assertEqual(self.counters(), (0, 0, 0))

    def test_every_split_in_two(self):
        for cut in range(len(self.stream) + 1):
            received = self.parser.feed(self.stream[:cut]) + self.parser.feed(self.stream[cut:])
            self.assertEqual(received, self.frames)

    def test_random_chunks_from_a_reused_buffer(self):
        noise = Noise(5)
        buffer = bytearray(64)
        for _ in range(30):
            at = 0
            received = []
            while at < len(self.stream):
                piece = self.stream[at : at + 1 + noise.below(64)]
                buffer[: len(piece)] = piece
                received += self.parser.feed(memoryview(buffer)[: len(piece)])
                at += len(piece)
            self.assertEqual(received, self.frames)

    def test_frames_that_share_a_delimiter(self):
        shared = self.stream.replace(b"\x00\x00", b"\x00")
        self.assertEqual(self.parser.feed(shared), self.frames)

    def test_a_banner_and_halves_of_frames_are_noise(self):
        frame = encode_frame(2, SESSION, b"record")
        pieces = (
            b"MicroPython v1.29\r\n>>> ",
            frame,
            b"ho",
            frame,
            frame[: len(frame) // 2],
            frame,
            frame[6:],
        )
        self.assertEqual(self.parser.feed(b"".join(pieces)), [(2, SESSION, b"record")] * 3)
        self.assertTrue(self.parser.noise + self.parser.crc_errors >= 4)

    def test_a_stray_byte_costs_one_frame_at_most(self):
        frame = encode_frame(2, SESSION, bytes(range(60)))
        for at in range(len(frame) + 1):
            for stray in (0, 1, 0x55, 0xFF):
                stream = frame[:at] + bytes([stray]) + frame[at:]
                received = self.parser.feed(stream + frame)
                self.assertEqual(received[-1], (2, SESSION, bytes(range(60))))
                self.assertTrue(set(received) == {(2, SESSION, bytes(range(60)))})

    def test_no_changed_byte_goes_unnoticed(self):
        frame = encode_frame(2, SESSION, b"\x01\x00\x03" * 20)
        for at in range(1, len(frame) - 1):
            for flip in (1, 0x80, 0xFF):
                damaged = bytearray(frame)
                damaged[at] ^= flip
                self.assertEqual(self.parser.feed(damaged), [])
        self.assertEqual(self.parser.feed(frame), [(2, SESSION, b"\x01\x00\x03" * 20)])

    def test_no_truncated_frame_goes_through(self):
        frame = encode_frame(2, SESSION, b"\x01\x00\x03" * 20)
        for cut in range(1, len(frame) - 1):
            self.assertEqual(self.parser.feed(frame[:cut] + b"\x00"), [])
            self.assertEqual(self.parser.feed(b"\x00" + frame[cut + 1 :]), [])

    def test_oversized_frames_are_counted_and_dropped(self):
        for size in (MAX_BODY + 1, MAX_BODY + 6, 3000):
            for fill in (b"\x00", b"\xff"):
                before = self.parser.overruns
                self.assertEqual(self.parser.feed(encode_frame(2, SESSION, fill * size)), [])
                self.assertEqual(self.parser.overruns, before + 1)
                self.assertEqual(self.parser.feed(self.stream), self.frames)

    def test_an_endless_run_without_a_delimiter_is_one_overrun(self):
        for _ in range(50):
            self.assertEqual(self.parser.feed(b"\x55" * 777), [])
        self.assertEqual(self.counters(), (0, 1, 0))
        self.assertEqual(self.parser.feed(self.stream), self.frames)

    def test_random_rubbish_is_harmless(self):
        noise = Noise(77)
        for _ in range(150):
            self.assertEqual(self.parser.feed(noise.bytes(noise.below(200))), [])
            self.assertEqual(self.parser.feed(b"\x00" + self.stream), self.frames)

    def test_shortest_pieces(self):
        self.assertEqual(self.parser.feed(b"\x00\x00\x00\x00"), [])
        self.assertEqual(self.counters(), (0, 0, 0))
        self.assertEqual(self.parser.feed(b"\x01\x00\xff\x00\x02\x01\x00\x03\x01\x01\x00"), [])
        self.assertEqual(self.counters(), (0, 0, 4))


if __name__ == "__main__":
    unittest.main()
