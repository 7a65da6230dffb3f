"""From a rulebook's TOML file to a checked `Rulebook`: every fault of the file is found and named at once."""

import hashlib
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from host_tools.rulebooks.conditions import TESTS, Condition
from host_tools.rulebooks.model import (
    ACTIONS,
    Closing,
    Decks,
    Layout,
    Limits,
    Maximum,
    Offer,
    Rulebook,
    Ruling,
    Section,
    decided_facts,
)
from host_tools.rulebooks.odds import layout_edges
from host_tools.rulebooks.wagers import KINDS, MalformedWagerError, Numbers, parse_wager

PLAY_MODES = ("covered", "open", "cards")

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*", re.ASCII)
_ODDS = re.compile(r"(0|[1-9][0-9]{0,5})(\.[0-9]{1,4}|/[1-9][0-9]{0,5})?", re.ASCII)
_AMOUNT = re.compile(r"(0|[1-9][0-9]{0,11})(\.[0-9]{1,4})?", re.ASCII)
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}(-[0-9]{2}(T([01][0-9]|2[0-3]):[0-5][0-9])?)?", re.ASCII)


class Fault(NamedTuple):
    """One thing wrong in a rulebook file: the key it is under and why it is wrong."""

    key: str
    reason: str


class RulebookError(ValueError):
    """A rulebook file that cannot be used; `faults` has every fault found, the message lists them."""

    def __init__(self, file: Path | str, faults: Iterable[Fault]) -> None:
        self.file = str(file)
        self.faults = tuple(dict.fromkeys(faults))
        super().__init__("\n".join(f"{self.file}: {key}: {reason}" for key, reason in self.faults))


_MISSING = object()


@dataclass
class _Form:
    """A table of the file under inspection: typed access that notes faults instead of raising.

    Every getter marks its key as known; `close` then notes each key that nobody asked for.
    """

    at: str
    table: Mapping[str, Any]
    faults: list[Fault]
    known: set[str] = field(default_factory=set)

    def key(self, name: str) -> str:
        return f"{self.at}.{name}" if self.at else name

    def fault(self, name: str, reason: str) -> None:
        self.faults.append(Fault(self.key(name), reason))

    def value(self, name: str, kind: type, says: str, default: Any = _MISSING) -> Any:
        self.known.add(name)
        if name not in self.table:
            if default is _MISSING:
                self.fault(name, f"is missing; give {says}")
                return kind()
            return default
        value = self.table[name]
        if type(value) is not kind:
            self.fault(name, f"must be {says}, not {value!r}")
            return kind()
        return value

    def text(self, name: str, default: Any = _MISSING) -> str:
        text = self.value(name, str, "a text", default)
        if not text and self.table.get(name) == "":
            self.fault(name, "is empty")
        if not text.isprintable():
            self.fault(name, f"must be one line without control characters, not {text!r}")
        return text

    def whole(self, name: str, lowest: int, highest: int) -> int:
        says = f"a whole number from {lowest} to {highest}"
        number = self.value(name, int, says, default=None)
        if number is None:
            self.fault(name, f"is missing; give {says}")
            return lowest
        if not lowest <= number <= highest:
            self.fault(name, f"must be {says}, not {number}")
            return lowest
        return number

    def choice(self, name: str, choices: Iterable[str]) -> str:
        text = self.text(name)
        if text and text not in choices:
            self.fault(name, f"must be one of {', '.join(choices)}, not {text!r}")
        return text if text in choices else ""

    def matching(self, name: str, pattern: re.Pattern[str], says: str) -> str:
        text = self.text(name)
        if text and not pattern.fullmatch(text):
            self.fault(name, f"must be {says}, not {text!r}")
            return ""
        return text

    def form(self, name: str) -> "_Form":
        return _Form(self.key(name), self.value(name, dict, "a table"), self.faults)

    def forms(self, name: str) -> list["_Form"]:
        """The rows of an array of tables."""
        rows = self.value(name, list, "a list of tables")
        if not rows:
            self.fault(name, "is empty")
        forms = []
        for number, row in enumerate(rows, 1):
            if isinstance(row, dict):
                forms.append(_Form(f"{self.key(name)}[{number}]", row, self.faults))
            else:
                self.fault(f"{name}[{number}]", f"must be a table, not {row!r}")
        return forms

    def named_forms(self, name: str, optional: bool = False) -> dict[str, "_Form"]:
        """The tables of a table of tables, by their names."""
        tables = self.value(name, dict, "a table of tables", {} if optional else _MISSING)
        if not tables and not optional and name in self.table:
            self.fault(name, "is empty")
        parent = _Form(self.key(name), tables, self.faults)
        for each in tables:
            if not _NAME.fullmatch(each):
                parent.fault(each, "is no name: use lower-case letters, digits and single hyphens")
        return {each: parent.form(each) for each in tables}

    def texts(self, name: str) -> list[str]:
        texts = self.value(name, list, "a list of texts")
        if not texts and name in self.table:
            self.fault(name, "is empty")
        for text in texts:
            if not isinstance(text, str):
                self.fault(name, f"must be a list of texts; {text!r} is none")
        return [text for text in texts if isinstance(text, str)]

    def close(self) -> None:
        for name in self.table:
            if name not in self.known:
                self.fault(name, "is not a key of this form; is it misspelt?")


