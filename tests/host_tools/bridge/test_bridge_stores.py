"""The bridge over a store that goes away: nothing acknowledged that is not kept, and on it goes by itself."""

import asyncio
import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from bridge_rig import House, Tumbler, before_each_statement

from host_tools import ledger
from host_tools.bridge.events import Event, StoreBack, StoreLost
from host_tools.bridge.table import Table, Wager
from host_tools.testing.postgres_server import PostgresServer

BATCH = [Wager("a", "Ann", "small", "10"), Wager("b", "Ben", "big", "20")]


async def bet(table: Table) -> None:
    assert table.round is not None
    assert all(answer.registered for answer in await table.place(table.round, BATCH))


@pytest.fixture
def own_server() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        yield server


async def test_rounds_are_played_over_postgresql(postgres: PostgresServer) -> None:
    url = postgres.new_database()
    tumbler = Tumbler()
    for mode in ("covered", "open"):
        house = House(url, tumbler, mode)
        async with house.running() as table:
            outcome = await table.play_round(bet)
            assert (outcome.verdict, outcome.faces) == ("settled", (1, 2, 4))
            house.ledger.check()
            assert [each.raw for each in house.ledger.records(tumbler.id)] == tumbler.journal


async def test_a_second_bridge_on_the_same_table_is_refused(postgres: PostgresServer, tmp_path: Path) -> None:
    for where in (postgres.new_database(), str(tmp_path / "ledger.db")):
        tumbler = Tumbler()
        house = House(where, tumbler, "open")
        with pytest.raises(ledger.LedgerInUse):
            House(where, tumbler, "open")
        async with house.running() as table:
            assert (await table.play_round(bet)).verdict == "settled"


async def test_a_database_restarted_in_the_middle_of_rounds_is_survived(own_server: PostgresServer) -> None:
    house = House(own_server.new_database(), Tumbler(), "open")
    events: list[Event] = []
    house.sink.listen(house.tumbler.id, events.append)
    async with house.running() as table:
        round_id = await table.open_round()
        await bet(table)
        await table.no_more_bets()
        own_server.stop()
        with pytest.raises(ledger.LedgerUnavailable):
            await table.place(round_id, BATCH)
        house.tumbler.obey("tumble", {"round": round_id})
        finishing = asyncio.ensure_future(house.session.deliver())
        for _ in range(50):
            await asyncio.sleep(0.01)
        assert any(isinstance(each, StoreLost) for each in events)
        assert not finishing.done()
        own_server.start()
        await finishing
        assert isinstance(events[-1], StoreBack)
        outcome = await table.result()
        assert (outcome.round, outcome.verdict) == (round_id, "settled")
        assert all(answer.registered for answer in await table.place(round_id, BATCH))
        house.ledger.check()
        assert [each.raw for each in house.ledger.records(house.tumbler.id)] == house.tumbler.journal
        assert len(house.ledger.outcomes(round_id)) == 2


@pytest.mark.parametrize("statement", range(1, 40, 3))
async def test_a_disk_that_is_full_for_a_while_loses_and_doubles_nothing(
    tmp_path: Path, statement: int
) -> None:
    """From a statement on nothing can be written; after some tries there is room again."""
    house = House(tmp_path / "ledger.db", Tumbler(), "open")
    count = [0]

    def full_for_a_while(sql: str) -> None:
        count[0] += 1
        if statement <= count[0] < statement + 12 and sql != "ROLLBACK":
            raise ledger.LedgerUnavailable("database or disk is full")

    async with house.running() as table:
        await table.open_round()
        before_each_statement(house.ledger.store, full_for_a_while)
        while True:
            try:
                await bet(table)
                break
            except ledger.LedgerUnavailable:
                continue
        while house.ledger.round(house.ledger.latest_rounds("table 1", 1)[0].id).state == "betting":
            try:
                await table.no_more_bets()
            except ledger.LedgerUnavailable:
                continue
        outcome = None
        while outcome is None:
            with contextlib.suppress(ledger.LedgerUnavailable):
                outcome = await table.finish_round()
        assert outcome.verdict == "settled"
        assert [each.id for each in outcome.wagers] == ["a", "b"]
        assert count[0] > statement
        house.ledger.check()
        assert [each.raw for each in house.ledger.records(house.tumbler.id)] == house.tumbler.journal
