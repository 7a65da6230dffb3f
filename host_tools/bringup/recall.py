"""The last rounds out of a device's own memory: an audit on site, without a ledger, also while it is faulted.

Nothing is acknowledged and no host key is needed: each record is verified with the device's public key, and
with the one after it, whose signed `previous` it must be.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from host_tools.bringup.errors import StepFailed, Unsuitable
from host_tools.bringup.monitor import NOBODY
from host_tools.link import EvidenceFile, Observer, Questions, open_serial
from host_tools.records import Record, Registry, Verifier
from tumbler import definitions

_CONNECT_S = 15.0
_ANSWER_S = 60.0  # for one record, whatever the line loses


@dataclass(slots=True)
class RecalledRound:
    """A round as its records tell it. `outcome`: the reading's or void's record; None while it goes on."""

    id: bytes
    opened: Record | None = None
    outcome: Record | None = None

    def told(self) -> dict[str, Any]:
        """For people and programs: faces or the void's fact, and where it stands in the chain."""
        told: dict[str, Any] = {"round": self.id.hex()}
        if self.opened:
            told["mode"] = definitions.name_of(definitions.PLAY_MODES, self.opened.fields["mode"])
        if self.outcome:
            fields = self.outcome.fields
            told |= {"sequence": self.outcome.sequence, "uptime_ms": fields["uptime_ms"]}
            told |= {name: fields[name] for name in ("faces", "detail", "wall_ms") if name in fields}
            if "fact" in fields:
                told["void"] = definitions.name_of(definitions.FACTS, fields["fact"])
            if "frames" in fields:
                told["frames"] = fields["frames"].hex()
        return told


@dataclass(slots=True)
class Memory:
    """What a device remembers: `rounds`, oldest first; `first` to `last`: the records in its journal;
    `checked`: how many of them were read; `faults`: those that are latched, by name."""

    device: bytes
    first: int = 0
    last: int = 0
    checked: int = 0
    faults: list[str] = field(default_factory=list)
    rounds: list[RecalledRound] = field(default_factory=list)


async def recall(uart: str, registry: Registry, rounds: int) -> Memory:
    """The newest `rounds` concluded rounds of the device on `uart`, and one that goes on.

    Raises Unsuitable when no tumbler answers, StepFailed when one does not remember what it should, the
    registry's UnknownDevice, RecordRefused for a record that is not genuine or not of one chain.
    """
    async with _observed(uart) as (observer, memory):
        await _read_back(observer.questions, Verifier(registry), memory, rounds)
    return memory


async def save_evidence(uart: str, digest: bytes, folder: Path) -> Path:
    """The file of the frames whose SHA-256 is `digest`. Raises Unsuitable, EvidenceGone, EvidenceWrong."""
    file = EvidenceFile(folder, digest)
    async with _observed(uart) as (observer, _):
        await observer.questions.evidence(file)
    return file.path


@asynccontextmanager
async def _observed(uart: str) -> AsyncIterator[tuple[Observer, Memory]]:
    """An observer of the device on `uart`, once its status is known."""
    memory = Memory(b"")
    told = asyncio.Event()

    def hear(name: str, values: dict[str, Any]) -> None:
        if name == "hello":
            memory.device = values["device"]
        else:
            memory.faults = values["faults"]
            told.set()

    transport = await open_serial(uart)
    observer = Observer(transport, hear)
    running = asyncio.create_task(observer.run())
    try:
        waiting = asyncio.create_task(told.wait())
        done, _ = await asyncio.wait({running, waiting}, timeout=_CONNECT_S, return_when="FIRST_COMPLETED")
        waiting.cancel()
        if running in done:
            running.result()
        if not done:
            raise Unsuitable(NOBODY)
        yield observer, memory
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await transport.close()


async def _read_back(questions: Questions, verifier: Verifier, memory: Memory, wanted: int) -> None:
    """Fill `memory` from the newest record backwards, until enough rounds are whole or nothing is left."""
    known: dict[bytes, RecalledRound] = {}
    after: Record | None = None
    sequence = await _newest(questions, memory)
    while sequence >= memory.first > 0:
        record = await _record(questions, verifier, memory.device, sequence)
        if after and after.fields["previous"] != record.digest:
            raise StepFailed(f"record {after.sequence} does not follow the record {sequence} that is here")
        _collect(record, known)
        memory.checked += 1
        whole = [each for each in known.values() if each.opened and each.outcome]
        if len(whole) >= wanted:
            break
        after, sequence = record, sequence - 1
    memory.rounds = list(reversed(known.values()))


async def _newest(questions: Questions, memory: Memory) -> int:
    recalled = await _in_time(questions, 0)
    memory.first, memory.last = recalled.first, recalled.last
    return recalled.last


async def _record(questions: Questions, verifier: Verifier, device: bytes, sequence: int) -> Record:
    recalled = await _in_time(questions, sequence)
    if recalled.raw is None:
        raise StepFailed(f"the device cannot read its record {sequence}: its memory is damaged")
    record = verifier.authenticate(recalled.raw)
    if (record.device, record.sequence) != (device, sequence):
        raise StepFailed(f"the device answers with another record than its {sequence}")
    return record


async def _in_time(questions: Questions, sequence: int) -> Any:
    try:
        async with asyncio.timeout(_ANSWER_S):
            return await questions.recall(sequence)
    except TimeoutError:
        raise StepFailed(f"the device did not tell its record {sequence}: check the line") from None


def _collect(record: Record, known: dict[bytes, RecalledRound]) -> None:
    if record.kind not in ("round-opened", "reading", "void"):
        return
    round_id = record.fields["round"]
    round_ = known.setdefault(round_id, RecalledRound(round_id))
    if record.kind == "round-opened":
        round_.opened = record
    else:
        round_.outcome = record
