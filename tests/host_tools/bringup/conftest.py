"""Virtual boards that boot what is on their volume, and firmwares of a few bytes to flash onto them."""

import asyncio
import hashlib
import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from datetime import UTC, datetime

import pytest
from bringup_kit import ORDINARY, Running, quiet

from host_tools.boards import load_board
from host_tools.bringup.provision import provision
from host_tools.records import Registry
from host_tools.virtual_board import VirtualBoard
from host_tools.virtual_board.build import SUMS, build_slot, sums

SELFTEST = """
def check_firmware(folder, volume):
    print('{"test": "tiny", "ok": %s, "expected": "works", "found": "it", "advice": ""}')
"""
START = "def main():\n    print('this is %s')\n"


@pytest.fixture(scope="session")
def virtual():
    """The virtual board's files."""
    return load_board("virtual")


@pytest.fixture(scope="session")
def build(virtual):
    """The real firmware for the virtual board."""
    return build_slot(virtual.raw, virtual.mpy_arch)


@pytest.fixture
def tiny(tmp_path):
    """tiny(name, sound=True, **files): the folder of a firmware that only tells its name."""

    def make(name, sound=True, **files):
        folder = tmp_path / f"firmware-{name}"
        content = {"__init__": "", "start": START % name, "selftest": SELFTEST % str(sound).lower(), **files}
        (folder / "tumbler").mkdir(parents=True)
        for file, text in content.items():
            (folder / "tumbler" / f"{file}.py").write_text(text)
        (folder / SUMS).write_text(sums(folder))
        return folder

    return make


@pytest.fixture(scope="session")
def blank(tmp_path_factory):
    """Folder of a board with an empty volume; copy it."""
    folder = tmp_path_factory.mktemp("blank") / "board"
    asyncio.run(VirtualBoard.create_blank(folder))
    return folder


@pytest.fixture
def on_bench(blank, tmp_path):
    """`async with on_bench() as running`: a board with MicroPython and nothing else, at its prompt."""

    @asynccontextmanager
    async def make(scenario=ORDINARY, folder=None, wait_for=">>> "):
        if folder is None:
            folder = shutil.copytree(blank, tmp_path / "board")
        async with VirtualBoard(folder, scenario, speed=None, flashed=True) as board:
            running = Running(board)
            await board.power_on()
            await running.printed(wait_for)
            yield running

    return make


@pytest.fixture(scope="session")
def flashed(blank, virtual, build, tmp_path_factory):
    """Folder of a board with the real firmware and no keys; copy it."""
    folder = shutil.copytree(blank, tmp_path_factory.mktemp("flashed") / "board")

    async def make():
        async with VirtualBoard(folder, ORDINARY, speed=None, flashed=True) as board:
            running = Running(board)
            await board.power_on()
            await running.printed(">>> ")
            return await running.flash(virtual, build)

    done = asyncio.run(make())
    assert done.firmware == hashlib.sha256((build / SUMS).read_bytes()).hexdigest()
    return folder


@pytest.fixture
def flashed_device(flashed, virtual, tmp_path):
    """(folder of a flashed and provisioned board, the options that name its registry and a new ledger)."""
    folder = shutil.copytree(flashed, tmp_path / "device")
    registry = Registry.open(tmp_path / "devices.json")

    async def make():
        async with VirtualBoard(folder, ORDINARY, speed=None, flashed=True) as board:
            running = Running(board)
            await board.power_on()
            await running.printed("provision the device")
            at = datetime(2026, 1, 2, tzinfo=UTC)
            await running.do(provision, virtual, registry, "device", "A. Person", at, quiet)

    with ThreadPoolExecutor(1) as apart:  # the test's own loop is there already
        apart.submit(asyncio.run, make()).result()
    return folder, ("--registry", tmp_path / "devices.json", "--ledger", tmp_path / "device-ledger.sqlite")
