"""Routes of play: tables, rounds, wagers, events."""

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query

from host_tools.api.bodies import After, Nothing, RoundId, RoundPath, TableName, Wagers, Withdrawals
from host_tools.api.guard import Player
from host_tools.api.refusals import BatchErrorBody, BatchRefused, ErrorBody
from host_tools.bridge.wagering import Wager, WagerAnswer, WithdrawalAnswer
from host_tools.service.errors import StreamEnded
from host_tools.service.playing import MOST_ROUNDS
from host_tools.service.views import EventView, RoundView, TableView, WagerView

LONGEST_WAIT_S = 30.0

router = APIRouter(tags=["play"])
_BATCH: dict[int | str, dict[str, Any]] = {
    409: {"model": BatchErrorBody, "description": "nothing of the batch was taken; the answers say why"}
}


@router.get("/tables")
async def list_tables(player: Player) -> list[TableView]:
    """All tables now; their rounds without wagers, which each table's own address has."""
    return await player.tables()


@router.get("/tables/{table}")
async def get_table(table: TableName, player: Player) -> TableView:
    """One table now."""
    return await player.table(table)


@router.post("/tables/{table}/rounds", status_code=201)
async def open_round(table: TableName, player: Player, _body: Nothing | None = None) -> RoundView:
    """Open a round; answered when the tumbler's record of it is durable."""
    return await player.open_round(table)


@router.get("/tables/{table}/rounds")
async def list_rounds(
    table: TableName,
    player: Player,
    before: Annotated[RoundId | None, Query()] = None,
    limit: Annotated[int, Query(ge=1, le=MOST_ROUNDS)] = 10,
) -> list[RoundView]:
    """The last rounds, newest first; those before a round, where it is given."""
    return await player.rounds(table, before, limit)


@router.get("/tables/{table}/rounds/{round}")
async def get_round(table: TableName, round: RoundPath, player: Player) -> RoundView:
    """A round and how it ended."""
    return await player.round(table, round)


@router.post("/tables/{table}/rounds/{round}/tumble")
async def tumble(
    table: TableName, round: RoundPath, player: Player, _body: Nothing | None = None
) -> RoundView:
    """Start the strokes; events tell when they are done."""
    return await player.tumble(table, round)


@router.post("/tables/{table}/rounds/{round}/no-more-bets")
async def no_more_bets(
    table: TableName, round: RoundPath, player: Player, _body: Nothing | None = None
) -> RoundView:
    """Close bets; answered when the tumbler's record of it is durable."""
    return await player.no_more_bets(table, round)


@router.get("/tables/{table}/rounds/{round}/wagers")
async def list_wagers(table: TableName, round: RoundPath, player: Player) -> list[WagerView]:
    """The round's wagers in the order they were placed, then those withdrawn."""
    return await player.wagers(table, round)


@router.post("/tables/{table}/rounds/{round}/wagers", responses=_BATCH)
async def place_wagers(table: TableName, round: RoundPath, body: Wagers, player: Player) -> list[WagerAnswer]:
    """Register a batch, all or nothing, durably before the answer. Ask again with the same ids as often as
    you like: the answer is the same, and nothing is doubled."""
    wagers = [Wager(each.id, each.player, each.wager, each.stake) for each in body.wagers]
    answers = await player.place(table, round, wagers)
    if not all(each.registered for each in answers):
        raise BatchRefused(answers)
    return answers


@router.post("/tables/{table}/rounds/{round}/withdrawals", responses=_BATCH)
async def withdraw_wagers(
    table: TableName, round: RoundPath, body: Withdrawals, player: Player
) -> list[WithdrawalAnswer]:
    """Withdraw a batch before no more bets, all or nothing, durably before the answer."""
    answers = await player.withdraw(table, round, body.ids)
    if not all(each.withdrawn for each in answers):
        raise BatchRefused(answers)
    return answers


@router.get(
    "/events",
    responses={
        416: {"model": ErrorBody, "description": "no event has that number: was the ledger restored?"}
    },
)
async def list_events(
    player: Player,
    after: After = 0,
    table: Annotated[str | None, Query(min_length=1, max_length=40)] = None,
    wait_s: Annotated[float, Query(ge=0, le=LONGEST_WAIT_S)] = 0.0,
) -> list[EventView]:
    """The durable events above number `after`, at most MOST_EVENTS; waits for one up to `wait_s`."""
    if wait_s > 0:
        await _until_one(player, after, table, wait_s)
    return await player.events(after, table)


async def _until_one(player: Player, after: int, table: str | None, wait_s: float) -> None:
    events = player.follow(after, table)
    try:
        async with asyncio.timeout(wait_s):
            async for event in events:
                if event.sequence is not None:
                    return
    except (TimeoutError, StreamEnded):
        return
