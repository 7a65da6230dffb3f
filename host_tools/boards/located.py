"""JSON with the line of every value, so that a message about a board file can say where the fault stands."""

import re
from bisect import bisect_right
from collections.abc import Iterator
from json.decoder import JSONDecodeError, scanstring  # pyright: ignore[reportAttributeAccessIssue]
from typing import Any

_DEEPEST = 32
_SPACE = re.compile(r"[ \t\n\r]*")
_NUMBER = r"-?(?:0|[1-9]\d{0,17})(?:\.\d{1,17})?"
_SCALAR = re.compile(rf"(?:{_NUMBER}|true|false|null)(?![\w.+-])", re.ASCII)
_SURROGATE = re.compile("[\ud800-\udfff]")
_WORDS = {"true": True, "false": False, "null": None}


class NotJson(ValueError):
    """The text is not the JSON that a board file may hold; `line` is where."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line


class Located:
    """A JSON value. `value`: as json.loads gives it; `line`: of its key, or of itself where it has none;
    `members` (an object's, by name) and `items` (an array's): Located values."""

    def __init__(self, value: Any, line: int) -> None:
        self.value = value
        self.line = line
        self.members: dict[str, Located] = {}
        self.items: list[Located] = []

    def get(self, *names: str) -> "Located | None":
        """The value below by member names, or None where one is missing."""
        found: Located | None = self
        for name in names:
            found = found.members.get(name) if found else None
        return found


def parse(text: str) -> Located:
    """Read one JSON value. NotJson also for what json.loads lets pass: a name twice, half a surrogate pair,
    NaN, numbers with an exponent or of more than 18 digits."""
    reader = _Reader(text)
    found, at = reader.value(reader.skip(0), 0, None)
    if reader.skip(at) != len(text):
        raise reader.fault(reader.skip(at), "something follows the end of the object")
    return found


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0] + [i + 1 for i, character in enumerate(text) if character == "\n"]

    def line(self, at: int) -> int:
        return bisect_right(self._starts, at)

    def fault(self, at: int, reason: str) -> NotJson:
        return NotJson(self.line(at), reason)

    def skip(self, at: int) -> int:
        space = _SPACE.match(self.text, at)
        return space.end() if space else at

    def value(self, at: int, depth: int, line: int | None) -> tuple[Located, int]:
        if depth > _DEEPEST:
            raise self.fault(at, f"nested more than {_DEEPEST} deep")
        line = self.line(at) if line is None else line
        first = self.text[at : at + 1]
        if first == "{":
            return self._object(at, depth, line)
        if first == "[":
            return self._array(at, depth, line)
        if first == '"':
            text, end = self._string(at)
            return Located(text, line), end
        scalar = _SCALAR.match(self.text, at)
        if not scalar:
            raise self.fault(at, "a value is missing or not valid here")
        return Located(_plain(scalar[0]), line), scalar.end()

    def _object(self, at: int, depth: int, line: int) -> tuple[Located, int]:
        made = Located({}, line)
        for start in self._elements(at, "}"):
            name, key_line, after = self._name(start)
            if name in made.members:
                raise NotJson(key_line, f"the name {name!r} is in line {made.members[name].line} too")
            member, self._at = self.value(after, depth + 1, key_line)
            made.members[name] = member
            made.value[name] = member.value
        return made, self._at

    def _array(self, at: int, depth: int, line: int) -> tuple[Located, int]:
        made = Located([], line)
        for start in self._elements(at, "]"):
            item, self._at = self.value(start, depth + 1, None)
            made.items.append(item)
            made.value.append(item.value)
        return made, self._at

    def _elements(self, at: int, closing: str) -> Iterator[int]:
        """Where each element starts. The caller leaves its end in `_at`, where at last the end of all is."""
        self._at = self.skip(at + 1)
        if self.text[self._at : self._at + 1] != closing:
            while True:
                yield self._at
                self._at = self.skip(self._at)
                if self.text[self._at : self._at + 1] != ",":
                    break
                self._at = self.skip(self._at + 1)
        if self.text[self._at : self._at + 1] != closing:
            raise self.fault(self._at, f'"," or "{closing}" is missing')
        self._at += 1

    def _name(self, at: int) -> tuple[str, int, int]:
        if self.text[at : at + 1] != '"':
            raise self.fault(at, "a name in quotes is missing")
        name, end = self._string(at)
        colon = self.skip(end)
        if self.text[colon : colon + 1] != ":":
            raise self.fault(colon, f'":" is missing after {name!r}')
        return name, self.line(at), self.skip(colon + 1)

    def _string(self, at: int) -> tuple[str, int]:
        try:
            text, end = scanstring(self.text, at + 1, True)
        except JSONDecodeError as error:
            raise self.fault(min(error.pos, len(self.text)), f"the text is not valid: {error.msg}") from None
        if _SURROGATE.search(text):
            raise self.fault(at, "the text is not valid: half of a surrogate pair")
        return text, end


def _plain(scalar: str) -> Any:
    if scalar in _WORDS:
        return _WORDS[scalar]
    return float(scalar) if "." in scalar else int(scalar)
