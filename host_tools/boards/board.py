"""Loading a board: its two files, checked completely, as one object for every command that needs one."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from host_tools.boards import check, device_check, schema
from host_tools.boards.errors import BoardFileError, Fault, UnknownBoard
from host_tools.boards.located import Located, NotJson, parse
from host_tools.boards.shapes import Finding

ROOT = Path(__file__).resolve().parents[2]
BOARDS = ROOT / "boards"
PROFILES = ROOT / "firmware" / "profiles"
_LARGEST = 64 * 1024


@dataclass(frozen=True)
class Board:
    """A board whose files are sound. `raw`: the bytes of board.json, which go to the device as they are;
    `settings` and `hardware`: the content of board.json and hardware.json."""

    name: str
    folder: Path
    raw: bytes
    settings: dict[str, Any]
    hardware: dict[str, Any]
    uses: tuple[check.Use, ...]

    @property
    def title(self) -> str:
        return self.hardware["title"]

    @property
    def port(self) -> str:
        """MicroPython's port: rp2, esp32, openmv, unix; or blinka."""
        return self.hardware["port"]

    @property
    def mpy_arch(self) -> str | None:
        """What mpy-cross calls the architecture; None: only bytecode runs everywhere on it."""
        return self.hardware["mpy_arch"]

    @property
    def minimum(self) -> tuple[int, ...] | None:
        """The oldest MicroPython that fits, as numbers; None where the board has none."""
        fits = self.hardware["micropython"]
        return tuple(int(part) for part in fits["minimum"].split(".")) if fits else None

    @property
    def board_ids(self) -> tuple[str, ...]:
        """How sys.implementation._machine begins on this board."""
        fits = self.hardware["micropython"]
        return tuple(fits["board_ids"]) if fits else ()

    def is_machine(self, machine: str) -> bool:
        """Whether a device whose sys.implementation._machine is `machine` is such a board."""
        return machine.startswith(self.board_ids)

    @property
    def usb_ids(self) -> tuple[tuple[int, int], ...]:
        """(vendor, product) of the serial port that the board shows."""
        usb = self.hardware["usb"]
        return tuple((int(each[:4], 16), int(each[5:], 16)) for each in usb["ids"]) if usb else ()

    @cached_property
    def profile(self) -> Path | None:
        """The reader's profile; None with a smart sensor."""
        name = self.settings["profile"]
        return PROFILES / name if name else None


def known_boards() -> list[str]:
    """The names of the boards that this project ships."""
    return sorted(path.parent.name for path in BOARDS.glob("*/board.json"))


def load_board(name_or_path: str | Path) -> Board:
    """The board of that name, or of that folder or board.json file with its hardware.json beside it.

    Raises BoardFileError with every fault of both files, UnknownBoard when there is nothing to load.
    """
    folder, file = _find(name_or_path)
    beside = folder / "hardware.json"
    faults: list[Fault] = []
    raw, board = _read(file, faults)
    _, hardware = _read(beside, faults)
    if hardware is not None:
        faults += [_fault(beside, finding) for finding in schema.HARDWARE.faults(hardware, "")]
    if board is not None:
        findings = _board_findings(board, hardware or Located({}, 0), raw)
        faults += [_fault(file, finding) for finding in findings]
    if board is not None and hardware is not None:
        faults += [_fault(beside, finding) for finding in check.hardware_findings(board, hardware)]
    if board is None or hardware is None or faults:
        raise BoardFileError(faults)
    return Board(folder.resolve().name, folder, raw, board.value, hardware.value, tuple(check.uses(board)))


def _find(name_or_path: str | Path) -> tuple[Path, Path]:
    """The folder and the board.json file."""
    shipped = BOARDS / name_or_path
    path = shipped if str(name_or_path) in known_boards() else Path(name_or_path)
    try:
        if path.is_dir():
            return path, path / "board.json"
        if path.is_file():
            return path.parent, path
    except (OSError, ValueError):  # a name that no file system takes
        pass
    known = ", ".join(known_boards())
    text = f"there is no such board, folder or file; the boards known are {known}"
    raise UnknownBoard([Fault(path, 0, "", text)])


def _read(file: Path, faults: list[Fault]) -> tuple[bytes, Located | None]:
    """The bytes and the content of a file; None, and why in `faults`, when it cannot be read at all."""
    try:
        with file.open("rb") as opened:
            raw = opened.read(_LARGEST + 1)
    except FileNotFoundError:
        faults.append(Fault(file, 0, "", "is missing: copy that of a board like it from boards/"))
        return b"", None
    except OSError as error:
        faults.append(Fault(file, 0, "", f"cannot be read: {error.strerror}"))
        return b"", None
    try:
        if len(raw) > _LARGEST:
            raise NotJson(1, f"more than {_LARGEST} bytes, which no board file is")
        return raw, parse(raw.decode())
    except UnicodeDecodeError as error:
        faults.append(Fault(file, raw[: error.start].count(b"\n") + 1, "", "is not UTF-8"))
    except NotJson as error:
        faults.append(Fault(file, error.line, "", f"is not valid JSON: {error}"))
    return raw, None


def _board_findings(board: Located, hardware: Located, raw: bytes) -> list[Finding]:
    """What the host and the device have against a board.json; where both do, the host says it better."""
    found = list(check.board_findings(board, hardware, PROFILES))
    told = {where.partition("[")[0] for _, where, _ in found}
    device = device_check.findings(board, raw)
    return found + [finding for finding in device if finding[1].partition("[")[0] not in told]


def _fault(file: Path, finding: Finding) -> Fault:
    """The finding in its file; what does not print in one line is written as Python writes it."""
    line, where, text = finding
    return Fault(file, line, _printable(where), _printable(text))


def _printable(text: str) -> str:
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)
