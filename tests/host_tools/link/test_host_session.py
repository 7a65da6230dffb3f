"""The host's session against a device played by hand: who is welcomed, what is acknowledged or refused."""

import asyncio
import random

import pytest

from host_tools.faults.virtual_time import WALL_MS, VirtualClock, VirtualLoop
from host_tools.link import (
    CommandInvalid,
    CommandTimeout,
    DeviceQuarantined,
    DeviceRestarted,
    HostSession,
    SessionStopped,
    messages,
)
from host_tools.link.framing import FrameParser, encode_frame
from host_tools.records.errors import Fork
from tests.host_tools.link.rig import DEVICE, FORGED, KEY, Line, MemorySink, hello_of, in_virtual_time
from tumbler import definitions
from tumbler.link.commands import CommandGate
from tumbler.link.seal import Seal
from tumbler.records.messages import unpack_message

SESSION = 0xC0FFEE00
NONCE = bytes(16)


class Hand:
    """A device played by the test, and the session it talks to."""

    def __init__(self, clock=None, **options):
        self.line = Line()
        self.sink = MemorySink()
        self.events = []
        self.statuses = []
        self.greeting = 0  # the newest of the host
        self.uptime_ms = 0
        self.session = HostSession(
            self.line.transport,
            self.sink,
            clock or VirtualClock(),
            new_greeting=self._new_greeting,
            on_event=self.events.append,
            on_status=self.statuses.append,
            **options,
        )
        self._counters = self.session.counters.copy()
        self._parser = FrameParser(self._counters)
        self.running = asyncio.create_task(self.session.run())

    def _new_greeting(self):
        self.greeting += 1
        return self.greeting

    def send(self, name, values, session=SESSION):
        self.line.to_host.send(
            encode_frame(definitions.DEVICE_TYPES[name], session, messages.pack(name, values))
        )

    def hello(self, session=SESSION, **changes):
        self.send("hello", hello_of(self.greeting, **changes), session)

    def record(self, sequence, raw=None, session=SESSION):
        body = sequence.to_bytes(8, "big") + (raw or b"record %d" % sequence)
        self.line.to_host.send(encode_frame(definitions.DEVICE_TYPES["record"], session, body))

    def status(self, session=SESSION, **changes):
        self.uptime_ms += 1
        values = {
            "state": 0,
            "strokes": 0,
            "at_rest": True,
            "faults": [],
            "last": 0,
            "uptime_ms": self.uptime_ms,
            "crc_errors": 0,
        }
        self.send("status", {**values, **changes}, session)

    def reply(self, id, status="done", **changes):
        values = {"id": id, "status": definitions.REPLY_STATUSES[status], "state": 0, "sequence": 4}
        self.send("reply", {**values, **changes})

    async def heard(self, seconds=0.2):
        """[(name, values), ...] that the host sent up to `seconds` from now."""
        await asyncio.sleep(seconds)
        found = []
        for frame in self._parser.feed(self.line.to_device.take()):
            name, values = self.unpacked(frame)
            assert frame.session == (0 if name == "greet" else SESSION)
            found.append((name, values))
        return found

    @staticmethod
    def unpacked(frame):
        """(name, values) of a frame of the host; the MAC of a welcome or acknowledgement is right."""
        name, values = unpack_message(frame.type_byte, frame.body)
        if name in ("welcome", "ack"):
            assert Seal(KEY, frame.session).fits(name, values)
            del values["mac"]
        return name, values

    async def connected(self, **changes):
        self.hello(**changes)
        await self.session.wait_connected()
        await self.heard()
        return self

    async def asked(self):
        """The command that the host sends now; nothing else may be sent beside it."""
        ((name, values),) = await self.heard()
        assert name == "command"
        return values

    def kinds(self):
        return [event.kind for event in self.events]


@in_virtual_time()
async def test_greets_until_the_device_answers():
    hand = Hand()
    assert await hand.heard(3.5) == [("greet", {"greeting": 1})] * 4
    hand.hello()
    ((name, values),) = await hand.heard()
    assert name == "welcome"
    assert (values["committed"], values["committed_hash"]) == (0, definitions.FIRST_PREVIOUS)
    assert abs(values["wall_ms"] - WALL_MS - 3500) < 100
    assert hand.session.device == DEVICE
    (event,) = hand.events
    assert (event.kind, event.device, event.boot) == ("connected", DEVICE, 3)


