"""What happens at a table is durable with its fact, numbered, and resumed by whoever was away."""

import json
from collections import Counter
from collections.abc import AsyncIterator, Iterator

import pytest

from host_tools.bridge.wagering import Wager
from host_tools.client import HttpTables
from host_tools.ledger import Ledger
from host_tools.people import Role
from host_tools.service.actions import CORRECTION
from host_tools.service.deciding import Case
from host_tools.service.views import EventView
from tests.host_tools.api.api_rig import Api, served
from tests.host_tools.bridge.bridge_rig import before_each_statement
from tests.host_tools.service.service_rig import COVERED, OPEN, House, house, left_by_a_crash
from tumbler.definitions import FACTS

TOLD_BY = {
    "round-opened": "round-opened",
    "no-more-bets": "bets-closed",
    "reading": "result-read",
    "fault": "fault-raised",
    "fault-cleared": "fault-cleared",
}
OPENED_BY = {"covered": "tumble", "open": "round-opened"}  # the record with which betting begins
Told = tuple[str, bytes | None]


def happened(books: Ledger) -> Iterator[Told]:
    """What was to be told, by the signed records and by how rounds ended."""
    for record in books.records(books.devices()[0].id):
        if record.kind in TOLD_BY:
            yield TOLD_BY[record.kind], record.round
        mode = books.round(record.round).mode if record.round else ""
        if record.kind == OPENED_BY.get(mode):
            yield "bets-open", record.round
    for table in (COVERED, OPEN):
        for round_ in books.latest_rounds(table, 100):
            if books.referral(round_.id):
                yield "round-referred", round_.id
            for made in books.settlements(round_.id):
                yield "round-corrected" if made.corrects else f"round-{made.verdict}", round_.id


def told(books: Ledger) -> Iterator[Told]:
    for table in (COVERED, OPEN):
        yield from ((each.topic, each.round) for each in books.notices(table))


async def an_eventful_hour(at: House, table: str) -> None:
    """Rounds that are settled, corrected, void, referred and decided, and a fault."""
    settled = await at.betting(table)
    await at.playing().place(table, settled, [Wager("1", "Mei", "small", "10")])
    await at.ended(table, settled)
    case = Case((4, 5, 6), "as the dice lie")
    proposal = await at.deciding(Role.SUPERVISOR).propose(CORRECTION, table, settled, case)
    await at.deciding(Role.SHIFT_MANAGER).confirm(proposal.id)
    void = await at.betting(table)
    await at.deciding(Role.SHIFT_MANAGER).void(table, void, "host-void", "spilt drink")
    tumbler = at.tumblers[table].tumbler
    tumbler.refusal = "unreadable"
    referred = await at.ended(table, await at.betting(table))
    tumbler.refusal = ""
    if referred.state == "referred":
        await at.deciding(Role.SHIFT_MANAGER).void_referred(table, referred.id, "steamed up")
    tumbler.record("fault", fact=FACTS["tilted"], detail="4 degrees")
    tumbler.faults.append("tilted")
    await at.step(table, "clear-fault")
    await at.deciding(Role.TECHNICIAN).clear_fault(table, "tilted")


@pytest.mark.parametrize("table", [COVERED, OPEN])
async def test_a_crash_before_any_statement_leaves_no_fact_untold_and_nothing_told_that_is_none(
    tmp_path, where, table
):
    wrong: list[object] = []
    seen: Counter[Told] = Counter()

    def look(sql: str) -> None:
        with left() as books:
            facts, notices = Counter(happened(books)), Counter(told(books))
            seen.update(notices - seen)
            if facts != notices:
                wrong.append((sql, facts - notices, notices - facts))

    async with house(tmp_path, {table: {}}, ledger=where) as at:
        left = left_by_a_crash(tmp_path, where)
        before_each_statement(at.service.books.store, look)
        await an_eventful_hour(at, table)
        look("the end")
    assert wrong == []
    assert {topic for topic, _ in seen} >= {*TOLD_BY.values(), "bets-open", "round-settled", "round-void"}


async def _over_http(tables: HttpTables, after: int) -> AsyncIterator[EventView]:
    for event in await tables.events(after):
        yield event


async def _over_websocket(tables: HttpTables, after: int) -> AsyncIterator[EventView]:
    newest = (await tables.table(COVERED)).sequence
    async for event in tables.follow(after):
        if event.sequence is not None:
            yield event
        if event.sequence == newest:
            return


@pytest.mark.parametrize("way", [_over_http, _over_websocket])
async def test_a_client_that_is_cut_off_after_each_event_misses_none_and_hears_none_twice(
    tmp_path, where, way
):
    async with house(tmp_path, ledger=where) as at:
        await an_eventful_hour(at, COVERED)
        notices = at.service.books.notices(COVERED)
        async with served(at) as url, HttpTables(url, await Api(at).token()) as tables:
            heard: list[EventView] = []
            while len(heard) < len(notices):
                after = (heard[-1].sequence if heard else 0) or 0
                heard.append(await anext(way(tables, after)))
            with pytest.raises(StopAsyncIteration):
                await anext(_over_http(tables, heard[-1].sequence or 0))
    assert [each.sequence for each in heard] == [each.number for each in notices]
    assert [(each.kind, each.round) for each in heard] == [
        (each.topic, each.round.hex() if each.round else None) for each in notices
    ]
    assert [each.body for each in heard] == [json.loads(each.body) for each in notices]


async def test_who_comes_back_in_the_middle_of_a_round_sees_at_once_how_far_it_is(tmp_path, where):
    """Strokes, dice at rest and the betting clock are no events to be resumed: the table's state has them."""
    async with house(tmp_path, {COVERED: {"betting_s": 60}}, ledger=where) as at:
        round_id = await at.betting()
        async with served(at) as url, HttpTables(url, await Api(at).token()) as tables:
            view = await tables.table(COVERED)
            assert (view.strokes, view.at_rest, view.announcement) == (3, True, "Place your bets")
            assert view.bets_close_ms is not None
            assert 0 < view.bets_close_ms - view.now_ms <= 60_000
            assert [each.kind for each in await tables.events()] == ["round-opened", "bets-open"]
            await at.ended(COVERED, round_id)
            later = tables.follow(view.sequence)
            kinds = [(await anext(later)).kind for _ in range(3)]
            assert kinds == ["bets-closed", "result-read", "round-settled"]


async def test_a_fault_is_told_with_its_cause_and_by_whoever_asks_for_that_table(tmp_path):
    async with house(tmp_path, {COVERED: {}, OPEN: {}}) as at:
        at.tumblers[OPEN].tumbler.record("fault", fact=FACTS["tilted"], detail="4 degrees")
        await at.until(lambda: at.service.stream.newest > 0)
        (event,) = await at.playing().events(table=OPEN)
        assert (event.kind, event.table, event.round) == ("fault-raised", OPEN, None)
        assert event.body == {"fact": "tilted", "detail": "4 degrees"}
        assert await at.playing().events(table=COVERED) == []
