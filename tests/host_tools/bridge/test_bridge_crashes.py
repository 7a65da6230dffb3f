"""The bridge killed before every SQL statement of a round: nothing lost, nothing doubled, money balances."""

import asyncio
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from bridge_rig import House, Tumbler, before_each_statement

from host_tools.bridge.events import RoundOutcome
from host_tools.bridge.table import Table, Wager

BATCHES = (
    [Wager("a", "Ann", "small", "10"), Wager("b", "Ben", "big", "20")],
    [Wager("c", "Ann", "single:4", "5")],
)


class Killed(BaseException):
    """The end of the process: nothing of it runs on."""


@dataclass
class Day:
    """What a table server remembers over the bridge's death."""

    promised: list[tuple[bytes, Wager]] = field(default_factory=list)
    tried: list[tuple[bytes, Wager]] = field(default_factory=list)

    async def bet(self, table: Table) -> None:
        assert table.round is not None
        for batch in BATCHES:
            self.tried += [(table.round, wager) for wager in batch]
            answers = await table.place(table.round, batch)
            assert all(answer.registered for answer in answers)
            self.promised += [(table.round, wager) for wager in batch]


def kill_at(house: House, statement: int, copy_to: Path) -> list[int]:
    """Before that SQL statement, copy the files as a killed process leaves them, and die; 0 only counts."""
    count = [0]
    path = Path(house.where)

    def die_or_go_on(_sql: str) -> None:
        count[0] += 1
        if count[0] == statement:
            for suffix in ("", "-wal"):
                source = path.with_name(path.name + suffix)
                if source.exists():
                    shutil.copy(source, copy_to.with_name(copy_to.name + suffix))
        if statement and count[0] >= statement:
            raise Killed

    before_each_statement(house.ledger.store, die_or_go_on)
    return count


async def live_until_killed(house: House, day: Day) -> RoundOutcome | None:
    """Play a round; None when the bridge was killed in it. Its tasks are dropped where they stand."""
    tasks = [asyncio.create_task(house.table.run()), asyncio.create_task(house.table.play_round(day.bet))]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
    _, outcome = await asyncio.gather(*tasks, return_exceptions=True)
    house.ledger.close()
    return outcome if isinstance(outcome, RoundOutcome) else None


def nothing_happens(_tumbler: Tumbler) -> None:
    pass


MEANWHILE = {"alive": nothing_happens, "host-lost": Tumbler.host_is_gone, "power-cut": Tumbler.restart}


async def next_day(house: House, day: Day) -> None:
    """Recover, ask for every wager again, play on; then everything must be there once and add up."""
    async with house.running() as table:
        await table.recover()
        if table.round is not None:
            await table.finish_round()
        for round_id, wager in day.tried:
            answer = (await table.place(round_id, [wager]))[0]
            assert answer.registered or (round_id, wager) not in day.promised
        assert (await table.play_round(day.bet)).verdict == "settled"
        house.ledger.check()
        assert [each.raw for each in house.ledger.records(house.tumbler.id)] == house.tumbler.journal
        for round_id in {round_id for round_id, _ in day.tried}:
            check_round(house, day, round_id)


def check_round(house: House, day: Day, round_id: bytes) -> None:
    kinds = [each.kind for each in house.ledger.records_of_round(round_id)]
    outcomes = house.ledger.outcomes(round_id)
    verdict = house.ledger.round(round_id).state
    assert verdict == ("settled" if "reading" in kinds else "void")
    assert [each.wager.id for each in outcomes] == [each.id for each in house.ledger.wagers(round_id)]
    promised = {wager.id for each, wager in day.promised if each == round_id}
    assert promised <= {each.wager.id for each in outcomes}
    gains: dict[str, int] = {}
    for each in outcomes:
        player = f"player:{each.wager.player}"
        gains[player] = gains.get(player, 0) + each.returned - each.wager.stake
    booked: dict[str, int] = {}
    for posting in house.ledger.postings(round_id):
        booked[posting.account] = booked.get(posting.account, 0) + posting.amount
    assert booked.pop("held", 0) == 0
    assert booked.pop("house", 0) == -sum(gains.values())
    assert booked == gains


@pytest.mark.parametrize("meanwhile", MEANWHILE)
@pytest.mark.parametrize("mode", ["covered", "open"])
async def test_a_bridge_killed_at_any_statement_loses_and_doubles_nothing(
    tmp_path: Path, mode: str, meanwhile: str
) -> None:
    whole = House(tmp_path / "whole.db", Tumbler(), mode)
    statements = kill_at(whole, 0, tmp_path)
    assert await live_until_killed(whole, Day()) is not None
    assert statements[0] > 50
    killed = 0
    for statement in range(1, statements[0] + 1):
        tumbler, day = Tumbler(), Day()
        first, second = tmp_path / f"{statement}a.db", tmp_path / f"{statement}b.db"
        house = House(first, tumbler, mode)
        kill_at(house, statement, second)
        was_killed = await live_until_killed(house, day) is None
        killed += was_killed
        MEANWHILE[meanwhile](tumbler)
        await next_day(House(second if was_killed else first, tumbler, mode), day)
    assert killed > statements[0] * 0.9
