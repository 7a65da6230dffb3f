"""The device's session with its host: greeting, records until committed, commands, status, answers.

Everything to send is asked for when the line has room (hello, replies, status, records, answers, in this
order), so the one frame being written and a few replies are all that is ever queued.
"""

import hashlib

from tumbler import definitions
from tumbler.definitions import DEVICE_STATES, DEVICE_TYPES, FACTS, REPLY_STATUSES
from tumbler.journal import JournalDamaged
from tumbler.link.answers import QUESTIONS, Answers
from tumbler.link.commands import CommandGate, CommandRefused
from tumbler.link.framing import FrameParser, encode_frame
from tumbler.link.seal import Seal
from tumbler.link.turn import Turn
from tumbler.link.window import SendWindow
from tumbler.records.messages import MessageError, pack_message, unpack_message
from tumbler.records.values import short_detail

_HELLO_MS = 1000
_QUEUED_REPLIES = 8
_REFUSALS = {"bad-mac": "bad_macs", "replayed": "replays", "malformed": "malformed"}  # others are "refused"
_COUNTED = (
    ("echoes", "stale", "malformed", "bad_macs", "replays", "repeated", "refused", "dropped", "naks")
    + ("timeouts", "resends", "stray_acks", "welcomes", "turns_missed")
)  # fmt: skip


