"""Recovery by the rules: what is cut off, at which point of a round, and what the rulebook makes of it.

MBS (covered play) 5.8 and 5.9, RWS (open play) 5.1 and 5.2: without an outcome the round is void and every
stake goes back; with one it is concluded. Here only the reading establishes an outcome. A wager whose
registration was under way is registered, and says so when it is asked again, or was never there.
"""

import asyncio
import contextlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from bridge_rig import TERMS, House, Session, Tumbler

from host_tools import link
from host_tools.bridge.events import RoundOutcome
from host_tools.bridge.table import Table, Wager, WagerAnswer

WAGERS = [Wager("a", "Ann", "small", "10"), Wager("b", "Ben", "big", "20")]
VOID_CLAUSE = {"covered": "5.8.1", "open": "5.1.2"}
VOID_FACTS = {"never-opened", "power-interruption", "host-lost"}


class Point(NamedTuple):
    """Where a round is cut off: at a command that the device has `heard` or not, or while bets are open."""

    at: str
    heard: bool = False
    read: bool = False  # the device has signed its reading; only the host has not got it

    def __str__(self) -> str:
        return f"{self.at}, {'read' if self.read else 'heard' if self.heard else 'lost'}"


POINTS = {
    "covered": (
        Point("open-round"),
        Point("open-round", heard=True),
        Point("tumble"),
        Point("tumble", heard=True),
        Point("betting"),
        Point("no-more-bets"),
        Point("no-more-bets", heard=True),
        Point("no-more-bets", heard=True, read=True),
    ),
    "open": (
        Point("open-round"),
        Point("open-round", heard=True),
        Point("betting"),
        Point("no-more-bets"),
        Point("no-more-bets", heard=True),
        Point("tumble"),
        Point("tumble", heard=True),
        Point("tumble", heard=True, read=True),
    ),
}
CUTS = (
    "link",
    "link for long",
    "host",
    "host for long",
    "device",
    "device and link for long",
    "device and host",
    "all three for long",
)
CASES = [(mode, point, cut) for mode, points in POINTS.items() for point in points for cut in CUTS]


class SlowTumbler(Tumbler):
    """A tumbler that takes its time to read the dice while it is `blind`."""

    blind = False

    def read(self) -> None:
        """Read, or be about to."""
        if not self.blind:
            super().read()

    def see(self) -> None:
        """Read what it was about to read, unless the round is over."""
        self.blind = False
        if self.round and self.state == "closed" and self.tumbled:
            self.read()


class CutLine:
    """Between a table and its session: goes down at a point, for both directions at once."""

    def __init__(self, session: Session, point: Point) -> None:
        self.down = asyncio.Event()
        self._back = asyncio.Event()
        self._restarted = False
        self._point = point
        self._command, self._deliver, self._report = session.command, session.deliver, session.report
        session.command, session.deliver, session.report = self.command, self.deliver, self.report

    async def command(self, name: str, **arguments: Any) -> link.Reply:
        """As a link: what the device has not heard is said again when the line is back."""
        if name == self._point.at and not self._point.heard:
            await self.lose()
        reply = await self._command(name, **arguments)
        if name == self._point.at and self._point.heard:
            await self.lose()
        return reply

    async def lose(self) -> None:
        """Down once, until it is back. A device that restarted meanwhile has forgotten the command."""
        if self._back.is_set():
            return
        self.down.set()
        await self._back.wait()
        if self._restarted:
            raise link.DeviceRestarted("the device restarted before it replied; look at its records")

    def restore(self, *, restarted: bool) -> None:
        """The line is back."""
        self._restarted = restarted
        self._back.set()

    async def deliver(self) -> None:
        """Records come while it is up."""
        if self._is_up:
            await self._deliver()

    def report(self) -> None:
        """Statuses, too."""
        if self._is_up:
            self._report()

    @property
    def _is_up(self) -> bool:
        return self._back.is_set() or not self.down.is_set()


async def interrupted(open_house: Callable[[], House], point: Point, cut: str) -> RoundOutcome:
    """Play a round, cut it off at `point`, restore everything, and let the bridge do what it does."""
    house = open_house()
    tumbler = house.tumbler
    assert isinstance(tumbler, SlowTumbler)
    tumbler.blind = not point.read
    line = CutLine(house.session, point)

    async def bet(table: Table) -> None:
        answers = await table.place(table.round or b"", WAGERS)
        assert all(answer.registered for answer in answers)
        if point.at == "betting":
            with contextlib.suppress(link.DeviceRestarted):  # nobody waits for a reply now
                await line.lose()

    async with house.running() as table:
        playing = asyncio.ensure_future(table.play_round(bet))
        await line.down.wait()
        if "long" in cut:
            tumbler.host_is_gone()
        if "device" in cut or "all" in cut:
            tumbler.restart()
        if "host" not in cut and "all" not in cut:
            tumbler.blind = False
            tumbler.see()
            line.restore(restarted="device" in cut)
            return await playing
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
    tumbler.see()
    async with open_house().running() as table:
        return await table.recover() or await table.finish_round()


