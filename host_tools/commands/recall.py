"""`tumbler board recall`: the last rounds out of a device's own memory, verified, without any ledger."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from host_tools.commands.board import board


def register(_app: typer.Typer) -> None:
    """Add the command to `tumbler board`."""
    board.command("recall")(recall)


def recall(
    uart: Annotated[str, typer.Option("--uart", help="The serial port that its UART is wired to.")],
    registry: Annotated[Path, typer.Option("--registry", help="Registered devices; an auditor's will do.")],
    rounds: Annotated[int, typer.Option(min=1, help="How many concluded rounds.")] = 10,
    evidence: Annotated[
        Path | None, typer.Option(help="Save the frames of the newest reading in this folder.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, nothing else.")] = False,
) -> None:
    """Read the last rounds back from a device and verify them. Nothing is acknowledged or changed."""
    from host_tools.bringup.errors import BringUpError  # noqa: PLC0415 - commands import when called
    from host_tools.link import LinkError  # noqa: PLC0415
    from host_tools.records import RecordRefused, RegistryError  # noqa: PLC0415

    try:
        told = asyncio.run(_recalled(uart, registry, rounds, evidence))
    except BringUpError as error:
        _stop(error, error.exit_code)
    except (RecordRefused, LinkError) as error:
        _stop(error, 1)
    except (RegistryError, OSError) as error:
        _stop(error, 2)
    else:
        print(json.dumps(told) if as_json else _text(told))


async def _recalled(uart: str, registry: Path, rounds: int, evidence: Path | None) -> dict[str, Any]:
    from host_tools.bringup.recall import recall as read_back  # noqa: PLC0415
    from host_tools.bringup.recall import save_evidence  # noqa: PLC0415
    from host_tools.link import EvidenceGone  # noqa: PLC0415
    from host_tools.records import Registry  # noqa: PLC0415

    memory = await read_back(uart, Registry.open(registry), rounds)
    told: dict[str, Any] = {
        "device": memory.device.hex(),
        "first": memory.first,
        "last": memory.last,
        "verified": memory.checked,
        "faults": memory.faults,
        "rounds": [each.told() for each in memory.rounds],
    }
    shown = [each["frames"] for each in told["rounds"] if "frames" in each]
    if evidence is not None:
        told["evidence"] = None
        if shown:
            try:
                told["evidence"] = str(await save_evidence(uart, bytes.fromhex(shown[-1]), evidence))
            except EvidenceGone as gone:
                print(f"tumbler board recall: {gone}", file=sys.stderr)
    return told


def _text(told: dict[str, Any]) -> str:
    faults = ", ".join(told["faults"]) or "none"
    lines = [
        f"Device {told['device']}: records {told['first']} to {told['last']} in its journal,"
        f" the newest {told['verified']} verified; latched faults: {faults}."
    ]
    lines += [_line(each) for each in told["rounds"]]
    if told.get("evidence"):
        lines.append(f"The frames of the newest reading are {told['evidence']}.")
    return "\n".join(lines)


def _line(round_: dict[str, Any]) -> str:
    if "faces" in round_:
        outcome = "faces " + " ".join(str(face) for face in round_["faces"])
    elif "void" in round_:
        detail = round_.get("detail")
        outcome = f"void: {round_['void']}" + (f" ({detail})" if detail else "")
    else:
        outcome = "not concluded"
    return f"{round_.get('sequence', ''):>8}  {round_['round']}  {round_.get('mode', '-'):<8} {outcome}"


def _stop(error: Exception, code: int) -> None:
    print(f"tumbler board recall: {error}", file=sys.stderr)
    raise typer.Exit(code) from error
