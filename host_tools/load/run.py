"""A load test: simulated tumblers and real firmware, players at all tables, a judge at the end.

`tumbler serve` runs as an operator runs it, with automatic rounds, is stopped as an operator stops it, and
started once more to bring what was left to its end; then the ledger is judged.
"""

import asyncio
import contextlib
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import quantiles
from typing import Any

import httpx

from host_tools.client import HttpTables
from host_tools.faults.device import PromiseBroken
from host_tools.load.fleet import Fleet
from host_tools.load.judging import judge
from host_tools.load.players import Players
from host_tools.load.serving import Serving, new_token
from host_tools.records import Registry

RULES = {
    "covered": 'rulebook = "mbs-electronic-sic-bo-v4"\nlayout = "rapid-select"',
    "open": 'rulebook = "rws-sic-bo-open-cover-2021"\nlayout = "pay-table-1"',
}
_BETWEEN_S = 2.0
_ENDS_S = 180.0  # for what was left to come to its end
_LOOK_S = 5.0  # between two looks at the service's memory


@dataclass(frozen=True, slots=True)
class Load:
    """So many tables with simulated tumblers and with real firmware, for so long. `where` is the ledger."""

    tables: int
    firmware: int
    seconds: float
    wagers: int = 50  # in a round
    betting_s: float = 15.0
    seed: str = "1"
    where: str = "ledger.sqlite"

    @property
    def modes(self) -> list[str]:
        """The play modes of the simulated tables, then of those with firmware."""
        return [("covered", "open")[number % 2] for number in range(self.tables + self.firmware)]


@dataclass(slots=True)
class Looks:
    """What was seen of the service from outside."""

    resident_mb: list[float] = field(default_factory=list)
    listing_ms: list[float] = field(default_factory=list)
    listing_kb: float = 0.0
    unanswered: int = 0


Evidence = tuple[dict[bytes, list[bytes]], Players]


def run(load: Load, folder: Path, keep: Callable[[Evidence], None] = lambda evidence: None) -> dict[str, Any]:
    """Its figures; `keep` gets what the judge judges by. Raises PromiseBroken, ServingFailed, FleetFailed."""
    folder.mkdir(parents=True, exist_ok=True)
    processes = 2 if load.tables > 50 else 1
    with Fleet(load.modes[: load.tables], load.seed, processes=processes) as fleet:
        registry = Registry.open(folder / "registry.json")
        for each in fleet.tumblers:
            registry.register(each.registered, each.challenge, each.proof)
        playing, finishing = (_write(load, folder, fleet, rounds) for rounds in ("automatic", "dealer"))
        figures, players = _play(load, playing, folder)
        _finish(finishing, folder, players)
        promised = {
            each.registered.id: records for each, records in zip(fleet.tumblers, fleet.records(), strict=True)
        }
    keep((promised, players))
    where = load.where if "://" in load.where else folder / load.where
    return figures | judge(where, promised, players)


def _write(load: Load, folder: Path, fleet: Fleet, rounds: str) -> Path:
    """The service's configuration."""
    text = [
        f'[service]\nledger = "{load.where}"\nregistry = "registry.json"\ngrace_s = 30',
        "[api]\nport = 0\nrequests_per_s = 5000",
    ]
    for number, mode in enumerate(load.modes):
        virtual = number >= load.tables
        device = "virtual" if virtual else fleet.tumblers[number].registered.id.hex()
        text.append(
            f'[[tables]]\nname = "Table {number}"\ndevice = "{device}"\n{RULES[mode]}\nchip_unit = "1"'
        )
        text.append(f'rounds = "{rounds}"\nbetting_s = {load.betting_s}\nbetween_s = {_BETWEEN_S}')
        if not virtual:
            text.append(f'evidence = "none"\nboard = "pico"\nports = ["{fleet.tumblers[number].port}"]')
    path = folder / f"{rounds}.toml"
    path.write_text("\n".join(text))
    return path


def _play(load: Load, config: Path, folder: Path) -> tuple[dict[str, Any], Players]:
    with Serving(config, folder / "log") as serving, contextlib.closing(serving.manager()) as manager:
        looks = Looks()
        players, took_s, cpu_s = asyncio.run(_bet_for(load, serving, manager, looks))
        serving.stop()
    return _figures(load, looks, players, took_s, cpu_s), players


