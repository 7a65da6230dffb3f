"""The marks: small sealed files beside the journal's folder, each replaced as a whole by rename.

They lie in a folder of their own: when a folder's metadata are damaged, littlefs goes back to what they were
before the newest change, without a word; a journal that loses its newest records in that way is given away by
marks that do not.
"""

import os
import struct
from binascii import crc32

from tumbler.journal.contract import JournalDamaged

MARKS = "-marks"  # what the name of the marks' folder adds to the journal's
ACKNOWLEDGED = "acknowledged"
BOOT = "boot"
BEGUN = "begun"  # the first record was written: a ring without any has lost it
NEWEST = "newest"  # sequence of a journal in files: without that record it has lost it

_TEMPORARY = "temporary"
_CRC_SIZE = 4


class Marks:
    """The marks of the journal in `directory`. Every method raises JournalDamaged where a mark is lost."""

    def __init__(self, directory):
        self._folder = directory + MARKS

    def read(self, name):
        """The bytes of mark `name`; None when there is none."""
        if name not in names_in(self._folder):
            return None
        with open(self._folder + "/" + name, "rb") as file:
            content = file.read()
        if not is_sealed(content):
            raise JournalDamaged(1, "mark " + name + " is unreadable")
        return content[:-_CRC_SIZE]

    def write(self, name, content):
        """Replace mark `name`: whenever the power fails, the old one is there or the new one."""
        replace(self._folder + "/", name, sealed(content))

    def number(self, name):
        """The number in mark `name`; 0 when there is none."""
        content = self.read(name)
        if content is None:
            return 0
        if len(content) != 8:
            raise JournalDamaged(1, "mark " + name + " is no number")
        return struct.unpack(">Q", content)[0]

    def write_number(self, name, number):
        """Replace mark `name` by a number."""
        self.write(name, struct.pack(">Q", number))

    def check_begun(self, last):
        """Mark that there are records; JournalDamaged when there were some, and the newest is `last` = 0."""
        begun = self.number(BEGUN)
        if last and not begun:
            self.write_number(BEGUN, 1)
        if begun and not last:
            raise JournalDamaged(1, "it had records, and has none")

    def next_boot(self, at_least):
        """The number of this boot, never given before; `at_least` is the highest one seen in a record."""
        boot = max(self.number(BOOT), at_least) + 1
        self.write_number(BOOT, boot)
        return boot


def make_folders(directory):
    """Make the folders of an empty journal: once in a device's life, when it is provisioned."""
    for folder in (directory + MARKS, directory):
        try:
            os.mkdir(folder)
        except OSError:
            if os.listdir(folder):  # an empty one is from a try that was cut off
                raise


def names_in(folder):
    """The files of a folder, without what an interrupted replacement has left."""
    try:
        names = os.listdir(folder)
    except OSError:
        names = None
    if names is None:
        raise JournalDamaged(1, "there is no folder " + folder + ": provision the board")
    if _TEMPORARY in names:
        os.remove(folder + "/" + _TEMPORARY)
        names.remove(_TEMPORARY)
    return names


def replace(prefix, name, content):
    """Put `content` in the place of file `prefix` + `name`, in one step."""
    with open(prefix + _TEMPORARY, "wb") as file:
        file.write(content)
        make_durable(file)
    os.rename(prefix + _TEMPORARY, prefix + name)


def make_durable(file):
    """Have the flash keep what was written."""
    file.flush()
    if hasattr(os, "fsync"):  # not on MicroPython, where littlefs makes a flush durable
        os.fsync(file.fileno())


def sealed(content):
    """`content` and its CRC-32."""
    return content + struct.pack(">I", crc32(content))


def is_sealed(content):
    """Whether the CRC-32 at the end is that of what is before it."""
    return sealed(content[:-_CRC_SIZE]) == content
