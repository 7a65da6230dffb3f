"""What the host takes for a record, and the name it gives to everything it does not take."""

import hashlib
import json
import random
import time
from pathlib import Path

import cbor2
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from record_kit import (
    BOOT,
    DEVICE,
    KEY,
    KEYS,
    OTHER_KEY,
    ROUND,
    boot_record,
    chain,
    head_of,
    payload_map,
    protected_of,
    registry_of,
    signed,
)

from host_tools.records import NO_RECORDS, Head, RecordRefused, Registry, Verifier, errors, verify_chain
from tumbler import definitions as d

ROOT = Path(__file__).resolve().parents[3]
GOOD = boot_record()
AFTER_BOOT = head_of(GOOD, 1, 1)


@pytest.fixture(scope="module")
def verifier():
    return Verifier(registry_of())


def refused(verifier, raw, head=NO_RECORDS):
    """The class that refuses the record: never another exception than a RecordRefused."""
    with pytest.raises(RecordRefused) as caught:
        verifier.verify(raw, head)
    assert str(caught.value)
    return caught.type


def test_a_record_is_told_by_names(verifier):
    record = verifier.verify(GOOD, NO_RECORDS)
    assert (record.device, record.boot, record.sequence, record.kind) == (DEVICE, 1, 1, "boot")
    assert record.fields == {"previous": bytes(32), "uptime_ms": 1000, **BOOT}
    assert record.raw == GOOD
    assert record.digest == hashlib.sha256(GOOD).digest()
    assert record.head == AFTER_BOOT


def test_head_may_be_a_plain_tuple(verifier):
    assert verifier.verify(GOOD, (0, bytes(32), 0)).sequence == 1


SAMPLES = {
    "round": b"r" * 16,
    "mode": 0,
    "strokes": [[20000, 600]],
    "faces": [1, 2, 6],
    "tilts": [0, 5, 9],
    "confidences": [1000, 0, 900],
    "fact": 13,
    "detail": "\u00e4" * 24,
    "frames": b"i" * 32,
    "firmware": b"f" * 32,
    "profile": b"p" * 32,
    "channel": 0,
    "level": False,
    "key": b"k" * 32,
    "nonce": b"n" * 16,
    "dice_set": "",
    "wall_ms": 1_790_000_000_000,
}


def record_of(kind, leave_out=(), /, **changes):
    """A record after GOOD with all its fields, but those left out or changed by name."""
    _, required, optional = d.RECORD_KINDS[kind]
    fields = {name: SAMPLES[name] for name in (*required, *optional, "wall_ms")}
    mapping = payload_map(kind, 2, AFTER_BOOT.digest, fields, 2 if kind == "boot" else 1)
    mapping |= {KEYS[name]: value for name, value in changes.items()}
    for name in leave_out:
        del mapping[KEYS[name]]
    return signed(mapping)


@pytest.mark.parametrize("kind", d.RECORD_KINDS)
def test_every_kind_with_and_without_its_optional_fields(verifier, kind):
    for leave_out in ((), (*d.RECORD_KINDS[kind][2], "wall_ms")):
        raw = record_of(kind, leave_out)
        if kind == "key-change":
            assert refused(verifier, raw, AFTER_BOOT) is errors.KeyChangeRefused
        else:
            assert verifier.verify(raw, AFTER_BOOT).kind == kind


@pytest.mark.parametrize("kind", d.RECORD_KINDS)
def test_every_missing_field(verifier, kind):
    for name in (*d.COMMON_FIELDS, *d.RECORD_KINDS[kind][1]):
        expected = {
            "version": errors.WrongVersion,
            "kind": errors.UnknownKind,
            "device": errors.UnknownDevice,
        }.get(name, errors.MissingField)
        assert refused(verifier, record_of(kind, (name,)), AFTER_BOOT) is expected


@pytest.mark.parametrize("kind", d.RECORD_KINDS)
def test_every_field_of_other_kinds(verifier, kind):
    _, required, optional = d.RECORD_KINDS[kind]
    for name in SAMPLES.keys() - {*required, *optional, "wall_ms"}:
        raw = record_of(kind, **{name: SAMPLES[name]})
        assert refused(verifier, raw, AFTER_BOOT) is errors.UnknownField


