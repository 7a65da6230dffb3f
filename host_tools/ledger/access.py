"""The chapter of who did what: an access log that only grows, each entry sealing all before it."""

import json
from collections.abc import Iterator

from host_tools.ledger.outbox import Outbox
from host_tools.ledger.rows import Access
from host_tools.ledger.seals import FIRST_SEAL, chained

# The log of the accounts, and its actions: each entry has one as it was and as it is.
PEOPLE = "people"
ADDED, PASSWORD_SET, CLOSED = "add-account", "set-password", "close-account"

_ACCESS = "log, step, made_ms, who, origin, action, before, after, digest"


def access_seal(previous: bytes, access: Access) -> bytes:
    """SHA-256 over the digest of the entry before and all that this one says, as JSON."""
    told = [
        access.log,
        access.step,
        access.made_ms,
        access.who,
        access.origin,
        access.action,
        access.before,
        access.after,
    ]
    return chained(previous, told)


class AccessLog(Outbox):
    """Logs by name: one for each table, and others as the service needs them."""

    def log_access(  # noqa: PLR0913 - what an entry of the log is
        self, log: str, *, who: str, origin: str, action: str, before: str, after: str, now_ms: int
    ) -> Access:
        """Add to a log that `who`, from `origin`, did `action`, which changed `before` to `after` (JSON)."""
        self.store.serialise(f"access {log}")
        newest = self.newest_access(log)
        step, previous = (newest.step + 1, newest.digest) if newest else (1, FIRST_SEAL)
        access = Access(log, step, now_ms, who, origin, action, before, after, b"")
        digest = access_seal(previous, access)
        self.store.insert(
            "access_log",
            {
                "log": log,
                "step": step,
                "made_ms": now_ms,
                "who": who,
                "origin": origin,
                "action": action,
                "before": before,
                "after": after,
                "digest": digest,
            },
        )
        return Access(log, step, now_ms, who, origin, action, before, after, digest)

    def access_logs(self) -> list[str]:
        """The names of all logs."""
        return self.store.distinct("access_log", "log")

    def newest_access(self, log: str, action: str = "") -> Access | None:
        """The newest entry of a log, of one `action` where it is given; None before the first."""
        only, values = (" AND action = ?", (log, action)) if action else ("", (log,))
        row = self.store.row(
            f"SELECT {_ACCESS} FROM access_log WHERE log = ?{only} ORDER BY step DESC LIMIT 1", values
        )
        return Access(*row) if row else None

    def accesses(self, log: str, after: int = 0, limit: int = 1000) -> list[Access]:
        """The entries of a log above step `after`, in order."""
        rows = self.store.rows(
            f"SELECT {_ACCESS} FROM access_log WHERE log = ? AND step > ? ORDER BY step LIMIT ?",
            (log, after, limit),
        )
        return [Access(*row) for row in rows]


def access_findings(books: AccessLog, recent: int | None) -> Iterator[str]:
    """What does not add up in the newest entries of each log, or in all of them; a sentence each."""
    for log in books.access_logs():
        newest = books.newest_access(log)
        after = max(0, newest.step - recent) if newest and recent is not None else 0
        previous = books.accesses(log, after - 1, 1)[0].digest if after else FIRST_SEAL
        while page := books.accesses(log, after):
            for access in page:
                if access.step != after + 1 or access_seal(previous, access) != access.digest:
                    yield f"access log {log}, entry {access.step}: it is not what was sealed"
                previous, after = access.digest, access.step


def account_findings(books: AccessLog) -> Iterator[str]:
    """The accounts that are not what their log has made of them."""
    logged = dict(_logged_accounts(books))
    for name, role, closed in books.store.rows("SELECT name, role, closed FROM accounts ORDER BY name"):
        if logged.pop(name, None) != (role, bool(closed)):
            yield f"account {name}: it is not what the log of people has made of it"
    for name in logged:
        yield f"account {name}: the log of people has it, and it is not there"


def _logged_accounts(books: AccessLog) -> Iterator[tuple[str, tuple[str, bool]]]:
    after = 0
    while page := books.accesses(PEOPLE, after):
        for access in (each for each in page if each.action in (ADDED, PASSWORD_SET, CLOSED)):
            account = json.loads(access.after)
            yield account["name"], (account["role"], account["closed"])
        after = page[-1].step
