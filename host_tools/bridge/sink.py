"""The ledger's side of the link: each record is verified, stored and acted upon in one transaction.

When `commit` returns, the records, and every settlement, void or referral that follows from them, are
durable; only then does the session acknowledge. Delivered again, the same bytes change nothing.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from host_tools import ledger, link
from host_tools.bridge import order
from host_tools.bridge.conclusion import conclude
from host_tools.bridge.events import (
    BetsClosed,
    BetsOpen,
    Event,
    FaultCleared,
    FaultRaised,
    RecordCommitted,
    ResultRead,
    RoundOpened,
    RoundOutcome,
    RoundReferred,
    RoundSettled,
    RoundVoid,
)
from host_tools.bridge.order import Standing
from host_tools.bridge.terms import FindRulebook, TermsLost, terms_of
from host_tools.ledger import Ledger
from host_tools.ledger.schema import OPEN_STATES
from host_tools.records import Head, Record, RecordRefused, Registry, Verifier
from host_tools.records.errors import Malformed, Replay, UnknownDevice
from host_tools.rulebooks import load_rulebook
from tumbler.definitions import FACTS, name_of

_REMEMBERED = 1024  # records

Listener = Callable[[Event], None]

# Steps of a round; told to people when one comes for a round that is concluded or that nobody opened here.
_ROUND_STEPS = ("round-opened", "tumble", "no-more-bets", "reading", "void")


class LedgerSink:
    """What `link.HostSession` asks and tells: host keys, heads, records to commit. One for a whole ledger."""

    def __init__(
        self,
        books: Ledger,
        registry: Registry,
        clock: link.Clock,
        find_rulebook: FindRulebook = load_rulebook,
    ) -> None:
        """Devices of the registry become known to the ledger. `find_rulebook` finds the rulebook of a round
        by the id that the ledger keeps. Raises LedgerDamaged when the ledger does not add up, LedgerError
        when it knows a device by another key."""
        books.check()
        self.books = books
        self._registry = registry
        self._clock = clock
        self._find_rulebook = find_rulebook
        self._verifier = Verifier(registry, self._digest_of)
        # A round's records are read again at each of its steps; the same bytes have the same verdict.
        self._authentic = lru_cache(_REMEMBERED)(self._verifier.authenticate)
        self._listeners: dict[bytes, list[Listener]] = defaultdict(list)
        with books.transaction():
            for device in registry.devices():
                books.enrol(device.id, device.public_key, device.head)

    def listen(self, device: bytes, listener: Listener) -> None:
        """Call `listener` with each event of a device, after the commit that it tells of."""
        self._listeners[device].append(listener)

    def host_key(self, device: bytes) -> bytes:
        """The HMAC key shared with the device. Raises link.UnknownDevice."""
        try:
            host_key = self._registry.device(device).host_key
        except UnknownDevice as error:
            raise link.UnknownDevice(str(error)) from error
        if host_key is None:
            raise link.UnknownDevice(f"device {device.hex()} is registered without its host key")
        if self.books.find_device(device) is None:
            raise link.UnknownDevice(f"device {device.hex()} was registered after this start; start again")
        return host_key

    def head(self, device: bytes) -> tuple[int, bytes]:
        """Sequence and SHA-256 of the device's newest record in the ledger. Raises DeviceUnknown."""
        found = self.books.device(device)
        return found.head_sequence, found.head_digest

    async def commit(self, device: bytes, records: Sequence[tuple[int, bytes]]) -> None:
        """Store (sequence, COSE_Sign1) pairs in order, and all that follows from them; durable on return.

        Raises RecordRefused at the first record that must not be believed; those before it are kept.
        """
        believed, refusal = self._verified(device, records)
        if believed:
            now_ms = self._clock.wall_ms()
            events = await self.books.durably(partial(self._take_all, believed, now_ms))
            self._tell(device, events)
        if refusal is not None:
            raise refusal

    def standing(self, round_: ledger.Round) -> Standing:
        """What the records in the ledger prove about a round, under its own terms. Raises TermsLost."""
        minimum = terms_of(round_, self._find_rulebook).rulebook.minimum_tumbles
        stored = self.books.records_of_round(round_.id)
        facts = [self._authentic(each.raw) for each in stored if each.device == round_.device]
        return order.standing(round_.mode, minimum, facts)

    def _tell(self, device: bytes, events: Sequence[Event]) -> None:
        for event in events:
            for listener in self._listeners[device]:
                listener(event)

    # --- one record ---

    def _verified(
        self, device: bytes, records: Sequence[tuple[int, bytes]]
    ) -> tuple[list[Record], RecordRefused | None]:
        """The genuine records that follow the head, without those stored already; why the next is refused."""
        found = self.books.device(device)
        head = Head(found.head_sequence, found.head_digest, found.head_boot)
        believed: list[Record] = []
        for sequence, raw in records:
            try:
                record = self._authentic(raw)
                self._verifier.check_order(record, head)
                if (record.device, record.sequence) != (device, sequence):
                    raise Malformed(f"the frame of record {sequence} holds another record")
            except Replay:
                continue
            except RecordRefused as refusal:
                return believed, refusal
            believed.append(record)
            head = record.head
        return believed, None

    def _digest_of(self, device: bytes, sequence: int) -> bytes | None:
        known = self.books.record(device, sequence)
        return known.digest if known else None

    def _take_all(self, records: Sequence[Record], now_ms: int) -> list[Event]:
        """Inside the transaction; the events to announce once it is durable."""
        return [event for record in records for event in self._take(record, now_ms)]

    def _take(self, record: Record, now_ms: int) -> list[Event]:
        """Store a record and act on it."""
        if not self.books.add_record(_stored(record), now_ms):
            return []
        events: list[Event] = [RecordCommitted(record.sequence, record.kind, record.digest)]
        events += _device_events(record)
        round_id = record.fields.get("round")
        if round_id is None:
            return events
        round_ = self.books.find_round(round_id)
        if round_ is not None and round_.is_open and round_.device == record.device:
            return events + self._advance(round_, record, now_ms)
        if record.kind in _ROUND_STEPS:
            self._note_late(record, round_id, now_ms)
        return events

    def _note_late(self, record: Record, round_id: bytes, now_ms: int) -> None:
        body = {"device": record.device.hex(), "sequence": record.sequence, "kind": record.kind}
        self.books.notify(record.device.hex(), "record-outside-its-round", round_id, body, now_ms)

    def _advance(self, round_: ledger.Round, record: Record, now_ms: int) -> list[Event]:
        try:
            now = self.standing(round_)
        except TermsLost:
            now = Standing(state="broken", sequence=record.sequence)  # `conclude` refers it and says why
        now = self._with_books(round_, now)
        events = _round_events(round_, record, now)
        if now.is_final:
            outcome = conclude(self.books, round_, now, self._find_rulebook, now_ms)
            return [*events, _outcome_event(outcome)]
        self._move_to(round_, now.state, now_ms)
        return events

    def _with_books(self, round_: ledger.Round, now: Standing) -> Standing:
        """Bets that the device closed before the ledger did would have let wagers in too late."""
        if now.state in ("closed", "read") and round_.state not in ("closing", "closed"):
            return replace(now, state="broken", fact="bets-closed-without-the-host", faces=None)
        return now

    def _move_to(self, round_: ledger.Round, target: str, now_ms: int) -> None:
        """Bring the round's state up to what the records prove; `closing` is the host's own step."""
        here = OPEN_STATES.index(round_.state)
        for state in OPEN_STATES[here + 1 : OPEN_STATES.index(target) + 1]:
            if state != "closing":
                self.books.set_state(round_.id, state, now_ms)


