"""The power goes at every record of a round and again in recovery: the journal proves what came of it."""

# heap: 960k

import hashlib
import unittest

from test_controller import COVERED, OPEN, ROUND, Rig

from host_tools.faults.flash import new_medium, ring_on
from tumbler.definitions import FACTS, FIRST_PREVIOUS
from tumbler.records import cose, fields


class PowerGone(Exception):
    """The power went while a record was written."""


class CutRing:
    """The ring on a medium; the power goes at its append of that number, which has been `written` or not."""

    def __init__(self, medium, number=0, written=True):
        self._ring, _ = ring_on(medium)
        self._left = number
        self._written = written

    def append(self, sequence, record, reserve=True):
        self._left -= 1
        if self._left or self._written:
            self._ring.append(sequence, record, reserve)
        if not self._left:
            raise PowerGone

    def __getattr__(self, name):
        return getattr(self._ring, name)


def covered_round(rig):
    rig.to_reading()
    rig.cover(True)
    rig.wait(100)


def open_round(rig):
    rig.command("open-round", round=ROUND, mode=OPEN)
    rig.command("no-more-bets", round=ROUND)
    rig.command("tumble", round=ROUND)
    rig.strokes(4)
    rig.wait(1500)


def faulted_round(rig):
    rig.command("open-round", round=ROUND, mode=COVERED)
    rig.command("tumble", round=ROUND)
    rig.strokes(1)
    rig.board.levels["door-closed"] = False
    rig.wait(100)
    rig.board.levels["door-closed"] = True
    rig.wait(100)
    rig.command("clear-fault", fact=FACTS["door-open"])


class CutPoints(unittest.TestCase):
    """The power goes at every record of a round, and again at a record of the recovery."""

    def test_the_device_is_again_where_its_journal_proves(self):
        for play, least in ((covered_round, 7), (open_round, 5), (faulted_round, 6)):
            number = 1
            while self.interrupted(play, number):
                number += 1
            self.assertTrue(number > least)

    def interrupted(self, play, number):
        """False once the round has fewer records than `number`."""
        for written in (False, True):
            medium = new_medium()
            if not self.is_cut(play, CutRing(medium, number, written)):
                return False
            self.is_cut(lambda rig: None, CutRing(medium, 1 + number % 2, not written))
            self.check(Rig(journal=CutRing(medium)))
        return True

    def is_cut(self, play, ring):
        try:
            play(Rig(journal=ring))
        except PowerGone:
            return True
        return False

    def check(self, rig):
        kinds = rig.kinds()
        ends = [kind for kind, values in rig.records() if kind in ("reading", "void")]
        self.assertEqual(len(ends), 1 if "round-opened" in kinds else 0)
        self.assertTrue(kinds.count("tumble") <= 1)
        boots = [values["boot"] for kind, values in rig.records() if kind == "boot"]
        self.assertEqual(boots, sorted(set(boots)))
        previous = FIRST_PREVIOUS
        for sequence in range(1, rig.journal.last + 1):
            raw = rig.journal.read(sequence)
            values = fields.unpack(cose.payload_of(raw))[1]
            self.assertEqual((values["sequence"], values["previous"]), (sequence, previous))
            previous = hashlib.sha256(raw).digest()
        latched = "fault" in kinds and "fault-cleared" not in kinds
        self.assertEqual(rig.controller.state.faults, ("door-open",) if latched else ())
        # No second tumble of this round, whatever the host asks for.
        self.assertEqual(rig.command("tumble", round=ROUND)[0], "wrong-state")
        if "round-opened" in kinds:
            refused = rig.command("open-round", round=ROUND, mode=COVERED)[0]
            self.assertEqual(refused, "faulted" if latched else "wrong-round")
        rig.strokes(1)
        self.assertEqual(rig.kinds().count("tumble"), kinds.count("tumble"))
