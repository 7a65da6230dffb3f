"""Who breaks a simulated table on purpose: power, host, cable, line, clock, store, people at the table."""

import asyncio
from collections import Counter
from collections.abc import Callable

from host_tools.faults.line import KINDS, LATE
from host_tools.faults.simulation import Simulation

MEAN_S = 75.0  # between two faults
_WORST_SHARE = 0.3
_WORST_LATE_SHARE = 0.8
_PAUSES_S, _PAUSE_WEIGHTS = ((0.1, 1), (0.1, 12), (30, 200)), (4, 5, 1)
_CHANNELS = ("dome-closed", "dome-intact", "door-closed", "tilted")


class Adversary:
    """Everything of one table is in its hands; `done` counts what it did."""

    def __init__(self, table: Simulation) -> None:
        self.done: Counter[str] = Counter()
        self._table = table
        self._rng = table.rng
        self._ways: tuple[tuple[Callable[[], None], int], ...] = (
            (self._cut_power, 4),
            (self._cut_power_in_flash, 6),
            (self._kill_host, 4),
            (self._kill_host_at_statement, 6),
            (self._kill_host_in_a_command, 6),
            (self._pull_cable, 4),
            (self._jump_clock, 3),
            (self._change_weather, 4),
            (self._lose_store, 2),
            (self._touch_enclosure, 1),
            (self._lift_cover, 1),
            (self._lean_on_platform, 1),
            (self._bump_table, 2),
        )

    async def run(self, until: float) -> None:
        """One fault after the other, now and then several at once, until that time of the loop."""
        ways, weights = zip(*self._ways, strict=True)
        while asyncio.get_running_loop().time() < until:
            await asyncio.sleep(self._rng.expovariate(1 / MEAN_S))
            for way in self._rng.choices(ways, weights, k=self._rng.choice((1, 1, 1, 2, 3))):
                way()
                self.done[way.__name__.strip("_")] += 1
                self._table.disturbed_at = asyncio.get_running_loop().time()

    def _cut_power(self) -> None:
        self._table.device.cut()

    def _cut_power_in_flash(self) -> None:
        """In mid-operation, and perhaps again in the recovery."""
        self._table.device.cut_in = self._rng.randint(1, 40)
        self._table.device.cuts = [self._rng.randint(1, 6) for _ in range(self._rng.choice((0, 0, 1, 2)))]

    def _kill_host(self) -> None:
        if self._table.house:
            self._table.house.kill()

    def _kill_host_at_statement(self) -> None:
        if self._table.house:
            self._table.house.killed_in = self._rng.randint(1, 120)

    def _kill_host_in_a_command(self) -> None:
        """The command and what is said after it may reach the device when another host has recovered."""
        self._table.damage.ambush = self._ambush

    def _ambush(self) -> float:
        seconds = self._rng.uniform(0.1, 3)
        asyncio.get_running_loop().call_later(self._rng.uniform(0, seconds), self._kill_host)
        return seconds

    def _pull_cable(self) -> None:
        self._table.cable.pull()
        name = self._rng.randrange(4)
        asyncio.get_running_loop().call_later(self.pause(), self._table.cable.plug, name)

    def _jump_clock(self) -> None:
        self._table.clock.offset_ms = int(self._rng.choice((-1, 1)) * 10 ** self._rng.uniform(3, 10.5))

    def _change_weather(self) -> None:
        """For a while most frames may be late: what a host meant and heard outlives it."""
        damage, late = self._table.damage, self._rng.random() < 0.3
        worst = _WORST_LATE_SHARE if late else _WORST_SHARE
        damage.kinds = LATE if late else KINDS
        damage.share = self._rng.choice((0.0, self._rng.uniform(0, worst), worst))

    def _lose_store(self) -> None:
        if self._table.house:
            self._table.house.store_away = asyncio.get_running_loop().time() + self._rng.uniform(0.5, 30)

    def _touch_enclosure(self) -> None:
        self._table.world.disturb(self._rng.choice(_CHANNELS), self._rng.uniform(0.005, 4))

    def _lift_cover(self) -> None:
        self._table.world.lift_cover(self._rng.uniform(0.5, 8))

    def _lean_on_platform(self) -> None:
        self._table.world.stray_stroke()

    def _bump_table(self) -> None:
        self._table.world.shake(self._rng.uniform(0.1, 2))

    def pause(self) -> float:
        """How long something is away: mostly a moment or seconds, at times minutes."""
        return self._rng.uniform(*self._rng.choices(_PAUSES_S, _PAUSE_WEIGHTS)[0])
