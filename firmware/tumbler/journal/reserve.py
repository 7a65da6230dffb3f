"""Blocks for the ring out of the volume's own flash: each is the only block of a file of the volume.

The MicroPython of common boards gives its littlefs all the flash that programs can reach, and formats it anew
when the volume is smaller than that, so there is no room beside the volume. But littlefs neither moves nor
reads what is in a file that nobody opens, knows its block to be taken, and puts nothing of its own into a
file's first block (SPEC.md of littlefs, CTZ skip-list: block 0 holds no pointers). So files of exactly one
block lend their blocks: `create` finds out which they are by what it has written, and the mark "ring" keeps
that.

Whoever removes the files or copies them back breaks the ring, as whoever removes a journal; it is noticed.
"""

import os
import struct

from tumbler.journal import pages
from tumbler.journal.contract import JournalDamaged
from tumbler.journal.marks import MARKS, Marks
from tumbler.journal.ring import Ring

LAYOUT = "ring"  # the mark: the ring's id and its blocks
_SUFFIX = ".blk"
_COUNT = 4
_SIZE = 5
_ERASE = 6
_ID = 8
_TAG = ">8sH"
_TAG_SIZE = 10


class NoBlocks(Exception):
    """The volume cannot lend blocks: provision the board for a journal in files instead."""


def create(directory, flash, count, entropy):
    """Make the empty ring of `count` blocks in `directory`: once in a device's life.

    flash: the block device that the volume is on; entropy(n) -> bytes. Raises NoBlocks, and OSError when the
    volume is too full. Before the layout is marked there is no ring, so that one cut off may be made anew.
    """
    if flash is None or flash.ioctl(_SIZE, 0) != pages.BLOCK:
        raise NoBlocks("the flash under the volume has no blocks of 4 KiB that can be reached")
    _clear(directory)
    id = entropy(_ID)
    for number in range(count):
        with open(_path(directory, number), "wb") as file:
            file.write(_filling(id, number))
    blocks = _find(flash, id, count)
    for number in range(count):
        flash.ioctl(_ERASE, blocks[number])
        flash.writeblocks(blocks[number], pages.pack_header(id, number, count, 0, 0), 0)
    Marks(directory).write(LAYOUT, id + struct.pack(">%dH" % count, *blocks))


def _clear(directory):
    """Empty folders, whatever an attempt that was cut off has left."""
    for folder in (directory + MARKS, directory):
        try:
            os.mkdir(folder)
        except OSError:
            for name in os.listdir(folder):
                os.remove(folder + "/" + name)


def _filling(id, number):
    return struct.pack(_TAG, id, number) + bytes(pages.BLOCK - _TAG_SIZE)


def _find(flash, id, count):
    """The device's blocks that hold the files' fillings, in order."""
    blocks = [None] * count
    whole = bytearray(pages.BLOCK)
    tag = memoryview(whole)[:_TAG_SIZE]
    for block in range(flash.ioctl(_COUNT, 0)):
        flash.readblocks(block, tag, 0)
        found, number = struct.unpack(_TAG, tag)
        if found == id and number < count:
            flash.readblocks(block, whole, 0)
            if blocks[number] is not None or whole != _filling(id, number):
                raise NoBlocks("file %d of the ring is not one block of the flash" % number)
            blocks[number] = block
    if None in blocks:
        raise NoBlocks("the volume keeps its files elsewhere than in this flash")
    return blocks


def exists(directory):
    """Whether the device's journal is a ring. Raises JournalDamaged where nothing tells."""
    layout = Marks(directory).read(LAYOUT)
    if layout is None and any(name.endswith(_SUFFIX) for name in os.listdir(directory)):
        raise JournalDamaged(1, "the ring's blocks are there, where they lie is not known")
    return layout is not None


def is_block_file(name):
    """Whether a file of the journal's folder is there for its block alone."""
    return name.endswith(_SUFFIX)


def holds_records(directory, flash):
    """Whether the ring in `directory` has records, or cannot be read."""
    try:
        ring = open_ring(directory, flash)
        ring.mount()
        return ring.last > 0
    except JournalDamaged:
        return True


def open_ring(directory, flash):
    """The Ring in `directory`, not yet mounted. Raises JournalDamaged when its flash cannot be reached.

    When a block is not lent any more, mounting raises it: what the volume has not yet put there can be read.
    """
    layout = Marks(directory).read(LAYOUT) or b""
    count = (len(layout) - _ID) // 2
    blocks = struct.unpack(">%dH" % count, layout[_ID:])
    if flash is None or max(blocks) >= flash.ioctl(_COUNT, 0):
        raise JournalDamaged(1, "its flash cannot be reached")
    return Ring(flash, blocks, layout[:_ID], Marks(directory), wrong=_not_lent(directory, count))


def _not_lent(directory, count):
    """JournalDamaged that names a block of the ring that no file holds any more; None: all are held."""
    sizes = _sizes(directory)
    for number in range(count):
        if sizes.get(str(number) + _SUFFIX) != pages.BLOCK:
            return JournalDamaged(1, "block file %d is gone" % number)
    return None


def _path(directory, number):
    return directory + "/" + str(number) + _SUFFIX


def _sizes(directory):
    """Name -> size of the folder's files."""
    if hasattr(os, "ilistdir"):  # on MicroPython, in one pass
        return {entry[0]: entry[-1] for entry in os.ilistdir(directory)}
    return {name: os.stat(directory + "/" + name)[6] for name in os.listdir(directory)}
