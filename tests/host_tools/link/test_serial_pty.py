"""The link over a real serial device of the kernel: a pty, opened by serialx, unplugged, plugged in."""

import asyncio
import os
import random
import tty

import pytest

from host_tools.link import HostSession, TransportLost, open_serial
from tests.host_tools.link.rig import Device, MemorySink
from tumbler import journal as journals


class PtyWire:
    """The device's end of a pty; `path` is a link to the host's end, as /dev/serial/by-id has them."""

    def __init__(self, path):
        self.path = path
        self.master = -1

    def plug_in(self):
        self.master, slave = os.openpty()
        tty.setraw(slave)
        os.set_blocking(self.master, False)
        self.path.symlink_to(os.ttyname(slave))
        os.close(slave)

    def unplug(self):
        os.close(self.master)
        self.master = -1
        self.path.unlink()

    def take(self):
        try:
            return os.read(self.master, 64)
        except OSError:  # nothing there, nobody has opened it, or unplugged
            return b""

    def offer(self, data):
        try:
            return os.write(self.master, data)
        except OSError:
            return 0


class PtyLine:
    """Both directions of a PtyWire, as rig.Device wants them."""

    def __init__(self, wire):
        self.to_host = self.to_device = wire


@pytest.fixture
def wire(tmp_path):
    wire = PtyWire(tmp_path / "tumbler-port")
    wire.plug_in()
    yield wire
    if wire.master >= 0:
        wire.unplug()


async def until(condition):
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.01)


async def test_records_and_commands_through_unplugging(wire, tmp_path):
    journals.create(str(tmp_path / "journal"))

    def mounted():
        journal = journals.Journal(str(tmp_path / "journal"))
        journal.mount()
        return journal

    device = Device(PtyLine(wire), mounted, random.Random(1))
    sink, events = MemorySink(), []
    session = HostSession(lambda: open_serial(str(wire.path)), sink, on_event=events.append)
    tasks = [asyncio.create_task(session.run()), asyncio.create_task(device.run())]
    try:
        for _ in range(20):
            device.record()
        await until(lambda: len(sink.records) == 20)
        reply = await session.command("attest", timeout=60, nonce=bytes(16))
        assert (reply.status, reply.sequence) == ("done", 21)

        wire.unplug()
        await until(lambda: events[-1].kind == "lost")
        device.record()
        await asyncio.sleep(0.6)
        wire.plug_in()
        reply = await session.command("attest", timeout=60, nonce=bytes(16))
        assert reply.sequence == 23
        await until(lambda: len(sink.records) == 23)

        device.boot()
        device.record()
        await until(lambda: len(sink.records) == 24)
        assert sink.records == [(number, device.journal.read(number)) for number in range(1, 25)]
        kinds = [event.kind for event in events]
        assert kinds[0] == "connected"
        assert kinds[-1] == "restarted"
        assert not device.forked
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def test_a_port_is_opened_for_one_process_alone(wire):
    transport = await open_serial(str(wire.path))
    with pytest.raises(TransportLost, match="cannot open"):
        await open_serial(str(wire.path))
    await transport.close()
    again = await open_serial(str(wire.path))
    await again.close()


async def test_a_missing_port_is_named(tmp_path):
    with pytest.raises(TransportLost, match="no-such-port"):
        await open_serial(str(tmp_path / "no-such-port"))


async def test_a_lost_port_is_lost_for_reading_and_closes_without_error(wire):
    transport = await open_serial(str(wire.path))
    wire.unplug()
    with pytest.raises(TransportLost):
        await transport.read()
    with pytest.raises(TransportLost):
        await transport.write(b"x")
    await transport.close()