class DeviceSession:
    """One boot's conversations with the host, each a session of its own number, begun by a greeting.

    Nothing here waits: `now` (ms since boot) is passed in and `write` never blocks.

    journal: `first`, `last`, `acknowledged`, `read(sequence)`, `acknowledge(sequence, keep)`; its errors pass
    through `feed` and `poll`. host_key: HMAC key of commands. identity: {"device": bytes of 8, "boot": uint,
    "firmware": bytes of 32}. session: number of the first one, random, 1 to 2**32 - 1. write(bytes-like) ->
    bytes taken, 0 or None. evidence: the scene's Evidence or None. shared: the line has other devices, so
    speak only when polled.

    `heard`: time of the last valid frame of the welcomed host, or None. `wall_offset`: Unix ms minus `now`,
    or None. `connected`: the host has welcomed the newest conversation. `forked`: None, or why the host's
    records and the journal's cannot be one chain; then no record is sent. `keep`: records from this one on
    stay in the journal even when acknowledged (None: none). `counters` and `parser` count what went wrong.
    """

    def __init__(self, journal, host_key, identity, session, write, evidence=None, shared=False):
        if not 0 < session <= 0xFFFFFFFF:
            raise ValueError("a session is a number from 1 to 2**32 - 1")
        self.heard = None  # type: int | None
        self.wall_offset = None  # type: int | None
        self.connected = False
        self.forked = None  # type: str | None
        self.keep = None  # type: int | None
        self.parser = FrameParser()
        self.counters = dict.fromkeys(_COUNTED, 0)  # type: dict[str, int]
        self._journal = journal
        self._identity = identity
        self._session = session
        self._write = write
        self._evidence = evidence
        self._schema = definitions.schema_digest()
        self._seal = Seal(host_key, session)
        self._gate = CommandGate(self._seal)
        self._window = SendWindow(self.counters)
        self._answers = Answers(journal, evidence, self.statistics)
        self._turn = Turn(identity["device"], self.counters) if shared else None
        self._state = "idle"
        self._status = {}  # values of the newest STATUS
        self._hello_at = None  # when the next HELLO is due while not connected; None: at once
        self._greeting = 0  # which opened this conversation; 0: none has yet
        self._status_due = False
        self._told_at = -1  # `uptime_ms` of the newest STATUS
        self._replies = []  # bodies that wait for the line
        self._frame = b""  # what is left of the frame being written
        self._frame_is_record = False

    @property
    def committed(self):
        """Newest record that the host has committed, as far as it has said; 0: none."""
        return self._window.committed

    def statistics(self):
        """The values of STATISTICS: counts by name since the boot."""
        values = dict(self.counters)
        for name in ("crc_errors", "overruns", "noise"):
            values[name] = getattr(self.parser, name)
        values["timeout_ms"] = self._window.round_trip.timeout
        return values

    def feed(self, data, now):
        """Take bytes from the line; returns the new, verified commands (see CommandGate.admit) in order."""
        commands = []
        for type_byte, session, body in self.parser.feed(data):
            name = definitions.name_of(definitions.HOST_TYPES, type_byte)
            if name is None:
                ours = type_byte in DEVICE_TYPES.values()  # or another device's on a shared line
                self.counters["echoes" if ours else "malformed"] += 1
            elif session != (0 if name in definitions.ANY_SESSION else self._session):
                self.counters["stale"] += 1
            elif name == "command":
                self._on_command(body, now, commands)
            else:
                self._on_message(type_byte, body, now)
        self._pump(now)
        return commands

    def reply(self, id, status, state, detail, now):
        """Answer command `id`: `status` and `state` are names, `detail` text for people or None."""
        self._state = state
        body = self._reply_body(id, status, detail)
        self._gate.settle(id, body)
        self._queue_reply(body)
        self._pump(now)

    def notify(self, values, now):
        """Send STATUS: "state" and "faults" as names, "strokes", "at_rest" and, in a round, "round".

        The newest values also answer PING; before the first call a PING is not answered.
        """
        self._state = values["state"]
        self._status = dict(values)
        self._status["state"] = DEVICE_STATES[values["state"]]
        self._status["faults"] = [FACTS[name] for name in values["faults"]]
        self._status["last"] = self._journal.last  # of the same moment as the state, whenever it is sent
        self._status_due = self.connected
        self._pump(now)

    def poll(self, now):
        """Send what is due: hello, new records of the journal, repetitions. Call it every few ms."""
        if self._turn:
            self._turn.looked(now, len(self._frame) > 0)
        if not len(self._frame):
            self._window.poll(now)
        self._pump(now)

    # --- what the host says ---

    def _on_message(self, type_byte, body, now):
        try:
            name, values = unpack_message(type_byte, body)
        except MessageError:
            self.counters["malformed"] += 1
            return
        if name == "poll":
            if self._turn:
                self._turn.grant(values, now)
        elif name == "greet":
            self._on_greet(values)
        elif name in definitions.SEALED and not self._seal.fits(name, values):
            self.counters["bad_macs"] += 1
        elif name == "welcome":
            self._on_welcome(values, now)
        elif name == "ping":
            self._status_due = bool(self._status)
            self._hear(now)
        elif name in QUESTIONS:
            self._answers.ask(name, values)
            self._hear(now)
        else:
            self._on_received(name, values, now)

    def _on_greet(self, values):
        if values.get("device", self._identity["device"]) != self._identity["device"]:
            return
        greeting = values["greeting"]
        if not 0 < greeting <= 0xFFFFFFFF:
            self.counters["malformed"] += 1
            return
        if greeting != self._greeting:
            self._begin(greeting)
        if not self.connected:
            self._hello_at = None

    def _begin(self, greeting):
        """A new conversation: whatever was said in those before is stale by its session, on both sides."""
        if self._greeting:
            self._session = self._session % 0xFFFFFFFF + 1
        self._greeting = greeting
        self._seal.session = self._session
        self.connected = False
        self._status_due = False
        self._replies = []
        self._answers.forget()

    def _hear(self, now):
        """A host that has not welcomed this conversation is not the one that a round depends on."""
        if self.connected:
            self.heard = now

    def _on_received(self, name, values, now):
        if not self.connected:
            self.counters["stale"] += 1
            return
        self.heard = now
        if name == "ack":
            self._on_ack(values["committed"], now)
        else:
            self._window.reject(values["expected"], now)

    def _on_welcome(self, values, now):
        if not self._greeting:
            self.counters["stale"] += 1
            return
        self.counters["welcomes"] += 1
        self.heard = now
        offset = values["wall_ms"] - now
        if self.connected:  # a copy: what it says is older than what we know, but it may have come faster
            if self.wall_offset is None or offset > self.wall_offset:
                self.wall_offset = offset
            return
        if values["protocol"] != definitions.PROTOCOL_VERSION:
            self.counters["malformed"] += 1
            return
        self.connected = True
        self.wall_offset = offset
        self._status_due = bool(self._status)
        committed = values["committed"]
        self.forked = self._fork(committed, values["committed_hash"])
        if self.forked is None:
            self._window.open(committed)
            if committed > self._journal.acknowledged:
                self._acknowledge(committed)

    def _fork(self, committed, digest):
        """None when the host's newest record is our record of that number, else what is wrong."""
        journal = self._journal
        if committed > journal.last:
            return "host has record %d, journal ends at %d" % (committed, journal.last)
        if committed + 1 < journal.first:
            return "host has record %d, journal starts at %d" % (committed, journal.first)
        if committed == 0:
            ours = definitions.FIRST_PREVIOUS
        elif committed < journal.first:
            return None  # dropped here; the host checks the next record's link to it
        else:
            try:
                ours = hashlib.sha256(journal.read(committed)).digest()
            except JournalDamaged as error:
                return str(error)
        return None if ours == digest else "record %d differs from the host's" % committed

    def _on_ack(self, committed, now):
        if self.forked is None and self._window.acknowledge(committed, now):
            self._acknowledge(committed)

    def _acknowledge(self, committed):
        self._journal.acknowledge(committed, committed + 1 if self.keep is None else self.keep)

    def _on_command(self, body, now, commands):
        if not self.connected:
            self.counters["stale"] += 1
            return
        try:
            command, stored = self._gate.admit(body)
        except CommandRefused as refusal:
            self.counters[_REFUSALS.get(refusal.status, "refused")] += 1
            self._queue_reply(self._reply_body(refusal.id, refusal.status, refusal.detail))
            return
        self.heard = now
        if command:
            commands.append(command)
        else:
            self.counters["repeated"] += 1
            if stored:
                self._queue_reply(stored)

    # --- what we say ---

    def _reply_body(self, id, status, detail):
        values = {
            "id": id,
            "status": REPLY_STATUSES[status],
            "state": DEVICE_STATES[self._state],
            "sequence": self._journal.last,
        }
        if detail:
            values["detail"] = short_detail(detail)
        return pack_message("reply", values)

    def _queue_reply(self, body):
        if body in self._replies:
            return
        if len(self._replies) == _QUEUED_REPLIES:
            self.counters["dropped"] += 1  # the host asks again
            return
        self._replies.append(body)

    def _pump(self, now):
        """Write until the line takes no more or nothing is due."""
        while True:
            if not len(self._frame) and not self._load(now):
                return
            count = self._write(self._frame)
            if not count:
                return
            self._frame = self._frame[count:]
            if self._frame_is_record and not len(self._frame):
                self._window.sent(now)

    def _load(self, now):
        """Make the next frame that is due and may be sent now; False when none is."""
        self._frame_is_record = False
        turn = self._turn
        if turn is None:
            return self._load_due(now)
        if not turn.may_speak(now):
            return False
        if turn.take() or not self._load_due(now):
            turn.end()
            self._set_message("done", {})
        return True

    def _load_due(self, now):
        if not self.connected and (self._hello_at is None or now >= self._hello_at):
            self._hello_at = now + _HELLO_MS
            self._set_message("hello", self._hello_values())
        elif self._replies:
            self._set_frame("reply", self._replies.pop(0))
        elif self._status_due:
            self._status_due = False
            self._set_message("status", self._status_values(now))
        else:
            return self._load_record() or self._load_answer()
        return True

    def _load_answer(self):
        answer = self._answers.next()
        if answer is None:
            return False
        self._set_message(*answer)
        return True

    def _load_record(self):
        if not self.connected or self.forked is not None:
            return False
        sequence = self._window.take(self._journal.last)
        if sequence is None:
            return False
        try:
            record = self._journal.read(sequence)
        except JournalDamaged as error:
            self.forked = str(error)  # the host waits for this one: none behind it can be sent
            return False
        self._set_frame("record", sequence.to_bytes(8, "big"), record)
        self._frame_is_record = True
        return True

    def _set_message(self, name, values):
        self._set_frame(name, pack_message(name, values))

    def _set_frame(self, name, *body_parts):
        self._frame = memoryview(encode_frame(DEVICE_TYPES[name], self._session, *body_parts))

    def _hello_values(self):
        values = {
            "protocol_min": definitions.PROTOCOL_VERSION,
            "protocol_max": definitions.PROTOCOL_VERSION,
            "schema": self._schema,
            "first": self._journal.first,
            "last": self._journal.last,
            "greeting": self._greeting,
        }
        for name in ("device", "boot", "firmware"):
            values[name] = self._identity[name]
        if self._evidence is not None and self._evidence.capacity:
            values["evidence"] = self._evidence.capacity
        return values

    def _status_values(self, now):
        self._told_at = max(now, self._told_at + 1)  # so that no two of a boot are of the same
        self._status["uptime_ms"] = self._told_at
        self._status["crc_errors"] = self.parser.crc_errors
        return self._status
