"""The shapes that values of a hardware.json can have: each finds every fault and says what would fit."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from typing import Protocol

from host_tools.boards.located import Located

# (line, path of the key, what is wrong with it)
Finding = tuple[int, str, str]


class Shape(Protocol):
    """`faults` finds every fault of the value `found`, whose key has the path `where`."""

    def faults(self, found: Located, where: str) -> Iterator[Finding]: ...


@dataclass(frozen=True)
class Whole:
    """A whole number within bounds, both included."""

    least: int
    most: int

    def faults(self, found: Located, where: str) -> Iterator[Finding]:
        if type(found.value) is not int:
            yield found.line, where, f"{found.value!r} is not a whole number"
        elif not self.least <= found.value <= self.most:
            yield found.line, where, f"{found.value} is not within {self.least}..{self.most}"


@dataclass(frozen=True)
class Choice:
    """One of a few values."""

    values: tuple[str | int, ...]

    def faults(self, found: Located, where: str) -> Iterator[Finding]:
        if isinstance(found.value, bool | list | dict) or found.value not in self.values:
            known = ", ".join(str(value) for value in self.values)
            yield found.line, where, f"{found.value!r} is not one of {known}"


@dataclass(frozen=True)
class Text:
    """A text that is not empty and matches `pattern` as a whole; `what` names it in messages."""

    pattern: str = r"[^\x00-\x1f]{1,400}"
    what: str = "a text of one line"

    def faults(self, found: Located, where: str) -> Iterator[Finding]:
        if not isinstance(found.value, str) or not re.fullmatch(self.pattern, found.value):
            yield found.line, where, f"{found.value!r} is not {self.what}"


@dataclass(frozen=True)
class Flag:
    """true or false."""

    def faults(self, found: Located, where: str) -> Iterator[Finding]:
        if not isinstance(found.value, bool):
            yield found.line, where, f"{found.value!r} is not true or false"


@dataclass(frozen=True)
class Nullable:
    """The shape, or null."""

    shape: Shape

    def faults(self, found: Located, where: str) -> Iterator[Finding]:
        if found.value is not None:
            yield from self.shape.faults(found, where)


@dataclass(frozen=True)
class ListOf:
    """An array of `least` to `most` values of one shape."""

    shape: Shape
    least: int = 0
    most: int = 100

    def faults(self, found: Located, where: str) -> Iterator[Finding]:
        if not isinstance(found.value, list):
            yield found.line, where, f"{found.value!r} is not a list"
            return
        if not self.least <= len(found.items) <= self.most:
            yield found.line, where, f"has {len(found.items)} values, not {self.least}..{self.most}"
        for index, item in enumerate(found.items):
            yield from self.shape.faults(item, f"{where}[{index}]")


@dataclass(frozen=True)
class Table:
    """An object with the `required` and perhaps the `optional` members, and no others."""

    required: Mapping[str, Shape] = field(default_factory=dict)
    optional: Mapping[str, Shape] = field(default_factory=dict)

    def faults(self, found: Located, where: str) -> Iterator[Finding]:
        if not isinstance(found.value, dict):
            yield found.line, where, f"{found.value!r} is not an object"
            return
        known = {**self.optional, **self.required}
        for name in self.required:
            if name not in found.members:
                yield found.line, _join(where, name), "is missing"
        for name, member in found.members.items():
            if name in known:
                yield from known[name].faults(member, _join(where, name))
            else:
                yield member.line, _join(where, name), f"is not known{_meant(name, known)}"


@dataclass(frozen=True)
class Named:
    """An object whose members have one shape and names that match `pattern`."""

    shape: Shape
    pattern: str
    what: str

    def faults(self, found: Located, where: str) -> Iterator[Finding]:
        if not isinstance(found.value, dict):
            yield found.line, where, f"{found.value!r} is not an object"
            return
        for name, member in found.members.items():
            if not re.fullmatch(self.pattern, name):
                yield member.line, _join(where, name), f"is not {self.what}"
            yield from self.shape.faults(member, _join(where, name))


def _join(where: str, name: str) -> str:
    """The path of a member; a name that would not do in a message is shown as Python writes it."""
    shown = name if name.isprintable() and name and len(name) <= 60 else repr(name[:60])
    return f"{where}.{shown}" if where else shown


def _meant(name: str, known: Mapping[str, Shape]) -> str:
    close = get_close_matches(name, known, 1)
    return f": is {close[0]} meant?" if close else f"; known are {', '.join(known)}"
