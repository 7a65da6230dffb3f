"""The journal's ring on a model of NOR flash: order, recall, room, damage, wear and some cuts."""

# heap: 960k

from unittest import TestCase

from host_tools.faults import flash as faults
from host_tools.faults.flash import BLOCKS, KEPT, Medium, Numbers, new_medium, ring_on
from host_tools.faults.nor import BLOCK, Erase, NorFlash, Program
from tumbler.journal import RESERVE, JournalDamaged, JournalFull, pages
from tumbler.journal.marks import ACKNOWLEDGED
from tumbler.journal.ring import Ring

record = faults.record


def mounted(medium):
    ring, _ = ring_on(medium)
    ring.mount()
    return ring


def filled(medium, count, taken=True):
    """A ring with `count` more records, which the host takes as they come."""
    ring = mounted(medium)
    ring.acknowledge(ring.acknowledged, ring.last + 1)  # as a device does once it has replayed its records
    for sequence in range(ring.last + 1, ring.last + count + 1):
        ring.append(sequence, record(sequence))
        if taken:
            ring.acknowledge(sequence, sequence + 1)
    return ring


def damage_of(medium):
    """The JournalDamaged of a mount, and the ring."""
    ring, _ = ring_on(medium)
    try:
        ring.mount()
    except JournalDamaged as error:
        return error, ring
    raise AssertionError("it mounts as if nothing had happened")


def place_of(medium, sequence):
    """Where the record's first page begins in the content."""
    for block in BLOCKS:
        for page in range(1, pages.PAGES):
            start = block * BLOCK + page * pages.PAGE
            frame = pages.unpack_frame(medium.content[start : start + pages.FRAME])
            if frame is not None and frame[1] == sequence:
                return start
    raise AssertionError("record %d is nowhere" % sequence)


class Records(TestCase):
    def test_empty(self):
        ring = mounted(new_medium())
        self.assertEqual((ring.first, ring.last, ring.acknowledged), (0, 0, 0))
        for sequence in (0, 1):
            with self.assertRaises(KeyError):
                ring.read(sequence)

    def test_reads_back_before_and_after_a_mount_and_round_the_ring(self):
        medium = new_medium()
        for count in (1, 20, 60, 200):
            ring = filled(medium, count)
            for known in (ring, mounted(medium)):
                self.assertEqual((known.first, known.last), (ring.first, ring.last))
                for sequence in range(known.first, known.last + 1):
                    self.assertEqual(known.read(sequence), record(sequence))
                for sequence in (known.first - 1, known.last + 1):
                    with self.assertRaises(KeyError):
                        known.read(sequence)
        self.assertTrue(ring.first > 200)

    def test_only_the_next_sequence_and_sizes_within_bounds(self):
        ring = filled(new_medium(), 2)
        for sequence, content in ((2, b"x"), (4, b"x"), (0, b"x"), (3, b""), (3, bytes(641))):
            with self.assertRaises(ValueError):
                ring.append(sequence, content)
        ring.append(3, bytes(640))
        self.assertEqual(ring.read(3), bytes(640))

    def test_every_size_of_record_is_kept(self):
        medium = new_medium()
        ring = mounted(medium)
        sizes = sorted({size for pages_ in (1, 2, 3) for size in range(pages_ * 252 - 24, pages_ * 252 - 14)})
        for size in [size for size in sizes if size <= 640] + [1, 640]:
            ring.append(ring.last + 1, bytes([size & 255]) * size)
            ring.acknowledge(ring.last, ring.last + 1)
            self.assertEqual(mounted(medium).read(ring.last), bytes([size & 255]) * size)

    def test_boots_are_counted_and_never_given_twice(self):
        medium = new_medium()
        self.assertEqual(mounted(medium).next_boot(), 1)
        self.assertEqual(mounted(medium).next_boot(at_least=9), 10)
        self.assertEqual(mounted(medium).next_boot(), 11)


