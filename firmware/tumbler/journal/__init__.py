"""The journal: every record in order on the board's flash, safe against a power cut at any moment.

In a ring of raw flash blocks (ring, pages) that the volume lends (reserve), or in files (files). Which of
the two is settled when the board is provisioned and stays: no chain of records ever moves.
"""

from tumbler.journal.contract import KEEP, RESERVE, JournalDamaged, JournalFull, NoJournal
from tumbler.journal.files import Journal, create
from tumbler.journal.marks import MARKS

__all__ = (
    "KEEP",
    "MARKS",
    "RESERVE",
    "Journal",
    "JournalDamaged",
    "JournalFull",
    "NoJournal",
    "create",
    "open_journal",
)


def open_journal(directory, flash):
    """The device's journal in `directory`, not yet mounted; flash: the block device under it, or None."""
    from tumbler.journal import reserve

    try:
        if reserve.exists(directory):
            return reserve.open_ring(directory, flash)
    except (JournalDamaged, OSError) as error:
        return NoJournal(str(error))
    return Journal(directory)
