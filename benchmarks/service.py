"""The table service over simulated tumblers: from a record received to its settlement announced.

A reading is received when the session hands it to the ledger's side, and announced when a reader of the
stream has the `round-settled`; each round has 50 wagers. Its baseline is a bare transaction of one row on
the same disk, in the same run. `ratio` is how many times faster ours is (below 1: slower).
"""

import asyncio
import itertools
import resource
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median, quantiles
from typing import Any

import apsw
import cbor2

from host_tools import link
from host_tools.bridge.sink import LedgerSink
from host_tools.bridge.wagering import Wager
from host_tools.load.fleet import Fleet, FleetTumbler
from host_tools.people import Person, Role
from host_tools.service.config import ServiceConfig, TableSettings, read_config
from host_tools.service.playing import Playing
from host_tools.service.service import Service
from tumbler.definitions import RECORD_FIELDS, RECORD_KINDS

_KIND, _READING = RECORD_FIELDS["kind"][0], RECORD_KINDS["reading"][0]
_RULES = {"rulebook": "mbs-electronic-sic-bo-v4", "layout": "rapid-select", "chip_unit": "1"}
_PERSON = Person("bench", Role.TABLE_SERVER, program=True, origin="here")
_PLACES = ("small", "big", "odd", "even", "any-triple", "triple:1", "domino:1-2", "single:6")
_SENDERS = 64
_LONGEST_S = 120.0


def run() -> list[dict]:
    """Rows {"bench", "what", "ours", "baseline", "ratio", "unit"}."""
    rows = []
    for tables, rounds, betting_s in ((200, 300, 15.0), (50, 150, 5.0), (1, 40, 0.3)):
        rows += _at(tables, rounds, betting_s)
    return [*rows, _placing(), *_settling(10_000)]


def _at(tables: int, rounds: int, betting_s: float) -> list[dict]:
    """So many rounds at so many tables, and the memory that each table takes."""
    speed = 8.0 if tables == 1 else 1.0
    with _Bench(tables, betting_s, speed) as bench:
        asyncio.run(bench.play(rounds, wagers=50))
        bare = bench.bare_ms()
        what = f"record received to settlement announced, {tables} table{'s'[: tables - 1]}"
        cuts = quantiles(bench.took_ms, n=100)
        rows = [_row(f"{what}, {name}", cuts[at], bare, "ms") for name, at in (("p50", 49), ("p99", 98))]
        if tables > 50:  # the first: what is given back stays with the process, and later ones have it
            rows.append(_figure(f"memory a table, of {tables}", bench.grown_kb / tables, "KB"))
        return rows


def _placing() -> dict:
    """Wagers a second from many senders, each with one wager and waiting for its answer."""
    with _Bench(1, 30.0, 8.0) as bench:
        asyncio.run(bench.place_by_many(8))
        bare = 1000 / bench.bare_ms()
        what = f"wagers accepted of {_SENDERS} senders; a transaction each"
        ours = _SENDERS / median(bench.took_ms) * 1000
        return {**_figure(what, ours, "a second"), "baseline": bare, "ratio": ours / bare}


def _settling(wagers: int) -> list[dict]:
    """Rounds with so many wagers: wall time, and processor time where the machine does other things."""
    with _Bench(1, 8.0, 8.0) as bench:
        asyncio.run(bench.play(5, wagers=wagers))
        bare = bench.bare_ms()
        what = f"a round of {wagers:,} wagers, from its record to its settlement announced"
        return [
            _row(f"{what}, median", median(bench.took_ms), bare, "ms"),
            _row(f"{what}, processor time", median(bench.cpu_ms), bare, "ms"),
        ]


