"""What can go wrong with a ledger, by name."""


class LedgerError(Exception):
    """Base of all errors of the ledger."""


class SqliteTooOld(LedgerError):
    """The SQLite in use can corrupt a write-ahead log."""


class LedgerUnusable(LedgerError):
    """The file cannot be opened as a ledger: no permission, no ledger, or made by a newer version."""


class LedgerInUse(LedgerError):
    """Another process holds the ledger; two writers on one table would settle twice."""


class LedgerDamaged(LedgerError):
    """The start-up check found money or records that do not add up; `findings` lists each."""

    def __init__(self, findings: list[str]) -> None:
        self.findings = findings
        super().__init__(
            "the ledger does not add up; stop the table, keep the file and its -wal, and compare with the"
            " device's journal: " + "; ".join(findings)
        )


class OutOfTransaction(LedgerError):
    """A write was tried outside `with ledger.transaction():`, where it could be half done after a crash."""


class DeviceUnknown(LedgerError):
    """No device of that id is enrolled; provision it and enrol its keys first."""


class RoundUnknown(LedgerError):
    """There is no round of that id in the ledger."""


class RecordConflict(LedgerError):
    """A device sent other bytes under a sequence number that is taken: equivocation, quarantine it."""


class WagerConflict(LedgerError):
    """The wager id is taken in this round by a wager with another player, name or stake."""
