"""What of a ledger the check at start reads: the newest entries and rounds, and no more rows than a bound.

A round can have ten thousand wagers, an entry as many outcomes. What does not fit is left to the full check.
"""

from host_tools.ledger.entries import SECTIONS
from host_tools.ledger.schema import FINAL_STATES, quoted
from host_tools.ledger.store import Store

ROWS = 20_000  # of the entries of a table, of the rounds, and of the stakes a table holds

_OF_ENTRY = " UNION ALL ".join(f"SELECT 1 FROM {name} WHERE entry = ?" for name in SECTIONS)
_OF_ROUND = """SELECT 1 FROM wagers WHERE round = ? UNION ALL
    SELECT 1 FROM postings JOIN entries ON entries.number = postings.entry WHERE entries.round = ?"""
_UNFINISHED = f"""SELECT number, id FROM rounds WHERE state NOT IN ({quoted(FINAL_STATES)})
    ORDER BY number DESC LIMIT ?"""
_NEWEST = "SELECT number, id FROM rounds ORDER BY number DESC LIMIT ?"


def entry_before_newest(store: Store, table: str, recent: int) -> int:
    """After which step a table's newest entries begin: at most `recent`, as many as fit."""
    left = ROWS
    entries = store.rows(
        "SELECT number, step FROM entries WHERE table_name = ? ORDER BY step DESC LIMIT ?", (table, recent)
    )
    for number, step in entries:
        left -= _count(store, _OF_ENTRY, (number,) * len(SECTIONS), left)
        if left < 0:
            return step
    return entries[-1][1] - 1 if entries else 0


def newest_rounds(store: Store, recent: int) -> list[int]:
    """The numbers of the newest rounds that are not concluded and of the newest ones, each that fits."""
    left, chosen = ROWS, set()
    for number, round_id in [*store.rows(_UNFINISHED, (recent,)), *store.rows(_NEWEST, (recent,))]:
        if number not in chosen:
            count = _count(store, _OF_ROUND, (round_id, round_id), left)
            if count <= left:
                chosen.add(number)
                left -= count
    return sorted(chosen)


def _count(store: Store, query: str, values: tuple, most: int) -> int:
    """How many rows a query has; one above `most` for any more."""
    return store.rows(f"SELECT count(*) FROM ({query} LIMIT ?) AS found", (*values, most + 1))[0][0]
