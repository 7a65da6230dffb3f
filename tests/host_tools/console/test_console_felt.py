"""The felt has every wager of a layout once, with the odds of the rulebook's own pay table."""

import json
from fractions import Fraction

import pytest

from host_tools.console.felt import felt
from host_tools.rulebooks import UnknownLayoutError, list_rulebooks, load_rulebook

LAYOUTS = [(each.id, layout) for each in list_rulebooks() for layout in each.layouts]


@pytest.mark.parametrize(("rulebook", "layout"), LAYOUTS)
def test_that_every_wager_lies_on_the_felt_once(rulebook, layout):
    book = load_rulebook(rulebook)
    drawn = json.loads(json.dumps(felt(book, layout)))
    laid = [wager for panel in drawn["panels"] for row in panel for wager in row]
    assert sorted(laid) == sorted(book.layouts[layout].offers) == sorted(drawn["offers"])


@pytest.mark.parametrize(("rulebook", "layout"), LAYOUTS)
def test_that_the_odds_shown_are_the_odds_paid(rulebook, layout):
    book = load_rulebook(rulebook)
    offers = felt(book, layout)["offers"]
    assert isinstance(offers, dict)
    for wager, offer in book.layouts[layout].offers.items():
        shown = {int(level): Fraction(odds) for level, odds in offers[wager]["odds"].items()}
        assert shown == offer.odds


def test_that_the_rulings_say_who_decides():
    drawn = felt(load_rulebook("rws-sic-bo-open-cover-2021"), "pay-table-1")
    assert drawn["referral"] == {"to": "Table Games Shift Manager or above", "clause": "5.10"}
    assert drawn["rulings"]["die-damaged"] == {"action": "void-affected", "clause": "5.4"}  # type: ignore[index]


def test_that_a_layout_that_is_not_there_is_refused():
    with pytest.raises(UnknownLayoutError):
        felt(load_rulebook("duisburg-sic-bo-2019"), "pay-table-1")
