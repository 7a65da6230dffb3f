"""A word of an earlier conversation is never taken for a present one, however late it comes."""

import asyncio

import pytest

from host_tools.faults.virtual_time import VirtualClock
from host_tools.link import DeviceRestarted, HostSession, SessionStopped
from host_tools.link.conversation import fresh_greeting
from tests.host_tools.link.rig import DEVICE, Line, MemorySink, in_virtual_time
from tests.host_tools.link.test_host_session import NONCE, SESSION, Hand

OTHER = b"tumbler2"


async def heard_in(hand, session, seconds=0.2):
    """[(name, values), ...] that the host sent, all in that session but for greetings."""
    await asyncio.sleep(seconds)
    frames = hand._parser.feed(hand.line.to_device.take())
    assert {frame.session for frame in frames} <= {0, session}
    return [hand.unpacked(frame) for frame in frames]


@in_virtual_time()
async def test_a_device_that_answers_no_greeting_of_now_is_greeted_and_not_welcomed():
    hand = Hand()
    await hand.heard(0.7)
    for greeting in (0, 77):
        hand.hello(greeting=greeting)
        assert await hand.heard(0.6) == [("greet", {"greeting": 1})]
    assert hand.events == []
    await hand.connected()
    assert hand.kinds() == ["connected"]


@in_virtual_time()
async def test_a_storm_of_late_hellos_makes_no_storm_of_greetings():
    hand = await Hand().connected()
    for _ in range(50):
        hand.hello(greeting=0)
    names = [name for name, _ in await hand.heard(0.4)]
    assert names == ["greet"]
    assert hand.kinds() == ["connected"]


@in_virtual_time()
async def test_a_restart_is_noticed_at_once():
    hand = await Hand().connected()
    await hand.heard(0.5)
    hand.hello(session=SESSION + 900, boot=4, greeting=0)
    assert await hand.heard(0.1) == [("greet", {"greeting": 1})]
    hand.hello(session=SESSION + 900, boot=4)
    (welcome,) = await heard_in(hand, SESSION + 900, 0.1)
    assert welcome[0] == "welcome"
    assert hand.kinds() == ["connected", "restarted"]


@in_virtual_time()
async def test_a_late_hello_of_an_earlier_boot_fails_no_command():
    hand = await Hand().connected(boot=4)
    asked = asyncio.create_task(hand.session.command("attest", nonce=NONCE))
    id = (await hand.asked())["id"]
    for session, boot, greeting in ((0xBAD, 3, 0), (0xBAD, 3, 77), (0xBAD, 3, 1)):
        hand.hello(session=session, boot=boot, greeting=greeting)
        await hand.heard(0.1)
    await hand.heard(7.5)
    assert hand.kinds() == ["connected", "lost"]
    for greeting in (0, 1, 77):
        hand.hello(session=0xBAD, boot=3, greeting=greeting)
        await hand.heard(0.3)
    assert hand.kinds() == ["connected", "lost"]
    assert not asked.done()
    hand.hello(session=SESSION + 1, boot=4)
    again = [values for name, values in await heard_in(hand, SESSION + 1) if name == "command"]
    assert [each["id"] for each in again] == [id]
    hand.send("reply", {"id": id, "status": 0, "state": 0, "sequence": 4}, SESSION + 1)
    assert (await asked).status == "done"


@in_virtual_time()
async def test_a_command_whose_device_has_restarted_meanwhile_is_given_up():
    hand = await Hand().connected(boot=4)
    asked = asyncio.create_task(hand.session.command("attest", nonce=NONCE))
    await hand.heard(7.5)
    hand.hello(session=99, boot=5)
    with pytest.raises(DeviceRestarted):
        await asked


@in_virtual_time()
async def test_a_device_that_was_greeted_by_somebody_else_goes_on_in_a_new_session():
    """As by a late copy of an old greeting: it answers that one, then ours again, one session further on."""
    hand = await Hand().connected()
    asked = asyncio.create_task(hand.session.command("attest", nonce=NONCE))
    first = await hand.asked()
    await hand.heard(0.5)
    hand.hello(session=SESSION + 1, greeting=77)
    assert ("greet", {"greeting": 1}) in await hand.heard(0.1)
    hand.hello(session=SESSION + 2)
    again = [values for name, values in await heard_in(hand, SESSION + 2) if name == "command"]
    assert {**again[0], "mac": 0} == {**first, "mac": 0}
    hand.reply(first["id"])  # of the session before
    await asyncio.sleep(0.1)
    assert not asked.done()
    hand.hello(session=SESSION)  # overtaken
    hand.status()
    await asyncio.sleep(0.1)
    assert hand.statuses == []
    hand.send("reply", {"id": first["id"], "status": 0, "state": 0, "sequence": 4}, SESSION + 2)
    assert (await asked).status == "done"
    assert hand.kinds() == ["connected", "renewed"]


