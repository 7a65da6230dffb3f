"""The table server's client does over a port what the door does in the process, and outlives a lost line."""

import asyncio
import contextlib
import json
from urllib.parse import quote

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

from docs.examples.table_server import play
from host_tools.client import HttpTables, Refused, Tables, Unreachable, Wager
from host_tools.people import Role
from tests.host_tools.api.api_rig import Api, served
from tests.host_tools.service.service_rig import COVERED, OPEN, house

SMALL, BIG = Wager("1", "Mei", "small", "10"), Wager("2", "Arun", "big", "10")


@pytest.mark.parametrize("table", [COVERED, OPEN])
async def test_the_example_table_server_plays_over_http_as_in_the_process(tmp_path, table, capsys):
    async with house(tmp_path, {table: {}}) as at:
        token = await Api(at).token()
        async with served(at) as url, HttpTables(url, token) as tables:
            await play(tables, table, 2)
        over_http = capsys.readouterr().out
        in_process: Tables = at.playing()
        await play(in_process, table, 2)
        assert capsys.readouterr().out == over_http
        assert over_http.count("Mei small 10.00: won, 20.00 goes back") == 2
        at.service.books.check_everything()


@pytest.mark.parametrize("events", [1, 2, 3, 5, 8])
async def test_the_example_table_server_outlives_a_service_that_stops_and_starts_again(
    tmp_path, events, capsys
):
    tumblers = {}
    async with contextlib.AsyncExitStack() as stack:
        async with house(tmp_path, {OPEN: {}}, tumblers) as at:
            token = await Api(at).token()
            async with served(at) as url:
                tables = await stack.enter_async_context(HttpTables(url, token))
                playing = asyncio.create_task(play(tables, OPEN, 3))
                await at.until(lambda: at.service.stream.newest >= events)
        async with house(tmp_path, {OPEN: {}}, tumblers) as at:
            object.__setattr__(at.service.config.api, "port", int(url.rpartition(":")[2]))
            async with served(at), asyncio.timeout(30):
                await playing
            rounds = await at.playing().rounds(OPEN)
            assert 3 <= len(rounds) <= 4  # one that was void before its opening was heard of is not counted
            assert [each.state for each in rounds if each.state != "settled"] in ([], ["void"])
            assert {len(each.wagers) for each in rounds if each.state == "settled"} == {3}
            at.service.books.check_everything()
        assert "round 3: settled (" in capsys.readouterr().out


async def test_a_program_may_not_say_which_dice_lie_in_the_tumbler(tmp_path):
    async with house(tmp_path) as at:
        token = await Api(at).token()
        async with served(at) as url, HttpTables(url, token) as tables:
            with pytest.raises(Refused) as refused:
                await tables.change_dice(COVERED, "box 17")
        assert (refused.value.status, refused.value.kind) == (403, "not-allowed")
        assert at.service.books.newest_record(at.tumblers[COVERED].id, "dice-set-change") is None


async def test_views_are_the_same_over_http_as_in_the_process(tmp_path):
    async with house(tmp_path) as at:
        token = await Api(at).token()
        async with served(at) as url, HttpTables(url, token) as tables:
            round_id = await at.betting()
            placed = await tables.place(COVERED, round_id, [SMALL, BIG])
            assert placed == await at.playing().place(COVERED, round_id, [SMALL, BIG])
            withdrawn = await tables.withdraw(COVERED, round_id, ["2"])
            assert withdrawn == await at.playing().withdraw(COVERED, round_id, ["2"])
            await at.ended(COVERED, round_id)
            assert await tables.round(COVERED, round_id) == await at.playing().round(COVERED, round_id)
            assert await tables.rounds(COVERED) == await at.playing().rounds(COVERED)
            assert await tables.rounds(COVERED, before=round_id) == []
            assert await tables.wagers(COVERED, round_id) == await at.playing().wagers(COVERED, round_id)
            assert await tables.events() == await at.playing().events()


