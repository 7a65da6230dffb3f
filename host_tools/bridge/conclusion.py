"""From what the records prove to money: settle by the faces, void by the rulebook's ruling, or refer.

Everything here runs inside the caller's transaction, so a round's record, settlement, postings and notice are
one commit. What the rulebook does not decide, or what does not add up, is referred and nothing moves.
"""

from functools import cache, partial
from typing import NamedTuple

from host_tools import ledger, settlement
from host_tools.bridge.events import RoundOutcome, WagerOutcome
from host_tools.bridge.order import Standing
from host_tools.bridge.terms import FindRulebook, TermsLost, terms_of
from host_tools.ledger import Ledger

NEVER_OPENED = "never-opened"
DEVICE_FORGOT = "device-forgot-round"
TERMS_LOST = "terms-lost"
OUTSIDE_TERMS = "wager-outside-terms"


# What a wager comes to, as in ledger.Outcome after the wager.
_End = tuple[str, str, int, int, str, str]


class _Case(NamedTuple):
    """A round to be ended and what it is ended by; `terms` is None when they are lost."""

    books: Ledger
    round: ledger.Round
    standing: Standing
    terms: settlement.Table | None
    now_ms: int


def conclude(
    books: Ledger, round_: ledger.Round, standing: Standing, find_rulebook: FindRulebook, now_ms: int
) -> RoundOutcome:
    """Settle, void or refer `round_` as its final `standing` and its own terms say; returns what was done."""
    try:
        terms = terms_of(round_, find_rulebook)
    except TermsLost:
        return _refer(_Case(books, round_, standing, None, now_ms), TERMS_LOST)
    case = _Case(books, round_, standing, terms, now_ms)
    if standing.state == "read" and standing.faces is not None:
        return _settle(case, terms, standing.faces)
    if standing.state == "no-result":
        return _rule(case, terms)
    return _refer(case, standing.fact)


def void_unopened(books: Ledger, round_: ledger.Round, terms: settlement.Table, now_ms: int) -> RoundOutcome:
    """Void a round that the device never opened. It has no wagers: none are taken before its record."""
    clause = terms.rulebook.ruling("host-lost").clause
    made = ledger.Settlement(round_.id, "void", None, NEVER_OPENED, "void", clause, None, now_ms)
    return _write(_Case(books, round_, Standing(), terms, now_ms), made, [])


def refer_lost(books: Ledger, round_: ledger.Round, terms: settlement.Table, now_ms: int) -> RoundOutcome:
    """Refer a round that the device neither plays nor has concluded: nobody can know what became of it."""
    return _refer(_Case(books, round_, Standing(), terms, now_ms), DEVICE_FORGOT)


def outcome_of(books: Ledger, round_: ledger.Round) -> RoundOutcome:
    """The outcome of a round that is settled, void or referred in the ledger; LookupError when it is none."""
    made = books.settlement(round_.id)
    if made is not None:
        return ended(made, books.outcomes(round_.id), round_.decimals)
    referral = books.referral(round_.id)
    if referral is None:
        raise LookupError(f"round {round_.id.hex()} is not concluded")
    return _referred(referral)


def _settle(case: _Case, terms: settlement.Table, faces: tuple[int, int, int]) -> RoundOutcome:
    outcomes = outcomes_by(case.books, case.round.id, terms, settlement.Outcome(faces))
    if outcomes is None:
        return _refer(case, OUTSIDE_TERMS)
    clause = terms.rulebook.play_clause
    sequence = case.standing.sequence
    made = ledger.Settlement(case.round.id, "settled", faces, "", "settle", clause, sequence, case.now_ms)
    return _write(case, made, outcomes)


def _rule(case: _Case, terms: settlement.Table) -> RoundOutcome:
    void = _decision(case)
    ruling = terms.rulebook.ruling(void.fact)
    decided = ruling.action == "refer" and bool(void.decided_by)
    if ruling.action not in ("void", "void-affected") and not decided:
        return _refer(case, void.fact, ruling.clause)
    outcomes = outcomes_by(case.books, case.round.id, terms, void)
    if outcomes is None:
        return _refer(case, OUTSIDE_TERMS)
    action = "void" if decided else ruling.action
    sequence = case.standing.sequence
    made = ledger.Settlement(
        case.round.id, "void", None, void.fact, action, ruling.clause, sequence, case.now_ms, void.decided_by
    )
    return _write(case, made, outcomes)


