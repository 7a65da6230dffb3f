"""Power-on: banner, self-test, then a controller over everything the journal proves.

Nothing but the banner goes out on the UART before the self-test has passed (9 NYCRR 5319.54(d)(1)).
"""

import gc
import hashlib
import os
import sys

from tumbler import __version__, config
from tumbler.controller import Controller, Identity
from tumbler.definitions import FIRST_PREVIOUS
from tumbler.journal import Journal
from tumbler.link import DeviceSession
from tumbler.reader import Reader, load_profile
from tumbler.records import cbor
from tumbler.records.chain import Chain
from tumbler.replay import replay
from tumbler.scene import Scene
from tumbler.signing import Ed25519Signer, KeyStore, self_test

BANNER = "Sic Bo tumbler %s\r\n"
_LEAST_FREE = 60_000  # bytes of heap that rounds need once everything is set up
_CHUNK = 1024


class StartError(Exception):
    """The self-test failed; the message says which part and what to do."""


def main():
    """Boot the board that the volume's board.json names, and run it until power is cut."""
    board, settings = _board()
    board.send((BANNER % __version__).encode())
    controller = assemble(board, settings)
    controller.power_on()
    run(board, controller)


def run(board, controller):
    """Step for ever; after a program error the board restarts in the state its journal proves."""
    while True:
        try:
            controller.step()
        except Exception as error:
            _give_up(board, controller, error)
        board.idle()


def _give_up(board, controller, error):
    sys.print_exception(error)  # pyright: ignore[reportAttributeAccessIssue]
    try:
        controller.fail(error)
    finally:
        board.restart()


def _board():
    path = "board.json"
    settings = config.load(path)
    module = "tumbler.hal." + settings.board
    __import__(module)
    return sys.modules[module].Board(settings.hal), settings


def assemble(board, settings):
    """Self-test every part and put them together; StartError, or the part's own error, tells what failed."""
    folder = _folder()
    profile = load_profile(folder + "/profiles/" + settings.profile)
    gc.collect()  # the largest buffers come first, while the heap is in one piece
    scene = Scene(board, Reader(profile))
    self_test()
    _test_codec()
    firmware = firmware_digest(folder)
    identity = Identity(firmware, hashlib.sha256(settings.raw + profile.digest).digest())
    keys = KeyStore(board.storage + "/keys").load()
    journal = Journal(board.storage + "/journal")
    journal.mount()
    proven = replay(journal)
    boot = journal.next_boot(proven.boot)
    signer = Ed25519Signer(keys.seed)
    chain = Chain(keys.device_id, boot, proven.sequence, proven.digest, signer, board.entropy)
    link = DeviceSession(
        journal,
        keys.host_key,
        {"device": keys.device_id, "boot": boot, "firmware": firmware},
        int.from_bytes(board.entropy(4), "big") | 1,
        board.send,
    )
    gc.collect()
    if hasattr(gc, "mem_free") and gc.mem_free() < _LEAST_FREE:
        raise StartError("memory: %d bytes are free, %d are needed" % (gc.mem_free(), _LEAST_FREE))
    return Controller(board, settings.limits, identity, scene, journal, chain, link, proven)


def _test_codec():
    sample = {0: 1, 4: [1, 2, 3], 5: FIRST_PREVIOUS, 15: "sound"}
    if cbor.decode(cbor.encode(sample)) != sample:
        raise StartError("codec: CBOR does not decode to what was encoded: flash the firmware again")


def _folder():
    """The folder that holds the package `tumbler` and its data."""
    return __file__.rsplit("/", 2)[0] if "/" in __file__ else "."


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
        path = folder + "/" + name
        if os.stat(path)[0] & 0x4000:
            found += _files(path)
        else:
            found.append(path)
    return found
