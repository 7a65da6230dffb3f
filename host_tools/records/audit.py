"""Whole chains verified offline: each device's records from its registered head on, up to the first fault."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from host_tools.records.errors import RecordRefused
from host_tools.records.registry import Head, Registry
from host_tools.records.verify import Record, Verifier


class Auditor:
    """Verifies records one after the other and keeps the head and the digests of each device's chain."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._verifier = Verifier(registry, lambda device, sequence: self._digests.get((device, sequence)))
        self._digests: dict[tuple[bytes, int], bytes] = {}
        self.heads: dict[bytes, Head] = {}

    def check(self, raw: bytes) -> Record:
        """The record, which follows those of its device that were checked before; raises RecordRefused."""
        record = self._verifier.authenticate(raw)
        head = self.heads.get(record.device, self._registry.device(record.device).head)
        self._verifier.check_order(record, head)
        self._digests[record.device, record.sequence] = record.digest
        self.heads[record.device] = record.head
        return record


@dataclass(slots=True)
class ChainReport:
    """What an audit found: how many `verified`, of which `kinds`, the `heads` reached, the first `fault`.

    fault: why the record at index `verified` was refused, or None when all were verified.
    """

    verified: int = 0
    kinds: dict[str, int] = field(default_factory=dict)
    heads: dict[bytes, Head] = field(default_factory=dict)
    fault: RecordRefused | None = None


def verify_chain(raw_records: Iterable[bytes], registry: Registry) -> ChainReport:
    """Verify records in the order given, of one device or several, up to the first fault."""
    auditor = Auditor(registry)
    report = ChainReport(heads=auditor.heads)
    for raw in raw_records:
        try:
            record = auditor.check(raw)
        except RecordRefused as refused:
            report.fault = refused
            break
        report.verified += 1
        report.kinds[record.kind] = report.kinds.get(record.kind, 0) + 1
    return report