def read_rulebook(file: Path) -> Rulebook:
    """Read and check one rulebook file; raises RulebookError with every fault found in it."""
    try:
        content = file.read_bytes()
        table = tomllib.loads(content.decode("utf-8"))
    except OSError as error:
        raise RulebookError(file, [Fault("file", f"cannot be read: {error.strerror}")]) from error
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise RulebookError(file, [Fault("file", f"is not TOML in UTF-8: {error}")]) from error
    except RecursionError as error:
        raise RulebookError(file, [Fault("file", "is nested too deeply")]) from error
    faults: list[Fault] = []
    rulebook = _rulebook(_Form("", table, faults), hashlib.sha256(content).hexdigest())
    if faults:
        raise RulebookError(file, faults)
    return rulebook


def _rulebook(form: _Form, digest: str) -> Rulebook:
    play = form.form("play")
    mode = play.choice("mode", PLAY_MODES)
    referral = form.form("referral")
    conditions = _conditions(form)
    rulebook = Rulebook(
        id=form.matching("id", _NAME, "lower-case words with hyphens"),
        title=form.text("title"),
        operator=form.text("operator"),
        jurisdiction=form.text("jurisdiction"),
        effective=_effective(form),
        play_mode=mode,
        play_clause=play.text("clause"),
        minimum_tumbles=play.whole("minimum-tumbles", 0, 20),
        tumbles_clause=play.text("tumbles-clause"),
        manual_entry=play.text("manual-entry", default=""),
        referral=referral.text("to"),
        referral_clause=referral.text("clause"),
        closing=_closing(form.form("closing")),
        decks=_decks(form.form("decks")) if mode == "cards" else None,
        layouts=_layouts(form, conditions),
        limits=_limits(form),
        irregularities=_irregularities(form.form("irregularities"), mode),
        digest=digest,
    )
    if mode in ("covered", "open") and rulebook.minimum_tumbles < 1:
        play.fault("minimum-tumbles", "must be at least 1 where dice are tumbled")
    if mode == "cards" and rulebook.minimum_tumbles > 0:
        play.fault("minimum-tumbles", "must be 0 where cards are drawn")
    if mode == "cards" and rulebook.manual_entry:
        play.fault("manual-entry", "is of dice; cards are entered by hand anyway")
    for each in (play, referral, form):
        each.close()
    _check_limits(form, rulebook)
    if not form.faults:
        _check_edges(form, rulebook)
    return rulebook


def _effective(form: _Form) -> str:
    text = form.text("effective")
    if text and text != "not stated" and not _is_date(text):
        says = "a date as 2022-09-20T09:00 or 2022-09, or 'not stated'"
        form.fault("effective", f"must be {says}, not {text!r}")
    return text


def _is_date(text: str) -> bool:
    try:
        return _DATE.fullmatch(text) is not None and bool(date.fromisoformat(f"{text}-01"[:10]))
    except ValueError:
        return False


def _closing(form: _Form) -> Closing:
    closing = Closing(
        form.text("when"), form.text("clause"), form.text("late-clause"), form.text("withdrawn-clause")
    )
    form.close()
    return closing


def _decks(form: _Form) -> Decks:
    minimum = form.whole("minimum", 1, 100)
    decks = Decks(
        each_face=form.whole("cards-of-each-face", 1, 100),
        minimum=minimum,
        maximum=form.whole("maximum", minimum, 100),
        clause=form.text("clause"),
    )
    if decks.minimum * decks.each_face < 3:
        form.fault("cards-of-each-face", "leaves too few cards for a triple")
    form.close()
    return decks


