"""The volume's main.py: boots the whole firmware of two slots that `firmware` names, or else the other one.

A slot is a folder with a firmware's files and SHA256SUMS, which a flash takes away first and writes last;
then it changes `firmware`. So whenever the power fails, the old firmware boots or the new one, never half
of one. This file stays plain source, and a flash leaves it alone: no update makes it unreadable.
"""

import gc
import hashlib
import os
import sys
import time
from binascii import hexlify

SLOTS = ("slot-a", "slot-b")
POINTER = "firmware"
SUMS = "SHA256SUMS"
HOLD = "hold"  # the host makes it before it resets the board to have it for itself
_CHUNK = 1024
_HOLD_S = 20  # a port takes some seconds to be back after a reset
_TIDY = 8192  # bytes after which what is no longer used is collected


def order():
    """The slots, the one to boot first."""
    try:
        with open(POINTER) as file:
            first = file.read().strip()
    except OSError:
        first = SLOTS[0]
    return (SLOTS[1], SLOTS[0]) if first == SLOTS[1] else SLOTS


def fault(slot):
    """None when exactly the files that the slot's SHA256SUMS names are there, each as it says; or a text."""
    try:
        with open(slot + "/" + SUMS) as file:
            lines = file.read().split("\n")
    except OSError:
        return "holds no whole firmware"
    named = {line[66:]: line[:64] for line in lines if line}
    for name in files(slot):
        if name != SUMS and named.pop(name, "") != digest(slot + "/" + name):
            return name + " is not of this firmware"
    for name in named:
        return name + " is missing"
    return None


def files(folder, prefix=""):
    """The names of all files below a folder."""
    found = []
    for name in os.listdir(folder + "/" + prefix):
        if os.stat(folder + "/" + prefix + name)[0] & 0x4000:
            found += files(folder, prefix + name + "/")
        else:
            found.append(prefix + name)
    return found


def digest(path):
    """SHA-256 of a file as hex."""
    hashed = hashlib.sha256()
    buffer = memoryview(bytearray(_CHUNK))
    with open(path, "rb") as file:
        count = file.readinto(buffer)
        while count:
            hashed.update(buffer[:count])
            count = file.readinto(buffer)
    return hexlify(hashed.digest()).decode()


def choose():
    """The slot to boot, or None; prints what is wrong with the others.

    What it leaves in memory lies at one end: frame buffers need the rest in one piece.
    """
    _collect_every(_TIDY)
    for slot in order():
        wrong = fault(slot)
        if wrong is None:
            return slot
        print(slot + ": " + wrong)
    return None


def enter(slot):
    """Make the slot the place where modules and board.json are found."""
    folder = os.getcwd().rstrip("/") + "/" + slot
    sys.path.insert(0, folder)
    os.chdir(folder)


def boot():
    """Start the firmware: at once or, held, unless the host comes. Without one the REPL comes."""
    if HOLD in os.listdir():
        os.remove(HOLD)
        print("held for the host")
        time.sleep(_HOLD_S)  # it interrupts this; when the power failed before it could, the firmware starts
    slot = choose()
    if slot is None:
        print("no firmware to boot: flash it with `tumbler flash`")
        return
    enter(slot)
    from tumbler.start import main

    _collect_every(-1)
    main()


def _collect_every(count):
    """Collect after so many bytes, -1: when memory is used up; a port may lack it."""
    if hasattr(gc, "threshold"):
        gc.threshold(count)


if __name__ == "__main__":
    boot()
