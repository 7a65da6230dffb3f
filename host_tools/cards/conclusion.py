"""From cards to money: settle by the three cards, void by the rulebook's ruling, refer, correct.

As `bridge.conclusion` and `bridge.deciding` do for dice, on what people and shoe devices entered: no record
of a device is behind it, so each notice says `manual` and names who announced or decided. Everything here
runs inside the caller's transaction.
"""

from host_tools import ledger, settlement
from host_tools.bridge.conclusion import OUTSIDE_TERMS, by_hand, ended, outcomes_by, told, told_of
from host_tools.bridge.deciding import WRONG_RESULT, Bench, Decision, differences_of, referred, require_seen
from host_tools.bridge.errors import WrongStep
from host_tools.bridge.events import RoundCorrection, RoundOutcome
from host_tools.bridge.terms import terms_of
from host_tools.cards import drawing

BY_CARDS = "settle-by-cards"


def settle(bench: Bench, round_: ledger.Round, announced_by: str) -> RoundOutcome:
    """Settle a closed round by its three cards as they are entered (3.9). Raises WrongStep, TermsLost."""
    faces = drawing.faces_of(bench.books, round_.id)
    clause = terms_of(round_, bench.find_rulebook).rulebook.play_clause
    made = _settlement(bench, round_, faces, ("", BY_CARDS, clause), (announced_by, "", "", None))
    return _conclude(bench, round_, made, _by_cards(bench, round_, faces))


def void(bench: Bench, round_: ledger.Round, fact: str, decided_by: str, reason: str) -> RoundOutcome:
    """Void a round by a fact that the rulebook rules on (5.1 to 5.4): every stake goes back.

    Raises UnknownFactError, WrongStep, TermsLost."""
    terms = terms_of(round_, bench.find_rulebook)
    ruling = terms.rulebook.ruling(fact)
    if ruling.action != "void":
        raise WrongStep(f"by clause {ruling.clause} {fact} does not void a round: {ruling.action}")
    outcomes = outcomes_by(bench.books, round_.id, terms, settlement.Void(fact, decided_by))
    if outcomes is None:
        raise WrongStep(f"{OUTSIDE_TERMS}: refer the round")
    ruled = (fact, ruling.action, ruling.clause)
    made = _settlement(bench, round_, None, ruled, (decided_by, "", reason, None))
    return _conclude(bench, round_, made, outcomes)


def refer(bench: Bench, round_: ledger.Round, fact: str) -> RoundOutcome:
    """Leave a round that no clause covers to the people whom the rulebook names. Raises TermsLost."""
    clause = terms_of(round_, bench.find_rulebook).rulebook.referral_clause
    referral = ledger.Referral(round_.id, fact, clause, None, bench.now_ms)
    bench.books.refer(referral)
    outcome = RoundOutcome(round_.id, "referred", None, fact, "refer", clause, 0, ())
    return told(bench.books, round_, outcome, bench.now_ms)


def settle_referred(bench: Bench, round_id: bytes, faces: ledger.Faces, decision: Decision) -> RoundOutcome:
    """Settle a referred round by its three cards as two people saw them. Raises WrongStep, TermsLost."""
    round_, referral = referred(bench.books, round_id)
    _enter_anew(bench, round_, faces, decision)
    ruled = (referral.fact, BY_CARDS, referral.clause)
    made = _settlement(bench, round_, faces, ruled, decision.people)
    return _conclude(bench, round_, made, _by_cards(bench, round_, faces))


def correct(bench: Bench, round_id: bytes, faces: ledger.Faces, decision: Decision) -> RoundCorrection:
    """Settle a settled round again by the cards that were drawn, because they were entered wrong.

    The document says nothing on it, so two people answer for it under its general clause; rounds after it
    stay as they are (as 5.2.2 has it). Raises WrongStep, NothingToCorrect, CardImpossible, TermsLost."""
    round_, before = bench.books.round(round_id), bench.books.settlement(round_id)
    if round_.state != "settled" or before is None:
        raise WrongStep(f"round {round_.id.hex()} is {round_.state}; only a settled round can be corrected")
    require_seen(before, decision)
    people = (decision.decided_by, decision.seconded_by)
    drawing.correct(bench.books, round_.id, faces, people, decision.reason, bench.now_ms)
    outcomes = _by_cards(bench, round_, faces)
    clause = terms_of(round_, bench.find_rulebook).rulebook.referral_clause
    ruled = (WRONG_RESULT, BY_CARDS, clause)
    made = _settlement(bench, round_, faces, ruled, decision.people, before.entry)
    differences = differences_of(bench.books.correct(made, outcomes), round_.decimals)
    correction = RoundCorrection(
        ended(made, outcomes, round_.decimals), differences, made.reason, decision.evidence
    )
    body = {
        **told_of(correction.outcome),
        "manual": by_hand(round_, made),
        "reason": made.reason,
        "evidence": decision.evidence.hex(),
        "differences": [{"id": each.id, "amount": each.amount} for each in differences],
    }
    bench.books.notify(round_.table, "round-corrected", round_.id, body, bench.now_ms)
    return correction


def _enter_anew(bench: Bench, round_: ledger.Round, faces: ledger.Faces, decision: Decision) -> None:
    """Bring the entered cards to what two people say they are, where they differ."""
    if drawing.faces_of(bench.books, round_.id) != faces:
        people = (decision.decided_by, decision.seconded_by)
        drawing.correct(bench.books, round_.id, faces, people, decision.reason, bench.now_ms)


def _by_cards(bench: Bench, round_: ledger.Round, faces: ledger.Faces) -> list[ledger.Outcome]:
    terms = terms_of(round_, bench.find_rulebook)
    outcomes = outcomes_by(bench.books, round_.id, terms, settlement.Outcome(faces, "cards"))
    if outcomes is None:
        raise WrongStep(f"{OUTSIDE_TERMS}: the round cannot be settled, only be referred")
    return outcomes


def _settlement(  # noqa: PLR0913, PLR0917 - what a settlement is
    bench: Bench,
    round_: ledger.Round,
    faces: ledger.Faces | None,
    ruled: tuple[str, str, str],
    people: tuple[str, str, str, bytes | None],
    corrects: int | None = None,
) -> ledger.Settlement:
    verdict = "settled" if faces else "void"
    return ledger.Settlement(round_.id, verdict, faces, *ruled, None, bench.now_ms, *people, corrects)


def _conclude(
    bench: Bench, round_: ledger.Round, made: ledger.Settlement, outcomes: list[ledger.Outcome]
) -> RoundOutcome:
    bench.books.conclude(made, outcomes)
    return told(bench.books, round_, ended(made, outcomes, round_.decimals), bench.now_ms)