def _conditions(form: _Form) -> dict[str, Condition]:
    conditions = {}
    for name, each in form.named_forms("conditions").items():
        test = each.choice("test", TESTS)
        totals = each.value("totals", list, "a list of totals from 3 to 18", [])
        clause = each.text("clause")
        known = [total for total in totals if type(total) is int and 3 <= total <= 18]
        if len(set(known)) < len(totals):
            each.fault("totals", "must be different whole numbers from 3 to 18")
        if test and TESTS[test].takes_totals != bool(totals):
            need = "must be given" if TESTS[test].takes_totals else "has no meaning"
            each.fault("totals", f"{need} with {test}")
        if test:
            conditions[name] = Condition(name, TESTS[test], tuple(known), clause)
        each.close()
    return conditions


class _PayRow(NamedTuple):
    """One row of a pay table: wagers of one kind; its odds are read once the win condition is known."""

    form: _Form
    kind: str
    wagers: dict[str, Numbers]
    clause: str


def _pay_table(form: _Form, name: str) -> list[_PayRow]:
    rows: list[_PayRow] = []
    taken: dict[str, str] = {}
    for row in form.forms(name):
        clause = row.text("clause")
        wagers: dict[str, Numbers] = {}
        kinds: set[str] = set()
        for wager in row.texts("wagers"):
            try:
                kind, wagers[wager] = parse_wager(wager)
                kinds.add(kind)
            except MalformedWagerError as error:
                row.fault("wagers", f"{wager!r}: {error}")
                continue
            if wager in taken:
                row.fault("wagers", f"{wager!r} is already in {taken[wager]}")
            taken[wager] = row.at
        if len(kinds) > 1:
            row.fault("wagers", f"must be of one kind, not {' and '.join(sorted(kinds))}")
        elif kinds:
            rows.append(_PayRow(row, kinds.pop(), wagers, clause))
        row.known.add("odds")
        row.close()
    return rows


def _layouts(form: _Form, conditions: dict[str, Condition]) -> dict[str, Layout]:
    tables_form = form.form("pay-tables")
    tables = {name: _pay_table(tables_form, name) for name in tables_form.table}
    layouts = {}
    asked: set[str] = set()
    offered: dict[str, set[str]] = {}
    for name, each in form.named_forms("layouts").items():
        table = each.choice("pay-table", tables)
        sections = _sections(each, tables.get(table, []), conditions, asked, offered.setdefault(table, set()))
        layouts[name] = Layout(
            id=name,
            title=each.text("title"),
            clause=each.text("clause"),
            note=each.text("note", default=""),
            sections=sections,
            panels=_panels(each, sections),
        )
        each.close()
    for name in conditions.keys() - asked:
        form.fault(f"conditions.{name}", "is asked by no layout; is it misspelt?")
    for name, rows in tables.items():
        if name not in offered:
            tables_form.fault(name, "is used by no layout")
            continue
        for row in rows:
            if row.kind not in offered[name]:
                row.form.fault("wagers", f"no layout offers wagers of kind {row.kind!r} from this pay table")
    return layouts


def _sections(
    form: _Form,
    table: list[_PayRow],
    conditions: dict[str, Condition],
    asked: set[str],
    offered: set[str],
) -> tuple[Section, ...]:
    """The wagers of a layout; adds the conditions it asks to `asked` and the kinds it offers to `offered`."""
    sections: dict[str, Section] = {}
    for each in form.forms("offers"):
        kind = each.choice("kind", KINDS)
        title = each.text("title")
        name = each.text("condition", default=kind)
        each.close()
        asked.add(name)
        offered.add(kind)
        condition = conditions.get(name)
        if not kind or not title:
            continue
        if kind in sections:
            each.fault("kind", f"{kind!r} is offered twice")
        elif condition is None:
            each.fault("condition", f"there is no condition {name!r}; it has: {', '.join(conditions)}")
        elif KINDS[kind] not in condition.test.shapes:
            each.fault("condition", f"the test of {name!r} cannot judge wagers of kind {kind!r}")
        else:
            offers: list[Offer] = []
            for row in (row for row in table if row.kind == kind):
                odds = _odds(row.form, condition)
                offers += (
                    Offer(wager, kind, numbers, condition, odds, row.clause)
                    for wager, numbers in row.wagers.items()
                )
            if offers:
                sections[kind] = Section(kind, title, tuple(offers))
            else:
                each.fault("kind", f"the pay table has no wager of kind {kind!r}")
    return tuple(sections.values())


