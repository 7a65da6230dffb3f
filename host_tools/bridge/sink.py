"""The ledger's side of the link: each record is verified, stored and acted upon in one transaction.

When `commit` returns, the records, and every settlement, void or referral that follows from them, are
durable; only then does the session acknowledge. Delivered again, the same bytes change nothing. While the
store cannot be written the records wait, unacknowledged, and are tried again: the device keeps them.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from host_tools import ledger, link
from host_tools.bridge import order
from host_tools.bridge.by import BRIDGE, By, durably_noted, noted
from host_tools.bridge.conclusion import conclude
from host_tools.bridge.deciding import Bench
from host_tools.bridge.errors import WrongStep
from host_tools.bridge.events import (
    BetsClosed,
    BetsOpen,
    Event,
    FaultCleared,
    FaultRaised,
    RecordCommitted,
    ResultRead,
    RoundHeld,
    RoundOpened,
    RoundOutcome,
    StoreBack,
    StoreLost,
    body_of,
    event_of,
    kind_of,
)
from host_tools.bridge.order import Standing
from host_tools.bridge.terms import FindRulebook, TermsLost, terms_of
from host_tools.ledger import Ledger, LedgerUnavailable
from host_tools.ledger.schema import OPEN_STATES
from host_tools.records import Head, Record, RecordRefused, Registry, Verifier
from host_tools.records.errors import Mislabelled, Replay, UnknownDevice
from host_tools.rulebooks import load_rulebook
from tumbler.definitions import FACTS, name_of

_REMEMBERED = 1024  # records
_RETRY_S = 1.0  # between two tries to write to a store that is full or gone

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
        self._tables: dict[bytes, str] = {}
        self._evidence: set[bytes] = set()  # devices whose readings wait for their evidence
        self._heads: dict[bytes, tuple[int, bytes]] = {}
        with books.transaction():
            for device in registry.devices():
                books.enrol(device.id, device.public_key, device.head)
        for device in books.devices():
            self._heads[device.id] = device.head_sequence, device.head_digest

    def listen(self, device: bytes, listener: Listener) -> None:
        """Call `listener` with each event of a device, after the commit that it tells of."""
        self._listeners[device].append(listener)

    def seat(self, device: bytes, table: str) -> None:
        """Have a `table` play with a device: what that says of itself is the table's notices from now on. Who
        listened before listens no more, and what others have stored meanwhile is known."""
        self._tables[device] = table
        self._listeners.pop(device, None)
        self._look_at_head(device)

    def hold_readings(self, device: bytes) -> None:
        """Settle no reading of a device before `release`, so that its evidence can be looked at first."""
        self._evidence.add(device)

    def host_key(self, device: bytes) -> bytes:
        """The HMAC key shared with the device. Raises link.UnknownDevice."""
        try:
            host_key = self._registry.device(device).host_key
        except UnknownDevice as error:
            raise link.UnknownDevice(str(error)) from error
        if host_key is None:
            raise link.UnknownDevice(f"device {device.hex()} is registered without its host key")
        if device not in self._heads:
            raise link.UnknownDevice(f"device {device.hex()} was registered after this start; start again")
        return host_key

    def head(self, device: bytes) -> tuple[int, bytes]:
        """Sequence and SHA-256 of the device's newest record in the ledger. Raises DeviceUnknown.

        Remembered, so that a store that cannot be reached does not end a session: nobody else adds records
        while the device's table is this process's.
        """
        if device not in self._heads:
            self.books.device(device)
        return self._heads[device]

    async def commit(self, device: bytes, records: Sequence[tuple[int, bytes]]) -> None:
        """Store (sequence, COSE_Sign1) pairs in order, and all that follows from them; durable on return.

        Raises RecordRefused at the first record that must not be believed; those before it are kept.
        """
        refusal = await self._stored(device, records)
        if refusal is not None:
            raise refusal

    async def _stored(self, device: bytes, records: Sequence[tuple[int, bytes]]) -> RecordRefused | None:
        """Store what can be believed, however long the store takes to be there; why the rest is refused."""
        lost = False
        while True:
            try:
                believed, refusal = self._verified(device, records)
                await self._store(device, believed)
            except LedgerUnavailable as error:
                if not lost:
                    self._tell(device, [StoreLost(str(error))])
                lost = True
                await self._clock.sleep(_RETRY_S)
                continue
            if lost:
                self._tell(device, [StoreBack()])
            return refusal

    async def _store(self, device: bytes, believed: Sequence[Record]) -> None:
        if believed:
            now_ms = self._clock.wall_ms()
            events = await self.books.durably(partial(self._take_all, believed, now_ms))
            self._tell(device, events)
        self._look_at_head(device)

    def _look_at_head(self, device: bytes) -> None:
        """Remember the device's newest record as it is in the ledger."""
        found = self.books.device(device)
        self._heads[device] = found.head_sequence, found.head_digest

    async def release(self, round_id: bytes, by: By = BRIDGE) -> RoundOutcome:
        """Settle a held round by its reading: the evidence agrees. Raises WrongStep."""
        return await self._end_held(round_id, "", "release", by)

    async def refer(self, round_id: bytes, fact: str, by: By = BRIDGE) -> RoundOutcome:
        """Leave a held round to people because of what its evidence shows, or that there is none."""
        return await self._end_held(round_id, fact, "refer", by)

    async def _end_held(self, round_id: bytes, fact: str, action: str, by: By) -> RoundOutcome:
        now_ms = self._clock.wall_ms()
        work = partial(self._ended, round_id, fact, now_ms)
        round_, outcome = await durably_noted(self.books, by, action, round_id, now_ms, work)
        self._tell(round_.device, [event_of(outcome)])
        return outcome

    def _ended(self, round_id: bytes, fact: str, now_ms: int) -> tuple[ledger.Round, RoundOutcome]:
        round_ = self.books.round(round_id)
        if round_.state != "held":
            raise WrongStep(f"round {round_id.hex()} is {round_.state}; no evidence of it is waited for")
        now = self._proved(round_)
        if fact:
            now = replace(now, state="broken", fact=fact, faces=None)
        return round_, conclude(self.books, round_, now, self._find_rulebook, now_ms)

    def bench(self) -> Bench:
        """What decisions of people are made with, now."""
        return Bench(self.books, self._find_rulebook, self._clock.wall_ms())

    def announce(self, device: bytes, event: Event) -> None:
        """Tell all who listen to a device of what was decided about a round of its table."""
        self._tell(device, [event])

    def standing(self, round_: ledger.Round) -> Standing:
        """What the records in the ledger prove about a round, under its own terms. Raises TermsLost."""
        minimum = terms_of(round_, self._find_rulebook).rulebook.minimum_tumbles
        stored = self.books.records_of_round(round_.id)
        facts = [self._authentic(each.raw) for each in stored if each.device == round_.device]
        return order.standing(round_.mode, minimum, facts)

    def record_of_dice(self, round_: ledger.Round) -> Record | None:
        """The round's reading or void with the digest of the frames of its dice; None without."""
        for each in self.books.records_of_round(round_.id):
            if each.device == round_.device and each.kind in ("reading", "void"):
                record = self._authentic(each.raw)
                if "frames" in record.fields:
                    return record
        return None

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
                if (record.device, record.sequence) != (device, sequence):  # an old one, perhaps, sent again
                    raise Mislabelled(f"the frame of record {sequence} holds another record")
                self._verifier.check_order(record, head)
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
        of_device = _device_events(record)
        self._notify(self._tables.get(record.device, record.device.hex()), of_device, now_ms)
        events += of_device
        round_id = record.fields.get("round")
        if round_id is None:
            return events
        round_ = self.books.find_round(round_id)
        if round_ is not None and round_.state == "held":
            return events
        if round_ is not None and round_.is_open and round_.device == record.device:
            return events + self._advance(round_, record, now_ms)
        if record.kind in _ROUND_STEPS:
            self._note_late(record, round_id, now_ms)
        return events

    def _notify(self, source: str, events: Sequence[Event], now_ms: int) -> None:
        """Keep events for those who were away, in the transaction of what they tell of; the end of a round
        has a notice of its own."""
        for event in events:
            round_id = getattr(event, "round", None)
            self.books.notify(source, kind_of(event), round_id, body_of(event), now_ms)

    def _note_late(self, record: Record, round_id: bytes, now_ms: int) -> None:
        body = {"device": record.device.hex(), "sequence": record.sequence, "kind": record.kind}
        self.books.notify(record.device.hex(), "record-outside-its-round", round_id, body, now_ms)

    def _advance(self, round_: ledger.Round, record: Record, now_ms: int) -> list[Event]:
        now = self._with_books(round_, self._proved(round_))
        events = _round_events(round_, record, now)
        if now.state == "read" and record.device in self._evidence:
            events.append(RoundHeld(round_.id, record.sequence))
            self._move_to(round_, "held", now_ms)
            self._notify(round_.table, events, now_ms)
            return events
        self._notify(round_.table, events, now_ms)
        if now.is_final:
            return [*events, event_of(self._concluded(round_, now, now_ms))]
        self._move_to(round_, now.state, now_ms)
        return events

    def _concluded(self, round_: ledger.Round, now: Standing, now_ms: int) -> RoundOutcome:
        """Conclude a round; what became of one whose end was ordered is noted, as the order was before it."""
        work = partial(conclude, self.books, round_, now, self._find_rulebook, now_ms)
        order = self.books.void_order(round_.id)
        if order is None:
            return work()
        by = replace(BRIDGE, told={"fact": order.fact, "decided_by": order.decided_by})
        return noted(self.books, by, "end-ordered", round_.id, now_ms, work)

    def _proved(self, round_: ledger.Round) -> Standing:
        try:
            return self.standing(round_)
        except TermsLost:
            newest = self.books.records_of_round(round_.id)[-1]
            return Standing(state="broken", sequence=newest.sequence)  # `conclude` refers it and says why

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
