"""The ledger's walls, the same on SQLite and PostgreSQL: append-only, once each, money that balances."""

import contextlib
import io
import json
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace

import pytest
from ledger_rows import (
    ANN,
    BEN,
    BY_PEOPLE,
    DEVICE,
    LOST,
    NOBODY,
    ROUND,
    SETTLED,
    WON,
    betting,
    enrolled,
    record,
    settled,
)

from host_tools import ledger
from host_tools.ledger import (
    Card,
    Difference,
    Ledger,
    Outcome,
    Referral,
    Shoe,
    StoreRefusal,
    Wager,
    export_records,
    migrating,
    open_ledger,
    postgres,
    sqlite,
)
from host_tools.ledger.schema import MIGRATIONS
from host_tools.ledger.seals import Sealed
from host_tools.ledger.store import Store

VOID = replace(SETTLED, verdict="void", faces=None, fact="not-flat", action="void")
NOW_LOST = Outcome(ANN, "lost", "", 0, 0, "", "4.1")
NOW_WON = Outcome(BEN, "won", "1", 500, 1000, "", "4.1")


def test_what_was_committed_is_there_after_opening_again(where: str) -> None:
    with open_ledger(where) as books:
        settled(books)
    with open_ledger(where) as books:
        assert books.device(DEVICE).head_sequence == 1
        assert books.round(ROUND.id) == replace(ROUND, state="settled", changed_ms=9)
        settlement = books.settlement(ROUND.id)
        assert settlement is not None
        assert replace(settlement, entry=0) == SETTLED
        assert books.outcomes(ROUND.id) == [WON, LOST]
        assert [(each.cause, each.account, each.amount) for each in books.postings(ROUND.id)] == [
            ("wager", "player:Ann", -1000),
            ("wager", "held", 1500),
            ("wager", "player:Ben", -500),
            ("settlement", "held", -1500),
            ("settlement", "player:Ann", 2000),
            ("settlement", "house", -500),
        ]
        assert [json.loads(each.body) for each in books.notices("one")] == [{"verdict": "settled"}]
        assert books.latest_round("one") == books.round(ROUND.id)
        assert books.current_round("one") is None
        books.check()


APPENDED = [
    "records",
    "entries",
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
    "access_log",
]


@pytest.fixture
def full(books: Ledger) -> Ledger:
    """A ledger with rows in every table."""
    settled(books)
    other = replace(ROUND, id=b"2" * 16)
    with books.transaction():
        books.open_round(other)
        books.set_state(other.id, "opened", 10)
        books.set_state(other.id, "betting", 10)
        books.place(other.id, [ANN, BEN], 11)
        books.withdraw(other.id, ["b"], 12)
        books.order_void(ledger.VoidOrder(other.id, "host-void", "Mia", 13))
        books.refer(Referral(other.id, "tilted", "6.1", 1, 14))
        books.load_shoe(Shoe(b"shoe" * 4, "one", 2, 8, "Mia"), 15)
        drawn = replace(ROUND, id=b"drawn...." + bytes(7), table="one", mode="cards")
        books.open_round(drawn)
        for step in STEPS["closed"]:
            books.set_state(drawn.id, step, 15)
        books.enter_cards([Card(b"shoe" * 4, 1, 1, 6, drawn.id, "Ada")], 15)
        books.mark_delivered("displays", "one", 1)
        access(books, "one", 15)
    return books


@pytest.mark.parametrize("table", [*APPENDED, "rounds", "devices", "deliveries"])
def test_nothing_is_ever_deleted(full: Ledger, table: str) -> None:
    with pytest.raises(StoreRefusal), full.transaction():
        full.store.write(f"DELETE FROM {table}")
    (count,) = full.store.rows(f"SELECT count(*) FROM {table}")
    assert count[0] > 0


@pytest.mark.parametrize("table", APPENDED)
def test_nothing_appended_is_ever_changed(full: Ledger, table: str) -> None:
    before = full.store.rows(f"SELECT * FROM {table}")
    for column in columns_of(table):
        with pytest.raises(StoreRefusal, match="append-only"), full.transaction():
            full.store.write(f"UPDATE {table} SET {column} = {column}")
    assert full.store.rows(f"SELECT * FROM {table}") == before


def columns_of(table: str) -> list[str]:
    tables = "".join(migration.tables.replace("{{", "{") for migration in MIGRATIONS)
    body = tables.split(f"CREATE TABLE {table} (")[1].split("\n) {strict}")[0]
    lines = [line.strip().split() for line in body.splitlines() if line.strip()]
    return [line[0] for line in lines if line[0].islower()]