WRONG = {
    "uint": [-1, True, None, "1", b"1", 1.5, [1]],
    "bool": [0, 1, None],
    "text": ["x" * 49, "\u00e4" * 25, b"x", 1],
    "bytes": [b"", b"x" * 7, b"x" * 33, "x" * 16, 5],
    "faces": [[], [1, 2], [1, 2, 3, 4], [0, 1, 2], [1, 2, 7], [1, 2, True], "123", 5],
    "strokes": [[1], [[1]], [[1, 2, 3]], [[1, -1]], [[1, False]], 5],
    "uints": [[-1], [True], [1, 2], [1, 2, 3, 4], ["1"], 5],
}


@pytest.mark.parametrize("kind", d.RECORD_KINDS)
def test_every_wrong_type(verifier, kind):
    _, required, optional = d.RECORD_KINDS[kind]
    for name in ("boot", "sequence", "previous", "uptime_ms", "wall_ms", *required, *optional):
        for value in WRONG[d.RECORD_FIELDS[name][1].split(":")[0]]:
            kind_of_error = refused(verifier, record_of(kind, **{name: value}), AFTER_BOOT)
            # null and floats do not even decode
            expected = errors.Malformed if value is None or isinstance(value, float) else errors.WrongField
            assert kind_of_error is expected, (name, value)


@pytest.mark.parametrize(
    ("kind", "name", "value"),
    [
        ("round-opened", "mode", 2),
        ("void", "fact", 0),
        ("void", "fact", 19),
        ("fault", "fact", 21),
        ("enclosure", "channel", 6),
        ("reading", "confidences", [0, 0, 1001]),
        ("boot", "sequence", 0),
    ],
)
def test_numbers_outside_their_tables(verifier, kind, name, value):
    assert refused(verifier, record_of(kind, **{name: value}), AFTER_BOOT) is errors.WrongField


def test_version_and_kind(verifier):
    assert refused(verifier, record_of("boot", version=2)) is errors.WrongVersion
    assert refused(verifier, record_of("boot", version=True)) is errors.WrongVersion
    assert refused(verifier, record_of("boot", kind=14)) is errors.UnknownKind
    assert refused(verifier, record_of("boot", kind=[1])) is errors.UnknownKind
    assert refused(verifier, record_of("boot", kind=True)) is errors.UnknownKind


# --- who signed ---


def test_unknown_device_and_key(verifier):
    mapping = payload_map("boot", 1, bytes(32), BOOT, device=b"device 2")
    assert refused(verifier, signed(mapping)) is errors.UnknownDevice
    mapping = payload_map("boot", 1, bytes(32), BOOT)
    assert refused(verifier, signed(mapping, OTHER_KEY)) is errors.UnknownKey
    assert refused(verifier, signed(mapping, OTHER_KEY, protected_of(KEY))) is errors.BadSignature
    assert (
        refused(verifier, signed(payload_map("boot", 1, bytes(32), BOOT | {"device": 5})))
        is errors.UnknownDevice
    )


def test_a_registered_device_cannot_speak_for_another():
    registry = Registry([*registry_of().devices(), *registry_of(b"device 2", OTHER_KEY).devices()])
    mapping = payload_map("boot", 1, bytes(32), BOOT)
    assert refused(Verifier(registry), signed(mapping, OTHER_KEY)) is errors.UnknownKey


def test_a_signature_for_another_label_is_none(verifier):
    payload = cbor2.dumps(payload_map("boot", 1, bytes(32), BOOT), canonical=True)
    protected = protected_of(KEY)
    for label in (b"", b"sicbo-tumbler record 2", b"sicbo-tumbler command 1"):
        signature = KEY.sign(cbor2.dumps(["Signature1", protected, label, payload]))
        raw = b"\xd2" + cbor2.dumps([protected, {}, payload, signature])
        assert refused(verifier, raw) is errors.BadSignature


