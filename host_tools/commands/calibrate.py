"""`tumbler calibrate`: a camera and dice profile from pictures, proved by reading them again."""

import json
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from host_tools.calibration.proof import Read

_WRONG = "No profile is written, it reads wrong faces: is each die in the folder of its face?"


class Polarity(StrEnum):
    """How pips look on the dice."""

    DARK = "dark-pips"
    LIGHT = "light-pips"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("calibrate")(calibrate)


def calibrate(  # noqa: PLR0913, PLR0917 - a command has so many options
    empty: Annotated[
        Path, typer.Option(help="Folder with the empty platform: lamp0 to lamp3 (.png or .pgm).")
    ],
    faces: Annotated[
        Path, typer.Option(help="Folder with face1 to face6, each lamp0 to lamp3: one die near the middle.")
    ],
    out: Annotated[Path, typer.Option(help="The profile to write.")],
    die_mm: Annotated[float, typer.Option(min=5.0, max=50.0, help="Edge of a die.")] = 16.0,
    platform_mm: Annotated[
        float, typer.Option(min=40.0, max=500.0, help="Diameter of the platform.")
    ] = 120.0,
    polarity: Annotated[Polarity, typer.Option(help="How pips look on the dice.")] = Polarity.DARK,
    annotate: Annotated[Path | None, typer.Option(help="Draw what was found into this folder.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, nothing else.")] = False,
) -> None:
    """Make a profile, and read its own pictures with it; none is written that reads a wrong face.

    Exit status 1: no profile, or faces that it refuses. Single light pips tell too little: with light pips
    refused faces are told, and rounds with them are refused, too.
    """
    from host_tools.calibration import CalibrationError  # noqa: PLC0415 - only when called
    from host_tools.images import ImageError  # noqa: PLC0415

    try:
        found = _calibrated(empty, faces, out, (die_mm, platform_mm), polarity.value, annotate)
    except (ImageError, CalibrationError) as error:
        _stop(f"{error}")
    except OSError as error:
        _stop(f"{error.filename}: {error.strerror}")
    wrong = any(read.wrong for read in found)
    if as_json:
        told = [{"face": read.face, "read": read.read, "reason": read.reason} for read in found]
        print(json.dumps({"profile": None if wrong else str(out), "faces": told}))
    else:
        for read in found:
            print(
                f"face {read.face}: " + (f"refused, {read.reason}" if read.reason else f"read as {read.read}")
            )
        print(_WRONG if wrong else f"Wrote {out}: name it in the board's board.json, then flash the board.")
    refused = polarity is Polarity.DARK and any(not read.right for read in found)
    raise typer.Exit(1 if wrong or refused else 0)


def _calibrated(  # noqa: PLR0913, PLR0917
    empty: Path, faces: Path, out: Path, sizes: tuple[float, float], polarity: str, annotate: Path | None
) -> "list[Read]":
    from host_tools.calibration import Calibration, Rig, load, write_profile  # noqa: PLC0415
    from host_tools.calibration.proof import draw_empty, prove  # noqa: PLC0415

    if annotate is not None:
        annotate.mkdir(parents=True, exist_ok=True)
    calibration = Calibration(load(empty), Rig(die=sizes[0], platform=sizes[1] / 2), _tell)
    if annotate is not None:
        draw_empty(calibration, annotate)
    if polarity == Polarity.DARK:
        calibration.measure_gains(faces)
    fields = calibration.profile(out.stem, polarity, faces)
    found = prove(fields, calibration.pictures(faces), annotate)
    if not any(read.wrong for read in found):
        write_profile(fields, out)
    return found


def _tell(text: str) -> None:
    print(text, file=sys.stderr)


def _stop(text: str) -> NoReturn:
    print(f"tumbler calibrate: {text}", file=sys.stderr)
    raise typer.Exit(2)
