"""Message bodies on the host: the same bytes as the device's, and nothing else is let in."""

import cbor2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host_tools.link import MessageInvalid, messages
from tumbler import definitions
from tumbler.records import messages as device

EXAMPLES = {
    "bytes": st.binary(max_size=definitions.MAX_RECORD),
    "uint": st.integers(0, 2**64 - 1),
    "bool": st.booleans(),
    "text": st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    "uints": st.lists(st.integers(0, 20), max_size=5),
}
TABLES = {
    "status": definitions.REPLY_STATUSES,
    "state": definitions.DEVICE_STATES,
    "mode": definitions.PLAY_MODES,
    "fact": definitions.FACTS,
}


def values_of(name):
    """Any values of message `name`."""
    fields, required = definitions.MESSAGES[name][2:]
    made = {}
    for field, (_, kind) in fields.items():
        if field in TABLES:
            made[field] = st.sampled_from(sorted(TABLES[field].values()))
        elif kind.startswith("bytes:"):
            made[field] = st.binary(min_size=int(kind[6:]), max_size=int(kind[6:]))
        else:
            made[field] = EXAMPLES[kind]
    optional = {field: made.pop(field) for field in list(made) if field not in required}
    return st.fixed_dictionaries(made, optional=optional)


CONTROL = [name for name, entry in definitions.MESSAGES.items() if entry[2] is not None]


@pytest.mark.parametrize("name", CONTROL)
def test_both_sides_make_and_read_the_same_bytes(name):
    @settings(max_examples=60, deadline=None)
    @given(values_of(name))
    def check(values):
        body = device.pack_message(name, values)
        assert messages.pack(name, values) == body
        assert messages.unpack(name, body) == values

    check()


@settings(max_examples=1500, deadline=None)
@given(st.sampled_from(CONTROL), st.binary(max_size=120))
def test_any_bytes_are_refused_or_read_alike(name, body):
    try:
        ours = messages.unpack(name, body)
    except MessageInvalid:
        ours = None
    try:
        _, theirs = device.unpack_message(definitions.MESSAGES[name][0], body)
    except device.MessageError:
        theirs = None
    if theirs is not None or ours is not None:
        assert ours is not None
        assert messages.pack(name, ours) == body
        assert theirs in (None, ours)  # the device also refuses numbers that no table has


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\x80",
        b"\xa1\x18\x00\x01",  # key not in its shortest form
        b"\xa1\x00\x18\x01",  # value not in its shortest form
        b"\xbf\x00\x01\xff",  # indefinite length
        b"\xa1\x00\x01\x00",  # a byte too many
        b"\xa2\x00\x01\x00\x01",  # a key twice
        b"\xa1\x00\xf9\x3c\x00",  # 1.0
        b"\xa1\x00\xc2\x41\x01",  # bignum 1
        b"\xa1\x00\xf5",  # true
        b"\xa1\x61a\x01",  # text key
        b"\xa1\x17\x01",  # unknown key
        b"\xa1\x00\x20",  # -1
        b"\x81" * 1000,
        b"\xd8\x23\x61(",  # a regular expression that is none
        b"\xc4\x82\x1b\x7f\xff\xff\xff\xff\xff\xff\xff\x01",  # a decimal with an absurd exponent
        b"\xa1\x00\xc4\x82\x1a\x7f\xff\xff\xff\x01",
        b"\xd8\x1e\x82\x01\x00",  # 1/0
        b"\xa1\xa1\x00\x00\x00",  # a map as a key
    ],
)
def test_odd_encodings_are_refused(body):
    with pytest.raises(MessageInvalid):
        messages.unpack("ack", body)


def test_wrong_types_and_fields_are_refused():
    good = {"id": 1, "status": 0, "state": 0, "sequence": 5}
    assert messages.named(messages.unpack("reply", messages.pack("reply", good)))["status"] == "done"
    for change in (
        {"id": True},
        {"id": -1},
        {"id": 2**64},
        {"detail": b"x"},
        {"detail": "x" * 49},
        {"detail": "\ud800"},
        {"extra": 1},
    ):
        with pytest.raises(MessageInvalid):
            messages.pack("reply", {**good, **change})
    with pytest.raises(MessageInvalid, match="sequence is missing"):
        messages.unpack("reply", cbor2.dumps({0: 1, 1: 0, 2: 0}))
    with pytest.raises(MessageInvalid, match="status: 99"):
        messages.named({**good, "status": 99})
    with pytest.raises(MessageInvalid, match="faults: 77"):
        messages.named({"faults": [1, 77]})


def test_record_bodies():
    assert messages.unpack_record(bytes(7) + b"\x05" + b"record") == (5, b"record")
    for body in (b"", bytes(8), bytes(8 + definitions.MAX_RECORD + 1)):
        with pytest.raises(MessageInvalid):
            messages.unpack_record(body)
