"""A section of a configuration, read key by key; whatever is wrong becomes a finding with its place."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any


class Section:
    """A table of TOML at `place`. A value of the wrong kind is told in `findings` and its default taken."""

    def __init__(self, place: str, content: Any, folder: Path, findings: list[str]) -> None:
        self.folder = folder
        self._place = place
        self._content = content if isinstance(content, dict) else {}
        self._findings = findings
        self._read: set[str] = set()
        if not isinstance(content, dict):
            findings.append(f"{place}: must be a table")

    def find(self, key: str, what: str) -> None:
        """Tell what is wrong with a key."""
        self._findings.append(f"{self._name(key)}: {what}")

    def done(self) -> None:
        """Everything was read: what is left over is none of ours, perhaps a misspelt key."""
        for key in self._content:
            if key not in self._read:
                self.find(key, f"is no key here; there are {', '.join(sorted(self._read))}")

    def section(self, key: str) -> "Section":
        """A table inside; empty when there is none."""
        return Section(self._name(key), self._take(key, {}), self.folder, self._findings)

    def sections(self, key: str) -> list["Section"]:
        """An array of tables inside."""
        content = self._take(key, [])
        if not isinstance(content, list):
            self.find(key, f"must be an array of tables: [[{key}]]")
            return []
        return [
            Section(f"{self._name(key)}[{number}]", each, self.folder, self._findings)
            for number, each in enumerate(content, start=1)
        ]

    def text(self, key: str, default: str) -> str:
        """A text."""
        return self._of(key, str, default, "text")

    def texts(self, key: str) -> tuple[str, ...]:
        """A list of texts; empty when there is none."""
        found = self._of(key, list, [], "a list of texts")
        if not all(isinstance(each, str) for each in found):
            self.find(key, "must be a list of texts")
            return ()
        return tuple(found)

    def flag(self, key: str) -> bool:
        """true or false; false when there is none."""
        return self._of(key, bool, False, "true or false")

    def whole(self, key: str, default: int, lowest: int, highest: int) -> int:
        """A whole number within bounds."""
        found = self._of(key, int, default, "a whole number")
        return self._within(key, found, default, lowest, highest)

    def number(self, key: str, default: float, lowest: float, highest: float) -> float:
        """A number within bounds."""
        found = self._of(key, (int, float), default, "a number")
        return float(self._within(key, found, default, lowest, highest))

    def choice(self, key: str, words: Sequence[str]) -> str:
        """One of some words, by default the first."""
        found = self.text(key, words[0])
        if found not in words:
            self.find(key, f"must be {' or '.join(words)}, not {found!r}")
            return words[0]
        return found

    def path(self, key: str, *, exists: bool = False) -> Path | None:
        """A path relative to the configuration's folder; None when there is none."""
        found = self.text(key, "")
        if not found:
            return None
        path = self.folder / found
        if exists and not path.exists():
            self.find(key, f"there is no {path}")
        return path

    def _name(self, key: str) -> str:
        return f"{self._place}.{key}" if self._place else key

    def _take(self, key: str, default: Any) -> Any:
        self._read.add(key)
        return self._content.get(key, default)

    def _of(self, key: str, kind: Any, default: Any, what: str) -> Any:
        found = self._take(key, default)
        if not isinstance(found, kind) or (isinstance(found, bool) and kind is not bool):
            self.find(key, f"must be {what}, not {found!r}")
            return default
        return found

    def _within(self, key: str, found: Any, default: Any, lowest: Any, highest: Any) -> Any:
        if not lowest <= found <= highest:
            self.find(key, f"must be from {lowest} to {highest}, not {found}")
            return default
        return found
