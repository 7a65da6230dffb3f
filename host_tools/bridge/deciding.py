"""What people decide: referred rounds void or settled by the dice, wrong results corrected, rounds affected.

Everything here runs inside the caller's transaction. A person may void what was referred; faces that people
state, and every change of a settlement, take two different people, a reason and a picture.
"""

import hashlib
from dataclasses import dataclass
from functools import cache, partial
from typing import NamedTuple, Self

from host_tools import ledger, settlement
from host_tools.bridge.conclusion import OUTSIDE_TERMS, by_hand, ended, outcomes_by, told
from host_tools.bridge.errors import DecisionIncomplete, WrongStep
from host_tools.bridge.events import RoundCorrection, RoundOutcome, WagerDifference
from host_tools.bridge.terms import FindRulebook, terms_of
from host_tools.ledger import Ledger

WRONG_RESULT = "wrong-result-registered"
DIE_DAMAGED = "die-damaged"

_DIGEST_SIZE = 32


@dataclass(frozen=True, slots=True)
class Decision:
    """Who decided, who else stood by it, why, and the SHA-256 of the picture that shows it. `replaces`:
    entries of the settlements that they looked at, each of which it may replace; None: of whichever stands.

    Raises DecisionIncomplete unless there are two different people, a reason and a digest of 32 bytes.
    """

    decided_by: str
    seconded_by: str
    reason: str
    evidence: bytes
    replaces: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        first, second = self.decided_by.strip(), self.seconded_by.strip()
        if not first or not second or first.casefold() == second.casefold():
            raise DecisionIncomplete("two different people must decide; name both")
        if not self.reason.strip():
            raise DecisionIncomplete("say why; the reason is kept with the decision")
        if len(self.evidence) != _DIGEST_SIZE:
            raise DecisionIncomplete("give the SHA-256 of the evidence picture, 32 bytes")

    @classmethod
    def stated(cls, decided_by: str, seconded_by: str, reason: str) -> Self:
        """A decision where no camera looks: what the two people state is all there is, and the SHA-256 of the
        reason, in UTF-8, stands where that of a picture does."""
        return cls(decided_by, seconded_by, reason, hashlib.sha256(reason.strip().encode()).digest())

    @property
    def people(self) -> tuple[str, str, str, bytes]:
        """As a settlement keeps it."""
        return self.decided_by.strip(), self.seconded_by.strip(), self.reason.strip(), self.evidence


@dataclass(frozen=True, slots=True)
class Bench:
    """What decisions are made with: the books, where rulebooks are found, and the time."""

    books: Ledger
    find_rulebook: FindRulebook
    now_ms: int


def void_referred(bench: Bench, round_id: bytes, decided_by: str, reason: str) -> RoundOutcome:
    """Void a referred round by the word of the person whom the rules leave it to: every stake goes back.

    Raises WrongStep, DecisionIncomplete.
    """
    round_, referral = referred(bench.books, round_id)
    decided_by, reason = decided_by.strip(), reason.strip()
    if not decided_by or not reason:
        raise DecisionIncomplete("name who decided on the void, and why")
    why = f"{referral.fact} (clause {referral.clause}, decided by {decided_by})"
    back = [
        ledger.Outcome(wager, "void", "", 0, wager.stake, why, referral.clause)
        for wager in bench.books.wagers(round_id)
    ]
    made = _by_referral(bench, referral, None, (decided_by, "", reason, None))
    return _conclude(bench, round_, made, back)


def settle_referred(bench: Bench, round_id: bytes, faces: ledger.Faces, decision: Decision) -> RoundOutcome:
    """Settle a referred round by the dice as two people saw them: a manual entry, marked by their names.

    Raises WrongStep, settlement.OutcomeError for faces that are none, TermsLost.
    """
    round_, referral = referred(bench.books, round_id)
    outcomes = _by_dice(bench, round_, faces)
    made = _by_referral(bench, referral, faces, decision.people)
    return _conclude(bench, round_, made, outcomes)


def correct(bench: Bench, round_id: bytes, faces: ledger.Faces, decision: Decision) -> RoundCorrection:
    """Settle a round again by the dice, because a wrong result was registered (RWS 5.5, MBS 6.3).

    However late it is noticed: what was paid and collected in the rounds after it stays as it is (RWS 5.6).
    Raises WrongStep, settlement.OutcomeError, TermsLost.
    """
    round_ = bench.books.round(round_id)
    made = bench.books.settlement(round_id)
    if round_.state != "settled" or made is None:
        raise WrongStep(f"round {round_id.hex()} is {round_.state}; only a settled round can be corrected")
    require_seen(made, decision)
    if made.faces == faces:
        raise WrongStep(f"round {round_id.hex()} is settled by these faces already")
    outcomes = _by_dice(bench, round_, faces)
    clause = terms_of(round_, bench.find_rulebook).rulebook.ruling(WRONG_RESULT).clause
    change = _Change(round_, made, faces, (WRONG_RESULT, "settle-by-dice", clause))
    return _replace(bench, change, outcomes, decision)


