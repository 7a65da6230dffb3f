"""The tables of the ledger and the walls around them, as migrations for every dialect, never edited.

The database itself holds the walls: append-only tables, wagers only while bets are open, one settlement a
round, states that only move forward. Money is whole minor units, time is Unix milliseconds.
"""

from dataclasses import dataclass
from typing import NamedTuple

APPLICATION_ID = 0x51C0B1  # says "a Sic Bo ledger" to file(1) and to us

# A round's life. Wagers are accepted in "betting" only; "closing" is entered before the device is told;
# "held" has a reading that waits for the evidence to be looked at.
OPEN_STATES = ("opening", "opened", "betting", "closing", "closed", "held")
FINAL_STATES = ("settled", "void")
STATES = (*OPEN_STATES, "referred", *FINAL_STATES)

# Topics of notices that stand until somebody has answered: found without reading all others.
ALARM, ALARM_ANSWERED = "evidence-alarm", "alarm-answered"
ALARM_TOPICS = (ALARM, ALARM_ANSWERED)

# What an entry of a table's journal is made for: at first, and since cards are played.
_FIRST_CAUSES = ("opening", "wager", "withdrawal", "void-order", "referral", "settlement", "correction")
CAUSES = (*_FIRST_CAUSES, "shoe", "card", "card-correction")


class Wall(NamedTuple):
    """A write that the database refuses: `event` on `table` while `condition` on NEW and OLD holds."""

    name: str
    event: str
    table: str
    condition: str
    message: str


class Check(NamedTuple):
    """A CHECK of an older migration that is another one now: `columns` are all that `before` names."""

    table: str
    columns: tuple[str, ...]
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Migration:
    """`tables` with the words of a dialect in braces, then the walls around them; `checks` replace others."""

    tables: str
    walls: tuple[Wall, ...]
    checks: tuple[Check, ...] = ()


def quoted(names: tuple[str, ...]) -> str:
    """Names as a list of SQL."""
    return ", ".join(f"'{name}'" for name in names)


def append_only(*tables: str) -> tuple[Wall, ...]:
    """Walls against any change of what was written."""
    return tuple(
        Wall(f"{table}_no_{verb.lower()}", verb, table, "1 = 1", f"{table} is append-only")
        for table in tables
        for verb in ("UPDATE", "DELETE")
    )


