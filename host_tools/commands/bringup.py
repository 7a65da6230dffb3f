"""`tumbler flash`, `provision`, `selftest`, `monitor`: bring-up, with `attest` also under `tumbler board`."""

import asyncio
import getpass
import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from host_tools.boards import Board
    from host_tools.bringup.remote import Remote

_Board = Annotated[str, typer.Option("--board", help="The board's name, folder or board.json.")]
_Port = Annotated[
    str | None, typer.Option("--port", help="Port of its REPL; found by its USB ids when left out.")
]
_Uart = Annotated[str, typer.Option("--uart", help="The serial port that its UART is wired to.")]
_Registry = Annotated[Path, typer.Option("--registry", help="The file of registered devices.")]
_Json = Annotated[bool, typer.Option("--json", help="One JSON object, nothing else on standard output.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    for name, command in COMMANDS.items():
        if name != "attest":
            app.command(name)(command)


def add_to(board: typer.Typer) -> None:
    """Add the same commands to `tumbler board`."""
    for name, command in COMMANDS.items():
        board.command(name)(command)


def flash(board: _Board, port: _Port = None, as_json: _Json = False) -> None:
    """Compile the firmware and bring it onto a board; when power fails, it has the old one or the new one."""
    from host_tools.bringup.flash import flash as run  # noqa: PLC0415 - commands import when called
    from host_tools.virtual_board.build import build_slot  # noqa: PLC0415

    with on_board("flash", board, port) as (loaded, remote, tell):
        tell("Compiling the firmware ...")
        build = build_slot(loaded.raw, loaded.mpy_arch)
        done = run(remote, loaded, build, tell)
        remote.reset()
    told = {
        "slot": done.slot,
        "files": done.files,
        "sent_files": done.sent_files,
        "sent_bytes": done.sent_bytes,
        "firmware": done.firmware,
        "strange": list(done.strange),
        "selftest": list(done.results),
    }
    text = f"{loaded.title}: {done.sent_files} of {done.files} files copied, {done.slot} boots now."
    print(json.dumps(told) if as_json else text)


def provision(  # noqa: PLR0913, PLR0917 - a command has so many options
    board: _Board,
    registry: _Registry,
    name: Annotated[str, typer.Option(help="What people call the device, as its table and seat.")],
    port: _Port = None,
    records: Annotated[Path, typer.Option(help="Folder for the key-ceremony record.")] = Path(),
    who: Annotated[str | None, typer.Option(help="Who holds the ceremony; else the user.")] = None,
    as_json: _Json = False,
) -> None:
    """Have a flashed board make its keys, register it and keep a record of the ceremony."""
    from host_tools.bringup.provision import check_folders, write_record  # noqa: PLC0415
    from host_tools.bringup.provision import provision as run  # noqa: PLC0415
    from host_tools.records import Registry  # noqa: PLC0415

    with on_board("provision", board, port) as (loaded, remote, tell):
        check_folders(registry.parent, records)
        known = Registry.open(registry)
        at = datetime.now(UTC)
        done = run(remote, loaded, known, name, who or getpass.getuser(), at, tell)
        path = write_record(done, records)
    if as_json:
        print(json.dumps(done.record | {"record": str(path)}))
    else:
        print(f"Device {done.device.hex()}: public key {done.public_key.hex()}; the record is {path}.")


def selftest(
    board: _Board,
    port: _Port = None,
    uart: Annotated[str | None, typer.Option(help="Port of its UART: also measures the link.")] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write this report as .json and as an .html page to print.")
    ] = None,
    as_json: _Json = False,
) -> None:
    """Test every channel, drive, lamps, camera, flash, clock, memory and link; the drive fires."""
    from host_tools.bringup.bench import run_selftest  # noqa: PLC0415
    from host_tools.bringup.report import as_json as told  # noqa: PLC0415
    from host_tools.bringup.report import write_report  # noqa: PLC0415

    with on_board("selftest", board, port, sys.stderr if as_json else sys.stdout) as (loaded, remote, tell):
        done = run_selftest(remote, loaded, uart, datetime.now(UTC), tell)
        if report is not None:
            paths = write_report(done, report)
            tell(f"The report is {paths[0]} and {paths[1]}.")
    if as_json:
        print(json.dumps(told(done)))
    else:
        print("The self-test passed." if done.passed else "The self-test FAILED.")
    raise typer.Exit(0 if done.passed else 1)


def monitor(  # noqa: PLR0913, PLR0917
    uart: _Uart,
    ledger: Annotated[
        Path | None, typer.Option(help="The table's ledger: commit records to it, to see all of them.")
    ] = None,
    registry: Annotated[
        Path | None, typer.Option(help="The file of registered devices, with --ledger.")
    ] = None,
    seconds: Annotated[
        float | None, typer.Option(min=0.0, help="Stop after so long; else at Ctrl-C.")
    ] = None,
    full_screen: Annotated[bool, typer.Option("--full-screen", help="Keep one screen up to date.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line, nothing else.")] = False,
) -> None:
    """Show live status, faults, counters and records. Without a ledger nothing is acknowledged."""
    from host_tools.bringup.errors import Unsuitable  # noqa: PLC0415
    from host_tools.bringup.screen import FullScreen  # noqa: PLC0415

    with _reporting("monitor"), ExitStack() as stack:
        if (ledger is None) != (registry is None):
            raise Unsuitable("--ledger and --registry go together")
        see = _see_json if as_json else _see_line
        if full_screen:
            see = stack.enter_context(FullScreen(uart)).see
        sink = stack.enter_context(_open_sink(ledger, registry)) if ledger and registry else None
        heard = asyncio.run(_watched(uart, sink, see, seconds))
    if not heard:
        raise typer.Exit(1)


async def _watched(
    uart: str, sink: Any, see: Callable[[dict[str, Any]], None], seconds: float | None
) -> bool:
    """Watch until cancelled or for so many seconds; whether a device was heard."""
    from host_tools.bringup.monitor import NOBODY, follow, listen  # noqa: PLC0415

    heard = False

    def watch(seen: dict[str, Any]) -> None:
        nonlocal heard
        heard = heard or bool(seen.keys() & {"hello", "status", "record"})
        see(seen)

    try:
        async with asyncio.timeout(seconds):
            await (listen(uart, watch) if sink is None else follow(uart, sink, watch))
    except TimeoutError:
        if not heard:
            print(f"tumbler monitor: {NOBODY}", file=sys.stderr)
    except BaseExceptionGroup as failures:
        raise failures.exceptions[0] from None
    return heard


def attest(
    board: _Board,
    uart: _Uart,
    registry: _Registry,
    ledger: Annotated[Path, typer.Option(help="The table's ledger, which gets the records before it.")],
    as_json: _Json = False,
) -> None:
    """Have a device prove who it is and which firmware it runs."""
    from host_tools.bringup.attest import attest as run  # noqa: PLC0415
    from host_tools.records import Registry  # noqa: PLC0415
    from host_tools.virtual_board.build import build_slot  # noqa: PLC0415

    with _reporting("attest"):
        loaded = _load(board)
        with _open_sink(ledger, registry) as sink:
            build = build_slot(loaded.raw, loaded.mpy_arch)
            done = asyncio.run(run(uart, Registry.open(registry), sink, build))
    fields = done.record.fields
    told = {
        "device": done.record.device.hex(),
        "sequence": done.record.sequence,
        "firmware": fields["firmware"].hex(),
        "profile": fields["profile"].hex(),
        "firmware_matches": done.firmware_matches,
    }
    if as_json:
        print(json.dumps(told))
    elif done.firmware_matches:
        print(f"Device {told['device']} runs this firmware: record {told['sequence']} proves it.")
    else:
        print(
            f"Device {told['device']} runs ANOTHER firmware: {told['firmware']}. Flash it, or find out why."
        )
    raise typer.Exit(0 if done.firmware_matches else 1)


COMMANDS: dict[str, Callable[..., None]] = {
    "flash": flash,
    "provision": provision,
    "selftest": selftest,
    "monitor": monitor,
    "attest": attest,
}


@contextmanager
def _open_sink(ledger: Path, registry: Path) -> Iterator[Any]:
    from host_tools.bridge.sink import LedgerSink  # noqa: PLC0415
    from host_tools.ledger import open_ledger  # noqa: PLC0415
    from host_tools.link import SystemClock  # noqa: PLC0415
    from host_tools.records import Registry  # noqa: PLC0415

    with open_ledger(ledger) as books:
        yield LedgerSink(books, Registry.open(registry), SystemClock())


@contextmanager
def on_board(
    command: str, name: str, port: str | None, out: Any = sys.stderr
) -> Iterator[tuple["Board", "Remote", Callable[[str], None]]]:
    """The board's files and its open REPL; progress goes to `out`."""
    with _reporting(command):
        from host_tools.bringup.ports import choose_port  # noqa: PLC0415
        from host_tools.bringup.remote import Remote  # noqa: PLC0415

        board = _load(name)
        usb = board.hardware["usb"] or {"dtr": True, "rts": False}
        with Remote(choose_port(board, port), usb["dtr"], usb["rts"]) as remote:
            yield board, remote, lambda text: print(text, file=out, flush=True)


def _load(name: str) -> "Board":
    from host_tools.boards import BoardFileError, load_board  # noqa: PLC0415
    from host_tools.bringup.errors import Unsuitable  # noqa: PLC0415

    try:
        board = load_board(name)
    except BoardFileError as error:
        raise Unsuitable(str(error)) from error
    if board.port == "blinka":
        raise Unsuitable(f"{board.name} has no MicroPython: run it with `tumbler pins`")
    return board


@contextmanager
def _reporting(command: str) -> Iterator[None]:
    """Turn what goes wrong into a sentence and an exit status."""
    from host_tools.bridge.errors import BridgeError  # noqa: PLC0415
    from host_tools.bringup.errors import BringUpError  # noqa: PLC0415
    from host_tools.ledger import LedgerError  # noqa: PLC0415
    from host_tools.link import LinkError  # noqa: PLC0415
    from host_tools.records import RegistryError  # noqa: PLC0415
    from host_tools.virtual_board.build import BuildError  # noqa: PLC0415

    try:
        yield
    except BringUpError as error:
        _stop(command, error, error.exit_code)
    except (BuildError, LinkError, LedgerError, BridgeError) as error:
        _stop(command, error, 1)
    except (RegistryError, OSError) as error:
        _stop(command, error, 2)
    except KeyboardInterrupt:
        raise typer.Exit(0 if command == "monitor" else 1) from None


def _stop(command: str, error: Exception, code: int) -> None:
    print(f"tumbler {command}: {error}", file=sys.stderr)
    raise typer.Exit(code) from error


def _see_json(seen: dict[str, Any]) -> None:
    print(json.dumps(seen, default=lambda value: value.hex()), flush=True)


def _see_line(seen: dict[str, Any]) -> None:
    from host_tools.bringup.screen import line_of  # noqa: PLC0415

    line = line_of(seen)
    if line is not None:
        print(line, flush=True)
