"""Flash operations of the journals on littlefs, and of one file that grows: prints a line of JSON."""

import json
import os
import sys
import time

sys.path[:] = ["firmware", "."]

import vfs  # noqa: E402

from host_tools.faults.nor import NorFlash  # noqa: E402
from tumbler.journal import Journal, JournalFull, create, open_journal, reserve  # noqa: E402

RECORDS = 700
SIZES = (
    181,
    209,
    183,
    179,
    183,
    183,
    300,
)  # of a covered round: opened, tumble, cover, no more bets, reading
FOLDER = "/flash/journal"
DIGEST = bytes(range(256)) + bytes(94)


def record(sequence):
    return DIGEST[: SIZES[sequence % len(SIZES)]]


def play(journal):
    """Appends, each durable, acknowledged as a host does it: a few at a time."""
    for sequence in range(1, RECORDS + 1):
        journal.append(sequence, record(sequence))
        if sequence % 3 == 0:
            journal.acknowledge(sequence, sequence + 1)


def ring(flash):
    journal = open_journal(FOLDER, flash)
    journal.mount()
    journal.acknowledge(0, 1)
    play(journal)


def files(flash):
    journal = Journal(FOLDER)
    journal.mount()
    play(journal)


def appended(flash):
    """Appends to one file, each flushed, nothing ever dropped."""
    with open("/flash/log", "ab") as file:
        for sequence in range(1, RECORDS + 1):
            file.write(record(sequence))
            file.flush()


def on_volume(flash):
    vfs.mount(vfs.VfsLfs2(flash, readsize=256, progsize=256), "/flash")


def new_volume(prepare):
    flash = NorFlash(192)
    vfs.VfsLfs2.mkfs(flash, readsize=256, progsize=256)
    on_volume(flash)
    prepare(flash)
    return flash


def make_ring(flash):
    reserve.create(FOLDER, flash, 64, os.urandom)


def measured(prepare, work):
    flash = new_volume(prepare)
    erases, programs, programmed = sum(flash.erases), flash.programs, flash.programmed
    start = time.ticks_us()
    work(flash)
    spent = time.ticks_diff(time.ticks_us(), start)
    vfs.umount("/flash")
    erases = sum(flash.erases) - erases
    return {
        "erases": erases / RECORDS,
        "programmed": (flash.programmed - programmed) / RECORDS,
        "operations": (erases + flash.programs - programs) / RECORDS,
        "us": spent / RECORDS,
    }


def fill(journal):
    """Records until there is no room."""
    try:
        while True:
            journal.append(journal.last + 1, record(journal.last + 1))
    except JournalFull:
        pass


def mounting():
    """How long a full ring takes to mount."""
    flash = new_volume(make_ring)
    journal = open_journal(FOLDER, flash)
    journal.mount()
    fill(journal)
    journal = open_journal(FOLDER, flash)
    start = time.ticks_us()
    journal.mount()
    spent = time.ticks_diff(time.ticks_us(), start)
    vfs.umount("/flash")
    return {"us": spent, "records": journal.last - journal.first + 1}


told = {
    "ring": measured(make_ring, ring),
    "files": measured(lambda flash: create(FOLDER), files),
    "appended": measured(lambda flash: None, appended),
    "mount": mounting(),
}
print(json.dumps(told))
