"""A round of cards killed at every write of its ledger and taken up again: the end is the same as if nothing
had happened, nothing is lost and nothing doubled."""

import contextlib
import itertools
import threading
from collections.abc import Iterator
from pathlib import Path

from host_tools.bridge.wagering import Wager
from host_tools.ledger import Ledger, open_ledger
from host_tools.testing.postgres_server import PostgresServer
from tests.host_tools.bridge.bridge_rig import Clock, before_each_statement
from tests.host_tools.cards.cards_rig import DEALER, MANAGER, NAME, SERVER, TWO_PEOPLE, CardsHouse

BETS = [Wager("a", "Ann", "small", "10"), Wager("b", "Ben", "total:9", "20"), Wager("c", "Cy", "big", "5")]
LEASE_S = 0.2


class Killed(BaseException):
    """The process is gone: nothing of it runs on."""


async def play(house: CardsHouse) -> None:
    """What a shift does, each step asked for again until it is done: two rounds, the first one corrected
    before it counts and after it, the second void by a foreign card."""
    table, books = house.table, house.books
    if table.loaded is None:
        await table.load_shoe("the first", MANAGER)
    rounds = books.latest_rounds(NAME, 2)[::-1]
    first = rounds[0].id if rounds else await table.open_round(DEALER)
    if books.round(first).state != "settled":
        await table.place(first, BETS, SERVER)
        await table.withdraw(first, ["c"], SERVER)
        await table.no_more_bets(first, DEALER)
        await enter(house, [2, 3, 3])
        if books.cards_of_round(first)[2].face == 3:
            await table.desk.correct_cards(first, (2, 3, 4), ("Ada", "Sue"), "mistyped", MANAGER)
        await table.announce(first, DEALER)
    if len(books.settlements(first)) == 1:
        await table.desk.correct(first, (3, 3, 4), TWO_PEOPLE, MANAGER)
    second = rounds[1].id if len(rounds) > 1 else await table.open_round(DEALER)
    if books.round(second).is_open:
        await table.place(second, BETS[:2], SERVER)
        await table.no_more_bets(second, DEALER)
        await enter(house, [6], after=3)
        await table.void_round(second, "foreign-card", "a joker", MANAGER)


async def enter(house: CardsHouse, faces: list[int], after: int = 0) -> None:
    """As a shoe device does that does not know what of it was heard: all again, by their places."""
    loaded = house.table.loaded
    assert loaded is not None
    known = house.books.cards(loaded.id)
    for place, face in enumerate(faces, start=after + 1):
        corrected = place <= len(known) and known[place - 1].revision > 1
        await house.table.enter_card(loaded.id, place, known[place - 1].face if corrected else face, SERVER)


def told(books: Ledger) -> dict[str, object]:
    """All that must not depend on where it was killed; times, ids and numbers may."""
    rounds = books.latest_rounds(NAME, 10)[::-1]
    newest = books.newest_entry(NAME)
    assert newest is not None
    return {
        "balances": (newest.players, newest.held, newest.house),
        "causes": [each.cause for each in books.entries(NAME)],
        "rounds": [
            (
                each.state,
                [(made.verdict, made.faces, made.fact, made.clause) for made in books.settlements(each.id)],
                books.outcomes(each.id),
                [tuple(card)[1:4] + tuple(card)[5:] for card in books.cards_of_round(each.id)],
            )
            for each in rounds
        ],
        "notices": [each.topic for each in books.notices(NAME)],
        "log": [(each.who, each.action) for each in books.accesses(NAME)],
    }


@contextlib.contextmanager
def opened(where: Path | str) -> Iterator[Ledger]:
    """The ledger; after a kill, the store drops what was not committed, as the system would."""
    books = open_ledger(where, lease_s=LEASE_S)
    try:
        yield books
    finally:
        with contextlib.suppress(Exception):
            books.close()


def is_write(sql: str) -> bool:
    """Whether a statement changes what a kill leaves; leases are kept up by a thread of their own."""
    keeper = threading.current_thread().name == "lease keeper"
    return sql.startswith(("INSERT", "UPDATE", "COMMIT")) and not keeper


async def killed_at(where: Path | str, write: int | None, ids: Iterator[int]) -> tuple[bool, int]:
    """Play until the write of that number; whether it came to that, and how many writes there were."""
    count = 0

    def hook(sql: str) -> None:
        nonlocal count
        if not is_write(sql):
            return
        count += 1
        if count == write:
            raise Killed

    with opened(where) as books:
        house = CardsHouse(books, Clock(), ids)
        before_each_statement(books.store, hook)
        try:
            await play(house)
        except Killed:
            return True, count
    return False, count


async def baseline(where: Path | str) -> tuple[dict[str, object], int]:
    """What is in the books of a shift without a kill, and how many writes it took."""
    _, writes = await killed_at(where, None, itertools.count(1))
    with opened(where) as books:
        return told(books), writes


async def survives(where: Path | str, write: int, expected: dict[str, object]) -> None:
    """Kill at a write, start again, and find the same books."""
    ids = itertools.count(1)
    killed, _ = await killed_at(where, write, ids)
    assert killed
    with opened(where) as books:
        books.check_everything()
    again, _ = await killed_at(where, None, ids)
    assert not again
    with opened(where) as books:
        books.check_everything()
        assert told(books) == expected, f"killed at write {write}"


async def test_killed_at_every_write_and_commit_on_sqlite(tmp_path: Path) -> None:
    expected, writes = await baseline(tmp_path / "whole.sqlite")
    assert writes > 90
    for write in range(1, writes + 1):
        await survives(tmp_path / f"{write}.sqlite", write, expected)


async def test_killed_at_writes_on_postgresql(postgres: PostgresServer) -> None:
    expected, writes = await baseline(postgres.new_database())
    for write in range(1, writes + 1, 9):
        await survives(postgres.new_database(), write, expected)
