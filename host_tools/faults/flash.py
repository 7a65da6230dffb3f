"""The journal's ring under every fault of its flash that we can make. Runs on CPython and MicroPython.

A scripted day of rounds is played on a model of NOR flash: boots, records of real sizes, acknowledgements, a
host that stays away until the journal is full. Before each operation the flash is forked, the operation is
done in part there, and the power goes: then the journal is mounted as after a power cut, everything that had
been promised is checked, and the device plays on. During some of these recoveries the power is cut again, at
each of their operations.

Promised is: no record whose append returned is lost, changed or doubled; no sequence and no boot number is
given twice; what the host has not is never overwritten; the newest records stay. What a power cut can leave
behind never counts as damage. Where operations were lost or reordered, or bits changed later, a journal may
also refuse."""

from host_tools.faults.nor import BLOCK, NorFlash, Program
from tumbler.journal import JournalDamaged, JournalFull, pages
from tumbler.journal.contract import RESERVE
from tumbler.journal.marks import Marks
from tumbler.journal.ring import Ring

ID = b"the ring"
KEPT = 8
DEVICE_BLOCKS = 11
BLOCKS = (7, 2, 9, 4, 10, 1, 3, 8)  # of the device, in the ring's order
_SIZES = (
    181,
    209,
    179,
    300,
    183,
    183,
    347,
    249,
    181,
    640,
    232,
    233,
    1,
    484,
    485,
)  # bytes; pages begin and end

# What is done of the operation in which the power goes: percent, and whether bits of the rest are at random.
TEARS = [(percent, garbage) for percent in (0, 25, 50, 75) for garbage in (False, True)]
TEARS.append((100, False))
FEW_TEARS = ((0, False), (50, True), (100, False))


class FaultFound(Exception):
    """A promise was broken; the message says by which fault, and the seed plays it again."""


class Numbers:
    """Random numbers of 32 bits that follow from a seed, the same on every interpreter."""

    def __init__(self, seed):
        self._state = seed & 0xFFFFFFFF or 1

    def __call__(self):
        state = self._state
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        self._state = state
        return state


class Medium:
    """What outlives a power cut: the flash's content and the marks."""

    def __init__(self, content, marks):
        self.content = content
        self.marks = marks

    def fork(self):
        """A copy that may be damaged."""
        return Medium(bytearray(self.content), dict(self.marks))


class MarkChange:
    """A mark is replaced: whole or not at all, which is the file system's promise."""

    def __init__(self, name, content):
        self._name = name
        self._content = content

    def apply(self, medium):
        """Do it."""
        medium.marks[self._name] = self._content


class MemoryMarks(Marks):
    """The marks of a medium; each change is an operation that `watch` sees before it is done."""

    def __init__(self, medium, watch):
        super().__init__("nowhere")
        self._medium = medium
        self._watch = watch

    def read(self, name):
        return self._medium.marks.get(name)

    def write(self, name, content):
        change = MarkChange(name, bytes(content))
        if self._watch is not None:
            self._watch(change)
        change.apply(self._medium)


class Promises:
    """What a device has promised: its newest record, the one being written, the host's newest, its boots."""

    def __init__(self, appended=0, appending=0, acknowledged=0, boot=0):
        self.appended = appended
        self.appending = appending
        self.acknowledged = acknowledged
        self.boot = boot

    def copy(self):
        """For a fork."""
        return Promises(self.appended, self.appending, self.acknowledged, self.boot)


