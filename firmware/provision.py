"""Provision a board once in its life: its keys and an empty journal, on a volume that has none.

The host key is told once, here, and never again; the private key never leaves the volume.
"""

import os
from binascii import hexlify

from tumbler import journal
from tumbler.signing import Ed25519Signer, KeyStore

PROOF_LABEL = b"sicbo-tumbler possession 1"  # as in host_tools/records/registry.py


class AlreadyProvisioned(Exception):
    """The volume holds a device's keys or records: they would be lost. Format it on purpose first."""


def provision(storage, challenge, host_entropy, entropy):
    """Make a device of the volume at `storage`.

    `challenge`: fresh bytes of the host; `host_entropy`: 32 secret random bytes or more of the host;
    `entropy(n)`: the hardware generator; the keys need both.
    Returns a dict of hex text: device, public_key, host_key and proof, the signature over PROOF_LABEL,
    device id and challenge, which shows that the device has the private key.
    A provisioning that was cut off before it had keys may be repeated.
    """
    store = KeyStore(storage + "/keys")
    if store.exists():
        raise AlreadyProvisioned("the volume holds a device's keys")
    there = os.listdir(storage)
    for folder in ("journal", "journal" + journal.MARKS):
        if folder in there and os.listdir(storage + "/" + folder):
            raise AlreadyProvisioned("the volume holds a device's records in " + folder)
    journal.create(storage + "/journal")
    keys = store.create(entropy, host_entropy)
    signer = Ed25519Signer(keys.seed)
    told = {
        "device": keys.device_id,
        "public_key": signer.public_key,
        "host_key": keys.host_key,
        "proof": signer.sign(PROOF_LABEL + keys.device_id + challenge, entropy),
    }
    return {name: hexlify(value).decode() for name, value in told.items()}
