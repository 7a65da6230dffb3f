"""A simulated table: device, world, cable, host and table server, kept alive through whatever befalls them.

Everything follows from one source of chance. When the trouble is over the faults stop; the table must then
play a clean round within minutes, everything be acknowledged, and the oracle judges.
"""

import asyncio
from abc import ABC, abstractmethod
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from host_tools.faults.device import PromiseBroken, SimulatedDevice
from host_tools.faults.house import House
from host_tools.faults.line import Cable, Damage
from host_tools.faults.oracle import Witness, judge
from host_tools.faults.server import TableServer
from host_tools.faults.virtual_time import VirtualClock
from host_tools.faults.world import World
from host_tools.link import identity

_STUCK_S = 900.0  # without a concluded round although nothing was broken
_CLEAN_S = 600.0


class Simulation(ABC):
    """`mode`: the play mode; `folder`: for the ledger and the ports, there already and empty."""

    resets = False  # opening its port resets the board

    def __init__(self, rng: Random, mode: str, folder: Path) -> None:
        self.rng = rng
        self.mode = mode
        self.clock = VirtualClock()
        self.damage = Damage(rng, 0.0)
        self.cable = Cable(folder, self.damage)
        self.world = World(rng, covered=mode == "covered")
        self.server = TableServer(rng)
        self.device = SimulatedDevice(rng, self.world, self.cable, self._fail)
        self.house: House | None = None  # the host that lives
        self.disturbed_at = 0.0
        self.lives = 0  # of the host
        self._folder = folder / "0"
        self._was_reset = False
        self._failures: list[BaseException] = []
        self._failed = asyncio.Event()

    @abstractmethod
    async def trouble(self) -> None:
        """What befalls the table, to its end."""

    @abstractmethod
    def pause(self) -> float:
        """Seconds for which what has died is away."""

    async def run(self) -> dict[str, Any]:
        """Until it is judged: what was done, in numbers. Raises PromiseBroken, or what the product raised."""
        self.cable.opened = self._reset
        self.cable.plug(0)
        with patch.object(identity, "open_serial", self.cable.open):
            tasks = [asyncio.create_task(part) for part in (self._keep_device(), self._watch(), self._end())]
            host = asyncio.create_task(self._keep_host())
            trouble = asyncio.create_task(self.trouble())
            try:
                await self._first(trouble, host, *tasks)
                clean = asyncio.create_task(self._play_clean())
                self._rest()
                await self._first(clean, host, *tasks)
                await self._first(host, *tasks)
            finally:
                for task in (*tasks, host, trouble):
                    task.cancel()
                await asyncio.gather(*tasks, host, trouble, return_exceptions=True)
        judged = judge(self._folder / "ledger.db", self._witness(), self.server, self.mode)
        return {"mode": self.mode, **judged, **self.figures()}

    def _witness(self) -> Witness:
        device = self.device
        return Witness(device.records, device.boots, device.registered, self.world.throws)

    def figures(self) -> dict[str, Any]:
        """What was done to it."""
        return {
            "boots": len(self.device.boots),
            "torn_operations": self.device.torn,
            "host_lives": self.lives,
            "asked_again": self.server.asked_again,
            "damaged_frames": sum(self.damage.done.values()),
        }

    def _rest(self) -> None:
        """Put everything right that can be put right."""
        self.world.calm = True
        self.damage.share = 0.0
        self.damage.ambush = None
        self.cable.plug(0)
        self.device.cut_in = None
        self.device.cuts.clear()
        if self.house:
            self.house.killed_in = None
            self.house.store_away = 0.0

    @staticmethod
    async def _first(awaited: asyncio.Task[None], *others: asyncio.Task[None]) -> None:
        """Wait for a task; an error of another one is raised."""
        done, _ = await asyncio.wait((awaited, *others), return_when=asyncio.FIRST_COMPLETED)
        for task in done:
            task.result()
        if awaited not in done:
            raise PromiseBroken("a part of the table has ended by itself")

    # --- keeping things alive

    def _reset(self) -> None:
        if self.resets and self.device.powered:
            self._was_reset = True
            self.device.cut()

    async def _keep_device(self) -> None:
        while True:
            self.device.power_on()
            await self.device.wait_dead()
            await asyncio.sleep(0.2 if self._was_reset or self.world.calm else self.pause())
            self._was_reset = False

    async def _keep_host(self) -> None:
        """The host's process, started again whenever it was killed, until the table server stops."""
        self._folder.mkdir()
        while True:
            self.lives += 1
            house = House(self._folder, self.device.registered, self.mode, self.cable, self.clock, self.rng)
            committed = house.sink.head(self.device.registered.id)[0]
            if committed < self.device.acknowledged:
                raise PromiseBroken(f"{self.device.acknowledged} was acknowledged, {committed} is kept")
            self.house = house
            await house.live(self.server.play)
            self.house = None
            if not house.dead.is_set():
                return
            self._folder = house.next_folder
            await asyncio.sleep(0.2 if self.world.calm else self.pause())

    def _fail(self, error: BaseException) -> None:
        """The firmware raised."""
        self._failures.append(error)
        self._failed.set()

    async def _end(self) -> None:
        await self._failed.wait()
        raise self._failures[0]

    async def _watch(self) -> None:
        """A table that stands still although nothing is broken will never go on."""
        while True:
            await asyncio.sleep(60)
            moved = (self.server.concluded_at, self.disturbed_at, self.device.disturbed_at)
            if asyncio.get_running_loop().time() - max(moved) > _STUCK_S:
                raise PromiseBroken("the table is stuck: no round was concluded, and nothing is broken")

    # --- the end

    async def _play_clean(self) -> None:
        """Nothing goes wrong any more: a round that begins now must be settled, and all be acknowledged."""
        calm_at, known = asyncio.get_running_loop().time(), set(self.server.outcomes)
        server, device = self.server, self.device
        while not any(each.verdict == "settled" for id, each in server.outcomes.items() if id not in known):
            await self._in_time(calm_at, "no clean round")
        server.stopping = True
        while not server.rested.is_set() or device.acknowledged < len(device.records):
            await self._in_time(calm_at, f"{device.acknowledged} of {len(device.records)} are acknowledged")
        server.closed.set()

    async def _in_time(self, since: float, what: str) -> None:
        await asyncio.sleep(0.5)
        if asyncio.get_running_loop().time() - since > _CLEAN_S:
            raise PromiseBroken(f"after the faults have stopped: {what} within {_CLEAN_S:.0f} s")
