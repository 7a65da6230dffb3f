"""The desk of a table of cards: what supervisors and shift managers decide about its rounds and cards."""

from collections.abc import Callable

from host_tools.bridge.by import BRIDGE, By
from host_tools.bridge.deciding import Bench
from host_tools.bridge.decisions import ByFaces, RoundDesk
from host_tools.bridge.events import CardsCorrected, Event
from host_tools.cards import conclusion, drawing
from host_tools.ledger import Faces, Ledger


class CardsDesk(RoundDesk):
    """Decisions on one table's rounds of cards: `bridge.desk` for cards."""

    def __init__(
        self, books: Ledger, table: str, bench: Callable[[], Bench], tell: Callable[[Event], None]
    ) -> None:
        by_faces = ByFaces(conclusion.settle_referred, conclusion.correct)
        super().__init__(books, table, bench, tell, by_faces)

    async def correct_cards(
        self, round_id: bytes, faces: Faces, people: tuple[str, str], reason: str, by: By = BRIDGE
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
