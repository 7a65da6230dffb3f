"""Does the ledger add up? At start its newest part is checked, in bounded time; a full check reads all of it.

Every entry of a table's journal carries the table's balances and seals the one before it. So the newest
entries vouch for the sums of the whole store, and the full check for each row that led to them.
"""

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence

from host_tools.ledger.entries import FIRST_SEAL, ORDER, SECTIONS, balances, seal
from host_tools.ledger.outbox import Outbox
from host_tools.ledger.rows import Entry
from host_tools.ledger.schema import FINAL_STATES, quoted
from host_tools.ledger.store import Row

RECENT = 256  # records a device, entries a table, and rounds; beside them every round that is not concluded

_PAGE = 256
_IN_PLAY = "NOT EXISTS (SELECT 1 FROM withdrawals WHERE withdrawals.wager = wagers.number)"
_LATEST = "(SELECT max(entry) FROM settlements WHERE settlements.round = rounds.id)"
_POSTED = """SELECT CAST(coalesce(sum(amount), 0) AS BIGINT) FROM postings
    JOIN entries ON entries.number = postings.entry WHERE entries.round = rounds.id"""

# One line a round: what its wagers, postings, outcomes and latest settlement say of the same money.
_ROUNDS = f"""
SELECT number, id, state,
    (SELECT count(*) FROM wagers WHERE round = rounds.id AND {_IN_PLAY}),
    (SELECT CAST(coalesce(sum(stake), 0) AS BIGINT) FROM wagers WHERE round = rounds.id AND {_IN_PLAY}),
    ({_POSTED}),
    ({_POSTED} AND account = 'held'),
    ({_POSTED} AND account = 'house'),
    (SELECT count(*) FROM outcomes WHERE outcomes.entry = {_LATEST}),
    (SELECT CAST(coalesce(sum(stake - returned), 0) AS BIGINT) FROM outcomes
        JOIN wagers ON outcomes.wager = wagers.number WHERE outcomes.entry = {_LATEST}),
    (SELECT verdict FROM settlements WHERE settlements.entry = {_LATEST})
FROM rounds
"""
_HELD = f"""SELECT CAST(coalesce(sum(stake), 0) AS BIGINT) FROM wagers
    JOIN rounds ON rounds.id = wagers.round
    WHERE rounds.state NOT IN ({quoted(FINAL_STATES)}) AND rounds.table_name = ? AND {_IN_PLAY}"""


def findings(books: Outbox, recent: int | None) -> Iterator[str]:
    """What does not add up, a sentence each; nothing when all is well. `recent` None checks everything."""
    for device in books.devices():
        yield from _chain_findings(books, device.id, recent)
    for table in books.tables():
        yield from _journal_findings(books, table, recent)
    yield from _all_round_findings(books, recent)


# --- records ---


def _chain_findings(books: Outbox, device_id: bytes, recent: int | None) -> Iterator[str]:
    device = books.device(device_id)
    first = device.before_first
    if recent is not None:
        first = max(first, device.head_sequence - recent)
    name = f"device {device.id.hex()}"
    newest = (device.before_first, device.before_digest)
    expected = first
    for record in books.records(device.id, first):
        expected += 1
        if record.sequence != expected:
            yield f"{name}: record {expected} is missing"
            return
        if hashlib.sha256(record.raw).digest() != record.digest:
            yield f"{name}: record {record.sequence} is not what was stored"
        newest = record.sequence, record.digest
    if newest != (device.head_sequence, device.head_digest):
        yield f"{name}: its head is record {device.head_sequence}, its newest record another ({newest[0]})"


# --- entries ---


def _journal_findings(books: Outbox, table: str, recent: int | None) -> Iterator[str]:
    newest = books.newest_entry(table)
    if newest is None:
        return
    after = 0 if recent is None else max(0, newest.step - recent)
    before = Entry(0, table, 0, b"", "", 0, 0, 0, 0, FIRST_SEAL)
    if after:
        before = books.entries(table, after - 1, 1)[0]
    while page := books.entries(table, before.step, _PAGE):
        written = _sections(books, [entry.number for entry in page])
        for entry in page:
            yield from _entry_findings(before, entry, written[entry.number])
            before = entry
    held = books.store.rows(_HELD, (table,))[0][0]
    if newest.held != held:
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
    if recent is None:
        after = 0
        while page := books.store.rows(
            f"{_ROUNDS} WHERE rounds.number > ? ORDER BY number LIMIT ?", (after, _PAGE)
        ):
            for row in page:
                yield from _round_findings(*row[1:])
            after = page[-1][0]
        return
    newest = books.store.rows("SELECT coalesce(max(number), 0) FROM rounds")[0][0]
    for row in books.store.rows(
        f"{_ROUNDS} WHERE rounds.number > ? OR state NOT IN ({quoted(FINAL_STATES)})", (newest - recent,)
    ):
        yield from _round_findings(*row[1:])


def _round_findings(  # noqa: PLR0913, PLR0917
    round_id: bytes,
    state: str,
    wagers: int,
    stakes: int,
    balance: int,
    held: int,
    house: int,
    outcomes: int,
    kept: int,
    verdict: str | None,
) -> Iterator[str]:
    name = f"round {round_id.hex()}"
    concluded = verdict is not None
    if balance:
        yield f"{name}: its postings are {balance} off balance"
    if held != (0 if concluded else stakes):
        yield f"{name}: {held} is held, its stakes are {stakes} and it is {state}"
    if concluded != (state in FINAL_STATES) or (concluded and verdict != state):
        yield f"{name}: it is {state}, its settlement says {verdict}"
    if outcomes != (wagers if concluded else 0):
        yield f"{name}: {outcomes} of {wagers} wagers have an outcome and it is {state}"
    if house != kept:
        yield f"{name}: the house has {house}, the outcomes say {kept}"
