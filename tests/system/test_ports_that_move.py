"""Whole tables whose serial ports vanish, come back under other names and swap, in the middle of rounds.

The ports are real ptys, the boards run the firmware; nobody touches the host meanwhile.
"""

import asyncio
import contextlib
import os
import tty
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from random import Random
from typing import Any

from host_tools.bridge.examining import Examination
from host_tools.bridge.table import Table, Wager
from host_tools.ledger import open_ledger
from host_tools.records import Device, Registry, verify_chain
from host_tools.scenario_player import terms_for
from host_tools.virtual_board import VirtualBoard, load_scenario
from host_tools.virtual_board.build import ROOT
from host_tools.virtual_table import VirtualTable

SCENARIOS = ROOT / "scenarios"
PROFILE = ROOT / "firmware" / "profiles" / "white_black_320.json"
HALF_LINES = b"half a line of a previous life \x00\x0f\x02\xc1\x00\x05ab"
LONGEST_S = 150
SPEED = 2.0  # a host that looks for its port is away for seconds, and the board waits for 10 of its own


class Cable:
    """A board's UART on a port that may be pulled out and plugged in again under another name."""

    def __init__(self, board: VirtualBoard, folder: Path) -> None:
        self._folder = folder
        self._board = os.open(board.uart_path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self._port = -1
        self._name: Path | None = None
        self._carrying = asyncio.create_task(self._carry())

    def plug(self, name: str) -> None:
        """Both ends find rubbish of what was there before."""
        self._port, far_end = os.openpty()
        tty.setraw(far_end)
        os.set_blocking(self._port, False)
        self._name = self._folder / name
        self._name.symlink_to(os.ttyname(far_end))
        os.write(self._port, HALF_LINES)
        os.write(self._board, HALF_LINES)
        os.close(far_end)

    def unplug(self) -> None:
        """What is under way is lost."""
        if self._name is not None:
            self._name.unlink()
            os.close(self._port)
        self._port, self._name = -1, None

    async def replug(self, name: str) -> None:
        """Pull it out and plug it in under another name."""
        self.unplug()
        await asyncio.sleep(0.05)
        self.plug(name)

    async def end(self) -> None:
        """Give everything back."""
        self._carrying.cancel()
        await asyncio.gather(self._carrying, return_exceptions=True)
        self.unplug()
        os.close(self._board)

    async def _carry(self) -> None:
        while True:
            _copy(self._board, self._port)
            if self._port >= 0:
                _copy(self._port, self._board)
            await asyncio.sleep(0.001)


def _copy(source: int, target: int) -> None:
    """What is not taken is lost, as on a wire."""
    with contextlib.suppress(OSError):
        data = os.read(source, 4096)
        if target >= 0:
            os.write(target, data)


@contextlib.asynccontextmanager
async def moving_table(
    folder: Path, ports: Path, scenario: str, seed: int, **options: Any
) -> AsyncIterator[tuple[VirtualTable, Cable]]:
    """A table that knows a folder of ports only, on one of which its board will be."""
    played = load_scenario(SCENARIOS / f"{scenario}.toml")
    identity = await VirtualBoard.create(folder / "board", seed=str(seed), profile=played.profile)
    registry = Registry([Device(identity.device, "virtual", identity.public_key, identity.host_key)])
    ids = Random(seed)
    async with VirtualBoard(folder / "board", played, speed=SPEED, seed=str(seed)) as board:
        cable = Cable(board, ports)
        with open_ledger(folder / "ledger.sqlite") as books:
            virtual = VirtualTable(
                board,
                books,
                registry,
                terms_for(played.mode),
                lambda: ids.randbytes(16),
                ports=[str(ports / "tty*")],
                **options,
            )
            running = asyncio.create_task(virtual.table.run())
            await board.power_on()
            try:
                yield virtual, cable
            finally:
                running.cancel()
                await asyncio.gather(running, return_exceptions=True)
                await cable.end()


async def bet(table: Table) -> None:
    assert table.round is not None
    answers = await table.place(table.round, [Wager("a", "Ann", "small", "10.00")])
    assert answers[0].registered


def nothing_lost(virtual: VirtualTable) -> None:
    """Each record of the device is in the ledger once, in one chain, and the ledger adds up."""
    raw = [stored.raw for stored in virtual.books.records(virtual.device)]
    chain = verify_chain(raw, virtual.registry)
    assert chain.fault is None
    assert chain.verified == len(raw)
    assert virtual.status is not None
    assert len(raw) >= virtual.status["last"]
    assert not virtual.session.quarantined
    virtual.books.check_everything()


async def until(condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110
            await asyncio.sleep(0.02)


async def test_a_port_that_comes_back_under_other_names_costs_no_round(tmp_path: Path) -> None:
    ports = tmp_path / "ports"
    ports.mkdir()
    playing = moving_table(tmp_path / "table", ports, "ordinary-open", 3)
    async with asyncio.timeout(LONGEST_S), playing as (virtual, cable):
        table = virtual.table
        cable.plug("ttyA")
        await until(lambda: virtual.status)
        virtual.board.next_round()
        round_id = await table.open_round()
        await cable.replug("ttyB")
        await table.bets_open()
        await bet(table)
        await cable.replug("ttyC")
        await table.no_more_bets()
        await cable.replug("ttyA")  # as the command that starts the strokes is given
        await table.tumble()
        await until(lambda: virtual.status and virtual.status["strokes"] >= 1)
        await cable.replug("ttyUSB7")
        outcome = await table.result()
        assert (outcome.round, outcome.verdict) == (round_id, "settled")
        assert sorted(outcome.faces or ()) == [1, 3, 5]
        assert [each.returned for each in outcome.wagers] == ["20.00"]
        await virtual.caught_up()
        nothing_lost(virtual)


async def test_two_tables_whose_cables_are_swapped_each_settle_their_own_dice(tmp_path: Path) -> None:
    ports = tmp_path / "ports"
    ports.mkdir()
    one = moving_table(tmp_path / "one", ports, "ordinary-open", 4)
    two = moving_table(tmp_path / "two", ports, "ordinary-covered", 5)
    async with asyncio.timeout(LONGEST_S), one as (open_play, first), two as (covered, second):
        first.plug("tty0")
        second.plug("tty1")
        for virtual in (open_play, covered):
            await until(lambda virtual=virtual: virtual.status)
        await covered.ready()

        async def swap_and_bet(table: Table) -> None:
            first.unplug()
            second.unplug()
            await asyncio.sleep(0.05)
            first.plug("tty1")
            second.plug("tty0")
            await bet(table)

        open_play.board.next_round()
        covered.board.next_round()
        outcomes = await asyncio.gather(
            open_play.table.play_round(swap_and_bet), covered.table.play_round(bet)
        )
        assert [each.verdict for each in outcomes] == ["settled", "settled"]
        assert [sorted(each.faces or ()) for each in outcomes] == [[1, 3, 5], [2, 4, 5]]
        for virtual in (open_play, covered):
            await virtual.caught_up()
            nothing_lost(virtual)
            assert virtual.session.counters["welcomes"] >= 2


async def test_the_evidence_of_a_reading_comes_over_a_port_that_moves(tmp_path: Path) -> None:
    ports = tmp_path / "ports"
    ports.mkdir()
    examination = Examination("before-settlement", tmp_path / "evidence", PROFILE)
    playing = moving_table(tmp_path / "table", ports, "ordinary-open", 6, examination=examination)
    async with asyncio.timeout(LONGEST_S), playing as (virtual, cable):
        table = virtual.table
        cable.plug("ttyA")
        await until(lambda: virtual.status)
        virtual.board.next_round()
        playing_round = asyncio.ensure_future(table.play_round(bet))
        await until(lambda: list((tmp_path / "evidence" / "coming").glob("*.part")))
        assert table.desk.held == table.round
        await cable.replug("ttyB")
        outcome = await playing_round
        assert (outcome.verdict, sorted(outcome.faces or ())) == ("settled", [1, 3, 5])
        assert table.pictures is not None
        assert len(table.pictures.of_round(outcome.round)) == 4
        finding = table.pictures.finding(outcome.round)
        assert finding is not None
        assert finding.second is not None
        assert sorted(finding.second["faces"]) == [1, 3, 5]
        nothing_lost(virtual)
