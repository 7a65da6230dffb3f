"""Signing of the device's records: Ed25519, its keys on the volume, and the self-test."""

from tumbler.signing.keystore import KeyStore, KeyStoreDamaged, KeyStoreMissing
from tumbler.signing.signer import Ed25519Signer, SelfTestError, self_test

__all__ = ["Ed25519Signer", "KeyStore", "KeyStoreDamaged", "KeyStoreMissing", "SelfTestError", "self_test"]
