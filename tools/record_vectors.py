"""Golden records: one chain with a record of every kind, made by the device's code and a fixed key."""

import json

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from host_tools.records.keys import key_id
from tumbler import definitions
from tumbler.records.chain import Chain

SEED = bytes(range(32))
DEVICE = bytes.fromhex("0102030405060708")
ROUND = bytes.fromhex("a0a1a2a3a4a5a6a7a8a9aaabacadaeaf")
FIRMWARE = bytes.fromhex("f1" * 32)
PROFILE = bytes.fromhex("f2" * 32)
FRAMES = bytes.fromhex("f3" * 32)
WALL_MS = 1790000000000

# (boot, kind, uptime in ms, fields): a covered round, a void one, and everything else once.
STORY = (
    (1, "boot", 12, {"firmware": FIRMWARE, "profile": PROFILE}),
    (1, "round-opened", 2**31, {"round": ROUND, "mode": 0, "wall_ms": WALL_MS}),
    (1, "tumble", 2**31 + 1500, {"round": ROUND, "strokes": [[21000, 640], [20500, 655], [65536, 24]]}),
    (1, "no-more-bets", 2**31 + 9000, {"round": ROUND, "wall_ms": WALL_MS + 9000}),
    (
        1,
        "reading",
        2**31 + 11000,
        {
            "round": ROUND,
            "strokes": [[21000, 640], [20500, 655], [65536, 24]],
            "faces": [1, 6, 3],
            "tilts": [0, 4, 255],
            "confidences": [1000, 987, 23],
            "frames": FRAMES,
            "profile": PROFILE,
            "wall_ms": WALL_MS + 11000,
        },
    ),
    (2, "boot", 11, {"firmware": FIRMWARE, "profile": PROFILE, "round": ROUND, "detail": "power returned"}),
    (2, "void", 40, {"round": ROUND, "fact": 16, "detail": "Wackelkontakt: 5 V \u2192 0 V"}),
    (2, "enclosure", 400, {"channel": 5, "level": True, "round": ROUND}),
    (2, "fault", 401, {"fact": 13, "detail": "tilt sensor"}),
    (2, "fault-cleared", 60000, {"fact": 13}),
    (2, "configuration-change", 61000, {"profile": PROFILE}),
    (2, "attestation", 63000, {"nonce": bytes(range(16)), "firmware": FIRMWARE, "profile": PROFILE}),
    (2, "dice-set-change", 2**32, {"dice_set": "16 mm red, set 7"}),
    (2, "key-change", 2**32 + 1, {"key": bytes.fromhex("f4" * 32)}),
)


class LibrarySigner:
    """A signer for `Chain` by `cryptography`; an Ed25519 signature is the same from every signer."""

    def __init__(self, seed):
        self._key = Ed25519PrivateKey.from_private_bytes(seed)
        self.public_key = self._key.public_key().public_bytes_raw()
        self.key_id = key_id(self.public_key)

    def sign(self, message, entropy):
        return self._key.sign(message)


def text():
    """The vectors as JSON text."""
    signer = LibrarySigner(SEED)
    records = []
    sequence, previous = 0, definitions.FIRST_PREVIOUS
    for boot, kind, uptime_ms, values in STORY:
        chain = Chain(DEVICE, boot, sequence, previous, signer, None)
        record = chain.seal(kind, uptime_ms, values)
        chain.advance(record)
        sequence, previous = chain.sequence, chain.previous
        shown = {name: value.hex() if isinstance(value, bytes) else value for name, value in values.items()}
        entry = {"boot": boot, "kind": kind, "uptime_ms": uptime_ms, "fields": shown}
        records.append({**entry, "record": record.hex()})
    vectors = {
        "about": "Records of one device in order; byte strings are hexadecimal. Made by tools/generate.py.",
        "seed": SEED.hex(),
        "public_key": signer.public_key.hex(),
        "key_id": signer.key_id.hex(),
        "device": DEVICE.hex(),
        "records": records,
    }
    return json.dumps(vectors, indent=1) + "\n"
