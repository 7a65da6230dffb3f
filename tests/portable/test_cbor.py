"""The device's CBOR: the examples of RFC 8949, and nothing but the deterministic form accepted."""

import unittest

from tumbler.records import cbor

# RFC 8949 Appendix A, the examples inside this subset.
EXAMPLES = (
    (0, "00"),
    (1, "01"),
    (10, "0a"),
    (23, "17"),
    (24, "1818"),
    (25, "1819"),
    (100, "1864"),
    (1000, "1903e8"),
    (1000000, "1a000f4240"),
    (1000000000000, "1b000000e8d4a51000"),
    (18446744073709551615, "1bffffffffffffffff"),
    (-18446744073709551616, "3bffffffffffffffff"),
    (-1, "20"),
    (-10, "29"),
    (-100, "3863"),
    (-1000, "3903e7"),
    (False, "f4"),
    (True, "f5"),
    (b"", "40"),
    (b"\x01\x02\x03\x04", "4401020304"),
    ("", "60"),
    ("a", "6161"),
    ("IETF", "6449455446"),
    ('"\\', "62225c"),
    ("\u00fc", "62c3bc"),
    ("\u6c34", "63e6b0b4"),
    ("\U00010151", "64f0908591"),
    ([], "80"),
    ([1, 2, 3], "83010203"),
    ([1, [2, 3], [4, 5]], "8301820203820405"),
    (list(range(1, 26)), "98190102030405060708090a0b0c0d0e0f101112131415161718181819"),
    ({}, "a0"),
    ({1: 2, 3: 4}, "a201020304"),
)

# Well-formed or not, none of these may be taken: (bytes, part of the message).
REFUSED = (
    ("", "ends"),
    ("1817", "shortest"),
    ("190018", "shortest"),
    ("1900ff", "shortest"),
    ("1a0000ffff", "shortest"),
    ("1b00000000ffffffff", "shortest"),
    ("3817", "shortest"),
    ("580141", "shortest"),
    ("980101", "shortest"),
    ("b8010101", "shortest"),
    ("0000", "after the end"),
    ("a0f5", "after the end"),
    ("5fff", "indefinite"),
    ("5f4101ff", "indefinite"),
    ("7fff", "indefinite"),
    ("9fff", "indefinite"),
    ("bfff", "indefinite"),
    ("1c", "reserved"),
    ("1f", "indefinite"),
    ("ff", "neither"),
    ("f6", "neither"),
    ("f7", "neither"),
    ("f0", "neither"),
    ("f820", "neither"),
    ("f90000", "neither"),
    ("fa47c35000", "neither"),
    ("fb3ff199999999999a", "neither"),
    ("c000", "neither"),
    ("d28440a04040", "neither"),
    ("a201020102", "doubled"),
    ("a203040102", "out of order"),
    ("a1200a", "map key"),
    ("a1616101", "map key"),
    ("a1f501", "map key"),
    ("a18001", "map key"),
    ("a101", "claimed"),
    ("18", "claimed"),
    ("1901", "claimed"),
    ("1b00000000000000", "claimed"),
    ("42ff", "claimed"),
    ("5a7fffffff", "claimed"),
    ("5bffffffffffffffff", "claimed"),
    ("7a7fffffff61", "claimed"),
    ("9a7fffffff01", "claimed"),
    ("9bffffffffffffffff00", "claimed"),
    ("ba7fffffff0101", "claimed"),
    ("bbffffffffffffffff0101", "claimed"),
    ("8201", "claimed"),
    ("828100", "ends"),
    ("61ff", "UTF-8"),
    ("61c3", "UTF-8"),
    ("62c080", "UTF-8"),
    ("62c1bf", "UTF-8"),
    ("62c3c3", "UTF-8"),
    ("63e08080", "UTF-8"),
    ("63eda080", "UTF-8"),
    ("63edbfbf", "UTF-8"),
    ("64f0808080", "UTF-8"),
    ("64f4908080", "UTF-8"),
    ("64f7bfbfbf", "UTF-8"),
    ("65f888808080", "UTF-8"),
)


def edge_numbers():
    for bits in (0, 5, 8, 16, 30, 31, 32, 63, 64):
        for offset in (-2, -1, 0, 1):
            number = (1 << bits) + offset
            if 0 <= number < 1 << 64:
                yield number
    yield 23
    yield 24


