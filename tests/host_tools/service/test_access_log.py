"""Who did what: an entry in the very transaction of each change, whenever the process ends."""

import json
from collections import Counter
from collections.abc import Iterator

from host_tools.bridge.wagering import Wager
from host_tools.ledger import Ledger
from host_tools.ledger.access import PEOPLE
from host_tools.people import Role
from host_tools.service.actions import CORRECTION, RESOLUTION
from host_tools.service.deciding import Case
from tests.host_tools.bridge.bridge_rig import before_each_statement
from tests.host_tools.service.service_rig import COVERED, PASSWORD, House, house, left_by_a_crash

SMALL, BIG, ODD = (Wager(each, "Mei", each, "10") for each in ("small", "big", "odd"))
CAUSES = {
    "opening": "open-round",
    "wager": "place-wagers",
    "withdrawal": "withdraw-wagers",
}
PROVED = {
    *CAUSES.values(),
    *("order-void", "refer", "end-ordered"),
    *("no-more-bets", "void-referred", "settle-referred", "correct", "void-affected"),
    *("add-account", "close-account", "set-password"),
}
Change = tuple[str, str]  # an action, and the round or the account it was done to


def changed(books: Ledger, first_secrets: dict[str, str]) -> Iterator[Change]:
    """What people and programs have changed, as the ledger's other tables prove it."""
    for entry in books.entries(COVERED, limit=10_000):
        if entry.cause in CAUSES:
            yield CAUSES[entry.cause], entry.round.hex()
        if order := books.void_order(entry.round) if entry.cause == "void-order" else None:
            yield "order-void" if order.decided_by else "refer", entry.round.hex()
    for round_ in books.latest_rounds(COVERED, 1000):
        yield from decided(books, round_.id)
        if books.void_order(round_.id) and not round_.is_open:
            yield "end-ordered", round_.id.hex()
        bets_closed = {each.kind for each in books.records_of_round(round_.id)} & {"no-more-bets"}
        if round_.state == "closing" or bets_closed:
            yield "no-more-bets", round_.id.hex()
    for name, closed, secret in books.store.rows("SELECT name, closed, secret FROM accounts"):
        yield "add-account", name
        if closed:
            yield "close-account", name
        if first_secrets.setdefault(name, secret) != secret:
            yield "set-password", name


def decided(books: Ledger, round_id: bytes) -> Iterator[Change]:
    for made in books.settlements(round_id):
        if made.corrects:
            yield "correct" if made.faces else "void-affected", round_id.hex()
        elif books.referral(round_id):
            yield "settle-referred" if made.faces else "void-referred", round_id.hex()


def logged(books: Ledger) -> Iterator[Change]:
    """What the access logs say of the same."""
    for log in (COVERED, PEOPLE):
        for entry in books.accesses(log, limit=10_000):
            told = json.loads(entry.after)
            if entry.action in PROVED:
                yield entry.action, told.get("round") or told["name"]


def unasked(books: Ledger) -> list[bytes]:
    """Records of what the tumbler did without that anybody is noted to have asked for it."""
    asked = Counter(each.action for each in books.accesses(COVERED, limit=10_000))
    device = books.devices()[0].id
    return [
        record.raw
        for action, kind in (("tumble", "tumble"), ("clear-fault", "fault-cleared"))
        for number, record in enumerate(each for each in books.records(device) if each.kind == kind)
        if number >= asked[action]
    ]


async def a_long_shift(at: House) -> None:
    """Everything that people and programs can change, once at least."""
    accounts = at.service.accounts
    manager, auditing = at.person(Role.SHIFT_MANAGER), at.auditing(Role.SHIFT_MANAGER)
    secret = accounts.set_up_secret()
    assert secret
    await accounts.set_up(secret, "shift-manager", PASSWORD, manager.origin)
    await auditing.add_person("Mia", Role.DEALER, PASSWORD)
    await auditing.add_program("server", Role.TABLE_SERVER)
    await auditing.set_password("Mia", "another " + PASSWORD)
    await auditing.close_account("Mia", program=False)
    await a_round_is_corrected(at)
    await a_round_is_void(at)
    await a_round_is_referred(at)
    await referred_rounds_are_decided(at)
    await a_fault_is_cleared(at)


async def a_round_is_corrected(at: House) -> None:
    round_id = await at.betting()
    await at.playing().place(COVERED, round_id, [SMALL, BIG])
    await at.playing().place(COVERED, round_id, [ODD])
    await at.playing().place(COVERED, round_id, [ODD])  # asked again: nothing new
    await at.playing().withdraw(COVERED, round_id, ["odd"])
    await at.ended(COVERED, round_id)
    await two_people(at, CORRECTION, round_id, (4, 5, 6))
    case = Case(None, "a crack in the white one")
    proposal = await at.deciding(Role.SUPERVISOR).propose_affected(COVERED, [round_id], case)
    await at.deciding(Role.SHIFT_MANAGER).confirm(proposal.id)