def void_affected(bench: Bench, table: str, round_id: bytes, decision: Decision) -> RoundCorrection:
    """Void a settled round that a damaged die touched (RWS 5.4): what was paid and collected goes back.

    Raises WrongStep when it is not settled at this table or the rules void only the one round.
    """
    round_ = bench.books.round(round_id)
    made = bench.books.settlement(round_id)
    if round_.table != table or round_.state != "settled" or made is None:
        raise WrongStep(f"round {round_id.hex()} of table {round_.table} is {round_.state}, not settled here")
    require_seen(made, decision)
    terms = terms_of(round_, bench.find_rulebook)
    ruling = terms.rulebook.ruling(DIE_DAMAGED)
    if ruling.action != "void-affected":
        raise WrongStep(f"by clause {ruling.clause} a damaged die voids no round that is settled")
    outcomes = outcomes_by(bench.books, round_id, terms, settlement.Void(DIE_DAMAGED, decision.decided_by))
    if outcomes is None:
        raise WrongStep(f"round {round_id.hex()}: {OUTSIDE_TERMS}")
    change = _Change(round_, made, None, (DIE_DAMAGED, ruling.action, ruling.clause))
    return _replace(bench, change, outcomes, decision)


def require_seen(made: ledger.Settlement, decision: Decision) -> None:
    """Raise WrongStep when a round was settled anew since the two people looked at it: they would undo what
    they have not seen."""
    if decision.replaces is not None and made.entry not in decision.replaces:
        raise WrongStep(
            f"round {made.round.hex()} was settled anew meanwhile (number {made.entry}); look at it, then"
            " propose again what is still wrong"
        )


def referred(books: Ledger, round_id: bytes) -> tuple[ledger.Round, ledger.Referral]:
    """A round that waits for people, and its referral. Raises WrongStep."""
    round_, referral = books.round(round_id), books.referral(round_id)
    if round_.state != "referred" or referral is None:
        raise WrongStep(f"round {round_id.hex()} is {round_.state}; people decide what was referred to them")
    return round_, referral


def _by_dice(bench: Bench, round_: ledger.Round, faces: ledger.Faces) -> list[ledger.Outcome]:
    terms = terms_of(round_, bench.find_rulebook)
    outcomes = outcomes_by(bench.books, round_.id, terms, settlement.Outcome(faces))
    if outcomes is None:
        raise WrongStep(f"{OUTSIDE_TERMS}: the round cannot be settled, only be void")
    return outcomes


def _by_referral(
    bench: Bench,
    referral: ledger.Referral,
    faces: ledger.Faces | None,
    people: tuple[str, str, str, bytes | None],
) -> ledger.Settlement:
    verdict, action = ("settled", "settle-by-dice") if faces else ("void", "void")
    ruling = (verdict, faces, referral.fact, action, referral.clause)
    return ledger.Settlement(referral.round, *ruling, referral.sequence, bench.now_ms, *people)


def _conclude(
    bench: Bench, round_: ledger.Round, made: ledger.Settlement, outcomes: list[ledger.Outcome]
) -> RoundOutcome:
    bench.books.conclude(made, outcomes)
    return told(bench.books, round_, ended(made, outcomes, round_.decimals), bench.now_ms)


class _Change(NamedTuple):
    """A settled round, its settlement, and what it is to be: `ruling` is fact, action and clause."""

    round: ledger.Round
    before: ledger.Settlement
    faces: ledger.Faces | None
    ruling: tuple[str, str, str]


def _replace(
    bench: Bench, change: _Change, outcomes: list[ledger.Outcome], decision: Decision
) -> RoundCorrection:
    """A new settlement in the place of the one before, on the same record, with the differences."""
    round_, before, faces, ruling = change
    verdict = "settled" if faces else "void"
    made = ledger.Settlement(
        round_.id, verdict, faces, *ruling, before.sequence, bench.now_ms, *decision.people, before.entry
    )
    lines = bench.books.correct(made, outcomes)
    correction = RoundCorrection(
        ended(made, outcomes, round_.decimals),
        differences_of(lines, round_.decimals),
        made.reason,
        decision.evidence,
    )
    body = {
        "verdict": verdict,
        "faces": list(faces) if faces else None,
        "manual": by_hand(round_, made),
        "fact": made.fact,
        "clause": made.clause,
        "decided_by": made.decided_by,
        "seconded_by": made.seconded_by,
        "reason": made.reason,
        "evidence": decision.evidence.hex(),
        "differences": [{"id": each.id, "amount": each.amount} for each in correction.differences],
    }
    bench.books.notify(round_.table, "round-corrected", round_.id, body, bench.now_ms)
    return correction


def differences_of(lines: list[ledger.Difference], decimals: int) -> tuple[WagerDifference, ...]:
    """The lines of a correction with money as text."""
    text = cache(partial(settlement.text_from_minor, decimals=decimals))
    return tuple(
        WagerDifference(
            id=line.after.wager.id,
            player=line.after.wager.player,
            wager=line.after.wager.wager,
            stake=text(line.after.wager.stake),
            returned_before=text(line.before.returned),
            returned=text(line.after.returned),
            amount=text(line.amount),
        )
        for line in lines
    )
