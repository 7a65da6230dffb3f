"""What a journal's records prove after power-on."""

import hashlib
import unittest

from tumbler.definitions import FACTS, FIRST_PREVIOUS
from tumbler.records.chain import Chain
from tumbler.replay import Proven, replay

ROUND, OTHER = b"r" * 16, b"o" * 16
FIRMWARE = {"firmware": b"f" * 32, "profile": b"p" * 32}


class Signer:
    key_id = b"k" * 8

    def sign(self, message, entropy):
        return b"s" * 64


class Stored:
    """A mounted journal of these (kind, values), all of boot 7, numbered from `first`."""

    def __init__(self, *records, first=1):
        chain = Chain(b"device01", 7, first - 1, FIRST_PREVIOUS, Signer(), None)
        self.raw = []
        for kind, values in records:
            self.raw.append(chain.seal(kind, 0, values))
            chain.advance(self.raw[-1])
        self.first = self.needed = first if records else 0
        self.last = chain.sequence

    def read(self, sequence):
        return self.raw[sequence - self.first]


def opened(name):
    return "round-opened", {"round": name, "mode": 1}


def void(name):
    return "void", {"round": name, "fact": FACTS["host-void"]}


def fault(name):
    return "fault", {"fact": FACTS[name]}


def cleared(name):
    return "fault-cleared", {"fact": FACTS[name]}


class Window(unittest.TestCase):
    def test_only_what_is_needed_is_read_again(self):
        stored = Stored(fault("tilted"), *[item for _ in range(70) for item in (opened(ROUND), void(ROUND))])
        stored.needed = 141
        proven = replay(stored)
        self.assertEqual((proven.faults, proven.last_round, proven.sequence), ({}, ROUND, 141))
        stored.needed = 1
        self.assertEqual(replay(stored).faults, {"tilted": 1})

    def test_the_newest_round_is_found_however_long_ago_it_was(self):
        chatter = [("enclosure", {"channel": 4, "level": True})] * 200
        stored = Stored(opened(ROUND), void(ROUND), *chatter)
        stored.needed = 203
        self.assertEqual(replay(stored).last_round, ROUND)

    def test_ten_rounds_are_wanted_for_recall_unless_they_lie_far_back(self):
        proven = Proven()
        for sequence in range(1, 25):
            kind, values = (opened if sequence % 2 else void)(ROUND)
            proven.apply(kind, dict(values, sequence=sequence, boot=1))
        self.assertEqual((proven.keep, proven.wanted), (25, 5))
        proven.apply("enclosure", {"sequence": 600, "boot": 1})
        self.assertEqual(proven.wanted, 600 - 384)


class Replay(unittest.TestCase):
    def test_an_empty_journal_is_a_device_s_beginning(self):
        proven = replay(Stored())
        self.assertEqual((proven.sequence, proven.digest, proven.boot), (0, FIRST_PREVIOUS, 0))
        self.assertEqual((proven.round, proven.faults, proven.keep), (None, {}, 1))

    def test_the_chain_goes_on_after_the_newest_record(self):
        stored = Stored(("boot", FIRMWARE), opened(ROUND), first=40)
        proven = replay(stored)
        self.assertEqual((proven.sequence, proven.boot), (41, 7))
        self.assertEqual(proven.digest, hashlib.sha256(stored.raw[-1]).digest())
        self.assertEqual(proven.profile, b"p" * 32)

    def test_an_open_round_is_kept_from_its_beginning(self):
        proven = replay(Stored(opened(OTHER), void(OTHER), opened(ROUND), ("no-more-bets", {"round": ROUND})))
        self.assertEqual((proven.round, proven.last_round, proven.keep), (ROUND, OTHER, 3))

    def test_an_ended_round_is_not_open(self):
        proven = replay(Stored(opened(ROUND), void(ROUND)))
        self.assertEqual((proven.round, proven.last_round, proven.keep), (None, ROUND, 3))

    def test_faults_are_kept_until_they_are_cleared(self):
        stored = [fault("tilted"), fault("drive-fault"), cleared("tilted"), opened(ROUND)]
        proven = replay(Stored(*stored))
        self.assertEqual((proven.faults, proven.keep), ({"drive-fault": 2}, 2))

    def test_the_newest_record_of_a_fault_is_enough(self):
        proven = replay(Stored(fault("tilted"), ("boot", FIRMWARE), fault("tilted")))
        self.assertEqual((proven.faults, proven.keep), ({"tilted": 3}, 3))

    def test_only_what_latches_is_latched(self):
        self.assertEqual(replay(Stored(fault("unreadable"))).faults, {})


if __name__ == "__main__":
    unittest.main()