def is_concluded(mode: str, point: Point, cut: str) -> bool:
    """By the letter of the rules and of what devices promise, whether the round comes to a result."""
    if point.read:
        return True  # an outcome has been established: play continues, the round is concluded
    if "device" in cut or "all" in cut:
        return False  # the dice of an interrupted round are never read
    points = POINTS[mode]
    closed = points.index(point) >= points.index(Point("no-more-bets", heard=True))
    if closed:
        return True  # the device needs nobody to come to its reading, or is asked for it again
    if "host" in cut:
        return False  # nobody can know what terminals showed while bets were open
    return "long" not in cut or point == Point("open-round")  # a device waits for its host so long


@pytest.mark.parametrize(("mode", "point", "cut"), CASES, ids=lambda part: str(part).replace(" ", "_"))
async def test_an_interrupted_round_is_concluded_or_void_by_its_clause(
    tmp_path: Path, mode: str, point: Point, cut: str
) -> None:
    tumbler, rounds = SlowTumbler(), Random(1)

    def open_house() -> House:
        new_round_id = partial(rounds.randbytes, 16)
        return House(tmp_path / "ledger.db", tumbler, mode, new_round_id=new_round_id)

    outcome = await interrupted(open_house, point, cut)
    if is_concluded(mode, point, cut):
        assert (outcome.verdict, outcome.faces) == ("settled", (1, 2, 4))
        assert outcome.clause == TERMS[mode].rulebook.play_clause
        assert [each.returned for each in outcome.wagers] == ["20.00", "0.00"]
    else:
        assert (outcome.verdict, outcome.clause) == ("void", VOID_CLAUSE[mode])
        assert outcome.fact in VOID_FACTS
        assert all(each.returned == each.stake for each in outcome.wagers)
    again = open_house()
    async with again.running() as table:
        again.ledger.check_everything()
        kept = len(list(again.ledger.records(tumbler.id)))
        assert kept == len(tumbler.journal)
        assert len(again.ledger.settlements(outcome.round)) == 1

        async def bet(table: Table) -> None:
            await table.place(table.round or b"", WAGERS)

        assert tumbler.round is None
        assert (await table.play_round(bet)).verdict == "settled"


# --- wagers in flight (MBS 5.9.1, 5.9.2; RWS 5.2.1, 5.2.2) ---


async def _registered(table: Table, round_id: bytes, wagers: list[Wager]) -> list[WagerAnswer]:
    return await table.place(round_id, wagers)


@pytest.mark.parametrize("mode", ["covered", "open"])
@pytest.mark.parametrize("closed", [True, False])
async def test_a_wager_whose_answer_was_lost_is_registered_and_one_that_never_came_was_never_there(
    tmp_path: Path, mode: str, closed: bool
) -> None:
    lost_answer, never_came = WAGERS[:1], WAGERS[1:]
    tumbler = SlowTumbler()
    tumbler.blind = True
    house = House(tmp_path / "ledger.db", tumbler, mode)
    async with house.running() as table:
        round_id = await table.open_round()
        if mode == "covered":
            await table.tumble()
        await table.bets_open()
        await _registered(table, round_id, lost_answer)  # and the process dies before it says so
        if closed:
            await table.no_more_bets()
    tumbler.see()
    house = House(tmp_path / "ledger.db", tumbler, mode)
    async with house.running() as table:
        outcome = await table.recover() or await table.finish_round()
        assert outcome.verdict == ("settled" if closed else "void")
        assert [each.id for each in outcome.wagers] == ["a"]
        assert [each.returned for each in outcome.wagers] == ["20.00" if closed else "10.00"]
        for _ in range(2):
            (again,) = await _registered(table, round_id, lost_answer)
            assert again.registered
            (late,) = await _registered(table, round_id, never_came)
            assert not late.registered
            assert late.reason.startswith("no more bets")
        mixed = await _registered(table, round_id, [*lost_answer, *never_came])
        assert [each.registered for each in mixed] == [True, False]
        assert await table.result() == outcome
        house.ledger.check_everything()


@pytest.mark.parametrize("mode", ["covered", "open"])
@pytest.mark.parametrize("moment", ["before", "inside", "after"])
async def test_a_wager_under_way_when_bets_close_is_in_or_was_never_there(
    tmp_path: Path, mode: str, moment: str
) -> None:
    """The ledger's order decides, and the answer is true whichever it is."""
    house = House(tmp_path / "ledger.db", Tumbler(), mode)
    async with house.running() as table:
        round_id = await table.open_round()
        if mode == "covered":
            await table.tumble()
        await table.bets_open()
        steps: dict[str, Callable[[], Any]] = {
            "place": lambda: table.place(round_id, WAGERS),
            "close": table.no_more_bets,
        }
        order = {"before": ("place", "close"), "inside": ("close", "place"), "after": ("close",)}[moment]
        begun = {name: asyncio.ensure_future(steps[name]()) for name in order}
        await asyncio.gather(*begun.values())
        answers = await (begun["place"] if "place" in begun else steps["place"]())
        outcome = await table.finish_round()
        assert {each.id for each in outcome.wagers} == {each.id for each in answers if each.registered}
        if moment == "after":
            assert outcome.wagers == ()
        if moment == "before":
            assert len(outcome.wagers) == 2
        house.ledger.check_everything()
