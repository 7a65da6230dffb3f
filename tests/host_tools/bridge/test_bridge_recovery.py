"""After an interruption, each open round is concluded or void as the rules say, or left to people."""

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bridge_rig import House, Tumbler

from host_tools import link
from host_tools.bridge import feed
from host_tools.bridge.errors import DeviceRefusal, EventsOverrun
from host_tools.bridge.events import BetsClosed, DeviceRefused
from host_tools.bridge.feed import Feed
from host_tools.bridge.table import Table, Wager


async def bet(table: Table) -> None:
    assert table.round is not None
    answers = await table.place(table.round, [Wager("a", "Ann", "small", "10")])
    assert answers[0].registered


async def played_up_to(house: House, last_step: str) -> bytes:
    """A round left where a stopped bridge leaves it."""
    async with house.running() as table:
        round_id = await table.open_round()
        covered = house.tumbler.mode == "covered"
        if last_step == "opened":
            return round_id
        if covered:
            await table.tumble()
        await table.bets_open()
        await bet(table)
        if last_step == "closed":
            await table.no_more_bets()
        return round_id


@pytest.mark.parametrize("mode", ["covered", "open"])
@pytest.mark.parametrize("last_step", ["opened", "betting"])
async def test_a_round_whose_bets_were_open_is_void_with_its_clause(
    tmp_path: Path, mode: str, last_step: str
) -> None:
    tumbler = Tumbler()
    round_id = await played_up_to(House(tmp_path / "ledger.db", tumbler, mode), last_step)
    house = House(tmp_path / "ledger.db", tumbler, mode)
    async with house.running() as table:
        outcome = await table.recover()
        ruling = table.config.terms.rulebook.ruling("host-lost")
        assert outcome is not None
        assert (outcome.round, outcome.verdict) == (round_id, "void")
        assert (outcome.fact, outcome.clause) == ("host-lost", ruling.clause)
        assert [each.returned for each in outcome.wagers] == (["10.00"] if last_step == "betting" else [])
        assert (await table.play_round(bet)).verdict == "settled"


async def test_a_round_whose_bets_were_closed_goes_on(tmp_path: Path) -> None:
    tumbler = Tumbler()
    round_id = await played_up_to(House(tmp_path / "ledger.db", tumbler, "open"), "closed")
    house = House(tmp_path / "ledger.db", tumbler, "open")
    async with house.running() as table:
        assert await table.recover() is None
        assert table.round == round_id
        outcome = await table.finish_round()
        assert (outcome.round, outcome.verdict) == (round_id, "settled")


async def test_a_reading_made_while_the_host_was_away_settles(tmp_path: Path) -> None:
    tumbler = Tumbler()
    round_id = await played_up_to(House(tmp_path / "ledger.db", tumbler, "open"), "closed")
    tumbler.obey("tumble", {"round": round_id})
    house = House(tmp_path / "ledger.db", tumbler, "open")
    async with house.running() as table:
        outcome = await table.recover()
        assert outcome is not None
        assert (outcome.round, outcome.verdict, outcome.faces) == (round_id, "settled", (1, 2, 4))


async def test_a_round_the_device_never_heard_of_is_void(tmp_path: Path) -> None:
    house = House(tmp_path / "ledger.db", Tumbler(), "covered")

    def lost(_name: str) -> None:
        raise link.CommandTimeout("no reply")

    house.session.before_command = lost
    async with house.running() as table:
        with pytest.raises(link.CommandTimeout):
            await table.open_round()
        house.session.before_command = lambda name: None
        outcome = await table.recover()
        assert outcome is not None
        assert (outcome.verdict, outcome.fact, outcome.wagers) == ("void", "never-opened", ())
        assert (await table.play_round(bet)).verdict == "settled"


