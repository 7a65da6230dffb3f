"""The ledger's rows as immutable values. Money is whole minor units; times are Unix milliseconds."""

from dataclasses import dataclass

from host_tools.ledger.schema import OPEN_STATES


@dataclass(frozen=True, slots=True)
class Device:
    """An enrolled tumbler: keys, and the newest record the ledger has of it (`head_sequence` 0: none)."""

    id: bytes
    public_key: bytes
    host_key: bytes
    first_sequence: int
    head_sequence: int = 0
    head_digest: bytes | None = None
    head_boot: int = 0


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
    """A round and the exact rules it was opened under (`rulebook_digest`: SHA-256 of the rulebook, hex)."""

    id: bytes
    table: str
    device: bytes
    mode: str
    rulebook: str
    rulebook_digest: str
    layout: str
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
    """What one wager came to: `result` won, lost or void; `odds` the text of a fraction, empty unless won."""

    wager: Wager
    result: str
    odds: str
    payout: int
    returned: int


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
