"""The ledger's rows as immutable values. Money is whole minor units; times are Unix milliseconds."""

from dataclasses import dataclass
from typing import NamedTuple

from host_tools.ledger.schema import OPEN_STATES

Faces = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Device:
    """A tumbler: its key, the head of its chain before its first record here, and its head here now."""

    id: bytes
    public_key: bytes
    before_first: int
    before_digest: bytes
    before_boot: int
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
    made_ms: int
    state: str = "opening"
    changed_ms: int = 0

    @property
    def is_open(self) -> bool:
        """Whether the round is neither settled, void nor referred."""
        return self.state in OPEN_STATES


@dataclass(frozen=True, slots=True)
class Shoe:
    """A shoe of cards as it was loaded: `decks` of `each_face` cards of each of six faces. `entry` is its
    own, 0 until it is stored."""

    id: bytes
    table: str
    decks: int
    each_face: int
    loaded_by: str
    entry: int = 0


class Card(NamedTuple):
    """A card as a person or a shoe device entered it; `position` counts the shoe's cards from 1. `revision`
    is 1, and above where two people have entered it anew for a `reason`."""

    shoe: bytes
    position: int
    revision: int
    face: int
    round: bytes
    entered_by: str
    seconded_by: str = ""
    reason: str = ""


class Wager(NamedTuple):
    """A registered wager; `id` is the sender's, unique within the round."""

    id: str
    player: str
    wager: str
    stake: int


class Outcome(NamedTuple):
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
    """How a round ended: `verdict` settled or void; `sequence` is the record it rests on, if any.

    What people decided names them: `decided_by` and, where two are needed, `seconded_by`, with their `reason`
    and the SHA-256 of the evidence picture. `corrects` is the entry of the settlement that this one replaces;
    `entry` its own, 0 until it is stored.
    """

    round: bytes
    verdict: str
    faces: Faces | None
    fact: str
    action: str
    clause: str
    sequence: int | None
    made_ms: int
    decided_by: str = ""
    seconded_by: str = ""
    reason: str = ""
    evidence: bytes | None = None
    corrects: int | None = None
    entry: int = 0


@dataclass(frozen=True, slots=True)
class Difference:
    """What a correction changes for one wager."""

    before: Outcome
    after: Outcome

    @property
    def amount(self) -> int:
        """To pay to the player; below 0: to collect."""
        return self.after.returned - self.before.returned


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
    """Money moved to (positive) or from (negative) an account: `house`, `held` or `player:<name>`.

    `cause` is that of its entry (schema.CAUSES)."""

    round: bytes
    cause: str
    account: str
    amount: int


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a table's journal; everything written about a round belongs to one.

    `step` counts a table's entries from 1; `players`, `held` and `house` are the table's balances after it,
    which sum to zero. `digest` is SHA-256 over the digest before it and all the entry says.
    """

    number: int
    table: str
    step: int
    round: bytes
    cause: str
    made_ms: int
    players: int
    held: int
    house: int
    digest: bytes


@dataclass(frozen=True, slots=True)
class Access:
    """An entry of an access log: who, from where, did what, and the state before and after (JSON).

    `step` counts a log's entries from 1; `digest` is SHA-256 over the digest before it and all it says.
    """

    log: str
    step: int
    made_ms: int
    who: str
    origin: str
    action: str
    before: str
    after: str
    digest: bytes


@dataclass(frozen=True, slots=True)
class Notice:
    """An entry of the outbox, written in the transaction of what it tells of. `body` is JSON.

    `source` is the table (or the device, in hex) it is about; numbers grow within a source."""

    number: int
    source: str
    topic: str
    round: bytes | None
    body: str
    made_ms: int = 0
