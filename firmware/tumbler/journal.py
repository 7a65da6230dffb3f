"""The journal: every record in order on the board's flash, safe against a power cut at any moment.

A folder of segment files, each named after its first sequence and holding up to `segment` records:
magic (2 bytes), length (2), sequence (8), CRC-32 of these (4), record, CRC-32 of the record (4), all
big-endian. A record exists once `append` has returned; one that a cut leaves half written is dropped when the
journal is mounted, one that it leaves whole counts as written, so that its sequence is never given to another
record. With the header's own checksum only a file that really ends early passes for a cut.
Two small files, the marks, replaced by rename, hold the acknowledged position and the boot counter. They lie
in a folder beside the journal's: when a folder's metadata are damaged, littlefs goes back to what they were
before the newest change, without a word; a journal that loses its newest records in that way is given away by
marks that do not. So the acknowledged position is written each time, not only when segments are dropped.

Works on littlefs and, for tests and desktops, on any folder that can rename over a file.
"""

import os
import struct
from array import array
from binascii import crc32

from tumbler.definitions import MAX_RECORD

KEEP = 128  # newest records that are kept for recall although the host has them
RESERVE = 16  # records that only an append without reserve may use: the end of a running round must fit

MARKS = "-marks"  # what the name of the marks' folder adds to the journal's

_MAGIC = 0x5B1C
_HEADER = ">HHQ"
_HEADER_SIZE = 16
_CRC_SIZE = 4
_SUFFIX = ".rec"
_TEMPORARY = "temporary"
_ACKNOWLEDGED = "acknowledged"
_BOOT = "boot"


class JournalFull(Exception):
    """No room for a record that the host has not taken: connect the host, and play goes on."""


class JournalDamaged(Exception):
    """A record that was durable cannot be read back. `sequence` is the first one concerned."""

    def __init__(self, sequence, detail):
        super().__init__("journal damaged at record " + str(sequence) + ": " + detail)
        self.sequence = sequence


def create(directory):
    """Make the folders of an empty journal: once in a device's life, when it is provisioned."""
    for folder in (directory + MARKS, directory):
        try:
            os.mkdir(folder)
        except OSError:
            if os.listdir(folder):  # an empty one is from a try that was cut off
                raise


