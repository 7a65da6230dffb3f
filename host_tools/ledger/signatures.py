"""Are the ledger's records what the devices signed, and do its rows say what these records say?

Each is verified with the key it was enrolled with. What the ledger has made of a record (its kind, round and
boot, the faces of a settlement) can be written anew by whoever has the file; what was signed can not.
"""

from collections.abc import Iterator

from host_tools import records
from host_tools.ledger.records import Records
from host_tools.ledger.rows import Device
from host_tools.records.audit import Auditor

# Settlements by the reading alone: where people decided, the faces are theirs, and cards are checked as they
# were entered. A device plays one round at a time, so the readings are in the order of the entries.
_SETTLED = """SELECT entry, round, sequence, faces FROM settlements
    WHERE device = ? AND entry > ? AND verdict = 'settled' AND seconded_by = ''
        AND NOT EXISTS (SELECT 1 FROM rounds WHERE rounds.id = settlements.round AND mode = 'cards')
    ORDER BY entry LIMIT 500"""


def signature_findings(books: Records) -> Iterator[str]:
    """For each device, why its first record that does not verify, in itself or in its chain, does not; what
    the ledger says otherwise than a record."""
    for device in books.devices():
        try:
            yield from _device_findings(books, device)
        except records.RegistryError as error:
            yield f"device {device.id.hex()}: {error}"


def _device_findings(books: Records, device: Device) -> Iterator[str]:
    before = records.Head(device.before_first, device.before_digest, device.before_boot)
    registered = records.Device(device.id, "", device.public_key, None, before)
    auditor = Auditor(records.Registry([registered]))
    settled = _settled(books, device.id)
    due = next(settled, None)
    for stored in books.records(device.id):
        name = f"device {device.id.hex()}, record {stored.sequence}"
        try:
            record = auditor.check(stored.raw)
        except records.RecordRefused as refusal:
            yield f"{name}: {refusal}"
            return
        if _as_signed(record) != (stored.device, stored.sequence, stored.boot, stored.kind, stored.round):
            yield f"{name}: the ledger has it under another kind, round, boot or number"
        while due is not None and (due[1] or 0) <= stored.sequence:  # one without a record rests on none
            if due != (stored.round, stored.sequence, _faces(record)):
                yield f"{name}: round {due[0].hex()} is settled by {due[2]}, which is not what was read"
            due = next(settled, None)
    if due is not None:
        yield f"round {due[0].hex()}: it is settled by record {due[1]}, which is not there"


def _settled(books: Records, device: bytes) -> Iterator[tuple[bytes, int | None, str]]:
    after = 0
    while page := books.store.rows(_SETTLED, (device, after)):
        yield from (row[1:] for row in page)
        after = page[-1][0]


def _as_signed(record: records.Record) -> tuple[bytes, int, int, str, bytes | None]:
    return record.device, record.sequence, record.boot, record.kind, record.fields.get("round")


def _faces(record: records.Record) -> str | None:
    """As settlements keep them; None for what is no reading."""
    return "-".join(map(str, record.fields["faces"])) if record.kind == "reading" else None
