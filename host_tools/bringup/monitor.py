"""Watching a device on its UART: status, faults, counters and records as they come.

Listening acknowledges nothing, so the device keeps every record for its bridge; it then shows no more than
the few records that it sends ahead of an acknowledgement. To see them all, they must go somewhere: `follow`
commits them to the table's ledger, exactly as the bridge does, and only then are they acknowledged.
"""

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import cbor2

from host_tools.link import HostSession, LinkError, Transport, messages, open_serial
from host_tools.link.errors import MessageInvalid
from host_tools.link.framing import Frame, FrameParser, encode_frame
from host_tools.link.session import Event, RecordSink
from host_tools.records import RecordRefused, canonical, schema
from tumbler import definitions

_PING_S = 1.0
_SILENCE_S = 5.0
NOBODY = "no tumbler answers: is the board powered and flashed, and is this the UART that its page names?"

# What is seen, one dict each: {"hello": ..} {"status": ..} {"record": ..} {"event": ..} {"counters": ..}
See = Callable[[dict[str, Any]], None]


async def listen(uart: str, see: See) -> None:
    """Tell what the device says until cancelled. Nothing is acknowledged. Raises TransportLost."""
    transport = await open_serial(uart)
    try:
        await _Listener(transport, see).run()
    finally:
        await transport.close()


class _Listener:
    """One open line. It welcomes the device to what the device had acknowledged before, and no further."""

    def __init__(self, transport: Transport, see: See) -> None:
        self._transport = transport
        self._see = see
        self._session: int | None = None
        self._heard = time.monotonic()
        self._shown = 0
        self._told_silent = False
        self._counters: Counter[str] = Counter()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._talk())
            parser = FrameParser(self._counters)
            while True:
                for frame in parser.feed(await self._transport.read()):
                    with contextlib.suppress(MessageInvalid):
                        await self._on_frame(frame)

    async def _talk(self) -> None:
        while True:
            if self._session is not None and time.monotonic() - self._heard > _SILENCE_S:
                self._session = None
                self._see({"event": {"kind": "lost", "reason": f"nothing heard for {_SILENCE_S:g} s"}})
            if self._session is None:
                self._tell_silence()
                await self._send("greet", 0, {})
            else:
                await self._send("ping", self._session, {})
                self._see({"counters": dict(self._counters)})
            await asyncio.sleep(_PING_S)

    def _tell_silence(self) -> None:
        """Say once that no tumbler was heard on this line at all."""
        if not self._told_silent and time.monotonic() - self._heard > _SILENCE_S:
            self._told_silent = True
            self._see({"event": {"kind": "silent", "reason": NOBODY}})

    async def _send(self, name: str, session: int, values: dict[str, Any]) -> None:
        frame = encode_frame(definitions.HOST_TYPES[name], session, messages.pack(name, values))
        await self._transport.write(frame)

    async def _on_frame(self, frame: Frame) -> None:
        name = definitions.name_of(definitions.DEVICE_TYPES, frame.type_byte)
        if name == "hello":
            await self._welcome(frame.session, messages.unpack(name, frame.body))
        elif frame.session != self._session:
            return
        elif name == "status":
            self._see({"status": messages.named(messages.unpack(name, frame.body))})
        elif name == "record":
            sequence, raw = messages.unpack_record(frame.body)
            if sequence > self._shown:
                self._shown = sequence
                self._see({"record": describe(raw)})
        self._heard = time.monotonic()

    async def _welcome(self, session: int, hello: dict[str, Any]) -> None:
        # The journal starts after what it has dropped, which was acknowledged: this confirms nothing new, and
        # below the journal's start the device compares no hash.
        committed = max(0, hello["first"] - 1)
        if session != self._session:
            self._session, self._shown = session, committed
            self._see({"hello": hello})
        values = {
            "protocol": definitions.PROTOCOL_VERSION,
            "committed": committed,
            "committed_hash": definitions.FIRST_PREVIOUS,
            "wall_ms": time.time_ns() // 1_000_000,
        }
        await self._send("welcome", session, values)


async def follow(uart: str, sink: RecordSink, see: See) -> None:
    """Tell what the device says, with every record, each committed to `sink` first. Runs until cancelled.

    Raises what the sink raises.
    """

    def on_event(event: Event) -> None:
        see({"event": {"kind": event.kind, "reason": event.reason, "boot": event.boot}})

    def on_status(status: dict[str, Any]) -> None:
        see({"status": status})
        see({"counters": dict(session.counters)})

    session = HostSession(
        lambda: open_serial(uart), _Showing(sink, see), on_status=on_status, on_event=on_event
    )
    await session.run()


class _Showing:
    """A sink that shows what the real one has committed."""

    def __init__(self, sink: RecordSink, see: See) -> None:
        self._sink = sink
        self._see = see
        self.host_key = sink.host_key
        self.head = sink.head

    async def commit(self, device: bytes, records: Sequence[tuple[int, bytes]]) -> None:
        """See RecordSink."""
        await self._sink.commit(device, records)
        for _, raw in records:
            self._see({"record": describe(raw)})


def describe(raw: bytes) -> dict[str, Any]:
    """A record for display, its signature not checked: fields by name, numbers of tables as names."""
    try:
        payload = cbor2.loads(raw).value[2]
        values = schema.to_names(canonical.decode(payload, "the payload"))
        kind = schema.kind_of(values)
    except (RecordRefused, LinkError, ValueError, LookupError, AttributeError, cbor2.CBORError) as error:
        return {"kind": "unreadable", "detail": str(error)}
    shown = {name: _shown(name, value) for name, value in values.items() if name not in ("version", "kind")}
    return {"kind": kind, **shown}


_NAMES = {
    "fact": definitions.FACTS,
    "channel": definitions.CHANNELS,
    "mode": definitions.PLAY_MODES,
}


def _shown(name: str, value: Any) -> Any:
    if name in _NAMES:
        return definitions.name_of(_NAMES[name], value) or value
    return value.hex() if isinstance(value, bytes) else value
