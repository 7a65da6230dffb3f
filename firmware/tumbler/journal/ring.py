"""The ring: a journal in fixed pages of raw flash, block after block and round again.

A block is always erased before it is used, in turn, so that wear is spread evenly; one is used again only
when nothing in it is wanted. Acknowledgements are not written for themselves: each record tells how far they
were. What has been programmed is read back before the record is sealed and `append` returns (see pages).

Mounting reads every page once. Of what a power cut can leave behind, torn pages are passed over and a block
torn while it was erased is erased again; all else that is wrong is damage.
"""

from array import array

from tumbler.definitions import MAX_RECORD
from tumbler.journal import pages
from tumbler.journal.contract import KEEP, RESERVE, JournalDamaged, JournalFull
from tumbler.journal.marks import ACKNOWLEDGED
from tumbler.journal.pages import ERASED, PAGE, PAGES, USABLE

_ERASE = 6  # of the block protocol's ioctl
_TRIES = 4  # for a record: pages that do not keep what is written are left out
_BLANK, _TORN, _SEALED_WRONG, _WHOLE = range(4)
_BLANK_PART = ERASED[:USABLE]
_NO_SEAL = ERASED[USABLE:]
_NO_FRAME = (0, 0, 0, 0)


class Ring:
    """A journal (see files.Journal) on a block device.

    flash: extended block protocol, blocks of 4 KiB; blocks: the device's blocks that are the ring's, in
    order; id: 8 bytes, of this ring alone; marks: marks.Marks; kept: newest records that are never dropped;
    wrong: None, or the JournalDamaged that is known before anything is read.
    """

    def __init__(self, flash, blocks, id, marks, kept=KEEP, wrong=None):
        if (len(blocks) - 1) * pages.LEAST_FILLED < (kept + RESERVE + 1) * pages.MOST_PAGES:
            raise ValueError(
                "a ring of " + str(len(blocks)) + " blocks fills although the host has its records"
            )
        self._flash = flash
        self._blocks = blocks
        self._id = id
        self._marks = marks
        self._kept = kept
        self._wrong = wrong
        self._firsts = array("Q", [0] * len(blocks))  # first sequence of each block, 0: it holds nothing
        self._content = memoryview(bytearray(USABLE * pages.MOST_PAGES))
        self._page = bytearray(PAGE)
        self._seal = bytearray(PAGE - USABLE)
        self._newest = -1  # the block that is being filled
        self._free = PAGES  # its first free page
        self._unsure = True  # not mounted, or an append did not finish
        self._damage = None
        self._durable = 0  # the acknowledged record that the flash tells of
        self._keep = 0
        self.quiet = False  # it writes nothing but by `append` anyway
        self.first = self.last = self.acknowledged = self.needed = 0

    # --- reading the flash at power-on

    def mount(self):
        """Read everything. Raises JournalDamaged when a record that was durable is gone or changed; those
        that are sound can be read all the same."""
        self._unsure = True
        self._damage = self._wrong
        self.first = self.last = self.needed = self._keep = 0
        self._newest = -1
        self._free = PAGES
        self.acknowledged = self._read_mark()
        torn = self._read_headers()
        self._find_newest()
        self.last = max(0, self._walk_all() - 1)
        self._check_ends()
        self._check_torn(torn)
        self._durable = self.acknowledged
        if self._damage is not None:
            raise self._damage
        self._unsure = False

    def _read_mark(self):
        try:
            return self._marks.number(ACKNOWLEDGED)
        except JournalDamaged as error:
            self._damage = self._damage or error
            return 0

    def _read_headers(self):
        """Fill `_firsts`; returns the blocks without a sound header."""
        torn = []
        for number in range(len(self._blocks)):
            self._read(number, 0, self._page)
            header = pages.unpack_header(self._page, self._id, number, len(self._blocks))
            self._firsts[number] = 0 if header is None else header[0]
            if header is None:
                torn.append(number)
            else:
                self.acknowledged = max(self.acknowledged, header[1])
        return torn

    def _find_newest(self):
        newest = max(self._firsts)
        if newest:
            for number in range(len(self._firsts)):
                # Of two with the same first sequence the earlier one holds no record: its pages did not keep
                # any.
                if self._firsts[number] == newest and self._firsts[self._after(number)] != newest:
                    self._newest = number

    def _check_torn(self, torn):
        """Only the block that was about to be used can be torn, and what it held was wanted no more."""
        for number in torn:
            if number != self._after(self._newest):
                self._damaged(self.last + 1, "block " + str(number) + " of the ring is lost")
            for page in range(1, PAGES):
                kind, frame = self._examine(number, page)
                if kind == _WHOLE and frame[1] > self.last:
                    self._damaged(self.last + 1, "the newest block of the ring is lost")

    def _walk_all(self):
        """Check every record, from the oldest block on; returns the sequence after the newest one."""
        expected = 0
        number = self._newest
        for _ in range(len(self._firsts)):
            number = self._after(number)
            first = self._firsts[number]
            if first:
                if expected and first != expected:
                    self._damaged(expected, "a block of the ring is missing")
                expected = self._walk(number, first)
        return expected

    def _walk(self, number, expected):
        """Check the records of a block, which begin with `expected`; returns the sequence after the last
        one."""
        page = free = 1
        while page < PAGES:
            kind, frame = self._examine(number, page)
            page += pages.count_for(frame[0]) if kind == _WHOLE else 1
            if kind == _WHOLE and frame[1] != expected:
                self._damaged(expected, "record " + str(frame[1]) + " is in its place")
                expected = max(expected, frame[1])
            elif kind == _SEALED_WRONG:
                self._damaged(expected, "its checksum is wrong")
            if kind in (_WHOLE, _SEALED_WRONG):
                self.first = self.first or expected
                expected += 1
            if kind != _BLANK:
                free = page
            if kind == _WHOLE:
                self._take(number, free, frame)
        if number == self._newest:
            self._free = free
        return expected

    def _take(self, number, end, frame):
        """Learn from a whole record; one whose append was cut off before its seal gets it now."""
        self.acknowledged = max(self.acknowledged, frame[2])
        self.needed = frame[3]
        if self._seal == _NO_SEAL:
            self._set_seal(number, end - pages.count_for(frame[0]))

    def _check_ends(self):
        try:
            self._marks.check_begun(self.last)
        except JournalDamaged as error:
            self._damage = self._damage or error
        if self.acknowledged > self.last:
            self._damaged(self.last + 1, "the host has records up to " + str(self.acknowledged))
        if self.first > self.acknowledged + 1:
            # Only what the host had was ever dropped.
            self._damaged(self.acknowledged + 1, "the oldest block of the ring is missing")

    def _damaged(self, sequence, detail):
        if self._damage is None:
            self._damage = JournalDamaged(sequence, detail)

    def _examine(self, number, page):
        """What is on the page and, of a whole record, its frame (see pages); `_content` and `_seal` are
        its."""
        content = self._content
        self._read(number, page, content[:USABLE])
        self._read(number, page, self._seal, USABLE)
        frame = pages.unpack_frame(content)
        if frame is not None:
            count = pages.count_for(frame[0])
            if page + count <= PAGES:
                for more in range(1, count):
                    self._read(number, page + more, content[more * USABLE : (more + 1) * USABLE])
                if pages.is_whole(content, frame[0]):
                    return _WHOLE, frame
        if self._seal != _NO_SEAL:
            return _SEALED_WRONG, _NO_FRAME
        return (_BLANK if content[:USABLE] == _BLANK_PART else _TORN), _NO_FRAME

    # --- records

    def read(self, sequence):
        """Record `sequence` as it was appended. Raises KeyError when it is not here, JournalDamaged."""
        if not 0 < self.first <= sequence <= self.last:
            raise KeyError(sequence)
        try:
            record = self._find(sequence)
        except OSError as error:  # some ports check what they read
            raise JournalDamaged(sequence, str(error)) from None
        if record is None:
            raise JournalDamaged(sequence, "it cannot be read")
        return record

    def _find(self, sequence):
        number = self._block_of(sequence)
        for page in range(1, PAGES):  # each: the length in a torn page tells nothing
            self._read(number, page, self._content[: pages.FRAME])
            frame = pages.unpack_frame(self._content)
            if frame is not None and frame[1] == sequence and self._examine(number, page)[0] == _WHOLE:
                return bytes(self._content[pages.FRAME : pages.FRAME + frame[0]])
        return None

    def _block_of(self, sequence):
        """The block with record `sequence`: the newest one that begins at it or before."""
        number = self._newest
        while not 0 < self._firsts[number] <= sequence:
            number = (number or len(self._firsts)) - 1
        return number

    def append(self, sequence, record, reserve=True):
        """Add `record` (bytes, at most MAX_RECORD), durable when this returns; `sequence` must be the next.

        With `reserve` the last RESERVE places stay free: records that end a running round pass False.
        Raises JournalFull (nothing was written), ValueError, JournalDamaged when the flash keeps nothing;
        after an interruption mount again.
        """
        if self._unsure:
            raise JournalDamaged(sequence, "an append did not finish: mount the journal again")
        if sequence != self.last + 1 or not 0 < len(record) <= MAX_RECORD:
            raise ValueError("record " + str(sequence) + " cannot follow " + str(self.last))
        self.require_room(reserve)
        packed = pages.pack(sequence, record, self.acknowledged, self._keep)
        self._unsure = True
        self._write(sequence, packed)  # there is room: so it is written, or the flash is worn or has failed
        self._unsure = False
        self._durable = self.acknowledged
        self.first = self.first or sequence
        self.last = sequence
        if sequence == 1:
            self._marks.check_begun(sequence)

    def _write(self, sequence, packed):
        count = len(packed) // PAGE
        for _ in range(_TRIES):
            if self._free + count > PAGES:
                self._use_next(sequence)
            page = self._free
            self._free += count
            self._program(self._newest, page, packed)
            if self._reads_back(self._newest, page, packed):
                self._set_seal(self._newest, page)
                return
        raise JournalDamaged(sequence, "the flash does not keep what is written: replace the board")

    def _set_seal(self, number, page):
        for _ in range(_TRIES):
            self._program(number, page, pages.SEAL)
            self._read(number, page, self._seal, USABLE)
            if self._seal != _NO_SEAL:
                return

    def _use_next(self, sequence):
        """Erase the oldest block for the record `sequence` and those behind it."""
        number = self._after(self._newest)
        if not self._droppable(number):
            raise JournalDamaged(sequence, "too many pages do not keep what is written: replace the board")
        if self.acknowledged > self._durable:
            # Else a cut could leave a ring whose oldest records seem to have vanished.
            self._marks.write_number(ACKNOWLEDGED, self.acknowledged)
            self._durable = self.acknowledged
        self._firsts[number] = 0
        self._find_first()
        self._program(number, 0, pages.SPENT)
        self._erase(number, sequence)
        self._firsts[number] = sequence
        self._newest = number
        self._free = 1

    def _find_first(self):
        number = self._newest
        for _ in range(len(self._firsts)):
            number = self._after(number)
            if self._firsts[number]:
                self.first = min(self._firsts[number], self.last)
                return

    def _erase(self, number, sequence):
        header = pages.pack_header(self._id, number, len(self._blocks), sequence, self.acknowledged)
        for _ in range(_TRIES):
            self._flash.ioctl(_ERASE, self._blocks[number])
            self._program(number, 0, header)
            if self._reads_back(number, 0, header) and self._is_blank(number):
                return
        raise JournalDamaged(sequence, "the flash does not erase: replace the board")

    def _is_blank(self, number):
        for page in range(1, PAGES):
            self._read(number, page, self._page)
            if self._page != ERASED:
                return False
        return True

    def require_room(self, reserve=True):
        """Raises JournalFull when `append` would."""
        wanted = pages.MOST_PAGES * (1 + (RESERVE if reserve else 0))
        room = max(0, PAGES - self._free - (pages.MOST_PAGES - 1))
        number = self._newest
        while room < wanted:
            number = self._after(number)
            if number == self._newest or not self._droppable(number):
                raise JournalFull("the host has records up to " + str(self.acknowledged) + " only")
            room += pages.LEAST_FILLED

    def _droppable(self, number):
        """Whether no record of the block is wanted: the host has them, no replay needs them, newer ones are
        kept."""
        if not self._firsts[number]:
            return True
        if number == self._newest:
            return False
        following = self._after(number)
        while not self._firsts[following]:
            following = self._after(following)
        below = min(self.acknowledged + 1, self._keep, self.last - self._kept + 1)
        return self._firsts[following] <= below

    def acknowledge(self, sequence, keep):
        """The host has records up to `sequence`; those below `keep` may go, but never the newest `kept`."""
        if sequence > self.last:
            raise ValueError("record " + str(sequence) + " does not exist: the newest is " + str(self.last))
        self.acknowledged = max(self.acknowledged, sequence)
        self._keep = max(self._keep, min(keep, self.last + 1))

    def next_boot(self, at_least=0):
        """The number of this boot, never given before; `at_least` is the highest one seen in a record."""
        return self._marks.next_boot(at_least)

    # --- the flash

    def _after(self, number):
        return (number + 1) % len(self._blocks)

    def _read(self, number, page, buffer, offset=0):
        self._flash.readblocks(self._blocks[number], buffer, page * PAGE + offset)

    def _program(self, number, page, content):
        self._flash.writeblocks(self._blocks[number], content, page * PAGE)

    def _reads_back(self, number, page, content):
        for start in range(0, len(content), PAGE):
            self._read(number, page, self._page, start)
            if self._page != content[start : start + PAGE]:
                return False
        return True
