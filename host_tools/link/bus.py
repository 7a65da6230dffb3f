"""Several devices on one RS-485 line: the host speaks when it likes, each device only in a turn it is given.

A turn is what waits for the device, a POLL, and the device's frames up to DONE. A device that does not answer
costs a short silence and is asked less often until it does. What collides is lost, and repeated as anything
that a line loses.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

from host_tools.link import messages
from host_tools.link.clock import Clock, SystemClock, done_by
from host_tools.link.errors import TransportLost
from host_tools.link.framing import FrameParser, encode_frame
from host_tools.link.transport import Transport
from tumbler import definitions

_FRAMES = 4  # of a device in one turn, DONE among them
_BEGIN_S = 0.1  # a device begins within 50 ms, and the line takes its time
_GAP_S = 0.05  # between two pieces of one turn
_GUARD_S = 0.002  # after DONE, until the device has let go of the line
_ABSENT_S = 1.0  # between two tries of a device that does not answer
_REOPEN_S = 0.5
_MOST_WAITING = 32  # frames for a device; sessions repeat what is dropped

_GREET, _POLL = definitions.HOST_TYPES["greet"], definitions.HOST_TYPES["poll"]


class Bus:
    """`open_transport` opens the line; `devices`: their ids, 8 bytes each. HostSessions open `line(device)`.

    `counters`: `echoes`, `silent_turns`, `dropped` and what the frame parser counts.
    """

    def __init__(
        self,
        open_transport: Callable[[], Awaitable[Transport]],
        devices: Sequence[bytes],
        clock: Clock | None = None,
        baudrate: int = 115200,
    ) -> None:
        self.counters: Counter[str] = Counter()
        self._open_transport = open_transport
        self._clock = clock or SystemClock()
        self._byte_s = 10 / baudrate
        self._lines = {device: _Line(device, self.counters) for device in devices}
        self._due = dict.fromkeys(devices, 0.0)

    def line(self, device: bytes) -> Callable[[], Awaitable[Transport]]:
        """Opens the device's part of the line."""

        async def open_line() -> Transport:
            return self._lines[device].opened()

        return open_line

    async def run(self) -> None:
        """Give turns until cancelled; a lost line is opened again."""
        while True:
            try:
                await self._serve(await self._open_transport())
            except TransportLost as loss:
                for line in self._lines.values():
                    line.lose(str(loss))
            await self._clock.sleep(_REOPEN_S)

    async def _serve(self, transport: Transport) -> None:
        try:
            while True:
                for device, line in self._lines.items():
                    if line.waiting or self._clock.now() >= self._due[device]:
                        answered = await self._turn(transport, line)
                        self._due[device] = self._clock.now() + (0 if answered else _ABSENT_S)
                await self._clock.sleep(_GUARD_S)
        finally:
            await transport.close()

    async def _turn(self, transport: Transport, line: "_Line") -> bool:
        """Say what waits for the device and let it speak; whether it did."""
        poll = messages.pack("poll", {"device": line.device, "count": _FRAMES})
        said = line.take() + encode_frame(_POLL, 0, poll)
        await transport.write(said)
        parser = FrameParser(self.counters)
        answered = False
        wait_s = len(said) * self._byte_s + _BEGIN_S
        while True:
            data = await self._read(transport, wait_s)
            if data is None:
                self.counters["silent_turns"] += 1
                return answered
            for frame in parser.feed(data):
                if frame.type_byte in definitions.HOST_TYPES.values():
                    self.counters["echoes"] += 1
                elif frame.type_byte == definitions.DEVICE_TYPES["done"]:
                    await self._clock.sleep(_GUARD_S)
                    return True
                else:
                    answered = True
                    line.receive(encode_frame(*frame))
            wait_s = (len(said) * self._byte_s + _BEGIN_S) if not answered else _GAP_S

    async def _read(self, transport: Transport, wait_s: float) -> bytes | None:
        """The next bytes; None when none come in time."""
        reading = asyncio.ensure_future(transport.read())
        try:
            if await done_by(self._clock, reading, self._clock.now() + wait_s):
                return reading.result()
        finally:
            reading.cancel()
        return None


class _Line:
    """One device's part of the line, a Transport to its session."""

    def __init__(self, device: bytes, counters: Counter[str]) -> None:
        self.device = device
        self.waiting: list[bytes] = []
        self._counters = counters
        self._arrived = bytearray()
        self._news = asyncio.Event()
        self._loss = ""
        self._open = False

    def opened(self) -> "_Line":
        """The line for a new conversation: nothing of an earlier one is left."""
        self._loss = ""
        self._open = True
        self.waiting.clear()
        self._arrived.clear()
        return self

    def lose(self, reason: str) -> None:
        """The bus is lost."""
        self._loss = reason
        self._news.set()

    def take(self) -> bytes:
        """What waits for the device."""
        said = b"".join(self.waiting)
        self.waiting.clear()
        return said

    def receive(self, frame: bytes) -> None:
        """A frame of the device; dropped while nobody listens."""
        if self._open:
            self._arrived += frame
            self._news.set()

    async def read(self) -> bytes:
        """See Transport."""
        while not self._arrived and not self._loss:
            self._news.clear()
            await self._news.wait()
        if self._loss:
            raise TransportLost(self._loss)
        data = bytes(self._arrived)
        self._arrived.clear()
        return data

    async def write(self, data: bytes) -> None:
        """See Transport; goes out in the device's next turn. A greeting for anyone is made one for it."""
        if self._loss:
            raise TransportLost(self._loss)
        if len(self.waiting) == _MOST_WAITING:
            self._counters["dropped"] += 1
            return
        self.waiting.append(self._named(data))

    def _named(self, data: bytes) -> bytes:
        """A session's frame; its greeting, which is for whoever is there, names the device."""
        (frame,) = FrameParser(self._counters).feed(data)
        if frame.type_byte != _GREET:
            return data
        greeting = messages.unpack("greet", frame.body)
        return encode_frame(_GREET, 0, messages.pack("greet", {**greeting, "device": self.device}))

    async def close(self) -> None:
        """See Transport."""
        self._open = False
        self.waiting.clear()
        self._arrived.clear()
