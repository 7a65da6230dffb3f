"""What the link's tests share: virtual time, a line that damages what it carries, a sink, a device."""

from __future__ import annotations

import asyncio
import functools
import hashlib
import random
from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from host_tools.faults.virtual_time import VirtualLoop
from host_tools.link import TransportLost, UnknownDevice
from host_tools.records.errors import BadSignature, Equivocation
from tumbler import definitions
from tumbler.evidence import Evidence
from tumbler.link.session import DeviceSession

DEVICE = b"tumbler1"
KEY = bytes(range(32))
FORGED = b"forged"  # so begins a record that a MemorySink does not believe to be the device's
UART_BUFFER = 512  # bytes that wait for the line


def hello_of(answers: int, **changes: Any) -> dict[str, Any]:
    """What a device says of itself in a HELLO that answers that greeting."""
    values = {
        "protocol_min": 1,
        "protocol_max": 1,
        "schema": definitions.schema_digest(),
        "device": DEVICE,
        "boot": 3,
        "first": 0,
        "last": 0,
        "firmware": bytes(32),
        "greeting": answers,
    }
    return {**values, **changes}


def run_virtually(work: Coroutine[Any, Any, None], limit_s: float) -> None:
    """Run `work` to its end, which must come within `limit_s` of virtual time."""
    problems: list[dict[str, Any]] = []
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        runner.get_loop().set_exception_handler(lambda _, context: problems.append(context))
        runner.run(asyncio.wait_for(work, limit_s))
    assert not problems, problems


