"""Provision a board once in its life: its keys and an empty journal, on a volume that has none.

The host key is told once, here, and never again; the private key never leaves the volume.
"""

import os
from binascii import hexlify

from tumbler import journal
from tumbler.journal import reserve
from tumbler.signing import Ed25519Signer, KeyStore

PROOF_LABEL = b"sicbo-tumbler possession 1"  # as in host_tools/records/registry.py


class AlreadyProvisioned(Exception):
    """The volume holds a device's keys or records: they would be lost. Format it on purpose first."""


def provision(storage, challenge, host_entropy, entropy, flash=None, journal_blocks=0):
    """Make a device of the volume at `storage`.

    `flash`: the block device that the volume is on; `journal_blocks`: how many of its blocks the journal's
    ring gets, 0 for a journal in files.
    `challenge`: fresh bytes of the host; `host_entropy`: 32 secret random bytes or more of the host;
    `entropy(n)`: the hardware generator; the keys need both.
    Returns a dict of hex text: device, public_key, host_key and proof, the signature over PROOF_LABEL,
    device id and challenge, which shows that the device has the private key.
    A provisioning that was cut off before it had keys may be repeated.
    """
    store = KeyStore(storage + "/keys")
    if store.exists():
        raise AlreadyProvisioned("the volume holds a device's keys")
    for folder, left_over in (("journal", reserve.is_block_file), ("journal" + journal.MARKS, _is_layout)):
        for name in _names(storage, folder):
            if not left_over(name):
                raise AlreadyProvisioned("the volume holds a device's records in " + folder)
    directory = storage + "/journal"
    if _is_ring(storage) and reserve.holds_records(directory, flash):
        raise AlreadyProvisioned("the volume holds a device's records in its ring")
    if journal_blocks:
        reserve.create(directory, flash, journal_blocks, entropy)
    else:
        journal.create(directory)
    keys = store.create(entropy, host_entropy)
    signer = Ed25519Signer(keys.seed)
    told = {
        "device": keys.device_id,
        "public_key": signer.public_key,
        "host_key": keys.host_key,
        "proof": signer.sign(PROOF_LABEL + keys.device_id + challenge, entropy),
    }
    return {name: hexlify(value).decode() for name, value in told.items()}


def _names(storage, folder):
    return os.listdir(storage + "/" + folder) if folder in os.listdir(storage) else []


def _is_layout(name):
    return name == reserve.LAYOUT


def _is_ring(storage):
    return reserve.LAYOUT in _names(storage, "journal" + journal.MARKS)
