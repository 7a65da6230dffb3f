"""A table's evidence: the frames of each reading are fetched, kept and read again by the second reader.

A device keeps the frames of its newest scene only, so they are fetched at once: a scene of 320x240 under four
lamps takes 30 s at 115200 baud, records first. What was under way when a bridge ended is taken up again.
"""

import asyncio
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

from host_tools import ledger, link
from host_tools.bridge.by import By, note
from host_tools.bridge.errors import WrongStep
from host_tools.bridge.events import Event, EvidenceAlarm, RecordCommitted
from host_tools.bridge.pictures import Finding, Pictures, PicturesDamaged
from host_tools.bridge.second_opinion import OpinionFailed, opinion
from host_tools.bridge.session import Asked
from host_tools.bridge.sink import LedgerSink
from host_tools.ledger import LedgerUnavailable
from host_tools.ledger.schema import ALARM
from host_tools.link.clock import done_by
from host_tools.records import Record

DIFFERS = "second-reader-differs"  # both read, other faces
UNSURE = "second-reader-unsure"  # it cannot read what the device has read
FAILED = "second-reader-failed"  # it broke
MISSING = "evidence-missing"  # the device does not have the frames (any more)
LATE = "evidence-late"  # they were not here and read in time
NOT_KEPT = "evidence-not-kept"  # this machine could not store them, or not as they were signed
FACTS = (DIFFERS, UNSURE, FAILED, MISSING, LATE, NOT_KEPT)

READER = By("bridge", "second reader")

_LOOKED_BACK = 20  # rounds
_RETRY_S = 1.0  # until a store that is gone is asked again


@dataclass(frozen=True, slots=True)
class Examination:
    """How the evidence of a table's readings is used.

    `when`: "before-settlement" holds each reading until the second reader agrees, else refers the round;
    "after" settles at once, and a disagreement is an alarm for people, who may correct the round.
    `folder`: where the pictures are kept, of this table alone; `profile`: the file of the device reader's
    profile. After `within_s` of looking, counted anew by each start of the bridge, there is no evidence.
    """

    when: Literal["before-settlement", "after"]
    folder: Path
    profile: Path
    within_s: float = 90.0

    @property
    def holds(self) -> bool:
        """Whether a reading waits for it."""
        return self.when == "before-settlement"


class _Scene(NamedTuple):
    """A round and the record that has frames of its dice: its reading, or a void."""

    round: ledger.Round
    record: Record

    @property
    def faces(self) -> tuple[int, ...]:
        return tuple(self.record.fields.get("faces", ()))

    @property
    def digest(self) -> bytes:
        return self.record.fields["frames"]

    def finding(self, fact: str, second: dict[str, Any] | None = None) -> Finding:
        """A void's frames are kept for the record: nothing speaks against it."""
        return Finding(self.record.sequence, self.digest, fact if self.faces else "", self.faces, second)