@pytest.mark.parametrize(
    "sql",
    [
        "UPDATE rounds SET state = 'betting'",
        "UPDATE rounds SET state = 'void'",
        "UPDATE rounds SET state = 'referred'",
        "UPDATE rounds SET state = 'held'",
        "UPDATE rounds SET rulebook = 'other'",
        "UPDATE rounds SET chip_unit = 1",
        "UPDATE rounds SET table_name = 'two'",
        "UPDATE devices SET head_sequence = 0",
        "UPDATE devices SET public_key = id",
        "UPDATE devices SET head_sequence = head_sequence + 2",
    ],
)
def test_rounds_and_heads_only_move_forward(books: Ledger, sql: str) -> None:
    settled(books)
    with pytest.raises(StoreRefusal), books.transaction():
        books.store.write(sql)


STEPS = {
    "opening": [],
    "opened": ["opened"],
    "closing": ["opened", "betting", "closing"],
    "closed": ["opened", "betting", "closing", "closed"],
    "held": ["opened", "betting", "closing", "closed", "held"],
}


@pytest.mark.parametrize("state", [*STEPS, "settled", "void", "referred"])
def test_the_database_itself_takes_wagers_only_while_bets_are_open(books: Ledger, state: str) -> None:
    enrolled(books)
    with books.transaction():
        books.add_record(record(1), 1)
        books.open_round(ROUND)
        for step in STEPS.get(state, STEPS["closed"]):
            books.set_state(ROUND.id, step, 2)
        if state == "referred":
            books.refer(Referral(ROUND.id, "tilted", "6.1", 1, 3))
        elif state in ("settled", "void"):
            books.conclude(SETTLED if state == "settled" else VOID, [])
    assert books.round(ROUND.id).state == state
    with pytest.raises(StoreRefusal, match="not open"), books.transaction():
        books.place(ROUND.id, [ANN], 4)
    assert books.wagers(ROUND.id) == []
    books.check()


def test_a_round_makes_each_step_of_its_life(books: Ledger) -> None:
    enrolled(books)
    with books.transaction():
        books.open_round(ROUND)
    for state in ("betting", "closing", "closed", "held"):
        with pytest.raises(StoreRefusal, match="forward"), books.transaction():
            books.set_state(ROUND.id, state, 2)
    for state in STEPS["held"]:
        with books.transaction():
            books.set_state(ROUND.id, state, 2)
        with pytest.raises(StoreRefusal, match="forward"), books.transaction():
            books.set_state(ROUND.id, "opening", 2)
        assert books.current_round("one") == replace(ROUND, state=state, changed_ms=2)


def test_writing_outside_a_transaction_is_refused(books: Ledger) -> None:
    with pytest.raises(ledger.OutOfTransaction):
        books.enrol(DEVICE, b"k" * 32, NOBODY)
    assert books.devices() == []


def test_transactions_do_not_nest(books: Ledger) -> None:
    with pytest.raises(ledger.LedgerError, match="nest"), books.transaction(), books.transaction():
        pass
    betting(books)


def test_a_transaction_that_fails_leaves_nothing(books: Ledger) -> None:
    betting(books)
    with contextlib.suppress(ZeroDivisionError), books.transaction():
        books.conclude(SETTLED, [WON, LOST])
        assert books.settlement(ROUND.id) is not None
        raise ZeroDivisionError
    assert books.settlement(ROUND.id) is None
    assert books.round(ROUND.id).state == "betting"
    books.check()


# --- money ---

WRONG_OUTCOMES = {
    "a wager missing": [WON],
    "a wager twice": [WON, LOST, LOST],
    "a wager nobody placed": [WON, LOST, LOST._replace(wager=Wager("c", "Ann", "big", 1))],
    "another stake": [WON, LOST._replace(wager=BEN._replace(stake=400))],
    "a loser gets his stake": [WON, LOST._replace(returned=500)],
    "a winner is short": [WON._replace(returned=1999), LOST],
    "a payout on a lost wager": [WON, LOST._replace(payout=1)],
    "a win that pays nothing": [WON._replace(payout=0, returned=1000), LOST],
}


