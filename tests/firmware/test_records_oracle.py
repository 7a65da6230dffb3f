"""The device's CBOR and COSE against cbor2, pycose, cwt and cryptography, and under fuzzing."""

import hashlib
import json
import math
import random
import subprocess
import sys
import time
from pathlib import Path

import cbor2
import cwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given, settings
from hypothesis import strategies as st
from pycose.keys.curves import Ed25519
from pycose.keys.okp import OKPKey
from pycose.messages.cosemessage import CoseMessage
from pycose.messages.sign1message import Sign1Message

from host_tools.records import Device, Registry, verify_chain
from host_tools.records.errors import KeyChangeRefused
from tumbler import definitions as d
from tumbler.records import cbor, cose, fields, messages
from tumbler.records.chain import Chain
from tumbler.signing import Ed25519Signer

ROOT = Path(__file__).resolve().parents[2]
VECTORS = json.loads((ROOT / "tests/vectors/records.json").read_text())
PUBLIC_KEY = bytes.fromhex(VECTORS["public_key"])
GOLDEN = [bytes.fromhex(golden["record"]) for golden in VECTORS["records"]]
MICROPYTHON = Path(sys.executable).with_name("micropython")

scalars = st.one_of(
    st.integers(-(2**64), 2**64 - 1),
    st.booleans(),
    st.binary(max_size=300),
    st.text(max_size=80),
)
keys = st.one_of(st.integers(0, 30), st.integers(0, 2**64 - 1))


def containers(depth):
    """Values of this CBOR's subset, at most `depth` containers deep."""
    if depth == 0:
        return scalars
    inner = containers(depth - 1)
    return st.one_of(scalars, st.lists(inner, max_size=30), st.dictionaries(keys, inner, max_size=30))


values = containers(3)


# --- CBOR against cbor2 ---


@settings(deadline=None)
@given(values)
def test_encodes_as_cbor2_does(value):
    assert cbor.encode(value) == cbor2.dumps(value, canonical=True)


@settings(deadline=None)
@given(values)
def test_decodes_what_it_and_cbor2_encoded(value):
    assert cbor.decode(cbor2.dumps(value, canonical=True)) == value


def same(first, second):
    """Equal in value and type, all the way down: 1 is not True."""
    if type(first) is not type(second):
        return False
    if isinstance(first, list):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, dict):
        return first.keys() == second.keys() and all(same(first[key], second[key]) for key in first)
    return first == second


def in_subset(value, depth=0):
    """Whether cbor2's value is one of the device's subset."""
    if isinstance(value, (list, dict)) and depth >= cbor.MAX_DEPTH:
        return False
    if isinstance(value, list):
        return all(in_subset(item, depth + 1) for item in value)
    if isinstance(value, dict):
        return all(
            type(key) is int and key >= 0 and in_subset(item, depth + 1) for key, item in value.items()
        )
    return type(value) in (int, bool, bytes, str)


def assert_decodes_as_cbor2(data):
    """Accepted exactly when cbor2 decodes it to a value of the subset that it encodes to these bytes."""
    try:
        expected = cbor2.loads(data)
        wanted = in_subset(expected) and cbor2.dumps(expected, canonical=True) == data and is_untagged(data)
    except (cbor2.CBORError, ValueError, TypeError, ArithmeticError, RecursionError, LookupError):
        expected, wanted = None, False
    try:
        value = cbor.decode(data)
    except cbor.CborError:
        assert not wanted
    else:
        assert wanted
        assert same(value, expected)


def is_untagged(data):
    """False for a small big number: cbor2 decodes tag 2 to the very int whose canonical form has no tag."""
    return data[:1] not in (b"\xc2", b"\xc3")


@settings(max_examples=500, deadline=None)
@given(st.binary(max_size=24))
def test_decides_as_cbor2_on_any_bytes(data):
    assert_decodes_as_cbor2(data)


@settings(max_examples=500, deadline=None)
@given(values, st.data())
def test_decides_as_cbor2_on_damaged_encodings(value, data):
    encoded = bytearray(cbor.encode(value))
    place = data.draw(st.integers(0, len(encoded) - 1))
    change = data.draw(st.sampled_from(("flip", "cut", "repeat", "set")))
    if change == "flip":
        encoded[place] ^= 1 << data.draw(st.integers(0, 7))
    elif change == "cut":
        del encoded[place:]
    elif change == "repeat":
        encoded[place:place] = encoded[place:]
    else:
        encoded[place] = data.draw(st.integers(0, 255))
    assert_decodes_as_cbor2(bytes(encoded))