def _odds(row: _Form, condition: Condition) -> dict[int, Fraction]:
    """Odds by level: a text where the test answers yes or no, a table by number of dice for `face-count`."""
    levels = condition.test.levels
    if levels == (1,):
        text = row.text("odds")
        odds = {"1": text} if text else {}
    else:
        odds = row.value("odds", dict, "a table of odds by how many show the number, such as { 2 = '11.5' }")
        if row.table.get("odds") == {}:
            row.fault("odds", "is empty")
    read = {}
    for level, text in odds.items():
        fraction = odds_from_text(text)
        if level not in map(str, levels):
            row.fault("odds", f"{level!r} is none of {', '.join(map(str, levels))}")
        elif fraction is None:
            row.fault("odds", f"must be text above 0 such as '11.5' or '23/2', not {text!r}")
        else:
            read[int(level)] = fraction
    return read


def odds_from_text(text: object) -> Fraction | None:
    """Exact odds from decimal or fraction text; None where it is no such text or not above 0."""
    return _fraction(text) if isinstance(text, str) and _ODDS.fullmatch(text) else None


@cache
def _fraction(text: str) -> Fraction | None:
    return Fraction(text) or None


def _panels(form: _Form, sections: tuple[Section, ...]) -> tuple[tuple[tuple[str, ...], ...], ...]:
    """The printed layout; every offered wager must be on it exactly once."""
    missing = {offer.wager: None for section in sections for offer in section.offers}
    panels = []
    for panel in form.value("panels", list, "a list of panels, each a list of rows"):
        if not isinstance(panel, list) or not all(isinstance(row, str) for row in panel):
            form.fault("panels", "each panel must be a list of rows, each row a text of wagers")
            continue
        panels.append(tuple(tuple(row.split()) for row in panel))
        for wager in (wager for row in panel for wager in row.split()):
            if wager in missing:
                del missing[wager]
            else:
                form.fault("panels", f"{wager!r} is not offered or is placed twice")
    if missing:
        form.fault("panels", f"{', '.join(missing)} are offered but not placed")
    return tuple(panels)


def _limits(form: _Form) -> dict[str, Limits]:
    return {name: _limit(name, each) for name, each in form.named_forms("limits", optional=True).items()}


def _limit(name: str, form: _Form) -> Limits:
    minimum = _amount(form, "minimum", form.text("minimum"))
    maxima = {}
    for row in form.forms("maxima"):
        highest = _amount(row, "stake", row.text("stake"))
        most = Maximum(highest, row.text("clause"))
        if 0 < highest < minimum:
            row.fault("stake", "is below the minimum")
        for wager in row.texts("wagers"):
            if wager in maxima:
                row.fault("wagers", f"{wager!r} has two maxima")
            maxima[wager] = most
        row.close()
    limits = Limits(name, minimum, maxima, form.text("clause"))
    form.close()
    return limits


def _amount(form: _Form, name: str, text: str) -> Fraction:
    if not _AMOUNT.fullmatch(text) or not Fraction(text):
        if text:
            form.fault(name, f"must be an amount above 0 such as '120' or '2.50', not {text!r}")
        return Fraction(0)
    return Fraction(text)


def _check_limits(form: _Form, rulebook: Rulebook) -> None:
    """Limits name every wager of every layout and no other: a forgotten one would have no maximum."""
    offered = {wager for layout in rulebook for wager in layout.offers}
    for name, limits in rulebook.limits.items():
        for wager in sorted(limits.maxima.keys() - offered):
            form.fault(f"limits.{name}.maxima", f"{wager!r} is a wager of no layout")
        for wager in sorted(offered - limits.maxima.keys()):
            form.fault(f"limits.{name}.maxima", f"{wager!r} has no maximum")


def _check_edges(form: _Form, rulebook: Rulebook) -> None:
    """The edge of every wager can be computed, and none is a wager that nobody can ever win."""
    for layout in rulebook:
        for edge in layout_edges(rulebook, layout):
            if edge.edge == 1:
                form.fault(f"layouts.{layout.id}", f"{edge.wager!r} can never win")


def _irregularities(form: _Form, mode: str) -> dict[str, Ruling]:
    facts = decided_facts(mode) if mode else ()
    rulings = {}
    for fact in form.table:
        each = form.form(fact)
        if mode and fact not in facts:
            form.fault(fact, f"is no fact of this play mode; the facts are {', '.join(facts)}")
        rulings[fact] = Ruling(
            fact, each.choice("action", ACTIONS), each.text("clause"), each.text("note", default="")
        )
        each.close()
    for fact in facts:
        if fact not in rulings:
            form.fault(fact, f"is not decided; give an action ({', '.join(ACTIONS)}) and its clause")
    return rulings
