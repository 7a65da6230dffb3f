"""Three devices on one half-duplex line with echo and collisions: each record once, at its own host."""

import asyncio
import random

import pytest

from host_tools.faults.virtual_time import VirtualClock
from host_tools.link import Bus, HostSession
from tests.host_tools.link.rig import Device, MemorySink, in_virtual_time
from tumbler import definitions
from tumbler import journal as journals

DEVICES = (b"tumbler1", b"tumbler2", b"tumbler3")
BYTE_S = 10 / 115200
PIECE = 16  # bytes that arrive together


class Medium:
    """Two wires: everyone hears everyone, himself too; what two say at once is garbled for all."""

    def __init__(self, rng, noise=0.0):
        self.rng = rng
        self.noise = noise
        self.collisions = 0
        self.ports = []
        self._speaking = []  # [begin, end, garbled]

    def port(self):
        self.ports.append(Port(self))
        return self.ports[-1]

    def speak(self, begin, data):
        end = begin + len(data) * BYTE_S
        mine = [begin, end, self.rng.random() < self.noise]
        for other in self._speaking:
            if other[0] < end and begin < other[1]:
                self.collisions += not other[2]
                other[2] = mine[2] = True
        self._speaking = [other for other in self._speaking if other[1] > begin - 1] + [mine]
        for at in range(0, len(data), PIECE):
            piece = data[at : at + PIECE]
            heard_at = begin + (at + len(piece)) * BYTE_S
            asyncio.get_running_loop().call_at(heard_at, self._heard, mine, piece)
        return end

    def _heard(self, mine, data):
        if mine[2]:
            data = bytes(byte ^ self.rng.choice((0, 0, 0x10, 0x41)) for byte in data)
        for port in self.ports:
            port.hear(data)


class Port:
    """An end of the medium: for a Device both wires of a line, for the host a Transport."""

    def __init__(self, medium):
        self.to_host = self.to_device = self
        self._medium = medium
        self._heard = bytearray()
        self._news = asyncio.Event()
        self._free_at = 0.0

    def hear(self, data):
        self._heard += data
        self._news.set()

    def take(self):
        data = bytes(self._heard)
        self._heard.clear()
        return data

    def offer(self, data):
        begin = max(asyncio.get_running_loop().time(), self._free_at)
        self._free_at = self._medium.speak(begin, bytes(data))
        return len(data)

    async def read(self):
        while not self._heard:
            self._news.clear()
            await self._news.wait()
        return self.take()

    async def write(self, data):
        self.offer(data)

    async def close(self):
        pass


class BusDevice(Device):
    """A device that speaks in its turns only; `stalls`: how often it is busy for a while."""

    SHARED = True
    stalls = 0.0

    async def run(self):
        while True:
            for command in self.session.feed(self.line.to_device.take(), self.now()):
                self.obey(self, command)
            await self._stall()
            self.session.poll(self.now())
            await self._stall()
            await asyncio.sleep(self.TICK_S)

    async def _stall(self):
        if self._rng.random() < self.stalls:
            await asyncio.sleep(self._rng.uniform(0.05, 0.4))


class Hall:
    """Three tables on one line."""

    def __init__(self, folder, seed, noise=0.0):
        self.rng = random.Random(seed)
        self.medium = Medium(self.rng, noise)
        port = self.medium.port()

        async def open_port():
            return port

        self.bus = Bus(open_port, DEVICES, VirtualClock())
        self.devices, self.sinks, self.sessions = {}, {}, {}
        for device in DEVICES:
            path = str(folder / device.decode())
            journals.create(path)
            self.devices[device] = BusDevice(
                self.medium.port(), lambda path=path: mounted(path), self.rng, device
            )
            self.sinks[device] = MemorySink(DEVICES)
            self.sessions[device] = HostSession(
                self.bus.line(device), self.sinks[device], VirtualClock(), only=device
            )

    async def __aenter__(self):
        parts = [self.bus, *self.sessions.values(), *self.devices.values()]
        self._tasks = [asyncio.create_task(part.run()) for part in parts]
        self.tables = dict(zip(DEVICES, self._tasks[1:], strict=False))
        return self

    async def __aexit__(self, *_):
        for task in self._tasks:
            task.cancel()
        for done in await asyncio.gather(*self._tasks, return_exceptions=True):
            assert isinstance(done, asyncio.CancelledError), done

    async def play(self, records, mean_s):
        """Each device journals so many records; returns once all are committed and known to be."""
        for _ in range(records):
            for device in self.devices.values():
                device.record()
            await asyncio.sleep(self.rng.expovariate(1 / mean_s))
        while not all(self.is_done(device, records) for device in DEVICES):  # noqa: ASYNC110
            await asyncio.sleep(0.05)

    def is_done(self, device, records):
        committed = self.devices[device].session.committed
        return len(self.sinks[device].records) == committed == records

    def assert_each_once(self, records):
        for device in DEVICES:
            journal = self.devices[device].journal
            expected = [(number, journal.read(number)) for number in range(1, records + 1)]
            assert self.sinks[device].records == expected
            assert not self.devices[device].session.forked
            assert not self.sessions[device].quarantined


