"""A tumbler and a session for tests of the bridge: the records are real, only the wire is missing."""

import asyncio
import contextlib
import hashlib
import itertools
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from host_tools import link
from host_tools.bridge.examining import Examination
from host_tools.bridge.sink import LedgerSink
from host_tools.bridge.table import Table, TableConfig
from host_tools.ledger import open_ledger
from host_tools.ledger.ledger import LEASE_S
from host_tools.ledger.store import Store
from host_tools.records import Device, Registry
from host_tools.rulebooks import load_rulebook
from host_tools.settlement import open_table
from tumbler import definitions

STROKES = [[1600, 210]] * 3
TERMS = {
    "covered": open_table(load_rulebook("mbs-electronic-sic-bo-v4"), "rapid-select", chip_unit="1"),
    "open": open_table(load_rulebook("rws-sic-bo-open-cover-2021"), "pay-table-1", chip_unit="1"),
}


class Tumbler:
    """A device that keeps to the rules: signs and keeps a record of each step, answers commands.

    `faces` is what the dice will show; `refusal` a fact that makes the next reading a void instead; `frames`
    is what the camera sees, kept as `evidence` of the newest scene until it loses power.
    """

    def __init__(self, seed: int = 1) -> None:
        self.key = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
        self.public_key = self.key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        self.id = hashlib.sha256(self.public_key).digest()[:8]
        self.journal: list[bytes] = []
        self.boot = 0
        self.faces: tuple[int, int, int] = (1, 2, 4)
        self.refusal = ""
        self.frames = b"F"
        self.evidence: bytes | None = None
        self.faults: list[str] = []
        self.round: bytes | None = None
        self.mode = ""
        self.state = "idle"
        self.tumbled = False
        self.restart()

    @property
    def device(self) -> Device:
        """The entry of the registry for it."""
        return Device(self.id, f"tumbler {self.id.hex()}", self.public_key, b"h" * 32)

    def record(self, kind: str, **fields: Any) -> bytes:
        """Sign and journal a record; fields by name, numbers of tables as numbers."""
        previous = hashlib.sha256(self.journal[-1]).digest() if self.journal else definitions.FIRST_PREVIOUS
        values = {
            "version": definitions.PROTOCOL_VERSION,
            "kind": definitions.RECORD_KINDS[kind][0],
            "device": self.id,
            "boot": self.boot,
            "sequence": len(self.journal) + 1,
            "previous": previous,
            "uptime_ms": 1000 + len(self.journal),
            **fields,
        }
        self.journal.append(self.sign(values))
        return self.journal[-1]

    def sign(self, values: dict[str, Any]) -> bytes:
        """The COSE_Sign1 of a record's values."""
        numbered = {definitions.RECORD_FIELDS[name][0]: value for name, value in values.items()}
        payload = cbor2.dumps(numbered, canonical=True)
        header = cbor2.dumps({1: definitions.COSE_ALGORITHM, 4: self.device.key_id}, canonical=True)
        message = cbor2.dumps(["Signature1", header, definitions.RECORD_LABEL, payload])
        parts = [header, {}, payload, self.key.sign(message)]
        return cbor2.dumps(cbor2.CBORTag(18, parts), canonical=True)

    def restart(self) -> None:
        """Power cut and power on: an open round has no outcome and is void."""
        self.boot += 1
        self.evidence = None
        interrupted = {"round": self.round} if self.round else {}
        self.record("boot", firmware=b"f" * 32, profile=b"p" * 32, **interrupted)
        if self.round:
            self.void("power-interruption")

    def host_is_gone(self) -> None:
        """What the device does when the host stays silent: a round with open bets is void."""
        if self.round and self.state != "closed":
            self.void("host-lost")

    def void(self, fact: str, **fields: Any) -> None:
        """End the round without a result."""
        self.record("void", round=self.round, fact=definitions.FACTS[fact], **fields)
        self._end()

    def obey(self, name: str, arguments: dict[str, Any]) -> str:
        """Carry out a command; the status of its reply."""
        if (
            name not in {"open-round", "clear-fault", "change-dice-set"}
            and arguments.get("round") != self.round
        ):
            return "wrong-round" if self.round else "wrong-state"
        return getattr(self, "_" + name.replace("-", "_"))(arguments)

    def read(self) -> None:
        """Look at the dice and report them, or that they cannot be read."""
        self.evidence = self.frames
        digest = hashlib.sha256(self.frames).digest()
        if self.refusal:
            self.void(self.refusal, frames=digest)
            return
        self.record(
            "reading",
            round=self.round,
            faces=list(self.faces),
            tilts=[3, 4, 5],
            confidences=[990, 991, 992],
            frames=digest,
            profile=b"p" * 32,
        )
        self._end()

    def _end(self) -> None:
        self.round, self.state, self.tumbled = None, "idle", False

    def _open_round(self, arguments: dict[str, Any]) -> str:
        if self.faults:
            return "faulted"
        if self.round:
            return "wrong-state"
        self.round, self.mode, self.state = arguments["round"], arguments["mode"], "opened"
        self.record("round-opened", round=self.round, mode=definitions.PLAY_MODES[self.mode])
        return "done"

    def _change_dice_set(self, arguments: dict[str, Any]) -> str:
        if self.round:
            return "wrong-state"
        self.record("dice-set-change", dice_set=arguments["dice_set"])
        return "done"

    def _tumble(self, _arguments: dict[str, Any]) -> str:
        if self.tumbled or self.state != ("opened" if self.mode == "covered" else "closed"):
            return "wrong-state"
        self.tumbled = True
        self.record("tumble", round=self.round, strokes=STROKES)
        if self.mode == "covered":
            self.state = "concealed"
        else:
            self.read()
        return "done"

    def _no_more_bets(self, _arguments: dict[str, Any]) -> str:
        if self.state != ("concealed" if self.mode == "covered" else "opened"):
            return "wrong-state"
        self.state = "closed"
        self.record("no-more-bets", round=self.round)
        if self.mode == "covered":
            self.read()
        return "done"

    def _void_round(self, _arguments: dict[str, Any]) -> str:
        self.void("host-void")
        return "done"

    def _clear_fault(self, arguments: dict[str, Any]) -> str:
        if arguments["fact"] not in self.faults:
            return "wrong-state"
        self.faults.remove(arguments["fact"])
        self.record("fault-cleared", fact=definitions.FACTS[arguments["fact"]])
        return "done"