def _decision(case: _Case) -> settlement.Void:
    """The fact to rule on: the device's own, or the decision behind a void that the host ordered."""
    order = case.books.void_order(case.round.id)
    if case.standing.fact != "host-void" or order is None:
        return settlement.Void(case.standing.fact)
    return settlement.Void(order.fact, order.decided_by)


def outcomes_by(
    books: Ledger, round_id: bytes, terms: settlement.Table, outcome: settlement.Outcome | settlement.Void
) -> list[ledger.Outcome] | None:
    """What each wager in play comes to; None when the terms would refuse one that was taken."""
    wagers = books.wagers(round_id)
    judge = settlement.Judge(terms, outcome)
    ends: dict[tuple[str, int], _End] = {}  # those alike in name and stake come to the same
    for name, stake in {(each.wager, each.stake) for each in wagers}:
        end = _end_of(judge, name, stake)
        if end is None:
            return None
        ends[name, stake] = end
    if not all(settlement.is_id(each.id) for each in wagers):  # that each is there once, the ledger sees to
        return None
    return [ledger.Outcome(each, *ends[each.wager, each.stake]) for each in wagers]


def _end_of(judge: settlement.Judge, name: str, stake: int) -> _End | None:
    """What a wager of that name and stake comes to; None when the terms would refuse it."""
    minor = partial(settlement.minor_from_text, decimals=judge.table.decimals)
    found = judge.settle(settlement.Wager("any", name, judge.table.text(stake)))
    if found.result == "refused":
        return None
    paid = minor(found.payout), minor(found.returned)
    return found.result, found.odds or "", *paid, found.reason, found.clause


def _write(case: _Case, made: ledger.Settlement, outcomes: list[ledger.Outcome]) -> RoundOutcome:
    case.books.conclude(made, outcomes)
    return told(case.books, case.round, ended(made, outcomes, case.round.decimals), case.now_ms)


def _refer(case: _Case, fact: str, clause: str = "") -> RoundOutcome:
    """Freeze the round for people, under `clause` or the rulebook's general one."""
    clause = clause or (case.terms.rulebook.referral_clause if case.terms else "")
    sequence = case.standing.sequence or None
    referral = ledger.Referral(case.round.id, fact, clause, sequence, case.now_ms)
    case.books.refer(referral)
    return told(case.books, case.round, _referred(referral), case.now_ms)


def told(books: Ledger, round_: ledger.Round, outcome: RoundOutcome, now_ms: int) -> RoundOutcome:
    """Add the notice of an outcome to the outbox."""
    body = {**told_of(outcome), "manual": by_hand(round_, outcome)}
    books.notify(round_.table, f"round-{outcome.verdict}", outcome.round, body, now_ms)
    return outcome


def by_hand(round_: ledger.Round, made: RoundOutcome | ledger.Settlement) -> bool:
    """Whether it rests on what people entered, not on a signed reading: dice that two stated, all cards."""
    return round_.mode == "cards" or (made.faces is not None and bool(made.seconded_by))


def told_of(outcome: RoundOutcome) -> dict[str, object]:
    """An outcome as its notice has it."""
    return {
        "verdict": outcome.verdict,
        "faces": list(outcome.faces) if outcome.faces else None,
        "fact": outcome.fact,
        "clause": outcome.clause,
        "sequence": outcome.sequence,
        "decided_by": outcome.decided_by,
        "seconded_by": outcome.seconded_by,
    }


def _referred(made: ledger.Referral) -> RoundOutcome:
    return RoundOutcome(made.round, "referred", None, made.fact, "refer", made.clause, made.sequence or 0, ())


def ended(made: ledger.Settlement, outcomes: list[ledger.Outcome], decimals: int) -> RoundOutcome:
    """A settlement as the bridge tells of it: money as text."""
    text = cache(partial(settlement.text_from_minor, decimals=decimals))
    wagers = tuple(
        WagerOutcome(id, player, wager, text(stake), result, odds, text(payout), text(returned), clause)
        for (id, player, wager, stake), result, odds, payout, returned, _, clause in outcomes
    )
    ruling = (made.verdict, made.faces, made.fact, made.action, made.clause)
    people = (made.decided_by, made.seconded_by)
    return RoundOutcome(made.round, *ruling, made.sequence or 0, wagers, *people)
