"""The ledger's operations: each keeps the books right; `transaction()` makes several of them one."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType

import apsw

from host_tools.ledger.checks import findings
from host_tools.ledger.errors import (
    DeviceUnknown,
    LedgerDamaged,
    LedgerError,
    RecordConflict,
    RoundUnknown,
    WagerConflict,
)
from host_tools.ledger.rows import (
    Device,
    Notice,
    Outcome,
    Posting,
    Referral,
    Round,
    Settlement,
    StoredRecord,
    VoidOrder,
    Wager,
)
from host_tools.ledger.schema import OPEN_STATES
from host_tools.ledger.store import Store

_TERMS = "mode, rulebook, rulebook_digest, layout, limits, decimals, chip_unit"
_ROUND = f"id, table_name, device, {_TERMS}, state, made_ms, changed_ms"
_RECORD = "device, sequence, boot, kind, round, digest, raw"
_OUTCOME = "result, odds, payout, returned, reason, clause"
_OPEN = ", ".join(f"'{state}'" for state in OPEN_STATES)


class Ledger:
    """Devices, records, rounds, wagers, settlements and postings in one SQLite file with one writing process.

    Raises SqliteTooOld, LedgerUnusable or LedgerInUse when opening. Every write must be inside
    `with ledger.transaction():`, is durable when that block ends, and is undone whole when it raises.
    """

    def __init__(self, path: Path | str, sqlite_version: str = apsw.sqlite_lib_version()) -> None:
        self.store = Store(Path(path).resolve(), sqlite_version)  # one lease, by whatever link it is reached

    def __enter__(self) -> "Ledger":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and let another process have it."""
        self.store.close()

    def transaction(self) -> AbstractContextManager[None]:
        """All writes in the block, or none; durable when it ends."""
        return self.store.transaction()

    def check(self) -> None:
        """Raise LedgerDamaged when the newest records or rounds do not add up; takes bounded time."""
        found = list(findings(self.store))
        if found:
            raise LedgerDamaged(found)

    # --- devices and records ---

    def enrol(self, device: bytes, public_key: bytes, head: tuple[int, bytes, int]) -> None:
        """Make a device known, with the `head` (sequence, SHA-256, boot) before its first record here.

        Again with the same key changes nothing; with another key or head raises LedgerError.
        """
        found = self.find_device(device)
        if found is None:
            self.store.write(
                "INSERT INTO devices VALUES (?, ?, ?, ?, ?, ?)", (device, public_key, head[0], *head)
            )
        elif (found.public_key, found.before_first) != (public_key, head[0]):
            raise LedgerError(
                f"device {device.hex()} is in this ledger with another key or first record;"
                " a device that was provisioned anew needs a new id"
            )

    def find_device(self, device: bytes) -> Device | None:
        """The enrolled device of that id, or None."""
        row = self.store.row("SELECT * FROM devices WHERE id = ?", (device,))
        return Device(*row) if row else None

    def device(self, device: bytes) -> Device:
        """The enrolled device of that id; raises DeviceUnknown."""
        found = self.find_device(device)
        if found is None:
            raise DeviceUnknown(f"device {device.hex()} is not enrolled in this ledger; enrol its keys first")
        return found

    def devices(self) -> list[Device]:
        """All enrolled devices, by id."""
        return [Device(*row) for row in self.store.rows("SELECT * FROM devices ORDER BY id")]

    def add_record(self, record: StoredRecord, now_ms: int) -> bool:
        """Append a verified record; False when the ledger has these bytes already.

        Raises RecordConflict when it has others under that sequence, LedgerError when one is missing before.
        """
        known = self.record(record.device, record.sequence)
        if known is not None:
            if known.raw != record.raw:
                raise RecordConflict(
                    f"device {record.device.hex()} sent a second, different record {record.sequence};"
                    " quarantine the device and compare its journal"
                )
            return False
        device = self.device(record.device)
        if record.sequence != device.head_sequence + 1:
            raise LedgerError(f"record {record.sequence} does not follow: {device.head_sequence + 1} is next")
        self.store.write(
            f"INSERT INTO records ({_RECORD}, received_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                record.device,
                record.sequence,
                record.boot,
                record.kind,
                record.round,
                record.digest,
                record.raw,
                now_ms,
            ),
        )
        self.store.write(
            "UPDATE devices SET head_sequence = ?, head_digest = ?, head_boot = ? WHERE id = ?",
            (record.sequence, record.digest, record.boot, record.device),
        )
        return True

    def record(self, device: bytes, sequence: int) -> StoredRecord | None:
        """One record, or None."""
        row = self.store.row(
            f"SELECT {_RECORD} FROM records WHERE device = ? AND sequence = ?", (device, sequence)
        )
        return StoredRecord(*row) if row else None

    def records(self, device: bytes, after: int = 0) -> Iterator[StoredRecord]:
        """All records of a device with a sequence above `after`, in order, read as they are asked for."""
        rows = self.store.connection.execute(
            f"SELECT {_RECORD} FROM records WHERE device = ? AND sequence > ? ORDER BY sequence",
            (device, after),
        )
        for row in rows:
            yield StoredRecord(*row)

    def records_of_round(self, round_id: bytes) -> list[StoredRecord]:
        """The records that name this round, in the order of the device's chain."""
        rows = self.store.rows(
            f"SELECT {_RECORD} FROM records WHERE round = ? ORDER BY device, sequence", (round_id,)
        )
        return [StoredRecord(*row) for row in rows]

    # --- rounds and wagers ---

    def open_round(self, new: Round) -> None:
        """Add a round in state "opening", before the device is told of it."""
        self.store.write(
            f"INSERT INTO rounds ({_ROUND}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'opening', ?, ?)",
            (
                new.id,
                new.table,
                new.device,
                new.mode,
                new.rulebook,
                new.rulebook_digest,
                new.layout,
                new.limits,
                new.decimals,
                new.chip_unit,
                new.made_ms,
                new.made_ms,
            ),
        )

    def find_round(self, round_id: bytes) -> Round | None:
        """The round of that id, or None."""
        row = self.store.row(f"SELECT {_ROUND} FROM rounds WHERE id = ?", (round_id,))
        return Round(*row) if row else None

    def round(self, round_id: bytes) -> Round:
        """The round of that id; raises RoundUnknown."""
        found = self.find_round(round_id)
        if found is None:
            raise RoundUnknown(f"there is no round {round_id.hex()} in this ledger")
        return found

    def current_round(self, table: str) -> Round | None:
        """The table's round that is not concluded, or None."""
        row = self.store.row(
            f"SELECT {_ROUND} FROM rounds WHERE table_name = ? AND state IN ({_OPEN})", (table,)
        )
        return Round(*row) if row else None

    def latest_round(self, table: str) -> Round | None:
        """The table's newest round, concluded or not; None before the first."""
        row = self.store.row(
            f"SELECT {_ROUND} FROM rounds WHERE table_name = ? ORDER BY number DESC LIMIT 1", (table,)
        )
        return Round(*row) if row else None

    def set_state(self, round_id: bytes, state: str, now_ms: int) -> None:
        """Move a round forward; the database refuses any other step."""
        self.store.write(
            "UPDATE rounds SET state = ?, changed_ms = ? WHERE id = ?", (state, now_ms, round_id)
        )

    def wager(self, round_id: bytes, wager_id: str) -> Wager | None:
        """The wager registered under that id in that round, or None."""
        row = self.store.row(
            "SELECT id, player, wager, stake FROM wagers WHERE round = ? AND id = ?", (round_id, wager_id)
        )
        return Wager(*row) if row else None

    def wagers(self, round_id: bytes) -> list[Wager]:
        """The round's wagers in the order they were placed."""
        rows = self.store.rows(
            "SELECT id, player, wager, stake FROM wagers WHERE round = ? ORDER BY number", (round_id,)
        )
        return [Wager(*row) for row in rows]

    def is_registered(self, round_id: bytes, wager: Wager) -> bool:
        """Whether exactly this wager is in; raises WagerConflict when its id is taken by another one."""
        known = self.wager(round_id, wager.id)
        if known is not None and known != wager:
            raise WagerConflict(
                f"wager id {wager.id!r} is taken in this round by {known.wager} of {known.player!r};"
                " use a new id for a new wager"
            )
        return known is not None

    def place(self, round_id: bytes, wagers: Sequence[Wager], now_ms: int) -> None:
        """Add wagers that are not in yet and move their stakes to "held"; the database refuses late ones."""
        self.store.write_many(
            "INSERT INTO wagers (round, id, player, wager, stake, placed_ms) VALUES (?, ?, ?, ?, ?, ?)",
            [(round_id, each.id, each.player, each.wager, each.stake, now_ms) for each in wagers],
        )
        amounts: dict[str, int] = defaultdict(int)
        for each in wagers:
            amounts[f"player:{each.player}"] -= each.stake
            amounts["held"] += each.stake
        self._post(round_id, "wager", amounts, now_ms)

    # --- the end of a round ---

    def conclude(self, settlement: Settlement, outcomes: Iterable[Outcome], device: bytes) -> None:
        """Settle or void a round once and for all: settlement, outcome of every wager, postings, state.

        Raises LedgerError when the outcomes are not exactly the round's wagers or contradict the stakes.
        """
        outcomes = list(outcomes)
        faces = "-".join(map(str, settlement.faces)) if settlement.faces else None
        numbers = self._numbers(settlement.round, outcomes)
        self.store.write(
            "INSERT INTO settlements (round, verdict, faces, fact, action, clause, device, sequence, made_ms)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                settlement.round,
                settlement.verdict,
                faces,
                settlement.fact,
                settlement.action,
                settlement.clause,
                device,
                settlement.sequence,
                settlement.made_ms,
            ),
        )
        self.store.write_many(
            f"INSERT INTO outcomes (wager, {_OUTCOME}) VALUES (?, ?, ?, ?, ?, ?, ?)",
            [(number, *_judgement(each)) for number, each in zip(numbers, outcomes, strict=True)],
        )
        self._post(settlement.round, "settlement", _settling_amounts(outcomes), settlement.made_ms)
        self.set_state(settlement.round, settlement.verdict, settlement.made_ms)

    def refer(self, referral: Referral, device: bytes) -> None:
        """Leave a round to people: its wagers stay registered and its stakes held."""
        self.store.write(
            "INSERT INTO referrals (round, fact, clause, device, sequence, made_ms)"
            " VALUES (?, ?, ?, ?, ?, ?)",
            (
                referral.round,
                referral.fact,
                referral.clause,
                device,
                referral.sequence,
                referral.made_ms,
            ),
        )
        self.set_state(referral.round, "referred", referral.made_ms)

    def order_void(self, order: VoidOrder) -> None:
        """Note why a round is to be void, before the device is told; the first order of a round stands."""
        self.store.write(
            "INSERT INTO void_orders (round, fact, decided_by, made_ms) VALUES (?, ?, ?, ?)"
            " ON CONFLICT (round) DO NOTHING",
            (order.round, order.fact, order.decided_by, order.made_ms),
        )

    def void_order(self, round_id: bytes) -> VoidOrder | None:
        """Why the host ordered the round void, or None when it did not."""
        row = self.store.row(
            "SELECT round, fact, decided_by, made_ms FROM void_orders WHERE round = ?", (round_id,)
        )
        return VoidOrder(*row) if row else None

    def settlement(self, round_id: bytes) -> Settlement | None:
        """How the round ended, or None while it has not."""
        row = self.store.row(
            "SELECT round, verdict, faces, fact, action, clause, sequence, made_ms FROM settlements"
            " WHERE round = ?",
            (round_id,),
        )
        if row is None:
            return None
        round_id, verdict, faces, *rest = row
        return Settlement(round_id, verdict, _faces(faces), *rest)

    def referral(self, round_id: bytes) -> Referral | None:
        """Why the round was referred, or None when it was not."""
        row = self.store.row(
            "SELECT round, fact, clause, sequence, made_ms FROM referrals WHERE round = ?", (round_id,)
        )
        return Referral(*row) if row else None

    def outcomes(self, round_id: bytes) -> list[Outcome]:
        """What each wager of a concluded round came to, in the order they were placed."""
        rows = self.store.rows(
            f"SELECT id, player, wagers.wager, stake, {_OUTCOME} FROM wagers"
            " JOIN outcomes ON outcomes.wager = wagers.number WHERE round = ? ORDER BY number",
            (round_id,),
        )
        return [Outcome(Wager(*row[:4]), *row[4:]) for row in rows]

    def postings(self, round_id: bytes) -> list[Posting]:
        """The round's postings in the order they were made."""
        rows = self.store.rows(
            "SELECT round, cause, account, amount FROM postings WHERE round = ? ORDER BY number", (round_id,)
        )
        return [Posting(*row) for row in rows]

    # --- outbox ---

    def notify(self, topic: str, round_id: bytes | None, body: Mapping[str, object], now_ms: int) -> None:
        """Add an outgoing notice, to be sent after the transaction that it tells of."""
        self.store.write(
            "INSERT INTO notices (topic, round, body, made_ms) VALUES (?, ?, ?, ?)",
            (topic, round_id, json.dumps(body, sort_keys=True), now_ms),
        )

    def notices(self, after: int = 0, limit: int = 1000) -> list[Notice]:
        """The outbox above number `after`, oldest first; a reader remembers the last number it has sent."""
        rows = self.store.rows(
            "SELECT number, topic, round, body FROM notices WHERE number > ? ORDER BY number LIMIT ?",
            (after, limit),
        )
        return [Notice(*row) for row in rows]

    def _numbers(self, round_id: bytes, outcomes: list[Outcome]) -> list[int]:
        """The row number of each outcome's wager; LedgerError unless they are all of the round's, once."""
        rows = self.store.rows(
            "SELECT id, player, wager, stake, number FROM wagers WHERE round = ?", (round_id,)
        )
        registered = {row[:4]: row[4] for row in rows}
        settled = [
            (each.wager.id, each.wager.player, each.wager.wager, each.wager.stake) for each in outcomes
        ]
        if len(settled) != len(registered) or set(settled) != registered.keys():
            raise LedgerError(
                f"a settlement of round {round_id.hex()} must have each of its {len(registered)} wagers once"
            )
        return [registered[wager] for wager in settled]

    def _post(self, round_id: bytes, cause: str, amounts: Mapping[str, int], now_ms: int) -> None:
        if sum(amounts.values()) != 0:
            raise LedgerError(f"postings of round {round_id.hex()} do not balance: {dict(amounts)}")
        self.store.write_many(
            "INSERT INTO postings (round, cause, account, amount, made_ms) VALUES (?, ?, ?, ?, ?)",
            [(round_id, cause, account, amount, now_ms) for account, amount in amounts.items() if amount],
        )


def _judgement(each: Outcome) -> tuple[str, str, int, int, str, str]:
    return each.result, each.odds, each.payout, each.returned, each.reason, each.clause


def _settling_amounts(outcomes: Iterable[Outcome]) -> dict[str, int]:
    amounts: dict[str, int] = defaultdict(int)
    for each in outcomes:
        stake = each.wager.stake
        due = {"won": stake + each.payout, "lost": 0, "void": stake}[each.result]
        if each.returned != due or (each.payout and each.result != "won"):
            raise LedgerError(f"wager {each.wager.id!r}: {each.result} returns {due}, not {each.returned}")
        amounts["held"] -= stake
        amounts[f"player:{each.wager.player}"] += each.returned
        amounts["house"] += stake - each.returned
    return amounts


def _faces(text: str | None) -> tuple[int, int, int] | None:
    if text is None:
        return None
    first, second, third = map(int, text.split("-"))
    return first, second, third
