"""Play a scenario on a whole virtual table: the host does what it says, the records tell the rest."""

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from random import Random

from host_tools.bridge.errors import DeviceRefusal, RoundEnded
from host_tools.bridge.events import RoundOutcome
from host_tools.bridge.table import Wager
from host_tools.ledger import LedgerDamaged
from host_tools.link import DeviceRestarted, Reply
from host_tools.records import ChainReport, verify_chain
from host_tools.rulebooks import load_rulebook
from host_tools.settlement import Table as Terms
from host_tools.settlement import open_table
from host_tools.virtual_board import Scenario, VirtualBoard
from host_tools.virtual_board.scenario import Round
from host_tools.virtual_table import PlantBoard, VirtualTable, virtual_table

TERMS = {  # play mode: rulebook and layout; both pay the same on WAGERS
    "covered": ("mbs-electronic-sic-bo-v4", "rapid-select"),
    "open": ("rws-sic-bo-open-cover-2021", "pay-table-1"),
}
WAGERS = (("small", "20.00"), ("big", "10.00"), ("total:9", "2.50"), ("any-triple", "1.00"))
SILENCE_MS = 11_000  # longer than any board's profile lets a host be silent
BETTING_MS = 1_500  # what is to happen while bets are open happens
LOOKING_MS = 1_000  # and what is to happen after a round
REPAIR_MS = 200  # above every debouncing
SUPERVISOR = "supervisor"

Step = Callable[[], Awaitable[None]]
Leave = Callable[[], Awaitable[RoundOutcome]]


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """A round as it was to end and as it ended.

    `closing_us`: the plant's time when the host said no more bets, None when it never did; `begun_us` and
    `ended_us`: when the round was to open and was over. `replies`: what the device said to commands that do
    not fit. `cleared`: status of each try to clear the round's fault.
    """

    expected: Round
    outcome: RoundOutcome
    begun_us: int
    closing_us: int | None
    ended_us: int
    replies: tuple[Reply, ...]
    cleared: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PlayedScenario:
    """What came of a scenario: its rounds, the plant's log (time in us, what), the device's records, audited
    as a whole chain, and what the ledger's own check found."""

    terms: Terms
    rounds: tuple[PlayedRound, ...]
    log: tuple[tuple[int, str], ...]
    records: tuple[bytes, ...]
    chain: ChainReport
    findings: tuple[str, ...]


async def play_scenario(
    scenario: Scenario,
    directory: Path,
    speed: float | None = None,
    board_kind: type[PlantBoard] = VirtualBoard,
) -> PlayedScenario:
    """Play each round once, in the empty folder `directory`; `speed` None: as fast as it goes."""
    terms = terms_for(scenario.mode)
    ids = itertools.count(1)
    playing = virtual_table(
        directory,
        scenario,
        terms,
        speed=speed,
        seed=str(scenario.seed),
        new_round_id=lambda: Random(f"{scenario.seed}/{next(ids)}").randbytes(16),
        board_kind=board_kind,
    )
    async with playing as virtual:
        rounds = [await play_round(virtual) for _ in scenario.rounds]
        raw = [stored.raw for stored in virtual.books.records(virtual.device)]
        chain = verify_chain(raw, virtual.registry)
        findings = _findings(virtual)
        log = tuple(virtual.board.plant.log)
        return PlayedScenario(terms, tuple(rounds), log, tuple(raw), chain, findings)


async def play_round(virtual: VirtualTable) -> PlayedRound:
    """Play the scenario's next round; it starts over after the last."""
    return await _Player(virtual).play()


def terms_for(mode: str) -> Terms:
    """Terms of a published game in the play mode of a scenario."""
    rulebook, layout = TERMS[mode]
    return open_table(load_rulebook(rulebook), layout, chip_unit="0.50")


def _findings(virtual: VirtualTable) -> tuple[str, ...]:
    try:
        virtual.books.check()
    except LedgerDamaged as damage:
        return tuple(damage.findings)
    return ()


