"""Provisioning makes a whole device once, proves its key, and never touches a device that exists."""

import hashlib
import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from provision import AlreadyProvisioned, provision

from host_tools.records import possession_message
from tumbler import config
from tumbler.journal import Journal
from tumbler.signing import KeyStore

CHALLENGE = bytes(range(32))
HOST_ENTROPY = bytes(range(100, 132))


def entropy(n):
    return hashlib.shake_256(b"test").digest(n)


def provisioned(folder):
    return provision(str(folder), CHALLENGE, HOST_ENTROPY, entropy)


def test_what_is_told_is_what_is_stored_and_the_key_is_proved(tmp_path):
    told = {name: bytes.fromhex(value) for name, value in provisioned(tmp_path).items()}
    assert set(told) == {"device", "public_key", "host_key", "proof"}
    keys = KeyStore(f"{tmp_path}/keys").load()
    assert (keys.device_id, keys.host_key) == (told["device"], told["host_key"])
    signed = possession_message(told["device"], CHALLENGE)
    Ed25519PublicKey.from_public_bytes(told["public_key"]).verify(told["proof"], signed)
    assert bytes(keys.seed) not in b"".join(told.values())


def test_the_device_starts_with_an_empty_journal(tmp_path):
    provisioned(tmp_path)
    journal = Journal(f"{tmp_path}/journal")
    journal.mount()
    assert (journal.first, journal.last, journal.next_boot()) == (0, 0, 1)


def test_the_key_depends_on_both_sources_of_entropy(tmp_path):
    made = set()
    for number, (own, host) in enumerate(((b"a", b"a"), (b"a", b"b"), (b"b", b"a"))):
        folder = tmp_path / str(number)
        folder.mkdir()
        source = hashlib.shake_256(own)
        told = provision(str(folder), CHALLENGE, host * 32, source.digest)
        made.add((told["device"], told["public_key"], told["host_key"]))
    assert all(len({each[part] for each in made}) == 3 for part in range(3))


def everything(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_a_device_is_left_alone(tmp_path):
    provisioned(tmp_path)
    before = everything(tmp_path)
    with pytest.raises(AlreadyProvisioned, match="keys"):
        provisioned(tmp_path)
    assert everything(tmp_path) == before


@pytest.mark.parametrize("file", ["journal/1.rec", "journal-marks/boot"])
def test_records_without_keys_are_left_alone(file, tmp_path):
    (tmp_path / file).parent.mkdir()
    (tmp_path / file).write_bytes(b"a record")
    before = everything(tmp_path)
    with pytest.raises(AlreadyProvisioned, match="records"):
        provisioned(tmp_path)
    assert everything(tmp_path) == before


def test_firmware_on_the_volume_is_no_hindrance_and_a_cut_before_the_keys_none_either(tmp_path):
    (tmp_path / "main.py").write_text("")
    (tmp_path / "journal").mkdir()
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "host.key").write_bytes(b"of the first attempt")
    told = provisioned(tmp_path)
    assert KeyStore(f"{tmp_path}/keys").load().host_key.hex() == told["host_key"]


def test_the_virtual_boards_own_configuration_is_sound(pytestconfig):
    raw = (pytestconfig.rootpath / "boards" / "virtual" / "board.json").read_bytes()
    assert config.parse(raw).board == "virtual"
    assert json.loads(raw)["board"] == "virtual"
