"""The readers behind `tumbler read`: the device's on two interpreters, and the host's second one.

Each is a context manager that gives a function from a scene's frames, in the order of the lamps, to the
answer's fields.
"""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

from host_tools.images import Frame

T = TypeVar("T")
ReadScene = Callable[[list[bytes]], dict]

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware"
MICROPYTHON = Path(sys.executable).with_name("micropython")
HEAP = "560k"  # of the 64-bit port: a scene whose platform fills 320 x 240 pixels takes 480 KB
_SERVE = """
import gc, sys, time
gc.threshold(32768)  # else what loading the code leaves behind parts the heap
sys.path.insert(0, {firmware!r})
from tumbler.reader import Reader, load_profile
from tumbler.reader.stdio import serve
reader = Reader(load_profile({profile!r}), {count})
gc.threshold(-1)  # as on the device: collect when memory is used up
serve(reader, sys.stdin.buffer, sys.stdout.write, time.ticks_ms, time.ticks_diff)
"""


class Runtime(StrEnum):
    """Which reader, and where it runs."""

    MICROPYTHON = "micropython"
    CPYTHON = "cpython"
    HOST = "host"


class ReadError(Exception):
    """The runtime cannot read; the message says what to do."""


@contextmanager
def read_on_cpython(profile: Path, count: int) -> Iterator[ReadScene]:
    """The device's reader in this process."""
    from tumbler.reader import Reader, load_profile  # noqa: PLC0415 - only when it is the one that reads
    from tumbler.reader.stdio import answer  # noqa: PLC0415

    reader = Reader(load_profile(str(profile)), count)

    def read_scene(frames: list[bytes]) -> dict:
        reader.begin()
        for lamp, frame in enumerate(frames):
            reader.add(frame, lamp)
        return answer(reader.finish())

    yield _timed(read_scene)


@contextmanager
def read_on_host(profile: Path, count: int) -> Iterator[ReadScene]:
    """The second reader, of another kind than the device's."""
    from host_tools.second_reader import ProfileError, SecondReader, load_profile  # noqa: PLC0415

    try:
        reader = SecondReader(load_profile(profile), count)
    except ProfileError as error:
        raise ReadError(str(error)) from error
    yield _timed(reader.read)


@contextmanager
def read_on_micropython(profile: Path, count: int, firmware: Path = FIRMWARE) -> Iterator[ReadScene]:
    """The device's reader in a MicroPython process with about a board's memory. ReadError if it fails.

    `firmware`: the folder of its source, or of a build's bytecode, which leaves more of the memory.
    """
    if not MICROPYTHON.exists():
        raise ReadError(f"{MICROPYTHON}: MicroPython is not installed here; use --runtime cpython")
    command = [MICROPYTHON, "-X", f"heapsize={HEAP}", "-c", serving(profile, count, firmware)]
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


def serving(profile: Path, count: int, firmware: Path = FIRMWARE) -> str:
    """The MicroPython program that reads scenes from its input: raw frames in, a JSON line a scene out."""
    return _SERVE.format(firmware=str(firmware), profile=str(profile.resolve()), count=count)


def read_uncalibrated(die_px: float, polarity: str | None, count: int) -> Callable[[list[Frame]], dict]:
    """The host's reader of single pictures without a profile. `polarity`: None when it is not known."""
    from host_tools.second_reader.uncalibrated import UncalibratedReader  # noqa: PLC0415

    reader = UncalibratedReader(die_px, polarity, count)
    return _timed(lambda scene: reader.read(scene[0]))


READERS = {
    Runtime.MICROPYTHON: read_on_micropython,
    Runtime.CPYTHON: read_on_cpython,
    Runtime.HOST: read_on_host,
}


def _timed(read: Callable[[T], dict]) -> Callable[[T], dict]:
    """The same with the milliseconds that it took."""

    def read_scene(frames: T) -> dict:
        start = time.perf_counter()
        fields = read(frames)
        return {**fields, "ms": int(1000 * (time.perf_counter() - start))}

    return read_scene
