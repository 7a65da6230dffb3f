"""An operator's own rulebook file: read if right; if not, every fault with file, key and reason."""

import random
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from host_tools.rulebooks import (
    DATA,
    RulebookError,
    UnknownFactError,
    UnknownLayoutError,
    UnknownRulebookError,
    load_rulebook,
    read_rulebook,
)
from host_tools.rulebooks.odds import offer_odds_text

DUISBURG = (DATA / "duisburg-sic-bo-2019.toml").read_text(encoding="utf-8")
CARDS = (DATA / "mbs-3-card-sic-bo-2016.toml").read_text(encoding="utf-8")


def faults_of(tmp_path: Path, text: str) -> dict[str, str]:
    file = tmp_path / "own.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(RulebookError) as caught:
        read_rulebook(file)
    for fault in caught.value.faults:
        assert f"{file}: {fault.key}: {fault.reason}" in str(caught.value)
    reasons: dict[str, str] = {}
    for key, reason in caught.value.faults:
        reasons[key] = f"{reasons.get(key, '')}{reason}\n"
    return reasons


def changed(text: str, *changes: tuple[str, str]) -> str:
    for before, after in changes:
        assert before in text, before
        text = text.replace(before, after, 1)
    return text


def test_an_own_rulebook_is_loaded_by_its_path(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text(
        changed(CARDS, ('"mbs-3-card-sic-bo-2016"', '"house-cards"'), ('odds = "31"', 'odds = "63/2"'))
    )
    rulebook = load_rulebook(str(file))
    assert rulebook.id == "house-cards"
    assert str(rulebook.layout("standard").offers["any-triple"].odds[1]) == "63/2"


def test_an_own_rulebook_cannot_pass_for_a_published_one(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text(CARDS, encoding="utf-8")
    assert load_rulebook(str(file)) == load_rulebook("mbs-3-card-sic-bo-2016")
    file.write_text(changed(CARDS, ('odds = "31"', 'odds = "30"')), encoding="utf-8")
    with pytest.raises(
        RulebookError, match=r"own\.toml: id: 'mbs-3-card-sic-bo-2016' is a built-in rulebook"
    ):
        load_rulebook(str(file))


def test_each_number_may_be_paid_in_its_own_way_and_says_so(tmp_path):
    file = tmp_path / "own.toml"
    row = (
        'wagers = ["single:1", "single:2", "single:3", "single:4", "single:5", "single:6"], odds = { 1 = "1",'
    )
    own = row.replace('"single:1", ', "").replace('{ 1 = "1",', '{ 1 = "1/2",')
    first = 'wagers = ["single:1"], odds = { 1 = "1", 3 = "1" }, clause = "x" },'
    file.write_text(changed(DUISBURG, ("duisburg-sic-bo-2019", "own"), (row, f"{first} {{ {own}")), "utf-8")
    [section] = [
        each for each in load_rulebook(str(file)).layout("as-printed").sections if each.kind == "single"
    ]
    assert [(offer.wager, offer.wins, offer_odds_text(offer)) for offer in section.offers[:2]] == [
        ("single:1", "1 or 3 of the three show the wager's number", "1"),
        ("single:2", "1, 2 or 3 of the three show the wager's number", "0.5, 2, 12"),
    ]


def test_odds_that_are_partly_alike_are_told_one_by_one():
    offer = load_rulebook("duisburg-sic-bo-2019").layout("as-printed").offers["single:1"]
    odds = {1: Fraction(1), 2: Fraction(1), 3: Fraction(12)}
    assert offer_odds_text(replace(offer, odds=odds)) == "1, 1, 12"


@pytest.mark.parametrize(
    ("before", "after", "key", "reason"),
    [
        ('odds = "31"', 'odds = "0"', "pay-tables.settlement[5].odds", "above 0"),
        ('odds = "31"', 'odds = "-1"', "pay-tables.settlement[5].odds", "above 0"),
        ('odds = "31"', "odds = 31", "pay-tables.settlement[5].odds", "must be a text"),
        ('odds = "31"', "odds = 31.5", "pay-tables.settlement[5].odds", "must be a text"),
        ('odds = "31"', 'odds = "1e9"', "pay-tables.settlement[5].odds", "above 0"),
        ('odds = "31"', 'odds = "1/0"', "pay-tables.settlement[5].odds", "above 0"),
        ('odds = "31"', 'odds = { 1 = "31" }', "pay-tables.settlement[5].odds", "must be a text"),
        ('odds = "31", ', "", "pay-tables.settlement[5].odds", "is missing"),
        ('odds = "31"', 'odds = "31", pays = "1"', "pay-tables.settlement[5].pays", "not a key of this form"),
        ('["any-triple"]', '["any-triple", "total:7"]', "pay-tables.settlement[5].wagers", "of one kind"),
        ('["small"]', '["small:1"]', "pay-tables.settlement[1].wagers", "small takes no number"),
        ('["small"]', "[1]", "pay-tables.settlement[1].wagers", "1 is none"),
        ('["small"]', "[]", "pay-tables.settlement[1].wagers", "is empty"),
        ('["big"]', '["small"]', "pay-tables.settlement[2].wagers", "already in pay-tables.settlement[1]"),
        ('["total:4", "total:17"]', '["total:4", "total:3"]', "layouts.standard.panels", "placed"),
        ("minimum = 2", "minimum = 7", "decks.maximum", "from 7"),
        ("minimum = 2", 'minimum = "2"', "decks.minimum", "whole number"),
        ("minimum = 2", "minimum = true", "decks.minimum", "whole number"),
        ('mode = "cards"', 'mode = "closed"', "play.mode", "covered, open, cards"),
        ('effective = "2016-11-15"', 'effective = "15 November"', "effective", "a date as"),
        ('effective = "2016-11-15"', 'effective = "2016-13"', "effective", "a date as"),
        ('effective = "2016-11-15"', 'effective = "2016-02-30"', "effective", "a date as"),
        ('effective = "2016-11-15"', 'effective = "2016-11-15T24:00"', "effective", "a date as"),
        ("minimum-tumbles = 0", "minimum-tumbles = 3", "play.minimum-tumbles", "must be 0"),
        ('mode = "cards"', 'mode = "cards"\nmanual-entry = "3.8"', "play.manual-entry", "is of dice"),
        ('kind = "odd"', 'kind = "odd", condition = "even"', "conditions.odd", "asked by no layout"),
        (
            '  { kind = "odd", title = "Odd" },\n',
            "",
            "pay-tables.settlement[3].wagers",
            "no layout offers wagers of kind 'odd'",
        ),
        (
            'pay-table = "settlement"',
            'pay-table = "other"',
            "layouts.standard.pay-table",
            "must be one of settlement",
        ),
        ('kind = "odd"', 'kind = "small"', "layouts.standard.offers[3].kind", "offered twice"),
        ('kind = "odd"', 'kind = "oddly"', "layouts.standard.offers[3].kind", "must be one of"),
        (
            'test = "any-triple"',
            'test = "total"',
            "layouts.standard.offers[5].condition",
            "test of 'any-triple' cannot judge wagers of kind 'any-triple'",
        ),
        ('test = "any-triple"', 'test = "magic"', "conditions.any-triple.test", "must be one of"),
        (
            '"any-triple", clause',
            '"any-triple", totals = [4], clause',
            "conditions.any-triple.totals",
            "no meaning",
        ),
        ("totals = [4, 5, 6, 7, 8, 9, 10]", "totals = [2, 5]", "conditions.small.totals", "from 3 to 18"),
        ("totals = [4, 5, 6, 7, 8, 9, 10]", "totals = [5, 5]", "conditions.small.totals", "different"),
        ("totals = [4, 5, 6, 7, 8, 9, 10], ", "", "conditions.small.totals", "must be given"),
        ("totals = [4, 5, 6, 7, 8, 9, 10]", "totals = [3, 18]", "layouts.standard", "'small' can never win"),
        ("small odd any-triple", "small small any-triple", "layouts.standard.panels", "placed twice"),
        (
            "small odd any-triple",
            "small any-triple",
            "layouts.standard.panels",
            "odd are offered but not placed",
        ),
        (
            'action = "void", clause = "5.1"',
            'action = "ignore", clause = "5.1"',
            "irregularities.exposed-early.action",
            "void",
        ),
        (
            'action = "void", clause = "5.1"',
            'action = "void"',
            "irregularities.exposed-early.clause",
            "is missing",
        ),
        ("shoe-exhausted = {", "shoe-empty = {", "irregularities.shoe-exhausted", "is not decided"),
        ("shoe-exhausted = {", "shoe-empty = {", "irregularities.shoe-empty", "is no fact"),
        ('clause = "5.4" }', 'clause = "" }', "irregularities.shoe-exhausted.clause", "is empty"),
        ('title = "3 Card Sic Bo"', "", "title", "is missing"),
        ('title = "3 Card Sic Bo"', r'title = "3 \u001b[2J"', "title", "control characters"),
        ('to = "casino management"', r'to = "one\nother"', "referral.to", "control characters"),
        ('title = "3 Card Sic Bo"', 'title = "x"\ncolour = "red"', "colour", "not a key"),
        ('id = "mbs-3-card-sic-bo-2016"', 'id = "My Rules"', "id", "lower-case"),
        ('id = "mbs', "id = mbs", "file", "is not TOML"),
    ],
)
def test_each_fault_is_named(tmp_path, before, after, key, reason):
    faults = faults_of(tmp_path, changed(CARDS, (before, after)))
    assert reason in faults[key]


@pytest.mark.parametrize(
    ("before", "after", "key", "reason"),
    [
        ("minimum-tumbles = 1", "minimum-tumbles = 0", "play.minimum-tumbles", "at least 1"),
        (
            '["any-triple"], stake = "4"',
            '["any-triple"], stake = "0.5"',
            "limits.eur-1.maxima[3].stake",
            "below",
        ),
        (
            '["any-triple"], stake = "4"',
            '["any-triple"], stake = "4,-"',
            "limits.eur-1.maxima[3].stake",
            "amount",
        ),
        (
            '["any-triple"], stake = "4"',
            '["odd"], stake = "4"',
            "limits.eur-1.maxima",
            "'any-triple' has no maximum",
        ),
        (
            'odds = { 3 = "190" }',
            'odds = { 4 = "190" }',
            "pay-tables.gewinnchancen[3].odds",
            "none of 1, 2, 3",
        ),
        (
            '["small", "big"], stake = "120", clause = "Anlage 1, Minimum und Maximum Einsätze"',
            '["small", "big"], stake = "120"',
            "limits.eur-1.maxima[1].clause",
            "is missing",
        ),
        ('odds = { 3 = "190" }', "odds = {}", "pay-tables.gewinnchancen[3].odds", "is empty"),
        ('odds = { 3 = "190" }', 'odds = "190"', "pay-tables.gewinnchancen[3].odds", "a table of odds"),
        (
            'condition = "big-from-10"',
            'condition = "big"',
            "layouts.as-printed.offers[2].condition",
            "big-from-11",
        ),
    ],
)
def test_each_fault_of_a_dice_rulebook_is_named(tmp_path, before, after, key, reason):
    assert reason in faults_of(tmp_path, changed(DUISBURG, (before, after)))[key]


def test_all_faults_are_told_at_once(tmp_path):
    faults = faults_of(
        tmp_path,
        changed(
            CARDS,
            ('odds = "31"', 'odds = "0"'),
            ("minimum = 2", "minimum = 0"),
            ("foreign-card = {", "joker = {"),
        ),
    )
    assert {
        "pay-tables.settlement[5].odds",
        "decks.minimum",
        "irregularities.joker",
        "irregularities.foreign-card",
    } <= faults.keys()


def test_a_fault_in_a_row_is_told_once(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text(changed(DUISBURG, ('odds = { 3 = "190" }', 'odds = { 3 = "0" }')), encoding="utf-8")
    with pytest.raises(RulebookError) as caught:
        read_rulebook(file)
    assert len(caught.value.faults) == 1


@pytest.mark.parametrize("content", [b"", b"\xff\xfe", b"a = " + b"[" * 5000, b"id = 1\n"])
def test_files_that_are_no_rulebook_at_all(tmp_path, content):
    file = tmp_path / "own.toml"
    file.write_bytes(content)
    with pytest.raises(RulebookError):
        read_rulebook(file)


def test_a_file_that_is_not_there_and_a_folder(tmp_path):
    for path in (tmp_path / "none.toml", tmp_path):
        with pytest.raises(RulebookError, match="cannot be read"):
            read_rulebook(path)


def test_a_damaged_file_is_read_or_refused_but_never_crashes(tmp_path):
    chance = random.Random(3)
    file = tmp_path / "own.toml"
    lines = CARDS.splitlines()
    read = 0
    for _ in range(300):
        damaged = list(lines)
        for _ in range(chance.randint(1, 3)):
            line = chance.randrange(len(damaged))
            match chance.randrange(4):
                case 0:
                    del damaged[line]
                case 1:
                    damaged.insert(line, damaged[chance.randrange(len(damaged))])
                case 2:
                    damaged[line] = damaged[line].replace('"', chance.choice(("", "1", "[]", '""')), 2)
                case _:
                    at = chance.randrange(len(damaged[line]) + 1)
                    damaged[line] = (
                        damaged[line][:at] + chance.choice("{}[]=,.\"'0a#\0") + damaged[line][at + 1 :]
                    )
        file.write_text("\n".join(damaged), encoding="utf-8")
        with suppress(RulebookError):
            read_rulebook(file)
            read += 1
    assert 0 < read < 150


def test_unknown_names_list_those_there_are():
    with pytest.raises(UnknownRulebookError, match="mbs-electronic-sic-bo-v4"):
        load_rulebook("mbs")
    rulebook = load_rulebook("duisburg-sic-bo-2019")
    with pytest.raises(UnknownLayoutError, match="as-printed, big-from-11"):
        rulebook.layout("standard")
    with pytest.raises(UnknownFactError, match="not-flat"):
        rulebook.ruling("cocked")