async def a_round_is_void(at: House) -> None:
    round_id = await at.betting()
    await at.deciding(Role.SHIFT_MANAGER).void(COVERED, round_id, "host-void", "spilt drink")


async def a_round_is_referred(at: House) -> None:
    round_id = await at.betting()
    await at.deciding(Role.DEALER).refer(COVERED, round_id, "tilted", "somebody leant on it")
    await at.deciding(Role.SHIFT_MANAGER).void_referred(COVERED, round_id, "nobody saw the dice")


async def referred_rounds_are_decided(at: House) -> None:
    for deed in ("void", RESOLUTION):
        at.tumblers[COVERED].tumbler.refusal = "unreadable"
        round_id = await at.betting()
        await at.playing().place(COVERED, round_id, [SMALL])
        await at.ended(COVERED, round_id)
        at.tumblers[COVERED].tumbler.refusal = ""
        if deed == "void":
            await at.deciding(Role.SHIFT_MANAGER).void_referred(COVERED, round_id, "steamed up")
        else:
            await two_people(at, deed, round_id, (1, 2, 3))


async def two_people(at: House, deed: str, round_id: str, faces: tuple[int, int, int]) -> None:
    case = Case(faces, "as the dice lie")
    role = Role.SHIFT_MANAGER if deed == RESOLUTION else Role.SUPERVISOR
    proposal = await at.deciding(role, "Ada").propose(deed, COVERED, round_id, case)
    await at.deciding(Role.SHIFT_MANAGER).confirm(proposal.id)


async def a_fault_is_cleared(at: House) -> None:
    tumbler = at.tumblers[COVERED].tumbler
    tumbler.faults = ["tilted"]
    await at.step(COVERED, "clear-fault")
    await at.deciding(Role.TECHNICIAN).clear_fault(COVERED, "tilted")


async def test_a_crash_before_any_statement_leaves_no_change_without_its_author(tmp_path, where):
    seen: list[Counter[Change]] = []
    wrong: list[object] = []
    secrets: dict[str, str] = {}

    def look(sql: str) -> None:
        with left() as books:
            changes = Counter(changed(books, secrets))
            seen.append(changes)
            if changes != Counter(logged(books)) or unasked(books):
                wrong.append((sql, changes - Counter(logged(books)), Counter(logged(books)) - changes))

    async with house(tmp_path, ledger=where) as at:
        left = left_by_a_crash(tmp_path, where)
        before_each_statement(at.service.books.store, look)
        await a_long_shift(at)
        look("the end")
    assert wrong == []
    assert {action for action, _ in seen[-1]} == PROVED
    assert len(seen) > 300


async def test_a_start_that_configures_a_table_otherwise_is_noted_once(tmp_path):
    for betting_s, noted in ((30, 1), (30, 1), (20, 2), (20, 2)):
        async with house(tmp_path, {COVERED: {"betting_s": betting_s}}) as at:
            log = [each for each in at.service.books.accesses(COVERED) if each.action == "configure"]
            assert len(log) == noted
            assert json.loads(log[-1].after)["betting_s"] == betting_s
    assert json.loads(log[-1].before)["betting_s"] == 30


async def test_the_service_itself_is_named_for_what_it_does_when_the_time_has_come(tmp_path):
    automatic = {"rounds": "automatic", "betting_s": 0.05, "between_s": 0.05}
    async with house(tmp_path, {COVERED: automatic}) as at:
        await at.until(lambda: len(at.service.books.latest_rounds(COVERED, 5)) >= 2)
        log = [(each.who, each.action) for each in at.service.books.accesses(COVERED)]
    assert log[1:4] == [("service", "open-round"), ("service", "tumble"), ("service", "no-more-bets")]


async def test_the_log_says_what_an_ordered_end_made_of_the_round(tmp_path):
    async with house(tmp_path) as at:
        void = await at.betting()
        await at.deciding(Role.SHIFT_MANAGER).void(COVERED, void, "host-void", "spilt drink")
        referred = await at.betting()
        await at.deciding(Role.DEALER).refer(COVERED, referred, "tilted", "somebody leant on it")
        log = at.service.books.accesses(COVERED)
        told = [
            (each.who, each.action, json.loads(each.before).get("state"), json.loads(each.after)["state"])
            for each in log
            if each.action in ("order-void", "refer", "end-ordered")
        ]
        assert told == [
            ("shift-manager", "order-void", "betting", "betting"),  # noted before the tumbler is told
            ("bridge", "end-ordered", "betting", "void"),
            ("dealer", "refer", "betting", "betting"),
            ("bridge", "end-ordered", "betting", "referred"),
        ]
        ended = [json.loads(each.after) for each in log if each.action == "end-ordered"]
        assert [(each["round"], each["fact"], each["decided_by"]) for each in ended] == [
            (void, "host-void", "shift-manager"),
            (referred, "tilted", ""),
        ]