def nested(depth):
    value = 7
    for level in range(depth):
        value = [value] if level % 2 else {0: value}
    return value


class Encode(unittest.TestCase):
    def test_examples_of_the_rfc(self):
        for value, expected in EXAMPLES:
            self.assertEqual(cbor.encode(value), bytes.fromhex(expected))

    def test_map_keys_are_sorted_whatever_the_order_they_came_in(self):
        self.assertEqual(cbor.encode({23: 0, 1: 1, 300: 2, 24: 3}), bytes.fromhex("a40101170018180319012c02"))

    def test_bytes_like_and_tuple_are_encoded_as_bytes_and_array(self):
        self.assertEqual(cbor.encode(bytearray(b"ab")), b"\x42ab")
        self.assertEqual(cbor.encode(memoryview(b"ab")), b"\x42ab")
        self.assertEqual(cbor.encode((1, 2)), b"\x82\x01\x02")

    def test_what_has_no_encoding(self):
        big = 1 << 64
        for value in (None, 1.5, big, -big - 1, {-1: 0}, {"a": 0}, {True: 0}, object(), [None], {1: 0.5}):
            with self.assertRaises(cbor.CborError):
                cbor.encode(value)

    def test_surrogates(self):
        for code in (0xD800, 0xDFFF):
            with self.assertRaises(cbor.CborError):
                cbor.encode(chr(code))

    def test_depth(self):
        self.assertEqual(cbor.decode(cbor.encode(nested(cbor.MAX_DEPTH))), nested(cbor.MAX_DEPTH))
        with self.assertRaises(cbor.CborError):
            cbor.encode(nested(cbor.MAX_DEPTH + 1))


class Decode(unittest.TestCase):
    def test_examples_of_the_rfc(self):
        for expected, data in EXAMPLES:
            value = cbor.decode(bytes.fromhex(data))
            self.assertEqual(value, expected)
            self.assertIs(type(value), type(expected))

    def test_integers_at_every_edge(self):
        for number in edge_numbers():
            for value in (number, -1 - number):
                self.assertEqual(cbor.decode(cbor.encode(value)), value)

    def test_bytes_like_input(self):
        self.assertEqual(cbor.decode(memoryview(b"\x42ab")), b"ab")
        self.assertEqual(cbor.decode(bytearray(b"\x42ab")), b"ab")

    def test_refused(self):
        for data, part in REFUSED:
            with self.assertRaises(cbor.CborError) as caught:
                cbor.decode(bytes.fromhex(data))
            self.assertIn(part, str(caught.exception), data)

    def test_refused_in_any_place(self):
        for data, _ in REFUSED[1:]:
            if data in ("0000", "a0f5"):
                continue
            for before in ("81", "a105", "81a10a"):
                with self.assertRaises(cbor.CborError):
                    cbor.decode(bytes.fromhex(before + data))

    def test_nesting_is_bounded(self):
        for byte in (b"\x81", b"\xa1\x00"):
            self.assertTrue(cbor.decode(byte * cbor.MAX_DEPTH + b"\x00"))
            for depth in (cbor.MAX_DEPTH + 1, 100, 100000):
                with self.assertRaises(cbor.CborError) as caught:
                    cbor.decode(byte * depth + b"\x00")
                self.assertIn("nested", str(caught.exception))

    def test_every_input_of_one_and_two_bytes(self):
        """Whatever is accepted is what encode would have made, and nothing but CborError comes out."""
        accepted = 0
        data = bytearray(2)
        for number in range(0x10100):
            data[0] = number >> 8 if number < 0x10000 else number & 0xFF
            data[1] = number & 0xFF
            part = data if number < 0x10000 else data[:1]
            try:
                value = cbor.decode(part)
            except cbor.CborError:
                continue
            accepted += 1
            self.assertEqual(cbor.encode(value), part)
        # one byte: 24 + 24 integers, 2 bools, 4 empty things;
        # two: 2 * 232 integers, 256 byte strings, 128 texts, 54 arrays of one.
        self.assertEqual(accepted, 54 + 2 * 232 + 256 + 128 + 54)

    def test_message_tells_the_place(self):
        with self.assertRaises(cbor.CborError) as caught:
            cbor.decode(bytes.fromhex("8301021805"))
        self.assertIn("byte 3", str(caught.exception))
