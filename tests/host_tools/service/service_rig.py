"""A whole service for tests: its tumblers are those of the bridge's tests, whose records are real."""

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

from argon2 import PasswordHasher

from host_tools.ledger import Ledger, open_ledger
from host_tools.link import Clock, SystemClock
from host_tools.people import Person, Role
from host_tools.service import config as settings
from host_tools.service.auditing import Auditing
from host_tools.service.config import ServiceConfig, TableSettings, read_config
from host_tools.service.deciding import Deciding
from host_tools.service.playing import Playing
from host_tools.service.service import Service
from tests.host_tools.bridge.bridge_rig import Session, Tumbler

COVERED, OPEN, CARDS, BY_HAND = "Covered 1", "Open 1", "Cards 1", "By hand 1"
RULES = {
    COVERED: {"rulebook": "rws-sic-bo-etg-v8", "layout": "pay-table-1", "chip_unit": "1"},
    OPEN: {"rulebook": "rws-sic-bo-open-cover-2021", "layout": "pay-table-1", "chip_unit": "1"},
    BY_HAND: {
        "rulebook": "duisburg-sic-bo-2019",
        "layout": "big-from-11",
        "limits": "eur-1",
        "chip_unit": "1",
    },
    CARDS: {"kind": "cards", "rulebook": "mbs-3-card-sic-bo-2016", "layout": "standard", "chip_unit": "1"},
}
PASSWORD = "correct horse battery"
__all__ = ["BY_HAND", "CARDS", "COVERED", "OPEN", "PASSWORD", "House", "Tumbler", "house", "settings"]


class RigTumbler:
    """A bridge's test tumbler as the service sees it."""

    def __init__(self, tumbler: Tumbler) -> None:
        self.tumbler = tumbler
        self.id = tumbler.id
        self.registered = tumbler.device
        self.rounds = 0

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    def new_session(self, sink: Any, clock: Clock, **callbacks: Any) -> Session:
        self.session = Session(self.tumbler, sink, **callbacks)
        return self.session

    def before_round(self) -> None:
        self.rounds += 1

    def cue(self, name: str) -> None: ...


class House:
    """A running service and doors into it for every role; people are named after their role."""

    def __init__(self, service: Service, tumblers: dict[str, RigTumbler]) -> None:
        self.service = service
        self.tumblers = tumblers

    def person(self, role: Role, name: str = "") -> Person:
        program = role is Role.TABLE_SERVER
        return Person(name or str(role), role, program, "10.0.0.9")

    def playing(self, role: Role = Role.TABLE_SERVER) -> Playing:
        return Playing(self.service, self.person(role))

    def deciding(self, role: Role, name: str = "") -> Deciding:
        return Deciding(self.service, self.person(role, name))

    def auditing(self, role: Role) -> Auditing:
        return Auditing(self.service, self.person(role))

    async def until(self, holds: Callable[[], bool]) -> None:
        async with asyncio.timeout(20):
            while not holds():  # noqa: ASYNC110 - nobody announces it
                await asyncio.sleep(0.005)

    async def step(self, table: str, step: str) -> None:
        await self.until(lambda: self.service.tables[table].step == step)

    async def betting(self, table: str = COVERED) -> str:
        """A new round in which bets are open; its id."""
        playing = self.playing()
        await self.step(table, "open-round")
        round_ = await playing.open_round(table)
        if round_.mode == "covered":
            await playing.tumble(table, round_.id)
        await self.step(table, "place-bets")
        return round_.id

    async def ended(self, table: str, round_id: str) -> Any:
        """Close bets, tumble where it is time, and wait for the end."""
        playing = self.playing()
        closed = await playing.no_more_bets(table, round_id)
        if closed.mode == "open":
            await playing.tumble(table, round_id)
        running = self.service.tables[table]
        await self.until(lambda: not running.round(bytes.fromhex(round_id)).is_open)
        return await playing.round(table, round_id)


def configuration(folder: Path, tables: dict[str, dict[str, Any]], **service: Any) -> ServiceConfig:
    """A configuration as a file would give it; `mqtt` is a section of its own."""
    mqtt = service.pop("mqtt", None)
    content = {
        **({"mqtt": mqtt} if mqtt else {}),
        "service": {"ledger": "ledger.sqlite", "grace_s": 0, **service},
        "api": {"port": 0},
        "tables": [
            {"name": name, **({} if name == CARDS else {"device": "virtual"}), **RULES[name], **more}
            for name, more in tables.items()
        ],
    }
    return read_config(content, folder)


@contextlib.asynccontextmanager
async def house(
    folder: Path,
    tables: dict[str, dict[str, Any]] | None = None,
    tumblers: dict[str, Tumbler] | None = None,
    **service: Any,
) -> AsyncIterator[House]:
    """A running service; opened again on the same folder and tumblers, it is the next start."""
    config = configuration(folder, tables or {COVERED: {}}, **service)
    known = tumblers if tumblers is not None else {}
    rigs = {
        each.name: RigTumbler(known.setdefault(each.name, Tumbler(seed)))
        for seed, each in enumerate(config.tables, start=1)
    }

    async def make(table: TableSettings) -> RigTumbler:
        return rigs[table.name]

    clock = SystemClock()
    hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
    async with Service(config, clock, make=make, hasher=hasher) as running:
        yield House(running, rigs)


def left_by_a_crash(folder: Path, where: str) -> Callable[[], contextlib.AbstractContextManager[Ledger]]:
    """What gives the ledger as the next start finds it when the process ends now."""
    if where.startswith("postgresql"):
        committed = open_ledger(where, read_only=True)
        return lambda: contextlib.nullcontext(committed)

    def copied() -> Ledger:
        for suffix in ("", "-wal"):
            source, copy = folder / (where + suffix), folder / ("copy.sqlite" + suffix)
            copy.unlink(missing_ok=True)
            if source.exists():
                shutil.copy(source, copy)
        return open_ledger(folder / "copy.sqlite", read_only=True)

    return copied
