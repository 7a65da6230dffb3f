"""A table that cannot go on says why and goes on by itself, whatever stopped it; others are not touched."""

import asyncio

import psycopg
import pytest

from host_tools import link
from host_tools.bridge.errors import DeviceRefusal, ReplyBelied
from host_tools.bridge.wagering import Wager
from host_tools.ledger import LedgerUnavailable, open_ledger
from host_tools.people import Role
from host_tools.service import served
from host_tools.service.errors import NotNow
from tests.host_tools.outbox.mosquitto import Mosquitto
from tests.host_tools.service.service_rig import CARDS, COVERED, OPEN, house

SMALL = Wager("1", "Mei", "small", "10")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """What is tried again is so at once."""
    monkeypatch.setattr(served, "ELSEWHERE_S", 0.05)


async def test_a_round_that_only_the_tumbler_knows_is_put_right_after_its_refusal(tmp_path):
    async with house(tmp_path, {OPEN: {}}) as at:
        await at.step(OPEN, "open-round")
        at.tumblers[OPEN].tumbler.obey("open-round", {"round": b"x" * 16, "mode": "open"})
        with pytest.raises(DeviceRefusal):
            await at.playing().open_round(OPEN)
        ended = await at.ended(OPEN, await at.betting(OPEN))
        assert ended.state == "settled"
        at.service.books.check_everything()


async def test_a_reply_that_was_not_true_leaves_no_round_behind(tmp_path, monkeypatch):
    async with house(tmp_path, {OPEN: {}}) as at:
        await at.step(OPEN, "open-round")
        session, journal = at.tumblers[OPEN].session, at.tumblers[OPEN].tumbler.journal
        true_command = session.command

        async def belied(name, **_arguments):
            monkeypatch.setattr(session, "command", true_command)
            return link.Reply("done", "opened", "", len(journal) + 1)

        monkeypatch.setattr(session, "command", belied)
        with pytest.raises(ReplyBelied):
            await at.playing().open_round(OPEN)
        assert (await at.ended(OPEN, await at.betting(OPEN))).state == "settled"
        at.service.books.check_everything()


async def test_a_round_that_nobody_heard_was_taken_down_stops_no_table(tmp_path, monkeypatch):
    """The server went away after the commit, before its answer: the tumbler was never told of the round."""
    async with house(tmp_path, {OPEN: {}}) as at:
        await at.step(OPEN, "open-round")
        books = at.service.books
        durably = books.durably

        async def unheard(work):
            await durably(work)
            monkeypatch.setattr(books, "durably", durably)
            raise LedgerUnavailable("server gone")

        monkeypatch.setattr(books, "durably", unheard)
        with pytest.raises(LedgerUnavailable):
            await at.playing().open_round(OPEN)
        (left,) = books.latest_rounds(OPEN, 1)
        await at.step(OPEN, "open-round")
        assert books.round(left.id).state == "void"
        assert (await at.ended(OPEN, await at.betting(OPEN))).state == "settled"
        books.check_everything()


async def test_a_part_that_fails_is_told_and_the_table_runs_again(tmp_path):
    async with house(tmp_path, {OPEN: {}, COVERED: {}}) as at:
        running = at.service.dice_table(OPEN)
        await at.step(OPEN, "open-round")
        first = running.table
        round_id = await at.betting(OPEN)
        await at.playing().place(OPEN, round_id, [SMALL])
        first._feed._queues.clear()  # as a follower that was too slow is cut off
        await at.until(lambda: "missed events" in running.failure)
        with pytest.raises(NotNow, match="stands still"):
            await at.playing().open_round(OPEN)
        assert at.service.tables[COVERED].failure == ""
        await at.until(lambda: running.quarantine == "")
        assert running.table is not first
        assert (await at.ended(OPEN, await at.betting(OPEN))).state == "settled"
        assert (await at.playing().round(OPEN, round_id)).wagers[0].returned is not None
        at.service.books.check_everything()


