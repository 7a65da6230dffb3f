"""The device's own check of board.json (tumbler.config), its sentences given the lines that they speak of."""

import re
from collections.abc import Iterator
from difflib import get_close_matches

from host_tools.boards.located import Located
from host_tools.boards.shapes import Finding
from tumbler import config

_SENTENCE = re.compile(r"(?:(unknown|missing) key )?((?:[\w-]+)(?:\.[\w-]+|\[\d+\])*):? ?(.*)", re.DOTALL)


def findings(board: Located, raw: bytes) -> Iterator[Finding]:
    """What the device refuses of the content `raw` of a board.json, which is `board`."""
    try:
        config.parse(raw)
    except config.ConfigError as error:
        sentences = str(error).partition(": ")[2].split("; ")
        missing = [sentence[12:] for sentence in sentences if sentence.startswith("missing key ")]
        for sentence in sentences:
            yield _found(board, sentence, missing)


def _found(board: Located, sentence: str, missing: list[str]) -> Finding:
    """The sentence as a finding; what of it names a key that has a line of its own is told by that line."""
    understood = _SENTENCE.fullmatch(sentence)
    if not understood:
        return board.line, "", sentence
    kind, path, text = understood.groups()
    if kind == "unknown":
        close = get_close_matches(path, missing, 1)
        text = "is not known: " + (f"is {close[0].rpartition('.')[2]} meant?" if close else "remove it")
    elif kind == "missing":
        text = "is missing"
    return _line(board, path), path, text


def _line(board: Located, path: str) -> int:
    """The line of the value at the path, or of what there is of the way to it."""
    found = board
    for name, index in re.findall(r"([\w-]+)|\[(\d+)\]", path):
        if name and name in found.members:
            found = found.members[name]
        elif index and int(index) < len(found.items):
            found = found.items[int(index)]
        else:
            break
    return found.line
