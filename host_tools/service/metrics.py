"""Figures for Prometheus since the start: links, rounds, settlements, readings, fairness, and what waits.

No money and no names of people: whoever may read the figures learns nothing of either.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)

from host_tools.bridge import events as happenings
from host_tools.bridge.events import Event
from host_tools.bridge.sink import LedgerSink
from host_tools.link import HostSession
from host_tools.service.running import RunningTable
from host_tools.service.running_cards import RunningCards

_COMMIT_S = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10)
_ROUND_S = (5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600)
_CONFIDENCES = (0.5, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 1)
_TILTS = (0.25, 0.5, 1, 1.5, 2, 3, 4, 5, 7, 10)


@dataclass(frozen=True, slots=True)
class Waiting:
    """What of the whole service is to be seen: proposals that wait, readers of events, the newest event's
    number, and what MQTT has taken and how often it was away."""

    proposals: int
    readers: int
    sequence: int
    mqtt_sent: int
    mqtt_failures: int


class Metrics:
    """The figures of one service. `now` is seconds of a clock that never goes back."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._opened: dict[bytes, float] = {}
        self._registry = CollectorRegistry()
        ProcessCollector(registry=self._registry)
        self._count_rounds()
        self._count_links()
        self._count_service()

    def _count_rounds(self) -> None:
        counter, histogram = self._counter, self._histogram
        self._rounds = counter("rounds", "Rounds ended, by verdict and why", "table", "verdict", "fact")
        self._lasted = histogram("round_seconds", "From a round's opening to its end", _ROUND_S)
        self._referred = self._gauge(
            "rounds_referred", "Referred rounds that wait for the shift manager", "table"
        )
        self._placed = counter("wagers", "Wagers registered", "table")
        self._withdrawn = counter("wagers_withdrawn", "Wagers withdrawn", "table")
        self._settled = counter("wagers_settled", "Wagers of settled rounds, by result", "table", "result")
        self._commit = histogram(
            "commit_seconds", "From records received to their settlement committed and announced", _COMMIT_S
        )
        self._faces = counter("faces", "Faces read, of all three dice", "table", "face")
        self._totals = counter("totals", "Totals of the three dice read", "table", "total")
        self._confidence = histogram(
            "reading_confidence", "Confidence in each die (docs/confidence.md)", _CONFIDENCES
        )
        self._tilt = histogram("reading_tilt_degrees", "Tilt of each die read", _TILTS)

    def _count_links(self) -> None:
        counter, gauge = self._counter, self._gauge
        self._lost = counter("device_lost", "Losses of the device", "table")
        self._connected = gauge("device_connected", "1 while it is there", "table")
        self._uptime = gauge("device_uptime_seconds", "Since the device was started", "table")
        self._link = gauge("link_errors", "Errors of the line as host and device count them", "table", "what")
        self._raised = counter("faults_raised", "Faults", "table", "fact")
        self._latched = gauge("faults_latched", "Faults latched now", "table")

    def _count_service(self) -> None:
        counter, gauge = self._counter, self._gauge
        self._stopped = gauge("table_stopped", "1 when it is quarantined or runs no more", "table")
        self._alarms = gauge("alarms_standing", "Evidence alarms that nobody has answered for", "table")
        self._store_lost = counter("store_lost", "Times when records waited for the store", "table")
        self._proposals = gauge("proposals_waiting", "Deeds that wait for a second person")
        self._readers = gauge("event_readers", "Readers of the stream of events")
        self._sequence = gauge("event_sequence", "Number of the newest durable event")
        self._mqtt_sent = gauge("mqtt_sent", "Notices that the broker has acknowledged")
        self._mqtt_failures = gauge("mqtt_failures", "Connections to the broker that were lost or refused")

    def count(self, table: str, event: Event) -> None:
        """Count what happened at a table."""
        match event:
            case happenings.ResultRead():
                self._read(table, event)
            case happenings.WagersPlaced(count=count):
                self._placed.labels(table).inc(count)
            case happenings.WagersWithdrawn(count=count):
                self._withdrawn.labels(table).inc(count)
            case happenings.FaultRaised(fact=fact):
                self._raised.labels(table, fact).inc()
            case happenings.DeviceLost():
                self._lost.labels(table).inc()
            case happenings.StoreLost():
                self._store_lost.labels(table).inc()
            case _:
                self._count_round(table, event)

    def committed(self, seconds: float) -> None:
        """Records took so long to be durable and acted upon."""
        self._commit.observe(seconds)

    def text(self, tables: Sequence[RunningTable | RunningCards], waiting: Waiting) -> bytes:
        """All figures in Prometheus' text format."""
        for each in tables:
            self._stopped.labels(each.name).set(bool(each.quarantine))
            self._referred.labels(each.name).set(len(each.referred))
            if isinstance(each, RunningTable):
                self._show_tumbler(each)
        self._proposals.set(waiting.proposals)
        self._readers.set(waiting.readers)
        self._sequence.set(waiting.sequence)
        self._mqtt_sent.set(waiting.mqtt_sent)
        self._mqtt_failures.set(waiting.mqtt_failures)
        return generate_latest(self._registry)

    def _show_tumbler(self, table: RunningTable) -> None:
        name, status = table.name, table.status
        self._connected.labels(name).set(status is not None)
        self._latched.labels(name).set(len(table.faults))
        self._alarms.labels(name).set(len(table.alarms))
        if status is not None:
            self._uptime.labels(name).set(status["uptime_ms"] / 1000)
            self._link.labels(name, "device_crc_errors").set(status["crc_errors"])
        if isinstance(table.session, HostSession):
            for what, count in table.session.counters.items():
                self._link.labels(name, what).set(count)

    def _count_round(self, table: str, event: Event) -> None:
        match event:
            case happenings.RoundOpened(round=round_id):
                self._opened[round_id] = self._now()
            case happenings.RoundSettled(round=round_id, settlement=settlement):
                self._end(table, round_id, "settled", "")
                for wager in settlement.wagers:
                    self._settled.labels(table, wager.result).inc()
            case happenings.RoundVoid(round=round_id, fact=fact):
                self._end(table, round_id, "void", fact)
            case happenings.RoundReferred(round=round_id, fact=fact):
                self._end(table, round_id, "referred", fact)
            case happenings.RoundCorrected(correction=correction):
                self._rounds.labels(table, "corrected", correction.outcome.fact).inc()
            case _:
                pass

    def _read(self, table: str, event: happenings.ResultRead) -> None:
        for face in event.faces:
            self._faces.labels(table, str(face)).inc()
        self._totals.labels(table, str(sum(event.faces))).inc()
        for tilt in event.tilts:
            self._tilt.observe(tilt / 10)
        for confidence in event.confidences:
            self._confidence.observe(confidence / 1000)

    def _end(self, table: str, round_id: bytes, verdict: str, fact: str) -> None:
        self._rounds.labels(table, verdict, fact).inc()
        opened = self._opened.pop(round_id, None)
        if opened is not None:
            self._lasted.observe(self._now() - opened)

    def _counter(self, name: str, told: str, *labels: str) -> Counter:
        return Counter(f"tumbler_{name}", told, labels, registry=self._registry)

    def _gauge(self, name: str, told: str, *labels: str) -> Gauge:
        return Gauge(f"tumbler_{name}", told, labels, registry=self._registry)

    def _histogram(self, name: str, told: str, buckets: Sequence[float]) -> Histogram:
        return Histogram(f"tumbler_{name}", told, registry=self._registry, buckets=buckets)


class TimedSink(LedgerSink):
    """A sink that tells how long each commit took."""

    observe: Callable[[float], None]

    async def commit(self, device: bytes, records: Sequence[tuple[int, bytes]]) -> None:
        """See LedgerSink."""
        began = time.perf_counter()
        await super().commit(device, records)
        self.observe(time.perf_counter() - began)
