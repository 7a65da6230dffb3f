"""What happens at a table, as immutable events for displays, logs and programs that follow a round.

Events inform; they never move money. Those that tell of a record (`sequence`) are sent after the record is
durable in the ledger. `round` is the round's id, 16 bytes. Money is exact decimal text, as `"12.50"`.
"""

import re
from dataclasses import asdict, dataclass
from typing import NamedTuple


@dataclass(frozen=True, slots=True)
class DeviceConnected:
    """The device was recognised and the session is open."""

    device: bytes
    boot: int


@dataclass(frozen=True, slots=True)
class DeviceLost:
    """The device is silent or its port is gone; `reason` is for people."""

    device: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class DeviceRefused:
    """The device sent a record or greeting that must not be believed (fork, gap, bad signature, unknown)."""

    device: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class RecordDropped:
    """A record was refused that the device need not have sent: it is asked for again. Told once a session."""

    device: bytes
    reason: str


@dataclass(frozen=True, slots=True)
class RecordCommitted:
    """A verified record is in the ledger; `digest` is its SHA-256, the new head of the device's chain."""

    sequence: int
    kind: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class RoundOpened:
    """The device's `round-opened` record is in the ledger. `mode` is `covered` or `open`."""

    round: bytes
    mode: str


@dataclass(frozen=True, slots=True)
class BetsOpen:
    """Wagers are accepted from now on ("Place your bets")."""

    round: bytes


@dataclass(frozen=True, slots=True)
class WagersPlaced:
    """A batch of wagers is durable: how many were new in it and what they stake together."""

    round: bytes
    count: int
    stake: str


@dataclass(frozen=True, slots=True)
class WagersWithdrawn:
    """A batch of wagers was withdrawn before no more bets: how many, and the stakes that went back."""

    round: bytes
    count: int
    stake: str


@dataclass(frozen=True, slots=True)
class BetsClosed:
    """The device's `no-more-bets` record is in the ledger ("No more bets")."""

    round: bytes


@dataclass(frozen=True, slots=True)
class StrokeCounted:
    """The device counted a stroke; `count` so far. Unsigned, for displays."""

    round: bytes
    count: int


@dataclass(frozen=True, slots=True)
class AtRest:
    """The strokes are done and the dice lie still. Unsigned, for displays."""

    round: bytes


@dataclass(frozen=True, slots=True)
class ResultRead:
    """The device's `reading` record: faces 1..6, tilts in tenths of a degree, confidences in thousandths
    (docs/confidence.md)."""

    round: bytes
    faces: tuple[int, int, int]
    tilts: tuple[int, ...]
    confidences: tuple[int, ...]
    sequence: int


@dataclass(frozen=True, slots=True)
class ShoeLoaded:
    """A new shoe of cards is on the table: its id and how many decks it has."""

    shoe: bytes
    decks: int


@dataclass(frozen=True, slots=True)
class CardEntered:
    """A card is durable as a person or a shoe device entered it: `position` counts the shoe's cards."""

    round: bytes
    position: int
    face: int


@dataclass(frozen=True, slots=True)
class CardsCorrected:
    """Two people have entered the cards of a round anew, before its result was announced."""

    round: bytes
    faces: tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class RoundHeld:
    """The reading (`sequence`) waits until its evidence was looked at; wagers are frozen."""

    round: bytes
    sequence: int


class WagerOutcome(NamedTuple):
    """What became of one wager: `result` is `won`, `lost` or `void`; `payout` excludes the stake and
    `returned` is what goes back to the player; `odds` "to one" as text, empty unless won; `clause` is why."""

    id: str
    player: str
    wager: str
    stake: str
    result: str
    odds: str
    payout: str
    returned: str
    clause: str


@dataclass(frozen=True, slots=True)
class RoundOutcome:
    """How a round ended. `verdict` is `settled`, `void` or `referred`.

    `faces` only when settled; `fact` is the device's reason (definitions.FACTS), the irregularity found by
    the host, or empty; `action` is the rulebook's word for the ruling and `clause` where it says so;
    `sequence` is the record it rests on, or 0; `wagers` are empty when referred: they are frozen. What people
    decided names them: `decided_by`, and `seconded_by` where two are needed.
    """

    round: bytes
    verdict: str
    faces: tuple[int, int, int] | None
    fact: str
    action: str
    clause: str
    sequence: int
    wagers: tuple[WagerOutcome, ...]
    decided_by: str = ""
    seconded_by: str = ""


