"""The journal on a plain folder: order, recall, capacity, damage, and what half-written ends become."""

import os
from unittest import TestCase

from tumbler.journal import MARKS, RESERVE, Journal, JournalDamaged, JournalFull, create
from tumbler.journal.marks import Marks

PROCESS = getattr(os, "getpid", int)()  # other interpreters may be at the same tests


def record(sequence):
    """A record that names its sequence and differs in length from its neighbours."""
    return b"record %d " % sequence + bytes([sequence & 255]) * (sequence % 37)


class Folder:
    """A fresh journal in a folder of its own, removed on exit."""

    def __enter__(self):
        number = 0
        while True:
            self.path = "journal-%d-%d" % (PROCESS, number)
            try:
                create(self.path)
                return self
            except OSError:
                number += 1  # it holds what a killed test has left

    def __exit__(self, *error):
        for folder in (self.path, self.path + MARKS):
            for name in os.listdir(folder):
                os.remove(folder + "/" + name)
            os.rmdir(folder)

    def mount(self, **options):
        journal = Journal(self.path, **options)
        journal.mount()
        return journal

    def read(self, name):
        with open(self.path + "/" + name, "rb") as file:
            return file.read()

    def write(self, name, content):
        with open(self.path + "/" + name, "wb") as file:
            file.write(content)


def fill(journal, count):
    for sequence in range(journal.last + 1, journal.last + count + 1):
        journal.append(sequence, record(sequence))


SMALL = {"capacity": 40, "segment": 4, "kept": 10}


