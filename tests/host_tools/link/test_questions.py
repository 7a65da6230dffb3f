"""Evidence, recalls and statistics over lines of every quality, beside records, across restarts."""

import asyncio
import hashlib
import random
from pathlib import Path

import pytest

from host_tools.faults.virtual_time import VirtualClock
from host_tools.link import EvidenceFile, EvidenceGone, EvidenceWrong, HostSession, Observer
from tests.host_tools.link.rig import Device, Faults, Line, MemorySink, in_virtual_time
from tumbler import definitions
from tumbler import journal as journals

NONCE = bytes(16)


class Pair:
    """A device and its host on one line, until the block ends."""

    def __init__(self, folder: Path, share: float = 0.0, seed: int = 1) -> None:
        self.rng = random.Random(seed)
        self.folder = folder
        damage = Faults(self.rng, share) if share else None
        self.line = Line(damage, damage)
        journals.create(str(folder / "journal"))
        self.device = Device(self.line, self._mounted, self.rng)
        self.sink = MemorySink()
        self.host = self._new_host()
        self._tasks = [asyncio.create_task(self.device.run())]

    def _mounted(self):
        journal = journals.Journal(str(self.folder / "journal"), capacity=400)
        journal.mount()
        return journal

    def _new_host(self) -> HostSession:
        host = HostSession(self.line.transport, self.sink, VirtualClock())
        self._running = asyncio.create_task(host.run())
        return host

    async def restart_host(self) -> None:
        self._running.cancel()
        await asyncio.gather(self._running, return_exceptions=True)
        self.host = self._new_host()

    async def __aenter__(self) -> "Pair":
        await self.host.wait_connected()
        return self

    async def __aexit__(self, *_: object) -> None:
        tasks = [*self._tasks, self._running]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def whole(device: Device) -> bytes:
    return b"".join(bytes(device.evidence.frame(index)) for index in range(4))


@in_virtual_time(60)
async def test_frames_come_as_the_record_s_digest_says_near_the_line_s_speed(tmp_path):
    async with Pair(tmp_path) as pair:
        digest = pair.device.read_scene()
        file = EvidenceFile(tmp_path, digest)
        begun = asyncio.get_running_loop().time()
        await pair.host.questions.evidence(file)
        took = asyncio.get_running_loop().time() - begun
        assert file.complete
        assert hashlib.sha256(file.path.read_bytes()).digest() == digest
        assert file.path.read_bytes() == whole(pair.device)
        assert took < 76800 * 10 / 115200 * 1.35


@pytest.mark.parametrize("share", [0.02, 0.1, 0.3])
@in_virtual_time(3600)
async def test_frames_come_whole_over_a_bad_line(share, tmp_path):
    async with Pair(tmp_path, share, seed=7) as pair:
        file = EvidenceFile(tmp_path, pair.device.read_scene())
        await pair.host.questions.evidence(file)
        assert file.path.read_bytes() == whole(pair.device)


@in_virtual_time(600)
async def test_a_transfer_goes_on_where_it_was_after_a_lost_line_and_a_restart_of_the_host(tmp_path):
    async with Pair(tmp_path) as pair:
        digest = pair.device.read_scene()
        offsets = []
        for interruption in ("line", "host", "line", "host"):
            file = EvidenceFile(tmp_path, digest)
            offsets.append(file.offset)
            fetching = asyncio.create_task(pair.host.questions.evidence(file))
            await asyncio.sleep(1.5)
            if interruption == "line":
                pair.line.lose()
                await asyncio.sleep(2)
            else:
                await pair.restart_host()
            fetching.cancel()
            await asyncio.gather(fetching, return_exceptions=True)
            await pair.host.wait_connected()
        assert offsets == sorted(set(offsets))
        await pair.host.questions.evidence(file)
        assert file.path.read_bytes() == whole(pair.device)


@in_virtual_time(600)
async def test_a_transfer_outlives_a_lost_line_by_itself(tmp_path):
    async with Pair(tmp_path) as pair:
        file = EvidenceFile(tmp_path, pair.device.read_scene())
        fetching = asyncio.create_task(pair.host.questions.evidence(file))
        for _ in range(5):
            await asyncio.sleep(0.9)
            pair.line.lose()
        await fetching
        assert file.path.read_bytes() == whole(pair.device)


@in_virtual_time(60)
async def test_frames_that_the_next_scene_or_a_reboot_took_are_gone(tmp_path):
    async with Pair(tmp_path) as pair:
        first = EvidenceFile(tmp_path, pair.device.read_scene())
        fetching = asyncio.create_task(pair.host.questions.evidence(first))
        await asyncio.sleep(1)
        second = pair.device.read_scene()
        with pytest.raises(EvidenceGone):
            await fetching
        assert 0 < first.offset < 76800
        assert not first.complete
        pair.device.boot()
        with pytest.raises(EvidenceGone):
            await pair.host.questions.evidence(EvidenceFile(tmp_path, second))


