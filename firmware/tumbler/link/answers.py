"""Answers to questions that change nothing: a kept record again, the link's counters, frames of a scene.

Anyone on the line may ask, welcomed or not, so that records can be audited on site and while a fault is
latched. One question of each kind waits, the newest; records and replies to commands go first.
"""

from tumbler.definitions import EVIDENCE_CHUNK
from tumbler.journal import JournalDamaged

QUESTIONS = ("recall", "inspect", "fetch")


class Answers:
    """journal: first, last, read(sequence); evidence: an Evidence or None; statistics() -> counts by name."""

    def __init__(self, journal, evidence, statistics):
        self._journal = journal
        self._evidence = evidence
        self._statistics = statistics
        self.forget()

    def forget(self):
        """Answer nothing that was asked before."""
        self._recall = None  # sequence
        self._inspect = False
        self._fetch = None  # (digest, offset, where to stop)

    def ask(self, name, values):
        """Take the question `name` of the host, with its values."""
        if name == "recall":
            self._recall = values["sequence"]
        elif name == "inspect":
            self._inspect = True
        else:
            self._fetch = values["frames"], values["offset"], values["offset"] + values["size"]

    def next(self):
        """The answer that is due: (message, values); None when none is."""
        if self._inspect:
            self._inspect = False
            return "statistics", self._statistics()
        if self._recall is not None:
            return "recalled", self._recalled()
        if self._fetch is not None:
            return "evidence", self._piece()
        return None

    def _recalled(self):
        sequence, self._recall = self._recall, None
        journal = self._journal
        values = {"sequence": sequence, "first": journal.first, "last": journal.last}
        try:
            values["record"] = journal.read(sequence)
        except (KeyError, JournalDamaged):
            pass  # the answer says it by what it lacks
        return values

    def _piece(self):
        digest, offset, stop = self._fetch  # pyright: ignore[reportGeneralTypeIssues]
        kept = self._evidence
        values = {"frames": digest, "offset": offset, "total": 0}
        self._fetch = None
        if kept is None or kept.digest != digest:
            return values
        values["total"] = kept.capacity
        data = kept.read(offset, min(EVIDENCE_CHUNK, stop - offset))
        if data:
            values["data"] = data
            offset += len(data)
            if offset < min(stop, kept.capacity):
                self._fetch = digest, offset, stop
        return values
