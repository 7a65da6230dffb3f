"""The desk of a table: what supervisors and shift managers decide about its rounds."""

from collections.abc import Sequence
from functools import partial

from host_tools import ledger
from host_tools.bridge import alarms, deciding
from host_tools.bridge.alarms import Alarm
from host_tools.bridge.by import BRIDGE, By, durably_noted, noted
from host_tools.bridge.deciding import Decision
from host_tools.bridge.events import (
    AlarmAnswered,
    RoundCorrected,
    RoundCorrection,
    RoundOutcome,
    RoundSettled,
    RoundVoid,
)
from host_tools.bridge.sink import LedgerSink


class Desk:
    """Decisions on held, referred and settled rounds of one table; each is durable when it returns.

    Who may decide is for the service to know; here two people are two different names. `by` is who carries it
    out, for the access log.
    """

    def __init__(self, table: str, device: bytes, sink: LedgerSink) -> None:
        self._table = table
        self._device = device
        self._sink = sink
        self._books = sink.books

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

    # --- referred: the rules leave it to people ---

    def referred(self) -> list[ledger.Round]:
        """The rounds that wait for a decision, oldest first."""
        return self._books.referred_rounds(self._table)

    async def void_referred(
        self, round_id: bytes, decided_by: str, reason: str, by: By = BRIDGE
    ) -> RoundOutcome:
        """Void a referred round: every stake goes back. Raises WrongStep, DecisionIncomplete."""
        bench = self._sink.bench()
        work = partial(deciding.void_referred, bench, round_id, decided_by, reason)
        outcome = await durably_noted(self._books, by, "void-referred", round_id, bench.now_ms, work)
        ruling = (outcome.fact, outcome.action, outcome.clause)
        self._sink.announce(self._device, RoundVoid(round_id, *ruling))
        return outcome

    async def settle_referred(
        self, round_id: bytes, faces: ledger.Faces, decision: Decision, by: By = BRIDGE
    ) -> RoundOutcome:
        """Settle a referred round by the dice as two people saw them; the outcome bears their names.

        Raises WrongStep, settlement.OutcomeError, TermsLost."""
        bench = self._sink.bench()
        work = partial(deciding.settle_referred, bench, round_id, faces, decision)
        outcome = await durably_noted(self._books, by, "settle-referred", round_id, bench.now_ms, work)
        self._sink.announce(self._device, RoundSettled(round_id, outcome))
        return outcome

    # --- settled: a wrong result, damaged dice ---

    async def correct(
        self, round_id: bytes, faces: ledger.Faces, decision: Decision, by: By = BRIDGE
    ) -> RoundCorrection:
        """Settle a round again by the dice (RWS 5.5), also once later rounds have begun, which stay as they
        are (RWS 5.6); lists what to collect and pay.

        Raises WrongStep, settlement.OutcomeError, TermsLost."""
        bench = self._sink.bench()
        work = partial(deciding.correct, bench, round_id, faces, decision)
        correction = await durably_noted(self._books, by, "correct", round_id, bench.now_ms, work)
        self._sink.announce(self._device, RoundCorrected(round_id, correction))
        return correction

    def alarms(self) -> list[Alarm]:
        """What evidence speaks against and nobody has answered for, oldest first."""
        return alarms.standing(self._books, self._table)

    async def answer_alarm(self, number: int, reason: str, by: By) -> None:
        """Say what was found about an alarm: it stands no more. Raises WrongStep, DecisionIncomplete."""
        work = partial(alarms.answer, self._sink.bench(), self._table, number, reason, by)
        answered = await self._books.durably(work)
        self._sink.announce(self._device, AlarmAnswered(answered.round, number))

    def rounds_with_these_dice(self) -> list[ledger.Round]:
        """The table's rounds since its dice were last changed, oldest first: a damaged die may have touched
        them. How far back it did is for people to say (RWS 5.4, 5.10)."""
        changed = self._books.newest_record(self._device, "dice-set-change")
        return self._books.rounds_after_record(self._table, self._device, changed.sequence if changed else 0)

    async def void_affected(
        self, round_ids: Sequence[bytes], decision: Decision, by: By = BRIDGE
    ) -> list[RoundCorrection]:
        """Void settled rounds that a damaged die touched, all or none (RWS 5.4). Raises WrongStep."""
        bench = self._sink.bench()

        def void(round_id: bytes) -> RoundCorrection:
            work = partial(deciding.void_affected, bench, self._table, round_id, decision)
            return noted(self._books, by, "void-affected", round_id, bench.now_ms, work)

        corrections = await self._books.durably(lambda: [void(each) for each in round_ids])
        for correction in corrections:
            self._sink.announce(self._device, RoundCorrected(correction.outcome.round, correction))
        return corrections
