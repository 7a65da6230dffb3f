"""The names of wagers: `small`, `total:11`, `double-single:1-1-3`; what is well formed and what is not.

A name is a kind, and for most kinds numbers. Whether a well-formed wager is *offered* is the layout's matter.
"""

import re
from collections.abc import Callable
from typing import NamedTuple

Numbers = tuple[int, ...]


class Shape(NamedTuple):
    """What the numbers of a kind must be: `says` for people, `holds` as the test."""

    says: str
    holds: Callable[[Numbers], bool]


def _faces(numbers: Numbers) -> bool:
    return all(1 <= number <= 6 for number in numbers)


def _ascending(count: int) -> Callable[[Numbers], bool]:
    def holds(numbers: Numbers) -> bool:
        return len(numbers) == count and _faces(numbers) and list(numbers) == sorted(set(numbers))

    return holds


def _total(numbers: Numbers) -> bool:
    return len(numbers) == 1 and 3 <= numbers[0] <= 18


def _pair_and_single(numbers: Numbers) -> bool:
    return len(numbers) == 3 and _faces(numbers) and numbers[0] == numbers[1] != numbers[2]


NOTHING = Shape("no number", lambda numbers: not numbers)
FACE = Shape("one number from 1 to 6, as in single:6", _ascending(1))
TOTAL = Shape("one total from 3 to 18, as in total:11", _total)
PAIR = Shape("two different numbers from 1 to 6, ascending, as in domino:2-5", _ascending(2))
TRIO = Shape("three different numbers from 1 to 6, ascending, as in three-single:1-2-6", _ascending(3))
QUARTET = Shape("four different numbers from 1 to 6, ascending, as in four-number:3-4-5-6", _ascending(4))
DOUBLE_SINGLE = Shape("a pair and then another number, as in double-single:1-1-3", _pair_and_single)

KINDS: dict[str, Shape] = {
    "small": NOTHING,
    "big": NOTHING,
    "odd": NOTHING,
    "even": NOTHING,
    "any-triple": NOTHING,
    "triple": FACE,
    "double": FACE,
    "single": FACE,
    "total": TOTAL,
    "domino": PAIR,
    "three-single": TRIO,
    "four-number": QUARTET,
    "double-single": DOUBLE_SINGLE,
}

# ASCII only: \d would also take the digits of other scripts. No leading zeros, so a wager has one name.
_NUMBERS = re.compile(r"[1-9][0-9]?(-[1-9][0-9]?)*", re.ASCII)


class MalformedWagerError(ValueError):
    """The text is not the name of any wager; the message says what is wrong with it."""


def parse_wager(text: str) -> tuple[str, Numbers]:
    """Take a wager's name apart: `"domino:2-5"` -> `("domino", (2, 5))`; raises MalformedWagerError."""
    kind, colon, rest = text.partition(":")
    shape = KINDS.get(kind)
    if shape is None:
        raise MalformedWagerError(f"unknown kind of wager {_shown(kind)}; known: {', '.join(KINDS)}")
    if colon and not _NUMBERS.fullmatch(rest):
        raise MalformedWagerError(f"{kind} takes {shape.says}; got {_shown(rest)}")
    numbers = tuple(int(number) for number in rest.split("-")) if colon else ()
    if not shape.holds(numbers):
        raise MalformedWagerError(f"{kind} takes {shape.says}; got {_shown(rest) if colon else 'none'}")
    return kind, numbers


def _shown(text: str) -> str:
    """Quote what was given, in ASCII (a look-alike digit must be visible) and cut to a line's length."""
    return ascii(text if len(text) <= 40 else text[:40] + "...")
