"""A table of real processes: a simulated device that lives on, and bridges over a pty that are killed.

The bridge is the product's own: serial port, session, group commit, SQLite or PostgreSQL. Time passes faster
in both processes, by the same factor, so that a round takes a second. What the device promised and what the
table server was told is kept in files; the oracle judges by them.
"""

import asyncio
import multiprocessing
import os
import pickle
import signal
import sys
import time
import traceback
from functools import partial
from multiprocessing.process import BaseProcess
from pathlib import Path
from random import Random
from typing import Any

from host_tools.bridge.events import Event, StoreLost
from host_tools.bridge.sink import LedgerSink
from host_tools.bridge.table import Table, TableConfig
from host_tools.faults.device import PromiseBroken, SimulatedDevice
from host_tools.faults.fast_time import run_fast
from host_tools.faults.house import TABLE, TERMS
from host_tools.faults.oracle import Witness, judge
from host_tools.faults.pty_cable import PtyCable
from host_tools.faults.server import TableServer
from host_tools.faults.virtual_time import VirtualClock
from host_tools.faults.world import World
from host_tools.ledger import Ledger, LedgerInUse, LedgerUnavailable, LedgerUnusable, open_ledger
from host_tools.link import HostSession, open_serial
from host_tools.records import Registry

SPEED = 8.0
LEASE_S = 0.5  # of a table in PostgreSQL, so that the next bridge need not wait long
_POLL_S = 0.02
_START_S = 60.0  # real seconds for a process to be there, on a busy machine
_CLEAN_S = 120.0

# How a bridge ends by itself.
DONE, IN_USE, UNAVAILABLE, UNUSABLE, BROKEN = 0, 3, 4, 5, 6


# --- the device's process


def _run_device(folder: Path, seed: str, mode: str) -> None:
    """Live until the file `stop` is there, then leave what was promised."""
    run_fast(_live(folder, Random(seed), mode), SPEED)


async def _live(folder: Path, rng: Random, mode: str) -> None:
    failures: list[BaseException] = []
    cable = PtyCable()
    os.close(cable.to_device.slave)
    world = World(rng, covered=mode == "covered")
    device = SimulatedDevice(rng, world, cable, failures.append)
    device.power_on()
    _put(folder / "port", (cable.to_device.port, device.registered))
    while not failures and not (folder / "stop").exists():
        cable.to_device.look()
        if (folder / "calm").exists():
            world.calm = True
        await asyncio.sleep(_POLL_S)
    witness = Witness(device.records, device.boots, device.registered, world.throws)
    _put(folder / "witness", (witness, [repr(each) for each in failures], device.acknowledged))
    device.cut()


# --- the bridge's process


class _KeptServer(TableServer):
    """A table server whose knowledge is in a file before anybody acts upon it."""

    thinking_s = 0.1, 1.5
    pause_s = 0.1, 1.0

    def __init__(self, rng: Random, path: Path) -> None:
        super().__init__(rng)
        self._path = path
        if path.exists():
            vars(self).update(_get(path))

    def follow(self, event: Event) -> None:
        """Count what the sink says of its store."""
        self.store_lost += isinstance(event, StoreLost)

    def keep(self) -> None:
        """See TableServer."""
        names = (
            "asked",
            "registered",
            "withdrawn",
            "outcomes",
            "asked_again",
            "store_lost",
            "_batches",
            "_withdrawals",
        )
        _put(self._path, {name: getattr(self, name) for name in names})


class _Host:
    """What the table server needs of its host."""

    def __init__(self, table: Table) -> None:
        self.table = table


def _run_bridge(folder: Path, where: str, lease_s: float, mode: str, seed: str, last: bool) -> None:  # noqa: PLR0913, PLR0917
    """Recover and play until killed, or in the last life until a round is settled; the exit code says how it
    ended."""
    try:
        work = _bridge(folder, open_ledger(where, lease_s=lease_s), mode, Random(seed), last)
        run_fast(work, SPEED)
    except LedgerInUse:
        sys.exit(IN_USE)
    except LedgerUnavailable:
        sys.exit(UNAVAILABLE)
    except LedgerUnusable:
        sys.exit(UNUSABLE)
    except BaseException:
        (folder / "broken").write_text(traceback.format_exc())
        sys.exit(BROKEN)


