"""A virtual table whose device falls silent ends with a reason, at the start and in the middle of a round."""

import asyncio
from pathlib import Path

import pytest

from host_tools import virtual_table as assembly
from host_tools.demo.scenes import demo_scenario
from host_tools.scenario_player import terms_for
from host_tools.virtual_board import VirtualBoard
from host_tools.virtual_table import TableUnusable, VirtualTable, virtual_table


async def use(directory: Path, body=None) -> None:
    playing = virtual_table(
        directory,
        demo_scenario("covered", "7", twin=False),
        terms_for("covered"),
        speed=None,
        seed="7",
        new_round_id=lambda: bytes(16),
    )
    async with playing as virtual:
        if body is not None:
            await body(virtual)


async def test_a_board_that_never_speaks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def stays_dark(board: VirtualBoard) -> None:
        pass

    monkeypatch.setattr(assembly, "CONNECT_S", 1.0)
    monkeypatch.setattr(VirtualBoard, "power_on", stays_dark)
    with pytest.raises(TableUnusable, match="silent for 1 s"):
        await use(tmp_path)


async def test_a_board_that_falls_silent_while_a_round_is_awaited(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def cut_and_wait(virtual: VirtualTable) -> None:
        await virtual.ready()
        await virtual.table.open_round()
        monkeypatch.setattr(assembly, "CONNECT_S", 1.0)
        await virtual.board.power_cut()
        await virtual.table.result()

    with pytest.raises(TableUnusable, match="silent for 1 s"):
        await asyncio.wait_for(use(tmp_path, cut_and_wait), 60)


async def test_an_error_of_the_body_comes_out_as_it_is(tmp_path: Path) -> None:
    async def fail(virtual: VirtualTable) -> None:
        raise LookupError("no such player")

    with pytest.raises(LookupError, match="no such player"):
        await use(tmp_path, fail)
    await use(tmp_path / "next")
