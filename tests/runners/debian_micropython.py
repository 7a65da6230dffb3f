"""MicroPython for a 32-bit processor from the Debian suite that has it, unpacked and not installed.

apt fetches it, from wherever this machine's apt gets Debian, and verifies it; nothing of the machine's own
configuration or state of packages is changed.
"""

import fcntl
import os
import platform
import shutil
import subprocess
import tempfile
from pathlib import Path

KEPT = Path(__file__).resolve().parents[2] / "build/micropython"
KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
SUITE = "trixie"
# Processors that run the program themselves, and the emulators that do.
NATIVE = {"i386": ("x86_64", "i686", "AMD64"), "armhf": ("armv7l",)}
EMULATORS = {"i386": ("qemu-i386", "qemu-i386-static"), "armhf": ("qemu-arm", "qemu-arm-static")}
_PATIENCE_S = 240


class NotFetched(Exception):
    """There is no such MicroPython here; the message says why."""


def micropython(processor: str) -> list[str]:
    """The command of the MicroPython for `processor`, a Debian architecture; fetched once and kept."""
    emulator = _emulator(processor)
    folder = KEPT / processor
    KEPT.mkdir(parents=True, exist_ok=True)
    with (KEPT / f"{processor}.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)  # several test processes may want it at once
        if not folder.is_dir():
            _fetch(processor, folder)
    (loader,) = (folder / "usr/lib").glob("*-linux-gnu*/ld-linux*.so.*")
    return [*emulator, str(loader), "--library-path", str(loader.parent), str(folder / "usr/bin/micropython")]


def _emulator(processor: str) -> list[str]:
    if platform.machine() in NATIVE[processor]:
        return []
    for name in EMULATORS[processor]:
        if shutil.which(name):
            return [name]
    raise NotFetched(f"{platform.machine()} does not run {processor}: install {EMULATORS[processor][0]}")


def _fetch(processor: str, folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=KEPT) as made:
        scratch = Path(made)
        options = _configure(processor, scratch)
        _run("apt-get", *options, "update", "-qq")
        _run(
            "apt-get",
            *options,
            "install",
            "-qq",
            "--yes",
            "--no-install-recommends",
            "--download-only",
            "micropython",
        )
        unpacked = scratch / "unpacked"
        for package in (scratch / "cache/archives").glob("*.deb"):
            _run("dpkg-deb", "--extract", os.fspath(package), os.fspath(unpacked))
        unpacked.rename(folder)


def _configure(processor: str, scratch: Path) -> list[str]:
    """Options of apt for a machine of that processor with nothing installed, kept in a scratch folder."""
    if not KEYRING.exists():
        raise NotFetched("Debian's keys are not installed: install debian-archive-keyring")
    for name in ("lists/partial", "cache/archives/partial"):
        (scratch / name).mkdir(parents=True)
    (scratch / "status").touch()
    lines = [f"deb [signed-by={KEYRING}] {place} {SUITE} main\n" for place in _repositories()]
    (scratch / "sources.list").write_text("".join(lines))
    settings = {
        "APT::Architecture": processor,
        "APT::Architectures": processor,
        "APT::Sandbox::User": "",
        "Acquire::Languages": "none",
        "Dir::Cache": scratch / "cache",
        "Dir::Etc::SourceList": scratch / "sources.list",
        "Dir::Etc::SourceParts": "-",
        "Dir::State::Lists": scratch / "lists",
        "Dir::State::Status": scratch / "status",
    }
    return [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]


def _repositories() -> list[str]:
    """Where this machine's apt gets Debian's packages."""
    places = set(_run("apt-get", "indextargets", "--format", "$(REPO_URI)").split())
    debian = sorted(place for place in places if place.rstrip("/").endswith("/debian"))
    if not debian:
        raise NotFetched("apt is not set up for Debian's packages here")
    return debian


def _run(*command: str) -> str:
    try:
        return subprocess.run(
            command,
            capture_output=True,
            text=True,
            check=True,
            timeout=_PATIENCE_S,
            env={**os.environ, "LC_ALL": "C"},
        ).stdout
    except FileNotFoundError:
        raise NotFetched(f"{command[0]} is not installed") from None
    except subprocess.TimeoutExpired:
        raise NotFetched(f"{command[0]} took longer than {_PATIENCE_S} s") from None
    except subprocess.CalledProcessError as error:
        raise NotFetched(f"{command[0]}: {error.stderr.strip() or error.stdout.strip()}") from None
