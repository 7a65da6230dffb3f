"""Does the ledger add up? At start its newest part is checked, in bounded time; a full check reads all of it.

Every entry of a table's journal carries the table's balances and seals the one before it. So the newest
entries vouch for the sums of the whole store, and the full check for each row that led to them.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from host_tools.ledger.entries import ORDER, SECTIONS, balances, seal
from host_tools.ledger.newest import ROWS, entry_before_newest, newest_rounds
from host_tools.ledger.outbox import Outbox
from host_tools.ledger.rows import Entry
from host_tools.ledger.schema import FINAL_STATES, quoted
from host_tools.ledger.seals import BEFORE_ALL, FIRST_SEAL, seal_findings
from host_tools.ledger.store import Row

RECENT = 256  # records a device, notices a source, entries a table, rounds, and rounds not concluded

_PAGE = 256
_IN_PLAY = "NOT EXISTS (SELECT 1 FROM withdrawals WHERE withdrawals.wager = wagers.number)"
_LATEST = "(SELECT max(entry) FROM settlements WHERE settlements.round = rounds.id)"
_POSTED = """SELECT CAST(coalesce(sum(amount), 0) AS BIGINT) FROM postings
    JOIN entries ON entries.number = postings.entry WHERE entries.round = rounds.id"""

# What each player of a round has by its postings, less what its stakes and outcomes say.
_PLAYERS = f"""
    SELECT account, CAST(sum(amount) AS BIGINT) AS amount FROM (
        SELECT account, amount FROM postings JOIN entries ON entries.number = postings.entry
        WHERE entries.round = rounds.id AND account NOT IN ('house', 'held')
    UNION ALL
        SELECT 'player:' || player, stake FROM wagers WHERE round = rounds.id AND {_IN_PLAY}
    UNION ALL
        SELECT 'player:' || player, -returned FROM outcomes JOIN wagers ON outcomes.wager = wagers.number
        WHERE outcomes.entry = {_LATEST}
    ) AS moved GROUP BY account"""

# One line a round: what its wagers, postings, outcomes and latest settlement say of the same money.
_ROUNDS = f"""
SELECT number, entry, table_name, id, state,
    (SELECT count(*) FROM referrals WHERE referrals.round = rounds.id),
    (SELECT count(*) FROM wagers WHERE round = rounds.id AND {_IN_PLAY}),
    (SELECT CAST(coalesce(sum(stake), 0) AS BIGINT) FROM wagers WHERE round = rounds.id AND {_IN_PLAY}),
    ({_POSTED}),
    ({_POSTED} AND account = 'held'),
    ({_POSTED} AND account = 'house'),
    (SELECT count(*) FROM outcomes WHERE outcomes.entry = {_LATEST}),
    (SELECT CAST(coalesce(sum(stake - returned), 0) AS BIGINT) FROM outcomes
        JOIN wagers ON outcomes.wager = wagers.number WHERE outcomes.entry = {_LATEST}),
    (SELECT count(*) FROM outcomes JOIN wagers ON outcomes.wager = wagers.number
        WHERE outcomes.entry = {_LATEST} AND wagers.round <> rounds.id),
    (SELECT count(*) FROM ({_PLAYERS}) AS players WHERE amount <> 0),
    (SELECT verdict FROM settlements WHERE settlements.entry = {_LATEST})
