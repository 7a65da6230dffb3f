"""Attestation: a device signs a fresh nonce with the digests of its firmware and profile.

It needs a sink, because the attestation is a record of the device's chain like any other: what comes before
it is committed, acknowledged and kept, never skipped.
"""

import asyncio
import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from host_tools.bringup.errors import StepFailed, Unsuitable
from host_tools.link import HostSession, open_serial
from host_tools.link.session import RecordSink
from host_tools.records import Record, Registry, Verifier

_CONNECT_S = 15.0
_RECORD_S = 10.0


@dataclass(frozen=True, slots=True)
class Attestation:
    """The verified record, and whether its firmware digest is the build's (None: compared with none)."""

    record: Record
    firmware_matches: bool | None


class _Kept:
    """A sink that keeps every committed record in sight while the real one makes it durable."""

    def __init__(self, sink: RecordSink) -> None:
        self._sink = sink
        self.host_key = sink.host_key
        self.head = sink.head
        self.records: list[bytes] = []
        self.more = asyncio.Event()

    async def commit(self, device: bytes, records: Sequence[tuple[int, bytes]]) -> None:
        """See RecordSink."""
        await self._sink.commit(device, records)
        self.records += [raw for _, raw in records]
        self.more.set()


async def attest(uart: str, registry: Registry, sink: RecordSink, build: Path | None) -> Attestation:
    """Have the device on `uart` attest itself; `build`: the folder of the firmware it should run.

    Raises Unsuitable when no registered device answers, StepFailed when its answer proves nothing.
    """
    kept = _Kept(sink)
    session = HostSession(lambda: open_serial(uart), kept)
    running = asyncio.create_task(session.run())
    try:
        nonce = secrets.token_bytes(16)
        try:
            await asyncio.wait_for(session.wait_connected(), _CONNECT_S)
        except TimeoutError:
            raise Unsuitable(
                f"no registered device answers on {uart}: is it the UART, and powered?"
            ) from None
        reply = await session.command("attest", timeout=_RECORD_S, nonce=nonce)
        if reply.status != "done":
            raise StepFailed(f"the device refuses to attest: {reply.status} {reply.detail}")
        record = await asyncio.wait_for(_find(kept, Verifier(registry), nonce), _RECORD_S)
    except TimeoutError:
        raise StepFailed("the attestation did not arrive: look at the link with `tumbler monitor`") from None
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
    matches = None if build is None else record.fields["firmware"] == firmware_digest(build)
    return Attestation(record, matches)


async def _find(kept: _Kept, verifier: Verifier, nonce: bytes) -> Record:
    """The verified record that answers the nonce."""
    while True:
        for raw in kept.records:
            record = verifier.authenticate(raw)
            if record.kind == "attestation" and record.fields["nonce"] == nonce:
                return record
        kept.records.clear()
        kept.more.clear()
        await kept.more.wait()


def firmware_digest(build: Path) -> bytes:
    """What a board that runs the build of a slot says its firmware is, as in tumbler.assembly."""
    digest = hashlib.sha256()
    for name in sorted(path.relative_to(build).as_posix() for path in build.rglob("*") if path.is_file()):
        digest.update(f"/{name}".encode() + (build / name).read_bytes())
    return digest.digest()
