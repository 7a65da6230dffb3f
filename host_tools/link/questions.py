"""What anyone on the line may ask a device: kept records, its statistics, the frames of its newest scene.

A question is asked again until its answer comes, as long as that takes: questions change nothing.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from host_tools.link.clock import Clock, done_by
from host_tools.link.errors import EvidenceGone
from host_tools.link.evidence import EvidenceFile
from tumbler import definitions
from tumbler.rtt import RoundTrip

_LEAST_MS = 700  # a device may be deaf for as long, signing and writing its flash
_BLOCK = 16 * definitions.EVIDENCE_CHUNK  # bytes asked for at once; a host that vanishes gets no more

ANSWERS = {"recalled": "recall", "statistics": "inspect", "evidence": "fetch"}  # answer: its question


@dataclass(frozen=True, slots=True)
class Recalled:
    """A kept record, as stored; `raw` None: it is not in the journal, which holds `first` to `last`."""

    sequence: int
    raw: bytes | None
    first: int
    last: int


class Questions:
    """send(name, values) puts a message on the line, or drops it while there is none.

    Counted in `counters`: `question_repeats`, `evidence_gaps`.
    """

    def __init__(
        self,
        clock: Clock,
        send: Callable[[str, dict[str, Any]], Awaitable[None]],
        counters: Counter[str],
    ) -> None:
        self._clock = clock
        self._send = send
        self._counters = counters
        self._round_trip = RoundTrip(_LEAST_MS)
        self._locks = {question: asyncio.Lock() for question in ANSWERS.values()}
        self._answers: dict[str, asyncio.Queue[dict[str, Any]]] = {}

    def on_answer(self, name: str, values: dict[str, Any]) -> None:
        """Take an answer of the device."""
        queue = self._answers.get(ANSWERS[name])
        if queue:
            queue.put_nowait(values)

    async def recall(self, sequence: int) -> Recalled:
        """The record `sequence` out of the device's journal; nothing is acknowledged by it."""
        async with self._asking("recall") as answers:
            told: dict[str, Any] | None = None
            while told is None or told["sequence"] != sequence:
                told = await self._answer("recall", {"sequence": sequence}, answers)
        return Recalled(sequence, told.get("record"), told["first"], told["last"])

    async def statistics(self) -> dict[str, int]:
        """What went wrong on the link since the device's boot, as it counted it."""
        async with self._asking("inspect") as answers:
            return await self._answer("inspect", {}, answers)

    async def evidence(self, file: EvidenceFile) -> None:
        """Complete `file` with the device's frames, from where it stands.

        Raises EvidenceGone when the device does not keep them (any more), EvidenceWrong. May be cancelled and
        taken up again at any time.
        """
        async with self._asking("fetch") as answers:
            while not file.complete:
                asked = {"frames": file.digest, "offset": file.offset, "size": _BLOCK}
                await self._send("fetch", asked)
                await self._take_block(file, answers)

    async def _take_block(self, file: EvidenceFile, answers: asyncio.Queue[dict[str, Any]]) -> None:
        """Append what comes until a block is there, a piece is missing or nothing comes."""
        begun = expected = file.offset
        while expected < begun + _BLOCK:
            piece = await self._next(answers)
            if piece is None:
                return
            if piece["frames"] != file.digest or piece["offset"] < expected:
                continue  # of an earlier request
            if not piece["total"]:
                raise EvidenceGone(f"the device keeps no frames {file.digest.hex()}")
            if piece["offset"] > expected:
                self._counters["evidence_gaps"] += 1
                if expected > begun:
                    return  # ask at once; but only once for what was sent before it was asked
                continue
            file.append(piece.get("data", b""))
            expected += len(piece.get("data", b""))
            if expected >= piece["total"]:
                file.finish()
                return

    async def _answer(
        self, question: str, values: dict[str, Any], answers: asyncio.Queue[dict[str, Any]]
    ) -> dict[str, Any]:
        first = True
        while True:
            await self._send(question, values)
            sent_at = self._clock.now()
            answer = await self._next(answers)
            if answer is not None:
                if first:
                    self._round_trip.measured(int((self._clock.now() - sent_at) * 1000))
                return answer
            first = False

    async def _next(self, answers: asyncio.Queue[dict[str, Any]]) -> dict[str, Any] | None:
        """The next answer; None when none comes in time."""
        waiting = asyncio.ensure_future(answers.get())
        try:
            if await done_by(self._clock, waiting, self._clock.now() + self._round_trip.timeout / 1000):
                return waiting.result()
        finally:
            waiting.cancel()
        self._counters["question_repeats"] += 1
        self._round_trip.missed()
        return None

    @asynccontextmanager
    async def _asking(self, question: str) -> AsyncIterator[asyncio.Queue[dict[str, Any]]]:
        """One question of a kind at a time; its answers come into the queue."""
        async with self._locks[question]:
            self._answers[question] = asyncio.Queue()
            try:
                yield self._answers[question]
            finally:
                del self._answers[question]