class Questions:
    """A perfect line's answer to questions of evidence, in pieces of `piece` bytes; none while `stopped`."""

    def __init__(self, tumbler: Tumbler) -> None:
        self.tumbler = tumbler
        self.asked: list[tuple[bytes, int]] = []  # digest and offset of each question
        self.piece = 100_000
        self.stopped = False
        self._left = asyncio.Semaphore(0)
        self.spoilt = 0  # pieces that come wrong, though the line's checksum holds

    def let(self, pieces: int) -> None:
        """Let so many more pieces through."""
        for _ in range(pieces):
            self._left.release()

    async def evidence(self, file: link.EvidenceFile) -> None:
        """See link.Questions."""
        while not file.complete:
            self.asked.append((file.digest, file.offset))
            if self.stopped:
                await self._left.acquire()
            await asyncio.sleep(0)
            whole = self.tumbler.evidence
            if whole is None or hashlib.sha256(whole).digest() != file.digest:
                raise link.EvidenceGone("the device keeps no such frames")
            piece = whole[file.offset : file.offset + self.piece]
            if self.spoilt:
                self.spoilt -= 1
                piece = bytes(len(piece))
            file.append(piece)
            if file.offset >= len(whole):
                file.finish()


class Session:
    """A perfect line to a tumbler: replies at once, delivers records afterwards in batches, as a real one."""

    def __init__(
        self,
        tumbler: Tumbler,
        sink: LedgerSink,
        *,
        only: bytes,
        on_status: Callable[[dict[str, Any]], None],
        on_event: Callable[[link.Event], None],
    ) -> None:
        assert only == tumbler.id
        self.tumbler = tumbler
        self.sink = sink
        self.on_status = on_status
        self.on_event = on_event
        self.commands: list[str] = []
        self.counters: Counter[str] = Counter()
        self.before_command: Callable[[str], None] = lambda name: None
        self.questions = Questions(tumbler)
        self._uptime_ms = itertools.count(1, 1000)

    async def renew(self) -> None:
        """Begin a new conversation."""
        await asyncio.sleep(0)
        self.on_event(link.Event("renewed", self.tumbler.id, self.tumbler.boot, ""))

    async def command(self, name: str, **arguments: Any) -> link.Reply:
        """The device's answer; its records are not in the ledger yet."""
        await asyncio.sleep(0)
        self.commands.append(name)
        self.before_command(name)
        status = self.tumbler.obey(name, arguments)
        return link.Reply(status, self.tumbler.state, "", len(self.tumbler.journal))

    async def run(self) -> None:
        """Deliver and report for ever; the connection is there from the start."""
        self.on_event(link.Event("connected", self.tumbler.id, self.tumbler.boot, ""))
        while True:
            await self.deliver()
            self.report()
            await asyncio.sleep(0.001)

    async def deliver(self) -> None:
        """Commit what the ledger does not have, four records at a time."""
        committed = self.sink.head(self.tumbler.id)[0]
        numbered = list(enumerate(self.tumbler.journal, start=1))[committed:]
        for start in range(0, len(numbered), definitions.SEND_WINDOW):
            await self.sink.commit(self.tumbler.id, numbered[start : start + definitions.SEND_WINDOW])

    def report(self) -> None:
        """Send a STATUS."""
        status = {
            "state": self.tumbler.state,
            "strokes": 3 if self.tumbler.tumbled else 0,
            "at_rest": True,
            "faults": list(self.tumbler.faults),
            "last": len(self.tumbler.journal),
            "uptime_ms": next(self._uptime_ms),
            "crc_errors": 0,
        }
        self.on_status({**status, "round": self.tumbler.round} if self.tumbler.round else status)


