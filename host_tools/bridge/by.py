"""Who did it: the entry of a table's access log, in the transaction of the change that it tells of.

What the tumbler does is in its signed records. Whatever else changes a round is noted here: by people and
programs, by the service when a time is over, and by the bridge itself when it recovers. What only a command
to the tumbler changes is noted before the command is given: no crash leaves a deed without its author.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from host_tools.ledger import Ledger

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class By:
    """Who does something, from where, and what is `told` of it beside the change, as its reason."""

    who: str
    origin: str
    told: Mapping[str, object] = field(default_factory=dict)


BRIDGE = By("bridge", "itself")


def note(  # noqa: PLR0913, PLR0917 - what an entry of the log is
    books: Ledger, log: str, by: By, action: str, before: object, after: Mapping[str, object], now_ms: int
) -> None:
    """Inside the caller's transaction: `by` did `action`, which changed `before` to `after`."""
    books.log_access(
        log,
        who=by.who,
        origin=by.origin,
        action=action,
        before=json.dumps(before, sort_keys=True),
        after=json.dumps({**after, **by.told}, sort_keys=True),
        now_ms=now_ms,
    )


def noted(  # noqa: PLR0913, PLR0917 - what an entry of the log is
    books: Ledger, by: By, action: str, round_id: bytes, now_ms: int, work: Callable[[], T]
) -> T:
    """Inside the caller's transaction: do `work` on a round, and note what it made of it."""
    before = _state(books, round_id)
    result = work()
    note(books, books.round(round_id).table, by, action, before, _state(books, round_id), now_ms)
    return result


async def durably_noted(  # noqa: PLR0913, PLR0917 - what an entry of the log is
    books: Ledger, by: By, action: str, round_id: bytes, now_ms: int, work: Callable[[], T]
) -> T:
    """As `noted`, in a transaction of its own."""
    return await books.durably(partial(noted, books, by, action, round_id, now_ms, work))


def _state(books: Ledger, round_id: bytes) -> dict[str, object]:
    found = books.find_round(round_id)
    return {"round": found.id.hex(), "state": found.state} if found else {}
