"""The link: records and evidence a second at 115200 and 921600 baud, against what the line can carry.

Both ends run as they are, in virtual time: the line, the host's commit and the device's step take the time
that is stated, so what is measured is the protocol. Baseline: the line's limit, frame behind frame.
"""

import asyncio
import contextlib
import hashlib
import random
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from host_tools.faults.virtual_time import VirtualClock
from host_tools.link import EvidenceFile, HostSession
from host_tools.link.framing import encode_frame
from tests.host_tools.link.rig import Device, Line, MemorySink, run_virtually
from tumbler import definitions

_BAUDS = (115200, 921600)
_RECORD = 180  # bytes, as a signed reading has
_RECORDS = 400
_COMMIT_S = 0.003  # a durable commit on an SSD
_STEP_S = 0.002  # of the device's main loop
_FRAME = 320 * 240


def run() -> list[dict]:
    """Rows {"bench", "what", "ours", "baseline", "ratio", "unit"}."""
    rows = []
    for baud in _BAUDS:
        for backlog in (True, False):
            rows.append(_records(baud, backlog))
        rows.append(_evidence(baud))
    return rows


class _Journal:
    """Records in memory: the flash is measured elsewhere."""

    def __init__(self) -> None:
        self.first = self.last = self.acknowledged = 0
        self._records: dict[int, bytes] = {}

    def append(self, sequence: int, record: bytes) -> None:
        self._records[sequence] = record
        self.first, self.last = 1, sequence

    def read(self, sequence: int) -> bytes:
        return self._records[sequence]

    def acknowledge(self, sequence: int, _keep: int) -> None:
        self.acknowledged = sequence


class _Board(Device):
    TICK_S = _STEP_S
    FRAME = _FRAME

    def record(self) -> int:
        sequence = self.journal.last + 1
        self.journal.append(sequence, self._rng.randbytes(_RECORD))
        return sequence


@contextlib.asynccontextmanager
async def _linked(baud: int) -> AsyncIterator[tuple[_Board, HostSession, MemorySink]]:
    line = Line(baud=baud)
    journal = _Journal()
    board = _Board(line, lambda: journal, random.Random(1))
    sink = MemorySink()

    async def commit(moment: str) -> None:
        if moment == "before":
            await asyncio.sleep(_COMMIT_S)

    sink.during = commit
    host = HostSession(line.transport, sink, VirtualClock())
    tasks = [asyncio.create_task(board.run()), asyncio.create_task(host.run())]
    try:
        await host.wait_connected()
        await asyncio.sleep(1.5)  # the greeting is over
        yield board, host, sink
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def _records(baud: int, backlog: bool) -> dict:
    """A backlog flows in windows; live records come one at a time, each as the one before is acknowledged."""
    took = 0.0

    async def work() -> None:
        nonlocal took
        async with _linked(baud) as (board, _, sink):
            begun = asyncio.get_running_loop().time()
            for number in range(_RECORDS):
                board.record()
                if not backlog:
                    await _acknowledged(board, number + 1)
            await _acknowledged(board, _RECORDS)
            took = asyncio.get_running_loop().time() - begun
            assert len(sink.records) == _RECORDS

    run_virtually(work(), 600)
    frame = encode_frame(definitions.DEVICE_TYPES["record"], 0x1234ABCD, bytes(8) + b"\x55" * _RECORD)
    kind = "a backlog" if backlog else "one after the other"
    return _row(
        f"records, {kind}, at {baud}; the line's limit", _RECORDS / took, baud / 10 / len(frame), "1/s"
    )


async def _acknowledged(board: _Board, count: int) -> None:
    while board.session.committed < count:  # noqa: ASYNC110 - nobody announces it
        await asyncio.sleep(0.0005)


def _evidence(baud: int) -> dict:
    took = 0.0

    async def work() -> None:
        nonlocal took
        async with _linked(baud) as (board, host, _):
            digest = board.read_scene()
            with tempfile.TemporaryDirectory() as folder:
                file = EvidenceFile(Path(folder), digest)
                begun = asyncio.get_running_loop().time()
                await host.questions.evidence(file)
                took = asyncio.get_running_loop().time() - begun
                assert hashlib.sha256(file.path.read_bytes()).digest() == digest

    run_virtually(work(), 600)
    kb = 4 * _FRAME / 1000
    return _row(f"evidence, {kb:.0f} KB, at {baud}; the line's limit", kb / took, baud / 10 / 1000, "KB/s")


def _row(what: str, ours: float, limit: float, unit: str) -> dict:
    ratio = ours / limit
    return {"bench": "link", "what": what, "ours": ours, "baseline": limit, "ratio": ratio, "unit": unit}