@dataclass(frozen=True, slots=True)
class WagerDifference:
    """What a correction changes for one wager: `amount` is to pay to the player, or with `-` to collect."""

    id: str
    player: str
    wager: str
    stake: str
    returned_before: str
    returned: str
    amount: str


@dataclass(frozen=True, slots=True)
class RoundCorrection:
    """A settlement replaced by another: the outcome now, the differences, why, and the picture's SHA-256."""

    outcome: RoundOutcome
    differences: tuple[WagerDifference, ...]
    reason: str
    evidence: bytes


@dataclass(frozen=True, slots=True)
class RoundSettled:
    """The round is settled in the ledger; `settlement` lists every wager."""

    round: bytes
    settlement: RoundOutcome


@dataclass(frozen=True, slots=True)
class RoundVoid:
    """The round is void and every stake is back; `action` is the rulebook's word for the ruling."""

    round: bytes
    fact: str
    action: str
    clause: str


@dataclass(frozen=True, slots=True)
class RoundReferred:
    """The rulebook leaves the round to people (`clause`); its wagers are frozen."""

    round: bytes
    fact: str
    clause: str


@dataclass(frozen=True, slots=True)
class RoundCorrected:
    """People have corrected a settled round; no other round is touched."""

    round: bytes
    correction: RoundCorrection


@dataclass(frozen=True, slots=True)
class EvidenceAlarm:
    """What is settled by the reading `sequence` is in doubt; `fact` is one of examining.FACTS."""

    round: bytes
    sequence: int
    fact: str


@dataclass(frozen=True, slots=True)
class AlarmAnswered:
    """A person has answered for the alarm of that notice's `number`."""

    round: bytes
    number: int


@dataclass(frozen=True, slots=True)
class StoreLost:
    """The ledger cannot be written: records wait unacknowledged and are tried again."""

    reason: str


@dataclass(frozen=True, slots=True)
class StoreBack:
    """The ledger is written again; nothing was lost."""


@dataclass(frozen=True, slots=True)
class FaultRaised:
    """The device latched a fault; no round opens until it is cleared."""

    fact: str
    detail: str


@dataclass(frozen=True, slots=True)
class FaultCleared:
    """A fault was re-checked by the device and cleared."""

    fact: str
    detail: str


Event = (
    DeviceConnected
    | DeviceLost
    | DeviceRefused
    | RecordDropped
    | RecordCommitted
    | RoundOpened
    | BetsOpen
    | WagersPlaced
    | WagersWithdrawn
    | BetsClosed
    | StrokeCounted
    | AtRest
    | ResultRead
    | ShoeLoaded
    | CardEntered
    | CardsCorrected
    | RoundHeld
    | RoundSettled
    | RoundVoid
    | RoundReferred
    | RoundCorrected
    | EvidenceAlarm
    | AlarmAnswered
    | StoreLost
    | StoreBack
    | FaultRaised
    | FaultCleared
)

# What the ledger has a notice of, numbered and kept: written in the transaction of the record, or of what
# people decided. All other events are hints, which a display that was away finds out of the table's state.
DURABLE = (
    RoundOpened,
    BetsOpen,
    BetsClosed,
    ResultRead,
    ShoeLoaded,
    CardEntered,
    CardsCorrected,
    RoundHeld,
    RoundSettled,
    RoundVoid,
    RoundReferred,
    RoundCorrected,
    EvidenceAlarm,
    AlarmAnswered,
    FaultRaised,
    FaultCleared,
)


def event_of(outcome: RoundOutcome) -> Event:
    """What tells of a round's end."""
    if outcome.verdict == "settled":
        return RoundSettled(outcome.round, outcome)
    if outcome.verdict == "void":
        return RoundVoid(outcome.round, outcome.fact, outcome.action, outcome.clause)
    return RoundReferred(outcome.round, outcome.fact, outcome.clause)


def kind_of(event: Event) -> str:
    """Its name as it leaves the host: BetsOpen is bets-open."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", type(event).__name__).lower()


def body_of(event: Event) -> dict[str, object]:
    """What it tells beside its round, as JSON has it: bytes as hex text."""
    told = asdict(event).items()
    return {
        name: value.hex() if isinstance(value, bytes) else value for name, value in told if name != "round"
    }