_TABLES = f"""
CREATE TABLE devices (
    id {{bytes}} PRIMARY KEY CHECK (length(id) = 8),
    public_key {{bytes}} NOT NULL UNIQUE CHECK (length(public_key) = 32),
    before_first {{int}} NOT NULL CHECK (before_first >= 0),
    before_digest {{bytes}} NOT NULL CHECK (length(before_digest) = 32),
    before_boot {{int}} NOT NULL,
    head_sequence {{int}} NOT NULL CHECK (head_sequence >= before_first),
    head_digest {{bytes}} NOT NULL CHECK (length(head_digest) = 32),
    head_boot {{int}} NOT NULL
) {{strict}};

CREATE TABLE records (
    device {{bytes}} NOT NULL REFERENCES devices (id),
    sequence {{int}} NOT NULL CHECK (sequence >= 1),
    boot {{int}} NOT NULL,
    kind TEXT NOT NULL,
    round {{bytes}},
    digest {{bytes}} NOT NULL CHECK (length(digest) = 32),
    raw {{bytes}} NOT NULL,
    received_ms {{int}} NOT NULL,
    UNIQUE (device, sequence)
) {{strict}};
CREATE INDEX records_by_round ON records (round, device, sequence) WHERE round IS NOT NULL;

-- A table's journal: whatever is written about a round belongs to an entry, with the table's balances after
-- it; the digest seals the entry's rows and all entries before it.
CREATE TABLE entries (
    number {{serial}},
    table_name TEXT NOT NULL,
    step {{int}} NOT NULL CHECK (step >= 1),
    round {{bytes}} NOT NULL,
    cause TEXT NOT NULL CHECK (cause IN ({quoted(_FIRST_CAUSES)})),
    made_ms {{int}} NOT NULL,
    players {{int}} NOT NULL,
    held {{int}} NOT NULL CHECK (held >= 0),
    house {{int}} NOT NULL,
    digest {{bytes}} NOT NULL CHECK (length(digest) = 32),
    UNIQUE (table_name, step),
    CHECK (players + held + house = 0)
) {{strict}};
CREATE INDEX entries_by_round ON entries (round);

CREATE TABLE rounds (
    number {{serial}},
    entry {{int}} NOT NULL UNIQUE REFERENCES entries (number),
    id {{bytes}} NOT NULL UNIQUE CHECK (length(id) = 16),
    table_name TEXT NOT NULL,
    device {{bytes}} NOT NULL REFERENCES devices (id),
    mode TEXT NOT NULL CHECK (mode IN ('covered', 'open', 'cards')),
    rulebook TEXT NOT NULL,
    rulebook_digest TEXT NOT NULL,
    layout TEXT NOT NULL,
    limits TEXT,
    decimals {{int}} NOT NULL,
    chip_unit {{int}} NOT NULL CHECK (chip_unit > 0),
    made_ms {{int}} NOT NULL,
    state TEXT NOT NULL DEFAULT 'opening' CHECK (state IN ({quoted(STATES)})),
    changed_ms {{int}}
) {{strict}};
CREATE INDEX rounds_by_table ON rounds (table_name, number);
CREATE INDEX unfinished_rounds ON rounds (number) WHERE state NOT IN ({quoted(FINAL_STATES)});
CREATE UNIQUE INDEX one_open_round_a_table ON rounds (table_name) WHERE state IN ({quoted(OPEN_STATES)});
CREATE UNIQUE INDEX one_open_round_a_device ON rounds (device) WHERE state IN ({quoted(OPEN_STATES)});

CREATE TABLE wagers (
    number {{serial}},
    entry {{int}} NOT NULL REFERENCES entries (number),
    round {{bytes}} NOT NULL REFERENCES rounds (id),
    id TEXT NOT NULL,
    player TEXT NOT NULL,
    wager TEXT NOT NULL,
    stake {{int}} NOT NULL CHECK (stake > 0),
    UNIQUE (round, id)
) {{strict}};
CREATE INDEX wagers_by_entry ON wagers (entry);

CREATE TABLE withdrawals (
    wager {{int}} PRIMARY KEY REFERENCES wagers (number),
    entry {{int}} NOT NULL REFERENCES entries (number)
) {{strict}};
CREATE INDEX withdrawals_by_entry ON withdrawals (entry);

CREATE TABLE referrals (
    entry {{int}} NOT NULL UNIQUE REFERENCES entries (number),
    round {{bytes}} PRIMARY KEY REFERENCES rounds (id),
    fact TEXT NOT NULL,
    clause TEXT NOT NULL,
    device {{bytes}} NOT NULL,
    sequence {{int}},
    FOREIGN KEY (device, sequence) REFERENCES records (device, sequence)
) {{strict}};

-- Why the host ordered a round void: the device only confirms the order, the decision behind it rules.
CREATE TABLE void_orders (
    entry {{int}} NOT NULL UNIQUE REFERENCES entries (number),
    round {{bytes}} PRIMARY KEY REFERENCES rounds (id),
    fact TEXT NOT NULL,
    decided_by TEXT NOT NULL
) {{strict}};

-- A round is settled once; each settlement may be corrected once, by a new one that names it. Faces that no
-- record of the device establishes, and corrections, take two people and a picture.
CREATE TABLE settlements (
    entry {{int}} PRIMARY KEY REFERENCES entries (number),
    round {{bytes}} NOT NULL REFERENCES rounds (id),
    corrects {{int}} UNIQUE REFERENCES settlements (entry),
    verdict TEXT NOT NULL CHECK (verdict IN ({quoted(FINAL_STATES)})),
    faces TEXT,
    fact TEXT NOT NULL,
    action TEXT NOT NULL,
    clause TEXT NOT NULL,
    device {{bytes}} NOT NULL,
    sequence {{int}},
    decided_by TEXT NOT NULL,
    seconded_by TEXT NOT NULL,
    reason TEXT NOT NULL,
    evidence {{bytes}} CHECK (length(evidence) = 32),
    FOREIGN KEY (device, sequence) REFERENCES records (device, sequence),
    CHECK ((verdict = 'settled') = (faces IS NOT NULL)),
    CHECK (decided_by <> seconded_by OR decided_by = ''),
    CHECK (verdict = 'void' OR sequence IS NOT NULL OR seconded_by <> ''),
    CHECK (seconded_by = '' OR (decided_by <> '' AND reason <> '' AND evidence IS NOT NULL)),
    CHECK (corrects IS NULL OR seconded_by <> '')
) {{strict}};
CREATE UNIQUE INDEX one_settlement_a_round ON settlements (round) WHERE corrects IS NULL;
CREATE INDEX settlements_by_round ON settlements (round, entry);

CREATE TABLE outcomes (
    entry {{int}} NOT NULL REFERENCES settlements (entry),
    wager {{int}} NOT NULL REFERENCES wagers (number),
    result TEXT NOT NULL CHECK (result IN ('won', 'lost', 'void')),
    odds TEXT NOT NULL,
    payout {{int}} NOT NULL CHECK (payout >= 0),
    returned {{int}} NOT NULL CHECK (returned >= 0),
    reason TEXT NOT NULL,
    clause TEXT NOT NULL,
    PRIMARY KEY (entry, wager),
    CHECK ((result = 'won') = (payout > 0)),
    CHECK ((result = 'lost') = (returned = 0))
) {{strict}};

-- Double entry: the postings of an entry sum to zero. A stake is moved from its player to "held" when the
-- wager is registered, and from "held" to players and house when the round ends.
CREATE TABLE postings (
    number {{serial}},
    entry {{int}} NOT NULL REFERENCES entries (number),
    account TEXT NOT NULL CHECK (account IN ('house', 'held') OR account LIKE 'player:%'),
    amount {{int}} NOT NULL CHECK (amount <> 0)
) {{strict}};
CREATE INDEX postings_by_entry ON postings (entry);

CREATE TABLE notices (
    number {{serial}},
    source TEXT NOT NULL,
    topic TEXT NOT NULL,
    round {{bytes}},
    body TEXT NOT NULL,
    made_ms {{int}} NOT NULL
) {{strict}};
CREATE INDEX notices_by_source ON notices (source, number);

-- How far each consumer of the outbox has got with each source.
CREATE TABLE deliveries (
    consumer TEXT NOT NULL,
    source TEXT NOT NULL,
    number {{int}} NOT NULL,
    PRIMARY KEY (consumer, source)
) {{strict}};
"""

