# pyright: reportAttributeAccessIssue=false
"""Runs under MicroPython for test_signing_oracle.py: answers one command a line of standard input."""

import gc
import sys

sys.path.insert(0, "firmware")

from tumbler.signing import Ed25519Signer, ed25519
from tumbler.signing.sha512 import compress, plain_compress, sha512

TWINS = {"plain": plain_compress, "chosen": compress}


def public_key(seed):
    return signer_of(seed).public_key.hex()


def sign(seed, message, noise):
    entropy = None if noise == "-" else lambda size: bytes.fromhex(noise)
    return signer_of(seed).sign(octets(message), entropy).hex()


def multiply(scalar, blind):
    table = ed25519.BaseTable()
    point = ed25519.multiply_base(table, int(scalar, 16), int(blind, 16))
    table.close()
    return point.hex()


def digest(twin, message):
    return sha512(octets(message), using=TWINS[twin]).hex()


def fast():
    return str(compress is not plain_compress)


def sign_in(free):
    """Sign with at most `free` bytes of heap left; answers the bytes that remain in use afterwards."""
    signer = signer_of("07" * 32)
    signer.sign(bytes(150), bytes)
    gc.collect()
    before = gc.mem_alloc()
    ballast = []
    while gc.mem_free() > int(free):
        ballast.append(bytearray(200))
    signer.sign(bytes(150), bytes)
    ballast.clear()
    gc.collect()
    return str(gc.mem_alloc() - before)


def signer_of(seed):
    """The signer of a seed; the newest stays open for the next command."""
    if seed not in signers:
        for signer in signers.values():
            signer.close()
        signers.clear()
        signers[seed] = Ed25519Signer(bytes.fromhex(seed))
    return signers[seed]


def octets(text):
    return b"" if text == "-" else bytes.fromhex(text)


signers = {}
COMMANDS = {
    "public_key": public_key,
    "sign": sign,
    "multiply": multiply,
    "digest": digest,
    "fast": fast,
    "sign_in": sign_in,
}

for line in sys.stdin:
    name, *arguments = line.split()
    print(COMMANDS[name](*arguments))