class Examiner:
    """Looks at the scenes of one table's device, one after the other, while `run` runs."""

    def __init__(
        self,
        table: str,
        device: bytes,
        examination: Examination,
        sink: LedgerSink,
        clock: link.Clock,
    ) -> None:
        """Raises OSError when the folder cannot be made."""
        self.pictures = Pictures(examination.folder)
        self._table = table
        self._device = device
        self._examination = examination
        self._sink = sink
        self._books = sink.books
        self._clock = clock
        self._woken = asyncio.Event()
        self._done: set[bytes] = set()  # rounds whose finding could not be written down
        sink.listen(device, self._hear)

    def _hear(self, event: Event) -> None:
        if isinstance(event, RecordCommitted) and event.kind in ("reading", "void"):
            self._woken.set()

    async def run(self, questions: Asked) -> None:
        """Look at each scene that comes, and first at what an earlier run left; for ever."""
        while True:
            self._woken.clear()
            try:
                while scene := self._next():
                    await self._examine(scene, questions)
            except LedgerUnavailable:
                await self._clock.sleep(_RETRY_S)
                continue
            await self._woken.wait()

    # --- what is to be looked at ---

    def _next(self) -> _Scene | None:
        """The oldest scene after the last one that was looked at; where none ever was, the newest."""
        waiting: list[_Scene] = []
        for round_ in self._books.latest_rounds(self._table, _LOOKED_BACK):
            record = self._sink.record_of_dice(round_)
            if record is None:
                continue
            if self._is_over(round_):
                return waiting[-1] if waiting else None
            waiting.append(_Scene(round_, record))
        return waiting[0] if waiting else None

    def _is_over(self, round_: ledger.Round) -> bool:
        """A round that is still held was not judged, whatever was found."""
        if self._waits(round_.id):
            return False
        return round_.id in self._done or self._found(round_.id) is not None

    def _waits(self, round_id: bytes) -> bool:
        return self._examination.holds and self._books.round(round_id).state == "held"

    def _found(self, round_id: bytes) -> Finding | None:
        try:
            return self.pictures.finding(round_id)
        except PicturesDamaged:  # it is looked at again, which writes it anew
            return None

    # --- one scene ---

    async def _examine(self, scene: _Scene, questions: Asked) -> None:
        """What was found is written down before a settlement rests on it, and after people were alarmed."""
        finding = self._found(scene.round.id) or await self._look(scene, questions)
        if self._waits(scene.round.id):
            finding = self._noted(scene, finding)
            await self._conclude(scene, finding)
        else:
            await self._alarm(scene, finding)
            self._noted(scene, finding)

    async def _look(self, scene: _Scene, questions: Asked) -> Finding:
        looking = asyncio.ensure_future(self._read(scene, questions))
        try:
            if await done_by(self._clock, looking, self._clock.now() + self._examination.within_s):
                return looking.result()
            return scene.finding(LATE)
        finally:
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)

    async def _read(self, scene: _Scene, questions: Asked) -> Finding:
        """Fetch the frames, keep them, and have them read."""
        try:
            if not self.pictures.has(scene.digest):
                await self._fetch(self.pictures.coming(scene.digest), questions)
            profile = self._examination.profile
            given = await opinion(self.pictures, scene.digest, profile, scene.faces)
        except link.EvidenceGone:
            return scene.finding(MISSING)
        except OSError:
            return scene.finding(NOT_KEPT)
        except OpinionFailed:
            return scene.finding(FAILED)
        facts = {"agree": "", "differ": DIFFERS, "unsure": UNSURE}
        return scene.finding(facts[given["agreement"]], given["second"])

    async def _fetch(self, file: link.EvidenceFile, questions: Asked) -> None:
        while not file.complete:
            try:
                await questions.evidence(file)
            except link.EvidenceWrong:  # thrown away: asked for again, from the beginning
                await self._clock.sleep(_RETRY_S)

    def _noted(self, scene: _Scene, finding: Finding) -> Finding:
        """What is durable of a finding: nothing is settled by evidence that could not be written down."""
        try:
            self.pictures.note(scene.round.id, finding)
        except OSError:
            self._done.add(scene.round.id)
            return scene.finding(finding.fact or NOT_KEPT, finding.second)
        return finding

    # --- what follows ---

    async def _conclude(self, scene: _Scene, finding: Finding) -> None:
        try:
            if finding.fact:
                await self._sink.refer(scene.round.id, finding.fact, READER)
            else:
                await self._sink.release(scene.round.id, READER)
        except WrongStep:  # people were faster
            await self._alarm(scene, finding)

    async def _alarm(self, scene: _Scene, finding: Finding) -> None:
        """Tell people, once, that what was settled is in doubt."""
        if not finding.fact or self._books.round(scene.round.id).state != "settled":
            return
        new = await self._books.durably(partial(self._log, scene, finding, self._clock.wall_ms()))
        if new:
            alarm = EvidenceAlarm(scene.round.id, scene.record.sequence, finding.fact)
            self._sink.announce(self._device, alarm)

    def _log(self, scene: _Scene, finding: Finding, now_ms: int) -> bool:
        """Inside the transaction: the alarm as a notice and in the access log; False when it is there."""
        told = [each.round for each in self._books.alarms(self._table) if each.topic == ALARM]
        if scene.round.id in told:
            return False
        before = {"round": scene.round.id.hex(), "faces": list(scene.faces)}
        after = {"fact": finding.fact, "faces": (finding.second or {}).get("faces", [])}
        body = {
            "fact": finding.fact,
            "sequence": finding.sequence,
            "frames": finding.frames.hex(),
            "device": list(finding.device),
            "second": (finding.second or {}).get("faces", []),
        }
        self._books.notify(self._table, ALARM, scene.round.id, body, now_ms)
        note(self._books, self._table, READER, ALARM, before, after, now_ms)
        return True
