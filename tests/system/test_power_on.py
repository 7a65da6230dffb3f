"""Power-on as the wire sees it: the boot banner, and nothing more until the self-test has passed."""

import asyncio
import os
from pathlib import Path

import pytest

from host_tools.virtual_board import VirtualBoard, load_scenario
from host_tools.virtual_board.board import HEAP
from host_tools.virtual_board.build import INTERPRETER, ROOT
from tumbler import __version__

BANNER = f"Sic Bo tumbler {__version__}\r\n".encode()
SCENARIO = load_scenario(ROOT / "scenarios" / "ordinary-open.toml")
LISTEN_S = 3.0

# What a damaged volume may look like, as statements for the board with its volume mounted.
DAMAGE = {
    "key file cut short": "open('/flash/keys/device.key', 'wb').close()",
    "no keys": "import os; os.rename('/flash/keys', '/flash/lost')",
    "no journal": "import os; os.rename('/flash/journal', '/flash/lost')",
    "no configuration": "import os; os.remove('/flash/board.json')",
    "unknown key in the configuration": (
        "text = open('/flash/board.json').read(); file = open('/flash/board.json', 'w');"
        "file.write(text.replace('rest_mg', 'rest_mgs')); file.close()"
    ),
}


async def heard(board: VirtualBoard, until: bytes) -> bytes:
    """What comes out of the board's UART until `until` is in it, or for LISTEN_S."""
    line = os.open(board.uart_path, os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK)
    said = b""
    try:
        await board.power_on()
        async with asyncio.timeout(LISTEN_S):
            while until not in said:
                await asyncio.sleep(0.02)
                try:
                    said += os.read(line, 4096)
                except BlockingIOError:
                    continue
    except TimeoutError:
        pass
    finally:
        os.close(line)
    return said


async def damage(directory: Path, statements: str) -> None:
    """Run `statements` in MicroPython with the board's volume mounted."""
    program = (
        f"import sys; sys.path.append('firmware')\n"
        f"from tumbler.hal.virtual import mount_flash\n"
        f"mount_flash({str(directory / 'flash.img')!r})\n{statements}\n"
    )
    command = [str(INTERPRETER), "-X", f"heapsize={HEAP}", "-c", program]
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT)
    assert await process.wait() == 0


async def test_the_banner_comes_first_and_then_frames(tmp_path: Path) -> None:
    await VirtualBoard.create(tmp_path / "board", seed="power on")
    async with VirtualBoard(tmp_path / "board", SCENARIO, speed=None) as board:
        said = await heard(board, until=BANNER + b"\x00")
    assert said.startswith(BANNER + b"\x00")


@pytest.mark.parametrize("statements", DAMAGE.values(), ids=DAMAGE.keys())
async def test_nothing_but_the_banner_when_the_self_test_fails(statements: str, tmp_path: Path) -> None:
    await VirtualBoard.create(tmp_path / "board", seed="power on")
    await damage(tmp_path / "board", statements)
    async with VirtualBoard(tmp_path / "board", SCENARIO, speed=None) as board:
        said = await heard(board, until=b"\x00")
        console = board.console
    assert said in (b"", BANNER)
    assert "Traceback" in console, "the console tells the engineer why"