FROM rounds
"""
_HELD = f"""SELECT count(*), CAST(coalesce(sum(held), 0) AS BIGINT) FROM (
    SELECT CASE WHEN {_IN_PLAY} THEN stake ELSE 0 END AS held
    FROM wagers JOIN rounds ON rounds.id = wagers.round
    WHERE rounds.state NOT IN ({quoted(FINAL_STATES)}) AND rounds.table_name = ? LIMIT ?) AS stakes"""
_ALL = 2**62  # rows
# Rows that nothing above reads, for want of what they belong to; each query finds one.
_STRAYS = {
    **{
        table: f"SELECT 1 FROM {table} WHERE NOT EXISTS"
        f" (SELECT 1 FROM entries WHERE entries.number = {table}.entry) LIMIT 1"
        for table in SECTIONS
    },
    "records": """SELECT 1 FROM records WHERE NOT EXISTS
        (SELECT 1 FROM devices WHERE devices.id = records.device AND sequence > before_first) LIMIT 1""",
    "entries": "SELECT 1 FROM entries WHERE step < 1 LIMIT 1",
    "access_log": "SELECT 1 FROM access_log WHERE step < 1 LIMIT 1",
    "deliveries": """SELECT 1 FROM deliveries WHERE number > (SELECT coalesce(max(notices.number), 0)
        FROM notices WHERE notices.source = deliveries.source) LIMIT 1""",
}


class _Told(NamedTuple):
    """A line of _ROUNDS."""

    number: int
    entry: int
    table: str
    id: bytes
    state: str
    referrals: int
    wagers: int
    stakes: int
    balance: int
    held: int
    house: int
    outcomes: int
    kept: int
    strange: int
    unequal: int
    verdict: str | None


def findings(books: Outbox, recent: int | None) -> Iterator[str]:
    """What does not add up, a sentence each; nothing when all is well. `recent` None checks everything."""
    for device in books.devices():
        yield from _chain_findings(books, device.id, recent)
    yield from seal_findings(books.store, recent)
    for table in books.tables():
        yield from _journal_findings(books, table, recent)
    yield from _all_round_findings(books, recent)
    if recent is None:
        for table, query in _STRAYS.items():
            if books.store.rows(query):
                yield f"{table}: there are rows that belong to nothing"


# --- records ---


def _chain_findings(books: Outbox, device_id: bytes, recent: int | None) -> Iterator[str]:
    device = books.device(device_id)
    first = device.before_first
    if recent is not None:
        first = max(first, device.head_sequence - recent)
    name = f"device {device.id.hex()}"
    newest = (device.before_first, device.before_digest, device.before_boot)
    expected = first
    for record in books.records(device.id, first):
        expected += 1
        if record.sequence != expected:
            yield f"{name}: record {expected} is missing"
            return
        if hashlib.sha256(record.raw).digest() != record.digest:
            yield f"{name}: record {record.sequence} is not what was stored"
        newest = record.sequence, record.digest, record.boot
    if newest != (device.head_sequence, device.head_digest, device.head_boot):
        yield f"{name}: its head is record {device.head_sequence}, its newest record another ({newest[0]})"


# --- entries ---


def _journal_findings(books: Outbox, table: str, recent: int | None) -> Iterator[str]:
    newest = books.newest_entry(table)
    if newest is None:
        return
    after = 0 if recent is None else entry_before_newest(books.store, table, recent)
    before = Entry(0, table, 0, b"", "", 0, 0, 0, 0, FIRST_SEAL)
    if after:
        before = books.entries(table, after - 1, 1)[0]
    while page := books.entries(table, before.step, _PAGE):
        written = _sections(books, [entry.number for entry in page])
        for entry in page:
            yield from _entry_findings(before, entry, written[entry.number])
            before = entry
    stakes, held = books.store.rows(_HELD, (table, _ALL if recent is None else ROWS + 1))[0]
    if newest.held != held and (recent is None or stakes <= ROWS):
        yield f"table {table}: its journal says {newest.held} is held, its unfinished rounds have {held}"


def _sections(books: Outbox, numbers: Sequence[int]) -> dict[int, dict[str, list[Row]]]:
    """The rows that each of some entries wrote, by entry and section."""
    found: dict[int, dict[str, list[Row]]] = defaultdict(lambda: defaultdict(list))
    marks = ", ".join("?" * len(numbers))
    for name, columns in SECTIONS.items():
        order = ORDER.get(name, "entry")
        rows = books.store.rows(
            f"SELECT entry, {', '.join(columns)} FROM {name} WHERE entry IN ({marks}) ORDER BY {order}",
            tuple(numbers),
        )
        for number, *row in rows:
            found[number][name].append(tuple(row))
    return found


def _entry_findings(before: Entry, entry: Entry, sections: dict[str, list[Row]]) -> Iterator[str]:
    name = f"table {entry.table}, entry {entry.step}"
    if entry.step != before.step + 1:
        yield f"{name}: entry {before.step + 1} is missing"
    moved = balances(sections.get("postings", ()))
    if sum(moved.values()):
        yield f"{name}: its postings are {sum(moved.values())} off balance"
    told = (entry.players - before.players, entry.held - before.held, entry.house - before.house)
    if told != (moved["players"], moved["held"], moved["house"]):
        yield f"{name}: the balances do not follow from its postings"
    if seal(before.digest, entry, sections) != entry.digest:
        yield f"{name}: it or what it wrote is not what was sealed"


# --- rounds ---


def _all_round_findings(books: Outbox, recent: int | None) -> Iterator[str]:
    entered: dict[str, int] = defaultdict(int)  # by table: several write at once into a shared database
    for row in _rounds(books, recent):
        told = _Told(*row)
        yield from _round_findings(told)
        if told.entry < entered[told.table]:
            yield f"round {told.id.hex()}: it was opened before the round that is numbered before it"
        entered[told.table] = told.entry


def _rounds(books: Outbox, recent: int | None) -> Iterator[Row]:
    """Lines of _ROUNDS in the order of their numbers: all, or the newest and those not concluded."""
    if recent is not None:
        numbers = newest_rounds(books.store, recent)
        marks = ", ".join("?" * len(numbers))
        if numbers:
            yield from books.store.rows(
                f"{_ROUNDS} WHERE rounds.number IN ({marks}) ORDER BY number", numbers
            )
        return
    after = BEFORE_ALL
    while page := books.store.rows(
        f"{_ROUNDS} WHERE rounds.number > ? ORDER BY number LIMIT ?", (after, _PAGE)
    ):
        yield from page
        after = page[-1][0]


def _round_findings(told: _Told) -> Iterator[str]:
    name = f"round {told.id.hex()}"
    concluded = told.verdict is not None
    if told.balance:
        yield f"{name}: its postings are {told.balance} off balance"
    if told.held != (0 if concluded else told.stakes):
        yield f"{name}: {told.held} is held, its stakes are {told.stakes} and it is {told.state}"
    if concluded != (told.state in FINAL_STATES) or (concluded and told.verdict != told.state):
        yield f"{name}: it is {told.state}, its settlement says {told.verdict}"
    if not concluded and (told.state == "referred") != bool(told.referrals):
        yield f"{name}: it is {told.state} and has {told.referrals} referrals"
    if told.outcomes != (told.wagers if concluded else 0):
        yield f"{name}: {told.outcomes} of {told.wagers} wagers have an outcome and it is {told.state}"
    if told.strange:
        yield f"{name}: {told.strange} of its outcomes are of another round's wagers"
    if told.house != told.kept:
        yield f"{name}: the house has {told.house}, the outcomes say {told.kept}"
    if told.unequal:
        yield f"{name}: {told.unequal} players have other money than the outcomes say"
