"""Ed25519 public keys (RFC 8032): which ones a signature can be believed under, and their ids."""

import hashlib

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from host_tools.records.errors import KeyRefused

_FIELD = 2**255 - 19
_SIGN_BIT = 1 << 255
# y of the eight points whose order divides 8: under such a key one signature fits many messages.
_ORDER_8_Y = int.from_bytes(
    bytes.fromhex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "little"
)
_SMALL_ORDER_Y = frozenset({0, 1, _FIELD - 1, _ORDER_8_Y, _FIELD - _ORDER_8_Y})


def key_id(public_key: bytes) -> bytes:
    """First 8 bytes of SHA-256 of the public key, as in a record's protected header."""
    return hashlib.sha256(public_key).digest()[:8]


def check_public_key(public_key: bytes) -> None:
    """Raises KeyRefused for a key of another length, a non-canonical encoding or a small-order point."""
    if len(public_key) != 32:
        raise KeyRefused(f"a public key has 32 bytes, not {len(public_key)}")
    y = int.from_bytes(public_key, "little") & ~_SIGN_BIT
    if y >= _FIELD:
        raise KeyRefused("the public key is not in its canonical encoding; make a new key")
    if y in _SMALL_ORDER_Y:
        raise KeyRefused("the public key is a small-order point, which proves nothing; make a new key")


def is_signed(public_key: bytes, signature: bytes, message: bytes) -> bool:
    """Whether `signature` (64 bytes) is the key's over `message`."""
    try:
        Ed25519PublicKey.from_public_bytes(public_key).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True
