"""Figures for Prometheus: links, rounds, commits, faults and how often each face came, since the start."""

import time
from collections.abc import Callable, Sequence

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from host_tools.bridge import events as happenings
from host_tools.bridge.events import Event
from host_tools.bridge.sink import LedgerSink
from host_tools.link import HostSession
from host_tools.service.running import RunningTable

_SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
_VERDICTS = {
    happenings.RoundSettled: "settled",
    happenings.RoundVoid: "void",
    happenings.RoundReferred: "referred",
    happenings.RoundCorrected: "corrected",
}


class Metrics:
    """The figures of one service."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        registry = self._registry
        self._rounds = Counter("tumbler_rounds", "Rounds ended", ["table", "verdict"], registry=registry)
        self._faces = Counter(
            "tumbler_faces", "Faces read, of each die", ["table", "face"], registry=registry
        )
        self._wagers = Counter("tumbler_wagers", "Wagers registered", ["table"], registry=registry)
        self._raised = Counter("tumbler_faults_raised", "Faults", ["table", "fact"], registry=registry)
        self._lost = Counter("tumbler_device_lost", "Losses of the device", ["table"], registry=registry)
        self._connected = Gauge(
            "tumbler_device_connected", "1 while it is there", ["table"], registry=registry
        )
        self._latched = Gauge("tumbler_faults_latched", "Faults latched now", ["table"], registry=registry)
        self._link = Gauge(
            "tumbler_link_errors", "Errors as the host saw them", ["table", "what"], registry=registry
        )
        self._commit = Histogram(
            "tumbler_commit_seconds",
            "From records received to their settlement committed and announced",
            registry=registry,
            buckets=_SECONDS,
        )

    async def watch(self, running: RunningTable) -> None:
        """Count what happens at a table, for ever."""
        async for event in running.table.events():
            self._count(running.name, event)

    def committed(self, seconds: float) -> None:
        """Records took so long to be durable and acted upon."""
        self._commit.observe(seconds)

    def text(self, tables: Sequence[RunningTable]) -> bytes:
        """All figures in Prometheus' text format."""
        for each in tables:
            self._connected.labels(each.name).set(each.status is not None)
            self._latched.labels(each.name).set(len(each.faults))
            if isinstance(each.session, HostSession):
                for what, count in each.session.counters.items():
                    self._link.labels(each.name, what).set(count)
        return generate_latest(self._registry)

    def _count(self, table: str, event: Event) -> None:
        match event:
            case happenings.ResultRead(faces=faces):
                for face in faces:
                    self._faces.labels(table, str(face)).inc()
            case happenings.WagersPlaced(count=count):
                self._wagers.labels(table).inc(count)
            case happenings.FaultRaised(fact=fact):
                self._raised.labels(table, fact).inc()
            case happenings.DeviceLost():
                self._lost.labels(table).inc()
            case _:
                verdict = _VERDICTS.get(type(event))
                if verdict:
                    self._rounds.labels(table, verdict).inc()


class TimedSink(LedgerSink):
    """A sink that tells how long each commit took."""

    observe: Callable[[float], None]

    async def commit(self, device: bytes, records: Sequence[tuple[int, bytes]]) -> None:
        """See LedgerSink."""
        began = time.perf_counter()
        await super().commit(device, records)
        self.observe(time.perf_counter() - began)
