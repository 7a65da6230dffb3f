"""The ledger's rows as immutable values. Money is whole minor units; times are Unix milliseconds."""

from dataclasses import dataclass

from host_tools.ledger.schema import OPEN_STATES


@dataclass(frozen=True, slots=True)
class Device:
    """A tumbler: its key, the sequence before its first record here, and the head of its chain here."""

    id: bytes
    public_key: bytes
    before_first: int
    head_sequence: int
    head_digest: bytes
    head_boot: int


@dataclass(frozen=True, slots=True)
class StoredRecord:
    """A signed record as received, with what the verifier found in it."""

    device: bytes
    sequence: int
    boot: int
    kind: str
    round: bytes | None
    digest: bytes
    raw: bytes


@dataclass(frozen=True, slots=True)
class Round:
    """A round and the exact terms it was opened under.

    `rulebook_digest` is the SHA-256 of the rulebook in hex; `limits` its stake limits, or None; `chip_unit`
    is in minor units of a currency with `decimals`."""

    id: bytes
    table: str
    device: bytes
    mode: str
    rulebook: str
    rulebook_digest: str
    layout: str
    limits: str | None
    decimals: int
    chip_unit: int
    state: str
    made_ms: int
    changed_ms: int

    @property
    def is_open(self) -> bool:
        """Whether the round is neither settled, void nor referred."""
        return self.state in OPEN_STATES


@dataclass(frozen=True, slots=True)
class Wager:
    """A registered wager; `id` is the sender's, unique within the round."""

    id: str
    player: str
    wager: str
    stake: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one wager came to: `result` won, lost or void, `odds` as text, empty unless won, `reason` and
    `clause` why."""

    wager: Wager
    result: str
    odds: str
    payout: int
    returned: int
    reason: str
    clause: str


@dataclass(frozen=True, slots=True)
class Settlement:
    """How a round ended: `verdict` settled or void; `sequence` is the record it rests on, if any."""

    round: bytes
    verdict: str
    faces: tuple[int, int, int] | None
    fact: str
    action: str
    clause: str
    sequence: int | None
    made_ms: int


@dataclass(frozen=True, slots=True)
class Referral:
    """A round left to people: why, under which clause, on which record."""

    round: bytes
    fact: str
    clause: str
    sequence: int | None
    made_ms: int


@dataclass(frozen=True, slots=True)
class VoidOrder:
    """Why the host ordered a round void, and who decided it (empty: the rules did)."""

    round: bytes
    fact: str
    decided_by: str
    made_ms: int


@dataclass(frozen=True, slots=True)
class Posting:
    """Money moved to (positive) or from (negative) an account: `house`, `held` or `player:<name>`."""

    round: bytes
    cause: str
    account: str
    amount: int


@dataclass(frozen=True, slots=True)
class Notice:
    """An entry of the outbox, written in the transaction of what it tells of. `body` is JSON."""

    number: int
    topic: str
    round: bytes | None
    body: str