@pytest.mark.parametrize("wrong", WRONG_OUTCOMES)
def test_a_settlement_that_does_not_add_up_is_refused(books: Ledger, wrong: str) -> None:
    betting(books)
    with pytest.raises(ledger.LedgerError), books.transaction():
        books.conclude(SETTLED, WRONG_OUTCOMES[wrong])
    assert books.settlement(ROUND.id) is None
    assert len(books.postings(ROUND.id)) == 3
    books.check()


def test_a_round_is_settled_once(books: Ledger) -> None:
    settled(books)
    with pytest.raises(StoreRefusal), books.transaction():
        books.conclude(SETTLED, [WON, LOST])
    with pytest.raises(StoreRefusal), books.transaction():
        books.conclude(VOID, [Outcome(each, "void", "", 0, each.stake, "", "5") for each in (ANN, BEN)])
    with pytest.raises(StoreRefusal), books.transaction():
        books.refer(Referral(ROUND.id, "tilted", "6.1", 1, 3))
    assert len(books.postings(ROUND.id)) == 6


def test_a_settlement_rests_on_a_record_that_is_there(books: Ledger) -> None:
    betting(books)
    for made in (replace(SETTLED, sequence=2), replace(SETTLED, sequence=None)):
        with pytest.raises(StoreRefusal), books.transaction():
            books.conclude(made, [WON, LOST])


def test_a_referred_round_can_be_settled_later_and_only_once(books: Ledger) -> None:
    betting(books)
    with books.transaction():
        books.refer(Referral(ROUND.id, "tilted", "6.1", 1, 3))
    books.check()
    assert [each.id for each in books.referred_rounds("one")] == [ROUND.id]
    with books.transaction():
        books.conclude(replace(SETTLED, sequence=None, **BY_PEOPLE), [WON, LOST])
    assert books.round(ROUND.id).state == "settled"
    assert books.referred_rounds("one") == []
    books.check()


@pytest.mark.parametrize("missing", BY_PEOPLE)
def test_faces_without_a_record_need_two_people_a_reason_and_a_picture(books: Ledger, missing: str) -> None:
    betting(books)
    people = {**BY_PEOPLE, missing: None if missing == "evidence" else ""}
    with pytest.raises(StoreRefusal), books.transaction():
        books.conclude(replace(SETTLED, sequence=None, **people), [WON, LOST])
    alone = {**BY_PEOPLE, "seconded_by": "Mia"}
    with pytest.raises(StoreRefusal), books.transaction():
        books.conclude(replace(SETTLED, sequence=None, **alone), [WON, LOST])


def test_one_open_round_a_table_and_a_device(books: Ledger) -> None:
    betting(books)
    books.hold("two")
    for other in (replace(ROUND, id=b"2" * 16), replace(ROUND, id=b"2" * 16, table="two")):
        with pytest.raises(StoreRefusal), books.transaction():
            books.open_round(other)


def test_a_wager_id_is_taken_once_in_a_round(books: Ledger) -> None:
    betting(books)
    with pytest.raises(StoreRefusal), books.transaction():
        books.place(ROUND.id, [ANN._replace(stake=1)], 5)
    assert books.is_registered(ROUND.id, ANN)
    with pytest.raises(ledger.WagerConflict):
        books.is_registered(ROUND.id, ANN._replace(stake=1))


def test_a_thousand_wagers_keep_their_order(books: Ledger) -> None:
    betting(books)
    many = [Wager(f"id {number}", f"player {number % 7}", "small", 1 + number) for number in range(1000)]
    with books.transaction():
        books.place(ROUND.id, many, 5)
    assert books.wagers(ROUND.id) == [ANN, BEN, *many]
    books.check()


def test_a_withdrawn_wager_gets_its_stake_and_takes_no_part(books: Ledger) -> None:
    betting(books)
    with books.transaction():
        books.withdraw(ROUND.id, ["b"], 5)
    assert (books.wagers(ROUND.id), books.withdrawn(ROUND.id)) == ([ANN], [BEN])
    assert books.is_withdrawn(ROUND.id, "b")
    assert not books.is_withdrawn(ROUND.id, "a")
    assert [(each.cause, each.account, each.amount) for each in books.postings(ROUND.id)][3:] == [
        ("withdrawal", "player:Ben", 500),
        ("withdrawal", "held", -500),
    ]
    books.check()
    for again in ("b", "nobody's"):
        with pytest.raises(ledger.LedgerError, match="is not in round"), books.transaction():
            books.withdraw(ROUND.id, [again], 6)
    with pytest.raises(ledger.LedgerError, match="each of its 1"), books.transaction():
        books.conclude(SETTLED, [WON, LOST])
    with books.transaction():
        books.conclude(SETTLED, [WON])
    books.check()


