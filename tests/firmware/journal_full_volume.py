"""Fills the volume under a journal, under MicroPython: prints "kept" and exits 0 when nothing is lost."""

import sys

sys.path[:0] = ["firmware", "tests/firmware"]

import os  # noqa: E402

import vfs  # noqa: E402  # pyright: ignore[reportMissingImports]  (MicroPython)
from journal_power_cuts import Flash, mount, record  # noqa: E402

from tumbler.journal import Journal, JournalFull, create  # noqa: E402


def fill():
    """Write a file until the volume is full; keeps what fits."""
    with open("/flash/rubbish", "wb") as file:
        try:
            while True:
                file.write(bytes(512))
                file.flush()
        except OSError:
            pass


def main():
    flash = Flash()
    vfs.VfsLfs2.mkfs(flash, readsize=256, progsize=256)
    mount(flash)
    create("/flash/journal")
    options = {"capacity": 60, "segment": 4, "kept": 8}
    journal = Journal("/flash/journal", **options)
    journal.mount()
    for sequence in range(1, 11):
        journal.append(sequence, record(sequence))
    fill()
    refused = False
    while not refused:
        try:
            journal.append(journal.last + 1, record(journal.last + 1))
        except JournalFull:
            refused = True
    last = journal.last
    again = Journal("/flash/journal", **options)
    again.mount()
    for known in (journal, again):
        if known.last != last or known.read(last) != record(last):
            raise AssertionError(f"last is {known.last}, not {last}")
    # The host takes records: old segments go, and there is room.
    journal.acknowledge(last, last + 1)
    journal.append(last + 1, record(last + 1))
    os.remove("/flash/rubbish")
    for sequence in range(last + 2, last + 20):
        journal.append(sequence, record(sequence))
    again.mount()
    for sequence in range(again.first, again.last + 1):
        if again.read(sequence) != record(sequence):
            raise AssertionError(f"record {sequence} changed")
    print("kept", last, again.first, again.last)


main()