@in_virtual_time()
async def test_a_renewed_session_takes_no_word_of_before():
    hand = await Hand().connected()
    renewing = asyncio.create_task(hand.session.renew())
    assert await hand.heard(0.1) == [("greet", {"greeting": 2})]
    hand.status()
    hand.record(1)
    hand.hello(greeting=1)
    await asyncio.sleep(0.3)
    assert not renewing.done()
    assert (hand.statuses, hand.sink.records) == ([], [])
    hand.hello(session=SESSION + 1)
    await asyncio.wait_for(renewing, 1)
    hand.status()
    hand.status(session=SESSION + 1, strokes=2)
    await asyncio.sleep(0.1)
    assert [each["strokes"] for each in hand.statuses] == [2]
    assert hand.kinds() == ["connected", "renewed"]


@in_virtual_time()
async def test_a_hello_that_waits_for_a_commit_does_not_enter_the_conversation_renewed_meanwhile():
    hand = await Hand().connected()
    stored = asyncio.Event()

    async def wait(_when):
        await stored.wait()

    hand.sink.during = wait
    hand.record(1)
    await asyncio.sleep(0.05)
    hand.hello()  # the line's copy: to be welcomed once the commit under way is done
    hand.status()
    await asyncio.sleep(0.05)
    renewing = asyncio.create_task(hand.session.renew())
    await asyncio.sleep(0.05)
    stored.set()
    await asyncio.sleep(0.2)
    assert not renewing.done()
    assert not hand.statuses

    hand.hello(session=SESSION + 1)
    await asyncio.wait_for(renewing, 1)


@in_virtual_time()
async def test_a_device_that_vanishes_while_the_session_is_renewed_is_lost():
    hand = await Hand().connected()
    renewing = asyncio.create_task(hand.session.renew())
    await hand.heard(7)
    assert hand.kinds() == ["connected", "lost"]
    assert hand.events[-1].device == DEVICE
    hand.running.cancel()
    with pytest.raises(SessionStopped):
        await renewing


@in_virtual_time()
async def test_a_status_that_another_has_overtaken_is_dropped():
    hand = await Hand().connected()
    for uptime_ms in (100, 300, 200, 300, 400):
        hand.status(uptime_ms=uptime_ms)
    await hand.heard()
    assert [each["uptime_ms"] for each in hand.statuses] == [100, 300, 400]
    assert hand.session.counters["late_statuses"] == 2


@in_virtual_time()
async def test_a_forged_status_from_the_future_does_not_silence_the_device_for_ever():
    hand = await Hand().connected()
    hand.status(uptime_ms=2**40)
    for _ in range(10):
        hand.status()
        await hand.heard(0.1)
    assert hand.kinds() == ["connected", "lost"]
    hand.hello(session=SESSION + 1)
    await asyncio.sleep(0.1)
    hand.status(session=SESSION + 1)
    await asyncio.sleep(0.1)
    assert len(hand.statuses) == 2


@in_virtual_time()
async def test_a_forged_hello_of_a_later_boot_does_not_keep_the_device_out():
    hand = await Hand().connected()
    hand.hello(session=5, boot=2**40)
    await asyncio.sleep(7)
    hand.line.to_device.take()
    hand.hello(session=SESSION + 1)
    await hand.session.wait_connected()
    assert hand.session.device == DEVICE
    assert hand.events[-1].boot == 3


def test_greetings_differ():
    greetings = {fresh_greeting() for _ in range(1000)}
    assert len(greetings) > 990
    assert all(0 < each < 2**32 for each in greetings)


async def opened_in(seconds, hello=None, **options):
    """How often the line of a session without its device was opened."""
    line = Line()
    session = HostSession(line.transport, MemorySink(), VirtualClock(), only=DEVICE, **options)
    running = asyncio.create_task(session.run())
    for _ in range(seconds):
        if hello:
            hello(line)
        await asyncio.sleep(1)
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)
    return line.opened


@in_virtual_time()
async def test_a_port_without_its_device_is_left_when_there_are_others():
    assert await opened_in(100, elsewhere=lambda: True) == 4
    assert await opened_in(100) == 1, "a line that has no alternative is kept"


@in_virtual_time()
async def test_a_port_is_left_on_which_another_device_answers():
    hand = Hand()
    hand.running.cancel()

    def hello(line):
        hand.line = line
        hand.hello(device=OTHER)

    assert await opened_in(70, hello, elsewhere=lambda: True) == 3


@in_virtual_time()
async def test_a_port_on_which_the_device_is_heard_is_kept():
    hand = await Hand(elsewhere=lambda: True).connected()
    for _ in range(100):
        hand.status()
        await asyncio.sleep(1)
    assert hand.line.opened == 1
