"""The firmware on this desktop's real pins: it runs here until Ctrl-C, and a host connects to its UART."""

import json
import os
import secrets
import sys
import tty
from pathlib import Path
from typing import Any

from host_tools.boards.board import Board
from host_tools.pins.board import STORAGE, provision_folder
from host_tools.virtual_board.board import BoardError
from tumbler import config
from tumbler.hal.desktop import Desktop, Line, open_line

PORT = "TUMBLER_UART"


def run_real(board: Board, directory: Path | None) -> None:
    """Run `board` with keys and journal in `directory`, which is made and provisioned when it is new.

    Prints the path of the UART's pseudo-terminal, or uses the serial port that TUMBLER_UART names.
    Raises BoardError for an adapter that is not there or lacks a pin.
    """
    if directory is None:
        raise BoardError("real pins need --directory: keys and records must outlast this run")
    settings = config.parse(board.raw, str(board.folder / "board.json"))
    if not (directory / STORAGE).exists():
        told = provision_folder(directory, os.urandom, secrets.token_bytes(64))
        (directory / "identity.json").write_text(json.dumps(told, indent=2) + "\n")
    line = open_line(os.environ[PORT]) if PORT in os.environ else _open_terminal()
    from tumbler import start  # noqa: PLC0415

    desk = Desktop(line, str((directory / STORAGE).resolve()))
    start.boot(_back_end(settings.hal, desk), settings)


def _back_end(hal: dict[str, Any], desk: Desktop) -> Any:
    """The Blinka back end; whatever Blinka finds missing becomes a BoardError."""
    try:
        from tumbler.hal import blinka  # noqa: PLC0415 - the adapter is looked for now

        return blinka.Board(hal, desk)
    except ImportError as error:
        raise BoardError(f"Blinka needs one more package for this adapter: {error}") from error
    except AttributeError as error:
        raise BoardError(f"the adapter lacks a pin of the board file: {error}") from error
    except (OSError, RuntimeError, ValueError, NotImplementedError) as error:
        raise BoardError(
            f"Blinka does not reach the adapter: {error}. Is it plugged in, libusb or hidapi installed, and"
            " may you use it (a udev rule, or the group plugdev)?"
        ) from error


def _open_terminal() -> Line:
    """A pseudo-terminal: the firmware has the end without a name, the host opens the path that is printed."""
    ours, hosts = os.openpty()
    tty.setraw(hosts)
    os.set_blocking(ours, False)
    print(f"The tumbler's UART: {os.ttyname(hosts)}", file=sys.stderr, flush=True)
    return Line(ours)
