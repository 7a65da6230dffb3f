"""A table's journal: each entry has its rows and postings, the balances after it, and a seal over it all."""

from collections.abc import Mapping, Sequence
from typing import Any

from host_tools.ledger.errors import LedgerError
from host_tools.ledger.leases import Leases
from host_tools.ledger.rows import Entry, Posting
from host_tools.ledger.seals import FIRST_SEAL, chained
from host_tools.ledger.store import Row, Store

# What an entry may write, by table and columns beside `entry`, in the order of writing. All of it is sealed.
SECTIONS: dict[str, tuple[str, ...]] = {
    "rounds": (
        "id",
        "table_name",
        "device",
        "mode",
        "rulebook",
        "rulebook_digest",
        "layout",
        "limits",
        "decimals",
        "chip_unit",
        "made_ms",
    ),
    "shoes": ("id", "table_name", "decks", "each_face", "loaded_by"),
    "cards": (
        "shoe",
        "position",
        "revision",
        "face",
        "round",
        "entered_by",
        "seconded_by",
        "reason",
    ),
    "wagers": ("round", "id", "player", "wager", "stake"),
    "withdrawals": ("wager",),
    "referrals": ("round", "fact", "clause", "device", "sequence"),
    "void_orders": ("round", "fact", "decided_by"),
    "settlements": (
        "round",
        "corrects",
        "verdict",
        "faces",
        "fact",
        "action",
        "clause",
        "device",
        "sequence",
        "decided_by",
        "seconded_by",
        "reason",
        "evidence",
    ),
    "outcomes": ("wager", "result", "odds", "payout", "returned", "reason", "clause"),
    "postings": ("account", "amount"),
}
ORDER = {
    "cards": "position",
    "wagers": "number",
    "withdrawals": "wager",
    "outcomes": "wager",
    "postings": "number",
}

Sections = Mapping[str, Sequence[Row]]

_ENTRY = "number, table_name, step, round, cause, made_ms, players, held, house, digest"


def seal(previous: bytes, entry: Entry, sections: Sections) -> bytes:
    """SHA-256 over the digest of the entry before, what the entry says and every row it wrote, as JSON."""
    told = [
        entry.table,
        entry.step,
        entry.round,
        entry.cause,
        entry.made_ms,
        entry.players,
        entry.held,
        entry.house,
        {name: sections[name] for name in SECTIONS if sections.get(name)},
    ]
    return chained(previous, told)


class Entries:
    """What every chapter of the ledger is built on: the store, and entries in it."""

    def __init__(self, store: Store, leases: Leases) -> None:
        self.store = store
        self.leases = leases

    def newest_entry(self, table: str) -> Entry | None:
        """The newest entry of a table's journal, or None before the first."""
        row = self.store.row(
            f"SELECT {_ENTRY} FROM entries WHERE table_name = ? ORDER BY step DESC LIMIT 1", (table,)
        )
        return Entry(*row) if row else None

    def entries(self, table: str, after: int = 0, limit: int = 1000) -> list[Entry]:
        """A table's entries above step `after`, in order."""
        rows = self.store.rows(
            f"SELECT {_ENTRY} FROM entries WHERE table_name = ? AND step > ? ORDER BY step LIMIT ?",
            (table, after, limit),
        )
        return [Entry(*row) for row in rows]

    def entries_of_round(self, round_id: bytes) -> list[Entry]:
        """All that was entered about a round, in order."""
        rows = self.store.rows(f"SELECT {_ENTRY} FROM entries WHERE round = ? ORDER BY number", (round_id,))
        return [Entry(*row) for row in rows]

    def tables(self) -> list[str]:
        """The names of all tables that have entries."""
        return self.store.distinct("entries", "table_name")

    def postings(self, round_id: bytes) -> list[Posting]:
        """The round's postings in the order they were made."""
        rows = self.store.rows(
            "SELECT entries.round, cause, account, amount FROM postings"
            " JOIN entries ON entries.number = postings.entry"
            " WHERE entries.round = ? ORDER BY postings.number",
            (round_id,),
        )
        return [Posting(*row) for row in rows]

    def enter(  # noqa: PLR0913, PLR0917 - what an entry is
        self,
        table: str,
        round_id: bytes,
        cause: str,
        now_ms: int,
        sections: Mapping[str, Sequence[Row]],
        amounts: Mapping[str, int] | None = None,
    ) -> int:
        """Write an entry with its rows and postings; returns its number.

        Raises LedgerError when the `amounts` by account do not balance, LeaseLost."""
        self.leases.require(table)
        amounts = amounts or {}
        if sum(amounts.values()) != 0:
            raise LedgerError(f"postings of round {round_id.hex()} do not balance: {dict(amounts)}")
        postings = [(account, amount) for account, amount in amounts.items() if amount]
        written = {**sections, "postings": postings}
        entry = self._sealed(table, round_id, cause, now_ms, written)
        number = self.store.insert_numbered("entries", entry)
        for name, columns in SECTIONS.items():
            rows = [(number, *row) for row in written.get(name, ())]
            self.store.insert_many(name, ("entry", *columns), rows)
        return number

    def _sealed(
        self, table: str, round_id: bytes, cause: str, now_ms: int, sections: Sections
    ) -> dict[str, Any]:
        """The row of the next entry."""
        before = self.newest_entry(table) or Entry(0, table, 0, b"", "", 0, 0, 0, 0, FIRST_SEAL)
        moved = balances(sections["postings"])
        entry = Entry(
            number=0,
            table=table,
            step=before.step + 1,
            round=round_id,
            cause=cause,
            made_ms=now_ms,
            players=before.players + moved["players"],
            held=before.held + moved["held"],
            house=before.house + moved["house"],
            digest=b"",
        )
        return {
            "table_name": table,
            "step": entry.step,
            "round": round_id,
            "cause": cause,
            "made_ms": now_ms,
            "players": entry.players,
            "held": entry.held,
            "house": entry.house,
            "digest": seal(before.digest, entry, sections),
        }


def balances(postings: Sequence[Row]) -> dict[str, int]:
    """What (account, amount) postings move, by `players`, `held` and `house`."""
    moved = {"players": 0, "held": 0, "house": 0}
    for account, amount in postings:
        moved[account if account in moved else "players"] += amount
    return moved