def _stored(record: Record) -> ledger.StoredRecord:
    return ledger.StoredRecord(
        device=record.device,
        sequence=record.sequence,
        boot=record.boot,
        kind=record.kind,
        round=record.fields.get("round"),
        digest=record.digest,
        raw=record.raw,
    )


def _device_events(record: Record) -> list[Event]:
    """What a record says of the device itself."""
    if record.kind not in ("fault", "fault-cleared"):
        return []
    fact = name_of(FACTS, record.fields["fact"]) or str(record.fields["fact"])
    event = FaultRaised if record.kind == "fault" else FaultCleared
    return [event(fact, record.fields.get("detail", ""))]


def _round_events(round_: ledger.Round, record: Record, now: Standing) -> list[Event]:
    """What a record says of its round, short of the end of it."""
    if now.state == "broken":
        return []
    if record.kind == "round-opened":
        opened: list[Event] = [RoundOpened(round_.id, round_.mode)]
        return [*opened, BetsOpen(round_.id)] if now.state == "betting" else opened
    if record.kind == "tumble" and now.state == "betting":
        return [BetsOpen(round_.id)]
    if record.kind == "no-more-bets":
        return [BetsClosed(round_.id)]
    if now.state == "read" and now.faces is not None:
        tilts, confidences = tuple(record.fields["tilts"]), tuple(record.fields["confidences"])
        return [ResultRead(round_.id, now.faces, tilts, confidences, record.sequence)]
    return []


def _outcome_event(outcome: RoundOutcome) -> Event:
    if outcome.verdict == "settled":
        return RoundSettled(outcome.round, outcome)
    if outcome.verdict == "void":
        return RoundVoid(outcome.round, outcome.fact, outcome.action, outcome.clause)
    return RoundReferred(outcome.round, outcome.fact, outcome.clause)