class Room(TestCase):
    def test_full_until_the_host_takes_records(self):
        medium = new_medium()
        ring = mounted(medium)
        with self.assertRaises(JournalFull):
            while True:
                ring.append(ring.last + 1, record(ring.last + 1))
        for _ in range(RESERVE):
            ring.append(ring.last + 1, bytes(640), reserve=False)
        with self.assertRaises(JournalFull):
            while True:
                ring.append(ring.last + 1, bytes(640), reserve=False)
        last = ring.last
        for known in (ring, mounted(medium)):
            self.assertEqual((known.first, known.last), (1, last))
            with self.assertRaises(JournalFull):
                known.require_room(reserve=False)
        self.assertEqual(ring.read(1), record(1))
        ring.acknowledge(last, last + 1)
        ring.append(last + 1, b"room again")
        self.assertEqual(mounted(medium).read(last + 1), b"room again")

    def test_what_a_replay_needs_is_kept_although_the_host_has_it(self):
        ring = filled(new_medium(), 12, taken=False)
        with self.assertRaises(JournalFull):
            while True:
                ring.append(ring.last + 1, record(ring.last + 1))
                ring.acknowledge(ring.last, 5)
        self.assertTrue(ring.first <= 5)
        ring.acknowledge(ring.last, ring.last + 1)
        ring.require_room()

    def test_the_newest_stay_for_recall(self):
        medium = new_medium()
        ring = filled(medium, 300)
        self.assertTrue(ring.first <= ring.last - KEPT)
        for sequence in range(ring.last - KEPT, ring.last + 1):
            self.assertEqual(mounted(medium).read(sequence), record(sequence))

    def test_a_ring_that_could_stay_full_is_refused(self):
        with self.assertRaises(ValueError):
            Ring(None, range(30), b"x" * 8, None)

    def test_acknowledging_writes_nothing_and_is_told_by_the_next_record(self):
        medium = new_medium()
        ring = filled(medium, 9, taken=False)
        before = bytes(medium.content), dict(medium.marks)
        ring.acknowledge(7, 8)
        ring.acknowledge(3, 4)
        self.assertEqual(ring.acknowledged, 7)
        self.assertTrue((medium.content, medium.marks) == before)
        with self.assertRaises(ValueError):
            ring.acknowledge(10, 1)
        ring.append(10, record(10))
        self.assertEqual(mounted(medium).acknowledged, 7)
        self.assertEqual(mounted(medium).needed, 8)

    def test_wear_is_spread_and_an_erase_lasts_for_many_records(self):
        medium = new_medium()
        ring, flash = ring_on(medium)
        ring.mount()
        for sequence in range(1, 501):
            ring.append(sequence, bytes(180))
            ring.acknowledge(sequence, sequence + 1)
        used = [flash.erases[block] for block in BLOCKS]
        self.assertTrue(max(used) - min(used) <= 1)
        self.assertEqual(sum(flash.erases), sum(used))
        self.assertTrue(sum(used) <= 500 // 15 + 1)


class Damage(TestCase):
    def test_any_changed_byte_of_a_record_is_noticed_and_the_others_are_read(self):
        medium = new_medium()
        filled(medium, 12, taken=False)
        start = place_of(medium, 5)
        for place in range(start, start + pages.FRAME + len(record(5)) + 4, 7):
            changed = medium.fork()
            changed.content[place] ^= 1 << place % 8
            error, ring = damage_of(changed)
            self.assertEqual(error.sequence, 5)
            with self.assertRaises(JournalDamaged):
                ring.read(5)
            for sequence in (4, 6, 12):
                self.assertEqual(ring.read(sequence), record(sequence))
            with self.assertRaises(JournalDamaged):
                ring.append(13, b"x")

    def test_the_newest_record_is_not_taken_for_one_that_was_cut_off(self):
        medium = new_medium()
        filled(medium, 7, taken=False)
        medium.content[place_of(medium, 7) + 40] ^= 1
        self.assertEqual(damage_of(medium)[0].sequence, 7)

    def test_a_record_without_its_seal_was_never_promised(self):
        medium = new_medium()
        filled(medium, 6, taken=False)
        start = place_of(medium, 6)
        medium.content[start + pages.USABLE : start + pages.PAGE] = b"\xff" * 4
        whole = medium.fork()
        self.assertEqual(mounted(whole).read(6), record(6))
        medium.content[start + 40] ^= 1
        ring = mounted(medium)
        self.assertEqual(ring.last, 5)
        ring.append(6, b"another")
        self.assertEqual(mounted(medium).read(6), b"another")
        whole.content[start + 40] ^= 1  # sealed by the mount: now it is damage
        self.assertEqual(damage_of(whole)[0].sequence, 6)

    def test_a_lost_block_is_noticed_and_named_by_its_first_record(self):
        for number in (0, 1):
            medium = new_medium()
            filled(medium, 30, taken=False)
            block = BLOCKS[number]
            page = medium.content[block * BLOCK : block * BLOCK + pages.PAGE]
            first, _ = pages.unpack_header(page, faults.ID, number, len(BLOCKS)) or (0, 0)
            medium.content[block * BLOCK : (block + 1) * BLOCK] = b"\xff" * BLOCK
            self.assertEqual(damage_of(medium)[0].sequence, first)

    def test_a_blank_or_swapped_flash_is_no_first_boot(self):
        for taken in (False, True):
            medium = new_medium()
            filled(medium, 3, taken)
            blank = Medium(bytearray(b"\xff" * len(medium.content)), dict(medium.marks))
            swapped = Medium(new_medium().content, dict(medium.marks))
            for other in (blank, swapped):
                ring = damage_of(other)[1]
                with self.assertRaises(JournalDamaged):
                    ring.append(1, b"x")

    def test_flash_that_does_not_read_is_damage(self):
        medium = new_medium()
        filled(medium, 3)

        class Unreadable(NorFlash):
            broken = False

            def readblocks(self, block, buffer, offset=0):
                if self.broken:
                    raise OSError(5)
                super().readblocks(block, buffer, offset)

        flash = Unreadable(content=medium.content)
        ring = Ring(flash, BLOCKS, faults.ID, faults.MemoryMarks(medium, None), KEPT)
        ring.mount()
        flash.broken = True
        with self.assertRaises(JournalDamaged):
            ring.read(2)

    def test_records_the_host_had_and_the_flash_lost_are_noticed(self):
        medium = new_medium()
        filled(medium, 40)
        older = medium.fork()
        filled(older, 3)
        medium.marks[ACKNOWLEDGED] = (43).to_bytes(8, "big")
        self.assertEqual(damage_of(medium)[0].sequence, 41)

    def test_no_append_before_a_mount(self):
        ring, _ = ring_on(new_medium())
        with self.assertRaises(JournalDamaged):
            ring.append(1, b"x")

    def test_a_record_that_changes_later_is_not_returned(self):
        medium = new_medium()
        ring = filled(medium, 3)
        medium.content[place_of(medium, 3) + 60] ^= 1
        with self.assertRaises(JournalDamaged):
            ring.read(3)


class Worn(TestCase):
    def test_pages_that_do_not_keep_what_is_written_are_left_out(self):
        medium = new_medium()
        ring, flash = ring_on(medium)
        ring.mount()
        count = [0]

        def weak(operation):
            count[0] += 1
            if count[0] % 5 == 3 and isinstance(operation, Program):
                return Program(operation.start, operation.data[:-200])
            return operation

        flash.weak = weak
        for sequence in range(1, 31):
            ring.append(sequence, record(sequence))
        known = mounted(medium)
        for sequence in range(1, 31):
            self.assertEqual(known.read(sequence), record(sequence))

    def test_a_page_that_failed_does_not_hide_the_record_behind_it(self):
        def weak(operation):
            if isinstance(operation, Program) and operation.data[:2] == b"[\x1d" and not failed:
                failed.append(operation)
                data = bytearray(operation.data)
                data[2] |= 1  # the length reads 256 bytes more: a page too many
                return Program(operation.start, bytes(data))
            return operation

        failed = []
        medium = new_medium()
        ring, _ = ring_on(medium, None, weak)
        ring.mount()
        ring.append(1, record(1))
        ring.append(2, record(2))
        self.assertEqual(len(failed), 1)
        for known in (ring, mounted(medium)):
            self.assertEqual((known.read(1), known.read(2)), (record(1), record(2)))

    def test_flash_that_keeps_nothing_refuses(self):
        for lost in (lambda operation: None, lambda operation: Program(operation.start, b"\xff")):
            ring, flash = ring_on(new_medium())
            ring.mount()
            flash.weak = lost
            with self.assertRaises(JournalDamaged):
                ring.append(1, b"x")


class PowerCuts(TestCase):
    def test_cut_at_every_operation_of_a_few_records(self):
        cuts = faults.Cuts(Numbers(7), faults.FEW_TEARS, 4)
        device = faults.Device(cuts._medium, cuts._promises, cuts._watch)
        device.boot()
        for _ in range(7):
            device.append()
        self.assertTrue(cuts.operations > 14)
        self.assertTrue(cuts.second_cuts > 10)

    def test_an_erase_that_has_only_begun_is_no_damage(self):
        numbers = Numbers(5)
        medium = new_medium()
        cuts = []

        def cut(operation):
            if isinstance(operation, Erase):
                torn = medium.fork()
                for _ in range(8):  # any bits may be set already, and all others are as they were
                    torn.content[operation.start + numbers() % BLOCK] |= 1 << numbers() % 8
                cuts.append(mounted(torn).last)

        ring, _ = ring_on(medium, cut)
        ring.mount()
        for sequence in range(1, 301):
            ring.append(sequence, record(sequence))
            ring.acknowledge(sequence, sequence + 1)
        self.assertTrue(len(cuts) > 2 * len(BLOCKS))
        self.assertEqual(cuts, sorted(set(cuts)))

    def test_a_broken_promise_is_found(self):
        medium, promises = new_medium(), faults.Promises()
        faults.play_day(lambda: faults.Device(medium, promises), Numbers(3), 5)
        promises.appended += 1
        promises.appending += 1
        with self.assertRaises(faults.FaultFound):
            faults.Check()(medium, promises, False)
