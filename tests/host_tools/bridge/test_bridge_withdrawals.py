"""Wagers taken back before no more bets, all or none, once, and never afterwards."""

from pathlib import Path

import pytest
from bridge_rig import House, Tumbler

from host_tools.bridge.events import Event, WagersWithdrawn
from host_tools.bridge.table import Table, Wager

BATCH = [Wager("a", "Ann", "small", "10"), Wager("b", "Ben", "big", "20"), Wager("c", "Ann", "single:4", "5")]


@pytest.fixture(params=["covered", "open"])
def house(request: pytest.FixtureRequest, tmp_path: Path) -> House:
    return House(tmp_path / "ledger.db", Tumbler(), request.param)


async def betting(table: Table) -> bytes:
    round_id = await table.open_round()
    if table.config.terms.rulebook.play_mode == "covered":
        await table.tumble()
    await table.bets_open()
    assert all(answer.registered for answer in await table.place(round_id, BATCH))
    return round_id


async def test_a_withdrawn_wager_has_its_stake_back_and_takes_no_part(house: House) -> None:
    events: list[Event] = []
    house.sink.listen(house.tumbler.id, events.append)
    seen = house.table.events()
    async with house.running() as table:
        round_id = await betting(table)
        for _ in range(2):  # asked again, the same answer
            answers = await table.withdraw(round_id, ["b", "a"])
            assert [(each.id, each.withdrawn) for each in answers] == [("b", True), ("a", True)]
        async for event in seen:
            if isinstance(event, WagersWithdrawn):
                assert event == WagersWithdrawn(round_id, 2, "30.00")
                break
        await table.no_more_bets()
        outcome = await table.finish_round()
        assert [each.id for each in outcome.wagers] == ["c"]
        assert {each.id for each in house.ledger.withdrawn(round_id)} == {"a", "b"}
        balance: dict[str, int] = {}
        for posting in house.ledger.postings(round_id):
            balance[posting.account] = balance.get(posting.account, 0) + posting.amount
        assert balance == {"player:Ann": 500, "player:Ben": 0, "held": 0, "house": -500}
        answers = await table.withdraw(round_id, ["a"])
        assert answers[0].withdrawn
        house.ledger.check()


async def test_a_withdrawn_id_is_not_taken_again(house: House) -> None:
    async with house.running() as table:
        round_id = await betting(table)
        await table.withdraw(round_id, ["a"])
        answers = await table.place(round_id, BATCH[:1])
        assert (answers[0].registered, answers[0].reason) == (
            False,
            "it was withdrawn; use a new id for a new wager",
        )
        assert (await table.place(round_id, [Wager("a2", "Ann", "small", "10")]))[0].registered
        assert [each.id for each in house.ledger.wagers(round_id)] == ["b", "c", "a2"]


@pytest.mark.parametrize("bad", ["nobody's", "", "x" * 200, "\x00"])
async def test_one_bad_id_keeps_the_whole_batch(house: House, bad: str) -> None:
    async with house.running() as table:
        round_id = await betting(table)
        answers = await table.withdraw(round_id, ["a", bad])
        assert [each.withdrawn for each in answers] == [False, False]
        assert answers[0].reason == "another wager of the batch cannot be withdrawn"
        assert "no such wager" in answers[1].reason
        assert len(house.ledger.wagers(round_id)) == 3


async def test_the_same_id_twice_is_withdrawn_once(house: House) -> None:
    async with house.running() as table:
        round_id = await betting(table)
        answers = await table.withdraw(round_id, ["a", "a"])
        assert [each.withdrawn for each in answers] == [True, True]
        held = sum(each.amount for each in house.ledger.postings(round_id) if each.account == "held")
        assert held == 2500


async def test_nothing_is_withdrawn_after_no_more_bets(house: House) -> None:
    async with house.running() as table:
        round_id = await betting(table)
        clause = table.config.terms.rulebook.closing.withdrawn_clause
        await table.no_more_bets()
        for _ in range(2):  # while the round goes on, and after it
            answers = await table.withdraw(round_id, ["a"])
            assert not answers[0].withdrawn
            assert answers[0].reason == f"no more bets: no wager is withdrawn (clause {clause})"
            await table.finish_round()
        assert not (await table.withdraw(b"?" * 16, ["a"]))[0].withdrawn
