"""Whole tables in virtual time under every fault at once keep every promise, and the proof can fail."""

import asyncio
from pathlib import Path

import pytest

from host_tools.bridge import conclusion
from host_tools.bridge.table import Table
from host_tools.faults import day, parts
from host_tools.faults.device import PromiseBroken
from host_tools.faults.shift import play_shift
from host_tools.ledger import Ledger
from host_tools.link import HostSession
from tumbler import round as play
from tumbler.controller import Controller
from tumbler.journal.ring import Ring
from tumbler.link.session import DeviceSession

HOURS = 2


@pytest.mark.parametrize("seed", [1, 2])
def test_no_fault_loses_or_doubles_anything(seed: int, tmp_path: Path) -> None:
    figures = parts.run("table", seed, HOURS, tmp_path)
    assert figures["broken"] == []
    assert figures["table_hours"] == HOURS
    assert figures["rounds"] > 60 * HOURS
    assert figures["verdicts"]["settled"] > figures["verdicts"]["void"] > HOURS
    assert figures["boots"] > 5 * HOURS < figures["host_lives"]
    assert figures["torn_operations"] > HOURS
    assert figures["withdrawn"] > HOURS < figures["refused"]


def test_a_seed_plays_the_same_shift_again(tmp_path: Path) -> None:
    first, second = (play_shift("again", 0.3, tmp_path / name) for name in "ab")
    assert first == second
    assert first["head"] != play_shift("another", 0.3, tmp_path / "c")["head"]


def test_a_power_cut_at_any_operation_of_a_day_leaves_a_sound_table(tmp_path: Path) -> None:
    figures = day.cut_everywhere(1, day.ROUNDS, tmp_path)
    assert figures["broken"] == []
    assert figures["cuts"] == figures["operations"] > 25
    assert figures["cuts_in_recovery"] > 10


# --- mistakes that must be found out


async def acknowledges_first(self: HostSession, inbox) -> bool:
    batch = inbox.take()
    if not batch:
        return False
    inbox.committed = batch[-1][0]
    self._durable.set()
    await asyncio.sleep(0.05)
    await self._sink.commit(inbox.device, batch)
    return True


def resumes_without_a_void(self: Controller) -> None:
    self._proven.round = None
    BOOT(self)


async def tells_the_device_first(self: Table) -> None:
    await self._command("no-more-bets", round=self.round)


def pays_a_cent_more(*arguments):
    outcomes = OUTCOMES_BY(*arguments)
    return outcomes and [each._replace(payout=each.payout and each.payout + 1) for each in outcomes]


def voids_without_the_host(state, event, now, limits):
    return play._void(state, "host-lost", "") if play.in_round(state) else (state, [])


def forgets_the_boot(self: Ring, at_least: int = 0) -> int:
    return at_least + 1


def keeps_its_session(self: DeviceSession, greeting: int) -> None:
    self._greeting = greeting
    self.connected = False


BOOT = Controller._boot
OUTCOMES_BY = conclusion.outcomes_by
MISTAKES = {
    "acknowledges what is not durable": (HostSession, "_store", acknowledges_first),
    "takes a wager twice": (Ledger, "is_registered", lambda *_: False),
    "plays on after a power cut": (Controller, "_boot", resumes_without_a_void),
    "closes bets on the device first": (Table, "no_more_bets", tells_the_device_first),
    "pays a cent more": (conclusion, "outcomes_by", pays_a_cent_more),
    "gives up closed bets when the host is gone": (play._HANDLERS, "host-lost", voids_without_the_host),
    "counts a boot twice": (Ring, "next_boot", forgets_the_boot),
    "carries out a command of an earlier host": (DeviceSession, "_begin", keeps_its_session),
}
RARE = {"carries out a command of an earlier host": 27}  # from which shift on it is looked for


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_product_with_a_mistake_is_found_out(
    mistake: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner, name, wrong = MISTAKES[mistake]
    if isinstance(owner, dict):
        monkeypatch.setitem(owner, name, wrong)
    else:
        monkeypatch.setattr(owner, name, wrong)
    with pytest.raises(Exception) as found:  # noqa: PT011 - the product's own error, or the oracle's
        play_shifts(tmp_path, RARE.get(mistake, 0))
    assert isinstance(found.value, PromiseBroken) or type(found.value).__module__.startswith("host_tools"), (
        found
    )


def play_shifts(folder: Path, begin: int) -> None:
    for number in range(begin, begin + 30):  # the first one that finds it out ends the test
        play_shift(f"mistake {number}", 0.5, folder / str(number))
