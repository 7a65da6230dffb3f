"""Both ends of the link over lines of every quality, both rebooting: each record once, in order."""

import asyncio
import random

import pytest

from host_tools.link import DeviceRestarted, Event, HostSession
from tests.host_tools.link.rig import Device, Faults, Line, MemorySink, VirtualClock, in_virtual_time
from tumbler import journal as journals

LIMIT_S = 3600  # of virtual time

LINES = {
    "perfect": (0.0, Faults.KINDS),
    "one byte at a time": (1.0, ("split",)),
    "loses": (0.2, ("lose",)),
    "flips": (0.2, ("flip",)),
    "doubles": (0.3, ("double",)),
    "inserts": (0.2, ("insert",)),
    "delays": (0.3, ("delay",)),
    "cuts": (0.2, ("cut",)),
    "everything, 10 %": (0.1, Faults.KINDS),
    "everything, 30 %": (0.3, Faults.KINDS),
}


class Crash(Exception):
    """The host process dies here."""


class Bench:
    """A device, a line and a host that is started again whenever it dies."""

    def __init__(self, seed, folder, share=0.0, kinds=Faults.KINDS):
        self.rng = random.Random(seed)
        self.damage = Faults(self.rng, share, kinds)
        self.line = Line(self.damage, self.damage)
        journals.create(str(folder / "journal"))
        self.device = Device(self.line, lambda: self._mounted(str(folder / "journal")), self.rng)
        self.sink = MemorySink()
        self.events: list[Event] = []
        self.host_runs = 0
        self.crash_share = 0.0
        self.session = self._new_session()
        self.sink.during = self._dwell

    def _mounted(self, folder):
        journal = journals.Journal(folder, capacity=200)
        journal.mount()
        return journal

    def _new_session(self):
        self.host_runs += 1
        return HostSession(self.line.transport, self.sink, VirtualClock(), on_event=self.events.append)

    async def _dwell(self, moment):
        await asyncio.sleep(self.rng.uniform(0, 0.03))
        if self.rng.random() < self.crash_share:
            raise Crash(moment)

    async def host(self):
        while True:
            try:
                await self.session.run()
            except Crash:
                await asyncio.sleep(self.rng.uniform(0, 2))
                self.session = self._new_session()

    async def reboots(self, mean_s):
        while True:
            await asyncio.sleep(self.rng.uniform(0.2, 2 * mean_s))
            self.device.boot()

    async def records(self, count, mean_s):
        for _ in range(count):
            self.device.record()
            await asyncio.sleep(self.rng.expovariate(1 / mean_s))

    async def settled(self, count):
        """Every record is committed, and the device knows it."""
        while len(self.sink.records) < count or self.device.session.committed < count:  # noqa: ASYNC110
            await asyncio.sleep(0.05)

    async def during(self, work, *others):
        """Run `work` while host, device and `others` live; an error of theirs ends it."""
        tasks = [asyncio.create_task(part) for part in (work, self.host(), self.device.run(), *others)]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
            assert tasks[0] in done
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def assert_exactly_once(self, count):
        journal = self.device.journal
        assert self.sink.records == [(number, journal.read(number)) for number in range(1, count + 1)]
        assert not self.device.forked
        assert not self.session.quarantined
        assert not [event for event in self.events if event.kind in ("refused", "quarantined")]


async def deliver(bench, count, *others):
    async def work():
        await bench.records(count, 0.3)
        await bench.settled(count)

    await bench.during(work(), *others)
    bench.assert_exactly_once(count)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("quality", LINES)
@in_virtual_time(LIMIT_S)
async def test_every_line(quality, seed, tmp_path):
    bench = Bench(seed, tmp_path, *LINES[quality])
    await deliver(bench, 40)
    assert bench.device.boots == bench.host_runs == 1
    assert (bench.damage.count > 0) == (quality != "perfect")


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("share", [0.0, 0.1, 0.3])
@in_virtual_time(LIMIT_S)
async def test_both_sides_reboot(share, seed, tmp_path):
    bench = Bench(1000 + seed, tmp_path, share)
    bench.crash_share = 0.15
    await deliver(bench, 60, bench.reboots(4))
    assert bench.device.boots > 1
    assert bench.host_runs > 1


@pytest.mark.parametrize("moment", ["before", "after"])
@in_virtual_time(LIMIT_S)
async def test_a_crash_just_before_or_after_each_commit(moment, tmp_path):
    """At every single batch the host dies: before the commit, or between commit and acknowledgement."""
    bench = Bench(5, tmp_path)
    crashed = set()

    async def crash_once(now):
        if now == moment and len(bench.sink.records) not in crashed:
            crashed.add(len(bench.sink.records))
            raise Crash

    bench.sink.during = crash_once
    await deliver(bench, 12)
    assert bench.host_runs == len(crashed) + 1
    assert len(crashed) > 3


@in_virtual_time(30)
async def test_a_backlog_goes_through_in_windows(tmp_path):
    bench = Bench(6, tmp_path)
    for _ in range(100):
        bench.device.record()
    await bench.during(bench.settled(100))
    bench.assert_exactly_once(100)
    assert max(bench.sink.batches) > 1


@pytest.mark.parametrize("seed", range(6))
@in_virtual_time(LIMIT_S)
async def test_commands_are_carried_out_once_on_any_line(seed, tmp_path):
    """A reply `done` means carried out once; DeviceRestarted means once or not at all."""
    bench = Bench(2000 + seed, tmp_path, 0.3)
    outcomes = []

    async def work():
        for number in range(30):
            nonce = number.to_bytes(16, "big")
            try:
                reply = await bench.session.command("attest", nonce=nonce)
            except DeviceRestarted:
                outcomes.append((nonce, None))
            else:
                outcomes.append((nonce, reply))
        await bench.settled(bench.device.journal.last)

    await bench.during(work(), bench.reboots(20))
    assert len(outcomes) == 30
    for nonce, reply in outcomes:
        times = [command["nonce"] for command in bench.device.executed].count(nonce)
        if reply is None:
            assert times <= 1
        else:
            assert (reply.status, times) == ("done", 1)
    assert sum(reply is not None for _, reply in outcomes) > 15
    bench.assert_exactly_once(bench.device.journal.last)


@pytest.mark.parametrize("seed", range(3))
@in_virtual_time(LIMIT_S)
async def test_the_plug_is_pulled_again_and_again(seed, tmp_path):
    bench = Bench(3000 + seed, tmp_path, 0.05)

    async def pull():
        while True:
            await asyncio.sleep(bench.rng.uniform(0.3, 3))
            bench.line.lose()

    await deliver(bench, 40, pull())
    assert bench.line.opened > 2
    assert bench.device.boots == 1
