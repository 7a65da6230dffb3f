"""The desk of a table of cards: what supervisors and shift managers decide about its rounds and cards."""

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from host_tools import ledger
from host_tools.bridge import deciding
from host_tools.bridge.by import BRIDGE, By, durably_noted
from host_tools.bridge.deciding import Bench, Decision
from host_tools.bridge.events import (
    CardsCorrected,
    Event,
    RoundCorrected,
    RoundCorrection,
    RoundOutcome,
    RoundSettled,
    RoundVoid,
)
from host_tools.cards import conclusion, drawing
from host_tools.ledger import Ledger

T = TypeVar("T")


class CardsDesk:
    """Decisions on one table's rounds of cards, each durable when it returns: `bridge.desk` for cards."""

    def __init__(
        self, books: Ledger, table: str, bench: Callable[[], Bench], tell: Callable[[Event], None]
    ) -> None:
        self._books = books
        self._table = table
        self._bench = bench
        self._tell = tell

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
        self._tell(RoundVoid(round_id, outcome.fact, outcome.action, outcome.clause))
        return outcome

    async def settle_referred(
        self, round_id: bytes, faces: ledger.Faces, decision: Decision, by: By = BRIDGE
    ) -> RoundOutcome:
        """Settle a referred round by its three cards as two people saw them. Raises WrongStep, TermsLost."""
        bench = self._bench()
        round_ = self._books.round(round_id)
        work = partial(conclusion.settle_referred, bench, round_, faces, decision)
        outcome = await self._decided(bench, by, "settle-referred", round_id, work)
        self._tell(RoundSettled(round_id, outcome))
        return outcome

    async def correct(
        self, round_id: bytes, faces: ledger.Faces, decision: Decision, by: By = BRIDGE
    ) -> RoundCorrection:
        """Settle a round again by the cards that were drawn; lists what to collect and pay.

        Raises WrongStep, NothingToCorrect, CardImpossible, TermsLost."""
        bench = self._bench()
        work = partial(self._corrected, bench, round_id, faces, decision)
        correction = await self._decided(bench, by, "correct", round_id, work)
        self._tell(RoundCorrected(round_id, correction))
        return correction

    async def correct_cards(
        self, round_id: bytes, faces: ledger.Faces, people: tuple[str, str], reason: str, by: By = BRIDGE
    ) -> None:
        """Enter a closed round's three cards anew before the result is announced: no money has moved.

        Raises WrongStep, NothingToCorrect, CardImpossible, DecisionIncomplete."""
        bench, corrected = self._bench(), CardsCorrected(round_id, faces)

        def work() -> None:
            drawing.require_open(self._books.round(round_id), "closed")
            drawing.correct(self._books, round_id, faces, people, reason, bench.now_ms)
            drawing.keep(self._books, self._table, corrected, bench.now_ms)

        await self._decided(bench, by, "correct-cards", round_id, work)
        self._tell(corrected)

    def _corrected(
        self, bench: Bench, round_id: bytes, faces: ledger.Faces, decision: Decision
    ) -> RoundCorrection:
        return conclusion.correct(bench, self._books.round(round_id), faces, decision)

    async def _decided(self, bench: Bench, by: By, action: str, round_id: bytes, work: Callable[[], T]) -> T:
        return await durably_noted(self._books, by, action, round_id, bench.now_ms, work)