async def _bridge(folder: Path, ledger: Ledger, mode: str, rng: Random, last: bool) -> None:
    port, registered = _get(folder / "port")
    clock = VirtualClock()
    with ledger as books:
        sink = LedgerSink(books, Registry([registered]), clock)
        new_session = partial(HostSession, partial(open_serial, port), sink, clock)
        config = TableConfig(TABLE, registered.id, TERMS[mode])
        table = Table(config, sink, new_session, clock, partial(os.urandom, 16))
        (folder / "begun").touch()
        server = _KeptServer(rng, folder / "server")
        sink.listen(registered.id, server.follow)
        running = asyncio.create_task(table.run())
        playing = asyncio.create_task(server.play(_Host(table)))
        parts = [running, playing]
        if last:
            parts.append(asyncio.create_task(_play_last(server, folder)))
        done, _ = await asyncio.wait({running, playing}, return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
        for task in parts:
            task.cancel()
        await asyncio.gather(*parts, return_exceptions=True)


async def _play_last(server: TableServer, folder: Path) -> None:
    """A clean round, then the end."""
    (folder / "calm").touch()
    known = set(server.outcomes)
    while not any(each.verdict == "settled" for id, each in server.outcomes.items() if id not in known):  # noqa: ASYNC110
        await asyncio.sleep(0.5)
    server.stopping = True
    await server.rested.wait()
    await asyncio.sleep(3)  # what the device still had to tell
    server.closed.set()


# --- the sitting


class Sitting:
    """A device and the bridges of its table, on the store `where`; what belongs to it is in `folder`.

    On leaving, the last bridge plays a clean round, and the oracle judges into `figures`.
    """

    def __init__(self, folder: Path, where: str, mode: str, seed: str, lease_s: float = LEASE_S) -> None:
        self.figures: dict[str, Any] = {}
        self._folder = folder
        self._where = where
        self._mode = mode
        self._seed = seed
        self._lease_s = lease_s
        self._bridges: list[BaseProcess] = []
        self._fork = multiprocessing.get_context("fork")
        self._device = self._fork.Process(target=_run_device, args=(folder, seed, mode))

    def __enter__(self) -> "Sitting":
        self._folder.mkdir(parents=True, exist_ok=True)
        self._device.start()
        self._wait_for("port")
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is None:
                self._finish()
        finally:
            for process in (self._device, *self._bridges):
                process.kill()
                process.join()

    def start(self, *, last: bool = False) -> BaseProcess:
        """A bridge that has opened its store, as soon as its predecessor's lease is over."""
        begun = self._folder / "begun"
        begun.unlink(missing_ok=True)
        deadline = time.monotonic() + _START_S
        while True:
            bridge = self.start_blindly(last=last)
            while not begun.exists() and bridge.is_alive():
                time.sleep(0.005)
            if begun.exists():
                return bridge
            if bridge.exitcode != IN_USE or time.monotonic() > deadline:
                raise PromiseBroken(f"the bridge does not start: {self.why(bridge)}")
            time.sleep(LEASE_S / 4)

    def start_blindly(self, *, last: bool = False) -> BaseProcess:
        """A bridge, whatever becomes of it."""
        seed = f"{self._seed}/{len(self._bridges)}"
        arguments = (self._folder, self._where, self._lease_s, self._mode, seed, last)
        bridge = self._fork.Process(target=_run_bridge, args=arguments)
        bridge.start()
        self._bridges.append(bridge)
        return bridge

    def kill(self, bridge: BaseProcess) -> None:
        """Kill it; it must have lived until now."""
        if bridge.exitcode is not None:
            raise PromiseBroken(f"the bridge has ended by itself: {self.why(bridge)}")
        assert bridge.pid is not None
        os.kill(bridge.pid, signal.SIGKILL)
        bridge.join()

    def why(self, bridge: BaseProcess) -> str:
        """How a bridge ended."""
        broken = self._folder / "broken"
        return broken.read_text() if broken.exists() else f"exit status {bridge.exitcode}"

    def told(self) -> TableServer:
        """What the table server knows so far."""
        return _KeptServer(Random(0), self._folder / "server")

    def _finish(self) -> None:
        bridge = self.start(last=True)
        bridge.join(_CLEAN_S)
        if bridge.exitcode is None:
            self.kill(bridge)
            raise PromiseBroken(f"no clean round within {_CLEAN_S:.0f} s")
        if bridge.exitcode != DONE:
            raise PromiseBroken(f"the last bridge has ended: {self.why(bridge)}")
        (self._folder / "stop").touch()
        witness, failures, acknowledged = self._wait_for("witness")
        if failures or acknowledged != len(witness.records):
            raise PromiseBroken(f"device: {failures}, {acknowledged} of {len(witness.records)} acknowledged")
        told = self.told()
        self.figures = {
            "bridges": len(self._bridges),
            "asked_again": told.asked_again,
            "store_lost": told.store_lost,
            **judge(self._where, witness, told, self._mode),
        }

    def _wait_for(self, name: str) -> Any:
        deadline = time.monotonic() + _START_S
        while not (self._folder / name).exists():
            if time.monotonic() > deadline:
                raise PromiseBroken(f"the device's process has not left its {name}")
            time.sleep(0.01)
        return _get(self._folder / name)


def _put(path: Path, content: Any) -> None:
    """Write it whole or not at all."""
    new = path.with_suffix(".new")
    new.write_bytes(pickle.dumps(content))
    os.replace(new, path)


def _get(path: Path) -> Any:
    return pickle.loads(path.read_bytes())