_STEPS = """('opening', 'opened'), ('opened', 'betting'), ('betting', 'closing'), ('closing', 'closed'),
    ('closed', 'held')"""
_BACKWARDS = f"""(OLD.state IN ({quoted(FINAL_STATES)}) AND NOT (
        OLD.state = 'settled' AND NEW.state = 'void' AND EXISTS (
            SELECT 1 FROM settlements WHERE round = NEW.id AND verdict = 'void' AND corrects IS NOT NULL)))
    OR (OLD.state = 'referred' AND NEW.state NOT IN ({quoted(FINAL_STATES)}))
    OR (NEW.state IN ({quoted(OPEN_STATES)}) AND NOT EXISTS (
        SELECT 1 FROM (VALUES {_STEPS}) AS step
        WHERE step.column1 = OLD.state AND step.column2 = NEW.state))"""
_UNSETTLED = f"""NEW.state IN ({quoted(FINAL_STATES)}) AND NOT EXISTS (
    SELECT 1 FROM settlements WHERE round = NEW.id AND verdict = NEW.state)"""
_OTHER_ROUND = """NEW.corrects IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM settlements WHERE entry = NEW.corrects AND round = NEW.round)"""
_IDENTITY = """number, entry, id, table_name, device, mode, rulebook, rulebook_digest, layout, limits,
    decimals, chip_unit, made_ms"""
_NOT_BETTING = "(SELECT state FROM rounds WHERE id = {round}) IS DISTINCT FROM 'betting'"
_ROUND_OF_WAGER = "(SELECT round FROM wagers WHERE number = NEW.wager)"
_HEAD_MOVES = """NEW.id <> OLD.id OR NEW.public_key <> OLD.public_key OR NEW.before_first <> OLD.before_first
    OR NEW.before_digest <> OLD.before_digest OR NEW.before_boot <> OLD.before_boot
    OR NEW.head_sequence <> OLD.head_sequence + 1"""
_GAP = "NEW.step <> 1 + (SELECT coalesce(max(step), 0) FROM entries WHERE table_name = NEW.table_name)"

