"""Run by MicroPython: power cuts at every block operation of a flash, with the loader and agent themselves.

Arguments: the first operation to cut at, and the step to the next one. Prints how many cuts were made, and
how many of them left the old and the new firmware.
"""

import hashlib
import os
import sys
from binascii import b2a_base64, hexlify

sys.path[:] = ["firmware/loader", "host_tools/bringup/device"]

import agent  # noqa: E402  # pyright: ignore[reportMissingImports]
import vfs  # noqa: E402  # pyright: ignore[reportMissingImports]  (MicroPython)

loader = __import__("main")
BLOCK, BLOCKS, PAGE = 4096, 40, 256
DEAD = OSError(5)  # made before: files of a dead board are closed while the heap is locked
FILES = {
    "older": {"tumbler/start.py": b"older" * 900, "tumbler/gone.py": b"older", "tumbler/old/x.py": b"x"},
    "old": {"tumbler/start.py": b"old" * 2000, "tumbler/same.py": b"same" * 700, "tumbler/gone.py": b"gone"},
    "new": {
        "tumbler/start.py": b"new" * 1900,
        "tumbler/same.py": b"same" * 700,
        "tumbler/more/part.py": b"part",
    },
}


class Flash:
    """NOR flash in memory; the operation number `cut_at` is carried out by half, and power is gone."""

    def __init__(self, content, cut_at=None):
        self.content = content
        self.operations = 0
        self.cut_at = cut_at

    def readblocks(self, block, buffer, offset=0):
        self._live()
        at = block * BLOCK + offset
        buffer[:] = memoryview(self.content)[at : at + len(buffer)]

    def writeblocks(self, block, buffer, offset=0):
        size = self._count(len(buffer))
        at = block * BLOCK + offset
        self.content[at : at + size] = memoryview(buffer)[:size]
        self._cut()

    def ioctl(self, operation, argument):
        if operation == 4:
            return BLOCKS
        if operation == 5:
            return BLOCK
        if operation == 6:
            size = self._count(BLOCK)
            at = argument * BLOCK
            self.content[at : at + size] = b"\xff" * size
            self._cut()
        return 0

    def _live(self):
        if self.cut_at is not None and self.operations > self.cut_at:
            raise DEAD

    def _count(self, size):
        self._live()
        return size // 2 if self.operations == self.cut_at else size

    def _cut(self):
        self.operations += 1
        self._live()


def mount(flash):
    vfs.mount(vfs.VfsLfs2(flash, readsize=PAGE, progsize=PAGE), "/flash")
    os.chdir("/flash")


def unmount():
    os.chdir("/")
    vfs.umount("/flash")


def sums(files):
    lines = [hexlify(hashlib.sha256(files[name]).digest()).decode() + "  " + name for name in sorted(files)]
    return "".join([line + "\n" for line in lines])


def flash_firmware(files):
    """The steps of host_tools.bringup.flash, without the line."""
    slots, wrong = agent.state()
    booted = slots[0] if wrong[0] is None else slots[1] if wrong[1] is None else None
    slot = slots[1] if booted == slots[0] else slots[0]
    agent.examine(slot)
    there = dict(agent._found)
    agent.examine(booted) if booted else None
    twins = {digest: name for name, digest in agent._found} if booted else {}
    agent.invalidate(slot)
    wanted = {name: hexlify(hashlib.sha256(files[name]).digest()).decode() for name in files}
    for name, digest in there.items():
        if name != "SHA256SUMS" and digest != wanted.get(name):
            agent.remove(slot + "/" + name)
    for name in files:
        path = slot + "/" + name
        if there.get(name) == wanted[name]:
            continue
        if wanted[name] in twins:
            agent.copy(str(booted) + "/" + twins[wanted[name]], path)
        else:
            agent.begin(path)
            for at in range(0, len(files[name]), 1536):
                agent.put(b2a_base64(files[name][at : at + 1536]).decode())
            agent.end(path)
    if agent.validate(slot, sums(files)) is not None:
        raise ValueError("not valid")
    agent.point(slot)


def what_boots():
    """Which firmware boots, whole."""
    slot = loader.choose()
    with open(slot + "/tumbler/start.py", "rb") as file:
        start = file.read()
    for name, files in FILES.items():
        if start == files["tumbler/start.py"]:
            if set(loader.files(slot)) != set(files) | {"SHA256SUMS"}:
                raise ValueError(slot + " is a mixture")
            return name
    raise ValueError(slot + " is half of something")


flash = Flash(bytearray(b"\xff" * (BLOCK * BLOCKS)))
vfs.VfsLfs2.mkfs(flash, readsize=PAGE, progsize=PAGE)
mount(flash)
flash_firmware(FILES["older"])  # so that both slots are in use
flash_firmware(FILES["old"])
if what_boots() != "old":
    raise ValueError("the second flash does not boot")
before = bytes(flash.content)
unmount()
left = {"old": 0, "new": 0}
cut_at = int(sys.argv[1])
done = False
while not done:
    flash = Flash(bytearray(before), cut_at)
    mount(flash)
    try:
        flash_firmware(FILES["new"])
        done = flash.operations <= cut_at
    except OSError:
        pass
    if not done:
        unmount()
        agent._open[:] = []
        flash = Flash(flash.content)
        mount(flash)
        left[what_boots()] += 1
        flash_firmware(FILES["new"])  # the same again, after which it is the new one
        if what_boots() != "new":
            raise ValueError("a repeated flash leaves another firmware")
    unmount()
    cut_at += int(sys.argv[2])
print(left["old"] + left["new"], left["old"], left["new"])
