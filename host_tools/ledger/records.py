"""The chapter of devices and their signed records."""

from collections.abc import Iterator

from host_tools.ledger.entries import Entries
from host_tools.ledger.errors import DeviceUnknown, LedgerError, RecordConflict
from host_tools.ledger.rows import Device, StoredRecord
from host_tools.ledger.seals import RECORDS, insert_sealed

_DEVICE = "id, public_key, before_first, before_digest, before_boot, head_sequence, head_digest, head_boot"
_RECORD = "device, sequence, boot, kind, round, digest, raw"
_PAGE = 500  # records read at a time


class Records(Entries):
    """Devices, the heads of their chains, and every record once and without gaps."""

    def enrol(self, device: bytes, public_key: bytes, head: tuple[int, bytes, int]) -> None:
        """Make a device known, with the `head` (sequence, SHA-256, boot) before its first record here.

        Again with the same key changes nothing; with another key or head raises LedgerError.
        """
        found = self.find_device(device)
        if found is None:
            sequence, digest, boot = head
            self.store.insert(
                "devices",
                {
                    "id": device,
                    "public_key": public_key,
                    "before_first": sequence,
                    "before_digest": digest,
                    "before_boot": boot,
                    "head_sequence": sequence,
                    "head_digest": digest,
                    "head_boot": boot,
                },
            )
        elif (found.public_key, found.before_first, found.before_digest, found.before_boot) != (
            public_key,
            *head,
        ):
            raise LedgerError(
                f"device {device.hex()} is in this ledger with another key or first record;"
                " a device that was provisioned anew needs a new id"
            )

    def find_device(self, device: bytes) -> Device | None:
        """The enrolled device of that id, or None."""
        row = self.store.row(f"SELECT {_DEVICE} FROM devices WHERE id = ?", (device,))
        return Device(*row) if row else None

    def device(self, device: bytes) -> Device:
        """The enrolled device of that id; raises DeviceUnknown."""
        found = self.find_device(device)
        if found is None:
            raise DeviceUnknown(f"device {device.hex()} is not enrolled in this ledger; enrol its keys first")
        return found

    def devices(self) -> list[Device]:
        """All enrolled devices, by id."""
        return [Device(*row) for row in self.store.rows(f"SELECT {_DEVICE} FROM devices ORDER BY id")]

    def add_record(self, record: StoredRecord, now_ms: int) -> bool:
        """Append a verified record; False when the ledger has these bytes already.

        Raises RecordConflict when it has others under that sequence, LedgerError when one is missing before.
        """
        known = self.record(record.device, record.sequence)
        if known is not None:
            if known.raw != record.raw:
                raise RecordConflict(
                    f"device {record.device.hex()} sent a second, different record {record.sequence};"
                    " quarantine the device and compare its journal"
                )
            return False
        device = self.device(record.device)
        if record.sequence != device.head_sequence + 1:
            raise LedgerError(f"record {record.sequence} does not follow: {device.head_sequence + 1} is next")
        insert_sealed(
            self.store,
            RECORDS,
            {
                "device": record.device,
                "sequence": record.sequence,
                "boot": record.boot,
                "kind": record.kind,
                "round": record.round,
                "digest": record.digest,
                "raw": record.raw,
                "received_ms": now_ms,
            },
        )
        self.store.write(
            "UPDATE devices SET head_sequence = ?, head_digest = ?, head_boot = ? WHERE id = ?",
            (record.sequence, record.digest, record.boot, record.device),
        )
        return True

    def record(self, device: bytes, sequence: int) -> StoredRecord | None:
        """One record, or None."""
        row = self.store.row(
            f"SELECT {_RECORD} FROM records WHERE device = ? AND sequence = ?", (device, sequence)
        )
        return StoredRecord(*row) if row else None

    def records(self, device: bytes, after: int = 0) -> Iterator[StoredRecord]:
        """All records of a device with a sequence above `after`, in order, read as they are asked for."""
        while True:
            page = self.store.rows(
                f"SELECT {_RECORD} FROM records WHERE device = ? AND sequence > ? ORDER BY sequence LIMIT ?",
                (device, after, _PAGE),
            )
            for row in page:
                yield StoredRecord(*row)
            if len(page) < _PAGE:
                return
            after = page[-1][1]

    def records_of_round(self, round_id: bytes) -> list[StoredRecord]:
        """The records that name this round, in the order of the device's chain."""
        rows = self.store.rows(
            f"SELECT {_RECORD} FROM records WHERE round = ? ORDER BY device, sequence", (round_id,)
        )
        return [StoredRecord(*row) for row in rows]

    def newest_record(self, device: bytes, kind: str) -> StoredRecord | None:
        """The device's newest record of a kind, or None."""
        row = self.store.row(
            f"SELECT {_RECORD} FROM records WHERE device = ? AND kind = ? ORDER BY sequence DESC LIMIT 1",
            (device, kind),
        )
        return StoredRecord(*row) if row else None
