"""Cuts the power at every operation of a journal's flash, under MicroPython: prints one line and exits 0.

A RAM flash under littlefs stops working at its nth erase or program, which it leaves undone, half done, done,
or done to half of its bytes' bits; then the volume is mounted again and everything that had been promised is
checked. During each of these recoveries the power is cut again at its first operations.
Argument: one of TEARS.
"""

import sys

sys.path[:] = ["firmware"]

import vfs  # noqa: E402  # pyright: ignore[reportMissingImports]  (MicroPython)

from tumbler.journal import Journal, create  # noqa: E402

BLOCK = 4096
BLOCKS = 24
SMALL = {"capacity": 40, "segment": 4, "kept": 8}
SECOND_CUTS = 3
TEARS = ("nothing", "half", "all", "bits")


class PowerCut(Exception):
    """The board has no power any more."""


class Flash:
    """NOR flash in RAM that stops at operation `cut`, which becomes as `tear` says; None: never."""

    def __init__(self, content=None, cut=None, tear="all"):
        self.content = content or bytearray(b"\xff" * (BLOCK * BLOCKS))
        self.operations = 0
        self._cut = cut
        self._tear = tear

    def readblocks(self, block, buffer, offset=0):
        start = block * BLOCK + offset
        buffer[:] = self.content[start : start + len(buffer)]

    def writeblocks(self, block, buffer, offset=0):
        start = block * BLOCK + offset
        old = self.content[start : start + len(buffer)]
        self._change(start, bytes([old[i] & buffer[i] for i in range(len(buffer))]))

    def ioctl(self, operation, argument):
        if operation == 4:
            return BLOCKS
        if operation == 5:
            return BLOCK
        if operation == 6:
            self._change(argument * BLOCK, b"\xff" * BLOCK)
        return 0

    def _change(self, start, new):
        """Put `new` at `start`, or the torn part of it when the power goes now."""
        self.operations += 1
        if self._cut is not None and self.operations > self._cut:
            raise PowerCut
        cut_now = self.operations == self._cut
        if cut_now and self._tear != "all":
            old = self.content[start : start + len(new)]
            half = len(new) // 2
            if self._tear == "nothing":
                new = old
            elif self._tear == "half":
                new = new[:half] + old[half:]
            else:
                new = bytes(
                    [new[i] if i % 3 else new[i] ^ ((new[i] ^ old[i]) & 0x55) for i in range(len(new))]
                )
        self.content[start : start + len(new)] = new
        if cut_now:
            raise PowerCut


def mount(flash):
    """Mount the flash's volume at /flash."""
    vfs.mount(vfs.VfsLfs2(flash, readsize=256, progsize=256), "/flash")


def record(sequence):
    """As long as real records are; every third fills more than a flash page."""
    return b"record %d " % sequence + bytes([sequence & 255]) * (400 if sequence % 3 == 0 else 90)


class Promises:
    """What the journal has promised so far."""

    def __init__(self):
        self.appended = 0
        self.appending = 0
        self.acknowledged = 0
        self.acknowledging = 0
        self.boots = []


def play(promises, appends):
    """A boot of a device: append, acknowledge now and then, as the controller would."""
    journal = Journal("/flash/journal", **SMALL)
    journal.mount()
    promises.boots.append(journal.next_boot())
    for _ in range(appends):
        sequence = journal.last + 1
        promises.appending = sequence
        journal.append(sequence, record(sequence))
        promises.appended = sequence
        if sequence % 5 == 0:
            promises.acknowledging = sequence - 2
            journal.acknowledge(sequence - 2, sequence - 1)
            promises.acknowledged = sequence - 2


def check(flash, promises):
    """Mount as after a power cut and check every promise; the journal then works on."""
    mount(flash)
    journal = Journal("/flash/journal", **SMALL)
    journal.mount()
    # One record may be there whose append never returned; none that returned may be missing.
    if not promises.appended <= journal.last <= promises.appending:
        raise AssertionError(f"last is {journal.last}, {promises.appended} was appended")
    if not promises.acknowledged <= journal.acknowledged <= promises.acknowledging:
        raise AssertionError(f"acknowledged is {journal.acknowledged}")
    if journal.last and journal.first > max(1, journal.acknowledged + 1, journal.last - 7):
        raise AssertionError(f"first is {journal.first}, too new")
    for sequence in range(journal.first or 1, journal.last + 1):
        if journal.read(sequence) != record(sequence):
            raise AssertionError(f"record {sequence} changed")
    boot = journal.next_boot()
    if promises.boots and boot <= promises.boots[-1]:
        raise AssertionError(f"boot {boot} was given before")
    sequence = journal.last + 1
    journal.append(sequence, record(sequence))
    journal.mount()
    if journal.last != sequence or journal.read(sequence) != record(sequence):
        raise AssertionError("no append after the cut")
    vfs.umount("/flash")


def prepared(appends):
    """A formatted flash with a journal of `appends` records, and what it promised."""
    flash = Flash()
    vfs.VfsLfs2.mkfs(flash, readsize=256, progsize=256)
    mount(flash)
    create("/flash/journal")
    promises = Promises()
    if appends:
        play(promises, appends)
    vfs.umount("/flash")
    return flash.content, promises


def copied(promises):
    other = Promises()
    for name in ("appended", "appending", "acknowledged", "acknowledging"):
        setattr(other, name, getattr(promises, name))
    other.boots = list(promises.boots)
    return other


def interrupted(content, promises, cut, tear, appends):
    """Play with a power cut; (was it reached, the flash afterwards). `promises` is kept up to date."""
    flash = Flash(content, cut, tear)
    mount(flash)
    reached = False
    try:
        play(promises, appends)
    except PowerCut:
        reached = True
    vfs.umount("/flash")
    return reached, flash.content


def cut_everywhere(before, appends, tear):
    """Every operation of a boot with `appends` records after `before` ones; the number of cuts."""
    prepared_content, promised = prepared(before)
    cuts = 0
    while True:
        promises = copied(promised)
        reached, content = interrupted(bytearray(prepared_content), promises, cuts + 1, tear, appends)
        if not reached:
            return cuts
        cuts += 1
        for second in range(1, SECOND_CUTS + 1):
            later = copied(promises)
            _, twice = interrupted(bytearray(content), later, second, tear, 1)
            check(Flash(twice), later)
        check(Flash(content), promises)


if __name__ == "__main__":
    torn = sys.argv[1]
    cuts = cut_everywhere(0, 6, torn) + cut_everywhere(17, 9, torn)
    print(f"{cuts} cuts, every promise kept")