@in_virtual_time(60)
async def test_bytes_that_are_not_the_record_s_are_thrown_away(tmp_path):
    async with Pair(tmp_path) as pair:
        digest = pair.device.read_scene()
        file = EvidenceFile(tmp_path, digest)
        pair.device.evidence.frame(2)[5] ^= 1
        with pytest.raises(EvidenceWrong):
            await pair.host.questions.evidence(file)
        assert (file.offset, file.complete) == (0, False)
        pair.device.evidence.frame(2)[5] ^= 1
        await pair.host.questions.evidence(file)
        assert file.complete


@in_virtual_time(120)
async def test_evidence_hardly_delays_records_and_commands(tmp_path):
    async with Pair(tmp_path) as pair:
        loop = asyncio.get_running_loop()
        file = EvidenceFile(tmp_path, pair.device.read_scene())
        fetching = asyncio.create_task(pair.host.questions.evidence(file))
        slowest = 0.0
        while not fetching.done():
            begun = loop.time()
            reply = await pair.host.command("attest", nonce=NONCE)
            while len(pair.sink.records) < reply.sequence:  # noqa: ASYNC110
                await asyncio.sleep(0.001)
            slowest = max(slowest, loop.time() - begun)
            await asyncio.sleep(0.13)
        await fetching
        assert len(pair.sink.records) > 10
        piece = (definitions.EVIDENCE_CHUNK + 64) * 10 / 115200
        quiet = 0.06 + 640 * 10 / 115200  # what a command and the longest record take on a quiet line
        buffered = 512 * 10 / 115200  # what the UART had taken before
        assert slowest < quiet + 3 * piece + buffered
        assert pair.host.counters["command_repeats"] == 0


@pytest.mark.parametrize("share", [0.0, 0.3])
@in_virtual_time(600)
async def test_an_observer_recalls_every_record_and_acknowledges_none(share, tmp_path):
    journals.create(str(tmp_path / "journal"))
    journal = journals.Journal(str(tmp_path / "journal"), capacity=400)
    journal.mount()
    rng = random.Random(3)
    damage = Faults(rng, share)
    line = Line(damage, damage)
    device = Device(line, lambda: journal, rng)
    for _ in range(40):
        device.record()
    told = []
    observer = Observer(await line.transport(), lambda name, values: told.append(name), VirtualClock())
    tasks = [asyncio.create_task(device.run()), asyncio.create_task(observer.run())]
    recalled = [await observer.questions.recall(sequence) for sequence in range(1, 41)]
    assert [each.raw for each in recalled] == [journal.read(sequence) for sequence in range(1, 41)]
    assert {(each.first, each.last) for each in recalled} == {(1, 40)}
    assert (await observer.questions.recall(41)).raw is None
    assert journal.acknowledged == 0
    assert not device.session.connected
    while told[-1] != "status":  # noqa: ASYNC110
        await asyncio.sleep(0.1)
    assert told[0] == "hello"
    for task in tasks:
        task.cancel()


@in_virtual_time(60)
async def test_both_sides_statistics_are_readable_at_the_host(tmp_path):
    async with Pair(tmp_path) as pair:
        pair.line.to_device.send(b"\0\x03xy\0")
        pair.line.to_host.send(b"\0\x03xy\0" + b"\x01" * 1200 + b"\0")
        statistics = await pair.host.questions.statistics()
        assert statistics["noise"] == 1
        assert statistics["welcomes"] > 0
        assert set(statistics) == set(definitions.MESSAGES["statistics"][2])
        assert (pair.host.counters["noise"], pair.host.counters["overruns"]) == (1, 1)


@in_virtual_time(60)
async def test_the_host_is_silent_while_a_command_is_carried_out(tmp_path):
    """A device that writes its flash is deaf: acknowledgements and questions wait for the reply."""
    async with Pair(tmp_path) as pair:
        await asyncio.sleep(0.3)
        heard: list[bytes] = []
        pair.line.to_device.send = lambda frame: heard.append(frame) or len(frame)  # the device is deaf
        for _ in range(2):
            pair.device.record()
        command = asyncio.create_task(pair.host.command("attest", nonce=NONCE))
        question = asyncio.create_task(pair.host.questions.statistics())
        await asyncio.sleep(0.6)
        assert len(pair.sink.records) == 2
        assert len(heard) == 1
        await asyncio.sleep(0.6)  # the command's time is over: all that is due goes out
        assert len(heard) >= 3
        command.cancel()
        question.cancel()
