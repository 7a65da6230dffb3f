"""The bridge killed with SIGKILL at random moments, on both kinds of store; the device lives on beside it.

The child process plays rounds as fast as it can and says what it promised to the table server before it is
killed; each next child recovers first. What a device would keep in its flash is kept in a file.
"""

import asyncio
import json
import multiprocessing
import os
import random
import signal
import time
from collections.abc import Callable
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import psycopg
import pytest
from bridge_rig import House, Tumbler

from host_tools import ledger
from host_tools.bridge.table import Table, Wager
from host_tools.ledger import open_ledger

KILLS = 25
LEASE_S = 600  # a loaded machine stands still for seconds; the test itself lets it end when a bridge is dead
PATIENCE_S = 120  # for a bridge to open the store, or to do something more
BATCHES = (
    [("a", "Ann", "small", "10"), ("b", "Ben", "big", "20")],
    [("c", "Ann", "single:4", "5"), ("d", "Cy", "odd", "7")],
)
STATE = ("boot", "mode", "state", "tumbled")


class KeptTumbler(Tumbler):
    """A tumbler whose journal is in a file before anybody is told of a record."""

    def __init__(self, flash: Path, mode: str) -> None:
        self._flash: Path | None = None
        super().__init__()
        if flash.exists():
            kept = json.loads(flash.read_text())
            self.journal = [bytes.fromhex(each) for each in kept["journal"]]
            self.round = bytes.fromhex(kept["round"]) if kept["round"] else None
            for name in STATE:
                setattr(self, name, kept[name])
        self.mode = self.mode or mode
        self._flash = flash
        self.keep()

    def obey(self, name: str, arguments: dict[str, Any]) -> str:
        """Carry out a command and keep what came of it."""
        status = super().obey(name, arguments)
        self.keep()
        return status

    def keep(self) -> None:
        """Write it all, at once or not at all."""
        if self._flash is None:
            return
        kept = {name: getattr(self, name) for name in STATE}
        kept["journal"] = [each.hex() for each in self.journal]
        kept["round"] = self.round.hex() if self.round else None
        new = self._flash.with_suffix(".new")
        new.write_text(json.dumps(kept))
        os.replace(new, self._flash)


def run_bridge(where: str, flash: Path, promises: Path, mode: str) -> None:
    """The child: recover, then play until killed."""
    asyncio.run(live(where, flash, promises, mode))


async def live(where: str, flash: Path, promises: Path, mode: str) -> None:
    house = opened(where, flash, mode)
    promises.with_suffix(".begun").touch()
    house.clock.sleep = lambda seconds: asyncio.sleep(0)
    with promises.open("a") as out:

        async def bet(table: Table) -> None:
            assert table.round is not None
            for batch in BATCHES:
                wagers = [Wager(*each) for each in batch]
                assert all(answer.registered for answer in await table.place(table.round, wagers))
                out.writelines(f"{table.round.hex()} {each.id}\n" for each in wagers)
                out.flush()
            await table.withdraw(table.round, ["d"])

        async with house.running() as table:
            if await table.recover() is None and table.round is not None:
                await table.finish_round()
            while True:
                await table.play_round(bet)


def opened(where: str, flash: Path, mode: str) -> House:
    """The house, once the lease of the bridge that was killed is over."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            tumbler = KeptTumbler(flash, mode)
            return House(where, tumbler, mode, lease_s=LEASE_S, new_round_id=partial(os.urandom, 16))
        except ledger.LedgerInUse:
            assert time.monotonic() < deadline
            end_leases(where)


def end_leases(where: str) -> None:
    """As time does. The server may still be busy with what the dead bridge asked for last."""
    time.sleep(0.02)
    if where.startswith("postgresql"):
        with psycopg.connect(where, autocommit=True) as connection:
            connection.execute("UPDATE leases SET until_ms = 0")


@pytest.mark.parametrize("mode", ["covered", "open"])
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_bridge_killed_at_random_moments_loses_and_doubles_nothing(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str, mode: str
) -> None:
    chance = random.Random(f"{kind} {mode}")
    where = str(tmp_path / "ledger.db")
    if kind == "postgresql":
        where = request.getfixturevalue("postgres").new_database()
    flash, promises, begun = (tmp_path / name for name in ("flash.json", "promises", "promises.begun"))
    for _ in range(KILLS):
        child = multiprocessing.get_context("fork").Process(
            target=run_bridge, args=(where, flash, promises, mode)
        )
        child.start()
        wait_for(child, begun.exists)
        begun.unlink()
        enough = written(promises) + chance.choice((0, 0, 1, 3, 6, 9))
        wait_for(child, lambda enough=enough: written(promises) >= enough)
        child.join(chance.uniform(0, 0.1))
        assert child.exitcode is None, "the bridge ended by itself"
        assert child.pid is not None
        os.kill(child.pid, signal.SIGKILL)
        child.join()
    house = opened(where, flash, mode)
    asyncio.run(check(house, [line.split() for line in promises.read_text().splitlines()]))


def written(promises: Path) -> int:
    """How many wagers were promised by now."""
    return promises.read_bytes().count(b"\n") if promises.exists() else 0


def wait_for(child: BaseProcess, done: Callable[[], bool]) -> None:
    """Wait until a bridge has come so far, however slow the machine is."""
    deadline = time.monotonic() + PATIENCE_S
    while not done():
        assert child.is_alive(), "the bridge ended by itself"
        assert time.monotonic() < deadline, "the bridge stands still"
        time.sleep(0.005)


async def check(house: House, promised: list[list[str]]) -> None:
    """Recover once more; then every promise is kept once, and every row of the ledger is right."""
    async with house.running() as table:
        if await table.recover() is None and table.round is not None:
            await table.finish_round()
        books = house.ledger
        assert len(promised) > KILLS
        assert [each.raw for each in books.records(house.tumbler.id)] == house.tumbler.journal
        verdicts = set()
        for round_id in {bytes.fromhex(each) for each, _ in promised}:
            verdicts.add(books.round(round_id).state)
            outcomes = {each.wager.id for each in books.outcomes(round_id)}
            withdrawn = {each.id for each in books.withdrawn(round_id)}
            known = {wager for each, wager in promised if each == round_id.hex()}
            assert known <= outcomes | withdrawn
            assert not outcomes & withdrawn
        assert verdicts <= {"settled", "void"}
        assert "settled" in verdicts
        books.check_everything()


def test_a_ledger_that_was_killed_is_not_held_for_ever(tmp_path: Path) -> None:
    """A file's lock ends with its process, so the next bridge need not wait."""
    where = str(tmp_path / "ledger.db")
    child = multiprocessing.get_context("fork").Process(target=hold_for_ever, args=(where,))
    child.start()
    deadline = time.monotonic() + PATIENCE_S
    while not Path(where).exists():
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert child.pid is not None
    os.kill(child.pid, signal.SIGKILL)
    child.join()
    open_ledger(where).close()


def hold_for_ever(where: str) -> None:
    """Open a ledger and stay."""
    with open_ledger(where):
        time.sleep(3600)
