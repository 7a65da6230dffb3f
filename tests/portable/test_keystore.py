"""The device's keys on its volume: made once, kept whole, never overwritten."""

import os
import unittest

from tumbler.signing import KeyStore, KeyStoreDamaged, KeyStoreMissing, keystore
from tumbler.signing.keystore import KeyStoreExists, WeakEntropy

HOST_ENTROPY = bytes(range(100, 132))
NAMES = ("device.id", "device.key", "host.key")


def own_entropy(size):
    return bytes([7 * i & 255 for i in range(size)])


def new_folder():
    try:
        import tempfile

        return tempfile.mkdtemp()
    except ImportError:
        number = 0
        while True:
            folder = "/tmp/keystore-" + str(number)
            try:
                os.mkdir(folder)
                return folder
            except OSError:
                number += 1


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


def read(path):
    with open(path, "rb") as file:
        return file.read()


class PowerCut(Exception):
    pass


class CutVolume:
    """The module `os` until the power is cut before its change number `allowed`."""

    stat = staticmethod(os.stat)

    def __init__(self, allowed):
        self.allowed = allowed

    def mkdir(self, *arguments):
        self.change(os.mkdir, arguments)

    def remove(self, *arguments):
        self.change(os.remove, arguments)

    def rename(self, *arguments):
        self.change(os.rename, arguments)

    def change(self, function, arguments):
        if self.allowed == 0:
            raise PowerCut
        self.allowed -= 1
        function(*arguments)


class KeyStoring(unittest.TestCase):
    def setUp(self):
        self.parent = new_folder()
        self.folder = self.parent + "/keys"
        self.store = KeyStore(self.folder)

    def tearDown(self):
        for folder in (self.folder, self.parent):
            try:
                for name in os.listdir(folder):
                    os.remove(folder + "/" + name)
                os.rmdir(folder)
            except OSError:
                pass

    def create(self):
        return self.store.create(own_entropy, HOST_ENTROPY)

    def test_keys_come_back_after_a_restart(self):
        made = self.create()
        loaded = KeyStore(self.folder).load()
        self.assertEqual((len(made.device_id), len(made.seed), len(made.host_key)), (8, 32, 32))
        self.assertEqual(
            (made.device_id, made.seed, made.host_key), (loaded.device_id, loaded.seed, loaded.host_key)
        )
        self.assertEqual(sorted(os.listdir(self.folder)), sorted(NAMES))

    def test_no_keys_before_provisioning(self):
        self.assertFalse(self.store.exists())
        with self.assertRaises(KeyStoreMissing):
            self.store.load()

    def test_keys_are_never_overwritten(self):
        made = self.create()
        self.assertTrue(self.store.exists())
        with self.assertRaises(KeyStoreExists):
            self.create()
        self.assertEqual(self.store.load().seed, made.seed)

    def test_damaged_keys_are_not_overwritten_either(self):
        self.create()
        write(self.folder + "/device.key", b"")
        with self.assertRaises(KeyStoreExists):
            self.create()

    def test_both_sides_randomness_goes_into_every_key(self):
        ours = self.create()
        self.tearDown()
        os.mkdir(self.parent)
        theirs = self.store.create(own_entropy, HOST_ENTROPY[:-1] + b"\0")
        self.tearDown()
        os.mkdir(self.parent)
        other = self.store.create(lambda size: own_entropy(size)[:-1] + b"\0", HOST_ENTROPY)
        for name in ("device_id", "seed", "host_key"):
            self.assertEqual(len({getattr(keys, name) for keys in (ours, theirs, other)}), 3)
        self.assertNotEqual(ours.seed, ours.host_key)

    def test_every_flipped_bit_and_every_length_is_noticed(self):
        self.create()
        for name in NAMES:
            path = self.folder + "/" + name
            whole = read(path)
            for bit in range(8 * len(whole)):
                damaged = bytearray(whole)
                damaged[bit >> 3] ^= 1 << (bit & 7)
                write(path, damaged)
                with self.assertRaises(KeyStoreDamaged):
                    self.store.load()
            for size in range(len(whole)):
                write(path, whole[:size])
                with self.assertRaises(KeyStoreDamaged):
                    self.store.load()
            write(path, whole + b"\0")
            with self.assertRaises(KeyStoreDamaged):
                self.store.load()
            write(path, whole)
        self.store.load()

    def test_a_lost_file_is_noticed(self):
        self.create()
        for name in ("device.id", "host.key"):
            os.rename(self.folder + "/" + name, self.folder + "/away")
            with self.assertRaises(KeyStoreDamaged):
                self.store.load()
            os.rename(self.folder + "/away", self.folder + "/" + name)

    def test_exchanged_files_are_noticed(self):
        self.create()
        write(self.folder + "/device.key", read(self.folder + "/host.key"))
        with self.assertRaises(KeyStoreDamaged):
            self.store.load()

    def test_provisioning_cut_off_before_the_key_starts_over(self):
        first = self.create()
        os.remove(self.folder + "/device.key")
        write(self.folder + "/device.key.tmp", b"torn")
        self.assertFalse(self.store.exists())
        with self.assertRaises(KeyStoreMissing):
            self.store.load()
        second = self.store.create(own_entropy, HOST_ENTROPY + b"again")
        self.assertNotEqual(first.host_key, second.host_key)
        self.assertEqual(self.store.load().host_key, second.host_key)

    def create_until(self, allowed):
        keystore.os = CutVolume(allowed)
        try:
            self.store.create(own_entropy, HOST_ENTROPY)
        finally:
            keystore.os = os

    def test_power_cut_at_any_change_leaves_no_keys_or_all(self):
        for already_cut in (0, 1, 2, 3):  # changes of a first provisioning: one folder, three files
            for allowed in range(4 + already_cut):
                with self.assertRaises(PowerCut):
                    self.create_until(already_cut)
                self.assertFalse(self.store.exists())
                try:
                    self.create_until(allowed)
                except PowerCut:
                    self.assertFalse(self.store.exists())
                    with self.assertRaises(KeyStoreMissing):
                        self.store.load()
                    self.create()
                self.store.load()
                self.tearDown()
                os.mkdir(self.parent)

    def test_weak_entropy_is_refused(self):
        for broken in (bytes, lambda size: b"\xff" * size, lambda size: own_entropy(size - 1)):
            with self.assertRaises(WeakEntropy):
                self.store.create(broken, HOST_ENTROPY)
        with self.assertRaises(WeakEntropy):
            self.store.create(own_entropy, HOST_ENTROPY[:31])
        self.assertFalse(self.store.exists())


if __name__ == "__main__":
    unittest.main()