@in_virtual_time()
async def test_pings_when_idle():
    hand = await Hand().connected()
    names = []
    for _ in range(8):
        names += [name for name, _ in await hand.heard(0.5)]
        hand.status()
    assert names == ["ping"] * 4
    assert hand.kinds() == ["connected"]
    assert hand.statuses[0]["state"] == "idle"


@in_virtual_time()
async def test_a_repeated_hello_is_welcomed_again_without_an_event():
    hand = await Hand().connected()
    hand.hello()
    assert [name for name, _ in await hand.heard()] == ["welcome"]
    assert hand.kinds() == ["connected"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"device": b"stranger"}, "not registered"),
        ({"protocol_min": 2, "protocol_max": 3}, "protocols 2 to 3"),
        ({"protocol_max": 0, "protocol_min": 0}, "protocols 0 to 0"),
        ({"schema": bytes(8)}, "definitions differ"),
    ],
)
@in_virtual_time()
async def test_who_cannot_be_talked_to_is_refused_once_and_by_name(changes, reason):
    hand = Hand()
    await hand.heard()
    for _ in range(5):
        hand.hello(**changes)
        assert "welcome" not in [name for name, _ in await hand.heard(1)]
    (event,) = hand.events
    assert event.kind == "refused"
    assert reason in event.reason
    assert event.device == changes.get("device", DEVICE)
    hand.hello()
    await hand.session.wait_connected()
    assert hand.kinds() == ["refused", "connected"]


@in_virtual_time()
async def test_only_the_table_s_own_device_is_welcomed_though_others_are_registered():
    hand = Hand(only=DEVICE)
    hand.sink.devices = (DEVICE, b"neighbou")
    await hand.heard()
    hand.hello(device=b"neighbou")
    assert "welcome" not in [name for name, _ in await hand.heard(1)]
    hand.hello()
    assert "welcome" in [name for name, _ in await hand.heard(1)]
    hand.hello(device=b"neighbou")
    assert "welcome" not in [name for name, _ in await hand.heard(1)]
    assert hand.kinds() == ["refused", "connected", "lost", "refused"]
    assert "in place of" in hand.events[0].reason
    assert hand.session.device is None


@in_virtual_time()
async def test_acknowledges_only_after_the_commit():
    hand = await Hand().connected()
    durable = asyncio.Event()

    async def dwell(moment):
        if moment == "before":
            await durable.wait()

    hand.sink.during = dwell
    hand.record(1)
    hand.record(2)
    hand.record(3)
    assert {name for name, _ in await hand.heard(3)} == {"ping"}
    durable.set()
    assert await hand.heard() == [("ack", {"committed": 1}), ("ack", {"committed": 3})]
    assert hand.sink.batches == [1, 2]


@in_virtual_time()
async def test_a_repeated_record_is_acknowledged_at_once_and_not_committed():
    hand = await Hand().connected()
    for sequence in (1, 2, 3):
        hand.record(sequence)
    await hand.heard()
    hand.record(2)
    assert await hand.heard() == [("ack", {"committed": 3})]
    assert len(hand.sink.records) == 3


@in_virtual_time()
async def test_one_nak_for_a_gap():
    hand = await Hand().connected()
    for sequence in (2, 3, 4):
        hand.record(sequence)
    assert await hand.heard() == [("nak", {"expected": 1})]
    for sequence in (1, 2, 4):
        hand.record(sequence)
    heard = await hand.heard()
    assert ("nak", {"expected": 3}) in heard
    assert ("ack", {"committed": 2}) in heard
    assert [sequence for sequence, _ in hand.sink.records] == [1, 2]


@in_virtual_time()
async def test_a_gap_is_told_again_once_the_device_went_back():
    """The first NAK may have been lost, or what it asked for."""
    hand = await Hand().connected()
    for sequence in (1, 3):
        hand.record(sequence)
    assert ("nak", {"expected": 2}) in await hand.heard()
    for sequence in (1, 3):
        hand.record(sequence)
    assert await hand.heard() == [("ack", {"committed": 1}), ("nak", {"expected": 2})]


