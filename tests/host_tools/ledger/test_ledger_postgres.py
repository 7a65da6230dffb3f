"""A database that many bridges share: leases with fencing, outages, and a server that is no ledger."""

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace

import psycopg
import pytest
from ledger_rows import ANN, BEN, DEVICE, LOST, NOBODY, ROUND, SETTLED, WON, betting, enrolled, record

from host_tools import ledger
from host_tools.ledger import Wager, open_ledger
from host_tools.testing.postgres_server import PostgresServer

SHORT_S = 0.6


@pytest.fixture
def url(postgres: PostgresServer) -> str:
    return postgres.new_database()


def test_commits_wait_for_the_disk(url: str) -> None:
    with open_ledger(f"{url}%20-csynchronous_commit%3Doff") as books, books.transaction():
        assert books.store.rows("SHOW synchronous_commit") == [("on",)]


def test_a_database_with_other_tables_is_refused_and_left_alone(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("CREATE TABLE other (x int)")
        with pytest.raises(ledger.LedgerUnusable, match="other tables"):
            open_ledger(url)
        tables = "SELECT tablename FROM pg_tables WHERE schemaname = current_schema()"
        assert connection.execute(tables).fetchall() == [("other",)]


def test_a_newer_ledger_is_refused(url: str) -> None:
    open_ledger(url).close()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE ledger_schema SET version = version + 1")
    with pytest.raises(ledger.LedgerUnusable, match="newer"):
        open_ledger(url)


def test_a_server_that_is_not_there_is_named() -> None:
    with pytest.raises(ledger.LedgerUnusable, match="cannot be used"):
        open_ledger("postgresql://tumbler@/ledger?host=/nowhere")


def test_bridges_that_start_together_make_one_schema(url: str) -> None:
    program = f"from host_tools.ledger import open_ledger; open_ledger({url!r}).close()"
    started = [subprocess.Popen([sys.executable, "-c", program]) for _ in range(4)]
    assert [each.wait(60) for each in started] == [0] * 4


def test_whoever_has_read_up_to_a_number_has_all_notices_below_it(url: str) -> None:
    with open_ledger(url) as one, open_ledger(url) as two, ThreadPoolExecutor() as other:
        with one.transaction():
            one.notify("table 1", "told", None, {}, 1)
            later = other.submit(_notify, two)
            time.sleep(0.3)
            assert two.notices_of(["table 1", "table 2"]) == []
        later.result(10)
        assert [each.source for each in one.notices_of(["table 1", "table 2"])] == ["table 1", "table 2"]


def _notify(books: ledger.Ledger) -> None:
    with books.transaction():
        books.notify("table 2", "told", None, {}, 1)


def test_seals_are_one_chain_whatever_the_server_isolates_by_default(url: str) -> None:
    strict = f"{url}%20-cdefault_transaction_isolation%3Drepeatable%5C%20read"
    with open_ledger(strict) as one, open_ledger(strict) as two, ThreadPoolExecutor() as other:
        with one.transaction():
            one.notify("table 2", "told", None, {}, 1)
            later = other.submit(_notify, two)
            time.sleep(0.3)
        later.result(10)
        one.check_everything()


# --- leases ---


def test_a_table_has_one_bridge_at_a_time_and_each_bridge_its_tables(url: str, closing: ExitStack) -> None:
    first, second = (closing.enter_context(open_ledger(url)) for _ in range(2))
    betting(first)
    with pytest.raises(ledger.LedgerInUse, match="table one is in use by process"):
        second.hold("one")
    with pytest.raises(ledger.LeaseLost, match="not held"), second.transaction():
        second.place(ROUND.id, [Wager("c", "Cy", "big", 1)], 5)
    second.hold("two")
    with second.transaction():
        second.enrol(b"tumbler2", b"x" * 32, NOBODY)
        second.open_round(replace(ROUND, id=b"2" * 16, table="two", device=b"tumbler2"))
    with first.transaction():
        first.conclude(SETTLED, [WON, LOST])
    assert second.outcomes(ROUND.id) == [WON, LOST]
    second.check()


def test_a_bridge_that_stops_gives_its_table_back_at_once(url: str) -> None:
    with open_ledger(url) as first:
        betting(first)
    with open_ledger(url) as second:
        second.hold("one")
        with second.transaction():
            second.conclude(SETTLED, [WON, LOST])


def test_a_lease_is_kept_up_for_as_long_as_its_bridge_lives(
    url: str, closing: ExitStack, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its end moves on again and again, long before it comes."""
    monkeypatch.setattr("host_tools.ledger.leases._RENEWALS", 300)
    first, second = (closing.enter_context(open_ledger(url, lease_s=30)) for _ in range(2))
    betting(first)
    ends: set[int] = set()
    deadline = time.monotonic() + 60
    while len(ends) < 3:
        ends.add(second.store.rows("SELECT until_ms FROM leases")[0][0])
        assert time.monotonic() < deadline
        time.sleep(0.05)
    with pytest.raises(ledger.LedgerInUse):
        second.hold("one")
    with first.transaction():
        first.conclude(SETTLED, [WON, LOST])


@pytest.fixture
def killed_bridge(url: str) -> str:
    """A database whose bridge was killed in the middle of a settlement."""
    program = f"""
import os, signal, sys
sys.path.append({str(__file__.rpartition("/")[0])!r})
from ledger_rows import *
from host_tools.ledger import open_ledger
books = open_ledger({url!r}, lease_s={SHORT_S})
betting(books)
with books.transaction():
    books.conclude(SETTLED, [WON, LOST])
    os.kill(os.getpid(), signal.SIGKILL)
"""
    killed = subprocess.run([sys.executable, "-c", program], check=False)
    assert killed.returncode == -9
    return url


def test_the_table_of_a_killed_bridge_is_taken_over_and_settled_once(killed_bridge: str) -> None:
    with open_ledger(killed_bridge, lease_s=SHORT_S) as books:
        deadline = time.monotonic() + 60
        while True:
            try:
                books.hold("one")
                break
            except ledger.LedgerInUse:
                assert time.monotonic() < deadline
                time.sleep(0.05)
        assert books.round(ROUND.id).state == "betting"
        with books.transaction():
            books.conclude(SETTLED, [WON, LOST])
        assert len(books.postings(ROUND.id)) == 6
        books.check()


@pytest.fixture
def frozen_and_heir(url: str, closing: ExitStack) -> tuple[ledger.Ledger, ledger.Ledger]:
    """A bridge that stood still for longer than its lease, and the one that took its table over."""
    frozen = closing.enter_context(open_ledger(url, lease_s=3600))
    betting(frozen)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE leases SET until_ms = 0")
    heir = closing.enter_context(open_ledger(url))
    heir.hold("one")
    return frozen, heir


def test_a_bridge_that_lost_its_table_writes_nothing(
    frozen_and_heir: tuple[ledger.Ledger, ledger.Ledger],
) -> None:
    frozen, heir = frozen_and_heir
    for write in (
        lambda: frozen.conclude(SETTLED, [WON, LOST]),
        lambda: frozen.place(ROUND.id, [Wager("c", "Cy", "big", 1)], 5),
        lambda: frozen.withdraw(ROUND.id, ["a"], 5),
        lambda: frozen.set_state(ROUND.id, "closing", 5),
        lambda: frozen.open_round(replace(ROUND, id=b"2" * 16)),
        lambda: frozen.order_void(ledger.VoidOrder(ROUND.id, "host-lost", "", 5)),
        lambda: frozen.refer(ledger.Referral(ROUND.id, "tilted", "6.1", 1, 5)),
    ):
        with pytest.raises(ledger.LeaseLost, match="taken over"), frozen.transaction():
            write()
    with heir.transaction():
        heir.conclude(SETTLED, [WON, LOST])
    with pytest.raises(ledger.LeaseLost), frozen.transaction():
        frozen.conclude(SETTLED, [WON, LOST])
    assert len(heir.postings(ROUND.id)) == 6
    heir.check()
    assert heir.holds("one")
    assert not frozen.holds("one")


def test_a_table_that_was_let_go_is_free_at_once(url: str, closing: ExitStack) -> None:
    first, second = (closing.enter_context(open_ledger(url, lease_s=3600)) for _ in range(2))
    first.hold("one")
    first.let_go("one")
    assert not first.holds("one")
    second.hold("one")
    first.let_go("one")
    with pytest.raises(ledger.LedgerInUse):
        first.hold("one")
    assert second.holds("one")


def test_a_lost_table_shows_at_the_next_renewal(frozen_and_heir: tuple[ledger.Ledger, ledger.Ledger]) -> None:
    frozen, heir = frozen_and_heir
    for each in (frozen, heir):
        with each.transaction():
            each.leases.renew()
    assert not frozen.holds("one")
    assert heir.holds("one")


def test_no_take_over_in_the_middle_of_a_settlement(url: str, closing: ExitStack) -> None:
    """While a write that has seen its token is not committed, the heir waits; afterwards it sees it."""
    first, second = (closing.enter_context(open_ledger(url)) for _ in range(2))
    betting(first)
    with first.transaction():
        first.conclude(SETTLED, [WON, LOST])
        with psycopg.connect(url, autocommit=True) as impatient:
            impatient.execute("SET lock_timeout = '100ms'")
            with pytest.raises(psycopg.errors.LockNotAvailable):
                impatient.execute("UPDATE leases SET until_ms = 0, token = token + 1")
    assert second.round(ROUND.id).state == "settled"


_FROZEN_IN_A_TRANSACTION = """
import sys, time
from host_tools.ledger import open_ledger
books = open_ledger(sys.argv[1])
books.hold("one")
try:
    with books.transaction():
        books.notify("one", "told", None, {}, 1)
        print("in it", flush=True)
        sys.stdin.readline()
        books.notify("one", "told", None, {}, 2)
except Exception as error:
    print(type(error).__name__, flush=True)
"""


def test_a_bridge_frozen_in_a_transaction_keeps_no_other_from_writing(
    url: str,
) -> None:
    """Nor does one whose host has lost its power, of which the server hears nothing."""
    short = f"import host_tools.ledger.postgres as p; p._MOST_IDLE_MS = 500\n{_FROZEN_IN_A_TRANSACTION}"
    command = [sys.executable, "-c", short, url]
    with (
        open_ledger(url) as books,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as frozen,
    ):
        assert frozen.stdout is not None
        assert frozen.stdout.readline() == "in it\n"
        frozen.send_signal(signal.SIGSTOP)
        with ThreadPoolExecutor() as other:
            written = other.submit(_notify, books)
            try:
                written.result(10)
            finally:
                frozen.send_signal(signal.SIGCONT)
                told, _ = frozen.communicate("go on\n", 10)
        assert told == "LedgerUnavailable\n"
        assert books.notices("one") == []


# --- outages ---


@pytest.fixture
def own_server() -> Iterator[PostgresServer]:
    with PostgresServer() as server:
        yield server


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGQUIT])
def test_a_restart_of_the_server_in_mid_transaction_loses_and_doubles_nothing(
    own_server: PostgresServer, how: signal.Signals
) -> None:
    with open_ledger(own_server.new_database()) as books:
        betting(books)

        def settle_and_lose_the_server() -> None:
            with books.transaction():
                books.conclude(SETTLED, [WON, LOST])
                own_server.stop(how)

        with pytest.raises(ledger.LedgerUnavailable):
            settle_and_lose_the_server()
        with pytest.raises(ledger.LedgerUnavailable):
            books.wagers(ROUND.id)
        with pytest.raises(ledger.LedgerUnavailable), books.transaction():
            books.conclude(SETTLED, [WON, LOST])
        own_server.start()
        assert books.wagers(ROUND.id) == [ANN, BEN]
        assert books.settlement(ROUND.id) is None
        with books.transaction():
            books.conclude(SETTLED, [WON, LOST])
        assert len(books.postings(ROUND.id)) == 6
        books.check()


def test_a_restart_between_transactions_is_not_even_noticed(own_server: PostgresServer) -> None:
    with open_ledger(own_server.new_database()) as books:
        enrolled(books)
        own_server.stop()
        own_server.start()
        assert books.device(DEVICE).head_sequence == 0
        with books.transaction():
            books.add_record(record(1), 1)
        assert books.device(DEVICE).head_sequence == 1
