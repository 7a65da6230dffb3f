"""The ledger: devices, records, rounds, wagers, settlements and postings, durable, append-only, in SQLite."""

from host_tools.ledger.errors import (
    DeviceUnknown,
    LedgerDamaged,
    LedgerError,
    LedgerInUse,
    LedgerUnusable,
    OutOfTransaction,
    RecordConflict,
    RoundUnknown,
    SqliteTooOld,
    WagerConflict,
)
from host_tools.ledger.export import export_records
from host_tools.ledger.ledger import Ledger
from host_tools.ledger.rows import (
    Device,
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
    "Ledger",
    "LedgerDamaged",
    "LedgerError",
    "LedgerInUse",
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
    "StoredRecord",
    "VoidOrder",
    "Wager",
    "WagerConflict",
    "export_records",
]