def test_malleable_signature(verifier):
    """S + L verifies under a sloppy rule (RFC 8032 5.1.7 forbids it): it would be a second record."""
    order = 2**252 + 27742317777372353535851937790883648493
    scalar = int.from_bytes(GOOD[-32:], "little") + order
    assert refused(verifier, GOOD[:-32] + scalar.to_bytes(32, "little")) is errors.BadSignature


@pytest.mark.parametrize("algorithm", [-19, -7, 8, "EdDSA", True, -9])
def test_other_algorithms(verifier, algorithm):
    raw = signed(payload_map("boot", 1, bytes(32), BOOT), protected=protected_of(KEY, algorithm))
    assert refused(verifier, raw) is errors.WrongAlgorithm


@pytest.mark.parametrize(
    "header",
    [
        {1: -8},
        {4: b"12345678"},
        {1: -8, 4: b"12345678", 5: 1},
        {1: -8, 4: "12345678"},
        {1: -8, 4: 5},
        [1, -8],
        {},
    ],
)
def test_other_headers(verifier, header):
    protected = cbor2.dumps(header, canonical=True)
    raw = signed(payload_map("boot", 1, bytes(32), BOOT), protected=protected)
    assert refused(verifier, raw) is errors.Malformed


def test_header_outside_the_signature(verifier):
    raw = signed(payload_map("boot", 1, bytes(32), BOOT), unprotected={4: b"12345678"})
    assert refused(verifier, raw) is errors.Malformed


# --- the chain ---


def no_more_bets(sequence, previous, boot=1):
    return signed(payload_map("no-more-bets", sequence, previous, ROUND, boot))


def test_order(verifier):
    following = no_more_bets(2, AFTER_BOOT.digest)
    assert verifier.verify(following, AFTER_BOOT).sequence == 2
    assert refused(verifier, following) is errors.Gap
    assert refused(verifier, no_more_bets(3, AFTER_BOOT.digest), AFTER_BOOT) is errors.Gap
    assert refused(verifier, no_more_bets(2, bytes(32)), AFTER_BOOT) is errors.Fork
    assert refused(verifier, boot_record(1, b"x" * 32)) is errors.Fork


def test_what_is_committed_already(verifier):
    assert refused(verifier, GOOD, AFTER_BOOT) is errors.Replay
    assert refused(verifier, boot_record(boot=2), AFTER_BOOT) is errors.Equivocation
    assert refused(verifier, GOOD, Head(2, b"x" * 32, 1)) is errors.Superseded
    committed = {(DEVICE, 1): AFTER_BOOT.digest}
    known = Verifier(registry_of(), lambda device, sequence: committed.get((device, sequence)))
    assert refused(known, GOOD, Head(2, b"x" * 32, 1)) is errors.Replay
    assert refused(known, boot_record(boot=2), Head(2, b"x" * 32, 1)) is errors.Equivocation


def test_boot_counter(verifier):
    digest = AFTER_BOOT.digest
    assert verifier.verify(boot_record(2, digest, 2), AFTER_BOOT).boot == 2
    assert verifier.verify(boot_record(2, digest, 9), AFTER_BOOT).boot == 9
    assert refused(verifier, boot_record(2, digest, 1), AFTER_BOOT) is errors.BootRepeated
    assert refused(verifier, boot_record(2, digest, 0), AFTER_BOOT) is errors.BootWentBack
    assert refused(verifier, no_more_bets(2, digest, 0), AFTER_BOOT) is errors.BootWentBack
    assert refused(verifier, no_more_bets(2, digest, 2), AFTER_BOOT) is errors.BootUnannounced
    assert refused(verifier, no_more_bets(1, bytes(32), 1)) is errors.BootUnannounced


def test_a_device_may_be_registered_in_the_middle_of_its_chain():
    records = chain(9)
    registry = registry_of(head=head_of(records[3], 4, 1))
    assert verify_chain(records[4:], registry).verified == 5
    assert isinstance(verify_chain(records[5:], registry).fault, errors.Gap)
    assert isinstance(verify_chain(records, registry).fault, errors.Superseded)


