"""Settlement: what each wager of a round wins, loses or gets back, by the rulebook, exactly."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from host_tools.rulebooks.conditions import Faces
from host_tools.rulebooks.model import Ruling
from host_tools.rulebooks.odds import odds_text
from host_tools.settlement.table import LONGEST_ID, Table, Wager, WagerRefusedError, is_id

DUPLICATE = "duplicate id: another wager of this round has it"


class OutcomeError(ValueError):
    """What was given as an outcome is not one; nothing is settled by it."""


class NeedsDecisionError(OutcomeError):
    """The rules refer the fact to a person, and no person's decision was given; nothing is settled yet."""


@dataclass(frozen=True)
class Outcome:
    """Three faces thrown or drawn, in the order they were read; raises OutcomeError for anything else."""

    faces: Faces
    drawn: str = "dice"

    def __post_init__(self) -> None:
        if self.drawn not in ("dice", "cards"):
            raise OutcomeError(f"an outcome is of dice or cards, not {self.drawn!r}")
        if type(self.faces) is not tuple or len(self.faces) != 3:
            raise OutcomeError(f"an outcome has exactly three faces, not {self.faces!r}")
        for face in self.faces:
            if type(face) is not int or not 1 <= face <= 6:
                raise OutcomeError(f"a face is a whole number from 1 to 6, not {face!r}")


@dataclass(frozen=True)
class Void:
    """A round without a result because of a fact (`not-flat`).

    `decided_by` names who decided on the void; it is needed where the rules refer the fact to a person, and
    blanks name nobody.
    """

    fact: str
    decided_by: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "decided_by", self.decided_by.strip())


class Result(NamedTuple):
    """How one wager was settled; amounts are decimal text.

    `result` is won, lost, void or refused. `odds` are those it was paid at, None if it was not. `payout`
    excludes the stake; `returned` is what goes back to the player (a refused wager never took money, so none
    goes back). `clause` is where the rules say so.
    """

    id: str
    wager: str
    stake: str
    result: str
    odds: str | None
    payout: str
    returned: str
    reason: str
    clause: str


@dataclass(frozen=True)
class Settlement:
    """All results of a round and what it takes to compute them again; a void round has its `ruling`."""

    rulebook: str
    digest: str
    layout: str
    limits: str | None
    decimals: int
    chip_unit: str
    outcome: Outcome | Void
    ruling: Ruling | None
    results: tuple[Result, ...]

    def as_dict(self) -> dict[str, Any]:
        """The settlement as plain values for JSON."""
        if isinstance(self.outcome, Outcome):
            outcome: dict[str, Any] = {self.outcome.drawn: list(self.outcome.faces)}
        else:
            outcome = {"void": self.outcome.fact, "decided_by": self.outcome.decided_by}
        return {
            "rulebook": self.rulebook,
            "digest": self.digest,
            "layout": self.layout,
            "limits": self.limits,
            "decimals": self.decimals,
            "chip_unit": self.chip_unit,
            "outcome": outcome,
            "clause": self.ruling.clause if self.ruling else "",
            "results": [result._asdict() for result in self.results],
        }


def settle_wager(table: Table, outcome: Outcome | Void, wager: Wager) -> Result:
    """Settle one wager: the rules, read aloud. All else in this package repeats what this function says.

    Raises OutcomeError or NeedsDecisionError where the rules do not let this outcome settle anything.
    """
    _ruling(table, outcome)
    try:
        offer, stake = table.accept(wager)
    except WagerRefusedError as refusal:
        return refused(table, wager, refusal.reason, refusal.clause)

    nothing = table.text(0)
    if isinstance(outcome, Void):
        ruling = table.rulebook.ruling(outcome.fact)
        reason = void_reason(ruling, outcome)
        return Result(*wager, "void", None, nothing, table.text(stake), reason, ruling.clause)

    odds = offer.pays(outcome.faces)
    if odds is None:
        return Result(*wager, "lost", None, nothing, nothing, "", offer.condition.clause)

    payout = stake * odds
    if payout.denominator != 1:
        raise ArithmeticError(f"{wager} at {odds} to 1 is no whole number of minor units; nothing is settled")
    clause = _joined(offer.condition.clause, offer.odds_clause)
    paid, returned = table.text(payout.numerator), table.text(stake + payout.numerator)
    return Result(*wager, "won", odds_text(odds), paid, returned, "", clause)


@cache
def _joined(*clauses: str) -> str:
    """Each clause once: a condition and its odds may be stated in the same one."""
    return ", ".join(dict.fromkeys(clause for listed in clauses for clause in listed.split(", ")))