class _Bench:
    """Simulated tumblers and the service of their tables; `took_ms` and `cpu_ms` are what was measured."""

    def __init__(self, tables: int, betting_s: float, speed: float) -> None:
        self.took_ms: list[float] = []
        self.cpu_ms: list[float] = []
        self.grown_kb = 0.0
        self._names = [f"Table {number}" for number in range(tables)]
        self._folder = tempfile.TemporaryDirectory(prefix="service", dir=".")  # a disk
        self._fleet = Fleet(["covered"] * tables, "bench", processes=2 if tables > 50 else 1, speed=speed)
        self._received: dict[str, tuple[float, float]] = {}
        self._numbers = itertools.count()
        self._betting_s = betting_s
        self._speed = speed

    def __enter__(self) -> "_Bench":
        self._fleet.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._fleet.__exit__()
        self._folder.cleanup()

    async def play(self, rounds: int, wagers: int) -> None:
        """Play until so many rounds are settled."""
        before_kb = _resident_kb()
        async with self._service() as service:
            playing = Playing(service, _PERSON)
            async with asyncio.timeout(_LONGEST_S), asyncio.TaskGroup() as bets:
                async for event in playing.follow(0):
                    if event.kind == "bets-open":
                        bets.create_task(self._bet(playing, event.table, event.round or "", wagers))
                    elif event.kind == "round-settled":
                        began, cpu = self._received[event.table]
                        self.took_ms.append((time.perf_counter() - began) * 1000)
                        self.cpu_ms.append((time.process_time() - cpu) * 1000)
                        if len(self.took_ms) == rounds:
                            break
                    elif event.kind == "round-void":
                        raise RuntimeError(f"a round is void: {event.body}")
            self.grown_kb = _resident_kb() - before_kb

    async def place_by_many(self, times: int) -> None:
        """Place one wager by each of many senders at once."""
        async with self._service() as service, asyncio.timeout(_LONGEST_S):
            playing = Playing(service, _PERSON)
            async for event in playing.follow(0):
                if event.kind == "bets-open" and event.round is not None:
                    for _ in range(times):
                        began = time.perf_counter()
                        async with asyncio.TaskGroup() as senders:
                            for _ in range(_SENDERS):
                                senders.create_task(playing.place(event.table, event.round, self._wagers(1)))
                        self.took_ms.append((time.perf_counter() - began) * 1000)
                    return

    def bare_ms(self) -> float:
        """A bare transaction of one row, median."""
        connection = apsw.Connection(f"{self._folder.name}/bare.db")
        connection.pragma("journal_mode", "wal")
        connection.pragma("synchronous", "full")
        connection.execute("CREATE TABLE results (number INTEGER PRIMARY KEY, raw BLOB)")
        took = []
        for _ in range(50):
            began = time.perf_counter()
            with connection:
                connection.execute("INSERT INTO results (raw) VALUES (?)", (bytes(200),))
            took.append((time.perf_counter() - began) * 1000)
        connection.close()
        return median(took)

    def _service(self) -> Service:
        tables = [
            {
                "name": name,
                "device": "virtual",
                "evidence": "none",
                "rounds": "automatic",
                "betting_s": self._betting_s,
                **_RULES,
            }
            for name in self._names
        ]
        content = {"service": {"ledger": "ledger.sqlite", "grace_s": 0}, "tables": tables}
        config: ServiceConfig = read_config(content, Path(self._folder.name))
        return Service(config, link.SystemClock(), make=self._make)

    async def _make(self, settings: TableSettings) -> "_Tumbler":
        number = self._names.index(settings.name)
        return _Tumbler(self._fleet.tumblers[number], self._speed, partial(self._note, settings.name))

    def _note(self, table: str) -> None:
        self._received[table] = time.perf_counter(), time.process_time()

    async def _bet(self, playing: Playing, table: str, round_id: str, wagers: int) -> None:
        left = self._wagers(wagers)
        while left:
            batch, left = left[:1000], left[1000:]
            await playing.place(table, round_id, batch)

    def _wagers(self, count: int) -> list[Wager]:
        numbers = list(itertools.islice(self._numbers, count))
        return [Wager(f"{each}", f"p{each % 100}", _PLACES[each % len(_PLACES)], "5") for each in numbers]


class _Tumbler:
    """A tumbler of the fleet as the service sees it; `note` is called when a reading has been received."""

    def __init__(self, tumbler: FleetTumbler, speed: float, note: Callable[[], None]) -> None:
        self.registered = tumbler.registered
        self.id = tumbler.registered.id
        self._port = tumbler.port
        self._speed = speed
        self._note = note

    async def start(self) -> None:
        """See service.devices.Tumbler."""

    async def stop(self) -> None:
        """See service.devices.Tumbler."""

    def new_session(self, sink: LedgerSink, clock: link.Clock, **callbacks: Any) -> link.HostSession:
        """See service.devices.Tumbler."""
        noting = _NotingSink(sink, self._note)
        opened = partial(link.open_serial, self._port)
        return link.HostSession(opened, noting, clock, ping_s=1 / self._speed, **callbacks)

    def before_round(self) -> None:
        """See service.devices.Tumbler."""

    def cue(self, name: str) -> None:
        """See service.devices.Tumbler."""


class _NotingSink:
    """The ledger's sink, which notes when a reading comes to it."""

    def __init__(self, sink: LedgerSink, note: Callable[[], None]) -> None:
        self.head = sink.head
        self.host_key = sink.host_key
        self._sink = sink
        self._note = note

    async def commit(self, device: bytes, records: Sequence[tuple[int, bytes]]) -> None:
        """See LedgerSink."""
        if any(_is_reading(record) for _, record in records):
            self._note()
        await self._sink.commit(device, records)


def _is_reading(record: bytes) -> bool:
    return cbor2.loads(cbor2.loads(record).value[2])[_KIND] == _READING


def _row(what: str, ours: float, baseline: float, unit: str) -> dict:
    return {**_figure(what, ours, unit), "baseline": baseline, "ratio": baseline / ours}


def _figure(what: str, ours: float, unit: str) -> dict:
    return {"bench": "service", "what": what, "ours": ours, "baseline": None, "ratio": None, "unit": unit}


def _resident_kb() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1024
