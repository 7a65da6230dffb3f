"""`tumbler calibrate`: a camera and dice profile from pictures, proved by reading them again.

The pictures lie in folders, or a person and a board's camera take them first.
"""

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from host_tools.calibration import Rig
    from host_tools.calibration.proof import Read

_WRONG = "No profile is written, it reads wrong faces: is each die in the folder of its face?"
_NONE = (
    "No profile is written, it refuses every face: look at what --annotate draws. Are the dice clean, alone"
    " and flat, the pictures sharp, and --die-mm, --platform-mm and --polarity theirs?"
)


class Polarity(StrEnum):
    """How pips look on the dice."""

    DARK = "dark-pips"
    LIGHT = "light-pips"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("calibrate")(calibrate)


def calibrate(  # noqa: PLR0913, PLR0917 - a command has so many options
    out: Annotated[Path, typer.Option(help="The profile to write.")],
    board: Annotated[
        str | None, typer.Option(help="Take the pictures with this board: its name, folder or board.json.")
    ] = None,
    port: Annotated[
        str | None, typer.Option(help="With --board: port of its REPL; found by its USB ids when left out.")
    ] = None,
    keep: Annotated[
        Path | None, typer.Option(help="With --board: keep the pictures here, and go on with those kept.")
    ] = None,
    empty: Annotated[
        Path | None,
        typer.Option(help="Without --board: folder with the empty platform, lamp0 to lamp3 (.png or .pgm)."),
    ] = None,
    faces: Annotated[
        Path | None,
        typer.Option(help="Without --board: folder with face1 to face6, each lamp0 to lamp3 of one die."),
    ] = None,
    die_mm: Annotated[float, typer.Option(min=5.0, max=50.0, help="Edge of a die.")] = 16.0,
    platform_mm: Annotated[
        float, typer.Option(min=40.0, max=500.0, help="Diameter of the platform.")
    ] = 120.0,
    lamp_mm: Annotated[
        float, typer.Option(min=60.0, max=1000.0, help="From the platform's middle to each of four lamps.")
    ] = 170.0,
    camera_mm: Annotated[
        float, typer.Option(min=30.0, max=1000.0, help="From the platform's middle up to the lens.")
    ] = 205.0,
    polarity: Annotated[Polarity, typer.Option(help="How pips look on the dice.")] = Polarity.DARK,
    annotate: Annotated[Path | None, typer.Option(help="Draw what was found into this folder.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object, nothing else.")] = False,
) -> None:
    """Make a profile, and read its own pictures with it; none is written that reads a wrong face, or no face.

    Exit status 1: no profile, faces that it refuses, or a board that took no pictures. Single light pips tell
    too little: with light pips refused faces are told, and rounds with them are refused, too.
    """
    from host_tools.calibration import CalibrationError, Rig  # noqa: PLC0415 - only when called
    from host_tools.images import ImageError  # noqa: PLC0415

    rig = Rig(die=die_mm, platform=platform_mm / 2, lamp=lamp_mm, camera=camera_mm)
    try:
        with _pictures(board, port, keep, (empty, faces), out) as (bare, dice):
            found = _calibrated(bare, dice, out, rig, polarity.value, annotate)
    except (ImageError, CalibrationError) as error:
        _stop(_with(str(error), _how_to_go_on(board, keep)))
    except OSError as error:
        _stop(f"{error.filename}: {error.strerror}")
    trouble = _trouble(found)
    if as_json:
        told = [{"face": read.face, "read": read.read, "reason": read.reason} for read in found]
        print(json.dumps({"profile": None if trouble else str(out), "faces": told}))
    else:
        for read in found:
            print(
                f"face {read.face}: " + (f"refused, {read.reason}" if read.reason else f"read as {read.read}")
            )
        print(trouble or f"Wrote {out}: name it in the board's board.json, then flash the board.")
    lost = [str(read.face) for read in found if not read.right]
    if lost and not trouble:
        _tell(f"Rounds with a face like these will be refused, too: {', '.join(lost)}.")
    refused = polarity is Polarity.DARK and bool(lost)
    raise typer.Exit(1 if trouble or refused else 0)


def _trouble(found: "list[Read]") -> str:
    """Why the profile that was proved so must not be used; empty when it may be."""
    if any(read.wrong for read in found):
        return _WRONG
    return "" if any(read.right for read in found) else _NONE


@contextmanager
def _pictures(
    board: str | None, port: str | None, keep: Path | None, given: tuple[Path | None, Path | None], out: Path
) -> Iterator[tuple[Path, Path]]:
    """The folders of the empty platform and of the faces, once all pictures are there."""
    empty, faces = given
    if board is None:
        if empty is None or faces is None:
            _stop("give --board to take pictures with it, or --empty and --faces with pictures taken before")
        if port is not None or keep is not None:
            _stop("--port and --keep go with --board")
        yield empty, faces
        return
    if empty is not None or faces is not None:
        _stop("--board takes the pictures: leave out --empty and --faces, or leave out --board")
    if not out.parent.is_dir():
        _stop(f"there is no folder {out.parent} for the profile: make it first")
    with tempfile.TemporaryDirectory() as passing:
        folder = keep or Path(passing)
        _photograph(board, port, folder)
        yield folder / "empty", folder


def _photograph(board: str, port: str | None, folder: Path) -> None:
    from host_tools.bringup.photos import photograph  # noqa: PLC0415
    from host_tools.commands.bringup import on_board  # noqa: PLC0415

    with on_board("calibrate", board, port) as (loaded, remote, tell):
        photograph(remote, loaded, folder, _ask, tell)


def _with(trouble: str, advice: str) -> str:
    """Both as sentences; a trouble may end in a question."""
    return f"{trouble}{'' if trouble.endswith('?') else '.'} {advice}" if advice else trouble


def _how_to_go_on(board: str | None, keep: Path | None) -> str:
    """What to do about a picture that is not good, when a board took it."""
    if board is None:
        return ""
    if keep is None:
        return "Run it again, with --keep to take only what is wrong another time"
    return f"Remove that step's folder from {keep} and run the same command again: it takes that step again"


def _ask(text: str) -> None:
    """Show what to do and wait for Enter; EOFError when there is nobody to press it."""
    _tell(text)
    if not sys.stdin.readline():
        raise EOFError


def _calibrated(  # noqa: PLR0913, PLR0917
    empty: Path, faces: Path, out: Path, rig: "Rig", polarity: str, annotate: Path | None
) -> "list[Read]":
    from host_tools.calibration import Calibration, load, write_profile  # noqa: PLC0415
    from host_tools.calibration.proof import draw_empty, prove  # noqa: PLC0415

    if annotate is not None:
        annotate.mkdir(parents=True, exist_ok=True)
    calibration = Calibration(load(empty), rig, _tell)
    if annotate is not None:
        draw_empty(calibration, annotate)
    calibration.measure_light(faces)
    if polarity == Polarity.DARK:
        calibration.measure_gains(faces)
    fields = calibration.profile(out.stem, polarity, faces)
    found = prove(fields, calibration.pictures(faces), annotate)
    if not _trouble(found):
        write_profile(fields, out)
    return found


def _tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _stop(text: str) -> NoReturn:
    print(f"tumbler calibrate: {text}", file=sys.stderr)
    raise typer.Exit(2)
