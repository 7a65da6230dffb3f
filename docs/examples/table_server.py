"""A table server: opens rounds at one table, places wagers, and prints what each of them comes to.

    python docs/examples/table_server.py http://127.0.0.1:8080 TOKEN "Table 1" --rounds 3

A shift manager makes the token in the console (a program with the role table-server). In covered play the
dealer lifts the cover after no more bets; the result comes by itself. It looks at the table again after
whatever happens there and does what comes next: so it outlives a service that stops and starts again.
"""

import argparse
import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

from host_tools.client import HttpTables, Refused, RoundView, Tables, TableView, Unreachable, Wager

ENDED = ("settled", "void", "referred")
PASSING = (409, 429, 503)  # refused as things stand now; they may stand otherwise a moment later
LOOK_S = 1.0  # a hint may be missed

# A batch; its ids are the round's own, so that it can be sent again without harm.
WAGERS = (
    Wager("1", "Mei", "small", "10"),
    Wager("2", "Arun", "total:9", "5"),
    Wager("3", "Farah", "any-triple", "1"),
)


async def play(tables: Tables, table: str, rounds: int) -> None:
    """Play some rounds. `tables` may as well be `host_tools.service.playing.Playing`, without any HTTP."""
    number, round_id, taken = 1, "", ""
    async with aclosing(happenings(tables, table)) as happens:
        async for _ in happens:
            try:
                view = await tables.table(table)
                round_id = round_id or await begun(tables, view)
                round_ = await tables.round(table, round_id) if round_id else None
                if round_ is not None and round_.state in ENDED:
                    tell(number, round_)
                    number, round_id, taken = number + 1, "", ""
                elif round_ is not None and view.step != taken:
                    await take(tables, view, round_id)
                    taken = view.step
            except (Refused, Unreachable) as error:
                if isinstance(error, Refused) and error.status not in PASSING:
                    raise
                print(f"round {number}: waiting: {error}")
                taken = ""  # nobody knows whether it was: do what comes next then
            if number > rounds:
                return


async def happenings(tables: Tables, table: str) -> AsyncGenerator[None]:
    """At once, after whatever happens at the table, and now and then."""
    events = tables.follow(table=table)
    heard = asyncio.ensure_future(anext(events))
    try:
        while True:
            yield
            await asyncio.wait({heard}, timeout=LOOK_S)
            if heard.done():
                heard.result()
                heard = asyncio.ensure_future(anext(events))
    finally:
        heard.cancel()


async def begun(tables: Tables, view: TableView) -> str:
    """The id of the round that goes on, or of a new one; empty while none can be opened."""
    if view.round is not None and view.round.state not in ENDED:
        return view.round.id
    return (await tables.open_round(view.name)).id if view.step == "open-round" else ""


async def take(tables: Tables, view: TableView, round_id: str) -> None:
    """Take the step that is the table server's, if it is."""
    if view.step == "tumble":
        await tables.tumble(view.name, round_id)
    elif view.step == "place-bets":
        answers = await tables.place(view.name, round_id, WAGERS)
        print(f"  {sum(each.registered for each in answers)} wagers registered")
        await tables.no_more_bets(view.name, round_id)


def tell(number: int, round_: RoundView) -> None:
    """Print how a round ended, and what goes back to whom."""
    print(f"round {number}: {round_.state} {round_.faces or round_.settlements[-1].fact}")
    for each in round_.wagers:
        print(f"  {each.player} {each.wager} {each.stake}: {each.result}, {each.returned} goes back")


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