def before_each_statement(store: Store, hook: Callable[[str], None]) -> None:
    """Have `hook` called with each statement that is about to run on the writing connection; it may raise."""
    execute, write_many = type(store).execute, type(store).write_many

    def hooked(sql: str, values: Sequence[Any] = ()) -> list[tuple]:
        hook(sql)
        return execute(store, sql, values)

    def hooked_many(table: str, columns: Sequence[str], rows: Sequence[tuple]) -> None:
        hook(f"INSERT INTO {table}")
        write_many(store, table, columns, rows)

    store.execute, store.write_many = hooked, hooked_many


LONG_S = 60.0  # a sleep that does not only give way


class Clock:
    """Wall time that moves a millisecond a look, and sleep that only gives way.

    A sleep of `LONG_S` or more lasts until the test lets time pass."""

    def __init__(self) -> None:
        self._ms = itertools.count(1_800_000_000_000)
        self.time_passes = asyncio.Event()

    def now(self) -> float:
        """Seconds."""
        return next(self._ms) / 1000

    def wall_ms(self) -> int:
        """Unix time in milliseconds."""
        return next(self._ms)

    async def sleep(self, seconds: float) -> None:
        """Let others run."""
        if seconds >= LONG_S:
            await self.time_passes.wait()
        await asyncio.sleep(0)


class House:
    """A ledger, a tumbler and its table; opened again on the same store and tumbler, it is the next day."""

    def __init__(
        self,
        where: Path | str,
        tumbler: Tumbler,
        mode: str,
        *,
        examination: Examination | None = None,
        lease_s: float = LEASE_S,
        new_round_id: Callable[[], bytes] | None = None,
    ) -> None:
        self.tumbler = tumbler
        self.where = where
        self.ledger = open_ledger(where, lease_s=lease_s)
        self.clock = Clock()
        self.sink = LedgerSink(self.ledger, Registry([tumbler.device]), self.clock)
        self.session: Session
        config = TableConfig("table 1", tumbler.id, TERMS[mode], examination)
        ids = itertools.count(len(tumbler.journal) * 1000)
        new_id = new_round_id or (lambda: next(ids).to_bytes(16, "big"))
        self.table = Table(config, self.sink, self._new_session, self.clock, new_id)

    def _new_session(self, **callbacks: Any) -> Session:
        self.session = Session(self.tumbler, self.sink, **callbacks)
        return self.session

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[Table]:
        """The table with its session up; an error of the session ends the test with that error."""
        run = asyncio.create_task(self.table.run())
        test = asyncio.current_task()

        def stop(ended: asyncio.Task[None]) -> None:
            if test is not None and not ended.cancelled():
                test.cancel()

        run.add_done_callback(stop)
        try:
            async with asyncio.timeout(60):
                yield self.table
        finally:
            run.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await run
            self.ledger.close()
