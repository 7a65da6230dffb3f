"""A table server: opens rounds at one table, places wagers, and prints what each of them comes to.

    python docs/examples/table_server.py http://127.0.0.1:8080 TOKEN "Table 1" --rounds 3

A shift manager makes the token in the console (a program with the role table-server). In covered play the
dealer lifts the cover after no more bets; the result comes by itself.
"""

import argparse
import asyncio
import itertools

from host_tools.client import EventView, HttpTables, Tables, Wager

ENDED = ("round-settled", "round-void", "round-referred")


async def play(tables: Tables, table: str, rounds: int) -> None:
    """Play some rounds. `tables` may as well be `host_tools.service.playing.Playing`, without any HTTP."""
    for number in range(1, rounds + 1):
        await until_step(tables, table, "open-round")
        sequence = (await tables.table(table)).sequence
        round_ = await tables.open_round(table)
        if round_.mode == "covered":
            await tables.tumble(table, round_.id)
            await until_step(tables, table, "place-bets")
        answers = await tables.place(table, round_.id, wagers(number))
        print(f"round {number}: {sum(each.registered for each in answers)} wagers registered")
        await tables.no_more_bets(table, round_.id)
        if round_.mode == "open":
            await tables.tumble(table, round_.id)
        ended = await end_of(tables, table, round_.id, sequence)
        print(f"round {number}: {ended.kind} {ended.body.get('faces') or ended.body.get('fact')}")
        for each in (await tables.round(table, round_.id)).wagers:
            print(f"  {each.player} {each.wager} {each.stake}: {each.result}, {each.returned} goes back")


def wagers(number: int) -> list[Wager]:
    """A batch; its ids are this round's, so that it can be sent again without harm."""
    ids = (f"{number}-{each}" for each in itertools.count(1))
    return [
        Wager(next(ids), "Mei", "small", "10"),
        Wager(next(ids), "Arun", "total:9", "5"),
        Wager(next(ids), "Farah", "any-triple", "1"),
    ]


async def until_step(tables: Tables, table: str, step: str) -> None:
    """Wait until that is what comes next at the table."""
    events = tables.follow(table=table)
    while (await tables.table(table)).step != step:
        try:
            async with asyncio.timeout(1.0):  # a hint may be missed
                await anext(events)
        except TimeoutError:
            events = tables.follow(table=table)


async def end_of(tables: Tables, table: str, round_id: str, after: int) -> EventView:
    """Wait for the event that ends the round; none is missed, whatever happens to the line."""
    async for event in tables.follow(after, table):
        if event.round == round_id and event.kind in ENDED:
            return event
    raise RuntimeError("the stream never ends by itself")


async def main() -> None:
    """Read the command line and play."""
    parser = argparse.ArgumentParser(description="Play rounds at a table.")
    parser.add_argument("url")
    parser.add_argument("token")
    parser.add_argument("table")
    parser.add_argument("--rounds", type=int, default=1)
    asked = parser.parse_args()
    async with HttpTables(asked.url, asked.token) as tables:
        await play(tables, asked.table, asked.rounds)


if __name__ == "__main__":
    asyncio.run(main())
