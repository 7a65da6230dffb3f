"""`tumbler pins`: the firmware on this desktop with Adafruit Blinka, and a panel of its pins."""

import asyncio
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("pins")(pins)


def pins(  # noqa: PLR0913, PLR0917 - options of a command
    board: Annotated[str, typer.Option(help="A Blinka board: its name, folder or board.json.")] = "blinka",
    scenario: Annotated[Path | None, typer.Option(help="Play this file of scenarios/.")] = None,
    mode: Annotated[str, typer.Option(help="Without a scenario: covered or open play.")] = "covered",
    speed: Annotated[
        float, typer.Option(min=0.0, help="Board time by real time; 0: as fast as it goes.")
    ] = 1,
    directory: Annotated[
        Path | None, typer.Option(help="Keep board and ledger in this new folder; real pins need one.")
    ] = None,
    second_board: Annotated[
        str | None,
        typer.Option(help="REPL port of a second board that drives the inputs of the real board --board."),
    ] = None,
    wiring: Annotated[
        Path | None, typer.Option("--pins", help="The second board's wiring, a JSON file (docs/testers.md).")
    ] = None,
    uart: Annotated[str | None, typer.Option(help="Serial port of the board under test.")] = None,
    registry: Annotated[Path | None, typer.Option(help="The registry with that board alone.")] = None,
) -> None:
    """Drive the pins of the firmware: a panel in a terminal, or words from standard input ("help").

    With an adapter chosen in the environment (BLINKA_U2IF=1, BLINKA_FT232H=1 ...) its real pins are used.
    With --second-board a scenario plays on a real board, whose ledger is kept in --directory.
    """
    if second_board is not None:
        from host_tools.pins.second_board.command import play_on_hardware  # noqa: PLC0415

        raise typer.Exit(play_on_hardware(second_board, board, wiring, uart, registry, scenario, directory))
    from host_tools.boards.board import load_board  # noqa: PLC0415 - only when called
    from host_tools.boards.errors import BoardFileError, UnknownBoard  # noqa: PLC0415
    from host_tools.pins.wires import BlinkaUnusable, real_pins  # noqa: PLC0415
    from host_tools.virtual_board import BoardError, ScenarioError  # noqa: PLC0415
    from host_tools.virtual_table import TableUnusable  # noqa: PLC0415

    try:
        loaded = load_board(board)
        if loaded.settings["board"] != "blinka":
            raise BlinkaUnusable(f"{loaded.name} is no Blinka board: give one like boards/blinka")
        if mode not in ("covered", "open"):
            raise ScenarioError(f"--mode is covered or open, not {mode!r}")
        if real_pins():
            from host_tools.pins.real import run_real  # noqa: PLC0415

            run_real(loaded, directory)
            return
        status = asyncio.run(_bench(loaded.folder / "board.json", scenario, mode, speed or None, directory))
    except (ScenarioError, BlinkaUnusable, BoardFileError, UnknownBoard) as error:
        _stop(2, error)
    except (BoardError, TableUnusable) as error:
        _stop(1, error)
    except KeyboardInterrupt:
        raise typer.Exit(0) from None
    else:
        raise typer.Exit(status)


async def _bench(
    board_json: Path, file: Path | None, mode: str, speed: float | None, kept: Path | None
) -> int:
    from rich.console import Console  # noqa: PLC0415

    from host_tools.pins.bench import open_bench, scenario_of  # noqa: PLC0415
    from host_tools.pins.board import BlinkaBoard  # noqa: PLC0415
    from host_tools.pins.lines import serve_lines  # noqa: PLC0415

    class ThisBoard(BlinkaBoard):
        pass

    ThisBoard.board_json = board_json
    played = scenario_of(file, mode)
    with tempfile.TemporaryDirectory() as passing:
        folder = kept or Path(passing) / "bench"
        async with open_bench(folder, played, speed, board_kind=ThisBoard) as bench:
            if not (sys.stdin.isatty() and sys.stdout.isatty()):
                return await serve_lines(bench, play_all=file is not None)
            from host_tools.pins.panel import serve_panel  # noqa: PLC0415

            return await serve_panel(bench, play_all=file is not None, console=Console())


def _stop(code: int, error: Any) -> None:
    print(f"tumbler pins: {error}", file=sys.stderr)
    raise typer.Exit(code) from error