@pytest.mark.parametrize("size", [1, 2])
def test_decides_as_cbor2_on_every_short_input(size):
    for number in range(256**size):
        assert_decodes_as_cbor2(number.to_bytes(size, "big"))


@pytest.mark.parametrize(
    "value", [1.0, math.nan, None, 2**64, -(2**64) - 1, {-1: 0}, {"a": 1}, {b"": 1}, object()]
)
def test_what_is_outside_the_subset_is_refused(value):
    for wrapped in (value, [value], {0: value}):
        with pytest.raises(cbor.CborError):
            cbor.encode(wrapped)


# --- whole records against COSE libraries ---


def sealed_records():
    """The golden records, and whether each was altered: an altered copy must fail everywhere."""
    for record in GOLDEN:
        altered = bytearray(record)
        altered[len(record) // 2] ^= 1
        yield record, bytes(altered)


def test_pycose_verifies_records_and_refuses_altered_ones():
    key = OKPKey(crv=Ed25519, x=PUBLIC_KEY)

    def verifies(raw):
        message = CoseMessage.decode(raw)
        assert isinstance(message, Sign1Message)
        message.key = key
        message.external_aad = d.RECORD_LABEL
        return message.verify_signature()  # pyright: ignore[reportAttributeAccessIssue]

    for record, altered in sealed_records():
        assert verifies(record)
        assert not verifies(altered)


def test_cwt_verifies_records_and_refuses_altered_ones():
    key = cwt.COSEKey.new({1: 1, -1: 6, -2: PUBLIC_KEY, 3: -8, 2: bytes.fromhex(VECTORS["key_id"])})
    receiver = cwt.COSE.new()
    for record, altered in sealed_records():
        protected, unprotected, payload = receiver.decode_with_headers(
            record, key, external_aad=d.RECORD_LABEL
        )
        assert payload == cose.payload_of(record)
        assert unprotected == {}
        assert protected == {1: d.COSE_ALGORITHM, 4: bytes.fromhex(VECTORS["key_id"])}
        with pytest.raises(cwt.VerifyError):
            receiver.decode(altered, key, external_aad=d.RECORD_LABEL)
        with pytest.raises(cwt.VerifyError):
            receiver.decode(record, key, external_aad=b"another protocol")


def test_cryptography_verifies_the_sig_structure_of_rfc_9052():
    public = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(VECTORS["seed"])).public_key()
    assert public.public_bytes_raw() == PUBLIC_KEY
    for record in GOLDEN:
        tagged = cbor2.loads(record)
        assert tagged.tag == 18
        protected, unprotected, payload, signature = tagged.value
        assert unprotected == {}
        public.verify(signature, cbor2.dumps(["Signature1", protected, d.RECORD_LABEL, payload]))


def test_key_id_is_the_start_of_the_key_s_digest():
    assert VECTORS["key_id"] == hashlib.sha256(PUBLIC_KEY).hexdigest()[:16]


# --- the device's own signer ---


def remade(entropy):
    """The golden records as the device's code and signer make them, from their fields and the key."""
    signer = Ed25519Signer(bytes.fromhex(VECTORS["seed"]))
    device = bytes.fromhex(VECTORS["device"])
    sequence, previous = 0, d.FIRST_PREVIOUS
    for golden in VECTORS["records"]:
        chain = Chain(device, golden["boot"], sequence, previous, signer, entropy)
        named = {
            name: bytes.fromhex(value) if d.RECORD_FIELDS[name][1].startswith("bytes:") else value
            for name, value in golden["fields"].items()
        }
        record = chain.seal(golden["kind"], golden["uptime_ms"], named)
        chain.advance(record)
        sequence, previous = chain.sequence, chain.previous
        yield record


def test_the_device_s_signer_makes_the_golden_records():
    assert list(remade(entropy=None)) == GOLDEN


def test_records_signed_with_entropy_differ_and_verify_on_the_host():
    records = list(remade(entropy=random.Random(5).randbytes))
    assert not set(records) & set(GOLDEN)
    device = Device(bytes.fromhex(VECTORS["device"]), "", PUBLIC_KEY, None)
    report = verify_chain(records, Registry([device]))
    assert report.verified == len(records) - 1
    assert type(report.fault) is KeyChangeRefused  # the last of the golden records