def mounted(path):
    journal = journals.Journal(path)
    journal.mount()
    return journal


@in_virtual_time(120)
async def test_nobody_speaks_out_of_turn(tmp_path):
    async with Hall(tmp_path, 1) as hall:
        await hall.play(30, 0.4)
        hall.assert_each_once(30)
        assert hall.medium.collisions == 0
        assert hall.bus.counters["echoes"] > 100
        for device in hall.devices.values():
            counters = device.session.statistics()
            assert counters["echoes"] > 0
            assert (counters["crc_errors"], counters["resends"], counters["malformed"]) == (0, 0, 0)


@pytest.mark.parametrize("seed", range(4))
@in_virtual_time(3600)
async def test_collisions_noise_and_busy_devices_cost_time_only(seed, tmp_path):
    async with Hall(tmp_path, 10 + seed, noise=0.05) as hall:
        for device in hall.devices.values():
            device.stalls = 0.02
        await hall.play(25, 0.5)
        hall.assert_each_once(25)
        assert sum(device.session.counters["turns_missed"] for device in hall.devices.values()) > 0


@in_virtual_time(600)
async def test_a_device_that_speaks_unasked_is_overheard_and_the_others_go_on(tmp_path):
    async with Hall(tmp_path, 3) as hall:
        babbler = Device(
            hall.medium.port(), lambda: mounted(str(tmp_path / "tumbler3")), hall.rng, b"babbling"
        )
        babbling = asyncio.create_task(babbler.run())
        await hall.play(25, 0.5)
        hall.assert_each_once(25)
        assert hall.medium.collisions > 0
        babbling.cancel()


@in_virtual_time(600)
async def test_commands_reach_their_own_device_once(tmp_path):
    async with Hall(tmp_path, 4, noise=0.05) as hall:
        for number in range(10):
            replies = await asyncio.gather(
                *(session.command("attest", nonce=bytes([number]) * 16) for session in hall.sessions.values())
            )
            assert {reply.status for reply in replies} == {"done"}
        for device in hall.devices.values():
            assert [command["nonce"][0] for command in device.executed] == list(range(10))


@in_virtual_time(600)
async def test_a_reboot_and_an_absent_device_hold_up_nobody(tmp_path):
    async with Hall(tmp_path, 5) as hall:
        first, second, absent = hall.devices.values()
        absent.line = hall.medium.port()
        hall.medium.ports.remove(absent.line)  # it hears nothing
        for _ in range(6):
            first.record()
            second.record()
            await asyncio.sleep(2)
            first.boot()
        await asyncio.sleep(10)
        for device in DEVICES[:2]:
            journal = hall.devices[device].journal
            assert hall.sinks[device].records == [(n, journal.read(n)) for n in range(1, 7)]
        assert hall.bus.counters["silent_turns"] < 40


@in_virtual_time(600)
async def test_nothing_is_kept_for_a_table_that_has_stopped(tmp_path):
    async with Hall(tmp_path, 6) as hall:
        await hall.play(2, 0.5)
        stopped = hall.tables[DEVICES[2]]
        stopped.cancel()
        await asyncio.wait({stopped})
        line = await hall.bus.line(DEVICES[2])()
        await line.close()
        hall.devices[DEVICES[2]].boot()  # it greets each second from now on
        await asyncio.sleep(30)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(line.read(), 3)


def test_a_turn_names_one_device_and_a_number_of_frames():
    assert definitions.MESSAGES["poll"][3] == ("device", "count")
    assert "poll" in definitions.ANY_SESSION
