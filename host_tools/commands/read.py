"""`tumbler read FRAME...`: reads dice from picture files, on the device's reader or the host's."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

from host_tools.read.runtimes import READERS, ReadError, Runtime, read_uncalibrated

if TYPE_CHECKING:
    from host_tools.images import Frame


class Polarity(StrEnum):
    """How pips look on the dice."""

    DARK = "dark-pips"
    LIGHT = "light-pips"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("read")(read)


def read(  # noqa: PLR0913, PLR0917 - a command has so many options
    frames: Annotated[
        list[Path],
        typer.Argument(help="Folders with lamp0 to lamp3 (.png or .pgm), a scene each, or single pictures."),
    ],
    profile: Annotated[
        Path | None, typer.Option(help="The camera's and dice's profile, a JSON file.")
    ] = None,
    die_px: Annotated[
        float | None,
        typer.Option(min=10, max=400, help="Without a profile: side of a die in pixels; refuses much."),
    ] = None,
    polarity: Annotated[
        Polarity | None, typer.Option(help="With --die-px: how pips look; either way when left out.")
    ] = None,
    count: Annotated[int, typer.Option(min=1, max=9, help="How many dice must lie there.")] = 3,
    runtime: Annotated[
        Runtime | None,
        typer.Option(help="The device's reader under MicroPython (default) or CPython, or the host's own."),
    ] = None,
    annotate: Annotated[Path | None, typer.Option(help="Draw what was read into this folder.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a scene, nothing else.")] = False,
) -> None:
    """Read the dice in picture files; a reading that is not certain is refused, never guessed.

    A die's confidence: of dice that the device's reader reads like it, at least this share was right and
    sound (docs/confidence.md).
    """
    from host_tools.images import ImageError  # noqa: PLC0415 - commands import their machinery when called
    from tumbler.reader import ProfileError  # noqa: PLC0415

    if (profile is None) == (die_px is None):
        _stop("give --profile, or --die-px when there is none")
    if die_px is not None and runtime not in {None, Runtime.HOST}:
        _stop("--die-px reads with --runtime host only: the device's reader needs a profile")
    try:
        if annotate is not None:
            annotate.mkdir(parents=True, exist_ok=True)
        with _opened(profile, die_px, polarity, count, runtime) as (load, read_scene):
            for path in frames:
                scene = load(path)
                fields = read_scene(scene)
                _show(path, fields, as_json)
                if annotate is not None:
                    _draw(annotate, path, scene, fields)
    except (ImageError, ProfileError, ReadError) as error:
        _stop(str(error))
    except OSError as error:
        _stop(f"{error.filename}: {error.strerror}")


@contextmanager
def _opened(
    profile: Path | None, die_px: float | None, polarity: Polarity | None, count: int, runtime: Runtime | None
) -> "Iterator[tuple[Callable[[Path], list[Frame]], Callable[[list[Frame]], dict]]]":
    """How a scene is loaded and how it is read."""
    from host_tools.images import load_frame  # noqa: PLC0415
    from tumbler.reader import load_profile  # noqa: PLC0415

    if profile is None:
        assert die_px is not None
        yield lambda path: [load_frame(path)], read_uncalibrated(die_px, polarity, count)
        return
    known = load_profile(str(profile))
    with READERS[runtime or Runtime.MICROPYTHON](profile, count) as read_scene:
        yield (
            lambda path: _load(path, known.width, known.height, known.lamps),
            lambda scene: read_scene([frame.pixels for frame in scene]),
        )


def _load(path: Path, width: int, height: int, lamps: int) -> "list[Frame]":
    from host_tools.images import ImageError, load_frame, load_scene  # noqa: PLC0415

    if path.is_dir() or not path.exists():
        scene = load_scene(path, lamps)
    elif lamps == 1:
        scene = [load_frame(path)]
    else:
        raise ImageError(
            f"{path}: the profile is for {lamps} lamps; give the folder that holds lamp0 and so on"
        )
    if (scene[0].width, scene[0].height) != (width, height):
        size = f"{scene[0].width} x {scene[0].height}"
        raise ImageError(f"{path}: the pictures are {size} pixels, the profile is for {width} x {height}")
    return scene


def _show(path: Path, fields: dict, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"file": str(path), **fields}), flush=True)
    elif fields["verdict"] == "read":
        tilts = ", ".join(f"{die['tilt_deg']}°" for die in fields["dice"])
        print(f"{path}: {' '.join(map(str, fields['faces']))}  (tilts {tilts}; {fields['ms']} ms)")
    else:
        print(f"{path}: refused, {fields['reason']}: {fields['detail']}  ({fields['ms']} ms)")


def _draw(folder: Path, path: Path, scene: "list[Frame]", fields: dict) -> None:
    from host_tools.read.annotate import annotate  # noqa: PLC0415

    name = "-".join(part for part in (path.resolve().parent.name, path.stem) if part)
    annotate(scene, path.name, fields).save(folder / f"{name}.png")


def _stop(message: str) -> NoReturn:
    print(message, file=sys.stderr)
    raise typer.Exit(2)
