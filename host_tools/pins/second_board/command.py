"""`tumbler pins --second-board`: what was given is checked, then the scenario is played on the real board."""

import asyncio
import sys
from pathlib import Path

from host_tools.boards.board import load_board
from host_tools.boards.errors import BoardFileError, UnknownBoard
from host_tools.bringup.errors import BringUpError
from host_tools.ledger.errors import LedgerError
from host_tools.pins.lines import say
from host_tools.pins.second_board.board import Ask, Setup
from host_tools.pins.second_board.remote import RemotePlayer
from host_tools.pins.second_board.session import check_playable, play_wired, wires_of
from host_tools.pins.second_board.wiring import WrongWiring, load_wiring
from host_tools.records import Registry
from host_tools.records.errors import RegistryError
from host_tools.virtual_board.attended import standard_input
from host_tools.virtual_board.board import Identity
from host_tools.virtual_board.scenario import ScenarioError, load_scenario
from host_tools.virtual_table import TableUnusable


class _Incomplete(Exception):
    """An option is missing, or does not name what is wanted."""


def play_on_hardware(  # noqa: PLR0913, PLR0917 - the command's options
    port: str,
    board: str,
    wiring: Path | None,
    uart: str | None,
    registry: Path | None,
    scenario: Path | None,
    directory: Path | None,
) -> int:
    """Play it; returns the exit status: 1 when a round ended otherwise, 2 when it could not begin."""
    try:
        if wiring is None or uart is None or registry is None or scenario is None or directory is None:
            raise _Incomplete(
                "--second-board also needs --pins, --uart, --registry, --scenario and --directory"
            )
        settings = load_board(board).settings
        if settings["board"] != "microcontroller":
            raise _Incomplete(f"{board} is no microcontroller: name the board under test with --board")
        if not Path(uart).exists():
            raise _Incomplete(f"there is no port {uart}: plug the board under test's UART in")
        wires = load_wiring(wiring, settings["hal"])
        played = load_scenario(scenario)
        check_playable(played)
        identity = _only_device(registry)
        directory.mkdir(parents=True, exist_ok=True)
        with RemotePlayer(port, *wires_of(wires, settings["hal"])) as second:
            setup = Setup(settings, identity, uart, wires, second, _questions(), say)
            return int(asyncio.run(play_wired(setup, played, directory)) > 0)
    except (_Incomplete, BoardFileError, UnknownBoard, WrongWiring, ScenarioError, RegistryError) as error:
        return _told(2, error)
    except BringUpError as error:
        return _told(error.exit_code, error)
    except (TableUnusable, LedgerError, EOFError) as error:
        return _told(1, error)
    except KeyboardInterrupt:
        return 0


def _only_device(file: Path) -> Identity:
    devices = Registry.open(file).devices() if file.exists() else []
    if len(devices) != 1:
        raise _Incomplete(
            f"{file}: {len(devices)} devices; a registry of the board under test alone is wanted"
        )
    [device] = devices
    if device.host_key is None:
        raise _Incomplete(f"{file}: a registry for auditors has no host key: give the table's own")
    return Identity(device.id, device.public_key, device.host_key)


def _questions() -> Ask:
    lines: asyncio.Queue[str | None] | None = None

    async def ask(question: str) -> None:
        nonlocal lines
        lines = lines or standard_input()
        say(question)
        if await lines.get() is None:
            raise EOFError("standard input has ended: nobody lays the dice")

    return ask


def _told(status: int, error: Exception) -> int:
    print(f"tumbler pins: {error}", file=sys.stderr)
    return status
