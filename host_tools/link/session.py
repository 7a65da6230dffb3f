"""The host's session with one device: greet, commit records, acknowledge what is durable, give commands.

The session owns the port for as long as `run` runs. It has one conversation after the other, and
survives a lost port, a silent device and one that reboots; what it never does is acknowledge a record that
the sink has not committed.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from host_tools.link import messages
from host_tools.link.clock import Clock, SystemClock, done_by
from host_tools.link.commands import CommandDesk, Peer, Reply, command_values
from host_tools.link.conversation import Conversation, fresh_greeting, is_old
from host_tools.link.errors import (
    CommandTimeout,
    DeviceQuarantined,
    DeviceRestarted,
    MessageInvalid,
    SessionStopped,
    TransportLost,
    UnknownDevice,
)
from host_tools.link.framing import Frame, FrameParser, encode_frame
from host_tools.link.inbox import Inbox, Verdict
from host_tools.link.questions import ANSWERS, Questions
from host_tools.link.tasks import together
from host_tools.link.transport import Transport
from host_tools.records import RecordRefused
from host_tools.records.errors import (
    BootRepeated,
    BootUnannounced,
    BootWentBack,
    Equivocation,
    Fork,
    KeyChangeRefused,
)
from tumbler import definitions

# What only the holder of the device's key can bring about.
_PROOFS = (Equivocation, Fork, BootWentBack, BootUnannounced, BootRepeated, KeyChangeRefused)
_GREET_S = 1.0
_GREET_AGAIN_S = 0.5  # at the soonest: a storm of late HELLOs must not become a storm of greetings
_LATE_S = 1.0  # from which on this process is thought to have stood still
_ELSEWHERE_S = 30.0  # without the device on an open port, when there are other ports to look at
_SHORTEST_REOPEN_S = 0.25
_LONGEST_REOPEN_S = 5.0


class RecordSink(Protocol):
    """Where records go. Errors other than the named ones end `HostSession.run`: nothing is acknowledged."""

    def host_key(self, device: bytes) -> bytes:
        """The HMAC key shared with the device (id of 8 bytes). Raises UnknownDevice."""
        ...

    def head(self, device: bytes) -> tuple[int, bytes]:
        """Sequence and SHA-256 of the device's newest committed record; (0, FIRST_PREVIOUS) when none."""
        ...

    async def commit(self, device: bytes, records: Sequence[tuple[int, bytes]]) -> None:
        """Verify and store (sequence, COSE_Sign1) pairs that follow the head; durable when it returns.

        Those that are stored already change nothing. Raises RecordRefused at the first that must not be
        believed, those before it are kept: the session drops it, or quarantines the device when it is proof.
        """
        ...


EventKind = Literal[
    "connected", "restarted", "renewed", "lost", "refused", "behind", "doubted", "quarantined"
]


@dataclass(frozen=True, slots=True)
class Event:
    """What befell the connection.

    `connected`: the device was recognised and welcomed; `restarted`: the same, after a reboot of the device
    while the session ran; `renewed`: another conversation with it has begun, though nothing befell it;
    `lost`: device silent or port gone (`device` None: it was not there);
    `refused`: it cannot be talked to (unknown, or other definitions); `behind`: its journal ends before the
    sink's head; `doubted`: a record was dropped that the device need not have sent; `quarantined`: a refused
    record proves that the device is not to be believed.
    """

    kind: EventKind
    device: bytes | None
    boot: int | None
    reason: str


