"""Change every odds entry, win condition and ruling of every file in turn: the checks must notice."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from host_tools.rulebooks import DATA, RulebookError, read_rulebook
from host_tools.rulebooks.conditions import TESTS
from host_tools.rulebooks.model import ACTIONS
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
