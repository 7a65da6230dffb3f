"""What the journal proves after power-on: the open round, latched faults, and where the chain goes on."""

import hashlib

from tumbler.definitions import FACTS, FIRST_PREVIOUS, LATCHING_FACTS, name_of
from tumbler.records import cose, fields


class Proven:
    """The state that a journal's records add up to.

    sequence, digest: the newest record's (0 and FIRST_PREVIOUS when there is none); boot: the boot counter;
    profile: of the newest boot record, or None; round: the open round's id, or None; last_round: the newest
    concluded one; faults: latched fact -> sequence of its newest record; round_sequence: where the open round
    began.
    """

    def __init__(self):
        self.sequence = 0
        self.digest = FIRST_PREVIOUS
        self.boot = 0
        self.profile = None
        self.round = None
        self.round_sequence = None
        self.last_round = None
        self.faults = {}

    def apply(self, kind, values):
        """Take one record's content, in order of sequence."""
        self.sequence = values["sequence"]
        self.boot = values["boot"]
        if kind == "boot":
            self.profile = values["profile"]
        elif kind == "round-opened":
            self.round = values["round"]
            self.round_sequence = self.sequence
        elif kind in ("reading", "void"):
            self.last_round = values["round"]
            self.round = self.round_sequence = None
        elif kind == "fault":
            fact = name_of(FACTS, values["fact"])
            if fact in LATCHING_FACTS:
                self.faults[fact] = self.sequence
        elif kind == "fault-cleared":
            self.faults.pop(name_of(FACTS, values["fact"]), None)

    @property
    def keep(self):
        """The oldest sequence that a later replay needs; the next one when it needs none."""
        needed = [self.sequence + 1] + list(self.faults.values())
        if self.round_sequence is not None:
            needed.append(self.round_sequence)
        return min(needed)


def replay(journal):
    """Fold every record of a mounted `journal` into what it proves; JournalDamaged, RecordError."""
    proven = Proven()
    if journal.last == 0:
        return proven
    record = b""
    for sequence in range(journal.first, journal.last + 1):
        record = journal.read(sequence)
        kind, values = fields.unpack(cose.payload_of(record))
        proven.apply(kind, values)
    proven.digest = hashlib.sha256(record).digest()
    return proven
