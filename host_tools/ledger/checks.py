"""Does the ledger add up? Its newest records and rounds are checked, in bounded time however old it is."""

import hashlib
from collections.abc import Iterator

from host_tools.ledger.schema import OPEN_STATES
from host_tools.ledger.store import Store

RECENT = 256  # records a device, and rounds; beside them every round that is not concluded

_UNFINISHED = ", ".join(f"'{state}'" for state in (*OPEN_STATES, "referred"))

# One line a round: what its wagers, postings, outcomes and settlement say of the same money.
_ROUNDS = f"""
SELECT hex(id), state,
    (SELECT count(*) FROM wagers WHERE round = rounds.id),
    (SELECT coalesce(sum(stake), 0) FROM wagers WHERE round = rounds.id),
    (SELECT coalesce(sum(amount), 0) FROM postings WHERE round = rounds.id),
    (SELECT coalesce(sum(amount), 0) FROM postings WHERE round = rounds.id AND account = 'held'),
    (SELECT coalesce(sum(amount), 0) FROM postings WHERE round = rounds.id AND account = 'house'),
    (SELECT count(*) FROM wagers JOIN outcomes ON outcomes.wager = wagers.number WHERE round = rounds.id),
    (SELECT coalesce(sum(stake - returned), 0) FROM wagers JOIN outcomes ON outcomes.wager = wagers.number
        WHERE round = rounds.id),
    (SELECT verdict FROM settlements WHERE round = rounds.id)
FROM rounds
WHERE number > (SELECT coalesce(max(number), 0) FROM rounds) - {RECENT} OR state IN ({_UNFINISHED})
"""


def findings(store: Store) -> Iterator[str]:
    """What does not add up, a sentence each; nothing when all is well."""
    for device in store.rows("SELECT id, before_first, head_sequence, head_digest FROM devices"):
        yield from _chain_findings(store, *device)
    for row in store.rows(_ROUNDS):
        yield from _round_findings(*row)


def _chain_findings(
    store: Store, device: bytes, before_first: int, head_sequence: int, head_digest: bytes
) -> Iterator[str]:
    rows = store.rows(
        "SELECT sequence, digest, raw FROM records WHERE device = ? ORDER BY sequence DESC LIMIT ?",
        (device, RECENT),
    )
    name = f"device {device.hex()}"
    if len(rows) != min(RECENT, head_sequence - before_first):
        yield f"{name}: {len(rows)} records are stored of {head_sequence - before_first}"
    if rows and rows[0][:2] != (head_sequence, head_digest):
        yield f"{name}: the head is record {head_sequence}, but the newest record is another ({rows[0][0]})"
    for expected, (sequence, digest, raw) in zip(range(head_sequence, 0, -1), rows, strict=False):
        if sequence != expected:
            yield f"{name}: record {expected} is missing"
            return
        if hashlib.sha256(raw).digest() != digest:
            yield f"{name}: record {sequence} is not what was stored"


def _round_findings(  # noqa: PLR0913, PLR0917
    round_id: str,
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
    concluded = verdict is not None
    if balance:
        yield f"round {round_id}: its postings are {balance} off balance"
    if held != (0 if concluded else stakes):
        yield f"round {round_id}: {held} is held, its stakes are {stakes} and it is {state}"
    if concluded != (state in ("settled", "void")) or (concluded and verdict != state):
        yield f"round {round_id}: it is {state}, its settlement says {verdict}"
    if outcomes != (wagers if concluded else 0):
        yield f"round {round_id}: {outcomes} of {wagers} wagers have an outcome and it is {state}"
    if house != kept:
        yield f"round {round_id}: the house has {house}, the outcomes say {kept}"
