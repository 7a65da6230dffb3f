"""Flash operations of the journal on littlefs, and of one file that grows: prints a line of JSON."""

import json
import os
import sys
import time

sys.path[:] = ["firmware"]

import vfs  # noqa: E402

from tumbler.journal import Journal, create  # noqa: E402

BLOCK = 4096
RECORDS = 400
RECORD = bytes(range(256)) + bytes(94)  # 350 bytes, as a reading has


class Counted:
    """RAM flash that counts what is done to it."""

    def __init__(self, blocks):
        self.content = bytearray(b"\xff" * (BLOCK * blocks))
        self.erases = self.programmed = 0

    def readblocks(self, block, buffer, offset=0):
        start = block * BLOCK + offset
        buffer[:] = self.content[start : start + len(buffer)]

    def writeblocks(self, block, buffer, offset=0):
        start = block * BLOCK + offset
        self.content[start : start + len(buffer)] = buffer
        self.programmed += len(buffer)

    def ioctl(self, operation, argument):
        if operation == 4:
            return len(self.content) // BLOCK
        if operation == 5:
            return BLOCK
        if operation == 6:
            self.erases += 1
        return 0


def journal():
    """Appends, each durable, acknowledged ten at a time."""
    create("/flash/journal")
    kept = Journal("/flash/journal")
    kept.mount()
    for sequence in range(1, RECORDS + 1):
        kept.append(sequence, RECORD)
        if sequence % 10 == 0:
            kept.acknowledge(sequence, sequence + 1)


def one_file():
    """Appends to one file, each durable, nothing ever dropped."""
    for _ in range(RECORDS):
        with open("/flash/log", "ab") as file:
            file.write(RECORD)


def measured(work):
    flash = Counted(128)
    vfs.VfsLfs2.mkfs(flash, readsize=256, progsize=256)
    vfs.mount(vfs.VfsLfs2(flash, readsize=256, progsize=256), "/flash")
    flash.erases = flash.programmed = 0
    start = time.ticks_us()
    work()
    spent = time.ticks_diff(time.ticks_us(), start)
    vfs.umount("/flash")
    return {
        "erases": flash.erases / RECORDS,
        "programmed": flash.programmed / RECORDS,
        "us": spent / RECORDS,
    }


def mounting():
    """Microseconds to mount the journal that `journal` leaves, and how many files it has."""
    flash = Counted(128)
    vfs.VfsLfs2.mkfs(flash, readsize=256, progsize=256)
    vfs.mount(vfs.VfsLfs2(flash, readsize=256, progsize=256), "/flash")
    journal()
    start = time.ticks_us()
    Journal("/flash/journal").mount()
    spent = time.ticks_diff(time.ticks_us(), start)
    files = len(os.listdir("/flash/journal"))
    vfs.umount("/flash")
    return {"us": spent, "files": files}


print(json.dumps({"journal": measured(journal), "file": measured(one_file), "mount": mounting()}))
