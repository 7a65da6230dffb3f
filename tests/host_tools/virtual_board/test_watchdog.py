"""The virtual board's watchdog: a program that hangs, or a loop that leaves a part out, resets the board."""

import asyncio
from pathlib import Path

import pytest

from host_tools.virtual_board import VirtualBoard, load_scenario
from host_tools.virtual_board.build import ROOT

SCENARIO = load_scenario(ROOT / "scenarios" / "ordinary-open.toml")
BEGINNING = """
from tumbler.hal.virtual import Board
board = Board({"drive_limit_ms": 4000, "camera_limit_ms": 500, "watchdog_ms": 2000})
buffer = bytearray(16)
PARTS = {
    "link": lambda: board.receive(buffer),
    "strokes": lambda: list(board.edges()),
    "channels": lambda: board.level("cover-closed"),
    "rest": board.vibration,
}
print("power on")
board.start_watchdog()
"""
LOOP = """
while True:
    for name in PARTS:
        if name != "{left_out}":
            PARTS[name]()
    board.idle()
    if board.now() > 10000:
        print("alive")
        break
"""


async def console_of(directory: Path, program: str, until: str, times: int) -> str:
    """What a board with this application prints until `until` has come so many times."""
    application = directory / "application.py"
    application.write_text(program)
    await VirtualBoard.create(directory / "board", seed="watchdog")
    async with VirtualBoard(directory / "board", SCENARIO, speed=None, application=application) as board:
        await board.power_on()
        for _ in range(1200):
            await asyncio.sleep(0.05)
            if board.console.count(until) >= times:
                return board.console
        raise AssertionError(board.console)


@pytest.mark.parametrize("part", ["link", "strokes", "channels", "rest"])
async def test_a_loop_that_leaves_out_a_part_resets_the_board(part: str, tmp_path: Path) -> None:
    program = BEGINNING + LOOP.format(left_out=part)
    assert "alive" not in await console_of(tmp_path, program, "power on", 3)


async def test_a_loop_that_comes_round_keeps_it_running(tmp_path: Path) -> None:
    console = await console_of(tmp_path, BEGINNING + LOOP.format(left_out=""), "alive", 1)
    assert console.count("power on") == 1


async def test_a_program_that_hangs_resets_the_board(tmp_path: Path) -> None:
    await console_of(tmp_path, BEGINNING + "while True:\n    pass\n", "power on", 2)
