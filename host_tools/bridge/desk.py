"""The desk of a table: what supervisors and shift managers decide about its rounds."""

from collections.abc import Sequence
from functools import partial

from host_tools import ledger
from host_tools.bridge import alarms, deciding
from host_tools.bridge.alarms import Alarm
from host_tools.bridge.by import BRIDGE, By, noted
from host_tools.bridge.deciding import Decision
from host_tools.bridge.decisions import ByFaces, RoundDesk
from host_tools.bridge.errors import NotAffected
from host_tools.bridge.events import AlarmAnswered, RoundCorrected, RoundCorrection, RoundOutcome
from host_tools.bridge.sink import LedgerSink


class Desk(RoundDesk):
    """Decisions on held, referred and settled rounds of one table of dice."""

    def __init__(self, table: str, device: bytes, sink: LedgerSink) -> None:
        by_faces = ByFaces(deciding.settle_referred, deciding.correct)
        super().__init__(sink.books, table, sink.bench, partial(sink.announce, device), by_faces)
        self._device = device
        self._sink = sink

    # --- held: the reading waits for its evidence ---

    @property
    def held(self) -> bytes | None:
        """The round whose reading waits for its evidence, or None."""
        current = self._books.current_round(self._table)
        return current.id if current and current.state == "held" else None

    async def release(self, round_id: bytes, by: By = BRIDGE) -> RoundOutcome:
        """Settle a held round by its reading: the evidence agrees. Raises WrongStep."""
        return await self._sink.release(round_id, by)

    async def refer(self, round_id: bytes, fact: str, by: By = BRIDGE) -> RoundOutcome:
        """Leave a held round to people: its evidence disagrees or is missing. Raises WrongStep."""
        return await self._sink.refer(round_id, fact, by)

    # --- settled: in doubt, damaged dice ---

    def alarms(self) -> list[Alarm]:
        """What evidence speaks against and nobody has answered for, oldest first."""
        return alarms.standing(self._books, self._table)

    async def answer_alarm(self, number: int, reason: str, by: By) -> None:
        """Say what was found about an alarm: it stands no more. Raises WrongStep, DecisionIncomplete."""
        work = partial(alarms.answer, self._bench(), self._table, number, reason, by)
        answered = await self._books.durably(work)
        self._tell(AlarmAnswered(answered.round, number))

    def rounds_with_these_dice(self) -> list[ledger.Round]:
        """The table's rounds since its dice were last changed, oldest first: a damaged die may have touched
        them. How far back it did is for people to say (RWS 5.4, 5.10)."""
        changed = self._books.newest_record(self._device, "dice-set-change")
        return self._books.rounds_after_record(self._table, self._device, changed.sequence if changed else 0)

    async def void_affected(
        self, round_ids: Sequence[bytes], decision: Decision, by: By = BRIDGE
    ) -> list[RoundCorrection]:
        """Void settled rounds that a damaged die touched, all or none (RWS 5.4): of those alone that were
        played with the dice that are in the tumbler. Raises NotAffected, WrongStep."""
        bench = self._bench()

        def void(round_id: bytes) -> RoundCorrection:
            work = partial(deciding.void_affected, bench, self._table, round_id, decision)
            return noted(self._books, by, "void-affected", round_id, bench.now_ms, work)

        def void_all() -> list[RoundCorrection]:
            touched = {each.id for each in self.rounds_with_these_dice()}
            for each in round_ids:
                if each not in touched:
                    raise NotAffected(f"round {each.hex()} was not played with the dice that are in now")
            return [void(each) for each in round_ids]

        corrections = await self._durably(void_all)
        for correction in corrections:
            self._tell(RoundCorrected(correction.outcome.round, correction))
        return corrections
