"""A ledger with records that a device's own code signed, rounds that ended every way, and an access."""

from dataclasses import replace

from ledger_rows import ANN, BEN, BY_PEOPLE, LOST, ROUND, SETTLED, WON

from host_tools.ledger import Card, Ledger, Outcome, Referral, Shoe, StoredRecord, VoidOrder
from tumbler.definitions import FIRST_PREVIOUS, PLAY_MODES
from tumbler.records.chain import Chain
from tumbler.signing import Ed25519Signer

_SIGNER = Ed25519Signer(bytes(range(32)))
_DEVICE = b"signed.1"
_READING = {
    "faces": [1, 2, 3],
    "tilts": [0, 0, 0],
    "confidences": [1, 1, 1],
    "frames": bytes(32),
    "profile": bytes(32),
}
_BACK = [Outcome(each, "void", "", 0, each.stake, "", "5.4") for each in (ANN, BEN)]


def fill(books: Ledger, again: bool = False) -> None:
    """Four rounds more: settled and corrected, referred, void after being settled, and one of cards."""
    if not again:
        books.hold("table 1")
        with books.transaction():
            books.enrol(_DEVICE, bytes(_SIGNER.public_key), (0, FIRST_PREVIOUS, 0))
    device = books.device(_DEVICE)
    chain = Chain(_DEVICE, device.head_boot + 1, device.head_sequence, device.head_digest, _SIGNER, bytes)
    first = device.head_sequence
    with books.transaction():
        _store(books, chain, "boot", {"firmware": bytes(32), "profile": bytes(32)})
        one, two, three = (_played(books, chain, bytes([first + number]) * 16) for number in range(3))
        books.conclude(replace(SETTLED, round=one[0], sequence=one[1]), [WON, LOST])
        _correct(books, one, [WON._replace(payout=0, returned=0, result="lost", odds=""), LOST])
        books.order_void(VoidOrder(two[0], "host-void", "Mia", 20))
        books.conclude(replace(SETTLED, round=three[0], sequence=three[1]), [WON, LOST])
        _correct(books, three, _BACK, verdict="void", faces=None)
        _drawn(books, bytes([128 + first]) * 16)
        books.notify("table 1", "round-settled", one[0], {"verdict": "settled"}, 9)
        books.mark_delivered("displays", "table 1", books.notices("table 1")[-1].number)
        books.log_access("table 1", who="Mia", origin="", action="void", before="", after="", now_ms=1)


def _played(books: Ledger, chain: Chain, round_id: bytes) -> tuple[bytes, int]:
    """A round with its reading, ready to be ended; its id and the reading's sequence."""
    books.open_round(replace(ROUND, id=round_id, table="table 1", device=_DEVICE))
    _store(books, chain, "round-opened", {"round": round_id, "mode": PLAY_MODES["open"]})
    for state in ("opened", "betting"):
        books.set_state(round_id, state, 2)
    books.place(round_id, [ANN, BEN, BEN._replace(id="c")], 3)
    books.withdraw(round_id, ["c"], 4)
    books.set_state(round_id, "closing", 5)
    _store(books, chain, "reading", {"round": round_id, **_READING})
    books.refer(Referral(round_id, "unreadable", "5.10", None, 6))
    return round_id, chain.sequence


def _drawn(books: Ledger, id_: bytes) -> None:
    """A round of cards out of a new shoe, one of them entered anew, settled by them."""
    books.load_shoe(Shoe(id_, "table 1", 2, 8, "Mia"), 7)
    books.open_round(replace(ROUND, id=id_, table="table 1", device=_DEVICE, mode="cards"))
    for state in ("opened", "betting", "closing", "closed"):
        books.set_state(id_, state, 8)
    cards = [Card(id_, place, 1, face, id_, "Ada") for place, face in enumerate((1, 2, 4), start=1)]
    books.enter_cards(cards, 9)
    anew = cards[2]._replace(revision=2, face=3, seconded_by="Mia", reason="mistyped")
    books.enter_cards([anew], 10)
    made = replace(SETTLED, round=id_, faces=(1, 2, 3), sequence=None, decided_by="Ada")
    books.conclude(made, [])


def _correct(books: Ledger, played: tuple[bytes, int], outcomes: list[Outcome], **changes: object) -> None:
    made = books.settlement(played[0])
    assert made is not None
    books.correct(replace(made, corrects=made.entry, **BY_PEOPLE, **changes), outcomes)


def _store(books: Ledger, chain: Chain, kind: str, values: dict) -> None:
    raw = bytes(chain.seal(kind, 1, values))
    chain.advance(raw)
    device, sequence, digest = books.device(_DEVICE), chain.sequence, bytes(chain.previous)
    boot = device.head_boot + (kind == "boot")
    books.add_record(StoredRecord(_DEVICE, sequence, boot, kind, values.get("round"), digest, raw), 1)