@in_virtual_time()
async def test_a_record_of_another_chain_quarantines_the_device():
    hand = await Hand().connected()

    async def refuse(moment):
        raise Fork("record 1 follows another record")

    hand.sink.during = refuse
    hand.record(1)
    assert await hand.heard() == []
    assert hand.events[-1].kind == "quarantined"
    assert "another record" in hand.events[-1].reason
    hand.sink.during = None
    for sequence in (1, 2, 3, 9):
        hand.record(sequence)
    assert await hand.heard() == []
    assert hand.sink.records == []
    hand.status(state=1)
    await hand.heard()
    assert hand.statuses[-1]["state"] == "opened"
    with pytest.raises(DeviceQuarantined, match="another record"):
        await hand.session.command("attest", nonce=NONCE)
    # Neither a reboot nor a reconnection lifts it.
    hand.line.lose()
    await hand.heard(1)
    hand.hello(boot=4)
    await hand.session.wait_connected()
    await hand.heard()
    hand.record(1)
    assert await hand.heard() == []
    assert hand.sink.records == []


@in_virtual_time()
async def test_a_forged_record_is_dropped_and_the_true_one_asked_for():
    """Whoever can put bytes on the line takes no device out of service with them."""
    hand = await Hand().connected()
    for _ in range(5):
        hand.record(1, FORGED)
        hand.record(2)
        assert await hand.heard() == [("ack", {"committed": 0}), ("nak", {"expected": 1})]
    for sequence in (1, 2):
        hand.record(sequence)
    assert ("ack", {"committed": 2}) in await hand.heard()
    assert hand.sink.records == [(1, b"record 1"), (2, b"record 2")]
    assert hand.session.counters["doubted"] == 5
    assert hand.kinds() == ["connected", "doubted"]  # told once a session
    assert not hand.session.quarantined


@in_virtual_time()
async def test_what_came_before_a_forged_record_is_kept_and_acknowledged():
    hand = await Hand().connected()

    async def dwell(moment):
        await asyncio.sleep(0.1)

    hand.sink.during = dwell
    for sequence, raw in ((1, None), (2, None), (3, FORGED), (4, None)):
        hand.record(sequence, raw)
    heard = await hand.heard(1)
    assert heard[-2:] == [("ack", {"committed": 2}), ("nak", {"expected": 3})]
    assert [sequence for sequence, _ in hand.sink.records] == [1, 2]


@in_virtual_time()
async def test_a_forged_record_that_is_repeated_after_a_forged_reboot_proves_nothing():
    """Neither the record nor the HELLO is signed; people are told once a boot."""
    hand = await Hand().connected()
    hand.record(1, FORGED)
    await hand.heard()
    hand.hello(boot=4, session=SESSION + 1)
    await asyncio.sleep(0.2)
    for _ in range(2):
        hand.record(1, FORGED, session=SESSION + 1)
        await asyncio.sleep(0.2)
    assert hand.kinds() == ["connected", "doubted", "restarted", "doubted"]
    hand.record(1, session=SESSION + 1)
    await asyncio.sleep(0.2)
    assert hand.sink.records == [(1, b"record 1")]
    assert not hand.session.quarantined


@in_virtual_time()
async def test_two_records_of_one_sequence_quarantine_the_device():
    hand = await Hand().connected()
    hand.record(1)
    await hand.heard()
    hand.record(1, b"another")
    assert await hand.heard() == []
    assert hand.kinds() == ["connected", "quarantined"]
    assert hand.sink.records == [(1, b"record 1")]


@in_virtual_time()
async def test_a_forged_second_record_of_a_sequence_proves_nothing():
    hand = await Hand().connected()
    hand.record(1)
    await hand.heard()
    hand.record(1, FORGED)
    hand.record(2)
    assert ("ack", {"committed": 2}) in await hand.heard()
    assert hand.kinds() == ["connected", "doubted"]


@in_virtual_time()
async def test_a_forged_record_that_comes_first_keeps_no_true_one_out():
    """Both are there before either is judged."""
    hand = await Hand().connected()

    async def dwell(moment):
        await asyncio.sleep(0.1)

    hand.sink.during = dwell
    hand.record(1)
    await asyncio.sleep(0.05)
    hand.record(2, FORGED)
    hand.record(2)
    assert (await hand.heard(1))[-1] == ("nak", {"expected": 2})
    hand.record(2)
    assert ("ack", {"committed": 2}) in await hand.heard(1)
    assert hand.sink.records == [(1, b"record 1"), (2, b"record 2")]
    assert not hand.session.quarantined


