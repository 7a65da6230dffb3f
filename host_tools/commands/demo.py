"""`tumbler demo`: a whole virtual table, from the firmware's UART to settled wagers, with players."""

import asyncio
import secrets
import sys
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class Scenes(StrEnum):
    """Where the dice come from."""

    TWIN = "twin"
    RECORDED = "recorded"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo")(demo)


def demo(  # noqa: PLR0913, PLR0917 - a command has so many options
    rounds: Annotated[int | None, typer.Option(min=1, help="Stop after so many; else at Ctrl-C.")] = None,
    seed: Annotated[int | None, typer.Option(help="The same seed gives the same rounds.")] = None,
    headless: Annotated[bool, typer.Option("--headless", help="A line a round, fast.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a round, nothing else.")] = False,
    rulebook: Annotated[str, typer.Option(help="Id of a rulebook.")] = "mbs-electronic-sic-bo-v4",
    layout: Annotated[str, typer.Option(help="Layout of the rulebook.")] = "rapid-select",
    keep: Annotated[Path | None, typer.Option(help="Keep ledger and board in this new folder.")] = None,
    scenes: Annotated[
        Scenes | None, typer.Option(help="Dice of the twin, if it is installed, or recorded ones.")
    ] = None,
) -> None:
    """Play a virtual table with simulated players until Ctrl-C."""
    from host_tools.bridge.errors import BridgeError  # noqa: PLC0415 - only when called
    from host_tools.demo.dealer import TumblerSilent  # noqa: PLC0415
    from host_tools.demo.run import Demo, DemoRefused, run_demo  # noqa: PLC0415
    from host_tools.link import LinkError  # noqa: PLC0415
    from host_tools.service.errors import ServiceError  # noqa: PLC0415
    from host_tools.twin.errors import PhysicsMissing  # noqa: PLC0415
    from host_tools.virtual_board import BoardError  # noqa: PLC0415

    chosen = secrets.randbelow(1_000_000) if seed is None else seed
    print(f"Seed {chosen}: --seed {chosen} plays the same rounds again.", file=sys.stderr)
    twin = scenes is Scenes.TWIN or (scenes is None and _has_twin())
    try:
        run_demo(Demo(rounds, chosen, rulebook, layout, keep, twin), headless=headless, as_json=as_json)
    except (DemoRefused, PhysicsMissing) as error:
        _stop(2, error)
    except (TumblerSilent, BoardError, BridgeError, LinkError, ServiceError) as error:
        _stop(1, error)
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise typer.Exit(0) from None


def _has_twin() -> bool:
    """Whether the twin's physics are installed; if not, says how to have them."""
    from host_tools.twin.errors import PhysicsMissing  # noqa: PLC0415
    from host_tools.twin.physics.world import engine  # noqa: PLC0415

    with suppress(PhysicsMissing):
        engine()
        return True
    print("Recorded dice. `make twin` installs dice that really roll.", file=sys.stderr)
    return False


def _stop(code: int, error: Exception) -> None:
    print(f"tumbler demo: {error}", file=sys.stderr)
    raise typer.Exit(code) from error
