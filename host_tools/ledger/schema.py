"""The tables of the ledger, as migrations: number n brings `user_version` from n to n + 1, never edited.

The database itself holds the walls: append-only tables, wagers only while bets are open, one settlement a
round, states that only move forward. Money is whole minor units, time is Unix milliseconds.
"""

APPLICATION_ID = 0x51C0B0  # says "a Sic Bo ledger" to file(1) and to us

# A round's life. Wagers are accepted in "betting" only; "closing" is entered before the device is told.
OPEN_STATES = ("opening", "opened", "betting", "closing", "closed")
FINAL_STATES = ("settled", "void")
STATES = (*OPEN_STATES, "referred", *FINAL_STATES)


def _quoted(names: tuple[str, ...]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _append_only(table: str) -> str:
    return "".join(
        f"""
        CREATE TRIGGER {table}_no_{verb.lower()} BEFORE {verb} ON {table}
        BEGIN SELECT RAISE(ABORT, '{table} is append-only'); END;"""
        for verb in ("UPDATE", "DELETE")
    )


_TABLES = f"""
CREATE TABLE devices (
    id BLOB PRIMARY KEY CHECK (length(id) = 8),
    public_key BLOB NOT NULL UNIQUE CHECK (length(public_key) = 32),
    before_first INTEGER NOT NULL CHECK (before_first >= 0),
    head_sequence INTEGER NOT NULL CHECK (head_sequence >= before_first),
    head_digest BLOB NOT NULL CHECK (length(head_digest) = 32),
    head_boot INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER devices_no_delete BEFORE DELETE ON devices
BEGIN SELECT RAISE(ABORT, 'devices are never deleted'); END;
CREATE TRIGGER devices_move_forward BEFORE UPDATE ON devices
WHEN NEW.id <> OLD.id OR NEW.public_key <> OLD.public_key OR NEW.before_first <> OLD.before_first
  OR NEW.head_sequence <> OLD.head_sequence + 1
BEGIN SELECT RAISE(ABORT, 'a device keeps its key and its head moves record by record'); END;

CREATE TABLE records (
    device BLOB NOT NULL REFERENCES devices (id),
    sequence INTEGER NOT NULL CHECK (sequence >= 1),
    boot INTEGER NOT NULL,
    kind TEXT NOT NULL,
    round BLOB,
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    raw BLOB NOT NULL,
    received_ms INTEGER NOT NULL,
    UNIQUE (device, sequence)
) STRICT;
CREATE INDEX records_by_round ON records (round, device, sequence) WHERE round IS NOT NULL;

CREATE TABLE rounds (
    number INTEGER PRIMARY KEY,
    id BLOB NOT NULL UNIQUE CHECK (length(id) = 16),
    table_name TEXT NOT NULL,
    device BLOB NOT NULL REFERENCES devices (id),
    mode TEXT NOT NULL CHECK (mode IN ('covered', 'open')),
    rulebook TEXT NOT NULL,
    rulebook_digest TEXT NOT NULL,
    layout TEXT NOT NULL,
    limits TEXT,
    decimals INTEGER NOT NULL,
    chip_unit INTEGER NOT NULL CHECK (chip_unit > 0),
    state TEXT NOT NULL CHECK (state IN ({_quoted(STATES)})),
    made_ms INTEGER NOT NULL,
    changed_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX rounds_by_table ON rounds (table_name, number);
CREATE UNIQUE INDEX one_open_round_a_table ON rounds (table_name) WHERE state IN ({_quoted(OPEN_STATES)});
CREATE UNIQUE INDEX one_open_round_a_device ON rounds (device) WHERE state IN ({_quoted(OPEN_STATES)});
CREATE TRIGGER rounds_no_delete BEFORE DELETE ON rounds
BEGIN SELECT RAISE(ABORT, 'rounds are never deleted'); END;
CREATE TRIGGER rounds_keep_identity
BEFORE UPDATE OF number, id, table_name, device, mode, rulebook, rulebook_digest, layout, limits,
                 decimals, chip_unit, made_ms ON rounds
BEGIN SELECT RAISE(ABORT, 'a round keeps its identity'); END;
CREATE TRIGGER rounds_move_forward BEFORE UPDATE OF state ON rounds
WHEN OLD.state IN ({_quoted(FINAL_STATES)})
  OR (OLD.state = 'referred' AND NEW.state NOT IN ({_quoted(FINAL_STATES)}))
  OR (NEW.state IN ({_quoted(OPEN_STATES)}) AND NOT EXISTS (
        SELECT 1 FROM (VALUES ('opening', 'opened'), ('opened', 'betting'), ('betting', 'closing'),
                              ('closing', 'closed')) AS step
        WHERE step.column1 = OLD.state AND step.column2 = NEW.state))
BEGIN SELECT RAISE(ABORT, 'a round only moves forward'); END;
CREATE TRIGGER rounds_end_with_settlement BEFORE UPDATE OF state ON rounds
WHEN NEW.state IN ({_quoted(FINAL_STATES)})
 AND NOT EXISTS (SELECT 1 FROM settlements WHERE round = NEW.id AND verdict = NEW.state)
BEGIN SELECT RAISE(ABORT, 'a round ends with its settlement'); END;

CREATE TABLE wagers (
    number INTEGER PRIMARY KEY,
    round BLOB NOT NULL REFERENCES rounds (id),
    id TEXT NOT NULL,
    player TEXT NOT NULL,
    wager TEXT NOT NULL,
    stake INTEGER NOT NULL CHECK (stake > 0),
    placed_ms INTEGER NOT NULL,
    UNIQUE (round, id)
) STRICT;
CREATE TRIGGER wagers_before_no_more_bets BEFORE INSERT ON wagers
WHEN (SELECT state FROM rounds WHERE id = NEW.round) IS NOT 'betting'
BEGIN SELECT RAISE(ABORT, 'bets are not open'); END;

CREATE TABLE settlements (
    round BLOB PRIMARY KEY REFERENCES rounds (id),
    verdict TEXT NOT NULL CHECK (verdict IN ({_quoted(FINAL_STATES)})),
    faces TEXT,
    fact TEXT NOT NULL,
    action TEXT NOT NULL,
    clause TEXT NOT NULL,
    device BLOB NOT NULL,
    sequence INTEGER,
    made_ms INTEGER NOT NULL,
    FOREIGN KEY (device, sequence) REFERENCES records (device, sequence),
    CHECK ((verdict = 'settled') = (faces IS NOT NULL)),
    CHECK (verdict = 'void' OR sequence IS NOT NULL)
) STRICT, WITHOUT ROWID;

CREATE TABLE referrals (
    round BLOB PRIMARY KEY REFERENCES rounds (id),
    fact TEXT NOT NULL,
    clause TEXT NOT NULL,
    device BLOB NOT NULL,
    sequence INTEGER,
    made_ms INTEGER NOT NULL,
    FOREIGN KEY (device, sequence) REFERENCES records (device, sequence)
) STRICT, WITHOUT ROWID;

-- Why the host ordered a round void: the device only confirms the order, the decision behind it rules.
CREATE TABLE void_orders (
    round BLOB PRIMARY KEY REFERENCES rounds (id),
    fact TEXT NOT NULL,
    decided_by TEXT NOT NULL,
    made_ms INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE outcomes (
    wager INTEGER PRIMARY KEY REFERENCES wagers (number),
    result TEXT NOT NULL CHECK (result IN ('won', 'lost', 'void')),
    odds TEXT NOT NULL,
    payout INTEGER NOT NULL CHECK (payout >= 0),
    returned INTEGER NOT NULL CHECK (returned >= 0),
    reason TEXT NOT NULL,
    clause TEXT NOT NULL,
    CHECK ((result = 'won') = (payout > 0)),
    CHECK ((result = 'lost') = (returned = 0))
) STRICT;

-- Double entry: the postings of a round sum to zero at every commit. A stake is moved from its player to
-- "held" when the wager is registered, and from "held" to players and house when the round ends.
CREATE TABLE postings (
    number INTEGER PRIMARY KEY,
    round BLOB NOT NULL REFERENCES rounds (id),
    cause TEXT NOT NULL CHECK (cause IN ('wager', 'settlement')),
    account TEXT NOT NULL CHECK (account IN ('house', 'held') OR account LIKE 'player:%'),
    amount INTEGER NOT NULL CHECK (amount <> 0),
    made_ms INTEGER NOT NULL
) STRICT;
CREATE INDEX postings_by_round ON postings (round);

CREATE TABLE notices (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    topic TEXT NOT NULL,
    round BLOB,
    body TEXT NOT NULL,
    made_ms INTEGER NOT NULL
) STRICT;
"""

_APPENDED = (
    "records",
    "wagers",
    "settlements",
    "referrals",
    "void_orders",
    "outcomes",
    "postings",
    "notices",
)

MIGRATIONS = (_TABLES + "".join(map(_append_only, _APPENDED)),)