_WALLS = (
    Wall("devices_no_delete", "DELETE", "devices", "1 = 1", "devices are never deleted"),
    Wall(
        "devices_move_forward",
        "UPDATE",
        "devices",
        _HEAD_MOVES,
        "a device keeps its key and its head moves record by record",
    ),
    Wall("entries_without_gaps", "INSERT", "entries", _GAP, "the entries of a table have no gaps"),
    Wall("rounds_no_delete", "DELETE", "rounds", "1 = 1", "rounds are never deleted"),
    Wall("rounds_keep_identity", f"UPDATE OF {_IDENTITY}", "rounds", "1 = 1", "a round keeps its identity"),
    Wall("rounds_move_forward", "UPDATE OF state", "rounds", _BACKWARDS, "a round only moves forward"),
    Wall(
        "rounds_end_with_settlement",
        "UPDATE OF state",
        "rounds",
        _UNSETTLED,
        "a round ends with its settlement",
    ),
    Wall(
        "wagers_before_no_more_bets",
        "INSERT",
        "wagers",
        _NOT_BETTING.format(round="NEW.round"),
        "bets are not open",
    ),
    Wall(
        "withdrawals_before_no_more_bets",
        "INSERT",
        "withdrawals",
        _NOT_BETTING.format(round=_ROUND_OF_WAGER),
        "bets are not open",
    ),
    Wall(
        "corrections_keep_the_round",
        "INSERT",
        "settlements",
        _OTHER_ROUND,
        "a correction is of the same round",
    ),
    Wall("deliveries_no_delete", "DELETE", "deliveries", "1 = 1", "delivery marks are never deleted"),
    Wall(
        "deliveries_move_forward",
        "UPDATE",
        "deliveries",
        "NEW.number < OLD.number",
        "a delivery mark only moves forward",
    ),
    *append_only(
        "records",
        "entries",
        "wagers",
        "withdrawals",
        "referrals",
        "void_orders",
        "settlements",
        "outcomes",
        "postings",
        "notices",
    ),
)

_SHARED_TABLES = """
CREATE TABLE leases (
    table_name TEXT PRIMARY KEY,
    owner TEXT NOT NULL,
    token {int} NOT NULL,
    until_ms {int} NOT NULL
) {strict};

CREATE TABLE access_log (
    number {serial},
    log TEXT NOT NULL,
    step {int} NOT NULL CHECK (step >= 1),
    made_ms {int} NOT NULL,
    who TEXT NOT NULL CHECK (who <> ''),
    origin TEXT NOT NULL,
    action TEXT NOT NULL CHECK (action <> ''),
    before TEXT NOT NULL,
    after TEXT NOT NULL,
    digest {bytes} NOT NULL CHECK (length(digest) = 32),
    UNIQUE (log, step)
) {strict};
"""
_ACCESS_GAP = "NEW.step <> 1 + (SELECT coalesce(max(step), 0) FROM access_log WHERE log = NEW.log)"
_SHARED_WALLS = (
    Wall("leases_no_delete", "DELETE", "leases", "1 = 1", "leases are never deleted"),
    Wall("leases_move_forward", "UPDATE", "leases", "NEW.token < OLD.token", "a token only grows"),
    Wall("access_log_without_gaps", "INSERT", "access_log", _ACCESS_GAP, "an access log has no gaps"),
    *append_only("access_log"),
)

# People and programs of the table service: the only secrets here are hashes.
_ACCOUNTS = """
CREATE TABLE accounts (
    name TEXT PRIMARY KEY,
    role TEXT NOT NULL,
    program {int} NOT NULL CHECK (program IN (0, 1)),
    closed {int} NOT NULL CHECK (closed IN (0, 1)),
    secret TEXT NOT NULL UNIQUE,
    made_ms {int} NOT NULL
) {strict};
"""
_ACCOUNT_CHANGES = (
    "NEW.name <> OLD.name OR NEW.role <> OLD.role OR NEW.program <> OLD.program OR OLD.closed = 1"
)
_ACCOUNT_WALLS = (
    Wall("accounts_no_delete", "DELETE", "accounts", "1 = 1", "a name is never given to another"),
    Wall("accounts_keep_identity", "UPDATE", "accounts", _ACCOUNT_CHANGES, "only a secret may change"),
)

_ALARMS = f"CREATE INDEX alarms ON notices (source, number) WHERE topic IN ({quoted(ALARM_TOPICS)});"

