"""`tumbler read FRAME...`: reads dice from picture files with the firmware's reader, on a chosen runtime."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware"
MICROPYTHON = Path(sys.executable).with_name("micropython")
HEAP = "480k"  # of the 64-bit port, whose objects are twice as large as a Pico's
_SERVE = """
import gc, sys, time
gc.threshold(32768)  # else what the compiler leaves behind parts the heap
sys.path.insert(0, {firmware!r})
from tumbler.reader import Reader, load_profile
from tumbler.reader.stdio import serve
reader = Reader(load_profile({profile!r}), {count})
serve(reader, sys.stdin.buffer, sys.stdout.write, time.ticks_ms, time.ticks_diff)
"""


class Runtime(StrEnum):
    """Where the reader runs."""

    MICROPYTHON = "micropython"
    CPYTHON = "cpython"


class ReadError(Exception):
    """The runtime cannot read; the message says what to do."""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("read")(read)


def read(
    frames: Annotated[
        list[Path], typer.Argument(help="Folders with lamp0 to lamp3 (.png or .pgm), one scene each.")
    ],
    profile: Annotated[Path, typer.Option(help="The camera's and dice's profile, a JSON file.")],
    count: Annotated[int, typer.Option(min=1, max=9, help="How many dice must lie there.")] = 3,
    runtime: Annotated[Runtime, typer.Option(help="Interpreter that reads.")] = Runtime.MICROPYTHON,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a scene, nothing else.")] = False,
) -> None:
    """Read the dice in picture files; a reading that is not certain is refused, never guessed."""
    from host_tools.images import ImageError  # noqa: PLC0415 - commands import their machinery when called
    from tumbler.reader import ProfileError, load_profile  # noqa: PLC0415

    try:
        size = load_profile(str(profile))
        with READERS[runtime](profile, count) as read_scene:
            for path in frames:
                pixels = _load(path, size.width, size.height)
                _show(path, read_scene(pixels), as_json)
    except (ImageError, ProfileError, ReadError) as error:
        _stop(str(error))
    except OSError as error:
        _stop(f"{error.filename}: {error.strerror}")


def _load(path: Path, width: int, height: int) -> list[bytes]:
    from host_tools.images import ImageError, load_scene  # noqa: PLC0415

    if path.exists() and not path.is_dir():
        raise ImageError(f"{path}: the profile is for four lamps; give the folder that holds lamp0 to lamp3")
    scene = load_scene(path)
    if (scene[0].width, scene[0].height) != (width, height):
        size = f"{scene[0].width} x {scene[0].height}"
        raise ImageError(f"{path}: the pictures are {size} pixels, the profile is for {width} x {height}")
    return [frame.pixels for frame in scene]


@contextmanager
def read_on_cpython(profile: Path, count: int) -> Iterator[Callable[[list[bytes]], dict]]:
    """A function from a scene's frames to the answer's fields, in this process."""
    from tumbler.reader import Reader, load_profile  # noqa: PLC0415
    from tumbler.reader.stdio import answer  # noqa: PLC0415

    reader = Reader(load_profile(str(profile)), count)

    def read_scene(frames: list[bytes]) -> dict:
        start = time.perf_counter()
        reader.begin()
        for lamp, frame in enumerate(frames):
            reader.add(frame, lamp)
        fields = answer(reader.finish())
        fields["ms"] = int(1000 * (time.perf_counter() - start))
        return fields

    yield read_scene


@contextmanager
def read_on_micropython(profile: Path, count: int) -> Iterator[Callable[[list[bytes]], dict]]:
    """The same in one MicroPython process, with about the memory of a board. ReadError when it fails."""
    if not MICROPYTHON.exists():
        raise ReadError(f"{MICROPYTHON}: MicroPython is not installed here; use --runtime cpython")
    script = _SERVE.format(firmware=str(FIRMWARE), profile=str(profile.resolve()), count=count)
    command = [MICROPYTHON, "-X", f"heapsize={HEAP}", "-c", script]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    stdin, stdout = process.stdin, process.stdout

    def read_scene(frames: list[bytes]) -> dict:
        with suppress(BrokenPipeError):  # why it ended is what it wrote last
            for frame in frames:
                stdin.write(frame)
            stdin.flush()
        line = stdout.readline()
        if not line.startswith(b"{"):
            trace = (line + stdout.read()).decode(errors="replace").strip()
            raise ReadError(f"the reader failed on MicroPython: {trace or 'no message'}")
        return json.loads(line)

    try:
        yield read_scene
    finally:
        with suppress(BrokenPipeError):
            stdin.close()
        stdout.close()
        process.wait(timeout=10)


READERS = {Runtime.MICROPYTHON: read_on_micropython, Runtime.CPYTHON: read_on_cpython}


def _show(path: Path, fields: dict, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"file": str(path), **fields}), flush=True)
    elif fields["verdict"] == "read":
        tilts = ", ".join(f"{die['tilt_deg']}°" for die in fields["dice"])
        print(f"{path}: {' '.join(map(str, fields['faces']))}  (tilts {tilts}; {fields['ms']} ms)")
    else:
        print(f"{path}: refused, {fields['reason']}: {fields['detail']}  ({fields['ms']} ms)")


def _stop(message: str) -> None:
    print(message, file=sys.stderr)
    raise typer.Exit(2)
