"""What can be wrong with a board's files: every fault at once, each with its file and line."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Fault:
    """One fault. `line`: from 1, 0 for a file that cannot be read; `where`: the key's path, "" for the whole
    file; `text`: what is wrong and what to do."""

    file: Path
    line: int
    where: str
    text: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}: " if self.line else f"{self.file}: "
        return place + (f"{self.where}: {self.text}" if self.where else self.text)


class BoardFileError(Exception):
    """A board's files cannot be used. `faults`: all of them, in order of file and line."""

    def __init__(self, faults: list[Fault]) -> None:
        self.faults = sorted(faults, key=lambda fault: (str(fault.file), fault.line, fault.where, fault.text))
        super().__init__("\n".join(str(fault) for fault in self.faults))


class UnknownBoard(BoardFileError):
    """There is no board of that name and no file or folder of that path."""
