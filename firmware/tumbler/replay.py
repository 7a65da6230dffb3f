"""What the journal proves after power-on: the open round, latched faults, and where the chain goes on."""

import hashlib

from tumbler.definitions import FACTS, FIRST_PREVIOUS, LATCHING_FACTS, name_of
from tumbler.journal.contract import KEEP
from tumbler.records import cose, fields

RECALLED_ROUNDS = 10  # newest rounds that can be recalled from the device alone
_FARTHEST = 3 * KEEP  # records back to where they are kept for that


class Proven:
    """The state that a journal's records add up to.

    sequence, digest: the newest record's (0 and FIRST_PREVIOUS when there is none); device: its device id, or
    None; boot: the boot counter; profile: the newest one that a record names, or None; round: the open
    round's id, or None; last_round: the newest concluded one; faults: latched fact -> sequence of its
    newest record; round_sequence: where the open round began.
    """

    def __init__(self):
        self.sequence = 0
        self.digest = FIRST_PREVIOUS
        self.device = None
        self.boot = 0
        self.profile = None
        self.round = None
        self.round_sequence = None
        self.last_round = None
        self.faults = {}
        self._begun = []  # where the newest rounds begin

    def apply(self, kind, values):
        """Take one record's content, in order of sequence."""
        self.sequence = values["sequence"]
        self.boot = values["boot"]
        self.device = values.get("device", self.device)
        self.profile = values.get("profile", self.profile)
        if kind == "round-opened":
            self.round = values["round"]
            self.round_sequence = self.sequence
            self._begun = self._begun[1 - RECALLED_ROUNDS :] + [self.sequence]
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

    @property
    def wanted(self):
        """The oldest sequence that must stay in the journal: for a later replay, and for the recall of
        rounds."""
        if not self._begun:
            return self.keep
        return min(self.keep, max(self._begun[0], self.sequence - _FARTHEST))


def replay(journal):
    """Fold the records of a mounted `journal` into what it proves; JournalDamaged, RecordError.

    What lies before `journal.needed` is of no use, unless the newest round has been over for long.
    """
    start = max(journal.first, min(journal.needed, journal.last - KEEP + 1))
    proven = _fold(journal, start)
    return proven if proven.last_round or start == journal.first else _fold(journal, journal.first)


def _fold(journal, start):
    proven = Proven()
    if journal.last == 0:
        return proven
    record = b""
    for sequence in range(start, journal.last + 1):
        record = journal.read(sequence)
        kind, values = fields.unpack(cose.payload_of(record))
        proven.apply(kind, values)
    proven.digest = hashlib.sha256(record).digest()
    return proven
