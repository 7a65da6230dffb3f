"""Ports that vanish, come back under other names and swap: each host finds its own device, nobody else's."""

import asyncio
import os
import random
from collections import Counter
from contextlib import asynccontextmanager

import pytest
import serialx
from test_serial_pty import PtyLine, PtyWire, until

from host_tools.link import HostSession, OpenPolicy, TransportLost, messages, open_by_identity, open_serial
from host_tools.link.framing import FrameParser, encode_frame
from tests.host_tools.link.rig import DEVICE, Device, MemorySink, hello_of
from tumbler import definitions
from tumbler import journal as journals

OTHER = b"tumbler2"


class Plug:
    """A device and its pty, under a name that may change."""

    def __init__(self, folder, name, device=DEVICE, seed=1):
        self.folder = folder
        self.wire = PtyWire(folder / name)
        self.wire.plug_in()
        journals.create(str(folder / f"journal-{device.decode()}"))
        self.device = Device(PtyLine(self.wire), self._mounted(device), random.Random(seed), device)
        self._running = asyncio.create_task(self.device.run())

    def _mounted(self, device):
        def mounted():
            journal = journals.Journal(str(self.folder / f"journal-{device.decode()}"))
            journal.mount()
            return journal

        return mounted

    def rename(self, name):
        self.wire.path = self.wire.path.rename(self.folder / name)

    def plug_in_as(self, name):
        self.wire.path = self.folder / name
        self.wire.plug_in()

    def end(self):
        self._running.cancel()
        if self.wire.master >= 0:
            self.wire.unplug()


@pytest.fixture
async def plug(tmp_path):
    plugs = []

    def make(*arguments, **options):
        plugs.append(Plug(tmp_path, *arguments, **options))
        return plugs[-1]

    yield make
    for each in plugs:
        each.end()


def opener(folder, device=DEVICE, answer_s=1.0):
    return lambda: open_by_identity(device, [str(folder / "tty*")], answer_s=answer_s)


@asynccontextmanager
async def running(*sessions):
    tasks = [asyncio.create_task(session.run()) for session in sessions]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def test_finds_its_device_among_others_silent_ports_and_noise(plug, tmp_path):
    plug("ttyA", OTHER)
    mine = plug("ttyC", DEVICE)
    silent, noisy = PtyWire(tmp_path / "ttyB"), PtyWire(tmp_path / "ttyD")
    silent.plug_in()
    noisy.plug_in()
    noisy.offer(b"temperature 21.5\r\n\x00\x05ab" + bytes(range(200)))
    (tmp_path / "tty-by-id").symlink_to(mine.wire.path)  # a second name of the same port
    transport = await opener(tmp_path)()
    greeting = messages.pack("greet", {"greeting": 7})
    await transport.write(encode_frame(definitions.HOST_TYPES["greet"], 0, greeting))
    parser = FrameParser(Counter())
    async with asyncio.timeout(60):
        while not any(frame.type_byte == 1 for frame in parser.feed(await transport.read())):
            pass
    for name in ("ttyA", "ttyB", "ttyD"):  # given back
        await (await open_serial(str(tmp_path / name))).close()
    await transport.close()
    silent.unplug()
    noisy.unplug()


async def test_a_hello_that_a_serial_server_has_kept_is_no_sign_of_the_device(tmp_path):
    """It said so once, on this port; now it is elsewhere."""
    wire = PtyWire(tmp_path / "ttyA")
    wire.plug_in()
    for device, found in ((DEVICE, "silent"), (OTHER, f"device {OTHER.hex()}")):
        kept = messages.pack("hello", hello_of(77, device=device))
        frame = encode_frame(definitions.DEVICE_TYPES["hello"], 5, kept)
        asyncio.get_running_loop().call_later(0.3, wire.offer, frame)  # once the port is open
        with pytest.raises(TransportLost, match=f"ttyA: {found}"):
            await opener(tmp_path)()
    wire.unplug()


async def test_says_what_is_on_each_port_when_the_device_is_on_none(plug, tmp_path):
    plug("ttyA", OTHER)
    silent = PtyWire(tmp_path / "ttyB")
    silent.plug_in()
    with pytest.raises(TransportLost, match=f"ttyA: device {OTHER.hex()}.*ttyB: silent"):
        await opener(tmp_path)()
    silent.unplug()
    with pytest.raises(TransportLost, match="no port is"):
        await open_by_identity(DEVICE, [str(tmp_path / "none*")])
    with pytest.raises(TransportLost, match="cannot open"):
        await open_by_identity(DEVICE, [str(tmp_path / "named")])


