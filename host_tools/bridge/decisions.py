"""What the desk of a table of dice and that of a table of cards have alike: referred rounds and corrections.

Each decision is one transaction: what it looks at, what it changes, and the entry of the access log.
"""

import copy
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, Self, TypeVar

from host_tools import ledger
from host_tools.bridge import deciding
from host_tools.bridge.by import BRIDGE, By, noted
from host_tools.bridge.deciding import Bench, Decision
from host_tools.bridge.events import Event, RoundCorrected, RoundCorrection, RoundOutcome, event_of
from host_tools.ledger import Ledger

T = TypeVar("T")


class ByFaces(NamedTuple):
    """How a referred round is settled, and a settled one corrected, by faces that two people state."""

    settle_referred: Callable[[Bench, bytes, ledger.Faces, Decision], RoundOutcome]
    correct: Callable[[Bench, bytes, ledger.Faces, Decision], RoundCorrection]


class RoundDesk:
    """Decisions on one table's referred and settled rounds; each is durable when it returns.

    Who may decide is for the service to know; here two people are two different names. `by` is who carries it
    out, for the access log.
    """

    def __init__(
        self,
        books: Ledger,
        table: str,
        bench: Callable[[], Bench],
        tell: Callable[[Event], None],
        by_faces: ByFaces,
    ) -> None:
        self._books = books
        self._table = table
        self._bench = bench
        self._tell = tell
        self._by_faces = by_faces
        self._durably = books.durably

    def rehearsal(self) -> Self:
        """This desk, where each decision is tried and undone: it refuses what this one would, and changes and
        tells nothing."""
        other = copy.copy(self)
        other._durably, other._tell = partial(_undone, self._books), lambda _: None
        return other

    def referred(self) -> list[ledger.Round]:
        """The rounds that wait for a decision, oldest first."""
        return self._books.referred_rounds(self._table)

    async def void_referred(
        self, round_id: bytes, decided_by: str, reason: str, by: By = BRIDGE
    ) -> RoundOutcome:
        """Void a referred round: every stake goes back. Raises WrongStep, DecisionIncomplete."""
        bench = self._bench()
        work = partial(deciding.void_referred, bench, round_id, decided_by, reason)
        outcome = await self._decided(bench, by, "void-referred", round_id, work)
        self._tell(event_of(outcome))
        return outcome

    async def settle_referred(
        self, round_id: bytes, faces: ledger.Faces, decision: Decision, by: By = BRIDGE
    ) -> RoundOutcome:
        """Settle a referred round by its dice or cards as two people saw them; the outcome bears their names.

        Raises WrongStep, TermsLost, and settlement.OutcomeError or CardImpossible for faces that cannot be.
        """
        bench = self._bench()
        work = partial(self._by_faces.settle_referred, bench, round_id, faces, decision)
        outcome = await self._decided(bench, by, "settle-referred", round_id, work)
        self._tell(event_of(outcome))
        return outcome

    async def correct(
        self, round_id: bytes, faces: ledger.Faces, decision: Decision, by: By = BRIDGE
    ) -> RoundCorrection:
        """Settle a round again by its dice (RWS 5.5) or cards, also once later rounds have begun, which stay
        as they are (RWS 5.6); lists what to collect and pay.

        Raises WrongStep, TermsLost, NothingToCorrect, and settlement.OutcomeError or CardImpossible for faces
        that cannot be."""
        bench = self._bench()
        work = partial(self._by_faces.correct, bench, round_id, faces, decision)
        correction = await self._decided(bench, by, "correct", round_id, work)
        self._tell(RoundCorrected(round_id, correction))
        return correction

    async def _decided(self, bench: Bench, by: By, action: str, round_id: bytes, work: Callable[[], T]) -> T:
        return await self._durably(partial(noted, self._books, by, action, round_id, bench.now_ms, work))


class _Undone(Exception):
    """What undoes a piece of work that went well, with its result."""

    def __init__(self, result: Any) -> None:
        self.result = result
        super().__init__()


async def _undone(books: Ledger, work: Callable[[], T]) -> T:
    """Do `work` in a transaction and undo it; its result, or its own error."""

    def undo() -> None:
        raise _Undone(work())

    try:
        await books.durably(undo)
    except _Undone as done:
        return done.result
    raise AssertionError("what was undone has no other end")