class TestRecords(TestCase):
    def test_empty(self):
        with Folder() as folder:
            journal = folder.mount()
            self.assertEqual((journal.first, journal.last, journal.acknowledged), (0, 0, 0))
            with self.assertRaises(KeyError):
                journal.read(0)
            with self.assertRaises(KeyError):
                journal.read(1)

    def test_reads_back_before_and_after_a_mount(self):
        with Folder() as folder:
            journal = folder.mount()
            fill(journal, 70)
            for known in (journal, folder.mount()):
                self.assertEqual((known.first, known.last), (1, 70))
                for sequence in range(1, 71):
                    self.assertEqual(known.read(sequence), record(sequence))
                with self.assertRaises(KeyError):
                    known.read(71)

    def test_reads_in_any_order_while_appending(self):
        with Folder() as folder:
            journal = folder.mount(**SMALL)
            for sequence in range(1, 20):
                journal.append(sequence, record(sequence))
                for earlier in (sequence, 1, sequence // 2 + 1):
                    self.assertEqual(journal.read(earlier), record(earlier))

    def test_only_the_next_sequence_and_sizes_within_bounds(self):
        with Folder() as folder:
            journal = folder.mount()
            fill(journal, 2)
            for sequence, content in ((2, b"x"), (4, b"x"), (0, b"x"), (3, b""), (3, bytes(641))):
                with self.assertRaises(ValueError):
                    journal.append(sequence, content)
            journal.append(3, bytes(640))
            self.assertEqual(folder.mount().read(3), bytes(640))

    def test_without_its_folder_it_is_damaged_not_new(self):
        with self.assertRaises(JournalDamaged):
            Journal("no-such-folder").mount()


class TestAcknowledge(TestCase):
    def test_persists_and_never_goes_back(self):
        with Folder() as folder:
            journal = folder.mount()
            fill(journal, 5)
            journal.acknowledge(3, 1)
            journal.acknowledge(2, 1)
            self.assertEqual(journal.acknowledged, 3)
            self.assertEqual(folder.mount().acknowledged, 3)
            with self.assertRaises(ValueError):
                journal.acknowledge(6, 1)

    def test_drops_whole_segments_below_all_three_bounds(self):
        # (last, acknowledged, keep, first afterwards) with segments of 4 and the newest 10 kept
        cases = ((30, 30, 31, 21), (30, 30, 9, 9), (30, 8, 31, 9), (30, 7, 31, 5), (30, 0, 31, 1))
        for last, acknowledged, keep, first in cases:
            with Folder() as folder:
                journal = folder.mount(capacity=60, segment=4, kept=10)
                fill(journal, last)
                journal.acknowledge(acknowledged, keep)
                for known in (journal, folder.mount()):
                    self.assertEqual((known.first, known.last), (first, last))
                    self.assertEqual(known.read(first), record(first))
                    with self.assertRaises(KeyError):
                        known.read(first - 1)

    def test_full_until_the_host_takes_records(self):
        with Folder() as folder:
            journal = folder.mount(**SMALL)
            fill(journal, 40 - RESERVE)
            with self.assertRaises(JournalFull):
                fill(journal, 1)
            for _ in range(RESERVE):
                journal.append(journal.last + 1, b"end of a round", reserve=False)
            with self.assertRaises(JournalFull):
                journal.append(41, b"one too many", reserve=False)
            self.assertEqual(folder.mount(**SMALL).last, 40)
            journal.acknowledge(40, 41)
            fill(journal, 1)
            self.assertEqual(journal.read(41), record(41))

    def test_a_capacity_that_could_stay_full_is_refused(self):
        with self.assertRaises(ValueError):
            Journal("anywhere", capacity=100)


class TestDamage(TestCase):
    def test_every_cut_of_the_newest_record_drops_exactly_it(self):
        with Folder() as folder:
            fill(folder.mount(), 2)
            whole = folder.read("1.rec")
            marked = Marks(folder.path).read("newest")
            fill(folder.mount(), 1)
            longer = folder.read("1.rec")
            for size in range(len(whole), len(longer)):
                folder.write("1.rec", longer[:size])
                Marks(folder.path).write("newest", marked)
                journal = folder.mount()
                self.assertEqual(journal.last, 2)
                journal.append(3, b"another")
                again = folder.mount()
                self.assertEqual((again.last, again.read(2), again.read(3)), (3, record(2), b"another"))

    def test_a_whole_record_counts_although_its_append_never_returned(self):
        with Folder() as folder:
            fill(folder.mount(), 1)
            other = folder.mount()
            other.append(2, b"maybe already sent")
            self.assertEqual(folder.mount().read(2), b"maybe already sent")

    def test_an_empty_newest_segment_goes_away(self):
        with Folder() as folder:
            fill(folder.mount(**SMALL), 4)
            folder.write("5.rec", b"")
            journal = folder.mount(**SMALL)
            self.assertEqual(journal.last, 4)
            fill(journal, 1)
            self.assertEqual(folder.mount(**SMALL).read(5), record(5))

    def test_any_changed_byte_is_noticed_and_named(self):
        with Folder() as folder:
            fill(folder.mount(), 3)
            content = folder.read("1.rec")
            ends = [20 + len(record(1))]
            ends.append(ends[0] + 20 + len(record(2)))
            for place in range(len(content)):
                changed = bytearray(content)
                changed[place] ^= 1 << (place % 8)
                folder.write("1.rec", changed)
                sequence = 1 + sum([place >= end for end in ends])
                with self.assertRaises(JournalDamaged) as caught:
                    folder.mount()
                self.assertEqual(caught.exception.sequence, sequence)

    def test_a_missing_segment_is_noticed(self):
        for missing in (1, 5, 9):
            with Folder() as folder:
                fill(folder.mount(**SMALL), 14)
                os.remove(folder.path + "/" + str(missing) + ".rec")
                with self.assertRaises(JournalDamaged) as caught:
                    folder.mount(**SMALL)
                self.assertEqual(caught.exception.sequence, missing)

    def test_lost_newest_records_are_noticed_when_the_host_had_them(self):
        with Folder() as folder:
            journal = folder.mount(**SMALL)
            fill(journal, 8)
            journal.acknowledge(8, 1)
            os.remove(folder.path + "/5.rec")
            with self.assertRaises(JournalDamaged) as caught:
                folder.mount(**SMALL)
            self.assertEqual(caught.exception.sequence, 5)

    def test_a_journal_that_is_empty_again_is_damaged_not_new(self):
        with Folder() as folder:
            journal = folder.mount()
            fill(journal, 2)
            journal.acknowledge(1, 1)
            os.remove(folder.path + "/1.rec")
            with self.assertRaises(JournalDamaged):
                folder.mount()

    def test_without_its_marks_it_is_damaged(self):
        with Folder() as folder:
            fill(folder.mount(), 2)
            os.rename(folder.path + MARKS, folder.path + "-elsewhere")
            with self.assertRaises(JournalDamaged):
                folder.mount()
            os.rename(folder.path + "-elsewhere", folder.path + MARKS)

    def test_what_is_sound_can_be_read_beside_what_is_damaged(self):
        with Folder() as folder:
            fill(folder.mount(**SMALL), 14)
            content = bytearray(folder.read("5.rec"))
            content[-6] ^= 4
            folder.write("5.rec", content)
            journal = Journal(folder.path, **SMALL)
            with self.assertRaises(JournalDamaged) as caught:
                journal.mount()
            self.assertEqual(caught.exception.sequence, 8)
            for sequence in range(1, 15):
                if sequence == 8:
                    with self.assertRaises(JournalDamaged):
                        journal.read(sequence)
                else:
                    self.assertEqual(journal.read(sequence), record(sequence))
            with self.assertRaises(JournalDamaged):
                journal.append(15, b"x")

    def test_a_file_that_the_volume_cannot_read_hides_no_other(self):
        with Folder() as folder:
            fill(folder.mount(**SMALL), 14)
            os.rename(folder.path + "/5.rec", folder.path + "/5.old")
            os.mkdir(folder.path + "/5.rec")  # opening it is an OSError
            try:
                journal = Journal(folder.path, **SMALL)
                with self.assertRaises(JournalDamaged):
                    journal.mount()
                self.assertEqual((journal.first, journal.last), (1, 14))
                for sequence in range(1, 15):
                    if 5 <= sequence < 9:
                        with self.assertRaises(JournalDamaged):
                            journal.read(sequence)
                    else:
                        self.assertEqual(journal.read(sequence), record(sequence))
            finally:
                os.rmdir(folder.path + "/5.rec")

    def test_a_journal_that_lost_records_nobody_had_is_damaged_not_new(self):
        with Folder() as folder:
            fill(folder.mount(), 2)
            os.remove(folder.path + "/1.rec")
            with self.assertRaises(JournalDamaged):
                folder.mount()

    def test_newest_records_that_nobody_had_are_noticed_when_they_are_gone(self):
        with Folder() as folder:
            journal = folder.mount(**SMALL)
            fill(journal, 8)
            journal.acknowledge(3, 1)
            content = folder.read("5.rec")
            for left in (content[: len(content) // 2], b"", None):
                if left is None:
                    os.remove(folder.path + "/5.rec")
                else:
                    folder.write("5.rec", left)
                with self.assertRaises(JournalDamaged) as caught:
                    folder.mount(**SMALL)
                self.assertTrue(5 <= caught.exception.sequence <= 8)

    def test_a_damaged_position_is_noticed(self):
        with Folder() as folder:
            journal = folder.mount()
            fill(journal, 2)
            journal.acknowledge(2, 1)
            with open(folder.path + MARKS + "/acknowledged", "wb") as file:
                file.write(b"\x00" * 12)
            with self.assertRaises(JournalDamaged):
                folder.mount()

    def test_no_append_before_a_mount(self):
        with Folder() as folder:
            journal = Journal(folder.path)
            with self.assertRaises(JournalDamaged):
                journal.append(1, b"x")

    def test_a_record_that_changes_later_is_not_returned(self):
        with Folder() as folder:
            journal = folder.mount()
            fill(journal, 3)
            content = bytearray(folder.read("1.rec"))
            content[-6] ^= 4
            folder.write("1.rec", content)
            with self.assertRaises(JournalDamaged):
                journal.read(3)


class TestBoots(TestCase):
    def test_counts_up_over_mounts_and_past_what_records_say(self):
        with Folder() as folder:
            self.assertEqual(folder.mount().next_boot(), 1)
            self.assertEqual(folder.mount().next_boot(), 2)
            self.assertEqual(folder.mount().next_boot(at_least=9), 10)
            self.assertEqual(folder.mount().next_boot(at_least=3), 11)

    def test_counts_beyond_31_bits(self):
        with Folder() as folder:
            journal = folder.mount()
            self.assertEqual(journal.next_boot(at_least=1 << 40), (1 << 40) + 1)
            self.assertEqual(folder.mount().next_boot(), (1 << 40) + 2)