class _Player:
    """Plays the host's side of one round."""

    def __init__(self, virtual: VirtualTable) -> None:
        self._virtual = virtual
        self._table = virtual.table
        self._board = virtual.board
        self._covered = virtual.board.plant.scenario.mode == "covered"
        self._closing_us: int | None = None
        self._replies: list[Reply] = []

    async def play(self) -> PlayedRound:
        await self._virtual.ready()
        played = self._board.next_round()
        begun_us = self._now_us()
        outcome = await self._outcome(played)
        ended_us = self._now_us()
        await self._virtual.pass_time(LOOKING_MS)
        cleared = (
            [status async for status in self._clear(played.fault)] if played.fault and played.clear else []
        )
        return PlayedRound(
            played, outcome, begun_us, self._closing_us, ended_us, tuple(self._replies), tuple(cleared)
        )

    def _now_us(self) -> int:
        return self._board.plant.time_us

    async def _outcome(self, played: Round) -> RoundOutcome:
        try:
            return await self._steps(played.host)
        except RoundEnded:
            return await self._table.result()
        except DeviceRefusal as refusal:
            if refusal.status != "faulted" or self._table.round is not None:
                raise
            return await self._table.result()
        except DeviceRestarted:
            return await self._table.recover() or await self._table.finish_round()

    async def _steps(self, host: str) -> RoundOutcome:
        """The steps of a round, departing from them where `host` (of scenario.HOST_BEHAVIOURS) says so."""
        leaves_at, leave = self._departures().get(host, ("", self._table.result))
        for step, take in self._ordinary_steps(host):
            await take()
            if step == leaves_at:
                return await leave()
        return await self._table.result()

    def _departures(self) -> dict[str, tuple[str, Leave]]:
        concealed = "bets" if self._covered else "no-more-bets"
        closed = "no-more-bets" if self._covered else "tumble"
        return {
            "void-after-open": ("open", self._void),
            "void-concealed": (concealed, self._void),
            "silent-after-open": ("open", self._silent_to_the_end),
            "silent-concealed": (concealed, self._silent_to_the_end),
            "silent-after-no-more-bets": (closed, self._silent_to_the_end),
        }

    def _ordinary_steps(self, host: str) -> list[tuple[str, Step]]:
        tumble = ("tumble", lambda: self._tumble(twice=host == "tumble-twice"))
        bets = ("bets", self._bet)
        close = ("no-more-bets", self._close)
        opened = ("open", lambda: self._open(closing_early=host == "no-more-bets-early"))
        return [opened, tumble, bets, close] if self._covered else [opened, bets, close, tumble]

    async def _open(self, closing_early: bool) -> None:
        await self._table.open_round()
        self._board.cue("round-opened")
        if closing_early:
            await self._odd_command("no-more-bets")

    async def _tumble(self, twice: bool) -> None:
        await self._table.tumble()
        if twice:
            await self._odd_command("tumble")

    async def _odd_command(self, name: str) -> None:
        """A command that the table would not give at this point."""
        self._replies.append(await self._virtual.session.command(name, round=self._table.round))

    async def _bet(self) -> None:
        await self._table.bets_open()
        round_id = self._table.round
        if round_id is None:
            raise RoundEnded("the round ended before its wagers were placed")
        await self._table.place(round_id, list(_wagers()))
        await self._virtual.pass_time(BETTING_MS)

    async def _close(self) -> None:
        self._closing_us = self._now_us()
        await self._table.no_more_bets()
        self._board.cue("no-more-bets")

    async def _void(self) -> RoundOutcome:
        return await self._table.void_round(decided_by=SUPERVISOR)

    async def _silent_to_the_end(self) -> RoundOutcome:
        self._virtual.line.silent = True
        await self._virtual.pass_time(SILENCE_MS)
        self._virtual.line.silent = False
        return await self._table.result()

    async def _clear(self, fault: str) -> AsyncIterator[str]:
        """Try to clear the fault as it is, and if it is still there, after the repair."""
        status = await self._try_to_clear(fault)
        yield status
        self._board.cue("repair")
        await self._virtual.pass_time(REPAIR_MS)
        if status != "done":
            yield await self._try_to_clear(fault)

    async def _try_to_clear(self, fault: str) -> str:
        try:
            await self._table.clear_fault(fault)
        except DeviceRefusal as refusal:
            return refusal.status
        return "done"


def _wagers() -> Iterable[Wager]:
    for number, (wager, stake) in enumerate(WAGERS, start=1):
        yield Wager(f"w{number}", "player", wager, stake)
