"""Change every odds entry, win condition and ruling of every file in turn: the checks must notice."""

import re
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from host_tools.rulebooks import DATA, RulebookError, read_rulebook
from host_tools.rulebooks.conditions import TESTS, Faces
from host_tools.rulebooks.model import ACTIONS
from host_tools.rulebooks.odds import layout_edges
from host_tools.rulebooks.wagers import Numbers
from tests.host_tools.published_rules import ODDS, differences

_PAID = re.compile(r'(?:odds = |[123] = )"([0-9.]+)"')
_TEST = re.compile(r'test = "([a-z-]+)"')
_TOTALS = re.compile(r"totals = \[([0-9, ]+)\]")
_WAGERS = re.compile(r'wagers = \["([a-z:0-9-]+)"')
_ACTION = re.compile(r'action = "([a-z-]+)"')
_STAKE = re.compile(r'stake = "([0-9]+)"')


def _each(pattern: re.Pattern[str], text: str) -> Iterator[tuple[re.Match[str], str, str]]:
    """Every place of a pattern's group, with the text before and after it."""
    for match in pattern.finditer(text):
        yield match, text[: match.start(1)], text[match.end(1) :]


def odds_mutants(text: str) -> Iterator[str]:
    """Each odds half a point up, and half a point or one down."""
    for match, before, after in _each(_PAID, text):
        odds = float(match[1])
        for other in (odds + 0.5, odds - 0.5 if odds % 1 else odds - 1):
            yield f"{before}{other:g}{after}"


def condition_mutants(text: str) -> Iterator[str]:
    """Each test replaced by each other one; each total left out; each total from 3 to 18 added."""
    for match, before, after in _each(_TEST, text):
        yield from (f"{before}{other}{after}" for other in TESTS if other != match[1])
    for match, before, after in _each(_TOTALS, text):
        totals = [int(total) for total in match[1].split(",")]
        for total in range(3, 19):
            changed = sorted({*totals} ^ {total})
            yield f"{before}{', '.join(map(str, changed))}{after}"


def wager_mutants(text: str) -> Iterator[str]:
    """The first wager of each list replaced by one that no document offers."""
    pay_tables = text[text.index("[pay-tables]") : text.index("[layouts.")]
    start = text.index(pay_tables)
    for match in _WAGERS.finditer(pay_tables):
        yield f"{text[: start + match.start(1)]}double-single:1-1-2{text[start + match.end(1) :]}"


def ruling_mutants(text: str) -> Iterator[str]:
    """Each action replaced by each other one; each stake limit doubled."""
    for match, before, after in _each(_ACTION, text):
        yield from (f"{before}{other}{after}" for other in ACTIONS if other != match[1])
    for match, before, after in _each(_STAKE, text):
        yield f"{before}{int(match[1]) * 2}{after}"


# Triples of total 3 and 18 lose every "except triple" wager, so these totals may be listed or not.
_WITHOUT_EFFECT = {"3", "18"}


def _is_without_effect(original: str, mutant: str) -> bool:
    for before, after in zip(_TOTALS.findall(original), _TOTALS.findall(mutant), strict=True):
        if before != after:
            return set(before.split(", ")) ^ set(after.split(", ")) <= _WITHOUT_EFFECT
    return False


def _noticed(file: Path, mutant: str) -> bool:
    file.write_text(mutant, encoding="utf-8")
    try:
        return next(differences(read_rulebook(file)), None) is not None
    except RulebookError:
        return True


@pytest.mark.parametrize("mutants", [odds_mutants, condition_mutants, wager_mutants, ruling_mutants])
@pytest.mark.parametrize("book", ODDS)
def test_no_change_passes_unnoticed(book, mutants, tmp_path):
    original = (DATA / f"{book}.toml").read_text(encoding="utf-8")
    assert not _noticed(tmp_path / "same.toml", original)
    made = [mutant for mutant in mutants(original) if not _is_without_effect(original, mutant)]
    assert len(made) > 10
    assert [mutant for mutant in made if not _noticed(tmp_path / "mutant.toml", mutant)] == []


