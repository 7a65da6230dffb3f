"""A shift at a simulated table, all from one seed: hours of virtual rounds while everything is broken.

At its end the faults stop; the table must then play a clean round within minutes, and the oracle judges.
"""

import asyncio
import shutil
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

from host_tools.faults.adversary import Adversary, pause
from host_tools.faults.device import PromiseBroken, SimulatedDevice
from host_tools.faults.house import TERMS, HostKilled, House
from host_tools.faults.line import Cable, Damage
from host_tools.faults.oracle import judge
from host_tools.faults.server import TableServer
from host_tools.faults.virtual_time import VirtualClock, run_virtually
from host_tools.faults.world import World
from host_tools.link import identity

_STUCK_S = 900.0  # without a concluded round although nothing was broken
_CLEAN_S = 600.0


def play_shift(seed: str, hours: float, folder: Path) -> dict[str, Any]:
    """Play and judge a shift in the new folder `folder`, which is then removed; what was done, in numbers.

    Raises PromiseBroken, or whatever the product raised; the folder then stays."""
    folder.mkdir(parents=True)
    figures = run_virtually(_Shift(Random(seed), folder).run(hours * 3600), expected=HostKilled)
    shutil.rmtree(folder)
    return figures


class _Shift:
    """The parts of one table, and who keeps them alive."""

    def __init__(self, rng: Random, folder: Path) -> None:
        self._rng = rng
        self._mode = rng.choice(tuple(TERMS))
        self._clock = VirtualClock()
        self._damage = Damage(rng, rng.choice((0.0, rng.uniform(0, 0.3))))
        self._cable = Cable(folder, self._damage)
        self._world = World(rng, covered=self._mode == "covered")
        self._server = TableServer(rng)
        self._device = SimulatedDevice(rng, self._world, self._cable, self._fail)
        parts = (self._world, self._device, self._cable, self._damage, self._clock)
        self._adversary = Adversary(rng, *parts)
        self._folder = folder / "0"
        self._lives = 0  # of the host
        self._resets = rng.random() < 0.2  # opening its port resets the board
        self._was_reset = False
        self._failures: list[BaseException] = []
        self._failed = asyncio.Event()

    async def run(self, seconds: float) -> dict[str, Any]:
        """The whole shift."""
        self._cable.opened = self._reset
        self._cable.plug(0)
        with patch.object(identity, "open_serial", self._cable.open):
            tasks = [asyncio.create_task(part) for part in (self._keep_device(), self._watch(), self._end())]
            host = asyncio.create_task(self._keep_host())
            trouble = asyncio.create_task(self._adversary.run(seconds))
            try:
                await self._first(trouble, host, *tasks)
                clean = asyncio.create_task(self._play_clean())
                self._adversary.rest()
                await self._first(clean, host, *tasks)
                await self._first(host, *tasks)
            finally:
                for task in (*tasks, host, trouble):
                    task.cancel()
                await asyncio.gather(*tasks, host, trouble, return_exceptions=True)
        judged = judge(self._folder / "ledger.db", self._device, self._world, self._server, self._mode)
        return {"mode": self._mode, **judged, **self._figures()}

    def _figures(self) -> dict[str, Any]:
        return {
            "boots": len(self._device.boots),
            "torn_operations": self._device.torn,
            "host_lives": self._lives,
            "asked_again": self._server.asked_again,
            "damaged_frames": sum(self._damage.done.values()),
            "faults": dict(self._adversary.done),
        }

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
        if self._resets and self._device.powered:
            self._was_reset = True
            self._device.cut()

    async def _keep_device(self) -> None:
        while True:
            self._device.power_on()
            await self._device.wait_dead()
            await asyncio.sleep(0.2 if self._was_reset or self._world.calm else pause(self._rng))
            self._was_reset = False

    async def _keep_host(self) -> None:
        """The host's process, started again whenever it was killed, until the table server stops."""
        self._folder.mkdir()
        while True:
            self._lives += 1
            house = House(
                self._folder, self._device.registered, self._mode, self._cable, self._clock, self._rng
            )
            committed = house.sink.head(self._device.registered.id)[0]
            if committed < self._device.acknowledged:
                raise PromiseBroken(f"{self._device.acknowledged} was acknowledged, {committed} is kept")
            self._adversary.house = house
            await house.live(self._server.play)
            self._adversary.house = None
            if not house.dead.is_set():
                return
            self._folder = house.next_folder
            await asyncio.sleep(0.2 if self._world.calm else pause(self._rng))

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
            moved = (self._server.concluded_at, self._adversary.disturbed_at, self._device.disturbed_at)
            if asyncio.get_running_loop().time() - max(moved) > _STUCK_S:
                raise PromiseBroken("the table is stuck: no round was concluded, and nothing is broken")

    # --- the end

    async def _play_clean(self) -> None:
        """Nothing goes wrong any more: a round that begins now must be settled, and all be acknowledged."""
        calm_at, known = asyncio.get_running_loop().time(), set(self._server.outcomes)
        server, device = self._server, self._device
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
