"""A serial line in memory that damages what it carries, under a port's name that changes.

Bytes leave at the baud rate and arrive in order; of a share of the frames something is lost, flipped,
doubled, inserted, delayed, cut or split. Some are kept so long that they come, or come once more, in a later
conversation: of another process of the host, or another boot of the device. What a sender that lost its power
had not yet put on the wire never arrives: the line then holds half a frame of its life before.
"""

import asyncio
import itertools
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from random import Random

from host_tools.link import Transport, TransportLost
from host_tools.link.transport import COMMON_POLICY, OpenPolicy
from tumbler.definitions import HOST_TYPES

KINDS = ("lose", "flip", "double", "insert", "delay", "cut", "split", "keep", "repeat")
LATE = ("keep", "repeat")
_KEPT_S = 0.5, 10.0  # well over a restart of the host
_COMMAND, _TYPE_AT = HOST_TYPES["command"], 2  # behind the delimiter and the first byte of COBS
_BYTE_S = 10 / 115200
_UART_S = 512 * _BYTE_S  # what a UART's buffer holds


class Damage:
    """What both directions do to `share` of the frames, of `kinds`; `done` counts by kind.

    `ambush`: called with the next command that a host gives; it and all that is said for the seconds returned
    come late, each frame for itself, so that a later conversation may overtake it.
    """

    def __init__(self, rng: Random, share: float) -> None:
        self.share = share
        self.kinds: tuple[str, ...] = KINDS
        self.ambush: Callable[[], float] | None = None
        self._keeps_until = 0.0
        self.done: Counter[str] = Counter()
        self._rng = rng

    def apply(self, frame: bytes) -> list[tuple[float, bytes]]:  # noqa: PLR0911 - one for each kind
        """[(delay in seconds, bytes), ...] that come out for `frame`."""
        rng = self._rng
        now = asyncio.get_running_loop().time()
        if self.ambush and frame[_TYPE_AT] == _COMMAND:
            self._keeps_until = now + self.ambush()
            self.ambush = None
        if now < self._keeps_until:
            self.done["keep"] += 1
            return [(rng.uniform(*_KEPT_S), frame)]
        if rng.random() >= self.share:
            return [(0.0, frame)]
        kind = rng.choice(self.kinds)
        self.done[kind] += 1
        at = rng.randrange(len(frame) + 1)
        if kind == "lose":
            return []
        if kind == "flip":
            damaged = bytearray(frame)
            for _ in range(rng.randint(1, 3)):
                damaged[rng.randrange(len(frame))] ^= 1 << rng.randrange(8)
            return [(0.0, bytes(damaged))]
        if kind == "double":
            return [(0.0, frame), (rng.choice([0.0, 0.0, 0.3]), frame)]
        if kind == "insert":
            return [(0.0, frame[:at] + rng.randbytes(rng.randint(1, 9)) + frame[at:])]
        if kind == "delay":
            return [(rng.uniform(0.01, 2), frame)]
        if kind == "keep":
            return [(rng.uniform(*_KEPT_S), frame)]
        if kind == "repeat":
            return [(0.0, frame), (rng.uniform(*_KEPT_S), frame)]
        if kind == "cut":
            return [(0.0, frame[:at])]
        step = rng.randint(1, 20)
        return [(0.0, frame[start : start + step]) for start in range(0, len(frame), step)]


class Wire:
    """One direction: `send` on one end, bytes in `arrived` on the other; `news` is set as they come."""

    def __init__(self, damage: Damage) -> None:
        self.arrived = bytearray()
        self.news = asyncio.Event()
        self._damage = damage
        self._free_at = 0.0
        self._numbers = itertools.count()
        self._under_way: dict[int, tuple[asyncio.TimerHandle, float, bytes]] = {}

    def send(self, frame: bytes) -> None:
        """Put all of a frame on the wire, behind what is on it."""
        loop = asyncio.get_running_loop()
        for delay, piece in self._damage.apply(frame):
            begins = max(loop.time(), self._free_at)
            self._free_at = begins + len(piece) * _BYTE_S
            number = next(self._numbers)
            handle = loop.call_at(self._free_at + delay, self._arrive, number)
            self._under_way[number] = handle, begins, piece

    def offer(self, frame: bytes) -> int:
        """`send` as far as a UART's buffer takes it: nothing while it holds a good deal."""
        if self._free_at - asyncio.get_running_loop().time() >= _UART_S:
            return 0
        self.send(frame)
        return len(frame)

    def stop(self) -> None:
        """The sender is gone: of what is on its way, only what has left it arrives."""
        now = asyncio.get_running_loop().time()
        for handle, begins, piece in self._under_way.values():
            handle.cancel()
            self.arrived += piece[: max(0, int((now - begins) / _BYTE_S))]
        self._under_way.clear()
        self._free_at = now
        self.news.set()

    def take(self) -> bytes:
        """All that has arrived."""
        data = bytes(self.arrived)
        self.arrived.clear()
        return data

    def _arrive(self, number: int) -> None:
        _, _, piece = self._under_way.pop(number)
        self.arrived += piece
        self.news.set()


class Cable:
    """Both directions between a device and whichever port it is plugged into; a port is a file of `folder`.

    Made without a port; `opened` is called whenever the host opens it.
    """

    def __init__(self, folder: Path, damage: Damage) -> None:
        self.to_host = Wire(damage)
        self.to_device = Wire(damage)
        self.opened: Callable[[], None] = lambda: None
        self.pattern = str(folder / "ttyACM*")
        self._folder = folder
        self._port: Path | None = None
        self._end: _HostEnd | None = None

    def plug(self, number: int) -> None:
        """The port is there, under the name that it has this time."""
        self.pull()
        self._port = self._folder / f"ttyACM{number}"
        self._port.touch()

    def pull(self) -> None:
        """The port is gone, and what was on the wires."""
        self.let_go()
        if self._port:
            self._port.unlink()
            self._port = None
        self.to_device.stop()
        self.to_host.stop()
        self.to_host.take()

    def let_go(self) -> None:
        """Whoever has the port open has it no more."""
        if self._end:
            self._end.lost = True
            self._end = None
            self.to_host.news.set()

    async def open(self, url: str, baudrate: int = 0, policy: OpenPolicy = COMMON_POLICY) -> Transport:
        """As link.open_serial. Raises TransportLost."""
        del baudrate, policy
        if self._port is None or url != str(self._port):
            raise TransportLost(f"cannot open {url}")
        if self._end:
            raise TransportLost(f"{url} is open in another process")
        self._end = _HostEnd(self)
        self.opened()
        return self._end


class _HostEnd:
    """The host's end of a cable."""

    def __init__(self, cable: Cable) -> None:
        self.lost = False
        self._cable = cable

    async def read(self) -> bytes:
        """See Transport."""
        wire = self._cable.to_host
        while not wire.arrived and not self.lost:
            wire.news.clear()
            await wire.news.wait()
        if self.lost:
            raise TransportLost("the port is gone")
        return wire.take()

    async def write(self, data: bytes) -> None:
        """See Transport."""
        if self.lost:
            raise TransportLost("the port is gone")
        self._cable.to_device.send(data)

    async def close(self) -> None:
        """See Transport."""
        if not self.lost:
            self._cable.let_go()
