"""The journal in files: for boards whose flash cannot be reached beneath its volume, and for desktops.

A folder of segment files, each named after its first sequence and holding up to `segment` records:
magic (2 bytes), length (2), sequence (8), CRC-32 of these (4), record, CRC-32 of the record (4), all
big-endian. A record exists once `append` has returned; one that a cut leaves half written is dropped when the
journal is mounted, one that it leaves whole counts as written, so that its sequence is never given to another
record. With the header's own checksum only a file that really ends early passes for a cut.
The acknowledged position and the newest sequence are marks, written each time: littlefs may go back to older
metadata without a word, and then the newest records are gone.

Works on littlefs and, for tests and desktops, on any folder that can rename over a file.
"""

import os
import struct
from array import array

from tumbler.definitions import MAX_RECORD
from tumbler.journal.contract import KEEP, RESERVE, JournalDamaged, JournalFull
from tumbler.journal.marks import (
    ACKNOWLEDGED,
    NEWEST,
    Marks,
    is_sealed,
    make_durable,
    make_folders,
    names_in,
    replace,
    sealed,
)

_MAGIC = 0x5B1C
_HEADER = ">HHQ"
_HEADER_SIZE = 16
_CRC_SIZE = 4
_SUFFIX = ".rec"


def create(directory):
    """Make the folders of an empty journal: once in a device's life, when it is provisioned."""
    make_folders(directory)


class Journal:
    """See the module. `mount` comes first; `capacity`, `segment` and `kept` count records.

    `first` and `last` are the oldest and newest sequence (0: none), `acknowledged` the newest the host has;
    `needed`: a replay of what the records prove may begin there. While `quiet` is set, no flash is written
    but by `append`: acknowledgements are passed over."""

    def __init__(self, directory, capacity=512, segment=32, kept=KEEP):
        if capacity < kept + segment + RESERVE:
            raise ValueError("a journal of " + str(capacity) + " records fills although the host has them")
        self._folder = directory
        self._prefix = directory + "/"
        self._marks = Marks(directory)
        self._capacity = capacity
        self._segment = segment
        self._kept = kept
        self._starts = []  # first sequence of each segment file, ascending
        self._offsets = array("I")  # where the records of segment `_indexed` begin
        self._indexed = 0
        self._unsure = True  # the newest segment may hold a half-written record
        self.quiet = False
        self.first = self.last = self.acknowledged = 0

    # --- reading the flash at power-on

    def mount(self):
        """Scan everything. Raises JournalDamaged when a record that was durable is gone or changed; those
        that are sound can be read all the same."""
        self.first = self.last = self.acknowledged = 0
        self._unsure = True
        damage = None
        self._starts = self._list_segments()
        for step in (
            [self._read_mark] + [self._mounting(start) for start in self._starts] + [self._check_ends]
        ):
            try:
                step()
            except JournalDamaged as error:
                damage = damage or error
            except OSError as error:  # littlefs has found its own damage
                damage = damage or JournalDamaged(self.last + 1, str(error))
        if damage is not None:
            raise damage
        self._unsure = False

    def _read_mark(self):
        self.acknowledged = self._marks.number(ACKNOWLEDGED)

    def _mounting(self, start):
        return lambda: self._mount_segment(start)

    def _check_ends(self):
        newest = self._marks.number(NEWEST)
        if newest > self.last:
            raise JournalDamaged(self.last + 1, "it had records up to " + str(newest))
        if self.acknowledged > self.last:
            raise JournalDamaged(self.last + 1, "the host has records up to " + str(self.acknowledged))
        if self.first > self.acknowledged + 1:
            # Only what the host had was ever dropped.
            raise JournalDamaged(self.acknowledged + 1, "the oldest segment is missing")

    def _list_segments(self):
        names = names_in(self._folder)
        return sorted([int(name[: -len(_SUFFIX)]) for name in names if name.endswith(_SUFFIX)])

    def _mount_segment(self, start):
        following = self.last + 1
        try:
            whole, torn = self._index(start)
        finally:
            count = len(self._offsets)
            if count:
                self.first = self.first or start
                self.last = start + count - 1
        if following > 1 and start != following:
            raise JournalDamaged(following, "a segment is missing")
        if torn and start != self._starts[-1]:
            raise JournalDamaged(start + count, "it is cut short")
        if torn:
            self._shorten(start, whole)

    def _shorten(self, start, whole):
        """Take what an append that never returned has left off the newest segment."""
        with open(self._path(start), "rb") as file:
            content = file.read(whole)
        replace(self._prefix, str(start) + _SUFFIX, content)

    def _index(self, start):
        """Read segment `start` into `_offsets`; returns (bytes of whole records, is more behind them)."""
        self._indexed = start
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
        return offset, len(header) > 0

    def _index_sound(self, start):
        """Index what comes before any damage."""
        try:
            self._index(start)
        except JournalDamaged:
            pass

    # --- records

    def read(self, sequence):
        """Record `sequence` as it was appended. Raises KeyError when it is not here, JournalDamaged."""
        if not 0 < self.first <= sequence <= self.last:
            raise KeyError(sequence)
        try:
            return self._read(sequence)
        except OSError as error:
            raise JournalDamaged(sequence, str(error)) from None

    def _read(self, sequence):
        start = max([start for start in self._starts if start <= sequence])
        if start != self._indexed:
            self._index_sound(start)
        if sequence - start >= len(self._offsets):
            raise JournalDamaged(sequence, "it cannot be read")
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
        header = sealed(struct.pack(_HEADER, _MAGIC, len(record), sequence))
        self._unsure = True
        try:
            offset = self._write(start, header + sealed(record))
            self._marks.write_number(NEWEST, sequence)
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
            make_durable(file)
        return offset

    def _count(self):
        return self.last - self.first + 1 if self.last else 0

    def acknowledge(self, sequence, keep):
        """The host has records up to `sequence`; those below `keep` may go, but never the newest `kept`."""
        if sequence > self.last:
            raise ValueError("record " + str(sequence) + " does not exist: the newest is " + str(self.last))
        if self.quiet:
            return  # a later one says it again
        if sequence > self.acknowledged:
            self._marks.write_number(ACKNOWLEDGED, sequence)
            self.acknowledged = sequence
        below = min(self.acknowledged + 1, keep, self.last - self._kept + 1)
        while len(self._starts) > 1 and self._starts[1] <= below:
            os.remove(self._path(self._starts[0]))
            self._starts.pop(0)
            self.first = self._starts[0]

    @property
    def needed(self):
        """Which records a replay needs is not written here: all."""
        return self.first

    def next_boot(self, at_least=0):
        """The number of this boot, never given before; `at_least` is the highest one seen in a record."""
        return self._marks.next_boot(at_least)

    def _path(self, start):
        return self._prefix + str(start) + _SUFFIX


def _read_body(file, header, sequence):
    """The record behind `header`; None when the file ends within it."""
    if not is_sealed(header):
        raise JournalDamaged(sequence, "its header is wrong")
    magic, length, written = struct.unpack(_HEADER, header[:-_CRC_SIZE])
    if magic != _MAGIC or written != sequence or length > MAX_RECORD:
        raise JournalDamaged(sequence, "another record is in its place")
    body = file.read(length + _CRC_SIZE)
    if len(body) < length + _CRC_SIZE:
        return None
    if not is_sealed(body):
        raise JournalDamaged(sequence, "its checksum is wrong")
    return body[:length]
