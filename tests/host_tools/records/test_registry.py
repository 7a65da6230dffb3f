"""Whose records are believed: no key that proves nothing, and no file that was damaged."""

import json
import os
import stat

import pytest
from record_kit import CHALLENGE, DEVICE, KEY, OTHER_KEY, public

from host_tools.records import NO_RECORDS, Device, Head, Registry, RegistryError, errors, possession_message
from host_tools.records.keys import check_public_key, is_signed

P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P
ENTRY = Device(DEVICE, "table 1", public(KEY), b"h" * 32, Head(7, b"d" * 32, 2))


def proof(key=KEY, device=DEVICE, challenge=CHALLENGE):
    return key.sign(possession_message(device, challenge))


# --- the curve, from RFC 8032 5.1 and nothing else ---


def add(a, b):
    k = D * a[0] * b[0] * a[1] * b[1]
    x = (a[0] * b[1] + b[0] * a[1]) * pow(1 + k, -1, P) % P
    return x, (a[1] * b[1] + a[0] * b[0]) * pow(1 - k, -1, P) % P


def times(n, point):
    total = (0, 1)
    while n:
        if n & 1:
            total = add(total, point)
        point, n = add(point, point), n >> 1
    return total


def point_of(y):
    """A point with this y, or None."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    return (x, y) if x * x % P == square else None


def small_order_points():
    """All eight: the multiples of a point of order 8, found by clearing the prime order off curve points."""
    for y in range(2, 100):
        point = point_of(y)
        if point is None:
            continue
        torsion = times(L, point)
        points = {times(n, torsion) for n in range(8)}
        if len(points) == 8:
            return sorted(points)
    raise AssertionError("no point of order 8 found")


SMALL = small_order_points()


def test_eight_points_were_found():
    assert len(SMALL) == 8
    assert (0, 1) in SMALL
    assert all(times(8, point) == (0, 1) for point in SMALL)


@pytest.mark.parametrize("number", range(8))
def test_small_order_keys_are_refused_in_every_encoding(number):
    x, y = SMALL[number]
    encodings = [value.to_bytes(32, "little") for value in (y, y | 1 << 255)]
    if y < 19:
        encodings += [value.to_bytes(32, "little") for value in (y + P, (y + P) | 1 << 255)]
    assert (y | (x & 1) << 255).to_bytes(32, "little") in encodings
    for encoded in encodings:
        with pytest.raises(errors.KeyRefused):
            check_public_key(encoded)


def test_the_attack_that_this_prevents():
    """With the identity as public key one signature fits every message: the library alone believes it."""
    identity = (1).to_bytes(32, "little")
    signature = identity + bytes(32)
    assert is_signed(identity, signature, b"1-2-3 won")
    assert is_signed(identity, signature, possession_message(DEVICE, CHALLENGE))
    entry = Device(DEVICE, "", identity, None)
    with pytest.raises(errors.KeyRefused):
        Registry().register(entry, CHALLENGE, signature)
    with pytest.raises(errors.KeyRefused):
        Registry([entry])


def test_non_canonical_keys_are_refused():
    for y in range(P, 2**255):
        for sign in (0, 1 << 255):
            with pytest.raises(errors.KeyRefused):
                check_public_key((y | sign).to_bytes(32, "little"))


@pytest.mark.parametrize("size", [0, 31, 33, 64])
def test_keys_of_another_size_are_refused(size):
    with pytest.raises(errors.KeyRefused):
        check_public_key(b"\x05" * size)


def test_ordinary_keys_are_taken():
    for key in (KEY, OTHER_KEY):
        check_public_key(public(key))


def test_a_key_off_the_curve_cannot_prove_itself():
    y = next(y for y in range(2, 100) if point_of(y) is None)
    entry = Device(DEVICE, "", y.to_bytes(32, "little"), None)
    with pytest.raises(errors.ProofRefused):
        Registry().register(entry, CHALLENGE, proof())


# --- registering ---


def test_registered_device_is_found():
    registry = Registry()
    registry.register(ENTRY, CHALLENGE, proof())
    assert registry.device(DEVICE) == ENTRY
    assert registry.devices() == [ENTRY]
    assert ENTRY.key_id.hex() == "34750f98bd59fcfc"


def test_unknown_device():
    with pytest.raises(errors.UnknownDevice):
        Registry().device(DEVICE)


@pytest.mark.parametrize(
    ("challenge", "signature"),
    [
        (CHALLENGE, proof(OTHER_KEY)),
        (CHALLENGE, proof(device=b"device 2")),
        (CHALLENGE, proof(challenge=b"x" * 16)),
        (CHALLENGE, KEY.sign(CHALLENGE)),
        (CHALLENGE, KEY.sign(DEVICE + CHALLENGE)),
        (CHALLENGE, bytes(64)),
        (CHALLENGE, b""),
        (b"short", proof(challenge=b"short")),
        (b"", proof(challenge=b"")),
    ],
)
def test_proof_of_possession_is_needed(challenge, signature):
    registry = Registry()
    with pytest.raises(errors.ProofRefused):
        registry.register(ENTRY, challenge, signature)
    assert registry.devices() == []


def test_a_device_or_a_key_is_registered_once():
    registry = Registry()
    registry.register(ENTRY, CHALLENGE, proof())
    with pytest.raises(errors.DeviceKnown):
        registry.register(ENTRY, CHALLENGE, proof())
    other_key = Device(DEVICE, "", public(OTHER_KEY), None)
    with pytest.raises(errors.DeviceKnown):
        registry.register(other_key, CHALLENGE, proof(OTHER_KEY))
    same_key = Device(b"device 2", "", public(KEY), None)
    with pytest.raises(errors.DeviceKnown):
        registry.register(same_key, CHALLENGE, proof(device=b"device 2"))
    assert registry.devices() == [ENTRY]


@pytest.mark.parametrize(
    "entry",
    [
        Device(b"short", "", public(KEY), None),
        Device(DEVICE, "", public(KEY), b"short"),
        Device(DEVICE, "", public(KEY), None, Head(-1, bytes(32), 0)),
        Device(DEVICE, "", public(KEY), None, Head(0, b"", 0)),
        Device(DEVICE, "", public(KEY), None, Head(0, bytes(32), -1)),
    ],
)
def test_impossible_devices_are_refused(entry):
    with pytest.raises(RegistryError):
        Registry().register(entry, CHALLENGE, proof(device=entry.id))


# --- the file ---


@pytest.fixture
def path(tmp_path):
    return tmp_path / "registry.json"


def test_file_keeps_devices_and_is_the_owner_s(path):
    Registry.open(path).register(ENTRY, CHALLENGE, proof())
    assert Registry.open(path).devices() == [ENTRY]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    other = Device(b"device 2", "table 2", public(OTHER_KEY), None, NO_RECORDS)
    Registry.open(path).register(other, CHALLENGE, proof(OTHER_KEY, other.id))
    assert Registry.open(path).devices() == [ENTRY, other]
    assert os.listdir(path.parent) == [path.name]


def test_file_is_readable_by_people(path):
    Registry.open(path).register(ENTRY, CHALLENGE, proof())
    assert json.loads(path.read_text()) == {
        "format": 1,
        "devices": [
            {
                "id": DEVICE.hex(),
                "name": "table 1",
                "public_key": public(KEY).hex(),
                "host_key": (b"h" * 32).hex(),
                "head": {"sequence": 7, "digest": (b"d" * 32).hex(), "boot": 2},
            }
        ],
    }


def test_a_refused_device_leaves_the_file_as_it_was(path):
    Registry.open(path).register(ENTRY, CHALLENGE, proof())
    before = path.read_bytes()
    for bad in (proof(OTHER_KEY), proof()):
        with pytest.raises(RegistryError):
            Registry.open(path).register(ENTRY, CHALLENGE, bad)
    assert path.read_bytes() == before


def test_a_failed_write_registers_nothing(tmp_path):
    registry = Registry.open(tmp_path / "missing folder" / "registry.json")
    with pytest.raises(FileNotFoundError):
        registry.register(ENTRY, CHALLENGE, proof())
    assert registry.devices() == []


def test_auditors_get_no_host_keys(path, tmp_path):
    registry = Registry.open(path)
    registry.register(ENTRY, CHALLENGE, proof())
    public_path = tmp_path / "public.json"
    registry.write_public(public_path)
    assert (b"h" * 32).hex() not in public_path.read_text()
    (device,) = Registry.open(public_path).devices()
    assert device.host_key is None
    assert (device.id, device.public_key, device.head) == (ENTRY.id, ENTRY.public_key, ENTRY.head)


def damage(content):
    (entry,) = content["devices"]
    yield {**content, "format": 2}
    yield {"devices": [entry]}
    yield {"format": 1}
    yield [content]
    yield {**content, "devices": [entry, entry]}
    yield {**content, "devices": [{**entry, "public_key": (1).to_bytes(32, "little").hex()}]}
    yield {**content, "devices": [{**entry, "public_key": "zz"}]}
    yield {**content, "devices": [{**entry, "id": "00"}]}
    yield {**content, "devices": [{**entry, "id": 5}]}
    yield {**content, "devices": [{**entry, "host_key": "00"}]}
    yield {**content, "devices": [{**entry, "head": None}]}
    yield {**content, "devices": [{**entry, "head": {**entry["head"], "sequence": 7.5}}]}
    yield {**content, "devices": [{**entry, "head": {**entry["head"], "sequence": True}}]}
    yield {**content, "devices": [{**entry, "head": {**entry["head"], "digest": "00"}}]}
    yield {**content, "devices": [{key: value for key, value in entry.items() if key != "host_key"}]}
    yield {**content, "devices": 5}


def test_damaged_files_are_refused_and_named(path):
    Registry.open(path).register(ENTRY, CHALLENGE, proof())
    good = path.read_text()
    damaged = [json.dumps(content) for content in damage(json.loads(good))]
    damaged += ["", "{", "null", "[" * 100_000, good[:-10], good.replace("7", "x")]
    for text in damaged:
        path.write_text(text)
        with pytest.raises(errors.RegistryDamaged, match=r"registry\.json"):
            Registry.open(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(errors.RegistryDamaged):
        Registry.open(path)


def test_devices_registered_by_two_ceremonies_at_once_are_both_kept(tmp_path):
    path = tmp_path / "registry.json"
    one, other = Registry.open(path), Registry.open(path)
    second = Device(b"other-id", "table 2", public(OTHER_KEY), b"k" * 32)
    one.register(ENTRY, CHALLENGE, proof())
    other.register(second, CHALLENGE, proof(OTHER_KEY, second.id))
    assert Registry.open(path).devices() == sorted([ENTRY, second], key=lambda device: device.id)
    assert other.devices() == Registry.open(path).devices()
    with pytest.raises(errors.DeviceKnown):
        Registry.open(path).register(second, CHALLENGE, proof(OTHER_KEY, second.id))
