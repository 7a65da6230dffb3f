"""A device, or whoever speaks for it, that claims what it never shows: noticed, told, and not waited for."""

import itertools
from pathlib import Path
from typing import Any

import pytest
from bridge_rig import House, Tumbler

from host_tools import link
from host_tools.bridge.errors import ReplyBelied
from host_tools.bridge.events import DeviceConnected, DeviceRefused, RecordCommitted, RecordDropped
from host_tools.bridge.table import Table, Wager
from host_tools.bridge.trust import Trust

FAR = 2**40  # records


UPTIME_MS = itertools.count(0, 10_000)


def status(last: int, *faults: str) -> dict[str, Any]:
    return {"last": last, "faults": list(faults), "uptime_ms": next(UPTIME_MS)}


@pytest.fixture
def house(tmp_path: Path) -> House:
    house = House(tmp_path / "ledger.db", Tumbler(), "open")
    house.clock._ms = itertools.count(1_800_000_000_000, 20)  # time that passes more quickly
    return house


def forge_reply(house: House, command: str, **changes: Any) -> None:
    """The first reply to that command is another's, and the device never hears of the command."""
    give = house.session.command

    async def forged(name: str, **arguments: Any) -> link.Reply:
        if name != command:
            return await give(name, **arguments)
        house.session.command = give
        return link.Reply(**{"status": "done", "state": "opened", "detail": "", "sequence": 0, **changes})

    house.session.command = forged


async def bet(table: Table) -> None:
    assert table.round is not None
    await table.place(table.round, [Wager("a", "Ann", "any-triple", "10")])


async def up_to_closed_bets(table: Table) -> None:
    await table.open_round()
    await bet(table)
    await table.no_more_bets()


@pytest.mark.parametrize("sequence", [0, FAR])
@pytest.mark.parametrize("command", ["open-round", "no-more-bets"])
async def test_a_reply_that_its_device_belies_is_not_waited_for(
    house: House, command: str, sequence: int
) -> None:
    async with house.running() as table:
        forge_reply(house, command, sequence=sequence)
        with pytest.raises(ReplyBelied, match=command):
            await up_to_closed_bets(table)
        assert house.session.counters["untrue_replies"] == 1
        outcome = await table.recover()
        assert outcome is not None
        assert outcome.verdict == "void"  # bets were not closed on the device
        assert (await table.play_round(bet)).verdict == "settled"
        house.ledger.check_everything()


async def test_a_round_goes_on_by_the_records_after_a_false_reply(house: House) -> None:
    async with house.running() as table:
        forge_reply(house, "tumble", sequence=FAR)
        assert (await table.play_round(bet)).verdict == "settled"
        assert house.session.counters["untrue_replies"] == 1
        assert (await table.play_round(bet)).verdict == "settled"


async def test_a_device_that_claims_records_and_sends_none_is_named_and_not_waited_for(house: House) -> None:
    async with house.running() as table:
        events = table.events()
        house.session.report = lambda: house.session.on_status({**status(FAR), "strokes": 0})
        with pytest.raises(link.DeviceQuarantined, match=f"up to {FAR}"):
            await table.recover()
        seen = [type(await anext(events)) for _ in range(3)]
        assert seen == [DeviceConnected, RecordCommitted, DeviceRefused]


async def test_a_dropped_record_is_told_and_stops_nothing(house: House) -> None:
    async with house.running() as table:
        await table.ready()
        events = table.events()
        house.session.on_event(link.Event("doubted", house.tumbler.id, None, "wrong signature"))
        assert await anext(events) == RecordDropped(house.tumbler.id, "wrong signature")
        assert (await table.play_round(bet)).verdict == "settled"


def test_claims_are_believed_while_records_come() -> None:
    trust = Trust()
    for second in range(600):
        trust.on_status(status(FAR), head=second // 50, now=second)
    assert not trust.reason


def test_a_store_that_is_gone_is_no_fault_of_the_device() -> None:
    trust = Trust()
    trust.stored = False
    for second in range(600):
        trust.on_status(status(9), head=1, now=second)
    assert not trust.reason
    trust.stored = True
    trust.on_status(status(9), head=1, now=600)
    trust.on_status(status(9), head=2, now=601)
    assert not trust.reason


@pytest.mark.parametrize(("faults", "patience_s"), [((), 60), (("memory-fault",), 5)])
def test_missing_records_are_told_in_time_and_forgiven_when_they_come(
    faults: tuple[str, ...], patience_s: int
) -> None:
    trust = Trust()
    for second in range(patience_s):
        trust.on_status(status(9, *faults), head=1, now=second)
        assert not trust.reason
    trust.on_status(status(9, *faults), head=1, now=patience_s)
    assert trust.reason
    trust.on_status(status(9), head=9, now=patience_s + 1)
    assert not trust.reason


def test_a_device_whose_records_are_none_is_out_of_service_and_the_cause_is_named() -> None:
    """Whether it is so or somebody forges them: only while it claims records of which none is genuine."""
    trust = Trust()
    trust.on_status(status(2), head=1, now=0)
    trust.on_link(link.Event("doubted", b"d", None, "record 2 is not signed by its key"))
    assert not trust.reason
    trust.on_status(status(2), head=1, now=60)
    assert "(record 2 is not signed by its key)" in trust.reason
    trust.on_status(status(2), head=2, now=61)
    trust.on_status(status(3), head=2, now=62)
    trust.on_status(status(3), head=2, now=122)
    assert "not signed" not in trust.reason


def test_one_forged_greeting_takes_no_device_out_of_service_but_a_proof_does() -> None:
    trust = Trust()
    trust.on_link(link.Event("behind", b"d", 1, "its journal ends at record 0"))
    assert not trust.reason, "the greeting may be forged, or have been on its way for long"
    trust.on_status(status(1), head=1, now=0)
    trust.on_status(status(0), head=1, now=1)
    assert not trust.reason, "and so may this status; the one before was of the newest record"
    trust.on_link(link.Event("behind", b"d", 1, "its journal ends at record 0"))
    trust.on_status(status(0), head=1, now=2)
    assert trust.reason, "the device goes on saying so"
    trust.on_link(link.Event("connected", b"d", 1, ""))
    assert not trust.reason
    trust.on_link(link.Event("quarantined", b"d", None, "fork"))
    trust.on_link(link.Event("connected", b"d", 2, ""))
    assert trust.reason == "fork"


def test_one_status_that_was_under_way_belies_no_reply() -> None:
    trust = Trust()
    for second in range(100):
        trust.on_status(status(4), head=4, now=second)
    assert trust.belies
    trust.on_reply()
    assert not trust.belies
    trust.on_status(status(4), head=4, now=115)
    assert not trust.belies, "it may have been on its way since before the reply"
    trust.on_status(status(5), head=4, now=121)
    assert not trust.belies
    for second in range(122, 128):
        trust.on_status(status(5), head=5, now=second)
    assert trust.belies


def test_statuses_that_were_kept_on_their_way_and_come_at_last_belie_no_reply() -> None:
    trust = Trust()
    for second in range(10):
        trust.on_status({**status(4), "uptime_ms": 70_000 + second}, head=4, now=second)
    assert not trust.belies
    trust.on_status({**status(4), "uptime_ms": 75_000}, head=4, now=11)
    assert trust.belies