def test_nothing_is_withdrawn_after_no_more_bets(books: Ledger) -> None:
    betting(books)
    with books.transaction():
        books.set_state(ROUND.id, "closing", 5)
    with pytest.raises(StoreRefusal, match="not open"), books.transaction():
        books.withdraw(ROUND.id, ["b"], 6)
    assert books.wagers(ROUND.id) == [ANN, BEN]


# --- corrections ---


def correction(books: Ledger) -> ledger.Settlement:
    made = books.settlement(ROUND.id)
    assert made is not None
    return replace(
        SETTLED, faces=(6, 6, 5), action="settle-by-dice", clause="5.5", corrects=made.entry, **BY_PEOPLE
    )


def test_a_correction_lists_what_to_collect_and_pay(books: Ledger) -> None:
    settled(books)
    with books.transaction():
        differences = books.correct(correction(books), [NOW_LOST, NOW_WON])
    assert differences == [Difference(WON, NOW_LOST), Difference(LOST, NOW_WON)]
    assert [each.amount for each in differences] == [-2000, 1000]
    assert books.outcomes(ROUND.id) == [NOW_LOST, NOW_WON]
    first, second = books.settlements(ROUND.id)
    assert (first.faces, second.faces, second.corrects) == ((1, 2, 3), (6, 6, 5), first.entry)
    assert books.outcomes(ROUND.id, first.entry) == [WON, LOST]
    assert books.differences(ROUND.id, second.entry) == differences
    balance: dict[str, int] = {}
    for posting in books.postings(ROUND.id):
        balance[posting.account] = balance.get(posting.account, 0) + posting.amount
    assert balance == {"held": 0, "player:Ann": -1000, "player:Ben": 500, "house": 500}
    books.check()


def test_a_settled_round_can_become_void_and_every_stake_goes_back(books: Ledger) -> None:
    settled(books)
    void = replace(correction(books), verdict="void", faces=None, action="void-affected", clause="5.4")
    back = [Outcome(each, "void", "", 0, each.stake, "die-damaged", "5.4") for each in (ANN, BEN)]
    with books.transaction():
        books.correct(void, back)
    assert books.round(ROUND.id).state == "void"
    balance: dict[str, int] = {}
    for posting in books.postings(ROUND.id):
        balance[posting.account] = balance.get(posting.account, 0) + posting.amount
    assert set(balance.values()) == {0}
    books.check()


def test_a_correction_of_a_correction_names_the_latest(books: Ledger) -> None:
    settled(books)
    first = correction(books)
    with books.transaction():
        books.correct(first, [NOW_LOST, NOW_WON])
    with pytest.raises(ledger.LedgerError, match="latest"), books.transaction():
        books.correct(first, [WON, LOST])
    with books.transaction():
        books.correct(correction(books), [WON, LOST])
    assert len(books.settlements(ROUND.id)) == 3
    books.check()


@pytest.mark.parametrize("missing", BY_PEOPLE)
def test_a_correction_needs_two_people_a_reason_and_a_picture(books: Ledger, missing: str) -> None:
    settled(books)
    made = replace(correction(books), **{missing: None if missing == "evidence" else ""})
    with pytest.raises(StoreRefusal), books.transaction():
        books.correct(made, [NOW_LOST, NOW_WON])
    assert books.outcomes(ROUND.id) == [WON, LOST]


def test_an_unsettled_round_has_nothing_to_correct(books: Ledger) -> None:
    betting(books)
    with pytest.raises(ledger.LedgerError, match="latest"), books.transaction():
        books.correct(replace(SETTLED, corrects=1, **BY_PEOPLE), [NOW_LOST, NOW_WON])


# --- records ---


def test_records_come_once_and_without_gaps(books: Ledger) -> None:
    with books.transaction():
        books.enrol(DEVICE, b"k" * 32, NOBODY)
        assert books.add_record(record(1), 1)
        assert not books.add_record(record(1), 2)
    with pytest.raises(ledger.RecordConflict, match="quarantine"), books.transaction():
        books.add_record(record(1, b"other"), 2)
    with pytest.raises(ledger.LedgerError, match="2 is next"), books.transaction():
        books.add_record(record(3), 2)
    with pytest.raises(ledger.DeviceUnknown), books.transaction():
        books.add_record(replace(record(1), device=b"stranger"), 2)
    assert [each.sequence for each in books.records(DEVICE)] == [1]


