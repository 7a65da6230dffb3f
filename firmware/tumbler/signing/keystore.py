"""The device's keys as files of its volume: device.id, device.key (Ed25519 seed), host.key (HMAC key).

A file is its content and a CRC-32 over name and content, written under a temporary name, closed and renamed.
device.key is written last: without it there are no keys, with it there must be all three.
"""

import os
from binascii import crc32
from errno import ENOENT

from tumbler.signing.sha512 import sha512

_DEVICE_ID = "device.id"
_SEED = "device.key"
_HOST_KEY = "host.key"
_SIZES = {_DEVICE_ID: 8, _SEED: 32, _HOST_KEY: 32}
_LABEL = b"sicbo-tumbler key 1 "
_DEVICE_ENTROPY = 64
_LEAST_HOST_ENTROPY = 32
_ABSENT = (ENOENT, 44)  # WebAssembly numbers its errors apart


class KeyStoreError(Exception):
    """Keys cannot be read or made."""


class KeyStoreMissing(KeyStoreError):
    """The device has no keys yet."""


class KeyStoreDamaged(KeyStoreError):
    """A key file is lost or not what was written."""


class KeyStoreExists(KeyStoreError):
    """The device has keys; they are never overwritten."""


class WeakEntropy(KeyStoreError):
    """The randomness offered is no ground for a key."""


class Keys:
    """device_id: 8 bytes; seed: 32 bytes, the Ed25519 private key; host_key: 32 bytes, for HMAC-SHA-256."""

    def __init__(self, device_id, seed, host_key):
        self.device_id = device_id
        self.seed = seed
        self.host_key = host_key


class KeyStore:
    """The keys in the folder `directory`."""

    def __init__(self, directory):
        self._directory = directory

    def exists(self):
        """Whether the device has keys (which may be damaged)."""
        return _is_there(self._path(_SEED))

    def load(self):
        """The Keys. KeyStoreMissing, KeyStoreDamaged."""
        if not self.exists():
            raise KeyStoreMissing("no keys in %s: provision the device" % self._directory)
        return Keys(self._read(_DEVICE_ID), self._read(_SEED), self._read(_HOST_KEY))

    def create(self, entropy, host_entropy):
        """Make, store and return the Keys: hashes of the device's and the host's randomness together.

        entropy: callable n -> n random bytes; host_entropy: 32 bytes or more. Either alone is enough for
        a good key. KeyStoreExists, WeakEntropy; KeyStoreDamaged when the files do not read back.
        """
        if self.exists():
            raise KeyStoreExists("%s holds keys already: they are never overwritten" % self._directory)
        own = entropy(_DEVICE_ENTROPY)
        if len(own) != _DEVICE_ENTROPY or own == own[:1] * _DEVICE_ENTROPY:
            raise WeakEntropy("the device's random generator is broken: do not use this board")
        if len(host_entropy) < _LEAST_HOST_ENTROPY:
            raise WeakEntropy("the host must offer 32 random bytes or more, not %d" % len(host_entropy))
        if not _is_there(self._directory):
            os.mkdir(self._directory)
        made = {}
        for name in (_HOST_KEY, _DEVICE_ID, _SEED):
            content = sha512(_LABEL, name.encode(), b"\0", own, host_entropy)[: _SIZES[name]]
            self._write(name, content)
            made[name] = content
        keys = self.load()
        if (keys.device_id, keys.seed, keys.host_key) != (made[_DEVICE_ID], made[_SEED], made[_HOST_KEY]):
            raise KeyStoreDamaged("%s does not keep what is written: do not use this board" % self._directory)
        return keys

    def _path(self, name):
        return self._directory + "/" + name

    def _read(self, name):
        path = self._path(name)
        try:
            with open(path, "rb") as file:
                stored = file.read()
        except OSError as error:
            raise KeyStoreDamaged("%s cannot be read (%s): %s" % (path, error, _REMEDY)) from None
        content = stored[:-4]
        if len(content) != _SIZES[name] or stored != content + _check(name, content):
            raise KeyStoreDamaged("%s is damaged: %s" % (path, _REMEDY))
        return content

    def _write(self, name, content):
        path = self._path(name)
        temporary = path + ".tmp"
        with open(temporary, "wb") as file:
            file.write(content + _check(name, content))
            file.flush()
        if _is_there(path):  # of a provisioning that was cut off; not every volume renames onto a file
            os.remove(path)
        os.rename(temporary, path)


_REMEDY = "take the device out of service, erase the folder and provision it as a new device"


def _check(name, content):
    return crc32(name.encode() + content).to_bytes(4, "big")


def _is_there(path):
    try:
        os.stat(path)
    except OSError as error:
        if error.errno in _ABSENT:
            return False
        raise
    return True
