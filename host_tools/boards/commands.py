"""`tumbler board list` and `tumbler board check`."""

import json
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from host_tools.boards import Board, BoardFileError, Fault
    from host_tools.boards.ports import Port

_Json = Annotated[bool, typer.Option("--json", help="One JSON object, nothing else.")]


def add_to(board: typer.Typer) -> None:
    """Add the commands to `tumbler board`."""
    board.command("list")(list_boards)
    board.command("check")(check)


def list_boards(
    ask: Annotated[
        bool,
        typer.Option(
            "--ask", help="Ask each board for its versions: restarts what runs on it, never in play."
        ),
    ] = False,
    port: Annotated[
        list[str] | None, typer.Option(help="Look at this port instead of all; a pty or socket:// too.")
    ] = None,
    as_json: _Json = False,
) -> None:
    """List the serial ports with what is known of them, and the boards that this version supports."""
    from host_tools.boards import BoardFileError, known_boards, load_board  # noqa: PLC0415 - only when called
    from host_tools.boards import ports as serial_ports  # noqa: PLC0415

    try:
        boards = [load_board(name) for name in known_boards()]
    except BoardFileError as error:
        print(error, file=sys.stderr)
        raise typer.Exit(1) from error
    listed = {each.device: each for each in serial_ports.present()}
    found = [listed.get(each, serial_ports.Port(each)) for each in port] if port else list(listed.values())
    if ask:
        found = [serial_ports.ask(each) for each in found]
    if as_json:
        known = [{"name": each.name, "title": each.title, "port": each.port} for each in boards]
        print(json.dumps({"ports": [asdict(each) for each in found], "boards": known}))
    else:
        _print_list(found, boards)
    if port and any(each.trouble for each in found):
        raise typer.Exit(1)


def _print_list(found: "list[Port]", boards: "list[Board]") -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    console = Console()
    table = Table("port", "board", "MicroPython", "firmware", "identity", title="Serial ports")
    for each in found:
        board = each.trouble or each.machine or " or ".join(each.boards) or each.product or "not known"
        identity = each.unique_id or each.serial_number or ""
        table.add_row(each.device, board, each.version or "", each.firmware or "", identity)
    console.print(table if found else "No serial port is there: plug a board in.")
    known = Table("name", "board", "port", "MicroPython", "reads the dice with", title="Boards known")
    for each in boards:
        hal = each.settings["hal"]
        reads = hal.get("sensor", hal.get("camera", {})).get("driver", "simulated camera")
        oldest = ".".join(str(number) for number in each.minimum) if each.minimum else "none"
        known.add_row(each.name, each.title, each.port, oldest, reads)
    console.print(known)


def check(
    board: Annotated[
        str, typer.Argument(metavar="FILE-OR-NAME", help="A board's name, folder or board.json.")
    ],
    as_json: _Json = False,
) -> None:
    """Check a board's files completely; exit status 0: sound, 1: faults, 2: there is no such board."""
    from host_tools.boards import BoardFileError, UnknownBoard, load_board  # noqa: PLC0415 - only when called

    try:
        loaded = load_board(board)
    except UnknownBoard as error:
        print(f"tumbler board check: {error}", file=sys.stderr)
        raise typer.Exit(2) from error
    except BoardFileError as error:
        (_json_faults if as_json else _print_faults)(board, error)
        raise typer.Exit(1) from error
    if as_json:
        print(json.dumps({"board": loaded.name, "sound": True, "faults": []}))
    else:
        print(f"{loaded.name} is sound: {loaded.title}, {len(loaded.uses)} pins used.")


def _json_faults(board: str, error: "BoardFileError") -> None:
    faults = [asdict(fault) | {"file": str(fault.file)} for fault in error.faults]
    print(json.dumps({"board": board, "sound": False, "faults": faults}))


def _print_faults(board: str, error: "BoardFileError") -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415

    def place(fault: "Fault") -> str:
        return f"{fault.file.name}:{fault.line}" if fault.line else fault.file.name

    table = Table("line", "key", "fault", title=f"{board}: {len(error.faults)} faults")
    for fault in error.faults:
        table.add_row(place(fault), fault.where, fault.text)
    Console().print(table)
