"""SHA-512 against FIPS 180-4, by the twin this interpreter chose and by the plain one."""

import unittest

from tumbler.signing.sha512 import compress, plain_compress, sha512

# FIPS 180-4's examples (published with it) and the empty message.
VECTORS = (
    (
        b"",
        "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
        "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e",
    ),
    (
        b"abc",
        "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
        "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
    ),
    (
        b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmn"
        b"hijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
        "8e959b75dae313da8cf4f72814fc143f8f7779c6eb9f7fa17299aeadb6889018"
        "501d289e4900f7e4331b99dec4b5433ac7d329eeb6dd26545e96e55b874be909",
    ),
)
# By OpenSSL: over the concatenated digests of the messages 00 01 02 .. of every length from 0 to 300.
EVERY_LENGTH = (
    "d7ff5323ebbef9438546b104939504d6846f067dc41a135152e616e5fb701a72"
    "458ac9ce86a32dbf342659cacb0a9237c21653d6bd379bd1f10a5a92f5c3f5d2"
)


def digest_of_every_length(twin):
    digests = bytearray()
    for size in range(301):
        digests += sha512(bytes([i & 255 for i in range(size)]), using=twin)
    return sha512(digests, using=twin)


class Sha512(unittest.TestCase):
    def test_published_vectors(self):
        for message, digest in VECTORS:
            self.assertEqual(sha512(message), bytes.fromhex(digest))
            self.assertEqual(sha512(message, using=plain_compress), bytes.fromhex(digest))

    def test_every_length_across_three_blocks(self):
        self.assertEqual(digest_of_every_length(compress), bytes.fromhex(EVERY_LENGTH))

    def test_every_length_across_three_blocks_plain(self):
        self.assertEqual(digest_of_every_length(plain_compress), bytes.fromhex(EVERY_LENGTH))

    def test_parts_are_concatenated(self):
        message = VECTORS[2][0]
        whole = bytes.fromhex(VECTORS[2][1])
        for cut in range(len(message)):
            self.assertEqual(sha512(message[:cut], b"", bytearray(message[cut:])), whole)
        self.assertEqual(sha512(memoryview(message)[:50], memoryview(message)[50:]), whole)
        self.assertEqual(sha512(), bytes.fromhex(VECTORS[0][1]))


if __name__ == "__main__":
    unittest.main()
