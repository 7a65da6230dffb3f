"""Win conditions: questions about three faces that a rulebook gives names, totals and clauses to.

Each test answers with a level: 0 is lost; otherwise the key into the wager's odds, which is 1 for all tests
but `face-count`, where it is the number of dice that show the wager's number.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import NamedTuple

from host_tools.rulebooks.wagers import (
    DOUBLE_SINGLE,
    FACE,
    NOTHING,
    PAIR,
    QUARTET,
    TOTAL,
    TRIO,
    Numbers,
    Shape,
)

Faces = tuple[int, int, int]


def is_triple(faces: Faces) -> bool:
    """Whether all three faces are the same."""
    return faces[0] == faces[1] == faces[2]


def _total_except_triple(faces: Faces, _numbers: Numbers, totals: Numbers) -> int:
    return int(sum(faces) in totals and not is_triple(faces))


def _any_triple(faces: Faces, _numbers: Numbers, _totals: Numbers) -> int:
    return int(is_triple(faces))


def _total(faces: Faces, numbers: Numbers, _totals: Numbers) -> int:
    return int(sum(faces) == numbers[0])


def _face_count(faces: Faces, numbers: Numbers, _totals: Numbers) -> int:
    return faces.count(numbers[0])


def _all_appear(faces: Faces, numbers: Numbers, _totals: Numbers) -> int:
    return int(all(number in faces for number in numbers))


def _three_of_set(faces: Faces, numbers: Numbers, _totals: Numbers) -> int:
    return int(len(set(faces)) == 3 and set(faces) <= set(numbers))


def _exact(faces: Faces, numbers: Numbers, _totals: Numbers) -> int:
    return int(sorted(faces) == sorted(numbers))


class Test(NamedTuple):
    """One question: `says` for people, the shapes of wager it can judge, the levels it can answer."""

    says: str
    level: Callable[[Faces, Numbers, Numbers], int]
    shapes: tuple[Shape, ...]
    levels: tuple[int, ...] = (1,)
    takes_totals: bool = False


TESTS: dict[str, Test] = {
    "total-except-triple": Test(
        "the total is one of {totals} and the three are not a triple",
        _total_except_triple,
        (NOTHING,),
        takes_totals=True,
    ),
    "any-triple": Test("all three show the same number", _any_triple, (NOTHING,)),
    "total": Test("the total is the wager's number", _total, (TOTAL,)),
    "face-count": Test(
        "{levels} of the three show the wager's number", _face_count, (FACE,), levels=(1, 2, 3)
    ),
    "all-appear": Test("each of the wager's numbers appears", _all_appear, (PAIR,)),
    "three-of-set": Test("three different numbers, all among the wager's four", _three_of_set, (QUARTET,)),
    "exact": Test("the three are exactly the wager's numbers, in any order", _exact, (TRIO, DOUBLE_SINGLE)),
}


@dataclass(frozen=True)
class Condition:
    """A win condition of a rulebook: a test, the totals it may need, and the clause it is taken from."""

    name: str
    test: Test
    totals: Numbers
    clause: str

    def level(self, faces: Faces, numbers: Numbers) -> int:
        """The level at which a wager with these numbers wins on these faces; 0 when it loses."""
        return self.test.level(faces, numbers, self.totals)

    def says(self, levels: Iterable[int]) -> str:
        """The condition in words, for a wager that is paid at these levels."""
        return self.test.says.format(totals=_listed(self.totals), levels=_listed(levels))


def _listed(numbers: Iterable[int]) -> str:
    """`1, 2 or 3`."""
    *first, last = map(str, [*numbers] or [0])
    return f"{', '.join(first)} or {last}" if first else last
