"""`tumbler demo`: a whole virtual table, from the firmware's UART to settled wagers, with simulated players."""

import sys
from pathlib import Path
from typing import Annotated

import typer


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo")(demo)


def demo(  # noqa: PLR0913 - a command has so many options
    rounds: Annotated[
        int | None, typer.Option(min=1, help="Stop after so many; without it: until Ctrl-C.")
    ] = None,
    seed: Annotated[
        str, typer.Option(help="Dice, players and keys: the same seed gives the same run.")
    ] = "1",
    headless: Annotated[bool, typer.Option("--headless", help="A line a round, as fast as it goes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a round, nothing else.")] = False,
    rulebook: Annotated[str, typer.Option(help="Id of a rulebook.")] = "mbs-electronic-sic-bo-v4",
    layout: Annotated[str, typer.Option(help="Layout of the rulebook.")] = "rapid-select",
    keep: Annotated[Path | None, typer.Option(help="Keep ledger and board in this folder.")] = None,
) -> None:
    """Play a virtual table with simulated players until Ctrl-C."""
    from host_tools.demo.run import DemoError, DemoRefused, run_demo  # noqa: PLC0415 - slow to import

    try:
        run_demo(rounds, seed, rulebook, layout, keep, headless=headless, as_json=as_json)
    except DemoRefused as error:
        print(f"tumbler demo: {error}", file=sys.stderr)
        raise typer.Exit(2) from error
    except DemoError as error:
        print(f"tumbler demo: {error}", file=sys.stderr)
        raise typer.Exit(1) from error
    except KeyboardInterrupt:
        raise typer.Exit(0) from None
