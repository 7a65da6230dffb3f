"""What can go wrong with a ledger, by name."""


class LedgerError(Exception):
    """Base of all errors of the ledger."""


class SqliteTooOld(LedgerError):
    """The SQLite in use can corrupt a write-ahead log."""


class LedgerUnusable(LedgerError):
    """No ledger can be opened there: no permission, something else, or made by a newer version."""


class LedgerOutdated(LedgerUnusable):
    """The ledger has an older format, which whoever writes to it brings up to date; reading alone can not."""


class LedgerInUse(LedgerError):
    """Another process holds the ledger or the table; two writers on one table would settle twice."""


class LeaseLost(LedgerError):
    """Another bridge has taken the table over, or this one never had it; this one can write nothing."""


class LedgerUnavailable(LedgerError):
    """The store cannot be used now: disk full, read-only or server gone. Nothing was acknowledged."""


class LedgerClosed(LedgerError):
    """The ledger was closed; the work was not done."""


class LedgerDamaged(LedgerError):
    """A check found money or records that do not add up; `findings` lists each."""

    def __init__(self, findings: list[str]) -> None:
        self.findings = findings
        super().__init__(
            "the ledger does not add up; stop the table, keep the store as it is, and compare with the"
            " device's journal: " + "; ".join(findings)
        )


class StoreRefusal(LedgerError):
    """The database's own rules refuse the write: append-only, bets closed, a round settled already."""


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
