"""HMAC-SHA-256 (RFC 2104), which MicroPython lacks, and a comparison whose time tells nothing."""

import hashlib

_BLOCK = 64


def hmac_sha256(key, message):
    """The 32-byte HMAC-SHA-256 of `message` under `key`, both bytes-like of any length."""
    if len(key) > _BLOCK:
        key = hashlib.sha256(key).digest()
    padding = b"\x36" * (_BLOCK - len(key))
    inner = hashlib.sha256(bytes([byte ^ 0x36 for byte in key]) + padding)
    inner.update(message)
    padding = b"\x5c" * (_BLOCK - len(key))
    outer = hashlib.sha256(bytes([byte ^ 0x5C for byte in key]) + padding)
    outer.update(inner.digest())
    return outer.digest()


def equal(one, other):
    """True when both bytes-like values are equal; takes the same time wherever they differ."""
    if len(one) != len(other):
        return False
    difference = 0
    for index in range(len(one)):
        difference |= one[index] ^ other[index]
    return difference == 0
