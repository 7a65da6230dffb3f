"""The ledger: devices, records, rounds, wagers, settlements and postings, durable and append-only, in SQLite
or PostgreSQL."""

from host_tools.ledger.errors import (
    DeviceUnknown,
    LedgerDamaged,
    LedgerError,
    LedgerInUse,
    LedgerUnavailable,
    LedgerUnusable,
    OutOfTransaction,
    RecordConflict,
    RoundUnknown,
    SqliteTooOld,
    StoreRefusal,
    WagerConflict,
)
from host_tools.ledger.export import export_records
from host_tools.ledger.ledger import Ledger, open_ledger
from host_tools.ledger.rows import (
    Device,
    Difference,
    Entry,
    Notice,
    Outcome,
    Posting,
    Referral,
    Round,
    Settlement,
    StoredRecord,
    VoidOrder,
    Wager,
)

__all__ = [
    "Device",
    "DeviceUnknown",
    "Difference",
    "Entry",
    "Ledger",
    "LedgerDamaged",
    "LedgerError",
    "LedgerInUse",
    "LedgerUnavailable",
    "LedgerUnusable",
    "Notice",
    "OutOfTransaction",
    "Outcome",
    "Posting",
    "RecordConflict",
    "Referral",
    "Round",
    "RoundUnknown",
    "Settlement",
    "SqliteTooOld",
    "StoreRefusal",
    "StoredRecord",
    "VoidOrder",
    "Wager",
    "WagerConflict",
    "export_records",
    "open_ledger",
]