REMAKE = """
import json, sys
sys.path.insert(0, "firmware")
from tumbler import definitions as d
from tumbler.records.chain import Chain
from tumbler.signing import Ed25519Signer
vectors = json.load(open("tests/vectors/records.json"))
signer = Ed25519Signer(bytes.fromhex(vectors["seed"]))
sequence, previous = 0, d.FIRST_PREVIOUS
for golden in vectors["records"]:
    values = golden["fields"]
    for name in values:
        if d.RECORD_FIELDS[name][1][:6] == "bytes:":
            values[name] = bytes.fromhex(values[name])
    chain = Chain(bytes.fromhex(vectors["device"]), golden["boot"], sequence, previous, signer, None)
    record = chain.seal(golden["kind"], golden["uptime_ms"], values)
    chain.advance(record)
    sequence, previous = chain.sequence, chain.previous
    print(record.hex())
"""


def on_micropython(script, heap):
    command = [MICROPYTHON, "-X", f"heapsize={heap}", "-c", script]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)


def test_micropython_makes_the_golden_records():
    done = on_micropython(REMAKE, "480k")
    assert [bytes.fromhex(line) for line in done.stdout.split()] == GOLDEN, done.stderr


# --- fuzzing: named errors only, in bounded time ---


def attempt(function, *arguments):
    try:
        function(*arguments)
    except (cbor.CborError, fields.RecordError, messages.MessageError):
        return False
    return True


def parse_record(data):
    fields.unpack(cose.payload_of(data))


def test_every_bit_flip_of_every_golden_record_is_handled():
    start = time.perf_counter()
    for record in GOLDEN:
        for place in range(len(record)):
            for bit in range(8):
                damaged = bytearray(record)
                damaged[place] ^= 1 << bit
                attempt(parse_record, bytes(damaged))
    assert time.perf_counter() - start < 30


def test_every_truncation_of_every_golden_record_is_refused():
    for record in GOLDEN:
        for size in range(len(record)):
            assert not attempt(parse_record, record[:size])
        payload = cose.payload_of(record)
        for size in range(len(payload)):
            assert not attempt(fields.unpack, payload[:size])


def test_random_bytes_are_no_records_and_no_messages():
    source = random.Random(3)
    types = [entry[0] for entry in d.MESSAGES.values()]
    start = time.perf_counter()
    for _ in range(20_000):
        data = source.randbytes(source.randrange(80))
        assert not attempt(parse_record, b"\xd2" + data)
        assert not attempt(fields.unpack, data)
        attempt(cbor.decode, data)
        attempt(messages.unpack_message, source.choice(types), data)
    assert time.perf_counter() - start < 30


@pytest.mark.parametrize("name", [name for name, entry in d.MESSAGES.items() if entry[2] is not None])
def test_damaged_messages_are_handled(name):
    type_byte, _, declared, _ = d.MESSAGES[name]
    samples = {
        "uint": 1,
        "bool": True,
        "text": "why",
        "uints": [1, 2],
        "bytes": b"a record",
    }
    complete = {
        field: samples[kind] if kind in samples else bytes(int(kind[6:]))
        for field, (_, kind) in declared.items()
    }
    body = messages.pack_message(name, complete)
    for place in range(len(body)):
        for byte in range(256):
            damaged = bytearray(body)
            damaged[place] = byte
            if attempt(messages.unpack_message, type_byte, bytes(damaged)):
                told = messages.unpack_message(type_byte, bytes(damaged))[1]
                assert messages.pack_message(name, told) == damaged


HOSTILE = (
    b"\x9b" + b"\xff" * 8,
    b"\x5b\x7f" + b"\xff" * 7,
    b"\x5a\x7f\xff\xff\xff",
    b"\xbb" + b"\x7f" * 8,
    b"\x81" * 600,
    b"\xa1\x00" * 320,
    b"\x9f" * 600,
    b"\xd2" * 600,
    b"\xc2\x58\xf0" + b"\xff" * 240,
    b"\xc5\x82\x1b" + b"\x0f" * 8 + b"\x01",
)

ON_MICROPYTHON = """
import sys
sys.path.insert(0, "firmware")
import gc
from tumbler.records import cbor, cose, fields
def tagged(data):
    return cose.payload_of(b"\\xd2" + data)
for data in {hostile!r}:
    for function in (cbor.decode, fields.unpack, cose.payload_of, tagged):
        gc.collect()
        try:
            function(data)
        except (cbor.CborError, fields.RecordError):
            continue
        raise SystemExit("accepted", data)
print("all refused")
"""


def test_hostile_bytes_cost_a_small_device_nothing():
    """In a heap of 64 kB an allocation of a claimed length would fail instead of being refused."""
    done = on_micropython(ON_MICROPYTHON.format(hostile=HOSTILE), "64k")
    assert done.stdout == "all refused\n", done.stdout + done.stderr