def record(sequence):
    """The one record that may ever have this sequence."""
    size = _SIZES[sequence % len(_SIZES)]
    return ((b"%d " % sequence) * (size // 2 + 1))[:size]


def new_medium():
    """A provisioned ring without records."""
    content = bytearray(b"\x5a" * (BLOCK * DEVICE_BLOCKS))  # what is not the ring's must stay
    for number, block in enumerate(BLOCKS):
        content[block * BLOCK : (block + 1) * BLOCK] = b"\xff" * BLOCK
        header = pages.pack_header(ID, number, len(BLOCKS), 0, 0)
        content[block * BLOCK : block * BLOCK + len(header)] = header
    return Medium(content, {})


def ring_on(medium, watch=None, weak=None):
    """(the ring on a medium, not mounted; its flash)."""
    flash = NorFlash(content=medium.content, watch=watch, weak=weak)
    return Ring(flash, BLOCKS, ID, MemoryMarks(medium, watch), KEPT), flash


class Device:
    """A device that plays on a medium and keeps track of what it has promised."""

    def __init__(self, medium, promises, watch=None, weak=None):
        self.promises = promises
        self.ring, self.flash = ring_on(medium, watch, weak)

    def boot(self):
        """Power on: mount, count the boot, tell of it in a record."""
        ring, promises = self.ring, self.promises
        ring.mount()
        ring.acknowledge(ring.acknowledged, ring.last + 1)
        promises.appended = promises.appending = ring.last
        boot = ring.next_boot()
        if boot <= promises.boot:
            raise FaultFound(f"boot {boot} was given before")
        promises.boot = boot

    def append(self, reserve=True):
        """The next record; JournalFull."""
        sequence = self.ring.last + 1
        self.promises.appending = sequence
        try:
            self.ring.append(sequence, record(sequence), reserve)
        except JournalFull:
            self.promises.appending = sequence - 1
            raise
        self.promises.appended = sequence

    def acknowledge(self, behind):
        """The host has all records but the newest `behind`."""
        sequence = max(self.promises.acknowledged, self.ring.last - behind)
        self.promises.acknowledged = sequence
        self.ring.acknowledge(sequence, self.ring.last + 1)


def play_day(power_on, numbers, records):
    """A day of at least `records` records; power_on() -> a Device. Returns the device at its end."""
    device = power_on()
    device.boot()
    for _ in range(records):
        chance = numbers() % 100
        if chance < 3:
            device = power_on()
            device.boot()
        elif chance < 30:
            device.acknowledge(numbers() % 4)
        try:
            device.append()
        except JournalFull:
            device.acknowledge(0)
            device.append()
    _fill(device)
    device.acknowledge(0)
    device.append()
    return device


def _fill(device):
    """The host is away: records until the journal is full, then those that end a running round."""
    wanted = device.ring.acknowledged + 1
    try:
        while True:
            device.append()
    except JournalFull:
        pass
    for _ in range(RESERVE):
        device.append(reserve=False)
    try:
        while True:
            device.append(reserve=False)
    except JournalFull:
        pass
    if device.ring.first > wanted:
        raise FaultFound(f"record {wanted} was overwritten, and the host has it not")


class Check:
    """Mounts what a power cut has left and checks all promises; counts what came."""

    def __init__(self):
        self.mounts = 0
        self.refused = 0

    def __call__(self, medium, promises, may_refuse, watch=None):
        """`may_refuse`: the fault was more than a power cut. `watch` sees the operations of the recovery."""
        self.mounts += 1
        device = Device(medium, promises, watch)
        promised = promises.copy()
        try:
            device.boot()
        except JournalDamaged as error:
            if not may_refuse:
                raise FaultFound(f"a power cut passes for damage: {error}") from None
            self.refused += 1
            _check_readable(device.ring)
            return
        _check_kept(device.ring, promised)
        try:
            for _ in range(2):
                device.append(reserve=False)
        except JournalFull:
            pass  # the host has not taken enough
        ring, _ = ring_on(medium)
        ring.mount()
        if ring.last != device.ring.last:
            raise FaultFound("the journal does not go on after the cut")
        _check_records(ring)
        _check_neighbours(medium)


def _check_kept(ring, promised):
    if not promised.appended <= ring.last <= promised.appending:
        raise FaultFound(f"last is {ring.last}, {promised.appended} was appended")
    if ring.acknowledged > promised.acknowledged:
        raise FaultFound(f"acknowledged is {ring.acknowledged}, the host has {promised.acknowledged}")
    if ring.last and ring.first > max(1, min(promised.acknowledged + 1, ring.last - KEPT)):
        raise FaultFound(f"first is {ring.first} of {ring.last}")
    _check_records(ring)


def _check_records(ring):
    for sequence in range(ring.first or 1, ring.last + 1):
        if ring.read(sequence) != record(sequence):
            raise FaultFound(f"record {sequence} changed")


def _check_readable(ring):
    """Of a damaged journal: each record is right, or it is said that it is not there."""
    for sequence in range(ring.first or 1, ring.last + 1):
        try:
            if ring.read(sequence) != record(sequence):
                raise FaultFound(f"record {sequence} changed")
        except JournalDamaged:
            pass


def _check_neighbours(medium):
    for block in range(DEVICE_BLOCKS):
        if block not in BLOCKS and medium.content[block * BLOCK : (block + 1) * BLOCK] != b"\x5a" * BLOCK:
            raise FaultFound(f"block {block} is not the ring's and was changed")


class Cuts:
    """Cuts the power at every operation of a day; of every `second`th one the recovery is cut everywhere
    too."""

    def __init__(self, numbers, tears, second):
        self.check = Check()
        self.operations = self.first_cuts = self.second_cuts = self.reordered = 0
        self._numbers = numbers
        self._tears = tears
        self._second = second
        self._medium = new_medium()
        self._promises = Promises()
        self._before = None  # the flash before the operation before this one
        self._doing = ""

    def run(self, records):
        """Play the day; FaultFound."""
        play_day(self.power_on, self._numbers, records)

    def power_on(self):
        """The device, to be cut."""
        return Device(self._medium, self._promises, self._watch)

    def _watch(self, operation):
        self.operations += 1
        try:
            for tear in self._tears:
                self._cut(operation, tear)
            self._reorder(operation)
        except FaultFound as error:
            raise FaultFound(f"operation {self.operations}, {self._doing}: {error}") from None

    def _cut(self, operation, tear):
        self._doing = f"{tear[0]} % done" + (", garbage behind" if tear[1] else "")
        self.first_cuts += 1
        promises = self._promises.copy()
        medium = self._torn(self._medium, operation, tear)
        watch = None
        if self.operations % self._second == 0 and tear in FEW_TEARS:
            watch = self._watch_recovery(medium, promises)
        self.check(medium, promises, False, watch)

    def _watch_recovery(self, medium, promises):
        def watch(operation):
            for tear in FEW_TEARS:
                self.second_cuts += 1
                self.check(self._torn(medium, operation, tear), promises.copy(), False)

        return watch

    def _torn(self, medium, operation, tear):
        """A fork of the medium with the operation done as `tear` says."""
        medium = medium.fork()
        percent, garbage = tear
        if isinstance(operation, MarkChange):
            if percent == 100:
                operation.apply(medium)
        elif percent == 100:
            operation.apply(medium.content)
        else:
            operation.torn(medium.content, percent, self._numbers if garbage else None)
        return medium

    def _reorder(self, operation):
        """The power goes when this operation was done and the one before it was not."""
        before = self._before
        self._before = bytes(self._medium.content)
        if before is None or isinstance(operation, MarkChange):
            return
        self._doing = "done, the one before it lost"
        self.reordered += 1
        medium = Medium(bytearray(before), dict(self._medium.marks))
        operation.apply(medium.content)
        self.check(medium, self._promises.copy(), True)


def rot(numbers, records, stride):
    """Change a bit in every `stride`th byte of a day's ring: (flips, how many times the journal refused)."""
    check = Check()
    medium = new_medium()
    promises = Promises()
    play_day(lambda: Device(medium, promises), numbers, records)
    flips = 0
    for block in BLOCKS:
        for place in range(block * BLOCK + numbers() % stride, (block + 1) * BLOCK, stride):
            flips += 1
            changed = medium.fork()
            changed.content[place] ^= 1 << numbers() % 8
            try:
                check(changed, promises.copy(), True)
            except FaultFound as error:
                raise FaultFound(f"a bit of byte {place} changed: {error}") from None
    return flips, check.refused


def wear(numbers, records, days):
    """Days on flash that loses an operation or a bit of it at times; returns how many ended in refusal."""
    refused = 0
    for _ in range(days):
        medium, promises = new_medium(), Promises()
        try:
            play_day(_worn(medium, promises, numbers), numbers, records)
        except JournalDamaged:
            refused += 1
        Check()(medium, promises.copy(), True)
    return refused


def _worn(medium, promises, numbers):
    """Powers on a device whose flash loses one operation of so many."""
    rarely = 20 + numbers() % 200

    def weak(operation):
        chance = numbers() % rarely
        if chance == 0:
            return None
        if chance == 1 and isinstance(operation, Program):
            data = bytearray(operation.data)
            data[numbers() % len(data)] |= 1 << numbers() % 8
            return Program(operation.start, bytes(data))
        return operation

    return lambda: Device(medium, promises, None, weak)


def run(seed, full=False):
    """Every fault, at the size of the tests or full; a dict of what was done. FaultFound tells of the
    first."""
    numbers = Numbers(seed)
    cuts = Cuts(numbers, TEARS, 1 if full else 9)
    cuts.run(300 if full else 30)
    flips, refused = rot(numbers, 200 if full else 60, 1 if full else 29)
    days = 400 if full else 12
    worn = wear(numbers, 150 if full else 60, days)
    return {
        "seed": seed,
        "operations": cuts.operations,
        "cuts": cuts.first_cuts,
        "cuts_in_recovery": cuts.second_cuts,
        "reordered": cuts.reordered,
        "reordered_refused": cuts.check.refused,
        "bits_changed": flips,
        "bits_refused": refused,
        "days_on_worn_flash": days,
        "worn_refused": worn,
        "mounts": cuts.check.mounts + flips + days,
    }
