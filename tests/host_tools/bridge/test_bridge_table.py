"""Rounds at a table, end to end: real signed records, real ledger, real rulebooks."""

from decimal import Decimal
from pathlib import Path

import pytest
from bridge_rig import STROKES, House, Tumbler

from host_tools.bridge.errors import DeviceRefusal, LimitsMissing, RoundEnded, WrongStep
from host_tools.bridge.events import (
    AtRest,
    BetsClosed,
    BetsOpen,
    DeviceConnected,
    FaultCleared,
    RecordCommitted,
    ResultRead,
    RoundOpened,
    RoundSettled,
    StrokeCounted,
    WagersPlaced,
)
from host_tools.bridge.table import Table, TableConfig, Wager
from host_tools.rulebooks import TERMINAL_FACTS, load_rulebook
from host_tools.settlement import open_table
from tumbler.definitions import FACTS

BATCH = [
    Wager("a", "Ann", "small", "10"),
    Wager("b", "Ben", "big", "20"),
    Wager("c", "Ann", "single:4", "5.00"),
]


async def bet(table: Table, batch: list[Wager] | None = None) -> None:
    assert table.round is not None
    answers = await table.place(table.round, batch or BATCH)
    assert all(answer.registered for answer in answers), answers


@pytest.fixture(params=["covered", "open"])
def mode(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture
def house(tmp_path: Path, mode: str) -> House:
    return House(tmp_path / "ledger.db", Tumbler(), mode)


async def test_a_round_pays_by_the_dice_in_both_play_modes(house: House) -> None:
    async with house.running() as table:
        outcome = await table.play_round(bet)
        assert (outcome.verdict, outcome.faces) == ("settled", (1, 2, 4))
        paid = {each.id: (each.result, each.payout, each.returned) for each in outcome.wagers}
        assert paid == {
            "a": ("won", "10.00", "20.00"),
            "b": ("lost", "0.00", "0.00"),
            "c": ("won", "5.00", "10.00"),
        }
        record = house.ledger.record(house.tumbler.id, outcome.sequence)
        assert record is not None
        assert record.kind == "reading"
        balance = {posting.account: 0 for posting in house.ledger.postings(outcome.round)}
        for posting in house.ledger.postings(outcome.round):
            balance[posting.account] += posting.amount
        assert balance == {"held": 0, "house": 500, "player:Ann": 1500, "player:Ben": -2000}


async def test_commands_come_in_the_order_of_the_play_mode(house: House, mode: str) -> None:
    async with house.running() as table:
        await table.play_round(bet)
    expected = {
        "covered": ["open-round", "tumble", "no-more-bets"],
        "open": ["open-round", "no-more-bets", "tumble"],
    }
    assert house.session.commands == expected[mode]


async def test_displays_see_the_round_in_order(house: House, mode: str) -> None:
    events = house.table.events()
    async with house.running() as table:
        await table.play_round(bet)
        seen = []
        async for event in events:
            seen.append(type(event))
            if isinstance(event, RoundSettled):
                break
    steps = [kind for kind in seen if kind not in (RecordCommitted, StrokeCounted, AtRest)]
    assert steps == [
        DeviceConnected,
        RoundOpened,
        BetsOpen,
        WagersPlaced,
        BetsClosed,
        ResultRead,
        RoundSettled,
    ]


@pytest.mark.parametrize(("fact", "verdict"), [("not-flat", "void"), ("die-missing", "referred")])
async def test_a_round_without_result_ends_as_its_rulebook_says(
    house: House, fact: str, verdict: str
) -> None:
    house.tumbler.refusal = fact
    async with house.running() as table:
        outcome = await table.play_round(bet)
        ruling = table.config.terms.rulebook.ruling(fact)
        assert (outcome.verdict, outcome.fact, outcome.clause) == (verdict, fact, ruling.clause)
        held = sum(each.amount for each in house.ledger.postings(outcome.round) if each.account == "held")
        if verdict == "void":
            assert [each.returned for each in outcome.wagers] == ["10.00", "20.00", "5.00"]
            assert held == 0
        else:
            assert outcome.wagers == ()
            assert held == 3500
        house.ledger.check()


async def test_wagers_are_only_taken_while_bets_are_open(house: House, mode: str) -> None:
    async with house.running() as table:
        round_id = await table.open_round()
        if mode == "covered":
            answers = await table.place(round_id, BATCH)
            assert [answer.reason for answer in answers] == ["bets are not open yet"] * 3
            await table.tumble()
        await table.bets_open()
        await bet(table)
        await table.no_more_bets()
        late = await table.place(round_id, [Wager("late", "Ann", "small", "10")])
        clause = table.config.terms.rulebook.closing.late_clause
        assert (late[0].registered, late[0].reason) == (False, f"no more bets (clause {clause})")
        await table.finish_round()
        late = await table.place(round_id, [Wager("later", "Ann", "small", "10")])
        assert not late[0].registered
        assert len(house.ledger.wagers(round_id)) == 3


async def test_asking_again_gives_the_same_answer_even_after_the_round(house: House) -> None:
    async with house.running() as table:
        outcome = await table.play_round(bet)
        again = await table.place(outcome.round, BATCH)
        assert all(answer.registered for answer in again)
        assert len(house.ledger.wagers(outcome.round)) == 3
        other = await table.place(outcome.round, [Wager("a", "Ann", "small", "11")])
        assert not other[0].registered
        assert "taken" in other[0].reason


@pytest.mark.parametrize(
    ("wager", "reason"),
    [
        (Wager("x", "Ann", "no-such", "10"), "unknown kind"),
        (Wager("x", "Ann", "small", "0"), "least stake"),
        (Wager("x", "Ann", "small", "1.50"), "chip unit"),
        (Wager("x", "Ann", "small", "1.005"), "decimals"),
        (Wager("x", "Ann", "small", "-1"), "no amount"),
        (Wager("x", "Ann", "small", "1e3"), "no amount"),
        (Wager("", "Ann", "small", "10"), "malformed id"),
        (Wager("x", "", "small", "10"), "malformed id"),
        (Wager("x\n", "Ann", "small", "10"), "malformed id"),
        (Wager("\ud800", "Ann", "small", "10"), "malformed id"),
        (Wager("a", "Ann", "big", "10"), "twice"),
    ],
)
async def test_one_bad_wager_refuses_the_whole_batch(house: House, wager: Wager, reason: str) -> None:
    async with house.running() as table:
        round_id = await table.open_round()
        if table.config.terms.rulebook.play_mode == "covered":
            await table.tumble()
        await table.bets_open()
        answers = await table.place(round_id, [*BATCH, wager])
        assert not any(answer.registered for answer in answers)
        assert reason in answers[-1].reason
        assert answers[1].reason == "another wager of the batch was refused"
        assert house.ledger.wagers(round_id) == []
        assert house.ledger.postings(round_id) == []


async def test_a_wager_of_an_unknown_round_is_refused(house: House) -> None:
    async with house.running() as table:
        answers = await table.place(b"?" * 16, BATCH)
        assert not any(answer.registered for answer in answers)


async def test_steps_out_of_order_change_nothing(house: House, mode: str) -> None:
    async with house.running() as table:
        for step in (table.tumble, table.no_more_bets, table.result, table.void_round, table.bets_open):
            with pytest.raises(WrongStep):
                await step()
        await table.open_round()
        with pytest.raises(WrongStep):
            await table.open_round()
        with pytest.raises(WrongStep):
            await (table.no_more_bets() if mode == "covered" else table.tumble())
        assert house.session.commands == ["open-round"]


async def test_a_faulted_device_opens_no_round_until_the_fault_is_cleared(house: House) -> None:
    house.tumbler.faults.append("dome-open")
    house.tumbler.record("fault", fact=FACTS["dome-open"])
    async with house.running() as table:
        with pytest.raises(DeviceRefusal, match="faulted"):
            await table.open_round()
        assert table.round is None
        outcome = await table.result()
        assert (outcome.verdict, outcome.fact, outcome.wagers) == ("void", "never-opened", ())
        events = table.events()
        await table.clear_fault("dome-open")
        async for event in events:
            if event == FaultCleared("dome-open", ""):
                break
        assert (await table.play_round(bet)).verdict == "settled"


@pytest.mark.parametrize(("decided_by", "verdict"), [("", "referred"), ("shift manager", "void")])
async def test_a_void_ordered_by_people_needs_a_name(house: House, decided_by: str, verdict: str) -> None:
    async with house.running() as table:
        await table.open_round()
        outcome = await table.void_round(decided_by=decided_by)
        assert (outcome.verdict, outcome.fact) == (verdict, "host-void")


@pytest.mark.parametrize("fact", TERMINAL_FACTS)
async def test_a_lost_terminal_voids_no_round(house: House, fact: str) -> None:
    async with house.running() as table:
        await table.open_round()
        with pytest.raises(WrongStep, match="one terminal"):
            await table.void_round(fact, "shift manager")
        assert table.round is not None


def test_a_rulebook_with_stake_limits_needs_one_of_them() -> None:
    rulebook = load_rulebook("duisburg-sic-bo-2019")
    with pytest.raises(LimitsMissing, match="eur-1, eur-2, eur-5, eur-10"):
        TableConfig("table-1", bytes(8), open_table(rulebook, "big-from-11"))
    TableConfig("table-1", bytes(8), open_table(rulebook, "big-from-11", limits="eur-5"))


async def test_a_device_that_voids_while_bets_are_open_ends_the_round(house: House) -> None:
    async def interrupted(table: Table) -> None:
        await bet(table)
        house.tumbler.restart()

    async with house.running() as table:
        outcome = await table.play_round(interrupted)
        assert (outcome.verdict, outcome.fact) == ("void", "power-interruption")
        assert sum(Decimal(each.returned) for each in outcome.wagers) == 35
        with pytest.raises(RoundEnded):
            await table.no_more_bets()


async def test_a_round_that_the_device_ends_just_as_bets_close_is_told_as_ended(
    house: House, mode: str
) -> None:
    async with house.running() as table:
        await table.open_round()
        if mode == "covered":
            await table.tumble()
        await table.bets_open()
        durably = house.ledger.durably

        async def after_the_void(work):
            house.ledger.durably = durably
            house.tumbler.void("host-lost")
            await house.session.deliver()
            return await durably(work)

        house.ledger.durably = after_the_void
        with pytest.raises(RoundEnded):
            await table.no_more_bets()
        outcome = await table.result()
        assert (outcome.verdict, outcome.fact) == ("void", "host-lost")


async def test_closing_waits_for_the_dice_to_rest(tmp_path: Path) -> None:
    house = House(tmp_path / "ledger.db", Tumbler(), "covered")
    tries = 0

    def settling(name: str) -> None:
        nonlocal tries
        if name == "no-more-bets":
            tries += 1
            house.tumbler.state = "settling" if tries < 3 else "concealed"

    house.session.before_command = settling
    async with house.running() as table:
        assert (await table.play_round(bet)).verdict == "settled"
    assert tries == 3


async def test_fewer_strokes_than_the_rules_want_are_void_whatever_the_device_says(tmp_path: Path) -> None:
    tumbler = Tumbler()
    house = House(tmp_path / "ledger.db", tumbler, "covered")
    async with house.running() as table:
        round_id = await table.open_round()
        tumbler.record("tumble", round=round_id, strokes=STROKES[:2])
        outcome = await table.result()
        assert (outcome.verdict, outcome.fact, outcome.clause) == ("void", "too-few-tumbles", "5.1")
