"""Ed25519 signatures of the device against RFC 8032, and the self-test that guards them."""

import hashlib
import json
import unittest

from tumbler.signing import Ed25519Signer, SelfTestError, ed25519, self_test, signer

VECTORS = __file__[: -len("portable/test_signing.py")] + "vectors/ed25519.json"
SEED = bytes(range(32))
MESSAGE = b"the fact that matters " * 7


def rfc_vectors():
    with open(VECTORS) as file:
        return json.load(file)["vectors"]


class Entropy:
    """A generator that counts what is asked of it and never repeats itself."""

    def __init__(self):
        self.asked = []

    def __call__(self, size):
        self.asked.append(size)
        return hashlib.sha256(bytes([len(self.asked)])).digest()[:size]


class Signing(unittest.TestCase):
    def setUp(self):
        self.signer = Ed25519Signer(SEED)

    def tearDown(self):
        self.signer.close()

    def test_rfc_8032_vectors(self):
        for vector in rfc_vectors():
            device = Ed25519Signer(bytes.fromhex(vector["seed"]))
            self.assertEqual(device.public_key, bytes.fromhex(vector["public_key"]), vector["name"])
            signature = device.sign(bytes.fromhex(vector["message"]), None)
            self.assertEqual(signature, bytes.fromhex(vector["signature"]), vector["name"])
            device.close()

    def test_vectors_are_all_there(self):
        self.assertEqual([len(vector["message"]) // 2 for vector in rfc_vectors()], [0, 1, 2, 1023, 64])

    def test_key_id_is_the_head_of_the_key_s_digest(self):
        self.assertEqual(self.signer.key_id, hashlib.sha256(self.signer.public_key).digest()[:8])

    def test_algorithm_is_cose_eddsa(self):
        self.assertEqual(Ed25519Signer.ALGORITHM, -8)

    def test_hedged_signatures_differ_and_hide_nothing_but_the_nonce(self):
        entropy = Entropy()
        first = self.signer.sign(MESSAGE, entropy)
        second = self.signer.sign(MESSAGE, entropy)
        self.assertEqual(entropy.asked, [32, 32])
        self.assertNotEqual(first[:32], second[:32])
        self.assertNotEqual(first[32:], second[32:])
        self.assertNotEqual(first, self.signer.sign(MESSAGE, None))

    def test_stuck_entropy_still_gives_each_message_its_own_nonce(self):
        nonces = [self.signer.sign(bytes([i]), bytes)[:32] for i in range(8)]
        self.assertEqual(len(set(nonces)), 8)

    def test_short_entropy_is_refused(self):
        with self.assertRaises(ed25519.EntropyError):
            self.signer.sign(MESSAGE, lambda size: bytes(size - 1))

    def test_message_may_be_any_buffer(self):
        expected = self.signer.sign(MESSAGE, None)
        self.assertEqual(self.signer.sign(bytearray(MESSAGE), None), expected)
        self.assertEqual(self.signer.sign(memoryview(MESSAGE), None), expected)

    def test_seed_of_another_size_is_refused(self):
        for size in (0, 31, 33, 64):
            with self.assertRaises(ValueError):
                Ed25519Signer(bytes(size))


class Multiplying(unittest.TestCase):
    """multiply_base at the scalars whose digits are extreme, checked by the group law alone."""

    def setUp(self):
        self.table = ed25519.BaseTable()

    def tearDown(self):
        self.table.close()

    def times(self, scalar, blind=3):
        return ed25519.multiply_base(self.table, scalar, blind)

    def test_blind_does_not_change_the_point(self):
        for blind in (0, 1, ed25519.P, ed25519.P - 1, 2**259, 12345):
            self.assertEqual(self.times(987654321**8, blind), self.times(987654321**8))

    def test_identity_and_base_point(self):
        self.assertEqual(self.times(0), (1).to_bytes(32, "little"))
        self.assertEqual(self.times(1), b"\x58" + b"\x66" * 31)  # y = 4/5 (RFC 8032 5.1)

    def test_scalars_are_taken_modulo_the_order(self):
        for scalar in (0, 1, 16, 17, 2**252, 2**254, 2**255 - 8, 2**254 + 2**253):
            self.assertEqual(self.times(scalar), self.times(scalar % ed25519.L + ed25519.L))

    def test_opposite_scalars_give_mirrored_points(self):
        # -P has the same y and the other sign of x. The digits of k and L - k have nothing in common.
        extremes = [32 * (64**w) for w in range(41)] + [33 * (64**w) for w in range(41)]
        extremes += [sum([digit * 64**w for w in range(41)]) for digit in (1, 31, 32, 33, 63)]
        for scalar in extremes:
            mirrored = bytearray(self.times(ed25519.L - scalar))
            mirrored[31] ^= 0x80
            self.assertEqual(bytes(mirrored), self.times(scalar))

    def test_digits_are_signed_and_add_up(self):
        for scalar in (0, 1, 32, 33, 63, 64, 2**252 - 1, 2**252, ed25519.L - 1, int("1" * 75)):
            digits = ed25519._digits(scalar)
            self.assertEqual(len(digits), 42)
            self.assertEqual(sum([digit * 64**i for i, digit in enumerate(digits)]), scalar)
            self.assertTrue(all(-31 <= digit <= 32 for digit in digits[:-1]))
            self.assertTrue(0 <= digits[-1] <= 64)


class SelfTest(unittest.TestCase):
    def setUp(self):
        self.path = ed25519.BaseTable
        self.answer = signer._SIGNATURE

    def tearDown(self):
        ed25519.BaseTable = self.path
        signer._SIGNATURE = self.answer

    def test_passes(self):
        self.assertIsNone(self_test())

    def test_a_wrong_answer_is_noticed(self):
        signer._SIGNATURE = bytes(64)
        with self.assertRaises(SelfTestError):
            self_test()

    def test_a_table_that_is_not_ours_is_noticed(self):
        stock = self.path
        ed25519.BaseTable = lambda: stock(VECTORS)
        with self.assertRaises(SelfTestError):
            self_test()

    def test_a_missing_table_is_noticed(self):
        with self.assertRaises(ed25519.TableError):
            ed25519.BaseTable(VECTORS + ".missing")
        stock = self.path
        ed25519.BaseTable = lambda: stock(VECTORS + ".missing")
        with self.assertRaises(SelfTestError):
            self_test()

    def test_a_row_cut_short_is_noticed(self):
        table = ed25519.BaseTable()
        with self.assertRaises(ed25519.TableError):
            table.read(1 + 41 * 32 + 64)
        table.close()


if __name__ == "__main__":
    unittest.main()
