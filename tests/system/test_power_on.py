"""Power-on as the wire sees it: the boot banner, and nothing more until the self-test has passed."""

import asyncio
import os
from pathlib import Path

import pytest

from host_tools.virtual_board import VirtualBoard, load_scenario
from host_tools.virtual_board.board import HEAP
from host_tools.virtual_board.build import INTERPRETER, ROOT
from tumbler import __version__
from tumbler.definitions import DEVICE_STATES, DEVICE_TYPES, FACTS, HOST_TYPES
from tumbler.link.framing import FrameParser, encode_frame
from tumbler.records.messages import pack_message, unpack_message

BANNER = f"Sic Bo tumbler {__version__}\r\n".encode()
SCENARIO = load_scenario(ROOT / "scenarios" / "ordinary-open.toml")
LISTEN_S = 3.0

# What a damaged volume may look like, as statements for the board with its volume mounted.
DAMAGE = {
    "key file cut short": "open('/flash/keys/device.key', 'wb').close()",
    "no keys": "import os; os.rename('/flash/keys', '/flash/lost')",
    "no configuration": "import os; os.remove('/flash/board.json')",
    "unknown key in the configuration": (
        "text = open('/flash/board.json').read(); file = open('/flash/board.json', 'w');"
        "file.write(text.replace('rest_mg', 'rest_mgs')); file.close()"
    ),
}


# What makes a device that had a history report a memory fault; RING is where its ring's blocks lie.
RING = """
from tumbler.hal.virtual import FlashImage
from tumbler.journal.marks import Marks
import os, struct
flash = FlashImage(os.getenv('TUMBLER_FLASH'))
layout = Marks('/flash/journal').read('ring')
blocks = struct.unpack('>%dH' % ((len(layout) - 8) // 2), layout[8:])
"""
LOST_JOURNALS = {
    "no journal": "import os; os.rename('/flash/journal', '/flash/lost')",
    "no marks": "import os; os.rename('/flash/journal-marks', '/flash/lost')",
    "no layout": "import os; os.remove('/flash/journal-marks/ring')",
    "block file removed": "import os; os.remove('/flash/journal/7.blk')",
    "blank ring": RING + "for block in blocks: flash.ioctl(6, block)",
    "newest record changed": RING + "flash.writeblocks(blocks[0], bytes(16), 256 + 200)",
    "another device's ring": RING
    + "flash.ioctl(6, blocks[0]); flash.writeblocks(blocks[0], b'SBR1' * 64, 0)",
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
    environment = os.environ | {"TUMBLER_FLASH": str(directory / "flash.img")}
    process = await asyncio.create_subprocess_exec(*command, cwd=ROOT, env=environment)
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


class Asker:
    """Someone on the line who asks the device for its status, as anyone may."""

    def __init__(self, path: str) -> None:
        self._line = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self._parser = FrameParser()

    def close(self) -> None:
        os.close(self._line)

    async def message(self, wanted: str) -> tuple[int, dict]:
        """(session, values) of the next message of that name."""
        async with asyncio.timeout(20):
            while True:
                await asyncio.sleep(0.02)
                try:
                    data = os.read(self._line, 4096)
                except BlockingIOError:
                    continue
                for kind, session, body in self._parser.feed(data):
                    if kind == DEVICE_TYPES[wanted]:
                        return session, unpack_message(kind, body)[1]

    def ask(self, session: int) -> None:
        os.write(self._line, encode_frame(HOST_TYPES["ping"], session, pack_message("ping", {})))


@pytest.mark.parametrize("statements", LOST_JOURNALS.values(), ids=LOST_JOURNALS.keys())
async def test_a_device_whose_journal_is_lost_reports_a_memory_fault(statements: str, tmp_path: Path) -> None:
    await VirtualBoard.create(tmp_path / "board", seed="power on")
    async with VirtualBoard(tmp_path / "board", SCENARIO, speed=None) as board:
        await heard(board, until=BANNER + b"\x00")  # it has journalled its first boot
    await damage(tmp_path / "board", statements)
    async with VirtualBoard(tmp_path / "board", SCENARIO, speed=5.0) as board:
        asker = Asker(board.uart_path)
        try:
            await board.power_on()
            session, hello = await asker.message("hello")
            asker.ask(session)
            _, status = await asker.message("status")
        finally:
            asker.close()
    assert (status["state"], status["faults"]) == (DEVICE_STATES["faulted"], [FACTS["memory-fault"]])
    assert hello["last"] <= 1, "no second boot is written into a journal that is not whole"