Level = Callable[[Faces, Numbers, Numbers], int]

# The mistakes of public code: each test of a win condition as somebody has got it wrong.
WRONG_LEVELS: list[tuple[str, Level]] = [
    ("total-except-triple", lambda faces, _numbers, totals: sum(faces) in totals),
    ("total-except-triple", lambda faces, _numbers, totals: sum(faces) in totals and len(set(faces)) == 3),
    ("total-except-triple", lambda faces, _numbers, totals: sum(faces) in totals and faces != (1, 1, 1)),
    ("any-triple", lambda faces, _numbers, _totals: len(set(faces)) < 3),
    ("any-triple", lambda faces, _numbers, _totals: faces[0] == faces[1]),
    ("any-triple", lambda faces, _numbers, _totals: len(set(faces)) == 1 and faces[0] < 6),
    ("total", lambda faces, numbers, _totals: sum(faces) == numbers[0] and len(set(faces)) > 1),
    ("total", lambda faces, numbers, _totals: sum(faces) >= numbers[0]),
    ("total", lambda faces, numbers, _totals: sum(faces) == numbers[0] and numbers[0] not in (8, 13)),
    ("face-count", lambda faces, numbers, _totals: min(1, faces.count(numbers[0]))),
    ("face-count", lambda faces, numbers, _totals: min(2, faces.count(numbers[0]))),
    ("face-count", lambda faces, numbers, _totals: faces.count(numbers[0]) if len(set(faces)) > 1 else 0),
    ("all-appear", lambda faces, numbers, _totals: any(number in faces for number in numbers)),
    ("all-appear", lambda faces, numbers, _totals: set(numbers) <= set(faces) and len(set(faces)) == 3),
    ("three-of-set", lambda faces, numbers, _totals: set(faces) <= set(numbers)),
    ("three-of-set", lambda faces, numbers, _totals: len(set(faces) & set(numbers)) >= 2),
    ("exact", lambda faces, numbers, _totals: set(faces) == set(numbers)),
    ("exact", lambda faces, numbers, _totals: faces == tuple(numbers)),
]


@pytest.mark.parametrize(("name", "wrong"), WRONG_LEVELS)
def test_no_wrong_win_condition_passes_unnoticed(name, wrong, tmp_path, monkeypatch):
    asked = [book for book in ODDS if f'"{name}"' in (DATA / f"{book}.toml").read_text(encoding="utf-8")]
    monkeypatch.setitem(TESTS, name, TESTS[name]._replace(level=lambda *asked_of: int(wrong(*asked_of))))
    for book in asked:
        assert _noticed(tmp_path / "same.toml", (DATA / f"{book}.toml").read_text(encoding="utf-8")), book


@pytest.mark.parametrize(
    ("book", "layout", "edges"),
    [
        # Small and Big of 4..17 miss the triples 1-1-1 and 6-6-6; Duisburg's Small begins at 3.
        ("mbs-electronic-sic-bo-v4", "rapid-select", dict.fromkeys(("small", "big", "odd", "even"), "1/108")),
        ("duisburg-sic-bo-2019", "big-from-11", {"small": "0", "big": "0"}),
    ],
)
def test_paying_on_triples_has_the_edge_computed_for_it(book, layout, edges, monkeypatch):
    wrong = TESTS["total-except-triple"]._replace(level=lambda faces, _, totals: int(sum(faces) in totals))
    monkeypatch.setitem(TESTS, "total-except-triple", wrong)
    rulebook = read_rulebook(DATA / f"{book}.toml")
    found = {edge.wager: edge.edge for edge in layout_edges(rulebook, rulebook.layout(layout))}
    assert {wager: found[wager] for wager in edges} == {
        wager: Fraction(edge) for wager, edge in edges.items()
    }
