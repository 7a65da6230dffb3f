"""The published game rules as data: one TOML file a document, read and checked completely."""

from functools import cache
from pathlib import Path

from host_tools.rulebooks.model import (
    CARD_FACTS,
    DICE_FACTS,
    HOST_FACTS,
    TERMINAL_FACTS,
    Layout,
    Limits,
    Offer,
    Rulebook,
    Ruling,
    UnknownFactError,
    UnknownLayoutError,
    UnknownLimitsError,
)
from host_tools.rulebooks.reading import Fault, RulebookError, read_rulebook
from host_tools.rulebooks.wagers import MalformedWagerError, parse_wager

__all__ = [
    "CARD_FACTS",
    "DICE_FACTS",
    "HOST_FACTS",
    "TERMINAL_FACTS",
    "Fault",
    "Layout",
    "Limits",
    "MalformedWagerError",
    "Offer",
    "Rulebook",
    "RulebookError",
    "Ruling",
    "UnknownFactError",
    "UnknownLayoutError",
    "UnknownLimitsError",
    "UnknownRulebookError",
    "list_rulebooks",
    "load_rulebook",
    "parse_wager",
    "read_rulebook",
]

DATA = Path(__file__).with_name("data")


class UnknownRulebookError(KeyError):
    """There is no rulebook of that id; the message lists those there are."""

    def __str__(self) -> str:
        return self.args[0]


def load_rulebook(name: str) -> Rulebook:
    """The rulebook of that id, or the operator's own rulebook in the file whose path ends in `.toml`.

    Raises UnknownRulebookError, or RulebookError with every fault of the file. A file that bears the id of a
    built-in rulebook and differs from it is at fault: its settlements would pass for the published rules.
    """
    ids = _ids()
    if name.endswith(".toml"):
        own = read_rulebook(Path(name))
        if own.id in ids and own.digest != _built_in(own.id).digest:
            reason = f"{own.id!r} is a built-in rulebook, and this file differs; give it an id of its own"
            raise RulebookError(name, [Fault("id", reason)])
        return own
    if name not in ids:
        raise UnknownRulebookError(
            f"no rulebook {name!r}; there are {', '.join(ids)}, or give the path of a .toml file"
        )
    return _built_in(name)


def list_rulebooks() -> list[Rulebook]:
    """All built-in rulebooks, by id."""
    return [load_rulebook(name) for name in _ids()]


def _ids() -> list[str]:
    return sorted(file.stem for file in DATA.glob("*.toml"))


@cache
def _built_in(name: str) -> Rulebook:
    return read_rulebook(DATA / f"{name}.toml")