# Cards are entered by hand or by a shoe device: no tumbler signs them, the table's journal seals them. What
# was entered stays; a mistyped card is entered again under the next revision, by two people.
_CARDS = """
CREATE TABLE shoes (
    entry {int} NOT NULL UNIQUE REFERENCES entries (number),
    id {bytes} PRIMARY KEY CHECK (length(id) = 16),
    table_name TEXT NOT NULL,
    decks {int} NOT NULL CHECK (decks >= 1),
    each_face {int} NOT NULL CHECK (each_face >= 1),
    loaded_by TEXT NOT NULL CHECK (loaded_by <> '')
) {strict};
CREATE INDEX shoes_by_table ON shoes (table_name, entry);

CREATE TABLE cards (
    entry {int} NOT NULL REFERENCES entries (number),
    shoe {bytes} NOT NULL REFERENCES shoes (id),
    position {int} NOT NULL CHECK (position >= 1),
    revision {int} NOT NULL CHECK (revision >= 1),
    face {int} NOT NULL CHECK (face BETWEEN 1 AND 6),
    round {bytes} NOT NULL REFERENCES rounds (id),
    entered_by TEXT NOT NULL CHECK (entered_by <> ''),
    seconded_by TEXT NOT NULL,
    reason TEXT NOT NULL,
    PRIMARY KEY (shoe, position, revision),
    CHECK (entered_by <> seconded_by),
    CHECK ((revision = 1) = (seconded_by = '')),
    CHECK ((revision = 1) = (reason = ''))
) {strict};
CREATE INDEX cards_by_round ON cards (round, position);
CREATE INDEX cards_by_entry ON cards (entry);
"""
_DRAWN_BEFORE = "(SELECT coalesce(max(position), 0) FROM cards WHERE shoe = NEW.shoe)"
_REVISIONS = """(SELECT coalesce(max(revision), 0) FROM cards
    WHERE shoe = NEW.shoe AND position = NEW.position)"""
_CARDS_IN_ROUND = "(SELECT count(*) FROM cards WHERE round = {round} AND revision = 1)"
_CARD_WALLS = (
    *append_only("shoes", "cards"),
    Wall(
        "cards_in_their_order",
        "INSERT",
        "cards",
        f"NEW.revision <> 1 + {_REVISIONS} OR (NEW.revision = 1 AND NEW.position <> 1 + {_DRAWN_BEFORE})",
        "the cards of a shoe have no gaps and none is there twice",
    ),
    Wall(
        "cards_of_the_shoe",
        "INSERT",
        "cards",
        "NEW.position > (SELECT 6 * each_face * decks FROM shoes WHERE id = NEW.shoe)",
        "the shoe has no such card",
    ),
    Wall(
        "three_cards_a_round",
        "INSERT",
        "cards",
        f"NEW.revision = 1 AND {_CARDS_IN_ROUND.format(round='NEW.round')} >= 3",
        "a round has three cards",
    ),
    Wall(
        "cards_in_an_open_round",
        "INSERT",
        "cards",
        "NEW.revision = 1 AND (SELECT state FROM rounds WHERE id = NEW.round) NOT IN ('betting', 'closed')",
        "a card is drawn in a round that goes on",
    ),
    Wall(
        "results_rest_on_something",
        "INSERT",
        "settlements",
        "NEW.verdict = 'settled' AND NEW.sequence IS NULL AND NEW.seconded_by = ''"
        f" AND {_CARDS_IN_ROUND.format(round='NEW.round')} <> 3",
        "a result rests on a record, on three cards or on two people",
    ),
)
_CARD_CHECKS = (
    Check(
        "entries",
        ("cause",),
        f"cause IN ({quoted(_FIRST_CAUSES)})",
        f"cause IN ({quoted(CAUSES)})",
    ),
    Check(
        "settlements",
        ("verdict", "sequence", "seconded_by"),
        "verdict = 'void' OR sequence IS NOT NULL OR seconded_by <> ''",
        "verdict = 'void' OR sequence IS NOT NULL OR decided_by <> ''",
    ),
)

# See seals.py. Without a seal there is no row, also for a program that does not know of them.
_SEALS = """
ALTER TABLE records ADD COLUMN seal {bytes} CHECK (length(seal) = 32);
ALTER TABLE notices ADD COLUMN seal {bytes} CHECK (length(seal) = 32);
"""
_SEAL_WALLS = tuple(
    Wall(f"{table}_are_sealed", "INSERT", table, "NEW.seal IS NULL", f"{table} are sealed")
    for table in ("records", "notices")
)

MIGRATIONS = (
    Migration(_TABLES, _WALLS),
    Migration(_SHARED_TABLES, _SHARED_WALLS),
    Migration(_ACCOUNTS, _ACCOUNT_WALLS),
    Migration(_ALARMS, ()),
    Migration(_CARDS, _CARD_WALLS, _CARD_CHECKS),
    Migration(_SEALS, _SEAL_WALLS),
)

# In the order in which rows may be copied: what is referred to comes first.
TABLES = (
    "devices",
    "records",
    "entries",
    "rounds",
    "shoes",
    "cards",
    "wagers",
    "withdrawals",
    "referrals",
    "void_orders",
    "settlements",
    "outcomes",
    "postings",
    "notices",
    "deliveries",
    "access_log",
    "accounts",
)
NUMBERED = ("entries", "rounds", "wagers", "postings", "notices", "access_log")
