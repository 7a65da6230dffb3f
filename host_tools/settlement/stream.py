"""Wagers as JSON lines: each line is answered in order, a bad one with the reason, in constant memory."""

import codecs
import json
import sqlite3
from collections.abc import Iterator
from typing import Any, BinaryIO, NamedTuple

from host_tools.settlement.settling import DUPLICATE, Judge, Result, refused
from host_tools.settlement.table import Wager, is_id

LONGEST_LINE = 64 * 1024
"""In bytes, so that input without line ends cannot fill the memory."""

_KEYS = frozenset(Wager._fields)


class Answer(NamedTuple):
    """The result for one line; not `readable` means that the line was no JSON object at all."""

    result: Result
    readable: bool = True


class _UnreadableError(ValueError):
    """The line is no JSON object; the message says why."""


class _MalformedError(ValueError):
    """The line is a JSON object, but no wager; the message says why.

    `wager` has what can be shown of it, `identity` the id if it has one: no later wager may have it again.
    """

    def __init__(self, found: dict[str, Any]) -> None:
        self.wager = Wager(*(_shown(found.get(key, "")) for key in Wager._fields))
        self.identity: str | None = found.get("id") if is_id(found.get("id")) else None
        super().__init__(_what_is_wrong(found))


class _SeenIds:
    """The ids a stream has had. They go to a private temporary file, so a million take little memory."""

    def __init__(self) -> None:
        self._database = sqlite3.connect("", isolation_level=None)
        for setting in ("journal_mode = OFF", "synchronous = OFF", "cache_size = -8000"):
            self._database.execute(f"PRAGMA {setting}")
        self._database.execute("CREATE TABLE seen (id BLOB PRIMARY KEY) WITHOUT ROWID")
        self._database.execute("BEGIN")

    def add(self, identity: str) -> bool:
        """Remember an id; False if it was there already."""
        # As bytes, because SQLite would compare texts only up to a zero character.
        key = identity.encode("utf-8")
        return self._database.execute("INSERT OR IGNORE INTO seen VALUES (?)", (key,)).rowcount == 1

    def close(self) -> None:
        self._database.close()


def settle_lines(judge: Judge, source: BinaryIO) -> Iterator[Answer]:
    """Settle lines `{"id","wager","stake"}`: one answer a line, in order, whatever the line holds.

    An unreadable line's result is refused, has empty fields and a reason that begins with the line's number.
    """
    seen = _SeenIds()
    try:
        for number, line in enumerate(_lines(source), 1):
            try:
                wager = _wager(line)
            except _UnreadableError as error:
                nothing = Wager("", "", "")
                yield Answer(refused(judge.table, nothing, f"line {number}: {error}"), readable=False)
            except _MalformedError as error:
                if error.identity is not None:
                    seen.add(error.identity)
                yield Answer(refused(judge.table, error.wager, f"malformed: {error}"))
            else:
                fresh = not is_id(wager.id) or seen.add(wager.id)
                yield Answer(judge.settle(wager) if fresh else refused(judge.table, wager, DUPLICATE))
    finally:
        seen.close()


def _lines(source: BinaryIO) -> Iterator[bytes]:
    """The lines of a stream; of one that is too long only its beginning, one byte more than is allowed."""
    while line := source.readline(LONGEST_LINE + 1):
        rest = line
        while len(rest) > LONGEST_LINE and not rest.endswith(b"\n"):
            rest = source.readline(LONGEST_LINE + 1)
        yield line


def _wager(line: bytes) -> Wager:
    if len(line) > LONGEST_LINE:
        raise _UnreadableError(f"longer than {LONGEST_LINE} bytes")
    if line.startswith(codecs.BOM_UTF8):
        raise _UnreadableError("begins with a byte order mark; write UTF-8 without it")
    try:
        found = _DECODER.decode(line.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise _UnreadableError("not UTF-8") from error
    except RecursionError as error:
        raise _UnreadableError("not JSON: nested too deeply") from error
    except json.JSONDecodeError as error:
        raise _UnreadableError(f"not JSON: {error.msg} at column {error.colno}") from error
    except ValueError as error:
        raise _UnreadableError(f"not JSON: {error}") from error
    if type(found) is not dict:
        raise _UnreadableError('not a JSON object such as {"id": "1", "wager": "small", "stake": "10"}')
    if found.keys() != _KEYS or not all(type(value) is str for value in found.values()):
        raise _MalformedError(found)
    return Wager(found["id"], found["wager"], found["stake"])


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is given twice")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_object)


def _what_is_wrong(found: dict[str, Any]) -> str:
    """Every fault of an object's keys and of its values' types."""
    faults = [f"{key} is missing" for key in Wager._fields if key not in found]
    faults += [f"{_shown(key)} is not a key of a wager" for key in found if key not in _KEYS]
    faults += [
        f"{key} must be text in quotes"
        for key in Wager._fields
        if key in found and type(found[key]) is not str
    ]
    return "; ".join(faults)


def _shown(value: Any) -> str:
    """A value as text, cut to what a person reads."""
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= 200 else text[:200] + "..."
