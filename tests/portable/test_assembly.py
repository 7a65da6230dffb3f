"""What is put together over a journal that cannot be relied on."""

from unittest import TestCase

from test_journal import Folder

from tumbler.assembly import number_boot
from tumbler.journal import MARKS, NoJournal
from tumbler.replay import Proven


class TestBootNumbers(TestCase):
    def test_each_boot_has_one_that_was_never_given_before(self):
        with Folder() as folder:
            proven = Proven()
            proven.boot = 6
            self.assertEqual(number_boot(folder.mount(), proven, None), (7, None))
            self.assertEqual(number_boot(folder.mount(), proven, None), (8, None))

    def test_a_lost_journal_numbers_none(self):
        self.assertEqual(number_boot(NoJournal("gone"), Proven(), "gone"), (1, "gone"))

    def test_without_a_number_the_journal_cannot_be_relied_on(self):
        with Folder() as folder:
            journal = folder.mount()
            with open(folder.path + MARKS + "/boot", "wb") as file:
                file.write(b"rot" * 4)
            boot, lost = number_boot(journal, Proven(), None)
            self.assertEqual(boot, 1)
            self.assertIn("mark boot is unreadable", str(lost))

    def test_a_volume_that_takes_no_number_is_no_volume_to_rely_on(self):
        class Full(NoJournal):
            def next_boot(self, at_least=0):
                raise OSError(28)

        boot, lost = number_boot(Full(""), Proven(), None)
        self.assertEqual(boot, 1)
        self.assertIn("28", str(lost))
