"""How a service starts, stops and starts again: no round in doubt, no event lost, a slow reader cut off."""

import asyncio

import pytest

from host_tools.bridge.wagering import Wager
from host_tools.link import SystemClock
from host_tools.people import NotAllowed, Role
from host_tools.service.errors import DeviceAway, NotNow, SlowReader, StreamEnded
from host_tools.service.stream import BACKLOG
from tests.host_tools.service.service_rig import COVERED, OPEN, house

SMALL = Wager("1", "Mei", "small", "10")
ROUND = ["round-opened", "bets-open", "bets-closed", "result-read", "round-settled"]


async def test_a_stop_voids_a_round_whose_result_nobody_knows_and_every_stake_is_back(tmp_path):
    tumblers = {}
    async with house(tmp_path, tumblers=tumblers) as at:
        round_id = await at.betting()
        await at.playing().place(COVERED, round_id, [SMALL])
    async with house(tmp_path, tumblers=tumblers) as at:
        ended = await at.playing().round(COVERED, round_id)
        assert (ended.state, ended.settlements[0].fact) == ("void", "host-lost")
        assert ended.wagers[0].returned == "10.00"


async def test_a_round_that_a_killed_service_left_is_concluded_at_the_next_start(tmp_path):
    tumblers = {}
    async with house(tmp_path, tumblers=tumblers) as at:
        round_id = await at.betting()
        await at.playing().place(COVERED, round_id, [SMALL])
        for task in at.service._tasks:  # what a kill leaves: nothing more is done
            task.cancel()
        await asyncio.gather(*at.service._tasks, return_exceptions=True)
        for name in at.service.tables:
            at.service.dice_table(name)._status = None
    async with house(tmp_path, tumblers=tumblers) as at:
        await at.step(COVERED, "open-round")
        assert (await at.playing().round(COVERED, round_id)).state == "void"
        kinds = [each.kind for each in await at.playing().events()]
        assert kinds == ["round-opened", "bets-open", "round-void"]
        at.service.books.check_everything()


async def test_with_bets_closed_the_dice_decide_also_after_a_restart(tmp_path):
    tumblers = {}
    async with house(tmp_path, {OPEN: {}}, tumblers) as at:
        round_id = await at.betting(OPEN)
        await at.playing().place(OPEN, round_id, [SMALL])
        await at.playing().no_more_bets(OPEN, round_id)
    async with house(tmp_path, {OPEN: {}}, tumblers) as at:
        await at.step(OPEN, "tumble")
        await at.playing().tumble(OPEN, round_id)
        await at.step(OPEN, "open-round")
        assert (await at.playing().round(OPEN, round_id)).wagers[0].result == "won"


async def test_a_wall_clock_that_is_set_back_changes_no_money_and_loses_nothing(tmp_path, monkeypatch):
    async with house(tmp_path) as at:
        first = await at.ended(COVERED, await at.betting())
        round_id = await at.betting()
        await at.playing().place(COVERED, round_id, [SMALL])
        true_ms = SystemClock.wall_ms
        monkeypatch.setattr(SystemClock, "wall_ms", lambda clock: true_ms(clock) - 3_600_000)
        late = Wager("2", "Ben", "big", "5")
        assert (await at.playing().place(COVERED, round_id, [late]))[0].registered
        ended = await at.ended(COVERED, round_id)
        assert (ended.state, len(ended.wagers)) == ("settled", 2)
        third = await at.ended(COVERED, await at.betting())
        assert [each.id for each in await at.playing().rounds(COVERED)] == [third.id, round_id, first.id]
        told = [each.round for each in await at.playing().events() if each.kind == "round-settled"]
        assert told == [first.id, round_id, third.id]
        at.service.books.check_everything()


async def test_a_stop_opens_no_further_round(tmp_path):
    automatic = {"rounds": "automatic", "betting_s": 0.1}
    async with house(tmp_path, {COVERED: automatic}, grace_s=10) as at:
        await at.until(lambda: len(at.service.books.latest_rounds(COVERED, 2)) == 2)
        running = at.service.tables[COVERED]
        await running.finish(10)
        latest = running.latest
        assert latest is not None
        assert latest.state in ("closed", "settled")
        await asyncio.sleep(0.3)
        assert running.latest is not None
        assert running.latest.id == latest.id


