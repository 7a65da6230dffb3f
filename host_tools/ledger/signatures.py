"""Are the ledger's records what the devices signed? Each is verified with the key it was enrolled with."""

from collections.abc import Iterator

from host_tools import records
from host_tools.ledger.records import Records
from host_tools.records.audit import Auditor


def signature_findings(books: Records) -> Iterator[str]:
    """For each device, why its first record that does not verify, in itself or in its chain, does not."""
    for device in books.devices():
        before = records.Head(device.before_first, device.before_digest, device.before_boot)
        registered = records.Device(device.id, "", device.public_key, None, before)
        auditor = Auditor(records.Registry([registered]))
        for stored in books.records(device.id):
            try:
                auditor.check(stored.raw)
            except records.RecordRefused as refusal:
                yield f"device {device.id.hex()}, record {stored.sequence}: {refusal}"
                break
