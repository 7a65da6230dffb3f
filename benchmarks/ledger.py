"""The ledger: results stored and settled durably, against bare commits to the same kind of database.

A result here is a `reading` record, verified, stored and settled with postings and notice; its bare commit
is one row with the record's bytes. "32 tables" hands over the results of so many tables at once, which share
commits; bare, each result is a commit. Ours and baseline take turns; times are medians, rates their inverse,
and `ratio` is how many times faster ours is (below 1: slower).
"""

import asyncio
import hashlib
import itertools
import os
import tempfile
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import NamedTuple

import apsw
import psycopg

from host_tools import link, settlement
from host_tools.bridge import wagering
from host_tools.bridge.sink import LedgerSink
from host_tools.bridge.terms import new_round
from host_tools.ledger import Ledger, open_ledger
from host_tools.records import Device, Registry
from host_tools.rulebooks import load_rulebook
from host_tools.testing.postgres_server import PostgresServer
from tumbler.definitions import FIRST_PREVIOUS, PLAY_MODES
from tumbler.records.chain import Chain
from tumbler.signing import Ed25519Signer

_TERMS = settlement.open_table(
    load_rulebook("rws-sic-bo-open-cover-2021"), "pay-table-1", chip_unit="1", decimals=2
)
_ROUNDS = 60
_TABLES = 32


class _Place(NamedTuple):
    """A kind of database: its name, where a new ledger can be, and a bare commit of rows to another place."""

    name: str
    where: Callable[[], str]
    bare: Callable[[list[tuple[bytes]]], None]


def run() -> list[dict]:
    """Rows {"bench", "what", "ours", "baseline", "ratio", "unit"}."""
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="ledger", dir="."))  # a disk
        sqlite = _sqlite(Path(folder), stack)
        server = stack.enter_context(PostgresServer())
        postgres = _postgres(server, stack)
        return [
            *(_rate(place, 1) for place in (sqlite, postgres)),
            *(_rate(place, _TABLES) for place in (sqlite, postgres)),
            *(_placing(place) for place in (sqlite, postgres)),
            _time(sqlite, 1_000, 10),
            *(_time(place, 10_000, 5) for place in (sqlite, postgres)),
        ]


def _sqlite(folder: Path, stack: ExitStack) -> _Place:
    connection = apsw.Connection(str(folder / "bare.db"))
    stack.callback(connection.close)
    connection.pragma("journal_mode", "wal")
    connection.pragma("synchronous", "full")
    connection.execute("CREATE TABLE results (number INTEGER PRIMARY KEY, raw BLOB)")

    def commit(rows: list[tuple[bytes]]) -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.executemany("INSERT INTO results (raw) VALUES (?)", rows)
        connection.execute("COMMIT")

    numbers = itertools.count()
    return _Place("SQLite", lambda: str(folder / f"{next(numbers)}.db"), commit)


def _postgres(server: PostgresServer, stack: ExitStack) -> _Place:
    connection = stack.enter_context(psycopg.connect(server.url(), autocommit=True))
    connection.execute("CREATE TABLE results (number BIGINT GENERATED ALWAYS AS IDENTITY, raw BYTEA)")

    def commit(rows: list[tuple[bytes]]) -> None:
        with connection.transaction(), connection.cursor() as cursor:
            cursor.executemany("INSERT INTO results (raw) VALUES (%s)", rows)

    return _Place("PostgreSQL", server.new_database, commit)


def _rate(place: _Place, tables: int) -> dict:
    """Results a second of so many tables, each waiting for its own before the next."""
    ours, baseline = _seconds(place, tables, wagers=2, rounds=_ROUNDS if tables == 1 else 8, rows=1)
    what = f"{place.name}: result verified, stored and settled, {tables} table{'s'[: tables - 1]}; a row each"
    return _row(what, tables / ours, 1 / baseline, tables * baseline / ours, "a second")


def _time(place: _Place, wagers: int, rounds: int) -> dict:
    ours, baseline = _seconds(place, 1, wagers, rounds, rows=wagers)
    what = f"{place.name}: settle {wagers:,} wagers durably; {wagers:,} rows"
    return _row(what, ours * 1000, baseline * 1000, baseline / ours, "ms")