async def test_refusals_have_their_kind_and_a_refused_batch_its_answers(tmp_path):
    async with house(tmp_path) as at:
        token = await Api(at).token()
        async with served(at) as url, HttpTables(url, token) as tables:
            with pytest.raises(Refused) as refused:
                await tables.table("Nowhere")
            assert (refused.value.status, refused.value.kind) == (404, "table-unknown")
            round_id = await at.betting()
            answers = await tables.place(COVERED, round_id, [SMALL, Wager("2", "Mei", "total:3", "10")])
            assert [each.registered for each in answers] == [False, False]
            async with HttpTables(url, "tumbler_wrong") as stranger:
                with pytest.raises(Refused) as refused:
                    await stranger.tables()
                assert refused.value.status == 401
                with pytest.raises(Refused) as refused:
                    await anext(stranger.follow())
                assert refused.value.status == 401
        async with HttpTables(url, token) as tables:
            with pytest.raises(Unreachable):
                await tables.tables()


async def test_the_stream_goes_on_where_it_stopped_when_the_server_was_away(tmp_path):
    async with house(tmp_path) as at:
        token = await Api(at).token()
        port = 0
        ended, heard = [], []
        async with contextlib.AsyncExitStack() as stack:
            url = await stack.enter_async_context(served(at))
            port = int(url.rpartition(":")[2])
            tables = await stack.enter_async_context(HttpTables(url, token))
            following = asyncio.create_task(_collect(tables, heard, 15))
            ended.append(await at.betting())
            await at.ended(COVERED, ended[0])
            await at.until(lambda: len(heard) == 5)
        for _ in range(2):  # while nobody serves
            ended.append(await at.betting())
            await at.ended(COVERED, ended[-1])
        object.__setattr__(at.service.config.api, "port", port)
        async with served(at):
            async with asyncio.timeout(30):
                await following
        assert [each.round for each in heard if each.kind == "round-settled"] == ended
        assert [each.sequence for each in heard] == list(range(1, 16))


async def test_a_stream_from_now_on_that_is_lost_before_its_first_event_misses_none(tmp_path):
    async with house(tmp_path) as at:
        token = await Api(at).token()
        before = await at.betting()
        await at.ended(COVERED, before)
        heard = []
        async with contextlib.AsyncExitStack() as stack:
            async with served(at) as url:
                tables = await stack.enter_async_context(HttpTables(url, token))
                following = asyncio.create_task(_collect(tables, heard, 5, after=None))
                await at.until(lambda: at.service.stream.readers == 1)
                at.service.tell("table-changed", COVERED)
                await asyncio.sleep(0.1)
            missed = await at.betting()  # while nobody serves
            await at.ended(COVERED, missed)
            object.__setattr__(at.service.config.api, "port", int(url.rpartition(":")[2]))
            async with served(at), asyncio.timeout(30):
                await following
        assert [each.sequence for each in heard] == list(range(6, 11))
        assert {each.round for each in heard} == {missed}


async def test_a_number_that_no_event_has_is_refused_with_what_to_do(tmp_path):
    """As after a ledger was restored from a backup: silence until it has grown that far would lose events."""
    async with house(tmp_path) as at:
        token = await Api(at).token()
        await at.ended(COVERED, await at.betting())
        newest = at.service.stream.newest
        async with served(at) as url, HttpTables(url, token) as tables:
            for after in (newest + 1, 2**53 - 1):
                for asking in (
                    tables.events(after),
                    anext(tables.follow(after)),
                    anext(tables.follow(after, COVERED)),
                ):
                    with pytest.raises(Refused, match=r"restored.*sequence") as refused:
                        await asking
                    assert refused.value.status == 416
            assert await tables.events(newest) == []
            waiting = asyncio.ensure_future(anext(tables.follow((await tables.table(COVERED)).sequence)))
            await at.until(lambda: at.service.stream.readers == 1)
            await at.betting()
            async with asyncio.timeout(10):
                assert (await waiting).table == COVERED


async def _collect(tables: HttpTables, heard: list, count: int, after: int | None = 0) -> None:
    async for event in tables.follow(after):
        if event.sequence is not None:
            heard.append(event)
        if len(heard) == count:
            return


