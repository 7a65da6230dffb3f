"""A device, a round with two wagers, and how it ends: rows for the ledger's tests."""

import hashlib

from host_tools.ledger import Ledger, Outcome, Round, Settlement, StoredRecord, Wager
from tumbler.definitions import FIRST_PREVIOUS

DEVICE = b"tumbler1"
NOBODY = (0, FIRST_PREVIOUS, 0)
ROUND = Round(
    id=b"r" * 16,
    table="one",
    device=DEVICE,
    mode="open",
    rulebook="rules",
    rulebook_digest="digest",
    layout="layout",
    limits=None,
    decimals=2,
    chip_unit=100,
    made_ms=1,
    changed_ms=1,
)
ANN = Wager("a", "Ann", "small", 1000)
BEN = Wager("b", "Ben", "big", 500)
SETTLED = Settlement(ROUND.id, "settled", (1, 2, 3), "", "settle", "3.5", 1, 9)
WON = Outcome(ANN, "won", "1", 1000, 2000, "", "4.1")
BY_PEOPLE = {"decided_by": "Mia", "seconded_by": "Tom", "reason": "misread", "evidence": b"e" * 32}
LOST = Outcome(BEN, "lost", "", 0, 0, "", "4.1")


def record(sequence: int, content: bytes = b"") -> StoredRecord:
    """A record of the device that names the round; nobody checks its signature here."""
    raw = b"record %d " % sequence + content
    return StoredRecord(DEVICE, sequence, 1, "reading", ROUND.id, hashlib.sha256(raw).digest(), raw)


def enrolled(books: Ledger) -> None:
    """A device, and the table held."""
    books.hold("one")
    with books.transaction():
        books.enrol(DEVICE, b"k" * 32, NOBODY)


def betting(books: Ledger) -> None:
    """A device with one record, and a round with two wagers."""
    enrolled(books)
    with books.transaction():
        books.add_record(record(1), 1)
        books.open_round(ROUND)
        books.set_state(ROUND.id, "opened", 2)
        books.set_state(ROUND.id, "betting", 3)
        books.place(ROUND.id, [ANN, BEN], 4)


def settled(books: Ledger) -> None:
    """The round settled: Ann won, Ben lost."""
    betting(books)
    with books.transaction():
        books.conclude(SETTLED, [WON, LOST])
        books.notify("one", "round-settled", ROUND.id, {"verdict": "settled"}, 9)