async def test_a_device_plugged_in_under_another_name_goes_on_by_itself(plug, tmp_path):
    mine = plug("ttyA")
    sink = MemorySink()
    session = HostSession(opener(tmp_path), sink, only=DEVICE)
    async with running(session):
        for number, name in enumerate(("ttyB", "ttyA", "ttyUSB7"), start=1):
            mine.device.record()
            await until(lambda count=number: len(sink.records) == 2 * count - 1)
            mine.wire.unplug()
            mine.device.record()
            mine.plug_in_as(name)
            os.write(mine.wire.master, b"half a line of a previous life \x00\x0f\x02")
            await until(lambda count=number: len(sink.records) == 2 * count)
    assert sink.records == [(number, mine.device.journal.read(number)) for number in range(1, 7)]
    assert not mine.device.forked


async def test_two_tables_find_their_devices_again_after_their_ports_changed_names(plug, tmp_path):
    plugs = {DEVICE: plug("tty0", DEVICE), OTHER: plug("tty1", OTHER)}
    sinks = {device: MemorySink((DEVICE, OTHER)) for device in plugs}
    sessions = [HostSession(opener(tmp_path, device), sinks[device], only=device) for device in plugs]
    async with running(*sessions):
        for each in plugs.values():
            each.device.record()
        await until(lambda: all(len(sink.records) == 1 for sink in sinks.values()))
        for each in plugs.values():
            each.wire.unplug()
        plugs[DEVICE].plug_in_as("tty1")
        plugs[OTHER].plug_in_as("tty0")
        for each in plugs.values():
            each.device.record()
        await until(lambda: all(len(sink.records) == 2 for sink in sinks.values()))
    for device, each in plugs.items():
        assert [raw for _, raw in sinks[device].records] == [each.device.journal.read(n) for n in (1, 2)]
        assert not each.device.forked


async def test_a_host_that_probes_disturbs_no_running_session(plug, tmp_path):
    mine = plug("ttyA")
    sink, events = MemorySink(), []
    session = HostSession(opener(tmp_path), sink, only=DEVICE, on_event=events.append)
    async with running(session):
        await session.wait_connected()
        await asyncio.sleep(0.3)
        welcomes = mine.device.session.counters["welcomes"]
        for device in (DEVICE, OTHER):
            with pytest.raises(TransportLost, match="cannot open"):
                await opener(tmp_path, device)()
        reply = await session.command("attest", timeout=60, nonce=bytes(16))
        assert reply.status == "done"
        assert mine.device.session.counters["welcomes"] == welcomes
        assert [event.kind for event in events] == ["connected"]


async def test_another_table_s_device_is_left_as_it_is(plug, tmp_path):
    """Its own host is away for a moment; it is not greeted anew, welcomed or acknowledged."""
    other = plug("ttyA", OTHER)
    sink = MemorySink((OTHER,))
    session = HostSession(opener(tmp_path, OTHER), sink, only=OTHER)
    async with running(session):
        await session.wait_connected()
        await asyncio.sleep(0.3)
    before = dict(other.device.session.counters)
    with pytest.raises(TransportLost):
        await opener(tmp_path)()
    assert other.device.session.connected
    assert dict(other.device.session.counters) == before


@pytest.mark.parametrize(("dtr", "rts"), [(True, False), (False, True), (False, False)])
async def test_a_board_s_lines_are_set_as_its_file_says_and_it_is_waited_for(dtr, rts, monkeypatch):
    asked = {}

    async def connect(url, **options):
        asked.update(options)
        return asyncio.StreamReader(), None

    monkeypatch.setattr(serialx, "open_serial_connection", connect)
    begun = asyncio.get_running_loop().time()
    await open_serial("port", policy=OpenPolicy.of({"ids": [], "dtr": dtr, "rts": rts, "wait_ms": 120}))
    assert asyncio.get_running_loop().time() - begun >= 0.12
    assert (asked["dtr_on_open"].to_bool(), asked["rts_on_open"].to_bool()) == (dtr, rts)
    assert asked["dtr_on_close"].to_bool() is None  # closing must not reset a board in its round
    assert asked["exclusive"] is True


def test_a_board_without_usb_has_the_common_policy():
    assert OpenPolicy.of(None) == OpenPolicy() == OpenPolicy(dtr=True, rts=True, wait_s=0.0)