async def test_a_round_the_device_forgot_is_left_to_people(tmp_path: Path) -> None:
    tumbler = Tumbler()
    round_id = await played_up_to(House(tmp_path / "ledger.db", tumbler, "covered"), "betting")
    tumbler.round, tumbler.state, tumbler.tumbled = None, "idle", False  # and no record of why
    house = House(tmp_path / "ledger.db", tumbler, "covered")
    async with house.running() as table:
        outcome = await table.recover()
        assert outcome is not None
        assert (outcome.round, outcome.verdict, outcome.fact) == (round_id, "referred", "device-forgot-round")
        assert (await table.play_round(bet)).verdict == "settled"


async def test_a_status_of_before_the_round_is_no_sign_that_the_device_forgot_it(tmp_path: Path) -> None:
    tumbler = Tumbler()
    before = len(tumbler.journal)
    round_id = await played_up_to(House(tmp_path / "ledger.db", tumbler, "covered"), "betting")
    house = House(tmp_path / "ledger.db", tumbler, "covered")
    hear, late = house.session.on_status, 3

    def hear_late_ones_first(status: dict[str, Any]) -> None:
        nonlocal late
        if late:
            late -= 1
            status = {name: status[name] for name in status if name != "round"} | {
                "state": "idle",
                "last": before,
            }
        hear(status)

    house.session.on_status = hear_late_ones_first
    async with house.running() as table:
        outcome = await table.recover()
        assert outcome is not None
        assert (outcome.round, outcome.verdict, outcome.fact) == (round_id, "void", "host-lost")
        assert not late


async def test_a_round_of_another_ledger_is_ended_on_the_device(tmp_path: Path) -> None:
    tumbler = Tumbler()
    await played_up_to(House(tmp_path / "other.db", tumbler, "covered"), "betting")
    house = House(tmp_path / "ledger.db", tumbler, "covered")
    async with house.running() as table:
        assert await table.recover() is None
        assert tumbler.round is None
        assert (await table.play_round(bet)).verdict == "settled"


@pytest.mark.parametrize("command", ["open-round", "tumble", "no-more-bets"])
@pytest.mark.parametrize("mode", ["covered", "open"])
async def test_a_device_that_restarts_before_any_reply_ends_the_round_by_its_records(
    tmp_path: Path, mode: str, command: str
) -> None:
    house = House(tmp_path / "ledger.db", Tumbler(), mode)

    def cut(name: str) -> None:
        if name == command:
            house.tumbler.restart()
            house.session.before_command = lambda name: None
            raise link.DeviceRestarted("it rebooted")

    house.session.before_command = cut
    async with house.running() as table:
        outcome = await table.play_round(bet)
        assert outcome.verdict == "void"
        assert outcome.fact == ("never-opened" if command == "open-round" else "power-interruption")
        assert all(each.returned == each.stake for each in outcome.wagers)


async def test_bets_are_closed_here_before_the_device_is_told(tmp_path: Path) -> None:
    house = House(tmp_path / "ledger.db", Tumbler(), "open")
    answers: list[Any] = []

    def too_late(name: str) -> None:
        if name == "no-more-bets":
            round_id = house.table.round
            assert round_id is not None
            answers.append(house.ledger.round(round_id).state)

    house.session.before_command = too_late
    async with house.running() as table:
        await table.play_round(bet)
    assert answers == ["closing"]


async def test_a_slow_display_is_told_that_it_missed_something(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "_BACKLOG", 2)
    source = Feed()
    slow, quick = source.follow(), source.follow()
    seen = []
    for number in range(5):
        source.put(BetsClosed(bytes([number])))
        if number < 4:
            seen.append(await anext(quick))
    assert len(seen) == 4
    assert [await anext(slow), await anext(slow)] == [BetsClosed(b"\0"), BetsClosed(b"\1")]
    with pytest.raises(EventsOverrun):
        await anext(slow)
    assert await anext(quick) == BetsClosed(b"\4")


async def test_a_display_that_leaves_is_forgotten() -> None:
    source = Feed()
    leaving: Callable[[], Any] = source.follow
    events = leaving()
    waiting = asyncio.ensure_future(anext(events))
    await asyncio.sleep(0)
    waiting.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await waiting
    assert not source._queues