@in_virtual_time()
async def test_the_head_after_a_restart_of_the_host_also_tells_equivocation():
    hand = Hand()
    hand.sink.records.append((1, b"record 1"))
    await hand.connected(last=1)
    hand.record(1, b"another")
    await hand.heard()
    assert hand.kinds() == ["connected", "quarantined"]


@in_virtual_time()
async def test_nothing_is_acknowledged_that_the_sink_does_not_have():
    """Whatever it says of a commit."""
    hand = await Hand().connected()

    async def forget(moment):
        if moment == "after":
            hand.sink.records.clear()

    hand.sink.during = forget
    hand.record(1)
    assert await hand.heard() == [("ack", {"committed": 0})]


@in_virtual_time()
async def test_an_error_of_the_sink_ends_the_session_unacknowledged():
    hand = await Hand().connected()

    async def fail(moment):
        raise OSError("disk full")

    hand.sink.during = fail
    hand.record(1)
    with pytest.raises(OSError, match="disk full"):
        await hand.running
    assert await hand.heard() == []
    assert hand.events[-1].kind == "lost"


@in_virtual_time()
async def test_stopping_waits_for_the_commit_under_way():
    hand = await Hand().connected()

    async def dwell(moment):
        await asyncio.sleep(1)

    hand.sink.during = dwell
    hand.record(1)
    await hand.heard()
    hand.running.cancel()
    await asyncio.gather(hand.running, return_exceptions=True)
    assert hand.sink.records == [(1, b"record 1")]


@in_virtual_time()
async def test_a_journal_that_ends_before_the_head_is_told():
    hand = Hand()
    hand.sink.records.append((1, b"record 1"))
    await hand.connected()
    assert hand.kinds() == ["connected", "behind"]


@in_virtual_time()
async def test_a_silent_device_is_lost_and_greeted():
    hand = await Hand().connected()
    names = [name for name, _ in await hand.heard(7)]
    assert "greet" in names
    assert hand.kinds() == ["connected", "lost"]
    assert hand.session.device is None
    hand.hello()
    await hand.session.wait_connected()
    assert hand.kinds() == ["connected", "lost", "connected"]


@in_virtual_time()
async def test_a_host_that_stood_still_itself_first_reads_what_has_come():
    hand = await Hand().connected()
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualLoop)
    loop._leaping.now += 10
    hand.record(1)  # which the line has brought, but nobody has read yet
    await asyncio.sleep(0.5)
    assert hand.kinds() == ["connected"]
    assert hand.sink.records == [(1, b"record 1")]
    loop._leaping.now += 10  # nothing has come in this time
    await asyncio.sleep(2)
    assert hand.kinds() == ["connected", "lost"]


@in_virtual_time()
async def test_a_reboot_is_told_and_old_frames_are_stale():
    hand = await Hand().connected()
    hand.hello(session=SESSION + 1, boot=4)
    await asyncio.sleep(0.1)
    hand.line.to_device.take()
    assert hand.kinds() == ["connected", "restarted"]
    hand.record(1)
    hand.hello(boot=3)
    await asyncio.sleep(0.1)
    assert hand.sink.records == []
    assert hand.session.counters["stale"] == 2
    assert hand.line.to_device.take() == b""


@in_virtual_time()
async def test_a_missing_port_is_told_once_and_tried_for_ever():
    hand = Hand()
    await hand.heard()
    hand.line.present = False
    hand.line.lose()
    await hand.heard(60)
    assert hand.kinds() == ["lost", "lost"]  # the plug, then the port
    hand.line.present = True
    await hand.heard(6)
    await hand.connected()
    assert hand.kinds()[-1] == "connected"


@in_virtual_time()
async def test_command_is_authentic_and_repeated_until_its_reply():
    hand = await Hand(ping_s=0.3).connected()
    round_id = bytes(range(16))
    asked = asyncio.create_task(hand.session.command("open-round", round=round_id, mode="open"))
    frames = await hand.heard(4)
    assert [name for name, _ in frames] == ["command"] * 3  # after 1 and 2 s, and no ping in between
    assert all(values == frames[0][1] for _, values in frames)
    gate = CommandGate(Seal(KEY, SESSION))
    command, _ = gate.admit(messages.pack("command", frames[0][1]))
    id = frames[0][1]["id"]
    assert id >= WALL_MS  # above those that an earlier process gave
    assert command == {"id": id, "command": "open-round", "round": round_id, "mode": 1}
    hand.reply(id - 1)
    hand.reply(id, "wrong-state", detail="a round is open", state=1)
    hand.reply(id)
    reply = await asked
    assert (reply.status, reply.state) == ("wrong-state", "opened")
    assert (reply.detail, reply.sequence) == ("a round is open", 4)
    await hand.heard()
    assert hand.session.counters["stray_replies"] == 2


