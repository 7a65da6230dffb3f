"""A long run that may be stopped at any moment, kill -9 included, and goes on where it was.

Its folder holds what was asked for, and a file with a JSON line a result, in order: whatever is there is a
sound beginning of the whole.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from host_tools.twin.errors import TwinError

ASKED = "run.json"


class FolderUnusable(TwinError):
    """Results cannot be kept in the folder; the message says why."""


class Run:
    """A run in `folder`, a context manager. `asked`: what decides its results, as JSON.

    `done`: how many results are there. Raises FolderUnusable when the folder cannot be written, or holds
    something else.
    """

    def __init__(self, folder: Path, asked: dict[str, Any], results: str) -> None:
        self.folder = folder
        self._path = folder / results
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._agree(json.loads(json.dumps(asked)))
            self.done = self._keep_whole_lines()
            self._file = self._path.open("ab")
        except OSError as error:
            raise FolderUnusable(
                f"{folder}: cannot be written ({error.strerror}); choose another folder"
            ) from error

    def _agree(self, asked: dict[str, Any]) -> None:
        path = self.folder / ASKED
        beside = path.with_suffix(".new")
        if not path.exists():
            if any(there != beside for there in self.folder.iterdir()):
                raise FolderUnusable(f"{self.folder}: holds other files; choose a new or empty folder")
            beside.write_text(json.dumps(asked, indent=1) + "\n")
            beside.replace(path)
        elif (there := _read(path)) != asked:
            different = sorted(key for key in asked | there if asked.get(key) != there.get(key))
            raise FolderUnusable(
                f"{self.folder}: was begun with another {', '.join(different)}; choose a new folder, or"
                f" ask for the same again to go on"
            )

    def _keep_whole_lines(self) -> int:
        """Cut off a line that was not finished; returns how many there are."""
        if not self._path.exists():
            return 0
        content = self._path.read_bytes()
        whole = content.rfind(b"\n") + 1
        os.truncate(self._path, whole)
        return content.count(b"\n", 0, whole)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def add(self, result: dict[str, Any]) -> None:
        """Keep the next result."""
        self._file.write(json.dumps(result).encode() + b"\n")
        self._file.flush()
        self.done += 1

    def results(self) -> Iterator[dict[str, Any]]:
        """All results so far, in order."""
        with self._path.open("rb") as file:
            yield from map(json.loads, file)


def _read(path: Path) -> dict[str, Any]:
    try:
        there = json.loads(path.read_bytes())
    except ValueError as error:
        raise FolderUnusable(f"{path}: is damaged ({error}); remove the folder and start again") from error
    return there if isinstance(there, dict) else {}
