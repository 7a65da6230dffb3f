"""Flips bits all over a journal's flash, under MicroPython: prints what came of it and exits 0.

A RAM flash under littlefs holds a journal, its newest records not at the host; then, one bit at a time, each
byte that is written is changed and the volume mounted again. The journal must be whole or refuse,
whatever littlefs makes of the damage: one that has lost records would give their numbers out again.
"""

import sys

sys.path[:0] = ["firmware", "tests/firmware"]

import vfs  # noqa: E402  # pyright: ignore[reportMissingImports]  (MicroPython)
from journal_power_cuts import Flash, mount, record  # noqa: E402

from tumbler.journal import Journal, JournalDamaged, create  # noqa: E402

RECORDS = 21
BOOTS = 3
OPTIONS = {"capacity": 60, "segment": 4, "kept": 8}


def played():
    """The flash after some boots and rounds."""
    flash = Flash()
    vfs.VfsLfs2.mkfs(flash, readsize=256, progsize=256)
    mount(flash)
    create("/flash/journal")
    for _ in range(BOOTS):
        journal = Journal("/flash/journal", **OPTIONS)
        journal.mount()
        journal.next_boot()
        for _ in range(RECORDS // BOOTS):
            sequence = journal.last + 1
            journal.append(sequence, record(sequence))
            journal.acknowledge(max(0, sequence - 4), sequence + 1)
    vfs.umount("/flash")
    return flash.content


def outcome(content):
    """whole: everything is there; damaged: the journal says so; unreadable: littlefs does."""
    try:
        mount(Flash(content))
    except OSError:
        return "unreadable"
    try:
        journal = Journal("/flash/journal", **OPTIONS)
        journal.mount()
        if journal.last != RECORDS:
            raise AssertionError(f"mounts with {journal.last} records of {RECORDS}")
        for sequence in range(journal.first, journal.last + 1):
            if journal.read(sequence) != record(sequence):
                raise AssertionError(f"record {sequence} changed")
        return "whole"
    except JournalDamaged:
        return "damaged"
    except OSError:
        return "unreadable"
    finally:
        vfs.umount("/flash")


def main():
    content = played()
    written = [place for place in range(len(content)) if content[place] != 0xFF]
    came = {"whole": 0, "damaged": 0, "unreadable": 0}
    for place in written:
        content[place] ^= 1 << place % 8
        came[outcome(bytearray(content))] += 1
        content[place] ^= 1 << place % 8
    print("whole", came["whole"], "damaged", came["damaged"], "unreadable", came["unreadable"])


main()