async def _bet_for(
    load: Load, serving: Serving, manager: httpx.Client, looks: Looks
) -> tuple[Players, float, float]:
    """Bet for as long; then hear of how the rounds end until the service stops."""
    token = new_token(manager, "players")
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        HttpTables(serving.url, token) as tables,
        httpx.AsyncClient(base_url=serving.url, headers=headers, timeout=60) as looking,
    ):
        players = Players(tables, load.wagers, Random(load.seed), load.betting_s)
        began, cpu_s = time.monotonic(), serving.cpu_s()
        with _running(players.follow()) as following:
            while time.monotonic() < began + load.seconds:
                await asyncio.wait({following}, timeout=min(_LOOK_S, load.seconds))
                if following.done():
                    following.result()
                await _look(serving, looking, looks)
            await players.rest()
    return players, time.monotonic() - began, serving.cpu_s() - cpu_s


async def _look(serving: Serving, client: httpx.AsyncClient, looks: Looks) -> None:
    began = time.perf_counter()
    try:
        answer = await client.get("/api/tables")
    except httpx.TransportError:
        looks.unanswered += 1
        return
    looks.listing_ms.append((time.perf_counter() - began) * 1000)
    looks.listing_kb = len(answer.content) / 1000
    looks.resident_mb.append(serving.resident_mb())


def _finish(config: Path, folder: Path, players: Players) -> None:
    """Start again: the tumblers tell what they have, people void what the rules leave to them."""
    with Serving(config, folder / "log") as serving, contextlib.closing(serving.manager()) as manager:
        asyncio.run(_hear_the_rest(serving, manager, players))
        serving.stop()


async def _hear_the_rest(serving: Serving, manager: httpx.Client, players: Players) -> None:
    async with HttpTables(serving.url, new_token(manager, "players after")) as tables:
        deadline = time.monotonic() + _ENDS_S
        while waiting := await asyncio.to_thread(_bring_to_end, manager):
            if time.monotonic() > deadline:
                raise PromiseBroken(f"rounds come to no end: {waiting}")
            await asyncio.sleep(1)
        newest = max((number for number, *_ in players.told), default=0)
        while page := await tables.events(newest):
            players.told += [(each.sequence or 0, each.kind, each.round) for each in page]
            newest = page[-1].sequence or 0


def _bring_to_end(manager: httpx.Client) -> list[str]:
    """Do what a person does at the tables whose round is not over; those tables."""
    waiting = []
    for table in manager.get("/api/tables").raise_for_status().json():
        round_ = table["round"]
        if round_ is None or round_["state"] in ("settled", "void"):
            continue
        waiting.append(f"{table['name']}: {round_['state']}, {table['step']} {table['quarantine']}")
        address = f"/api/tables/{table['name']}/rounds/{round_['id']}"
        if round_["state"] == "referred":
            answer = {"verdict": "void", "reason": "the load test is over"}
            manager.post(f"{address}/resolution", json=answer)
        elif table["step"] == "tumble":
            manager.post(f"{address}/tumble", json={})
    return waiting


@contextlib.contextmanager
def _running(work: Any) -> Iterator[asyncio.Task[None]]:
    task = asyncio.create_task(work)
    try:
        yield task
    finally:
        task.cancel()


def _figures(load: Load, looks: Looks, players: Players, took_s: float, cpu_s: float) -> dict[str, Any]:
    placing, announcing = _percentiles(players.placing_s, 1000), _percentiles(players.announcing_ms, 1)
    half = len(looks.resident_mb) // 2
    return {
        "tables": load.tables,
        "firmware": load.firmware,
        "seconds": round(took_s),
        "service_cpu": round(cpu_s / took_s, 2),
        "batch_answered_ms": placing,
        "settled_to_heard_ms": announcing,
        "asked_again": players.asked_again,
        "unanswered_looks": looks.unanswered,
        "list_of_tables_ms": round(max(looks.listing_ms), 1),
        "list_of_tables_kb": round(looks.listing_kb),
        "resident_mb": [round(looks.resident_mb[at]) for at in (0, half, -1)],
    }


def _percentiles(values: list[float], factor: float) -> dict[str, float]:
    if not values:
        raise PromiseBroken("nothing has happened at the tables")
    values = values * 2 if len(values) == 1 else values  # quantiles are of two at the least
    cuts = quantiles(values, n=100)
    return {"p50": round(cuts[49] * factor, 1), "p99": round(cuts[98] * factor, 1)}


def run_as_command(load: Load, folder: Path) -> bool:
    """Print its figures as one JSON object; whether everything held."""
    try:
        print(json.dumps(run(load, folder)))
    except PromiseBroken as broken:
        print(json.dumps({"tables": load.tables, "broken": str(broken)}))
        return False
    return True
