"""Provisioning makes a whole device once, proves its key, and never touches a device that exists."""

import hashlib
import json

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from provision import PROOF_LABEL, AlreadyProvisioned, provision

from tumbler import config
from tumbler.journal import Journal
from tumbler.signing import KeyStore

CONFIGURATION = b'{"board": "virtual"}'
CHALLENGE = bytes(range(32))
HOST_ENTROPY = bytes(range(100, 132))


def entropy(n):
    return hashlib.shake_256(b"test").digest(n)


def provisioned(folder):
    return provision(str(folder), CONFIGURATION, CHALLENGE, HOST_ENTROPY, entropy)


def test_what_is_told_is_what_is_stored_and_the_key_is_proved(tmp_path):
    told = {name: bytes.fromhex(value) for name, value in provisioned(tmp_path).items()}
    assert set(told) == {"device", "public_key", "host_key", "proof"}
    keys = KeyStore(f"{tmp_path}/keys").load()
    assert (keys.device_id, keys.host_key) == (told["device"], told["host_key"])
    signed = PROOF_LABEL + CHALLENGE + told["device"] + told["public_key"]
    Ed25519PublicKey.from_public_bytes(told["public_key"]).verify(told["proof"], signed)
    assert bytes(keys.seed) not in b"".join(told.values())


def test_the_device_starts_with_an_empty_journal_and_its_configuration(tmp_path):
    provisioned(tmp_path)
    journal = Journal(f"{tmp_path}/journal")
    journal.mount()
    assert (journal.first, journal.last, journal.next_boot()) == (0, 0, 1)
    assert (tmp_path / "board.json").read_bytes() == CONFIGURATION


def test_the_key_depends_on_both_sources_of_entropy(tmp_path):
    made = set()
    for number, (own, host) in enumerate(((b"a", b"a"), (b"a", b"b"), (b"b", b"a"))):
        folder = tmp_path / str(number)
        folder.mkdir()
        source = hashlib.shake_256(own)
        told = provision(str(folder), CONFIGURATION, CHALLENGE, host * 32, source.digest)
        made.add((told["device"], told["public_key"], told["host_key"]))
    assert all(len({each[part] for each in made}) == 3 for part in range(3))


def test_a_volume_with_anything_on_it_is_left_alone(tmp_path):
    provisioned(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(AlreadyProvisioned, match="keys"):
        provisioned(tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_the_virtual_boards_own_configuration_is_sound(pytestconfig):
    raw = (pytestconfig.rootpath / "boards" / "virtual" / "board.json").read_bytes()
    assert config.parse(raw).board == "virtual"
    assert json.loads(raw)["board"] == "virtual"