async def test_a_table_whose_tumbler_is_away_refuses_steps_at_once(tmp_path):
    async with house(tmp_path) as at:
        await at.step(COVERED, "open-round")
        at.service.dice_table(COVERED)._status = None
        at.tumblers[COVERED].session.report = lambda: None
        with pytest.raises(DeviceAway):
            await at.playing().open_round(COVERED)
        view = await at.playing().table(COVERED)
        assert (view.step, view.connected) == ("connect", False)


async def test_a_fault_stops_the_table_until_it_is_cleared(tmp_path):
    async with house(tmp_path) as at:
        await at.step(COVERED, "open-round")
        tumbler = at.tumblers[COVERED].tumbler
        tumbler.faults.append("dome-open")
        await at.step(COVERED, "clear-fault")
        (fault,) = (await at.playing().table(COVERED)).faults
        assert (fault.fact, fault.remedy) == ("dome-open", "close the dome")
        with pytest.raises(NotAllowed):
            await at.deciding(Role.DEALER).clear_fault(COVERED, "dome-open")
        await at.deciding(Role.TECHNICIAN).clear_fault(COVERED, "dome-open")
        await at.step(COVERED, "open-round")


async def test_one_step_at_a_time(tmp_path):
    async with house(tmp_path) as at:
        await at.step(COVERED, "open-round")
        playing = at.playing()
        answers = await asyncio.gather(
            playing.open_round(COVERED), playing.open_round(COVERED), return_exceptions=True
        )
        assert sum(isinstance(each, NotNow) for each in answers) == 1
        assert len(at.service.books.latest_rounds(COVERED, 5)) == 1


async def test_a_reader_that_comes_back_gets_every_durable_event_once(tmp_path):
    async with house(tmp_path) as at:
        ended = []
        for number in range(3):
            ended.append(await at.betting())
            await at.ended(COVERED, ended[number])
        got = []
        async for event in at.playing().follow(after=0):
            got.append(event)
            if len(got) == 1:
                break
        async for event in at.playing().follow(after=got[0].sequence):
            got.append(event)
            if len(got) == 3 * len(ROUND):
                break
        assert [(each.round, each.kind) for each in got] == [(id, kind) for id in ended for kind in ROUND]
        assert [each.sequence for each in got] == list(range(1, 3 * len(ROUND) + 1))


async def test_a_reader_hears_of_the_round_as_it_goes(tmp_path):
    async with house(tmp_path) as at:
        heard = []

        async def listen():
            async for event in at.playing().follow():
                heard.append(event)

        listening = asyncio.create_task(listen())
        await at.ended(COVERED, await at.betting())
        await at.until(lambda: any(each.kind == "round-settled" for each in heard))
        listening.cancel()
        assert [each.kind for each in heard if each.sequence is not None] == ROUND
        strokes = next(each for each in heard if each.kind == "stroke-counted")
        assert (strokes.sequence, strokes.body) == (None, {"count": 3})


async def test_a_slow_reader_is_cut_off_with_a_reason_and_costs_others_nothing(tmp_path):
    async with house(tmp_path) as at:
        slow = at.playing().follow()
        first = asyncio.ensure_future(anext(slow))
        await asyncio.sleep(0)
        for _ in range(BACKLOG + 2):
            at.service.tell("table-changed", COVERED)
        await first
        with pytest.raises(SlowReader, match="follow again"):
            await _drain(slow)
        assert not at.service.stream._readers


async def test_readers_are_told_that_the_service_stops(tmp_path):
    async with house(tmp_path) as at:
        events = at.playing().follow()
        waiting = asyncio.ensure_future(_drain(events))
        await asyncio.sleep(0.01)
    with pytest.raises(StreamEnded):
        await waiting


async def _drain(events):
    async for _ in events:
        pass