@pytest.mark.parametrize("name", [OPEN, CARDS])
async def test_a_table_that_was_taken_over_is_told_so_and_comes_back_when_it_is_free(
    tmp_path, postgres, name
):
    url = postgres.new_database()
    async with house(tmp_path, {name: {"decks": 2} if name == CARDS else {}}, ledger=url) as at:
        running = at.service.tables[name]
        await at.until(lambda: running.step in ("open-round", "load-shoe"))
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("UPDATE leases SET until_ms = 0")
        with open_ledger(url) as other:
            other.hold(name)
            with at.service.books.transaction():
                at.service.books.leases.renew()  # as its keeper does, in time
            await at.until(lambda: "in use by" in running.elsewhere)
            assert running.failure == ""
            with pytest.raises(NotNow, match="in use by"):
                await at.playing().open_round(name)
        await at.until(lambda: running.quarantine == "")
        await at.until(lambda: running.step in ("open-round", "load-shoe"))
        at.service.books.check_everything()


@pytest.mark.parametrize("name", [OPEN, CARDS])
async def test_a_table_that_another_has_at_the_start_comes_over_later(tmp_path, postgres, name):
    url = postgres.new_database()
    with open_ledger(url) as other:
        other.hold(name)
        async with house(tmp_path, {name: {"decks": 2} if name == CARDS else {}}, ledger=url) as at:
            running = at.service.tables[name]
            assert "in use by" in running.elsewhere
            other.close()
            await at.until(lambda: running.step in ("open-round", "load-shoe"))


async def test_a_tumbler_that_does_not_start_is_told_and_tried_again(tmp_path, postgres):
    url = postgres.new_database()
    with open_ledger(url) as other:
        other.hold(OPEN)
        async with house(tmp_path, {OPEN: {}}, ledger=url) as at:
            starts = iter([OSError("the port is busy"), None])

            async def start() -> None:
                if (error := next(starts)) is not None:
                    raise error

            at.tumblers[OPEN].start = start
            other.close()
            running = at.service.tables[OPEN]
            await at.until(lambda: "the port is busy" in running.failure)
            await at.step(OPEN, "open-round")


async def test_a_stop_waits_for_a_round_that_can_end_and_a_hurried_one_does_not(tmp_path):
    async with house(tmp_path, {OPEN: {}}, grace_s=60) as at:
        round_id = await at.betting(OPEN)
        winding = asyncio.create_task(at.service.wind_down())
        await asyncio.sleep(0.1)
        with pytest.raises(NotNow, match="the service stops"):
            await at.playing().open_round(OPEN)
        await at.playing().no_more_bets(OPEN, round_id)
        async with asyncio.timeout(10):
            await winding
        assert at.service.tables[OPEN].round(bytes.fromhex(round_id)).state == "closed"
    async with house(tmp_path, {OPEN: {}}, ledger="other.sqlite", grace_s=60) as at:
        round_id = await at.betting(OPEN)
        winding = asyncio.create_task(at.service.wind_down())
        await asyncio.sleep(0.1)
        at.service.hurry()
        async with asyncio.timeout(10):
            await winding
        assert at.service.tables[OPEN].round(bytes.fromhex(round_id)).state == "void"


async def test_while_the_service_stops_no_table_is_said_to_open_a_round(tmp_path):
    async with house(tmp_path, {OPEN: {}, CARDS: {}}, grace_s=60) as at:
        await at.playing(Role.SUPERVISOR).load_shoe(CARDS, "new")
        for table in (OPEN, CARDS):
            await at.step(table, "open-round")
        following = at.service.stream.follow()
        await at.service.wind_down()
        assert {each.step for each in await at.playing().tables()} == {"wait"}
        told = {(each.kind, each.table) for each in [await anext(following) for _ in range(2)]}
        assert told == {("table-changed", OPEN), ("table-changed", CARDS)}


async def test_a_table_that_runs_elsewhere_is_told_of_to_displays_from_there(tmp_path, postgres):
    """Two that tell of one table would show an old result as the last one."""
    url = postgres.new_database()
    folder = tmp_path / "broker"
    folder.mkdir()
    with Mosquitto(folder) as broker, open_ledger(url) as other:
        mqtt = {"host": "127.0.0.1", "port": broker.port}
        other.hold(OPEN)
        async with house(tmp_path, {OPEN: {}, COVERED: {}}, ledger=url, mqtt=mqtt) as at:
            with other.transaction():
                other.notify(OPEN, "told", None, {}, 1)
                other.notify(COVERED, "told", None, {}, 1)
            await at.until(lambda: other.undelivered("mqtt", COVERED) == [])
            assert len(other.undelivered("mqtt", OPEN)) == 1
            other.close()
            books = at.service.books
            await at.until(lambda: books.undelivered("mqtt", OPEN) == [])
