"""Wagers into the ledger and out again before no more bets: a batch is done whole, or not at all."""

from collections.abc import Container, Sequence
from dataclasses import dataclass

from host_tools import ledger, settlement
from host_tools.ledger import Ledger, RoundUnknown, WagerConflict

_LONGEST_NAME = 128


@dataclass(frozen=True, slots=True)
class Wager:
    """A wager as the table server sends it: `wager` is named as in the rulebook (`total:11`), `stake` is
    exact decimal text. `id` is the sender's, unique within the round: asking again gives the same answer."""

    id: str
    player: str
    wager: str
    stake: str


@dataclass(frozen=True, slots=True)
class WagerAnswer:
    """`registered`: the wager is durable in the ledger. Otherwise it is not there, and `reason` says why."""

    id: str
    registered: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Placed:
    """What came of a batch: an answer for each wager, and the wagers that were not in before."""

    answers: list[WagerAnswer]
    new: list[ledger.Wager]


@dataclass(frozen=True, slots=True)
class WithdrawalAnswer:
    """`withdrawn`: the stake is back, durably. Otherwise nothing changed, and `reason` says why."""

    id: str
    withdrawn: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """What came of a batch: an answer for each wager, and the wagers that were still in before."""

    answers: list[WithdrawalAnswer]
    new: list[ledger.Wager]


class _Refused(Exception):
    """Why one wager is not taken."""


def place(
    books: Ledger, round_id: bytes, wagers: Sequence[Wager], terms: settlement.Table, now_ms: int
) -> Placed:
    """Register a batch inside the caller's transaction and answer for each wager.

    A wager that is in already is answered as registered, whenever it is asked for again. If any other wager
    of the batch is refused, no new one is taken.
    """
    new: dict[str, ledger.Wager] = {}
    answers = [_judged(books, round_id, wager, terms, new) for wager in wagers]
    if all(answer.registered for answer in answers):
        books.place(round_id, list(new.values()), now_ms)
        return Placed(answers, list(new.values()))
    return Placed([_not_taken(answer, new) for answer in answers], [])


def withdraw(
    books: Ledger, round_id: bytes, wager_ids: Sequence[str], terms: settlement.Table, now_ms: int
) -> Withdrawn:
    """Withdraw a batch inside the caller's transaction and answer for each wager.

    One that is withdrawn already is answered so, whenever it is asked for again. If any other wager of the
    batch cannot be withdrawn, none is.
    """
    found: dict[str, ledger.Wager] = {}
    answers = [_withdrawal(books, round_id, wager_id, terms, found) for wager_id in wager_ids]
    if all(answer.withdrawn for answer in answers):
        books.withdraw(round_id, list(found), now_ms)
        return Withdrawn(answers, list(found.values()))
    kept = "another wager of the batch cannot be withdrawn"
    return Withdrawn(
        [WithdrawalAnswer(each.id, False, kept) if each.id in found else each for each in answers], []
    )


def _withdrawal(
    books: Ledger, round_id: bytes, wager_id: str, terms: settlement.Table, found: dict[str, ledger.Wager]
) -> WithdrawalAnswer:
    """The answer if the whole batch is withdrawn; adds the wager to `found` when it is still in."""
    round_ = books.find_round(round_id)
    wager = books.wager(round_id, wager_id) if round_ and _is_name(wager_id) else None
    if round_ is None or wager is None:
        return WithdrawalAnswer(wager_id, False, "no such wager is registered in this round")
    if books.is_withdrawn(round_id, wager_id):
        return WithdrawalAnswer(wager_id, True)
    if round_.state != "betting":
        clause = terms.rulebook.closing.withdrawn_clause
        return WithdrawalAnswer(wager_id, False, f"no more bets: no wager is withdrawn (clause {clause})")
    found[wager_id] = wager
    return WithdrawalAnswer(wager_id, True)


def _not_taken(answer: WagerAnswer, new: Container[str]) -> WagerAnswer:
    """The answer when the batch is not taken: what would have been new is not there."""
    if answer.registered and answer.id in new:
        return WagerAnswer(answer.id, False, "another wager of the batch was refused")
    return answer


def _judged(
    books: Ledger, round_id: bytes, wager: Wager, terms: settlement.Table, new: dict[str, ledger.Wager]
) -> WagerAnswer:
    """The answer if the whole batch is taken; adds the wager to `new` when it is to be registered."""
    try:
        taken = _checked(books, round_id, wager, terms, new)
    except (_Refused, RoundUnknown, WagerConflict) as refusal:
        return WagerAnswer(wager.id, False, str(refusal))
    if taken is not None:
        new[taken.id] = taken
    return WagerAnswer(wager.id, True)


def _checked(
    books: Ledger, round_id: bytes, wager: Wager, terms: settlement.Table, new: dict[str, ledger.Wager]
) -> ledger.Wager | None:
    """The wager as the ledger keeps it, or None when exactly it is registered already. Raises the refusal."""
    round_ = books.round(round_id)
    if not _is_name(wager.id) or not _is_name(wager.player):
        raise _Refused(f"malformed id or player: must be printable text of 1 to {_LONGEST_NAME} characters")
    try:
        stake = settlement.minor_from_text(wager.stake, round_.decimals)
    except (settlement.MalformedAmountError, TypeError) as error:
        raise _Refused(f"malformed stake: {error}") from error
    asked = ledger.Wager(wager.id, wager.player, wager.wager, stake)
    if books.is_registered(round_id, asked):
        if books.is_withdrawn(round_id, wager.id):
            raise _Refused("it was withdrawn; use a new id for a new wager")
        return None
    if new.get(wager.id) == asked:
        return None
    if wager.id in new:
        raise _Refused(f"wager id {wager.id!r} is in the batch twice with different content")
    if round_.state != "betting":
        raise _Refused(_closed(round_, terms))
    refusal = terms.check(settlement.Wager(wager.id, wager.wager, wager.stake))
    if refusal is not None:
        raise _Refused(refusal)
    return asked


def _closed(round_: ledger.Round, terms: settlement.Table) -> str:
    if round_.state in ("opening", "opened"):
        return "bets are not open yet"
    closing = terms.rulebook.closing
    return f"no more bets (clause {closing.late_clause})"


def _is_name(text: object) -> bool:
    return isinstance(text, str) and 0 < len(text) <= _LONGEST_NAME and text.isprintable()