class HostSession:
    """One device on one line. `run` does the work; everything else may be called while it runs.

    `open_transport` opens the line anew whenever it is needed. `on_status` gets each STATUS as a dict with
    names for `state` and `faults` (unsigned: for displays only). `only` is the id of the one device to talk
    to: another one is refused though it is registered, as after a swap of two tables' cables. `ping_s`: the
    longest the host stays quiet; `silence_s`: how long the device may. `elsewhere`: whether the device may be
    behind another port now; then one that is open without it for long is left, and the line opened anew.
    `new_greeting`: see Conversation.

    `last_heard`: clock time of the device's last valid frame, or None. `device`: id of the connected device,
    or None. `quarantined`: reasons by device id. `counters`: errors by name since the start, as the host saw
    them. `questions` asks the device for kept records, its own counters and evidence.
    """

    def __init__(  # noqa: PLR0913
        self,
        open_transport: Callable[[], Awaitable[Transport]],
        sink: RecordSink,
        clock: Clock | None = None,
        *,
        only: bytes | None = None,
        on_status: Callable[[dict[str, Any]], None] | None = None,
        on_event: Callable[[Event], None] | None = None,
        ping_s: float = 1.0,
        silence_s: float = 5.0,
        elsewhere: Callable[[], bool] = lambda: False,
        new_greeting: Callable[[], int] = fresh_greeting,
    ) -> None:
        self.last_heard: float | None = None
        self.quarantined: dict[bytes, str] = {}
        self.counters: Counter[str] = Counter()
        self._open_transport = open_transport
        self._sink = sink
        self._clock = clock or SystemClock()
        self._only = only
        self._on_status = on_status
        self._on_event = on_event
        self._ping_s = ping_s
        self._silence_s = silence_s
        self._elsewhere = elsewhere
        self._transport: Transport | None = None
        self._sent_at = 0.0
        self._conversation = Conversation(new_greeting)
        self._greeted_at: float | None = None
        self._peer: Peer | None = None
        self._newest_peer: Peer | None = None  # the connected one, or the last that was
        self._told_lost = True
        self._connected = asyncio.Event()
        self._refusal: tuple[int, str] | None = None
        self._loss = ""  # what was last told about a line that is not there
        self._inbox: Inbox | None = None
        self._arrived = asyncio.Event()
        self._doubted_boot: int | None = None  # in which people were last told of a dropped record
        self._durable = asyncio.Event()
        self._dropped = False  # a record that has to be asked for again
        self._sink_lock = asyncio.Lock()  # the head is never asked for while a commit moves it
        self._command_lock = asyncio.Lock()
        self._desk = CommandDesk(self._clock, self._send_in_session, self.counters)
        self.questions = Questions(self._clock, self._ask, self.counters)
        self._stopped = False

    @property
    def device(self) -> bytes | None:
        """Id of the connected device, or None."""
        return self._peer.device if self._peer else None

    async def run(self) -> None:
        """Keep the link up, once, until cancelled or the sink fails. A begun commit is finished first."""
        try:
            await together(self._keep_link(), self._keep_storing(), self._keep_acknowledging())
        finally:
            self._stopped = True
            if not self._told_lost:
                self._disconnect("the session was stopped")
            self._connected.set()  # wakes those who wait for a device, to be told that none will come
            self._desk.fail(SessionStopped("the session was stopped; look at the records"))

    async def wait_connected(self) -> None:
        """Return as soon as a device is connected. Raises SessionStopped."""
        await self._connected.wait()
        if self._stopped:
            raise SessionStopped("the session was stopped; make a new one")

    async def command(self, name: str, timeout: float | None = None, **arguments: Any) -> Reply:  # noqa: ASYNC109
        """Have the device carry out a command of definitions.COMMANDS, and return its reply.

        `mode` and `fact` are names, the other arguments as the definitions type them. The same frame is
        repeated until the reply comes. Raises CommandInvalid, CommandTimeout (after `timeout` seconds, by
        default never), DeviceRestarted, DeviceQuarantined, SessionStopped.
        """
        values = command_values(name, arguments)
        deadline = None if timeout is None else self._clock.now() + timeout
        async with self._command_lock:
            peer = await self._peer_for_command(name, deadline)
            reply = await self._desk.give(peer, name, values, deadline)
            if reply.status == "replayed" and self._peer and self._peer.is_boot_of(peer):
                # It did nothing: an earlier process gave newer ids, by a clock that has been set back since.
                reply = await self._desk.give(self._peer, name, values, deadline)
            return reply

    async def renew(self) -> None:
        """Begin a new conversation; returns once the device is connected in it. Raises SessionStopped.

        What is still on its way then counts no more: no status and no reply of before is taken for a present
        one, and no command of before is carried out that has not been yet.
        """
        async with self._command_lock:
            if self._peer:
                self._peer = None
                self._connected.clear()
                self._conversation.renew()
                await self._greet()
            await self.wait_connected()

    async def _peer_for_command(self, name: str, deadline: float | None) -> Peer:
        while not self._peer:
            waiting = asyncio.ensure_future(self.wait_connected())
            try:
                if not await done_by(self._clock, waiting, deadline):
                    raise CommandTimeout(f"{name}: no device is connected; nothing was sent")
                waiting.result()
            finally:
                waiting.cancel()
        if self._peer.device in self.quarantined:
            raise DeviceQuarantined(f"{name}: {self.quarantined[self._peer.device]}")
        return self._peer

    # --- the line ---

    async def _keep_link(self) -> None:
        pause = _SHORTEST_REOPEN_S
        while True:
            heard = self.last_heard
            try:
                await self._converse(await self._open_transport())
            except TransportLost as loss:
                self._disconnect(str(loss))
            if self.last_heard != heard:
                pause = _SHORTEST_REOPEN_S
            await self._clock.sleep(pause)
            pause = min(2 * pause, _LONGEST_REOPEN_S)

    async def _converse(self, transport: Transport) -> None:
        """Talk and listen until the line is lost."""
        self._transport = transport
        try:
            await together(self._keep_listening(transport), self._keep_talking())
        finally:
            self._transport = None
            await transport.close()

    async def _keep_listening(self, transport: Transport) -> None:
        parser = FrameParser(self.counters)
        while True:
            for frame in parser.feed(await transport.read()):
                await self._on_frame(frame)

    async def _keep_talking(self) -> None:
        """Greet until a device answers; then show life while nothing else is said, and notice its silence.

        Raises TransportLost when the device has not been on this line for so long that it may be on another.
        """
        self._greeted_at = None
        wake_at, spared = self._clock.now(), False
        here_at = self._clock.now()
        while True:
            now = self._clock.now()
            heard = self.last_heard
            silent = not self._told_lost and heard is not None and now - heard >= self._silence_s
            # This process may have stood still itself, and not have read what has come meanwhile.
            spared = bool(silent) and not spared and now - wake_at >= _LATE_S
            if silent and not spared:
                self.counters["silences"] += 1
                self._disconnect(f"nothing heard for {self._silence_s:g} s")
            if self._peer:
                here_at = now
            elif now - here_at >= _ELSEWHERE_S and self._elsewhere():
                raise TransportLost(
                    f"not heard on this line for {_ELSEWHERE_S:g} s: looked for on the others"
                )
            if not self._peer:
                due = now if self._greeted_at is None else self._greeted_at + _GREET_S
                if due <= now:
                    await self._greet()
            else:
                due = self._sent_at + self._ping_s
                # A device that carries out a command may be deaf, writing its flash: repetition is enough.
                if due <= now and self._desk.peer is None:
                    await self._send("ping", self._peer.session, {})
            pause = due - now if due > now else min(_GREET_S, self._ping_s)
            wake_at = self._clock.now() + pause
            await self._clock.sleep(pause)

    async def _greet(self) -> None:
        self._greeted_at = self._clock.now()
        await self._send("greet", 0, {"greeting": self._conversation.greeting})

    async def _greet_again(self) -> None:
        """A HELLO has come that answers no greeting of this conversation: it is late, or the device's newest
        conversation is another one. A device in this one does not mind; any other one enters it."""
        self.counters["undated"] += 1
        if self._greeted_at is None or self._clock.now() - self._greeted_at >= _GREET_AGAIN_S:
            await self._greet()

    async def _send(self, name: str, session: int, values: dict[str, Any]) -> None:
        await self._send_body(name, session, messages.pack(name, values))

    async def _send_sealed(self, name: str, peer: Peer, values: dict[str, Any]) -> None:
        await self._send_body(name, peer.session, messages.sealed(name, values, peer.session, peer.host_key))

    async def _send_body(self, name: str, session: int, body: bytes) -> None:
        await self._send_frame(encode_frame(definitions.HOST_TYPES[name], session, body))

    async def _send_in_session(self, session: int, frame: bytes) -> None:
        if self._peer and self._peer.session == session:
            await self._send_frame(frame)

    async def _ask(self, name: str, values: dict[str, Any]) -> None:
        await self._desk.quiet()
        if self._peer:
            await self._send(name, self._peer.session, values)

    async def _send_frame(self, frame: bytes) -> None:
        if not self._transport:
            return
        self._sent_at = self._clock.now()
        try:
            await self._transport.write(frame)
        except TransportLost:
            self.counters["lost_writes"] += 1  # reading the same line reports the loss

    # --- what the device says ---

    async def _on_frame(self, frame: Frame) -> None:
        name = definitions.name_of(definitions.DEVICE_TYPES, frame.type_byte)
        try:
            if name is None:
                raise MessageInvalid(f"type 0x{frame.type_byte:02x} is not a device's")
            if name == "hello":
                await self._on_hello(frame.session, messages.unpack(name, frame.body))
            elif not self._peer or frame.session != self._peer.session:
                self.counters["stale"] += 1
            else:
                await self._on_message(self._peer, name, frame.body)
                self.last_heard = self._clock.now()
        except MessageInvalid:
            self.counters["malformed"] += 1

    async def _on_message(self, peer: Peer, name: str, body: bytes) -> None:
        if name == "record":
            await self._on_record(peer, *messages.unpack_record(body))
        elif name == "reply":
            self._desk.on_reply(messages.named(messages.unpack(name, body)))
        elif name in ANSWERS:
            self.questions.on_answer(name, messages.unpack(name, body))
        elif name == "status":
            self._hear_status(messages.named(messages.unpack(name, body)))

    def _hear_status(self, status: dict[str, Any]) -> None:
        if self._conversation.brings(status["uptime_ms"]):
            if self._on_status:
                self._on_status(status)
            return
        self.counters["late_statuses"] += 1
        if self._conversation.belied:
            self._disconnect("its statuses are of before one that came: that one was not its own")

    async def _on_hello(self, session: int, values: dict[str, Any]) -> None:
        device, boot = values["device"], values["boot"]
        if not session:
            raise MessageInvalid("hello: session 0 is nobody's")
        answers = values["greeting"] == self._conversation.greeting
        if self._peer and not answers:
            await self._greet_again()
            return
        try:
            _check_definitions(values)
            self._check_identity(device)
            peer = Peer(device, session, boot, self._sink.host_key(device))
        except (MessageInvalid, UnknownDevice) as error:
            self._refuse(session, device, boot, str(error))
            return
        if not answers:
            await self._greet_again()
            return
        if is_old(peer, self._peer):
            self.counters["stale"] += 1
            return
        self.last_heard = self._clock.now()
        if self._desk.peer and not peer.is_boot_of(self._desk.peer):
            self._desk.fail(DeviceRestarted("the device restarted before it replied; look at its records"))
        await self._welcome(peer, values["greeting"], values["last"])

    def _check_identity(self, device: bytes) -> None:
        if self._only is not None and device != self._only:
            expected = self._only.hex()
            raise UnknownDevice(f"device {device.hex()} answers in place of {expected}: connect that one")

    async def _welcome(self, peer: Peer, greeting: int, last: int) -> None:
        """Tell the device what is committed; records that waited from before are asked for again."""
        async with self._sink_lock:
            if self._conversation.greeting != greeting:  # renewed while a commit was waited for
                self.counters["stale"] += 1
                return
            committed, digest = self._sink.head(peer.device)
            fresh = self._peer != peer
            if fresh:
                self._inbox = Inbox(peer, committed, digest)
                self._conversation.begin()
        before, self._newest_peer, self._peer = self._newest_peer, peer, peer
        values = {
            "protocol": definitions.PROTOCOL_VERSION,
            "committed": committed,
            "committed_hash": digest,
            "wall_ms": self._clock.wall_ms(),
        }
        self.counters["welcomes"] += 1
        await self._send_sealed("welcome", peer, values)
        await self._desk.go_on(peer)
        if fresh and self._peer == peer:
            self._announce(peer, before)
            if last < committed:
                reason = f"its journal ends at record {last}, record {committed} is stored here"
                self._tell("behind", peer.device, peer.boot, reason)

    def _announce(self, peer: Peer, before: Peer | None) -> None:
        self._refusal = None
        self._loss = ""
        self._connected.set()
        again = before and before.device == peer.device and before.boot != peer.boot
        kind = "connected" if self._told_lost or not peer.is_boot_of(before) else "renewed"
        self._told_lost = False
        self._tell("restarted" if again else kind, peer.device, peer.boot, "")

    async def _on_record(self, peer: Peer, sequence: int, raw: bytes) -> None:
        inbox = self._inbox
        if peer.device in self.quarantined or not inbox:
            self.counters["quarantined"] += 1
            return
        verdict = inbox.offer(sequence, raw)
        if verdict in (Verdict.ACCEPTED, Verdict.CONTESTED):
            self._arrived.set()
        elif verdict is Verdict.REPEATED:
            self.counters["repeated"] += 1
            if sequence <= inbox.committed:
                await self._send_sealed("ack", peer, {"committed": inbox.committed})
        else:
            self.counters["out_of_order"] += 1
            if verdict is Verdict.MISSED:
                self.counters["naks"] += 1
                await self._send("nak", peer.session, {"expected": inbox.expected})

    # --- storing ---

    async def _keep_storing(self) -> None:
        while True:
            await self._arrived.wait()
            self._arrived.clear()
            async with self._sink_lock:
                if self._inbox:
                    await self._store(self._inbox)

    async def _keep_acknowledging(self) -> None:
        while True:
            await self._durable.wait()
            await self._desk.quiet()
            self._durable.clear()
            dropped, self._dropped = self._dropped, False
            if self._peer and self._inbox and self._peer.device not in self.quarantined:
                await self._send_sealed("ack", self._peer, {"committed": self._inbox.committed})
                if dropped:
                    self.counters["naks"] += 1
                    await self._send("nak", self._peer.session, {"expected": self._inbox.expected})

    async def _store(self, inbox: Inbox) -> None:
        """Commit what waits, as one batch; then have the sink judge what contests a committed record."""
        batch = inbox.take()
        if inbox.device in self.quarantined:
            return
        if batch:
            refusal = await self._refusal_of(inbox.device, batch)
            committed, digest = self._sink.head(inbox.device)
            inbox.committed = committed  # never more than the sink has
            if refusal:
                inbox.go_back(committed, digest)
                self._dropped = True
                self._doubt(inbox, refusal)
            self._durable.set()
        for sequence, raw in inbox.take_contested():
            refusal = await self._refusal_of(inbox.device, [(sequence, raw)])
            if refusal:
                self._doubt(inbox, refusal)

    async def _refusal_of(self, device: bytes, records: Sequence[tuple[int, bytes]]) -> RecordRefused | None:
        """Why the sink does not believe one of the records; None when all are committed."""
        try:
            await _finished(self._sink.commit(device, records))
        except RecordRefused as refusal:
            return refusal
        return None

    def _doubt(self, inbox: Inbox, refusal: RecordRefused) -> None:
        """What the device's key has not signed proves nothing, however often: a CRC-32 is no signature."""
        self.counters["doubted"] += 1
        if isinstance(refusal, _PROOFS):
            self._quarantine(inbox.device, str(refusal))
        elif inbox.boot != self._doubted_boot:
            self._doubted_boot = inbox.boot
            self._tell("doubted", inbox.device, None, str(refusal))

    # --- what befalls the connection ---

    def _disconnect(self, reason: str) -> None:
        self._connected.clear()
        self._conversation.renew()
        self._greeted_at = None
        self._refusal = None
        peer = None if self._told_lost else self._newest_peer
        self._told_lost, self._peer = True, None
        if peer:
            self._tell("lost", peer.device, peer.boot, reason)
        elif reason != self._loss:
            self._tell("lost", None, None, reason)
        self._loss = reason

    def _refuse(self, session: int, device: bytes, boot: int, reason: str) -> None:
        if self._refusal == (session, reason):
            return  # it greets each second
        if self._peer:
            self._disconnect("another device answers on its line")
        self._refusal = (session, reason)
        self._tell("refused", device, boot, reason)

    def _quarantine(self, device: bytes, reason: str) -> None:
        self.quarantined[device] = reason
        self._tell("quarantined", device, None, reason)

    def _tell(self, kind: EventKind, device: bytes | None, boot: int | None, reason: str) -> None:
        if self._on_event:
            self._on_event(Event(kind, device, boot, reason))


def _check_definitions(hello: dict[str, Any]) -> None:
    """MessageInvalid when the device speaks another protocol or has other definitions."""
    oldest, newest, ours = hello["protocol_min"], hello["protocol_max"], definitions.PROTOCOL_VERSION
    if not oldest <= ours <= newest:
        raise MessageInvalid(f"it speaks protocols {oldest} to {newest}, not {ours}: update the older side")
    if hello["schema"] != definitions.schema_digest():
        raise MessageInvalid("its definitions differ from these: flash the firmware of this release")


async def _finished(work: Awaitable[None]) -> None:
    """Await `work` to its end even when cancelled meanwhile: nobody may doubt whether a commit happened."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.wait({task})
        raise
