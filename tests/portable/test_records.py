"""Records and messages of the device: what is packed, what is refused, how the chain moves, golden bytes."""

import hashlib
import json
import unittest

from tumbler import definitions as d
from tumbler.records import cbor, cose, fields, messages
from tumbler.records.chain import Chain
from tumbler.records.fields import RecordError
from tumbler.records.messages import MessageError

VECTORS = __file__[: -len("portable/test_records.py")] + "vectors/records.json"

SAMPLES = {
    "device": b"device 1",
    "boot": 3,
    "sequence": 41,
    "previous": bytes(range(32)),
    "uptime_ms": 5_000_000_000,
    "wall_ms": 1_790_000_000_000,
    "round": bytes(range(16)),
    "mode": 1,
    "strokes": [[21000, 640], [20500, 655]],
    "faces": [6, 1, 3],
    "tilts": [0, 12, 255],
    "confidences": [1000, 0, 999],
    "fact": 18,
    "detail": "x" * d.MAX_DETAIL,
    "frames": b"f" * 32,
    "firmware": b"w" * 32,
    "profile": b"p" * 32,
    "channel": 5,
    "level": False,
    "key": b"k" * 32,
    "nonce": b"n" * 16,
    "dice_set": "set 7",
}
BASE = ("device", "boot", "sequence", "previous", "uptime_ms")
EVER = ("wall_ms",)  # optional in every kind

MESSAGE_SAMPLES = {
    "protocol_min": 1,
    "protocol_max": 1,
    "schema": b"schema 1",
    "first": 1,
    "last": 9,
    "id": 7,
    "status": 5,
    "state": 3,
    "at_rest": True,
    "faults": [13, 14],
    "crc_errors": 70000,
    "protocol": 1,
    "committed": 8,
    "committed_hash": b"h" * 32,
    "greeting": 2,
    "expected": 9,
    "covered": True,
    "command": 1,
    "mac": b"m" * 16,
    "evidence": 307200,
    "record": b"r" * d.MAX_RECORD,
    "data": b"",
    "offset": 512,
    "total": 307200,
    "size": 8192,
    "count": 4,
}
MESSAGE_SAMPLES.update(dict.fromkeys(d.MESSAGES["statistics"][2], 70000))

