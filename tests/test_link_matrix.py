"""Both ends of the link over lines of every quality, both rebooting: each record once, in order."""

import asyncio
import contextlib
import hashlib
import random
from collections import Counter

import pytest

from host_tools.faults.virtual_time import VirtualClock
from host_tools.link import DeviceRestarted, Event, EvidenceFile, EvidenceGone, HostSession
from host_tools.link.errors import SessionStopped
from tests.host_tools.link.rig import Device, Faults, Line, MemorySink, in_virtual_time
from tumbler import definitions
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


class SmallEyed(Device):
    """A device whose frames are small, so that many scenes go over the line in little time."""

    FRAME = 4800


class Bench:
    """A device, a line and a host that is started again whenever it dies."""

    def __init__(self, seed, folder, share=0.0, kinds=Faults.KINDS):
        self.rng = random.Random(seed)
        self.greetings = random.Random(f"greetings {seed}")
        self.damage = Faults(self.rng, share, kinds)
        self.line = Line(self.damage, self.damage)
        self.folder = folder
        self.clock = VirtualClock()
        journals.create(str(folder / "journal"))
        self.device = SmallEyed(self.line, lambda: self._mounted(str(folder / "journal")), self.rng)
        self.sink = MemorySink()
        self.events: list[Event] = []
        self.host_runs = 0
        self.crash_share = 0.0
        self.session = self._new_session()
        self.sink.during = self._dwell

    def _mounted(self, folder):
        journal = journals.Journal(folder, capacity=800, kept=400)
        journal.mount()
        return journal

    def _new_session(self):
        self.host_runs += 1
        return HostSession(
            self.line.transport,
            self.sink,
            self.clock,
            on_event=self.events.append,
            new_greeting=lambda: self.greetings.randrange(1, 2**32),
        )

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

    async def clock_jumps(self, mean_s):
        """The host's wall clock is set, hours or years, forth or back."""
        while True:
            await asyncio.sleep(self.rng.uniform(0.2, 2 * mean_s))
            self.clock.offset_ms = int(self.rng.choice((-1, 1)) * 10 ** self.rng.uniform(3, 10.5))

    async def commands(self, outcomes):
        """Command after command; (nonce, whether a reply came, 'done' then) of each."""
        while True:
            nonce = self.rng.randbytes(16)
            try:
                reply = await self.session.command("attest", nonce=nonce)
            except (DeviceRestarted, SessionStopped):
                outcomes.append((nonce, False))
            else:
                assert reply.status == "done"
                outcomes.append((nonce, True))
            await asyncio.sleep(self.rng.uniform(0, 3))

    async def questions(self, answered):
        """Recalls and statistics, of which each answer must be right; counts them by kind."""
        while True:
            questions = self.session.questions
            sequence = self.rng.randint(1, self.device.journal.last + 2)
            with contextlib.suppress(TimeoutError):  # its host may have died meanwhile
                async with asyncio.timeout(60):
                    recalled = await questions.recall(sequence)
                    if recalled.raw is not None:
                        assert recalled.raw == self.device.journal.read(sequence)
                        answered["recall"] += 1
                    assert recalled.sequence == sequence
                    assert set(await questions.statistics()) == set(definitions.MESSAGES["statistics"][2])
                    answered["statistics"] += 1
            await asyncio.sleep(self.rng.uniform(0, 2))

    async def scenes(self, answered):
        """Scene after scene, whose frames are fetched in as many tries as it takes, or gone by a reboot."""
        while True:
            file = EvidenceFile(self.folder, self.device.read_scene())
            try:
                while not file.complete:
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(30):
                            await self.session.questions.evidence(file)
            except EvidenceGone:
                answered["gone"] += 1
            else:
                assert hashlib.sha256(file.path.read_bytes()).digest() == file.digest
                answered["frames"] += 1
            await asyncio.sleep(self.rng.uniform(0, 2))

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


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("share", [0.0, 0.05, 0.3])
@in_virtual_time(4 * LIMIT_S)
async def test_everything_at_once(share, seed, tmp_path):
    """Records, commands, questions, evidence, while both sides die, plugs are pulled and the clock jumps."""
    bench = Bench(4000 + seed, tmp_path, share)
    bench.crash_share = 0.02
    outcomes, answered = [], Counter()

    async def pull():
        while True:
            await asyncio.sleep(bench.rng.uniform(5, 60))
            bench.line.lose()

    async def work():
        await bench.records(60, 2)
        while not (outcomes and answered["recall"] and answered["statistics"] and answered["frames"]):  # noqa: ASYNC110
            await asyncio.sleep(1)
        commanding.cancel()
        await asyncio.gather(commanding, return_exceptions=True)
        await bench.settled(bench.device.journal.last)

    commanding = asyncio.create_task(bench.commands(outcomes))
    chaos = (bench.reboots(20), bench.clock_jumps(10), pull())
    await bench.during(work(), bench.questions(answered), bench.scenes(answered), *chaos)
    bench.assert_exactly_once(bench.device.journal.last)
    executed = Counter(command["nonce"] for command in bench.device.executed)
    for nonce, done in outcomes:
        assert executed[nonce] in ((1,) if done else (0, 1))
    assert bench.device.boots > 1
