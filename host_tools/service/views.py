"""Everything that leaves the service, as immutable values: the API, the client and the console share these.

Money is exact decimal text as `"12.50"`; ids and digests are hex text; times are Unix milliseconds; wagers,
facts, states and actions are the words of the rulebooks and of the definitions. None: there is none (yet).
"""

from dataclasses import dataclass

Faces = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class FaultView:
    """A latched fault, its finer cause, and what a person has to put right before it can be cleared."""

    fact: str
    detail: str
    remedy: str


@dataclass(frozen=True, slots=True)
class AlarmView:
    """A settled round that its evidence speaks against (`fact`), until a person answers for it; `device` and
    `second` are the faces by the device's reader and the host's, empty where there are none."""

    number: int
    round: str
    fact: str
    device: tuple[int, ...]
    second: tuple[int, ...]
    at_ms: int


@dataclass(frozen=True, slots=True)
class WagerView:
    """A registered wager and, once the round has ended, what it came to: `result` won, lost or void,
    `payout` without the stake, `returned` what goes back to the player, `clause` why."""

    id: str
    player: str
    wager: str
    stake: str
    withdrawn: bool = False
    result: str | None = None
    odds: str | None = None
    payout: str | None = None
    returned: str | None = None
    reason: str | None = None
    clause: str | None = None


@dataclass(frozen=True, slots=True)
class DifferenceView:
    """What a correction changes for one wager: `amount` goes to the player, or is collected when negative."""

    id: str
    player: str
    wager: str
    stake: str
    returned_before: str
    returned: str
    amount: str


@dataclass(frozen=True, slots=True)
class SettlementView:
    """How a round ended. `verdict` settled, void or referred; `record` is the device's record it rests on, or
    None; `decided_by` and `seconded_by` are the people behind it, empty when the record alone decided;
    `corrects` is the number of the settlement that this one replaces."""

    number: int
    verdict: str
    faces: Faces | None
    fact: str
    action: str
    clause: str
    record: int | None
    decided_by: str
    seconded_by: str
    reason: str
    evidence: str | None
    corrects: int | None
    made_ms: int


@dataclass(frozen=True, slots=True)
class CardView:
    """A card of a round as it was entered: `position` counts the shoe's cards, `entered_by` is a person or a
    program, and `seconded_by` the second one where two people have entered it anew."""

    position: int
    face: int
    entered_by: str
    seconded_by: str


@dataclass(frozen=True, slots=True)
class ShoeView:
    """The shoe on a table of cards: `decks` decks of 48 cards, `dealt` and `left` of them; the next card is
    number `dealt` + 1. `unfit` says why no round can be played from it; empty when one can."""

    id: str
    decks: int
    dealt: int
    left: int
    loaded_by: str
    unfit: str


@dataclass(frozen=True, slots=True)
class RoundView:
    """A round: `state` is opening, opened, betting, closing, closed, held, settled, void or referred.

    `settlements` has the newest last; `wagers` are in the order they were placed, and empty for those who may
    not see them, and in a list of tables; `winning` are the layout's winning wagers of a settled round.
    `manual`: the faces rest on what people entered, not on a signed reading. In the mode cards, `cards` are
    those drawn so far: entered by hand or by a shoe device, signed by none."""

    id: str
    table: str
    mode: str
    state: str
    rulebook: str
    layout: str
    opened_ms: int
    changed_ms: int
    faces: Faces | None
    settlements: tuple[SettlementView, ...]
    differences: tuple[DifferenceView, ...]
    wagers: tuple[WagerView, ...]
    winning: tuple[str, ...]
    cards: tuple[CardView, ...] = ()
    manual: bool = False


@dataclass(frozen=True, slots=True)
class TableView:
    """A table now. `step` is what comes next, a key of the console's texts (definitions in `steps.py`).

    `referred` are the ids of all rounds that wait for the shift manager, their wagers frozen, the oldest
    first; the next round does not wait for them. `device_state` is the tumbler's own word
    (definitions.DEVICE_STATES), None while it is not connected; `bets_close_ms` and `opens_ms` are when
    betting ends and when the next round may open, where the table has such times; `sequence` is the newest
    event that this view includes. A table of cards has no device (`device` is empty, `connected` true) but a
    `shoe`, once one is loaded. `evidence` is when the pictures of readings are looked at (after,
    before-settlement); None: the table keeps none. `manual_entry`: the rulebook has the dealer enter dice by
    hand."""

    name: str
    rulebook: str
    layout: str
    limits: str | None
    mode: str
    decimals: int
    chip_unit: str
    device: str
    connected: bool
    device_state: str | None
    strokes: int
    at_rest: bool
    cover_closed: bool | None
    faults: tuple[FaultView, ...]
    alarms: tuple[AlarmView, ...]
    quarantine: str
    step: str
    announcement: str
    round: RoundView | None
    referred: tuple[str, ...]
    bets_close_ms: int | None
    opens_ms: int | None
    sequence: int
    now_ms: int
    shoe: ShoeView | None = None
    evidence: str | None = None
    manual_entry: bool = False


@dataclass(frozen=True, slots=True)
class EventView:
    """Something that happened at a table. Events with a `sequence` are durable and can be asked for again;
    those without (strokes counted, dice at rest, device lost) are hints for displays and may be missed."""

    sequence: int | None
    table: str
    kind: str
    round: str | None
    at_ms: int
    body: dict[str, object]


@dataclass(frozen=True, slots=True)
class ProposalView:
    """A deed that waits for its second person; it lapses at `lapses_ms`. `deed` is resolution,
    manual-result, correction, card-correction or void-affected; `affected` are the rounds of the last one,
    else empty. `replaces` are the numbers of the settlements that it is about: others it leaves alone."""

    id: str
    table: str
    round: str
    deed: str
    faces: Faces | None
    reason: str
    evidence: str | None
    proposed_by: str
    proposed_ms: int
    lapses_ms: int
    affected: tuple[str, ...] = ()
    replaces: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class RecordView:
    """A signed record: `raw` is the COSE_Sign1 in hex, `digest` its SHA-256."""

    device: str
    sequence: int
    boot: int
    kind: str
    round: str | None
    digest: str
    raw: str


@dataclass(frozen=True, slots=True)
class ChainView:
    """The head of a device's chain in the ledger, and the table that it plays at here."""

    device: str
    table: str | None
    sequence: int
    digest: str
    boot: int


@dataclass(frozen=True, slots=True)
class AccessView:
    """An entry of an access log; `before` and `after` are JSON text, `digest` seals all entries before it."""

    log: str
    step: int
    at_ms: int
    who: str
    origin: str
    action: str
    before: str
    after: str
    digest: str


@dataclass(frozen=True, slots=True)
class RecalledView:
    """A round out of the tumbler's own memory: `outcome` is read, void or open; `agrees`: the ledger has the
    same records of it."""

    round: str
    outcome: str
    faces: Faces | None
    fact: str
    record: int | None
    agrees: bool
