"""Watching a device on its UART: status, faults, both sides' counters and records as they come.

Listening acknowledges nothing, so the device keeps every record for its bridge; the records shown are
recalled from its journal. `follow` commits them to the table's ledger, exactly as the bridge does, and only
then are they acknowledged.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import cbor2

from host_tools.link import HostSession, LinkError, Observer, SystemClock, Transport, open_serial
from host_tools.link.session import Event, RecordSink
from host_tools.records import RecordRefused, canonical, schema
from tumbler import definitions

_COUNT_S = 1.0  # between two readings of the counters
_SILENCE_S = 5.0
_RECORDS = 10  # of those that are there already
NOBODY = "no tumbler answers: is the board powered and flashed, and is this the UART that its page names?"

# What is seen, one dict each: {"hello": ..} {"status": ..} {"record": ..} {"event": ..}, the host's
# {"counters": ..} and the device's own {"statistics": ..}
See = Callable[[dict[str, Any]], None]


async def listen(uart: str, see: See) -> None:
    """Tell what the device says until cancelled. Nothing is acknowledged. Raises TransportLost."""
    transport = await open_serial(uart)
    try:
        await _Listener(transport, see).run()
    finally:
        await transport.close()


class _Listener:
    """One open line: what an observer hears, with the records that it says are there and all counters."""

    def __init__(self, transport: Transport, see: See) -> None:
        self._see = see
        self._clock = SystemClock()
        self._observer = Observer(transport, self._told, self._clock)
        self._last = 0  # newest record of the device
        self._shown = 0
        self._more = asyncio.Event()

    async def run(self) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._observer.run())
            tasks.create_task(self._show_records())
            tasks.create_task(self._show_counters())
            tasks.create_task(self._watch_silence())

    def _told(self, name: str, values: dict[str, Any]) -> None:
        self._see({name: values})
        self._last = values["last"]
        if name == "hello":
            self._shown = max(values["first"] - 1, self._last - _RECORDS, 0)
        self._more.set()

    async def _show_records(self) -> None:
        while True:
            await self._more.wait()
            self._more.clear()
            while self._shown < self._last:
                recalled = await self._observer.questions.recall(self._shown + 1)
                if recalled.sequence == self._shown + 1:  # no other device has taken its place meanwhile
                    self._shown += 1
                    if recalled.raw is not None:
                        self._see({"record": describe(recalled.raw)})

    async def _show_counters(self) -> None:
        while True:
            statistics = await self._observer.questions.statistics()
            self._see({"statistics": statistics})
            self._see({"counters": dict(self._observer.counters)})
            await asyncio.sleep(_COUNT_S)

    async def _watch_silence(self) -> None:
        """Say once when no tumbler is heard at all, and each time that one falls silent."""
        present, since = False, self._clock.now()
        told = False
        while True:
            await asyncio.sleep(0.2)
            if self._observer.device is not None:
                present = told = True
            elif present:
                present = False
                self._see({"event": {"kind": "lost", "reason": f"nothing heard for {_SILENCE_S:g} s"}})
            elif not told and self._clock.now() - since > _SILENCE_S:
                told = True
                self._see({"event": {"kind": "silent", "reason": NOBODY}})


async def follow(uart: str, sink: RecordSink, see: See) -> None:
    """Tell what the device says, with every record, each committed to `sink` first. Runs until cancelled.

    Raises what the sink raises.
    """

    def on_event(event: Event) -> None:
        see({"event": {"kind": event.kind, "reason": event.reason, "boot": event.boot}})

    def on_status(status: dict[str, Any]) -> None:
        see({"status": status})
        see({"counters": dict(session.counters)})

    async def show_statistics() -> None:
        while True:
            see({"statistics": await session.questions.statistics()})
            await asyncio.sleep(_COUNT_S)

    session = HostSession(
        lambda: open_serial(uart), _Showing(sink, see), on_status=on_status, on_event=on_event
    )
    statistics = asyncio.create_task(show_statistics())
    try:
        await session.run()
    finally:
        statistics.cancel()


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
