"""Group commit: durable when awaited, errors of one's own, one loss for all, and a loop that never waits."""

import asyncio
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from ledger_rows import ANN, LOST, ROUND, SETTLED, WON, betting, enrolled

from host_tools import ledger
from host_tools.ledger import Ledger, Wager, open_ledger


def placing(books: Ledger, number: int) -> Callable[[], int]:
    def work() -> int:
        books.place(ROUND.id, [Wager(f"id {number}", "Cy", "small", 1 + number)], 5)
        return number

    return work


async def test_work_is_durable_when_its_result_is_there(books: Ledger, where: str) -> None:
    betting(books)
    assert await books.durably(placing(books, 7)) == 7
    with open_ledger(where, read_only=True) as auditor:
        assert [each.id for each in auditor.wagers(ROUND.id)] == ["a", "b", "id 7"]


async def test_many_share_commits_and_each_gets_its_own_answer(books: Ledger) -> None:
    betting(books)
    commits = count(books, "COMMIT")
    answers = await asyncio.gather(*(books.durably(placing(books, number)) for number in range(200)))
    assert answers == list(range(200))
    assert len(books.wagers(ROUND.id)) == 202
    assert commits[0] < 100
    books.check()


def count(books: Ledger, statement: str) -> list[int]:
    """How often a statement was run from now on."""
    counted, execute = [0], books.store.execute

    def counting(sql: str, values: Sequence[Any] = ()) -> list[tuple]:
        counted[0] += sql == statement
        return execute(sql, values)

    books.store.execute = counting
    return counted


async def test_an_error_undoes_its_own_work_alone(books: Ledger) -> None:
    betting(books)

    def half_done() -> None:
        books.place(ROUND.id, [Wager("half", "Cy", "small", 5)], 5)
        raise ZeroDivisionError

    def late() -> None:
        books.place(ROUND.id, [ANN], 5)

    work = [placing(books, 1), half_done, placing(books, 2), late, placing(books, 3)]
    blocked = threading.Event()
    first = asyncio.ensure_future(books.durably(blocked.wait))
    rest = [asyncio.ensure_future(books.durably(each)) for each in work]
    await asyncio.sleep(0)
    blocked.set()
    await first
    results = await asyncio.gather(*rest, return_exceptions=True)
    assert [results[0], results[2], results[4]] == [1, 2, 3]
    assert isinstance(results[1], ZeroDivisionError)
    assert isinstance(results[3], ledger.StoreRefusal)
    assert [each.id for each in books.wagers(ROUND.id)] == ["a", "b", "id 1", "id 2", "id 3"]
    books.check()


async def test_the_loop_goes_on_while_a_commit_waits_for_its_disk(books: Ledger) -> None:
    enrolled(books)
    disk = threading.Event()
    slow = asyncio.ensure_future(books.durably(lambda: disk.wait(60)))
    for _ in range(10):
        await asyncio.sleep(0.01)
        books.devices()
    assert not slow.done()
    disk.set()
    assert await slow


async def test_work_whose_asker_has_gone_is_not_begun(books: Ledger) -> None:
    betting(books)
    blocked = threading.Event()
    first = asyncio.ensure_future(books.durably(blocked.wait))
    await asyncio.sleep(0.05)
    gone = asyncio.ensure_future(books.durably(placing(books, 1)))
    await asyncio.sleep(0.05)
    gone.cancel()
    await asyncio.sleep(0)
    blocked.set()
    await first
    await books.durably(placing(books, 2))
    assert [each.id for each in books.wagers(ROUND.id)] == ["a", "b", "id 2"]


async def test_closing_finishes_what_waits_and_refuses_more(where: str) -> None:
    with open_ledger(where) as books:
        betting(books)
        waiting = [asyncio.ensure_future(books.durably(placing(books, number))) for number in range(20)]
        await asyncio.sleep(0)
    assert await asyncio.gather(*waiting) == list(range(20))
    with pytest.raises(ledger.LedgerClosed):
        await books.durably(placing(books, 99))
    with open_ledger(where) as again:
        assert len(again.wagers(ROUND.id)) == 22


async def test_when_a_commit_is_lost_all_who_shared_it_are_told(books: Ledger) -> None:
    betting(books)
    execute, lost = books.store.execute, [True]

    def failing(sql: str, values: Sequence[Any] = ()) -> list[tuple]:
        if sql == "COMMIT" and lost[0]:
            raise ledger.LedgerUnavailable("no space left on the disk")
        return execute(sql, values)

    books.store.execute = failing
    work = [books.durably(placing(books, number)) for number in range(5)]
    results = await asyncio.gather(*work, return_exceptions=True)
    assert [type(each) for each in results] == [ledger.LedgerUnavailable] * 5
    assert len(books.wagers(ROUND.id)) == 2
    lost[0] = False
    assert await books.durably(placing(books, 1)) == 1
    books.check()


def test_a_full_disk_refuses_and_loses_nothing(tmp_path: Path) -> None:
    """The system itself refuses to let the files grow; when there is room again, the ledger goes on."""
    program = f"""
import resource, signal, sys
sys.path.append({str(Path(__file__).parent)!r})
from ledger_rows import *
from host_tools.ledger import LedgerUnavailable, open_ledger
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with open_ledger({str(tmp_path / "ledger.db")!r}) as books:
    betting(books)
    size = books.store.path.with_name("ledger.db-wal").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 9000, resource.RLIM_INFINITY))
    stored, sequence = 1, 2
    for _ in range(100):
        try:
            with books.transaction():
                books.add_record(record(sequence, bytes(500)), 1)
            stored = sequence
            sequence += 1
        except LedgerUnavailable as error:
            print(error)
            break
    else:
        raise AssertionError("the disk never got full")
    assert books.device(DEVICE).head_sequence == stored
    books.check()
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    with books.transaction():
        books.add_record(record(sequence, bytes(500)), 1)
        books.conclude(SETTLED, [WON, LOST])
    books.check()
    assert books.device(DEVICE).head_sequence == sequence
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "free space" in done.stdout


def test_a_store_that_became_read_only_refuses(tmp_path: Path) -> None:
    with open_ledger(tmp_path / "ledger.db") as books:
        betting(books)
        books.store.execute("PRAGMA query_only = 1")
        with pytest.raises(ledger.LedgerUnavailable), books.transaction():
            books.conclude(SETTLED, [WON, LOST])
        books.store.execute("PRAGMA query_only = 0")
        with books.transaction():
            books.conclude(SETTLED, [WON, LOST])
        books.check()