def in_virtual_time(
    limit_s: float = 600,
) -> Callable[[Callable[..., Coroutine[Any, Any, None]]], Callable[..., None]]:
    """Decorates a test that is a coroutine; see run_virtually."""

    def decorate(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
        @functools.wraps(test)
        def run(*arguments: Any, **named: Any) -> None:
            run_virtually(test(*arguments, **named), limit_s)

        return run

    return decorate


class Faults:
    """What one direction of a line does to `share` of the frames on it. `kinds`: of KINDS."""

    KINDS = ("lose", "flip", "double", "insert", "delay", "cut", "split")

    def __init__(self, rng: random.Random, share: float, kinds: Sequence[str] = KINDS) -> None:
        self.rng = rng
        self.share = share
        self.kinds = kinds
        self.count = 0

    def apply(self, frame: bytes) -> list[tuple[float, bytes]]:
        """[(delay in seconds, bytes), ...] that come out for `frame`."""
        rng = self.rng
        if rng.random() >= self.share:
            return [(0, frame)]
        self.count += 1
        kind = rng.choice(self.kinds)
        at = rng.randrange(len(frame) + 1)
        if kind == "lose":
            return []
        if kind == "flip":
            damaged = bytearray(frame)
            for _ in range(rng.randint(1, 3)):
                damaged[rng.randrange(len(frame))] ^= 1 << rng.randrange(8)
            return [(0, bytes(damaged))]
        if kind == "double":
            return [(0, frame), (rng.choice([0, 0, 0.3]), frame)]
        if kind == "insert":
            return [(0, frame[:at] + rng.randbytes(rng.randint(1, 9)) + frame[at:])]
        if kind == "delay":
            return [(rng.uniform(0.01, 2), frame)]
        if kind == "cut":
            return [(0, frame[:at])]
        return [(0, bytes([byte])) for byte in frame]


class Wire:
    """One direction: `send` on one end, bytes in `arrived` on the other, at `baud` and in order."""

    def __init__(self, faults: Faults | None = None, baud: int = 115200) -> None:
        self.faults = faults
        self._byte_s = 10 / baud
        self.arrived = bytearray()
        self.news = asyncio.Event()
        self._free_at = 0.0

    def send(self, frame: bytes) -> int:
        loop = asyncio.get_running_loop()
        for delay, piece in self.faults.apply(frame) if self.faults else [(0.0, frame)]:
            self._free_at = max(loop.time(), self._free_at) + len(piece) * self._byte_s
            loop.call_at(self._free_at + delay, self._arrive, piece)
        return len(frame)

    def _arrive(self, piece: bytes) -> None:
        self.arrived += piece
        self.news.set()

    def offer(self, frame: bytes) -> int:
        """`send` as far as a UART's buffer takes it: nothing while it holds a good deal."""
        waiting = (self._free_at - asyncio.get_running_loop().time()) / self._byte_s
        return self.send(frame) if waiting < UART_BUFFER else 0

    def take(self) -> bytes:
        data = bytes(self.arrived)
        self.arrived.clear()
        self.news.clear()
        return data


class Line:
    """Both directions; `transport` is what a HostSession opens, `lose` pulls the plug on it."""

    def __init__(
        self, to_host: Faults | None = None, to_device: Faults | None = None, baud: int = 115200
    ) -> None:
        self.to_host = Wire(to_host, baud)
        self.to_device = Wire(to_device, baud)
        self.present = True
        self.opened = 0
        self._open: LineTransport | None = None

    async def transport(self) -> LineTransport:
        if not self.present:
            raise TransportLost("cannot open the line")
        self.opened += 1
        self.to_host.take()
        self._open = LineTransport(self)
        return self._open

    def lose(self) -> None:
        if self._open:
            self._open.lost = True
        self.to_host.news.set()


class LineTransport:
    """The host's end of a Line."""

    def __init__(self, line: Line) -> None:
        self.line = line
        self.lost = False

    async def read(self) -> bytes:
        wire = self.line.to_host
        while not wire.arrived and not self.lost:
            wire.news.clear()
            await wire.news.wait()
        if self.lost:
            raise TransportLost("the plug was pulled")
        return wire.take()

    async def write(self, data: bytes) -> None:
        if self.lost:
            raise TransportLost("the plug was pulled")
        self.line.to_device.send(data)

    async def close(self) -> None:
        self.lost = True


class MemorySink:
    """Keeps records as a ledger would; `during` runs inside each commit, before and after it is done."""

    def __init__(self, devices: Sequence[bytes] = (DEVICE,)) -> None:
        self.devices = devices
        self.records: list[tuple[int, bytes]] = []
        self.batches: list[int] = []
        self.during: Callable[[str], Coroutine[Any, Any, None]] | None = None

    def host_key(self, device: bytes) -> bytes:
        if device not in self.devices:
            raise UnknownDevice(f"device {device.hex()} is not registered")
        return KEY

    def head(self, device: bytes) -> tuple[int, bytes]:
        if not self.records:
            return 0, definitions.FIRST_PREVIOUS
        sequence, raw = self.records[-1]
        return sequence, hashlib.sha256(raw).digest()

    async def commit(self, device: bytes, records: Sequence[tuple[int, bytes]]) -> None:
        if self.during:
            await self.during("before")
        for sequence, raw in records:
            if raw.startswith(FORGED):
                raise BadSignature(f"record {sequence}: wrong signature")
            if sequence <= len(self.records):
                if self.records[sequence - 1] != (sequence, raw):
                    raise Equivocation(f"record {sequence} differs from the committed one")
                continue
            assert sequence == len(self.records) + 1, f"{sequence} after {len(self.records)}"
            self.records.append((sequence, raw))
        self.batches.append(len(records))
        if self.during:
            await self.during("after")


class Device:
    """A device on a line: a journal that outlives its boots, a session a boot. `obey` answers commands."""

    TICK_S = 0.01
    SHARED = False
    FRAME = 19200  # bytes: 160x120

    def __init__(
        self, line: Any, open_journal: Callable[[], Any], rng: random.Random, device: bytes = DEVICE
    ) -> None:
        self.line = line
        self.id = device
        self.boots = 0
        self.forked: list[str] = []
        self.executed: list[dict[str, Any]] = []
        self.obey: Callable[[Device, dict[str, Any]], None] = Device.attest
        self._open_journal = open_journal
        self._rng = rng
        self.boot()

    def boot(self) -> None:
        self.boots += 1
        self.line.to_device.take()
        self.journal = self._open_journal()
        self._started = asyncio.get_running_loop().time()
        identity = {"device": self.id, "boot": self.boots, "firmware": bytes(32)}
        self.evidence = Evidence(4, self.FRAME, spare=0)
        session = self._rng.randrange(1, 2**32)
        self.session = DeviceSession(
            self.journal, KEY, identity, session, self._write, self.evidence, self.SHARED
        )
        self.session.notify({"state": "idle", "strokes": 0, "at_rest": True, "faults": []}, self.now())

    def now(self) -> int:
        return int((asyncio.get_running_loop().time() - self._started) * 1000)

    def record(self) -> int:
        """Journal a record of a size, and with the bytes, that only chance knows."""
        sequence = self.journal.last + 1
        self.journal.append(sequence, self._rng.randbytes(self._rng.choice([90, 180, 253, 400, 640])))
        return sequence

    def read_scene(self) -> bytes:
        """Read four frames of noise, which are then kept; returns their SHA-256."""
        self.evidence.begin()
        for index in range(4):
            self.evidence.frame(index)[:] = self._rng.randbytes(self.FRAME)
        whole = b"".join(bytes(self.evidence.frame(index)) for index in range(4))
        self.evidence.complete(hashlib.sha256(whole).digest())
        return hashlib.sha256(whole).digest()

    def attest(self, command: dict[str, Any]) -> None:
        """Carry out a command as the controller does: journal first, then reply."""
        self.executed.append(command)
        self.record()
        self.session.reply(command["id"], "done", "idle", "", self.now())

    async def run(self) -> None:
        while True:
            for command in self.session.feed(self.line.to_device.take(), self.now()):
                self.obey(self, command)
            self.session.poll(self.now())
            if self.session.forked:
                self.forked.append(self.session.forked)
            await asyncio.sleep(self.TICK_S)

    def _write(self, data: Any) -> int:
        return self.line.to_host.offer(bytes(data))