def _placing(place: _Place) -> dict:
    """Wagers a second from many senders at once, each sending one and waiting for its answer."""
    with open_ledger(place.where()) as books:
        line = _Line(books, 0)
        round_id = line.betting_round(0)
        senders = 64
        numbers = itertools.count()

        async def send() -> None:
            batch = [wagering.Wager(f"id {next(numbers)}", "Ann", "small", "1")]
            await books.durably(lambda: wagering.place(books, round_id, batch, _TERMS, 1))

        async def send_all() -> None:
            await asyncio.gather(*(send() for _ in range(senders)))

        ours, baseline = [], []
        with asyncio.Runner() as runner:
            for _ in range(8):
                ours.append(_timed(lambda: runner.run(send_all())))
                baseline.append(_timed(lambda: place.bare([(b"wager",)])))
    rate, bare = senders / median(ours), 1 / median(baseline)
    return _row(
        f"{place.name}: wagers placed by {senders} senders; a row each", rate, bare, rate / bare, "a second"
    )


def _seconds(place: _Place, tables: int, wagers: int, rounds: int, rows: int) -> tuple[float, float]:
    """Median seconds until the results of all tables are committed, and of a bare commit, interleaved."""
    ours, baseline = [], []
    with open_ledger(place.where()) as books, asyncio.Runner() as runner:
        lines = [_Line(books, number) for number in range(tables)]

        async def commit_all(readings: list[bytes]) -> None:
            await asyncio.gather(
                *(line.commit(reading) for line, reading in zip(lines, readings, strict=True))
            )

        for _ in range(rounds):
            readings = [line.reading_of_a_round(wagers) for line in lines]
            ours.append(_timed(lambda readings=readings: runner.run(commit_all(readings))))
            batch = [(readings[0],)] * rows
            baseline.append(_timed(lambda batch=batch: place.bare(batch)))
        books.check()
    return median(ours), median(baseline)


class _Line:
    """A device's records, signed by its own code, and the ledger at the other end."""

    def __init__(self, books: Ledger, number: int) -> None:
        signer = Ed25519Signer(bytes([number]) * 32)
        self._table = f"table {number}"
        self._device = Device(b"bench.%02d" % number, "bench", bytes(signer.public_key), bytes(32))
        self._books = books
        books.hold(self._table)
        self._sink = LedgerSink(books, Registry([self._device]), link.SystemClock())
        self._chain = Chain(self._device.id, 1, 0, FIRST_PREVIOUS, signer, os.urandom)
        self._rounds = itertools.count(1)
        self._prefix = bytes([number]) * 8
        asyncio.run(self.commit(self._sealed("boot", {"firmware": bytes(32), "profile": bytes(32)})))

    async def commit(self, *records: bytes) -> None:
        """Hand the newest records to the sink, which has all before them."""
        first = self._chain.sequence - len(records) + 1
        await self._sink.commit(self._device.id, list(enumerate(records, start=first)))

    def betting_round(self, wagers: int) -> bytes:
        """Open a round and place wagers in it; its id."""
        round_id = self._prefix + next(self._rounds).to_bytes(8)
        with self._books.transaction():
            self._books.open_round(new_round(round_id, self._table, self._device.id, _TERMS, 1))
        opened = self._sealed("round-opened", {"round": round_id, "mode": PLAY_MODES["open"]})
        asyncio.run(self.commit(opened))
        with self._books.transaction():
            placed = wagering.place(self._books, round_id, _wagers(wagers), _TERMS, 1)
        if len(placed.new) != wagers:
            raise RuntimeError(f"the table took {len(placed.new)} of {wagers} wagers")
        return round_id

    def reading_of_a_round(self, wagers: int) -> bytes:
        """Play a round up to its reading, which is signed and not delivered yet."""
        named = {"round": self.betting_round(wagers)}
        with self._books.transaction():
            self._books.set_state(named["round"], "closing", 1)
        closed = self._sealed("no-more-bets", named)
        tumbled = self._sealed("tumble", {**named, "strokes": [(1600, 210)] * 3})
        asyncio.run(self.commit(closed, tumbled))
        faces = [(digit % 6) + 1 for digit in hashlib.sha256(named["round"]).digest()[:3]]
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