def refused(table: Table, wager: Wager, reason: str, clause: str = "") -> Result:
    """The result of a wager that never entered the round: no money moves."""
    return Result(*wager, "refused", None, table.text(0), table.text(0), reason, clause)


def void_reason(ruling: Ruling, void: Void) -> str:
    """Why a stake goes back: the fact, the clause, and who decided where the rules leave it to a person."""
    decided = f", decided by {void.decided_by}" if void.decided_by else ""
    return f"{void.fact} (clause {ruling.clause}{decided})"


class Judge(dict[tuple[str, str], tuple[Any, ...]]):
    """Settles many wagers on one outcome: those alike in name and stake share one call of `settle_wager`.

    Maps (wager, stake) to the fields of a Result after the stake. Bounded, so a stream of any length is
    settled in constant memory.
    """

    _MOST = 50_000

    def __init__(self, table: Table, outcome: Outcome | Void) -> None:
        """Raises OutcomeError where the rules do not let this outcome settle a round of this table."""
        super().__init__()
        self.table = table
        self.outcome = outcome
        self.ruling = _ruling(table, outcome)

    def __missing__(self, key: tuple[str, str]) -> tuple[Any, ...]:
        if len(self) >= self._MOST:
            self.clear()
        found = self[key] = settle_wager(self.table, self.outcome, Wager("any", *key))[3:]
        return found

    def settle(self, wager: Wager) -> Result:
        """The result of one wager; the caller sees to it that ids are unique."""
        if is_id(wager.id) and type(wager.wager) is str and type(wager.stake) is str:
            return Result(*wager, *self[wager.wager, wager.stake])
        return settle_wager(self.table, self.outcome, wager)


def settle(table: Table, outcome: Outcome | Void, wagers: Iterable[Wager]) -> Settlement:
    """Settle a round. Pure: the same table, outcome and wagers always give the same settlement.

    A wager that the table does not take, or whose id came before, is refused in its row; the others settle.
    Raises OutcomeError for an outcome of the wrong game, NeedsDecisionError for an undecided void.
    """
    judge = Judge(table, outcome)
    placed = list(wagers)
    try:
        results = _settle_plain(judge, placed)
    except _NotPlainError:
        results = _settle_any(judge, placed)
    return Settlement(
        rulebook=table.rulebook.id,
        digest=table.rulebook.digest,
        layout=table.layout.id,
        limits=table.limits.id if table.limits else None,
        decimals=table.decimals,
        chip_unit=table.text(table.chip_unit),
        outcome=outcome,
        ruling=judge.ruling,
        results=results,
    )


class _NotPlainError(Exception):
    """Some wager of the round needs a look of its own."""


def _settle_any(judge: Judge, placed: list[Wager]) -> tuple[Result, ...]:
    seen: set[str] = set()
    results = []
    for wager in placed:
        if is_id(wager.id) and wager.id in seen:
            results.append(refused(judge.table, wager, DUPLICATE))
            continue
        if is_id(wager.id):
            seen.add(wager.id)
        results.append(judge.settle(wager))
    return tuple(results)


def _settle_plain(judge: Judge, placed: list[Wager]) -> tuple[Result, ...]:
    """What `_settle_any` answers, but faster, for a round whose ids are plainly good and unique."""
    ids = [wager[0] for wager in placed]
    plain = (
        set(map(type, ids)) == {str}
        and len(set(ids)) == len(ids)
        and min(map(len, ids)) > 0
        and max(map(len, ids)) <= LONGEST_ID
        and "".join(ids).isascii()
    )
    if not plain:
        raise _NotPlainError
    new = tuple.__new__
    try:
        return tuple([new(Result, wager + judge[wager[1:]]) for wager in placed])
    except TypeError as error:  # a list as a stake, for one, is no key of a dictionary
        raise _NotPlainError from error


def _ruling(table: Table, outcome: Outcome | Void) -> Ruling | None:
    rulebook = table.rulebook
    if isinstance(outcome, Outcome):
        expected = "cards" if rulebook.play_mode == "cards" else "dice"
        if outcome.drawn != expected:
            raise OutcomeError(f"{rulebook.id} is played with {expected}; the outcome is of {outcome.drawn}")
        return None
    ruling = rulebook.ruling(outcome.fact)
    if ruling.action == "settle-by-dice":
        raise OutcomeError(
            f"{outcome.fact} does not void a round: it is settled by the dice "
            f"(clause {ruling.clause}; {ruling.note})"
        )
    if ruling.action == "refer" and not outcome.decided_by:
        raise NeedsDecisionError(
            f"{outcome.fact} is referred to the {rulebook.referral} (clause {ruling.clause}); "
            "give the decision's author in decided_by"
        )
    return ruling
