"""Provision a board once in its life: its keys, an empty journal and its configuration, on an empty volume.

The host key is told once, here, and never again; the private key never leaves the volume.
"""

import os
from binascii import hexlify

from tumbler import journal
from tumbler.signing import Ed25519Signer, KeyStore

PROOF_LABEL = b"sicbo-tumbler provision 1"


class AlreadyProvisioned(Exception):
    """The volume holds a device's keys or records: they would be lost. Format it on purpose first."""


def provision(storage, configuration, challenge, host_entropy, entropy):
    """Make a device of the empty volume at `storage`.

    `configuration`: bytes of board.json; `challenge`: fresh bytes of the host; `host_entropy`: 32 secret
    random bytes or more of the host; `entropy(n)`: the hardware generator; the keys need both.
    Returns a dict of hex text: device, public_key, host_key and proof, the signature over PROOF_LABEL,
    challenge, device id and public key, which shows that the device has the private key.
    """
    if os.listdir(storage):
        raise AlreadyProvisioned("the volume is not empty: " + ", ".join(os.listdir(storage)))
    keys = KeyStore(storage + "/keys").create(entropy, host_entropy)
    journal.create(storage + "/journal")
    with open(storage + "/board.json", "wb") as file:
        file.write(configuration)
    signer = Ed25519Signer(keys.seed)
    proof = signer.sign(PROOF_LABEL + challenge + keys.device_id + signer.public_key, entropy)
    told = {
        "device": keys.device_id,
        "public_key": signer.public_key,
        "host_key": keys.host_key,
        "proof": proof,
    }
    return {name: hexlify(value).decode() for name, value in told.items()}
