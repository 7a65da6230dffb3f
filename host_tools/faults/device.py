"""A tumbler in memory that dies and comes back: the firmware's controller, journal, chain, link as they are.

What outlives a power cut is the flash and the marks beside it. The power goes between two steps, or in the
middle of an operation of the flash, which is then done in part. Only the signature is another
implementation's (RFC 8032, as the device's), since signing is not what is proven here.
"""

import asyncio
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from random import Random
from typing import Any, Protocol

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from host_tools.boards import load_board
from host_tools.faults.flash import MarkChange, Medium, MemoryMarks
from host_tools.faults.nor import BLOCK, Erase, NorFlash
from host_tools.faults.world import Scene, World
from host_tools.records import Device as Registered
from host_tools.records.registry import possession_message
from tumbler.assembly import prove
from tumbler.config import Limits
from tumbler.controller import Controller, Identity
from tumbler.journal import JournalFull, pages
from tumbler.journal.ring import Ring
from tumbler.link import DeviceSession
from tumbler.records.chain import Chain

_RING = b"the ring"
_LEAST_BLOCKS = 36  # with which a ring never fills although the host has its records
_SIGNING_S = 0.1
_ERASING_S = 0.05  # during which a board may hear nothing


class PowerCut(BaseException):
    """The power goes in the middle of an operation of the flash."""


class PromiseBroken(Exception):
    """What a device, host or table had promised does not hold; the seed plays it again."""


class Outgoing(Protocol):
    """The wire that a device sends on."""

    def offer(self, frame: bytes, /) -> int: ...
    def stop(self) -> None: ...


class Incoming(Protocol):
    """The wire that a device hears."""

    arrived: bytearray
    news: asyncio.Event


class DeviceEnd(Protocol):
    """What a device is plugged into; see line.Cable."""

    @property
    def to_host(self) -> Outgoing: ...
    @property
    def to_device(self) -> Incoming: ...


class _Key:
    """A device's key as its signer."""

    def __init__(self, seed: bytes) -> None:
        self._private = Ed25519PrivateKey.from_private_bytes(seed)
        self.public_key = self._private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.key_id = sha256(self.public_key).digest()[:8]

    def sign(self, message: bytes, entropy: Callable[[int], bytes]) -> bytes:
        """See signing.Ed25519Signer."""
        del entropy
        return self._private.sign(message)


class _Board:
    """The board interface of tumbler.hal for one boot."""

    def __init__(self, world: World, cable: DeviceEnd, rng: Random) -> None:
        self.started = asyncio.get_running_loop().time()
        self.blocked = False  # the line takes no more now
        self.level = world.levels.__getitem__
        self.vibration = world.vibration
        self.start_strokes = world.drive
        self.stop_drive = world.stop
        self.release_cover = world.release_cover
        self.entropy = rng.randbytes
        self._world = world
        self._cable = cable

    def now(self) -> int:
        """Milliseconds since the boot."""
        return int((asyncio.get_running_loop().time() - self.started) * 1000)

    def edges(self) -> Iterator[tuple[str, bool, int]]:
        """Edges since this boot."""
        for at, channel, level in self._world.take_edges():
            if at >= self.started:
                yield channel, level, int((at - self.started) * 1e6)

    def receive(self, buffer: bytearray) -> int:
        """What the line has brought."""
        arrived = self._cable.to_device.arrived
        count = min(len(buffer), len(arrived))
        buffer[:count] = arrived[:count]
        del arrived[:count]
        return count

    def send(self, data: Any) -> int:
        """As much as the UART takes."""
        count = self._cable.to_host.offer(bytes(data))
        self.blocked = not count
        return count


class _WatchedRing(Ring):
    """The ring, which tells of each record that it has promised to keep and of each that the host has."""

    def __init__(self, device: "SimulatedDevice", flash: NorFlash, marks: MemoryMarks) -> None:
        super().__init__(flash, device.blocks, _RING, marks)
        self._device = device

    def append(self, sequence: int, record: bytes, reserve: bool = True) -> None:
        self._device.appending = True
        try:
            super().append(sequence, record, reserve)
        except JournalFull:
            self._device.appending = False
            raise
        self._device.appending = False
        self._device.records.append(bytes(record))
        self._device.busy_s += _SIGNING_S

    def acknowledge(self, sequence: int, keep: int) -> None:
        self._device.acknowledged = max(self._device.acknowledged, min(sequence, self.last))
        super().acknowledge(sequence, keep)