# (type of definitions.py, values that it does not allow)
WRONG = {
    "uint": (-1, 1 << 64, True, None, "1", b"\x01", 1.0, [1]),
    "bool": (0, 1, None, "true"),
    "text": ("x" * (d.MAX_DETAIL + 1), "\u00e4" * (d.MAX_DETAIL // 2 + 1), b"x", 1, None, chr(0xD800)),
    "bytes:": (b"", b"x" * 7, b"x" * 33, bytearray(8), "x" * 8, 8, None),
    "bytes": (b"x" * (d.MAX_RECORD + 1), bytearray(8), "x" * 8, 8, None),
    "faces": ([], [1, 2], [1, 2, 3, 4], [0, 1, 2], [1, 2, 7], [1, 2, True], [1, 2, "3"], b"\1\2\3", None),
    "strokes": ([1], [[1]], [[1, 2, 3]], [[1, -1]], [[1, True]], [b"\x01\x02"], {1: 2}, 5, None),
    "uints": ([-1], [True], ["1"], {1: 1}, b"\x01", 5, None),
}


def wrong_for(kind):
    return WRONG["bytes:" if kind.startswith("bytes:") else kind]


def field_samples(kind, optional):
    _, required, extra = d.RECORD_KINDS[kind]
    names = BASE + required + (extra + EVER if optional else ())
    return {name: SAMPLES[name] for name in names}


def message_samples(name, optional):
    _, _, declared, required = d.MESSAGES[name]
    values = {}
    for field in declared if optional else required:
        values[field] = MESSAGE_SAMPLES[field] if field in MESSAGE_SAMPLES else SAMPLES[field]
    if name == "status":
        values["strokes"] = 4
    return values


def with_change(values, name, value):
    changed = dict(values)
    changed[name] = value
    return changed


def without(values, name):
    return {other: value for other, value in values.items() if other != name}


class Refusing(unittest.TestCase):
    def assert_refused(self, error, part, function, *arguments):
        with self.assertRaises(error) as caught:
            function(*arguments)
        self.assertIn(part, str(caught.exception))


class Fields(Refusing):
    def test_every_kind_comes_back_as_it_was(self):
        for kind in d.RECORD_KINDS:
            for optional in (False, True):
                values = field_samples(kind, optional)
                self.assertEqual(fields.unpack(fields.pack(kind, values)), (kind, values))

    def test_each_missing_field_is_named(self):
        for kind, (_, required, _) in d.RECORD_KINDS.items():
            values = field_samples(kind, True)
            for name in BASE + required:
                fewer = without(values, name)
                self.assert_refused(RecordError, name + " is missing", fields.pack, kind, fewer)

    def test_a_field_of_another_kind_is_named(self):
        for kind, (_, required, optional) in d.RECORD_KINDS.items():
            for name, sample in SAMPLES.items():
                if name not in BASE + required + optional + EVER:
                    values = with_change(field_samples(kind, False), name, sample)
                    self.assert_refused(RecordError, name + " is not a field", fields.pack, kind, values)
        for name in ("version", "kind", "money", 5):
            values = with_change(field_samples("boot", False), name, 1)
            self.assert_refused(RecordError, "not a field", fields.pack, "boot", values)

    def test_each_wrong_type_is_named(self):
        for kind in d.RECORD_KINDS:
            values = field_samples(kind, True)
            for name in values:
                for wrong in wrong_for(d.RECORD_FIELDS[name][1]):
                    changed = with_change(values, name, wrong)
                    self.assert_refused(RecordError, kind + ": " + name, fields.pack, kind, changed)

    def test_numbers_outside_their_tables(self):
        for kind, name, value in (
            ("round-opened", "mode", 2),
            ("void", "fact", 0),
            ("void", "fact", 19),
            ("void", "fact", 20),
            ("fault", "fact", 21),
            ("enclosure", "channel", 6),
            ("reading", "confidences", [1, 2, 1001]),
            ("reading", "confidences", [1, 2]),
            ("reading", "tilts", []),
            ("reading", "tilts", [1, 2, 3, 4]),
        ):
            changed = with_change(field_samples(kind, False), name, value)
            self.assert_refused(RecordError, kind, fields.pack, kind, changed)

    def test_every_fact_that_voids_a_round_has_its_record(self):
        for name in d.VOID_FACTS:
            values = with_change(field_samples("void", False), "fact", d.FACTS[name])
            self.assertEqual(fields.unpack(fields.pack("void", values))[1]["fact"], d.FACTS[name])

    def test_unknown_kind(self):
        self.assert_refused(RecordError, "wager", fields.pack, "wager", {})

    def test_payloads_that_are_no_records(self):
        good = cbor.decode(fields.pack("boot", field_samples("boot", False)))
        for part, payload in (
            ("not CBOR", b""),
            ("not CBOR", cbor.encode(good) + b"\x00"),
            ("not a map", cbor.encode([1, 2])),
            ("version", cbor.encode(without(good, 0))),
            ("version", cbor.encode(with_change(good, 0, 2))),
            ("kind", cbor.encode(without(good, 1))),
            ("kind", cbor.encode(with_change(good, 1, 14))),
            ("kind", cbor.encode(with_change(good, 1, [1]))),
            ("key 24", cbor.encode(with_change(good, 24, 1))),
            ("sequence is missing", cbor.encode(without(good, 4))),
            ("faces is not a field", cbor.encode(with_change(good, 11, [1, 2, 3]))),
        ):
            self.assert_refused(RecordError, part, fields.unpack, payload)


class Messages(Refusing):
    def test_every_message_comes_back_as_it_was(self):
        for name, (type_byte, _, declared, _) in d.MESSAGES.items():
            if declared is None:
                continue
            for optional in (False, True):
                values = message_samples(name, optional)
                body = messages.pack_message(name, values)
                self.assertEqual(messages.unpack_message(type_byte, body), (name, values))
                self.assertEqual(messages.unpack_message(type_byte, memoryview(body)), (name, values))

    def test_record_message_is_sequence_and_record(self):
        body = messages.pack_message("record", {"sequence": 258, "record": b"\xd2\x84"})
        self.assertEqual(body, b"\x00\x00\x00\x00\x00\x00\x01\x02\xd2\x84")
        values = {"sequence": 258, "record": b"\xd2\x84"}
        self.assertEqual(messages.unpack_message(2, body), ("record", values))

    def test_record_message_sizes(self):
        largest = {"sequence": 1, "record": bytes(d.MAX_RECORD)}
        body = messages.pack_message("record", largest)
        self.assertEqual(messages.unpack_message(2, body)[1], largest)
        self.assert_refused(MessageError, "641", messages.unpack_message, 2, body + b"\x00")
        for size in (0, 7, 8):
            self.assert_refused(MessageError, "record", messages.unpack_message, 2, bytes(size))
        for record in (b"", bytes(d.MAX_RECORD + 1)):
            values = {"sequence": 1, "record": record}
            self.assert_refused(MessageError, "record", messages.pack_message, "record", values)
        for values in ({"sequence": 1}, {"sequence": -1, "record": b"x"}, {"sequence": 1, "record": "x"}):
            self.assert_refused(MessageError, "record", messages.pack_message, "record", values)

    def test_each_missing_or_unknown_field_is_named(self):
        for name, (_, _, declared, required) in d.MESSAGES.items():
            if declared is None:
                continue
            values = message_samples(name, True)
            for field in required:
                fewer = without(values, field)
                self.assert_refused(MessageError, field + " is missing", messages.pack_message, name, fewer)
            changed = with_change(values, "faces", [1, 2, 3])
            self.assert_refused(MessageError, "faces is not a field", messages.pack_message, name, changed)

    def test_each_wrong_type_is_named(self):
        for name, (type_byte, _, declared, _) in d.MESSAGES.items():
            if declared is None:
                continue
            values = message_samples(name, True)
            for field in values:
                part = name + ": " + field
                for wrong in wrong_for(declared[field][1]):
                    changed = with_change(values, field, wrong)
                    self.assert_refused(MessageError, part, messages.pack_message, name, changed)
                    try:
                        body = cbor.encode({declared[other][0]: value for other, value in changed.items()})
                    except cbor.CborError:
                        continue
                    if type(wrong) is not bytearray:  # on the wire it is bytes
                        self.assert_refused(MessageError, part, messages.unpack_message, type_byte, body)

    def test_an_unknown_command_is_the_link_s_to_answer(self):
        values = with_change(message_samples("command", False), "command", 99)
        body = messages.pack_message("command", values)
        self.assertEqual(messages.unpack_message(0x14, body), ("command", values))

    def test_bodies_that_are_no_messages(self):
        for part, type_byte, body in (
            ("0x00", 0, b"\xa0"),
            ("0xff", 255, b"\xa0"),
            ("hello", 0x01, b""),
            ("ack", 0x12, b"\xa1\x00\x01\x00"),
            ("ack", 0x12, b"\xa1\x00\x18\x01"),
            ("not a map", 0x12, b"\x81\x00"),
            ("key 9", 0x13, b"\xa2\x00\x01\x09\x01"),
            ("1025", 0x12, bytes(d.MAX_BODY + 1)),
        ):
            self.assert_refused(MessageError, part, messages.unpack_message, type_byte, body)
        self.assert_refused(MessageError, "money", messages.pack_message, "money", {})

    def test_mac_input_is_label_type_session_and_the_map_without_mac(self):
        values = message_samples("command", False)
        expected = b"sicbo-tumbler host 1" + b"\x14" + b"\x80\x00\x00\x01" + b"\xa2\x00\x07\x01\x01"
        self.assertEqual(messages.mac_input("command", 0x80000001, values), expected)
        self.assertEqual(messages.mac_input("command", 0x80000001, without(values, "mac")), expected)
        fewer = without(values, "id")
        self.assert_refused(MessageError, "id is missing", messages.mac_input, "command", 1, fewer)


def parts_of(record):
    parts = cbor.decode(record[1:])
    if type(parts) is not list:
        raise TypeError("not an array")
    return parts


class FakeSigner:
    """Signs with a digest and keeps what it was asked, so a test sees what the device's key would cover."""

    key_id = b"key id 1"

    def __init__(self):
        self.asked = []

    def sign(self, message, entropy):
        self.asked.append((message, entropy))
        return hashlib.sha256(message).digest() + entropy(32)


def entropy(size):
    return b"\x5a" * size


ROUND_VALUES = {"round": bytes(16)}


class Chaining(Refusing):
    def setUp(self):
        self.signer = FakeSigner()
        self.chain = Chain(b"device 1", 3, 0, d.FIRST_PREVIOUS, self.signer, entropy)

    def test_record_is_a_cose_sign1(self):
        record = self.chain.seal("no-more-bets", 77, ROUND_VALUES)
        payload = cose.payload_of(record)
        self.assertEqual(record[:2], b"\xd2\x84")
        protected, unprotected, inside, signature = parts_of(record)
        self.assertEqual(protected, bytes.fromhex("a2012704") + b"\x48key id 1")
        self.assertEqual(unprotected, {})
        self.assertEqual(inside, payload)
        message = cbor.encode(["Signature1", protected, b"sicbo-tumbler record 1", payload])
        self.assertEqual(self.signer.asked, [(message, entropy)])
        self.assertEqual(signature, hashlib.sha256(message).digest() + b"\x5a" * 32)

    def test_common_fields_are_the_chain_s(self):
        record = self.chain.seal("no-more-bets", 77, ROUND_VALUES)
        kind, values = fields.unpack(cose.payload_of(record))
        self.assertEqual(kind, "no-more-bets")
        self.assertEqual(
            values,
            {
                "device": b"device 1",
                "boot": 3,
                "sequence": 1,
                "previous": d.FIRST_PREVIOUS,
                "uptime_ms": 77,
                "round": bytes(16),
            },
        )
        for name in d.COMMON_FIELDS:
            values = with_change(ROUND_VALUES, name, 1)
            self.assert_refused(RecordError, name, self.chain.seal, "no-more-bets", 77, values)

    def test_sealing_does_not_move_on(self):
        first = self.chain.seal("no-more-bets", 77, ROUND_VALUES)
        self.assertEqual(self.chain.seal("no-more-bets", 77, ROUND_VALUES), first)
        self.assertEqual(self.chain.sequence, 0)

    def test_advance_links_the_next_record_to_the_whole_one_before(self):
        first = self.chain.seal("no-more-bets", 77, ROUND_VALUES)
        self.chain.advance(first)
        values = fields.unpack(cose.payload_of(self.chain.seal("no-more-bets", 78, ROUND_VALUES)))[1]
        self.assertEqual(values["sequence"], 2)
        self.assertEqual(values["previous"], hashlib.sha256(first).digest())
        self.assertEqual(self.chain.sequence, 1)
        self.assertEqual(self.chain.previous, hashlib.sha256(first).digest())

    def test_only_the_newest_sealed_record_moves_the_chain(self):
        self.assert_refused(RecordError, "newest", self.chain.advance, b"")
        older = self.chain.seal("no-more-bets", 77, ROUND_VALUES)
        newer = self.chain.seal("no-more-bets", 78, ROUND_VALUES)
        self.assert_refused(RecordError, "newest", self.chain.advance, older)
        self.chain.advance(newer)
        self.assert_refused(RecordError, "newest", self.chain.advance, newer)
        self.assertEqual(self.chain.sequence, 1)

    def test_a_record_too_large_is_refused(self):
        values = {"round": bytes(16), "strokes": [[21000, 640]] * 60}
        self.chain.seal("tumble", 1, values)
        values["strokes"] = [[21000, 640]] * 80
        self.assert_refused(RecordError, "640", self.chain.seal, "tumble", 1, values)

    def test_records_that_are_none(self):
        record = self.chain.seal("no-more-bets", 77, ROUND_VALUES)
        parts = parts_of(record)
        more = parts_of(record)
        more.append(0)
        for part, data in (
            ("tag", b""),
            ("tag", record[1:]),
            ("not CBOR", record[:-1]),
            ("not CBOR", record + b"\x00"),
            ("four parts", b"\xd2" + cbor.encode(parts[:3])),
            ("four parts", b"\xd2" + cbor.encode(more)),
            ("four parts", b"\xd2" + cbor.encode([parts[0], {}, "payload", parts[3]])),
            ("four parts", b"\xd2" + cbor.encode([parts[0], {1: 2}, parts[2], parts[3]])),
            ("four parts", b"\xd2\xa0"),
            ("641", bytes(641)),
        ):
            self.assert_refused(RecordError, part, cose.payload_of, data)


class Replaying:
    """A signer with the signature of one golden record, given for exactly the bytes that record signs."""

    def __init__(self, key_id, record):
        self.key_id = key_id
        protected, _, payload, self._signature = parts_of(record)
        self._message = cose.to_sign(protected, payload)

    def sign(self, message, entropy):
        if message != self._message:
            raise ValueError("other bytes than the golden record's")
        return self._signature


class Golden(unittest.TestCase):
    def test_every_interpreter_makes_the_golden_records(self):
        with open(VECTORS) as file:
            vectors = json.load(file)
        sequence, previous = 0, d.FIRST_PREVIOUS
        kinds = set()
        for golden in vectors["records"]:
            record = bytes.fromhex(golden["record"])
            values = golden["fields"]
            for name, value in values.items():
                if d.RECORD_FIELDS[name][1][:6] == "bytes:":
                    values[name] = bytes.fromhex(value)
            signer = Replaying(bytes.fromhex(vectors["key_id"]), record)
            chain = Chain(bytes.fromhex(vectors["device"]), golden["boot"], sequence, previous, signer, None)
            self.assertEqual(chain.seal(golden["kind"], golden["uptime_ms"], values), record)
            chain.advance(record)
            sequence, previous = chain.sequence, chain.previous
            kinds.add(golden["kind"])
        self.assertEqual(kinds, set(d.RECORD_KINDS))
