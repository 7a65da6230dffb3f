"""Fills a virtual board's journal with rounds that no host takes, in place of its application."""

from tumbler.definitions import FACTS
from tumbler.journal import JournalFull, open_journal
from tumbler.records.chain import Chain
from tumbler.replay import replay
from tumbler.signing import KeyStore
from tumbler.start import open_board


class Unsigned:
    """Signatures are not what is measured."""

    key_id = bytes(8)

    def sign(self, message, entropy):
        return bytes(64)


def rounds(number):
    """The records of a round that is read, and at the end of ten one that is void."""
    round_id = number.to_bytes(16, "big")
    yield "round-opened", {"round": round_id, "mode": 0}
    yield "tumble", {"round": round_id, "strokes": [[15000, 900]] * 4}
    yield "no-more-bets", {"round": round_id}
    yield "enclosure", {"round": round_id, "channel": 0, "level": False}
    yield "enclosure", {"round": round_id, "channel": 1, "level": True}
    if number % 10 == 9:
        yield "void", {"round": round_id, "fact": FACTS["not-flat"]}
    else:
        yield (
            "reading",
            {
                "round": round_id,
                "faces": [2, 3, 5],
                "tilts": [2, 3, 5],
                "confidences": [990, 991, 992],
                "frames": bytes(32),
                "profile": bytes(32),
                "strokes": [[15000, 900]] * 4,
            },
        )


def fill(board):
    journal = open_journal(board.storage + "/journal", board.flash)
    journal.mount()
    proven = replay(journal)
    keys = KeyStore(board.storage + "/keys").load()
    chain = Chain(keys.device_id, proven.boot, proven.sequence, proven.digest, Unsigned(), board.entropy)
    number = 0
    while True:
        for kind, values in rounds(number):
            record = chain.seal(kind, 1000 * number, values)
            journal.append(chain.sequence + 1, record)
            chain.advance(record)
            proven.apply(kind, dict(values, sequence=chain.sequence, boot=chain.boot))
            journal.acknowledge(journal.acknowledged, proven.wanted)  # as the controller does
        number += 1


try:
    fill(open_board()[0])
except JournalFull:
    print("the journal is full")
