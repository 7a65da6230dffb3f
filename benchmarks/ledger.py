"""The ledger: results stored and settled durably, against bare SQLite commits of the same file settings.

A result here is a `reading` record, verified, stored and settled with its postings and notice in one commit;
its bare commit is one row with the record's bytes. Ours and baseline take turns; times are medians,
rates their inverse, and `ratio` is how many times faster ours is (below 1: slower).
"""

import asyncio
import hashlib
import itertools
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import apsw

from host_tools import link, settlement
from host_tools.bridge import wagering
from host_tools.bridge.sink import LedgerSink
from host_tools.bridge.terms import new_round
from host_tools.ledger import Ledger, open_ledger
from host_tools.records import Device, Registry
from host_tools.rulebooks import load_rulebook
from tumbler.definitions import FIRST_PREVIOUS, PLAY_MODES
from tumbler.records.chain import Chain
from tumbler.signing import Ed25519Signer

_TERMS = settlement.open_table(
    load_rulebook("rws-sic-bo-open-cover-2021"), "pay-table-1", chip_unit="1", decimals=2
)
_ROUNDS = 100


def run() -> list[dict]:
    """Rows {"bench", "what", "ours", "baseline", "ratio", "unit"}."""
    with tempfile.TemporaryDirectory(prefix="ledger", dir=".") as folder:  # a disk, where /tmp may be memory
        return [
            _rate("result verified, stored and settled, 2 wagers; a row", Path(folder, "2"), 2),
            _time("settle 1,000 wagers durably; 1,000 rows", Path(folder, "1000"), 1_000, 20),
            _time("settle 10,000 wagers durably; 10,000 rows", Path(folder, "10000"), 10_000, 5),
        ]


def _rate(what: str, folder: Path, wagers: int) -> dict:
    ours, baseline = _seconds(folder, wagers, _ROUNDS, rows=1)
    return _row(what, 1 / ours, 1 / baseline, baseline / ours, "a second")


def _time(what: str, folder: Path, wagers: int, rounds: int) -> dict:
    ours, baseline = _seconds(folder, wagers, rounds, rows=wagers)
    return _row(what, ours * 1000, baseline * 1000, baseline / ours, "ms")


def _seconds(folder: Path, wagers: int, rounds: int, rows: int) -> tuple[float, float]:
    """Median seconds of a result's commit, and of a bare commit of so many rows, interleaved."""
    folder.mkdir()
    bare = _bare(folder / "bare.db")
    ours, baseline = [], []
    with open_ledger(folder / "ledger.db") as books:
        line = _Line(books)
        for _ in range(rounds):
            reading = line.reading_of_a_round(wagers)
            ours.append(_timed(lambda reading=reading: line.commit(reading)))
            batch = [(reading,)] * rows
            baseline.append(_timed(lambda batch=batch: _commit(bare, batch)))
        books.check()
    bare.close()
    return median(ours), median(baseline)


def _bare(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "full")
    connection.execute("CREATE TABLE results (number INTEGER PRIMARY KEY, raw BLOB)")
    return connection


def _commit(connection: apsw.Connection, rows: list[tuple[bytes]]) -> None:
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany("INSERT INTO results (raw) VALUES (?)", rows)
    connection.execute("COMMIT")


class _Line:
    """A device's records, signed by its own code, and the ledger at the other end."""

    def __init__(self, books: Ledger) -> None:
        signer = Ed25519Signer(bytes(range(32)))
        self._device = Device(b"bench..1", "bench", bytes(signer.public_key), bytes(32))
        self._books = books
        self._sink = LedgerSink(books, Registry([self._device]), link.SystemClock())
        self._chain = Chain(self._device.id, 1, 0, FIRST_PREVIOUS, signer, os.urandom)
        self._rounds = itertools.count(1)
        self.commit(self._sealed("boot", {"firmware": bytes(32), "profile": bytes(32)}))

    def commit(self, *records: bytes) -> None:
        """Hand the newest records to the sink, which has all before them."""
        first = self._chain.sequence - len(records) + 1
        asyncio.run(self._sink.commit(self._device.id, list(enumerate(records, start=first))))

    def reading_of_a_round(self, wagers: int) -> bytes:
        """Play a round up to its reading, which is signed and not delivered yet."""
        round_id = next(self._rounds).to_bytes(16)
        named = {"round": round_id}
        with self._books.transaction():
            self._books.open_round(new_round(round_id, "bench", self._device.id, _TERMS, 1))
        self.commit(self._sealed("round-opened", {**named, "mode": PLAY_MODES["open"]}))
        with self._books.transaction():
            placed = wagering.place(self._books, round_id, _wagers(wagers), _TERMS, 1)
        if len(placed.new) != wagers:
            raise RuntimeError(f"the table took {len(placed.new)} of {wagers} wagers")
        with self._books.transaction():
            self._books.set_state(round_id, "closing", 1)
        self.commit(self._sealed("no-more-bets", named))
        self.commit(self._sealed("tumble", {**named, "strokes": [(1600, 210)] * 3}))
        faces = [(digit % 6) + 1 for digit in hashlib.sha256(round_id).digest()[:3]]
        read = {"faces": faces, "tilts": [3, 4, 5], "confidences": [990, 991, 992]}
        return self._sealed("reading", {**named, **read, "frames": bytes(32), "profile": bytes(32)})

    def _sealed(self, kind: str, values: dict) -> bytes:
        record = bytes(self._chain.seal(kind, 1, values))
        self._chain.advance(record)
        return record


def _wagers(count: int) -> list[wagering.Wager]:
    """So many wagers of a hundred players, over the whole layout."""
    names = itertools.cycle(_TERMS.layout.offers)
    return [
        wagering.Wager(str(number), f"player {number % 100}", name, str(1 + number % 50))
        for number, name in zip(range(count), names, strict=False)
    ]


def _timed(work: Callable[[], None]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _row(what: str, ours: float, baseline: float, ratio: float, unit: str) -> dict:
    return {"bench": "ledger", "what": what, "ours": ours, "baseline": baseline, "ratio": ratio, "unit": unit}
