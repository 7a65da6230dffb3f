"""`tumbler board`: boards to work on, real ones and the virtual one."""

import asyncio
import json
import sys
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from host_tools.boards import commands
from host_tools.commands import bringup

board = typer.Typer(no_args_is_help=True, help="Boards to work on.")

SCENARIO = Path(__file__).resolve().parents[2] / "scenarios" / "ordinary-covered.toml"


def register(app: typer.Typer) -> None:
    """Add the command."""
    commands.add_to(board)
    bringup.add_to(board)
    app.add_typer(board, name="board")


@board.callback()
def root() -> None:
    """Boards to work on."""


@board.command("virtual")
def virtual(
    scenario: Annotated[Path, typer.Option(help="What happens: a file of scenarios/.")] = SCENARIO,
    speed: Annotated[
        float, typer.Option(min=0.0, help="Board time by real time; 0: as fast as it goes.")
    ] = 1,
    directory: Annotated[Path | None, typer.Option(help="Keep the board here; made when it is new.")] = None,
    seed: Annotated[str | None, typer.Option(help="Keys and randomness follow from it: tests only.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line, nothing else.")] = False,
) -> None:
    """Run a virtual board for a person: prints the paths of its UART and REPL and what happens on it."""
    from host_tools.virtual_board import BoardError, ScenarioError  # noqa: PLC0415 - only when called
    from host_tools.virtual_board.build import BuildError  # noqa: PLC0415

    tell = _tell_json if as_json else _tell_person
    with tempfile.TemporaryDirectory() as passing:
        folder = directory or Path(passing) / "board"
        try:
            asyncio.run(_attended(folder, scenario, speed or None, seed, tell))
        except ScenarioError as error:
            _stop(2, error)
        except (BoardError, BuildError) as error:
            _stop(1, error)
        except KeyboardInterrupt:
            raise typer.Exit(0) from None


async def _attended(folder: Path, file: Path, speed: float | None, seed: str | None, tell: Any) -> None:
    from host_tools.virtual_board import VirtualBoard, load_scenario  # noqa: PLC0415
    from host_tools.virtual_board.attended import attend  # noqa: PLC0415

    scenario = load_scenario(file)
    if not (folder / "identity.json").exists():
        await VirtualBoard.create(folder, seed=seed, profile=scenario.profile)
    async with VirtualBoard(folder, scenario, speed=speed, seed=seed) as running:
        await attend(running, tell)


def _tell_json(told: dict[str, Any]) -> None:
    print(json.dumps(told), flush=True)


def _tell_person(told: dict[str, Any]) -> None:
    from host_tools.virtual_board.attended import HELP  # noqa: PLC0415

    if "uart" in told:
        print(f"{told['title']}: virtual board {told['device']}")
        print(f"  UART  {told['uart']}")
        print(f"  REPL  {told['repl']}    mpremote connect {told['repl']}")
        print(HELP, flush=True)
    elif "error" in told:
        print(told["error"], flush=True)
    else:
        print(f"{told['ms']:8d} ms  {told.get('event') or told['round']}", flush=True)


def _stop(code: int, error: Exception) -> None:
    print(f"tumbler board virtual: {error}", file=sys.stderr)
    raise typer.Exit(code) from error