def test_all_records_are_read_in_order_however_many(books: Ledger) -> None:
    with books.transaction():
        books.enrol(DEVICE, b"k" * 32, NOBODY)
        for sequence in range(1, 1002):
            books.add_record(record(sequence), 1)
    assert [each.sequence for each in books.records(DEVICE)] == list(range(1, 1002))
    assert [each.sequence for each in books.records(DEVICE, after=999)] == [1000, 1001]
    newest = books.newest_record(DEVICE, "reading")
    assert newest is not None
    assert newest.sequence == 1001
    assert books.newest_record(DEVICE, "boot") is None
    books.check()


def test_a_device_keeps_its_key(books: Ledger) -> None:
    for _ in range(2):
        with books.transaction():
            books.enrol(DEVICE, b"k" * 32, NOBODY)
    with pytest.raises(ledger.LedgerError, match="another key"), books.transaction():
        books.enrol(DEVICE, b"x" * 32, NOBODY)


def test_records_are_exported_as_they_were_received(books: Ledger) -> None:
    betting(books)
    with books.transaction():
        books.add_record(record(2), 10)
    out = io.StringIO()
    assert export_records(books, DEVICE, out) == 2
    assert [json.loads(line) for line in out.getvalue().splitlines()] == [
        {"device": DEVICE.hex(), "sequence": each, "record": record(each).raw.hex()} for each in (1, 2)
    ]
    with pytest.raises(ledger.DeviceUnknown):
        export_records(books, b"stranger", out)


def test_the_first_order_to_void_stands(books: Ledger) -> None:
    betting(books)
    for fact in ("host-lost", "host-void"):
        with books.transaction():
            books.order_void(ledger.VoidOrder(ROUND.id, fact, "", 5))
    order = books.void_order(ROUND.id)
    assert order is not None
    assert order.fact == "host-lost"


# --- outbox and readers ---


def test_each_consumer_gets_every_notice_of_a_source_once(books: Ledger) -> None:
    with books.transaction():
        for number in range(3):
            books.notify("one", "round-settled", None, {"number": number}, 1)
            books.notify("two", "round-settled", None, {"number": -number}, 1)
    for consumer in ("displays", "accounts"):
        waiting = books.undelivered(consumer, "one")
        assert [json.loads(each.body)["number"] for each in waiting] == [0, 1, 2]
        with books.transaction():
            books.mark_delivered(consumer, "one", waiting[1].number)
        assert [each.number for each in books.undelivered(consumer, "one")] == [waiting[2].number]
        with books.transaction():  # another process had fewer when it stopped: that changes nothing
            books.mark_delivered(consumer, "one", waiting[0].number)
        assert books.delivered(consumer, "one") == waiting[1].number
        with pytest.raises(StoreRefusal, match="forward"), books.transaction():
            books.store.write("UPDATE deliveries SET number = 0")
    assert len(books.undelivered("displays", "two")) == 3


def test_auditors_read_while_a_table_runs_and_change_nothing(where: str, closing: ExitStack) -> None:
    books = closing.enter_context(open_ledger(where))
    betting(books)
    auditor = closing.enter_context(open_ledger(where, read_only=True))
    assert auditor.wagers(ROUND.id) == [ANN, BEN]
    with auditor.store.snapshot():
        before = auditor.wagers(ROUND.id)
        with books.transaction():
            books.conclude(SETTLED, [WON, LOST])
        assert (auditor.wagers(ROUND.id), auditor.settlement(ROUND.id)) == (before, None)
    assert auditor.outcomes(ROUND.id) == [WON, LOST]
    auditor.check()
    with pytest.raises(ledger.LedgerUnavailable), auditor.transaction():
        auditor.enrol(b"tumbler2", b"x" * 32, NOBODY)
    assert len(books.devices()) == 1


def test_others_read_only_what_is_committed(where: str) -> None:
    def seen(books: Ledger) -> Iterator[int]:
        yield len(books.wagers(ROUND.id))

    with open_ledger(where) as books:
        betting(books)
        with open_ledger(where, read_only=True) as auditor, books.transaction():
            books.place(ROUND.id, [Wager("c", "Ann", "big", 1)], 5)
            assert [*seen(books), *seen(auditor)] == [3, 2]


# --- the access log ---


