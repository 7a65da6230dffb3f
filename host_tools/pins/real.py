"""The firmware on this desktop's real pins: it runs here until Ctrl-C, and a host connects to its UART."""

import json
import os
import secrets
import sys
import tty
from pathlib import Path

from host_tools.boards.board import Board
from host_tools.pins.board import STORAGE, provision_folder
from host_tools.virtual_board.board import BoardError
from tumbler import config


def run_real(board: Board, directory: Path | None) -> None:
    """Run `board` with keys and journal in `directory`, which is made and provisioned when it is new.

    Prints the path of the UART's pseudo-terminal, or uses the serial port that TUMBLER_UART names.
    Raises BoardError; Blinka's own errors tell of adapters that are not there and pins they lack.
    """
    if directory is None:
        raise BoardError("real pins need --directory: keys and records must outlast this run")
    settings = config.parse(board.raw, str(board.folder / "board.json"))
    if not (directory / STORAGE).exists():
        told = provision_folder(directory, os.urandom, secrets.token_bytes(64))
        (directory / "identity.json").write_text(json.dumps(told, indent=2) + "\n")
    os.environ["TUMBLER_STORAGE"] = str((directory / STORAGE).resolve())
    if "TUMBLER_UART" not in os.environ:
        os.environ["TUMBLER_UART"] = _open_terminal()
    from tumbler import start  # noqa: PLC0415 - the adapter is looked for now
    from tumbler.hal import blinka  # noqa: PLC0415

    start.boot(blinka.Board(settings.hal), settings)


def _open_terminal() -> str:
    """A pseudo-terminal; the firmware has the end whose path this is, the host the one that is printed."""
    ours, hosts = os.openpty()
    tty.setraw(hosts)
    print(f"The tumbler's UART: {os.ttyname(hosts)}", file=sys.stderr, flush=True)
    os.set_blocking(ours, False)
    return f"/dev/fd/{ours}"
