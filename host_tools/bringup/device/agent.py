"""What the host has a board do while it flashes: sent over the REPL, beside the volume's main.py (`loader`).

Each function is one step; a power cut between or within any two leaves a slot that boots.
"""

import gc
import os
from binascii import a2b_base64

loader = __import__("main")  # the volume's

_TEMPORARY = "unfinished"
_PAGE = 12
_open = []
_found = []


def volume():
    """(bytes a block, free blocks, bytes that the journal holds)."""
    told = os.statvfs(os.getcwd())
    try:
        journal = sum(os.stat("journal/" + name)[6] for name in os.listdir("journal"))
    except OSError:
        journal = 0
    return told[0], told[4], journal


def state():
    """(slots in order of booting, what is wrong with each)."""
    slots = loader.order()
    return slots, [loader.fault(slot) for slot in slots]


def examine(slot):
    """Take the slot's files for `examined`; how many there are."""
    _found[:] = []
    if _is_there(slot):
        for name in loader.files(slot):
            _found.append((name, loader.digest(slot + "/" + name)))
    gc.collect()
    return len(_found)


def examined(start):
    """[(name, SHA-256)] from file number `start` on: a few, since a port drops what it cannot hold."""
    return _found[start : start + _PAGE]


def invalidate(slot):
    """From now on the slot does not boot."""
    _make_folders(slot + "/")
    if _is_there(slot + "/" + loader.SUMS):
        os.remove(slot + "/" + loader.SUMS)


def remove(path):
    """Remove a file, and the folders that it leaves empty."""
    os.remove(path)
    folder = path.rpartition("/")[0]
    while "/" in folder and not os.listdir(folder):
        os.rmdir(folder)
        folder = folder.rpartition("/")[0]


def copy(source, target):
    """Copy a file on the volume; its SHA-256 as it reads back."""
    begin(target)
    with open(source, "rb") as file:
        data = file.read(1024)
        while data:
            _open[0].write(data)
            data = file.read(1024)
    return end(target)


def begin(path):
    """Open a file for `put`."""
    while _open:
        _open.pop().close()
    _make_folders(path)
    _open.append(open(path, "wb"))  # noqa: SIM115


def put(data):
    """Write base64 text."""
    return _open[0].write(a2b_base64(data))


def end(path):
    """Close what `begin` opened; its SHA-256 as it reads back."""
    _open.pop().close()
    gc.collect()
    return loader.digest(path)


def validate(slot, sums):
    """The slot's files are complete: from now on it may boot. None, or what is wrong with it."""
    _replace(slot + "/" + loader.SUMS, sums)
    return loader.fault(slot)


def point(slot):
    """From now on this slot boots first."""
    _replace(loader.POINTER, slot + "\n")


def _replace(path, text):
    with open(_TEMPORARY, "w") as file:
        file.write(text)
    try:
        os.rename(_TEMPORARY, path)
    except OSError:  # FAT renames onto no file; without either of them, a whole slot boots all the same
        os.remove(path)
        os.rename(_TEMPORARY, path)


def _make_folders(path):
    at = path.find("/")
    while at >= 0:
        if not _is_there(path[:at]):
            os.mkdir(path[:at])
        at = path.find("/", at + 1)


def _is_there(path):
    try:
        os.stat(path)
    except OSError:
        return False
    return True