def access(books: Ledger, log: str, now_ms: int) -> ledger.Access:
    return books.log_access(
        log,
        who="Mia",
        origin="10.0.0.7",
        action="void",
        before="{}",
        after='"void"',
        now_ms=now_ms,
    )


def test_an_access_log_tells_who_did_what_and_seals_it(books: Ledger) -> None:
    with books.transaction():
        made = [access(books, "one", number) for number in range(3)]
        other = access(books, "house", 4)
    assert books.accesses("one") == made
    assert books.accesses("one", after=2) == made[2:]
    assert (books.newest_access("one"), books.newest_access("house")) == (made[2], other)
    assert books.access_logs() == ["house", "one"]
    assert len({each.digest for each in [*made, other]}) == 4
    books.check()


@pytest.mark.parametrize("missing", ["who", "action"])
def test_an_access_by_nobody_or_of_nothing_is_refused(books: Ledger, missing: str) -> None:
    told = {"who": "Mia", "origin": "", "action": "void", "before": "", "after": "", missing: ""}
    with pytest.raises(StoreRefusal), books.transaction():
        books.log_access("one", **told, now_ms=1)


def insert_unsealed(store: Store, sealed: Sealed, row: Mapping[str, object]) -> None:
    store.insert(sealed.table, row)


def test_a_ledger_from_before_cards_takes_them_once_it_is_opened(
    where: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two walls of the first migration are moved for cards, and what was sealed stays so."""
    for store in (migrating, sqlite, postgres):
        monkeypatch.setattr(store, "MIGRATIONS", MIGRATIONS[:4])
    for chapter in ("records", "outbox"):  # which had no seals then
        monkeypatch.setattr(f"host_tools.ledger.{chapter}.insert_sealed", insert_unsealed)
    with open_ledger(where) as books:
        settled(books)
        before = books.entries("one")
    monkeypatch.undo()
    with open_ledger(where) as books:
        books.hold("one")
        assert books.entries("one") == before
        with books.transaction():
            books.load_shoe(Shoe(b"shoe" * 4, "one", 2, 8, "Mia"), 15)
            books.enter("one", ROUND.id, "card", 16, {})
        with pytest.raises(StoreRefusal), books.transaction():
            books.enter("one", ROUND.id, "gift", 16, {})
        books.check()


@pytest.mark.parametrize("decided_by", ["", "Ada"])
def test_a_result_rests_on_a_record_on_three_cards_or_on_two_people(books: Ledger, decided_by: str) -> None:
    betting(books)
    with books.transaction():
        books.refer(Referral(ROUND.id, "tilted", "6.1", None, 17))
    made = replace(SETTLED, sequence=None, decided_by=decided_by)
    with pytest.raises(StoreRefusal), books.transaction():
        books.conclude(made, [WON, LOST])
    assert books.settlement(ROUND.id) is None


@pytest.mark.parametrize("count", [1, 61, 62, 63, 126, 127, 200])  # with the two wagers that are in already
def test_rounds_of_any_size_are_settled_wager_by_wager_in_the_order_they_were_placed(
    books: Ledger, count: int
) -> None:
    betting(books)
    more = [Wager(f"id {number}", f"player {number % 7}", "small", 100 + number) for number in range(count)]
    with books.transaction():
        books.place(ROUND.id, more, 5)
    placed = [ANN, BEN, *more]
    assert books.wagers(ROUND.id) == placed
    outcomes = [Outcome(each, "won", "1", each.stake, 2 * each.stake, "", "4.1") for each in placed]
    for wrong in (outcomes[:-1], [*outcomes[:-1], outcomes[0]], [*outcomes, outcomes[0]]):
        with pytest.raises(ledger.LedgerError, match="each of its"), books.transaction():
            books.conclude(SETTLED, wrong)
    with books.transaction():
        books.conclude(SETTLED, outcomes[::-1])  # in any order
    assert books.outcomes(ROUND.id) == outcomes
    books.check()


def test_one_row_of_many_that_the_ledger_refuses_leaves_none_of_them(books: Ledger) -> None:
    betting(books)
    taken = [Wager(f"id {number}", "Ann", "small", 100) for number in range(100)]
    for place in (0, 63, 64, 99):
        with pytest.raises(StoreRefusal), books.transaction():
            books.place(ROUND.id, [*taken[:place], ANN, *taken[place + 1 :]], 5)
        assert books.wagers(ROUND.id) == [ANN, BEN]
    books.check()
