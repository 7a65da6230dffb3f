"""Everything but the scene, self-tested and put together over what the journal proves."""

import gc
import hashlib
import os

from tumbler.controller import Controller, Identity
from tumbler.definitions import FIRST_PREVIOUS
from tumbler.journal import JournalDamaged, open_journal
from tumbler.link import DeviceSession
from tumbler.records import cbor
from tumbler.records.chain import Chain
from tumbler.records.fields import RecordError
from tumbler.replay import Proven, replay
from tumbler.signing import Ed25519Signer, KeyStore, self_test

LEAST_FREE = 60_000  # bytes of heap that rounds need once everything is set up
_CHUNK = 1024


class StartError(Exception):
    """The self-test failed; the message says which part and what to do."""


def assemble(board, settings, scene, folder):
    """Self-test every part and put them together; StartError, or the part's own error, tells what failed.

    board: a hal board; settings: config.Config; scene: begun by start; folder: where the package lies.
    """
    self_test()
    test_codec()
    firmware = firmware_digest(folder)
    identity = Identity(firmware, hashlib.sha256(settings.raw + scene.profile_digest).digest())
    keys = KeyStore(board.storage + "/keys").load()
    journal = open_journal(board.storage + "/journal", board.flash)
    proven, lost = prove(journal, keys.device_id)
    boot, lost = number_boot(journal, proven, lost)
    signer = Ed25519Signer(keys.seed)
    chain = Chain(keys.device_id, boot, proven.sequence, proven.digest, signer, board.entropy)
    link = DeviceSession(
        journal,
        keys.host_key,
        {"device": keys.device_id, "boot": boot, "firmware": firmware},
        int.from_bytes(board.entropy(4), "big") | 1,
        board.send,
        scene.evidence,
        settings.shared,
    )
    gc.collect()
    if hasattr(gc, "mem_free") and gc.mem_free() < LEAST_FREE:
        raise StartError("memory: %d bytes are free, %d are needed" % (gc.mem_free(), LEAST_FREE))
    return Controller(board, settings.limits, identity, scene, journal, chain, link, proven, lost)


def prove(journal, device):
    """(what the records of the device prove, None), or (nothing, why its journal cannot be relied on).

    A device whose journal is gone, changed or another's is no new device: it plays no round, writes no
    record, and tells the host of a memory fault for as long as it is so. What can be read may be recalled.
    """
    try:
        journal.mount()
        proven = replay(journal)
    except (JournalDamaged, RecordError, OSError) as error:
        return Proven(), str(error)
    if proven.device not in (None, device):
        return Proven(), "the journal is that of another device"
    journal.acknowledge(journal.acknowledged, proven.wanted)
    return proven, None


def number_boot(journal, proven, lost):
    """(the number of this boot, `lost` as of `prove`): where none that was never given before can be written
    down, a command could be carried out in two boots of one number."""
    if not lost:
        try:
            return journal.next_boot(proven.boot), None
        except (JournalDamaged, OSError) as error:
            lost = str(error)
    return proven.boot + 1, lost


def test_codec():
    sample = {0: 1, 4: [1, 2, 3], 5: FIRST_PREVIOUS, 15: "sound"}
    if cbor.decode(cbor.encode(sample)) != sample:
        raise StartError("codec: CBOR does not decode to what was encoded: flash the firmware again")


def firmware_digest(folder):
    """SHA-256 over name and content of every file below `folder`, in order of name."""
    digest = hashlib.sha256()
    buffer = memoryview(bytearray(_CHUNK))
    for path in sorted(_files(folder)):
        digest.update(path[len(folder) :].encode())
        with open(path, "rb") as file:
            count = file.readinto(buffer)
            while count:
                digest.update(buffer[:count])
                count = file.readinto(buffer)
    return digest.digest()


def _files(folder):
    found = []
    for name in os.listdir(folder):
        if name == "__pycache__":
            continue  # CPython's, which come and go
        path = folder + "/" + name
        if os.stat(path)[0] & 0x4000:
            found += _files(path)
        else:
            found.append(path)
    return found