# --- the form ---


def test_forms_that_are_not_deterministic(verifier):
    mapping = payload_map("boot", 1, bytes(32), BOOT)
    good = cbor2.dumps(mapping, canonical=True)
    backwards = cbor2.dumps(dict(sorted(mapping.items(), reverse=True)))
    doubled = bytes([good[0] + 1]) + good[1:] + good[-35:]
    longer = good.replace(b"\x03\x01\x04", b"\x03\x18\x01\x04", 1)
    endless = b"\xbf" + good[1:] + b"\xff"
    for payload in (backwards, doubled, longer, endless):
        assert refused(verifier, signed(payload)) is errors.NotCanonical
    assert refused(verifier, signed(good + b"\x00")) is errors.Malformed
    assert refused(verifier, b"\xd2\x98\x04" + GOOD[2:]) is errors.NotCanonical
    assert refused(verifier, b"\xd2\x9f" + GOOD[2:] + b"\xff") is errors.NotCanonical
    assert refused(verifier, b"\xd8\x12" + GOOD[1:]) is errors.Malformed
    unsorted_header = b"\xa2\x04\x48" + protected_of(KEY)[-8:] + b"\x01\x27"
    assert refused(verifier, signed(mapping, protected=unsorted_header)) is errors.NotCanonical


HOSTILE = {
    "nothing": b"",
    "tag alone": b"\xd2",
    "huge array": b"\x9b" + b"\xff" * 8,
    "huge bytes": b"\x5b\x7f" + b"\xff" * 7 + b"x",
    "huge text": b"\x7a\x7f\xff\xff\xffx",
    "huge map": b"\xbb\x00\x00\x00\x01" + b"\x00" * 4 + b"\x01",
    "deep arrays": b"\x81" * 600 + b"\x00",
    "deep maps": b"\xa1\x00" * 300 + b"\x00",
    "deep tags": b"\xc1" * 600 + b"\x00",
    "deep unfinished": b"\x9f" * 600,
    "maps as keys": b"\xa1" * 300 + b"\x00" * 301,
    "bignum": b"\xc2\x58\xc8" + b"\xff" * 200,
    "bigfloat": b"\xc5\x82\x1b\x0f\xff\xff\xff\xff\xff\xff\xff\x01",
    "decimal": b"\xc4\x82\x1b\x0f\xff\xff\xff\xff\xff\xff\xff\x01",
    "rational": b"\xd8\x1e\x82\x01\x00",
    "shared cycle": b"\xd8\x1c\x81\xd8\x1d\x00",
    "regular expression": b"\xd8\x23\x6a(a+)+(a+)+",
    "bad text": b"\x62\xed\xa0",
    "surrogate": b"\x63\xed\xa0\x80",
    "nan": b"\xf9\x7e\x00",
    "null": b"\xf6",
    "break": b"\xff",
}


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_bytes_get_a_named_error_at_once(verifier, what):
    hostile = HOSTILE[what]
    start = time.perf_counter()
    for raw in (
        hostile,
        b"\xd2" + hostile,
        b"\xd2\x84" + hostile,
        signed(hostile),
        signed(b"\xa1\x0f" + hostile),
        signed(payload_map("boot", 1, bytes(32), BOOT), protected=hostile),
        b"\xd2" + cbor2.dumps([hostile, {}, hostile, bytes(64)]),
    ):
        assert issubclass(refused(verifier, raw), (errors.Malformed, errors.UnknownDevice))
    assert time.perf_counter() - start < 10


def test_size(verifier):
    assert refused(verifier, bytes(641)) is errors.Malformed
    assert refused(verifier, b"\xd2" * 10_000_000) is errors.Malformed
    strokes = [[65536, 65536]] * 60
    mapping = payload_map("tumble", 1, bytes(32), ROUND | {"strokes": strokes})
    assert refused(verifier, signed(mapping)) is errors.Malformed