async def test_a_device_that_withholds_forked_records_is_named_and_not_waited_for(tmp_path: Path) -> None:
    tumbler = Tumbler()
    house = House(tmp_path / "ledger.db", tumbler, "open")
    async with house.running() as table:
        assert (await table.play_round(bet)).verdict == "settled"
        tumbler.faults.append("memory-fault")
        events = table.events()

        async def nothing() -> None:
            """A forked device sends no record."""

        house.session.deliver = nothing
        tumbler.record("fault", fact=19)
        with pytest.raises(link.DeviceQuarantined, match="memory-fault"):
            await table.open_round()
        assert isinstance(await anext(events), DeviceRefused)


async def test_a_device_that_has_lost_records_plays_no_more(tmp_path: Path) -> None:
    tumbler = Tumbler()
    house = House(tmp_path / "ledger.db", tumbler, "open")
    async with house.running() as table:
        assert (await table.play_round(bet)).verdict == "settled"
        house.session.on_event(link.Event("behind", house.tumbler.id, 2, "its journal ends at record 1"))
        del tumbler.journal[1:]
        with pytest.raises(link.DeviceQuarantined, match="ends at record 1"):
            await table.recover()


async def test_a_round_whose_record_is_on_its_way_is_not_taken_for_one_that_was_never_opened(
    tmp_path: Path,
) -> None:
    tumbler = Tumbler()
    house = House(tmp_path / "ledger.db", tumbler, "open")

    async def never() -> None: ...

    async with house.running() as table:
        await table.ready()
        await house.session.deliver()
        house.session.deliver = never  # the device opens it, and its record never comes
        opening = asyncio.create_task(table.open_round())
        await asyncio.sleep(0.1)
        opening.cancel()
        round_id = table.round
    house = House(tmp_path / "ledger.db", tumbler, "open")
    session, deliver, renew = house.session, house.session.deliver, house.session.renew
    arrived = asyncio.Event()
    late = {"state": "idle", "strokes": 0, "at_rest": True, "faults": [], "last": len(tumbler.journal) - 1}

    async def deliver_late() -> None:
        if arrived.is_set():
            await deliver()
        elif not renewed:
            session.on_status({**late, "uptime_ms": 0})  # of before the round, heard until it is asked anew

    async def renew_and_arrive() -> None:
        renewed.append(True)
        await renew()
        asyncio.get_running_loop().call_later(0.1, arrived.set)

    renewed: list[bool] = []
    session.deliver, session.renew = deliver_late, renew_and_arrive
    async with house.running() as table:
        await asyncio.sleep(0.05)
        outcome = await table.recover()
        assert outcome is not None
        assert (outcome.round, outcome.verdict, outcome.fact) == (round_id, "void", "host-lost")
        assert tumbler.round is None
        assert (await table.play_round(bet)).verdict == "settled"


async def test_a_round_that_is_opened_while_it_is_given_up_goes_on(tmp_path: Path) -> None:
    """Its record is committed between the look at its state and the transaction that would void it."""
    tumbler = Tumbler()
    house = House(tmp_path / "ledger.db", tumbler, "open")
    durably = house.ledger.durably

    async def committed_first(work: Callable[[], Any]) -> Any:
        if house.session.commands:
            house.ledger.durably = durably
            tumbler._open_round({"round": table.round, "mode": "open"})
            await house.session.deliver()
        return await durably(work)

    async with house.running() as table:
        obey = tumbler.obey
        tumbler.obey = lambda name, arguments: "wrong-state"
        house.ledger.durably = committed_first
        with pytest.raises(DeviceRefusal):
            await table.open_round()
        tumbler.obey = obey
        round_id = table.round
        assert round_id is not None
        assert house.ledger.round(round_id).state == "betting"
        outcome = await table.recover()
        assert outcome is not None
        assert (outcome.round, outcome.fact) == (round_id, "host-lost")
