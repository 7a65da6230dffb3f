"""Strict decoding on the host: bounds are exact, and it takes what the device's own decoder takes."""

import cbor2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host_tools.records import canonical
from host_tools.records.errors import Malformed, NotCanonical
from tumbler.records import cbor


@pytest.mark.parametrize("level", [b"\x81", b"\xa1\x00"])
def test_depth_is_bounded_exactly(level):
    assert canonical.decode(level * canonical.MAX_DEPTH + b"\x00", "it")
    for depth in (canonical.MAX_DEPTH + 1, 1000, 100_000):
        with pytest.raises(Malformed, match="deeper than 8"):
            canonical.decode(level * depth + b"\x00", "it")


@pytest.mark.parametrize(
    ("data", "kind", "message"),
    [
        ("", Malformed, "it: the data ends at byte 0"),
        ("8200", Malformed, "claims 2 bytes or items; 1 are left"),
        ("5bffffffffffffffff00", Malformed, "claims 18446744073709551615 bytes or items; 1 are left"),
        ("bb7fffffffffffffff00", Malformed, "claims 18446744073709551614 bytes or items; 1 are left"),
        ("828100", Malformed, "the data ends at byte 3"),
        ("19ff", Malformed, "ends inside the number"),
        ("1c", Malformed, "reserved"),
        ("0000", Malformed, "1 bytes after its end"),
        ("c100", Malformed, "byte 0 is neither"),
        ("82f600", Malformed, "byte 1 is neither"),
        ("f90000", Malformed, "byte 0 is neither"),
        ("ff", Malformed, "byte 0 is neither"),
        ("61ff", Malformed, "it: "),
        ("63eda080", Malformed, "it: "),
        ("9f00ff", NotCanonical, "indefinite"),
        ("1800", NotCanonical, "shortest"),
        ("1900ff", NotCanonical, "shortest"),
        ("1b00000000ffffffff", NotCanonical, "shortest"),
        ("a201000000", NotCanonical, "out of order"),
        ("a200000001", NotCanonical, "doubled"),
    ],
)
def test_refusals_say_what_and_where(data, kind, message):
    with pytest.raises(Malformed, match=message) as caught:
        canonical.decode(bytes.fromhex(data), "it")
    assert caught.type is kind


def uint_keys(value):
    """Whether all map keys are unsigned integers, the only ones that the device takes."""
    if isinstance(value, (list, tuple)):
        return all(map(uint_keys, value))
    if isinstance(value, dict):
        return all(type(key) is int and key >= 0 and uint_keys(item) for key, item in value.items())
    return True


def decided(decode, data, refusal):
    try:
        return True, decode(data)
    except refusal:
        return False, None


leaves = st.integers(-(2**64), 2**64 - 1) | st.binary(max_size=30) | st.text(max_size=20) | st.booleans()
keys = st.integers(0, 2**64 - 1)
values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(keys, inner, max_size=5)
)
encodings = values.map(lambda value: cbor2.dumps(value, canonical=True))


@settings(max_examples=1000, deadline=None)
@given(st.binary(max_size=24) | encodings, st.data())
def test_host_and_device_decide_alike(data, draw):
    if data and draw.draw(st.booleans()):
        place = draw.draw(st.integers(0, len(data) - 1))
        data = data[:place] + draw.draw(st.binary(max_size=2)) + data[place + draw.draw(st.integers(0, 2)) :]
    by_device, value = decided(cbor.decode, data, cbor.CborError)
    by_host, same_value = decided(lambda raw: canonical.decode(raw, "it"), data, Malformed)
    assert by_device == (by_host and uint_keys(same_value))
    if by_device:
        assert value == same_value
