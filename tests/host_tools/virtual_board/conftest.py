"""A virtual board that runs the probe application, for the tests beside this file."""

import asyncio
import json
import shutil
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from host_tools.link import open_serial
from host_tools.virtual_board import Scenario, VirtualBoard
from host_tools.virtual_board.scenario import Round

PROBE = Path(__file__).with_name("probe.py")
ANSWER_S = 20
ORDINARY = Scenario("Ordinary", "covered", (Round("0008", "read", (2, 4, 5)),))


class Probe:
    """Asks the probe application over the UART, as a host does."""

    def __init__(self, board, line):
        self.board = board
        self.line = line
        self._read = b""

    async def open(self):
        """Take the wire again; what was sent before that is gone."""
        self.line = await open_serial(self.board.uart_path)
        self._read = b""

    async def close(self):
        await self.line.close()

    async def send(self, *command):
        await self.line.write(json.dumps(command).encode() + b"\n")

    async def answer(self):
        async with asyncio.timeout(ANSWER_S):
            while b"\n" not in self._read:
                self._read += await self.line.read()
        line, _, self._read = self._read.partition(b"\n")
        return json.loads(line)

    async def do(self, *commands):
        """The answers to commands between which no time passes."""
        return await self.ask("do", commands)

    async def ask(self, *command):
        await self.send(*command)
        return await self.answer()


@pytest.fixture(scope="session")
def provisioned(tmp_path_factory):
    """Folder of a board that was never powered; copy it."""
    folder = tmp_path_factory.mktemp("provisioned") / "board"
    asyncio.run(VirtualBoard.create(folder, seed="test"))
    return folder


@pytest.fixture
def folder(provisioned, tmp_path):
    """Folder of a fresh board."""
    return shutil.copytree(provisioned, tmp_path / "board")


@pytest.fixture
def probing(folder):
    """`async with probing(scenario, **options) as probe`: a powered board that runs the probe application."""

    @asynccontextmanager
    async def running(scenario=ORDINARY, **options):
        chosen = {"speed": None, "application": PROBE, **options}
        async with VirtualBoard(folder, scenario, **chosen) as board:
            probe = Probe(board, await open_serial(board.uart_path))
            await board.power_on()
            assert await probe.answer() == "probe"
            try:
                yield probe
            finally:
                await probe.close()

    return running