async def test_a_thousand_idle_sockets_leave_the_table_playable(tmp_path):
    async with house(tmp_path) as at:
        token = await Api(at).token()
        async with served(at) as url, HttpTables(url, token) as tables:
            port = int(url.rpartition(":")[2])
            idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(1000)]
            try:
                await play(tables, COVERED, 1)
            finally:
                for _, writer in idle:
                    writer.close()


async def test_a_socket_that_is_not_read_is_closed_and_others_go_on(tmp_path):
    async with house(tmp_path) as at:
        token = await Api(at).token()
        headers = {"Authorization": f"Bearer {token}"}
        async with served(at) as url:
            address = f"ws{url.removeprefix('http')}/api/events"
            async with (
                connect(address, additional_headers=headers, max_queue=1) as deaf,
                connect(address, additional_headers=headers) as other,
            ):
                await at.until(lambda: len(at.service.stream._readers) == 2)
                hearing = asyncio.create_task(_hear(other))
                big = "x" * 20_000
                for _ in range(3000):
                    at.service.tell(big, COVERED)
                    await asyncio.sleep(0)
                await at.until(lambda: len(at.service.stream._readers) <= 1)
                assert not hearing.done()
                hearing.cancel()
                deaf.transport.abort()


async def _hear(socket) -> None:
    async for _ in socket:
        pass


async def test_who_follows_hears_the_last_rounds_end_and_then_that_the_service_stops(tmp_path):
    async with house(tmp_path) as at, contextlib.AsyncExitStack() as clients:
        headers = {"Authorization": f"Bearer {await Api(at).token()}"}
        async with served(at) as url:
            address = f"ws{url.removeprefix('http')}/api/events"
            sockets = [
                await clients.enter_async_context(connect(address, additional_headers=headers))
                for _ in range(20)
            ]
            await at.until(lambda: at.service.stream.readers == len(sockets))
            await at.betting()
            await at.service.wind_down()
            at.service.stream.catch_up()
        for socket in sockets:
            assert "round-void" in [json.loads(each)["kind"] async for each in socket]
            assert (socket.close_code, (socket.close_reason or "")[:17]) == (1001, "the service stops")


async def test_pages_of_other_sites_and_people_who_signed_out_hear_nothing(tmp_path):
    async with house(tmp_path) as at:
        made = Api(at)
        token = await made.token()
        async with served(at) as url:
            address = f"ws{url.removeprefix('http')}/api/events"
            for headers, code in (
                ({"Authorization": f"Bearer {token}", "Origin": "https://elsewhere.example"}, 4403),
                ({}, 4401),
            ):
                async with connect(address, additional_headers=headers) as socket:
                    with pytest.raises(ConnectionClosed) as closed:
                        await socket.recv()
                    assert closed.value.rcvd is not None
                    assert closed.value.rcvd.code == code
            headers = {"Authorization": f"Bearer {token}"}
            for query, code in (
                ("after=-1", 4422),
                ("after=x", 4422),
                ("table=Nowhere", 4404),
                (f"table={quote('ä' * 200)}", 4404),  # more than a reason has room for
                ("after=99", 4416),
            ):
                async with connect(f"{address}?{query}", additional_headers=headers) as socket:
                    with pytest.raises(ConnectionClosed) as closed:
                        await socket.recv()
                    assert closed.value.rcvd is not None
                    assert closed.value.rcvd.code == code


async def test_a_table_server_of_hundreds_of_tables_may_ask_for_all_at_once(tmp_path):
    async with house(tmp_path) as at:
        async with served(at) as url, HttpTables(url, await Api(at).token()) as tables:
            answers = await asyncio.gather(*(tables.table(COVERED) for _ in range(150)))
        assert {each.name for each in answers} == {COVERED}


async def test_a_watcher_may_not_play(tmp_path):
    async with house(tmp_path) as at:
        token = await Api(at).token(Role.AUDITOR, "the auditor")
        async with served(at) as url, HttpTables(url, token) as tables:
            await tables.tables()
            with pytest.raises(Refused) as refused:
                await tables.open_round(COVERED)
            assert refused.value.status == 403