class SimulatedDevice:
    """A tumbler with its flash, in a world, on a cable.

    `records`: every record that it has ever promised to keep, in order; `acknowledged`: the newest that it
    was told is committed; `boots`: when each boot was powered on, by its counter. `failed` is called with an
    error of the firmware, which then stands still.
    """

    def __init__(
        self, rng: Random, world: World, cable: DeviceEnd, failed: Callable[[BaseException], None]
    ) -> None:
        self.records: list[bytes] = []
        self.acknowledged = 0
        self.boots: dict[int, float] = {}
        self.appending = False
        self.busy_s = 0.0
        self.cut_in: int | None = None  # operations of the flash until the power goes
        self.cuts: list[int] = []  # `cut_in` of the boots to come
        self.operations = 0  # of the flash
        self.torn = 0  # operations in which the power went
        self.tears = rng  # decides how much of such an operation is done
        self.disturbed_at = 0.0
        self.blocks = tuple(rng.sample(range(50), rng.randint(_LEAST_BLOCKS, 48)))
        self._key = _Key(rng.randbytes(32))
        self._rng = rng
        self._world = world
        self._cable = cable
        self._failed = failed
        self._deaf_s = 0.0
        self._medium = self._new_medium()
        self._host_key = rng.randbytes(32)
        self._profile = rng.randbytes(32)
        self._life: asyncio.Task[None] | None = None
        cable.to_device.news = world.news
        self.registered = Registered(
            sha256(self._key.public_key).digest()[:8], "simulated", self._key.public_key, self._host_key
        )

    def possession(self, challenge: bytes) -> bytes:
        """What proves to a registry that it has its key."""
        return self._key.sign(possession_message(self.registered.id, challenge), self._rng.randbytes)

    def _new_medium(self) -> Medium:
        content = bytearray(b"\xff" * (BLOCK * 50))
        for number, block in enumerate(self.blocks):
            header = pages.pack_header(_RING, number, len(self.blocks), 0, 0)
            content[block * BLOCK : block * BLOCK + len(header)] = header
        return Medium(content, {})

    # --- power

    @property
    def powered(self) -> bool:
        """Whether it runs."""
        return self._life is not None and not self._life.done()

    def power_on(self) -> None:
        """Boot."""
        if self.cuts:
            self.cut_in = self.cuts.pop(0)
        self._life = asyncio.create_task(self._live())

    def cut(self) -> None:
        """The power goes now, between two steps."""
        if self._life and self.powered:
            self._life.cancel()
            self._dead()

    async def wait_dead(self) -> None:
        """Return when the power is gone."""
        if self._life:
            await asyncio.wait({self._life})

    def _dead(self) -> None:
        self._world.stop()
        self._cable.to_host.stop()
        self.cut_in = None
        self.disturbed_at = asyncio.get_running_loop().time()

    async def _live(self) -> None:
        try:
            board = _Board(self._world, self._cable, self._rng)
            self.busy_s = self._deaf_s = 0.0
            controller = self._assembled(board)
            controller.power_on()
            while True:
                controller.step()
                await self._work()
                await self._nap(board, controller.state.phase)
        except PowerCut:
            self.torn += 1
            self._dead()
        except Exception as error:
            self._failed(error)

    async def _work(self) -> None:
        """Time that signing takes, and erasing, during which nothing is heard."""
        if self.busy_s:
            busy_s, self.busy_s = self.busy_s, 0.0
            await asyncio.sleep(busy_s)
        if self._deaf_s:
            arrived = self._cable.to_device.arrived
            heard, deaf_s, self._deaf_s = len(arrived), self._deaf_s, 0.0
            await asyncio.sleep(deaf_s)
            del arrived[heard:]

    async def _nap(self, board: _Board, phase: str) -> None:
        """Sleep until something has happened, or for as long as the phase allows."""
        if board.blocked:
            seconds = 0.01
        elif phase in ("tumbling", "settling", "reading"):
            seconds = 0.03
        else:
            seconds = 0.25 if self.acknowledged < len(self.records) else 1.0
        news = self._world.news
        timer = asyncio.get_running_loop().call_later(seconds, news.set)
        await news.wait()
        news.clear()
        timer.cancel()

    # --- a boot

    def _assembled(self, board: _Board) -> Controller:
        """As assembly.assemble does, without its self-tests and the key store."""
        marks = MemoryMarks(self._medium, self._watch)
        journal = _WatchedRing(self, NorFlash(content=self._medium.content, watch=self._watch), marks)
        id = self.registered.id
        proven, lost = prove(journal, id)
        if lost:
            raise PromiseBroken(f"a power cut passes for damage: {lost}")
        self._check_kept(journal)
        boot = journal.next_boot(proven.boot)
        if self.boots and boot <= max(self.boots):
            raise PromiseBroken(f"boot {boot} was given before")
        self.boots[boot] = board.started
        if self._rng.random() < 0.02:
            self._profile = self._rng.randbytes(32)
        chain = Chain(id, boot, proven.sequence, proven.digest, self._key, board.entropy)
        identity = {"device": id, "boot": boot, "firmware": b"f" * 32}
        session = self._rng.randrange(1, 1 << 32)
        link = DeviceSession(journal, self._host_key, identity, session, board.send)
        scene = Scene(self._world, self._rng)
        parts = (board, _limits(), Identity(b"f" * 32, self._profile), scene)
        return Controller(*parts, journal, chain, link, proven)

    def _check_kept(self, journal: Ring) -> None:
        """No record that was promised is lost or changed; at most the one that was being written is new."""
        known = len(self.records)
        if not known <= journal.last <= known + self.appending:
            raise PromiseBroken(f"the journal ends at {journal.last}, {known} records were promised")
        for sequence in range(max(journal.first, known - 40), known + 1):
            if sequence and journal.read(sequence) != self.records[sequence - 1]:
                raise PromiseBroken(f"record {sequence} changed")
        if journal.first > self.acknowledged + 1:
            raise PromiseBroken(f"record {journal.first} is the first, the host has {self.acknowledged}")
        if journal.last > known:
            self.records.append(bytes(journal.read(journal.last)))
        self.appending = False

    def _watch(self, operation: Any) -> None:
        """Each operation of the flash passes here before it is done."""
        self.operations += 1
        if isinstance(operation, Erase):
            self._deaf_s += _ERASING_S
        if self.cut_in is None:
            return
        self.cut_in -= 1
        if self.cut_in > 0:
            return
        percent = self.tears.choice((0, 25, 50, 75, 100))
        if isinstance(operation, MarkChange):
            if percent >= 50:
                operation.apply(self._medium)
        elif percent == 100:
            operation.apply(self._medium.content)
        else:
            garbage = self.tears.choice((None, lambda: self.tears.getrandbits(32)))
            operation.torn(self._medium.content, percent, garbage)
        raise PowerCut


@cache
def _limits() -> Limits:
    return Limits(load_board("virtual").settings["limits"])