class Journal:
    """See the module. `mount` comes first; `capacity`, `segment` and `kept` count records.

    `first` and `last` are the oldest and newest sequence (0: none), `acknowledged` the newest the host has.
    """

    def __init__(self, directory, capacity=512, segment=32, kept=KEEP):
        if capacity < kept + segment + RESERVE:
            raise ValueError("a journal of " + str(capacity) + " records fills although the host has them")
        self._folder = directory
        self._prefix = directory + "/"
        self._marks = directory + MARKS + "/"
        self._capacity = capacity
        self._segment = segment
        self._kept = kept
        self._starts = []  # first sequence of each segment file, ascending
        self._offsets = array("I")  # where the records of segment `_indexed` begin
        self._indexed = 0
        self._unsure = True  # the newest segment may hold a half-written record
        self.first = self.last = self.acknowledged = 0

    # --- reading the flash at power-on

    def mount(self):
        """Scan everything. Raises JournalDamaged when a record that was durable is gone or changed."""
        self.first = self.last = 0
        self._unsure = True
        self._starts = self._list_segments()
        self.acknowledged = self._read_number(_ACKNOWLEDGED)
        for start in list(self._starts):
            self._mount_segment(start)
        if self.acknowledged > self.last:
            raise JournalDamaged(self.last + 1, "the host has records up to " + str(self.acknowledged))
        if self.first > self.acknowledged + 1:
            # Only what the host had was ever dropped.
            raise JournalDamaged(self.acknowledged + 1, "the oldest segment is missing")
        self._unsure = False

    def _list_segments(self):
        names = _names_in(self._folder)
        return sorted([int(name[: -len(_SUFFIX)]) for name in names if name.endswith(_SUFFIX)])

    def _mount_segment(self, start):
        if self.last and start != self.last + 1:
            raise JournalDamaged(self.last + 1, "a segment is missing")
        whole, torn = self._index(start)
        count = len(self._offsets)
        if torn and start != self._starts[-1]:
            raise JournalDamaged(start + count, "it is cut short")
        if torn:
            self._shorten(start, whole)
        if count:
            self.first = self.first or start
            self.last = start + count - 1

    def _shorten(self, start, whole):
        """Take what an append that never returned has left off the newest segment."""
        with open(self._path(start), "rb") as file:
            content = file.read(whole)
        _replace(self._prefix, str(start) + _SUFFIX, content)

    def _index(self, start):
        """Read segment `start` into `_offsets`; returns (bytes of whole records, is more behind them)."""
        self._indexed = 0
        self._offsets = array("I")
        offset = 0
        with open(self._path(start), "rb") as file:
            header = file.read(_HEADER_SIZE)
            while len(header) == _HEADER_SIZE:
                record = _read_body(file, header, start + len(self._offsets))
                if record is None:
                    break
                self._offsets.append(offset)
                offset += _HEADER_SIZE + len(record) + _CRC_SIZE
                header = file.read(_HEADER_SIZE)
        self._indexed = start
        return offset, len(header) > 0

    # --- records

    def read(self, sequence):
        """Record `sequence` as it was appended. Raises KeyError when it is not here, JournalDamaged."""
        if not 0 < self.first <= sequence <= self.last:
            raise KeyError(sequence)
        start = max([start for start in self._starts if start <= sequence])
        if start != self._indexed:
            self._index(start)
        with open(self._path(start), "rb") as file:
            file.seek(self._offsets[sequence - start])
            header = file.read(_HEADER_SIZE)
            record = _read_body(file, header, sequence) if len(header) == _HEADER_SIZE else None
        if record is None:
            raise JournalDamaged(sequence, "it is cut short")
        return record

    def append(self, sequence, record, reserve=True):
        """Add `record` (bytes, at most MAX_RECORD), durable when this returns; `sequence` must be the next.

        With `reserve` the last RESERVE places stay free: records that end a running round pass False.
        Raises JournalFull (nothing was written), ValueError; after an interruption mount again.
        """
        if self._unsure:
            raise JournalDamaged(sequence, "an append did not finish: mount the journal again")
        if sequence != self.last + 1 or not 0 < len(record) <= MAX_RECORD:
            raise ValueError("record " + str(sequence) + " cannot follow " + str(self.last))
        self.require_room(reserve)
        fresh = not self._starts or sequence - self._starts[-1] >= self._segment
        start = sequence if fresh else self._starts[-1]
        header = _sealed(struct.pack(_HEADER, _MAGIC, len(record), sequence))
        self._unsure = True
        try:
            offset = self._write(start, header + _sealed(record))
        except OSError as error:
            self.mount()
            if self.last == sequence:
                return  # it is there, whatever failed after that
            raise JournalFull("the flash volume takes no more: " + str(error))  # noqa: B904  (not chained there)
        self._unsure = False
        if fresh:
            self._starts.append(sequence)
        if start == self._indexed:
            self._offsets.append(offset)
        self.first = self.first or sequence
        self.last = sequence

    def require_room(self, reserve=True):
        """Raises JournalFull when `append` would, as far as can be known before the flash is asked."""
        if self._count() >= self._capacity - (RESERVE if reserve else 0):
            raise JournalFull("the host has records up to " + str(self.acknowledged) + " only")

    def _write(self, start, entry):
        """Append `entry` to segment `start`; returns where it begins."""
        with open(self._path(start), "ab") as file:
            offset = file.seek(0, 2)
            file.write(entry)
            _make_durable(file)
        return offset

    def _count(self):
        return self.last - self.first + 1 if self.last else 0

    def acknowledge(self, sequence, keep):
        """The host has records up to `sequence`; those below `keep` may go, but never the newest `kept`."""
        if sequence > self.last:
            raise ValueError("record " + str(sequence) + " does not exist: the newest is " + str(self.last))
        if sequence > self.acknowledged:
            self._write_number(_ACKNOWLEDGED, sequence)
            self.acknowledged = sequence
        below = min(self.acknowledged + 1, keep, self.last - self._kept + 1)
        while len(self._starts) > 1 and self._starts[1] <= below:
            os.remove(self._path(self._starts[0]))
            self._starts.pop(0)
            self.first = self._starts[0]

    # --- the boot counter

    def next_boot(self, at_least=0):
        """The number of this boot, never given before; `at_least` is the highest one seen in a record."""
        boot = max(self._read_number(_BOOT), at_least) + 1
        self._write_number(_BOOT, boot)
        return boot

    # --- small files

    def _path(self, start):
        return self._prefix + str(start) + _SUFFIX

    def _read_number(self, name):
        """The number in file `name`, 0 when there is none."""
        if name not in _names_in(self._marks[:-1]):
            return 0
        with open(self._marks + name, "rb") as file:
            content = file.read()
        if len(content) != 12 or not _is_sealed(content):
            raise JournalDamaged(self.last + 1, "mark " + name + " is unreadable")
        return struct.unpack(">Q", content[:8])[0]

    def _write_number(self, name, number):
        _replace(self._marks, name, _sealed(struct.pack(">Q", number)))


def _names_in(folder):
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


def _replace(prefix, name, content):
    with open(prefix + _TEMPORARY, "wb") as file:
        file.write(content)
        _make_durable(file)
    os.rename(prefix + _TEMPORARY, prefix + name)


def _make_durable(file):
    file.flush()
    if hasattr(os, "fsync"):  # not on MicroPython, where littlefs makes a flush durable
        os.fsync(file.fileno())


def _read_body(file, header, sequence):
    """The record behind `header`; None when the file ends within it."""
    if not _is_sealed(header):
        raise JournalDamaged(sequence, "its header is wrong")
    magic, length, written = struct.unpack(_HEADER, header[:-_CRC_SIZE])
    if magic != _MAGIC or written != sequence or length > MAX_RECORD:
        raise JournalDamaged(sequence, "another record is in its place")
    body = file.read(length + _CRC_SIZE)
    if len(body) < length + _CRC_SIZE:
        return None
    if not _is_sealed(body):
        raise JournalDamaged(sequence, "its checksum is wrong")
    return body[:length]


def _sealed(content):
    return content + struct.pack(">I", crc32(content))


def _is_sealed(content):
    return _sealed(content[:-_CRC_SIZE]) == content