@in_virtual_time()
async def test_one_command_at_a_time_with_rising_ids():
    hand = await Hand().connected()
    tasks = [asyncio.create_task(hand.session.command("attest", nonce=bytes([n]) * 16)) for n in range(3)]
    ids = []
    for number in range(3):
        asked = await hand.asked()
        assert asked["nonce"][0] == number
        ids.append(asked["id"])
        hand.reply(asked["id"], sequence=number)
    assert [reply.sequence for reply in await asyncio.gather(*tasks)] == [0, 1, 2]
    assert ids == sorted(set(ids))


@in_virtual_time()
async def test_command_waits_for_a_connection():
    hand = Hand()
    asked = asyncio.create_task(hand.session.command("attest", nonce=NONCE))
    await hand.heard(3.1)
    hand.hello()
    frames = await hand.heard()
    assert [name for name, _ in frames] == ["welcome", "command"]
    hand.reply(frames[1][1]["id"])
    assert (await asked).status == "done"


@in_virtual_time()
async def test_command_timeouts():
    hand = Hand()
    with pytest.raises(CommandTimeout, match="nothing was sent"):
        await hand.session.command("attest", timeout=2, nonce=NONCE)
    await hand.connected()
    began = asyncio.get_running_loop().time()
    with pytest.raises(CommandTimeout, match="look at the records"):
        await hand.session.command("attest", timeout=2, nonce=NONCE)
    assert asyncio.get_running_loop().time() - began == pytest.approx(2)
    late = next(values["id"] for name, values in await hand.heard() if name == "command")
    hand.reply(late)
    asked = asyncio.create_task(hand.session.command("attest", nonce=NONCE))
    id = (await hand.asked())["id"]
    assert id > late
    assert not asked.done()
    hand.reply(id)
    await asked


@in_virtual_time()
async def test_a_restart_fails_the_outstanding_command():
    hand = await Hand().connected()
    asked = asyncio.create_task(hand.session.command("attest", nonce=NONCE))
    await hand.asked()
    hand.hello(session=SESSION + 1, boot=4)
    with pytest.raises(DeviceRestarted):
        await asked


@in_virtual_time()
async def test_a_lost_line_does_not_fail_the_outstanding_command():
    hand = await Hand().connected()
    asked = asyncio.create_task(hand.session.command("attest", nonce=NONCE))
    first = await hand.asked()
    hand.line.lose()
    await hand.heard(1)
    hand.hello()
    again = [values for name, values in await hand.heard(1) if name == "command"]
    assert again[0] == first
    hand.reply(first["id"])
    assert (await asked).status == "done"


@in_virtual_time()
async def test_stopping_fails_the_outstanding_command():
    hand = await Hand().connected()
    asked = asyncio.create_task(hand.session.command("attest", nonce=NONCE))
    await hand.asked()
    hand.running.cancel()
    with pytest.raises(SessionStopped):
        await asked
    with pytest.raises(SessionStopped):
        await hand.session.command("attest", nonce=NONCE)


@in_virtual_time()
async def test_stopping_tells_those_who_wait_for_a_device():
    hand = Hand()
    asked = asyncio.create_task(hand.session.command("attest", nonce=NONCE))
    waiting = asyncio.create_task(hand.session.wait_connected())
    await hand.heard()
    hand.running.cancel()
    for task in (asked, waiting):
        with pytest.raises(SessionStopped):
            await task


@in_virtual_time()
async def test_a_repeated_hello_does_not_forget_records_that_wait():
    hand = await Hand().connected()

    async def dwell(moment):
        await asyncio.sleep(0.5)

    hand.sink.during = dwell
    hand.record(1)
    hand.record(2)
    hand.hello()
    hand.record(3)
    heard = await hand.heard(4)
    assert ("ack", {"committed": 3}) in heard
    assert "nak" not in [name for name, _ in heard]