def test_every_bit_counts(verifier):
    for place in range(len(GOOD)):
        for bit in range(8):
            damaged = bytearray(GOOD)
            damaged[place] ^= 1 << bit
            refused(verifier, bytes(damaged))


def test_every_truncation_and_extension(verifier):
    for size in range(len(GOOD)):
        assert issubclass(refused(verifier, GOOD[:size]), errors.Malformed)
    for byte in range(256):
        assert issubclass(refused(verifier, GOOD + bytes([byte])), errors.Malformed)


def test_random_bytes_and_random_edits(verifier):
    source = random.Random(20)
    for _ in range(3000):
        refused(verifier, source.randbytes(source.randrange(640)))
        edited = bytearray(GOOD)
        for _ in range(source.randrange(1, 6)):
            start = source.randrange(len(edited))
            edited[start : start + source.randrange(4)] = source.randbytes(source.randrange(4))
        if edited != GOOD:
            refused(verifier, bytes(edited))


def test_signed_payloads_edited_at_random(verifier):
    """A device with a valid key and a broken encoder: a named error or what the bytes say."""
    source = random.Random(21)
    good = cbor2.dumps(payload_map("boot", 1, bytes(32), BOOT), canonical=True)
    accepted = 0
    for _ in range(3000):
        edited = bytearray(good)
        edited[source.randrange(len(edited))] = source.randrange(256)
        try:
            record = verifier.verify(signed(bytes(edited)), NO_RECORDS)
        except RecordRefused:
            continue
        accepted += 1
        fields = dict(record.fields)
        told = payload_map(record.kind, record.sequence, b"", fields, record.boot, record.device)
        assert cbor2.loads(edited) == told
    assert accepted > 100


# --- whole chains ---


def test_a_whole_chain():
    records = chain(50)
    report = verify_chain(records, registry_of())
    assert report.fault is None
    assert report.verified == 50
    assert report.kinds == {"boot": 13, "no-more-bets": 37}
    assert report.heads == {DEVICE: head_of(records[-1], 50, 13)}


@pytest.mark.parametrize(
    ("change", "verified", "fault"),
    [
        (lambda records: records.pop(10), 10, errors.Gap),
        (lambda records: records.insert(10, records[9]), 10, errors.Replay),
        (lambda records: records.insert(10, records[4]), 10, errors.Replay),
        (lambda records: records.insert(10, boot_record(5, bytes(32), 2)), 10, errors.Equivocation),
        (lambda records: records.__setitem__(slice(10, 12), records[11:9:-1]), 10, errors.Gap),
        (lambda records: records.__setitem__(10, no_more_bets(11, bytes(32), 3)), 10, errors.Fork),
        (lambda records: records.__setitem__(10, records[10][:-1] + b"\x00"), 10, errors.BadSignature),
        (lambda records: records.pop(0), 0, errors.Gap),
    ],
)
def test_first_fault_of_a_chain(change, verified, fault):
    records = chain(20)
    change(records)
    report = verify_chain(records, registry_of())
    assert report.verified == verified
    assert type(report.fault) is fault


def test_nothing_is_verified_of_nothing():
    assert verify_chain([], registry_of()).verified == 0


def test_golden_records_of_the_device_verify():
    """All but the last, a key change."""
    vectors = json.loads((ROOT / "tests/vectors/records.json").read_text())
    key = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(vectors["seed"]))
    registry = registry_of(bytes.fromhex(vectors["device"]), key)
    records = [bytes.fromhex(golden["record"]) for golden in vectors["records"]]
    auditable = verify_chain(records, registry)
    assert auditable.verified == len(records) - 1
    assert type(auditable.fault) is errors.KeyChangeRefused
    verifier = Verifier(registry)
    for raw, golden in zip(records[:-1], vectors["records"], strict=False):
        record = verifier.authenticate(raw)
        shown = {
            name: value.hex() if isinstance(value, bytes) else value for name, value in record.fields.items()
        }
        assert record.kind == golden["kind"]
        assert shown.pop("uptime_ms") == golden["uptime_ms"]
        del shown["previous"]
        assert shown == golden["fields"]
