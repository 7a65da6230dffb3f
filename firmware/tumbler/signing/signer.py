"""The device's signer, and the self-test that must pass before it is used."""

from binascii import unhexlify
from hashlib import sha256

from tumbler.signing import ed25519

# RFC 8032 7.1, TEST 3
_SEED = unhexlify("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7")
_PUBLIC_KEY = unhexlify("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025")
_MESSAGE = b"\xaf\x82"
_SIGNATURE = unhexlify(
    "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
    "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"
)


class SelfTestError(Exception):
    """Signing does not give the known answer; the device must not sign."""


class Ed25519Signer:
    """Signs with a key kept in this processor's memory.

    A secure element offers the same four names: ALGORITHM, the COSE algorithm that its profile freezes;
    public_key; key_id, the first 8 bytes of SHA-256(public_key); sign(message, entropy).

    seed: 32 bytes, the private key (RFC 8032 5.1.5). ValueError, ed25519.TableError.
    """

    ALGORITHM = -8  # EdDSA (RFC 9053 2.2)

    def __init__(self, seed):
        self._table = ed25519.BaseTable()
        self._scalar, self._prefix = ed25519.expand(seed)
        self.public_key = ed25519.multiply_base(
            self._table, self._scalar, int.from_bytes(self._prefix, "little")
        )
        self.key_id = sha256(self.public_key).digest()[:8]

    def sign(self, message, entropy):
        """64 bytes over `message`; entropy: callable n -> n random bytes, or None: deterministic."""
        return ed25519.sign(self._table, self._scalar, self._prefix, self.public_key, message, entropy)

    def close(self):
        """Give the table's file back; the signer is then of no use."""
        self._table.close()


def self_test():
    """SelfTestError unless the table is whole and a published signature comes out (known-answer test)."""
    try:
        table = ed25519.BaseTable()
        table.check()
        table.close()
    except ed25519.TableError as error:
        raise SelfTestError("signing: " + str(error)) from None
    signer = Ed25519Signer(_SEED)
    known = signer.public_key == _PUBLIC_KEY and signer.sign(_MESSAGE, None) == _SIGNATURE
    signer.close()
    if not known:
        raise SelfTestError("signing: the known answer does not come out: flash the firmware again")