@in_virtual_time()
async def test_a_wall_clock_that_was_set_back_costs_no_command():
    hand = await Hand(VirtualClock(offset_ms=-10_000_000)).connected()
    asked = asyncio.create_task(hand.session.command("attest", nonce=NONCE))
    hand.reply((await hand.asked())["id"], "replayed", detail=str(WALL_MS + 50))
    again = await hand.asked()
    assert (again["id"], again["nonce"]) == (WALL_MS + 51, NONCE)
    hand.reply(again["id"])
    assert (await asked).status == "done"


@in_virtual_time()
async def test_a_device_that_finds_every_command_replayed_is_believed():
    hand = await Hand().connected()
    asked = asyncio.create_task(hand.session.command("attest", nonce=NONCE))
    for _ in range(2):
        hand.reply((await hand.asked())["id"], "replayed", detail=str(WALL_MS + 10**6))
    assert (await asked).status == "replayed"


@in_virtual_time()
async def test_an_absurd_newest_id_is_not_followed():
    hand = await Hand().connected()
    for detail in (str(2**64 - 1), str(2**53 - 1), "", "x", "-5", "9" * 48):
        asked = asyncio.create_task(hand.session.command("attest", nonce=NONCE))
        for _ in range(2):
            values = await hand.asked()
            assert values["id"] < WALL_MS + 10_000
            hand.reply(values["id"], "replayed", detail=detail)
        await asked


@in_virtual_time()
async def test_a_forged_newest_id_locks_no_later_process_out():
    """Whatever the first process was made to give, the next one can give more."""
    far = WALL_MS + 9 * 365 * 86_400_000
    for _process in range(2):
        hand = await Hand().connected()
        asked = asyncio.create_task(hand.session.command("attest", nonce=NONCE))
        hand.reply((await hand.asked())["id"], "replayed", detail=str(far))
        again = await hand.asked()
        assert again["id"] == far + 1
        hand.reply(again["id"])
        assert (await asked).status == "done"
        far += 1


@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("explode", {}, "none of"),
        ("tumble", {}, "takes round"),
        ("tumble", {"round": bytes(16), "mode": "open"}, "takes round"),
        ("tumble", {"round": b"short"}, "round"),
        ("open-round", {"round": bytes(16), "mode": "sideways"}, "sideways"),
        ("clear-fault", {"fact": 9}, "9"),
        ("change-dice-set", {"dice_set": "x" * 49}, "dice_set"),
        ("change-dice-set", {"dice_set": "\ud800"}, "dice_set"),
    ],
)
@in_virtual_time()
async def test_what_is_no_command_is_not_sent(name, arguments, reason):
    hand = await Hand().connected()
    with pytest.raises(CommandInvalid, match=reason):
        await hand.session.command(name, **arguments)
    assert await hand.heard() == []


@in_virtual_time(3000)
async def test_a_hostile_device_changes_nothing():
    hand = await Hand().connected()
    rng = random.Random(8)
    for _ in range(1500):
        kind = rng.choice([*definitions.DEVICE_TYPES.values(), *definitions.HOST_TYPES.values(), 0, 99])
        session = rng.choice([SESSION, SESSION, 0, 5])
        body = rng.randbytes(rng.choice([0, 1, 3, 30, 400, 1024]))
        if kind != definitions.DEVICE_TYPES["record"]:
            hand.line.to_host.send(encode_frame(kind, session, body))
        hand.line.to_host.send(body)
        if rng.random() < 0.05:
            hand.line.to_host.send(b"\x55" * 5000)
        await asyncio.sleep(0.5)
        hand.status()
    await hand.heard(60)
    for body in (b"", bytes(8), bytes(7) + b"\x01" + bytes(641)):
        hand.line.to_host.send(b"\0" + encode_frame(definitions.DEVICE_TYPES["record"], SESSION, body))
    assert hand.sink.records == []
    assert set(hand.kinds()) <= {"connected", "lost"}
    assert hand.session.counters["malformed"] > 100
    assert hand.session.counters["overruns"] > 10
    await hand.connected()
    hand.record(1)
    assert ("ack", {"committed": 1}) in await hand.heard()


@in_virtual_time()
async def test_a_flood_of_records_is_bounded():
    hand = await Hand().connected()
    durable = asyncio.Event()

    async def dwell(moment):
        await durable.wait()

    hand.sink.during = dwell
    for sequence in range(1, 500):
        hand.record(sequence)
    await hand.heard(5)
    durable.set()
    await hand.heard(5)
    assert len(hand.sink.records) == 65  # one in the commit, and the most that may wait
