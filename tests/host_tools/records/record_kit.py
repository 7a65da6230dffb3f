"""Records as an attacker or a faulty device could make them: every part of a COSE_Sign1 can be set."""

import hashlib

import cbor2
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from host_tools.records import NO_RECORDS, Device, Head, Registry, possession_message
from tumbler import definitions as d

DEVICE = b"device 1"
CHALLENGE = bytes(range(16))
KEYS = {name: key for name, (key, _) in d.RECORD_FIELDS.items()}


def key_of(seed):
    return Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)


def public(key):
    return key.public_key().public_bytes_raw()


def key_id(key):
    return hashlib.sha256(public(key)).digest()[:8]


KEY, OTHER_KEY = key_of(1), key_of(2)


def registry_of(device=DEVICE, key=KEY, head=NO_RECORDS):
    registry = Registry()
    entry = Device(device, "table 1", public(key), b"h" * 32, head)
    registry.register(entry, CHALLENGE, key.sign(possession_message(device, CHALLENGE)))
    return registry


def payload_map(kind, sequence, previous, fields, boot=1, device=DEVICE):
    values = {
        "version": d.PROTOCOL_VERSION,
        "kind": d.RECORD_KINDS[kind][0],
        "device": device,
        "boot": boot,
        "sequence": sequence,
        "previous": previous,
        "uptime_ms": 1000 * sequence,
        **fields,
    }
    return {KEYS[name]: value for name, value in values.items()}


def protected_of(key, algorithm=d.COSE_ALGORITHM):
    return cbor2.dumps({1: algorithm, 4: key_id(key)}, canonical=True)


def signed(payload, key=KEY, protected=None, unprotected=None):
    """A COSE_Sign1 over `payload` (bytes), or over the canonical CBOR of a map."""
    if not isinstance(payload, bytes):
        payload = cbor2.dumps(payload, canonical=True)
    protected = protected_of(key) if protected is None else protected
    signature = key.sign(cbor2.dumps(["Signature1", protected, d.RECORD_LABEL, payload]))
    return b"\xd2" + cbor2.dumps([protected, unprotected or {}, payload, signature])


BOOT = {"firmware": b"f" * 32, "profile": b"p" * 32}
ROUND = {"round": b"r" * 16}


def boot_record(sequence=1, previous=bytes(32), boot=1):
    return signed(payload_map("boot", sequence, previous, BOOT, boot))


def head_of(raw, sequence, boot):
    return Head(sequence, hashlib.sha256(raw).digest(), boot)


def chain(count):
    """A chain of `count` records: a boot record every fourth, else no-more-bets."""
    records, previous, boot = [], bytes(32), 0
    for sequence in range(1, count + 1):
        if sequence % 4 == 1:
            boot += 1
            record = boot_record(sequence, previous, boot)
        else:
            record = signed(payload_map("no-more-bets", sequence, previous, ROUND, boot))
        records.append(record)
        previous = hashlib.sha256(record).digest()
    return records
