"""The ring in blocks that a real littlefs volume lends, under MicroPython: prints counts and exits 0.

Argument: "provisioning" cuts the power while the ring is made, and makes it again; "use" cuts it while
records are written; "neighbours" fills and empties the volume around the ring, round and round; "unlent"
takes each block in turn back from the ring.
"""

import sys

sys.path[:0] = ["firmware", "."]

import os  # noqa: E402

import vfs  # noqa: E402  # pyright: ignore[reportMissingImports]  (MicroPython)

from host_tools.faults.flash import FEW_TEARS, Numbers, record  # noqa: E402
from host_tools.faults.nor import NorFlash  # noqa: E402
from tumbler.journal import JournalDamaged, open_journal, reserve  # noqa: E402

VOLUME_BLOCKS = 72
RING_BLOCKS = 36
STRIDE = 3
FOLDER = "/flash/journal"
OTHER = bytes(range(256)) * 40
_numbers = Numbers(11)


class PowerCut(Exception):
    """The board has no power any more."""


class Cut:
    """Stops a flash at operation `number`, which becomes as `tear` says."""

    def __init__(self, number, tear):
        self.content = bytearray()
        self._left = number
        self._tear = tear

    def __call__(self, operation):
        self._left -= 1
        if self._left > 0:
            return
        if self._left == 0:
            percent, garbage = self._tear
            if percent == 100:
                operation.apply(self.content)
            else:
                operation.torn(self.content, percent, _numbers if garbage else None)
        raise PowerCut


def powered(content, watch=None):
    """A board's flash with its volume mounted."""
    flash = NorFlash(content=content, watch=watch)
    if watch is not None:
        watch.content = content
    vfs.mount(vfs.VfsLfs2(flash, readsize=256, progsize=256), "/flash")
    return flash


def new_volume():
    flash = NorFlash(VOLUME_BLOCKS)
    vfs.VfsLfs2.mkfs(flash, readsize=256, progsize=256)
    powered(flash.content)
    with open("/flash/other", "wb") as file:
        file.write(OTHER)
    vfs.umount("/flash")
    return flash.content


def entropy(size):
    return bytes([_numbers() & 255 for _ in range(size)])


def check_other():
    with open("/flash/other", "rb") as file:
        if file.read() != OTHER:
            raise AssertionError("a file beside the ring changed")


def mounted(flash):
    journal = open_journal(FOLDER, flash)
    journal.mount()
    journal.acknowledge(journal.acknowledged, journal.last + 1)
    return journal


def provisioning():
    """Cut at every STRIDE-th operation of making a ring."""
    before = new_volume()
    cuts = 0
    number = 1
    while True:
        cut = Cut(number, FEW_TEARS[cuts % len(FEW_TEARS)])
        flash = powered(bytearray(before), cut)
        try:
            reserve.create(FOLDER, flash, RING_BLOCKS, entropy)
            return cuts
        except PowerCut:
            vfs.umount("/flash")
        cuts += 1
        number += STRIDE
        flash = powered(flash.content)
        reserve.create(FOLDER, flash, RING_BLOCKS, entropy)
        journal = mounted(flash)
        journal.append(1, record(1))
        if mounted(flash).read(1) != record(1):
            raise AssertionError("no ring after a second try")
        check_other()
        vfs.umount("/flash")


def made():
    flash = powered(new_volume())
    reserve.create(FOLDER, flash, RING_BLOCKS, entropy)
    vfs.umount("/flash")
    return flash.content


def use():
    """Cut at every operation of two boots with records, in each way."""
    before = made()
    cuts = 0
    number = 1
    while True:
        for tear in FEW_TEARS:
            cut = Cut(number, tear)
            flash = powered(bytearray(before), cut)
            done = [0, 0]
            try:
                play(flash, done)
                play(flash, done)
                return cuts
            except PowerCut:
                vfs.umount("/flash")
            cuts += 1
            check_kept(flash.content, done)
        number += 1


def play(flash, done):
    journal = mounted(flash)
    boot = journal.next_boot()
    if boot <= done[1]:
        raise AssertionError("boot given twice")
    done[1] = boot
    for _ in range(9):
        journal.append(journal.last + 1, record(journal.last + 1))
        done[0] = journal.last
        journal.acknowledge(journal.last, journal.last + 1)


def check_kept(content, done):
    flash = powered(content)
    journal = mounted(flash)
    if not done[0] <= journal.last <= done[0] + 1 or journal.next_boot() <= done[1]:
        raise AssertionError("lost after a cut")
    for sequence in range(1, journal.last + 1):
        if journal.read(sequence) != record(sequence):
            raise AssertionError("a record changed")
    journal.append(journal.last + 1, record(journal.last + 1))
    mounted(flash)
    check_other()
    vfs.umount("/flash")


def neighbours():
    """Rounds of filling the volume, with records all the while; the ring's and the files' contents stay."""
    flash = powered(made())
    journal = mounted(flash)
    for turn in range(40):
        names = [f"/flash/{number}" for number in range(_numbers() % 4 + 1)]
        for number, name in enumerate(names):
            try:
                with open(name, "wb") as file:
                    file.write(bytes([turn, number]) * (_numbers() % 20000))
            except OSError:
                os.remove(name)
                names.remove(name)
                break  # the volume is full
        for _ in range(20):
            journal.append(journal.last + 1, record(journal.last + 1))
            journal.acknowledge(journal.last, journal.last + 1)
        for number, name in enumerate(names):
            with open(name, "rb") as file:
                content = file.read()
            if content != bytes([turn, number]) * (len(content) // 2):
                raise AssertionError("a file changed")
            os.remove(name)
        check_other()
        journal = mounted(flash)
        for sequence in range(journal.first, journal.last + 1):
            if journal.read(sequence) != record(sequence):
                raise AssertionError("a record changed")
    vfs.umount("/flash")
    return journal.last


def unlent():
    """A block that no file holds any more is damage, and hides no record."""
    flash = powered(made())
    journal = mounted(flash)
    for sequence in range(1, 31):
        journal.append(sequence, record(sequence))
    vfs.umount("/flash")
    content = bytes(flash.content)
    for number in range(RING_BLOCKS):
        flash = powered(bytearray(content))
        os.remove(f"{FOLDER}/{number}.blk")
        journal = open_journal(FOLDER, flash)
        try:
            journal.mount()
            raise AssertionError("it mounts as if nothing had happened")
        except JournalDamaged as error:
            if f"block file {number} is gone" not in str(error):
                raise
        for sequence in range(1, 31):
            if journal.read(sequence) != record(sequence):
                raise AssertionError("a record changed")
        try:
            journal.append(31, record(31))
            raise AssertionError("it goes on as if nothing had happened")
        except JournalDamaged:
            pass
        vfs.umount("/flash")
    return RING_BLOCKS


print({"unlent": unlent, "provisioning": provisioning, "use": use, "neighbours": neighbours}[sys.argv[1]]())
