"""One round on the first layout: won, lost, void and refused as the document says."""

import pytest

from host_tools.rulebooks import load_rulebook
from host_tools.settlement import (
    NeedsDecisionError,
    Outcome,
    OutcomeError,
    Void,
    Wager,
    open_table,
    settle,
    settle_wager,
)

BOOK = load_rulebook("mbs-electronic-sic-bo-v4")
TABLE = open_table(BOOK, "rapid-select", chip_unit="1")


def results(outcome, *wagers):
    rows = settle(TABLE, outcome, [Wager(str(number), *wager) for number, wager in enumerate(wagers)]).results
    return [(row.result, row.odds, row.payout, row.returned) for row in rows]


def test_half_point_odds_are_paid_to_the_half_point():
    assert results(
        Outcome((3, 3, 2)), ("double:3", "1"), ("total:8", "3"), ("single:3", "5"), ("big", "1")
    ) == [
        ("won", "11.5", "11.50", "12.50"),
        ("won", "8.5", "25.50", "28.50"),
        ("won", "2", "10.00", "15.00"),
        ("lost", None, "0.00", "0.00"),
    ]


def test_a_triple_pays_only_what_the_clauses_say():
    won = [wager for wager in TABLE.layout.offers if results(Outcome((4, 4, 4)), (wager, "1"))[0][0] == "won"]
    assert sorted(won) == ["any-triple", "double:4", "single:4", "total:12", "triple:4"]


def test_a_void_returns_the_stakes_and_cites_the_clause():
    settlement = settle(TABLE, Void("not-flat"), [Wager("a", "big", "7")])
    row = settlement.results[0]
    assert (row.result, row.payout, row.returned, row.clause) == ("void", "0.00", "7.00", "5.3")
    assert settlement.ruling is not None
    assert settlement.ruling.clause == "5.3"


def test_a_referred_fact_voids_only_by_somebodys_decision():
    with pytest.raises(NeedsDecisionError, match="Gaming Shift Manager"):
        settle(TABLE, Void("dome-open"), [])
    row = settle(TABLE, Void("dome-open", decided_by="shift manager 12"), [Wager("a", "big", "7")]).results[0]
    assert row.returned == "7.00"
    assert "shift manager 12" in row.reason


def test_a_wrong_registered_result_cannot_be_voided():
    with pytest.raises(OutcomeError, match=r"6\.3"):
        settle(TABLE, Void("wrong-result-registered"), [])


def test_no_way_of_settling_lets_an_outcome_pass_that_the_rules_do_not():
    wager = Wager("a", "big", "7")
    for outcome, error in (
        (Void("wrong-result-registered"), OutcomeError),
        (Void("dome-open"), NeedsDecisionError),
        (Void("dome-open", decided_by="  "), NeedsDecisionError),
        (Outcome((1, 2, 3), "cards"), OutcomeError),
    ):
        with pytest.raises(error):
            settle_wager(TABLE, outcome, wager)
        with pytest.raises(error):
            settle(TABLE, outcome, [wager])


def test_a_won_wager_cites_each_clause_once():
    cards = open_table(load_rulebook("mbs-3-card-sic-bo-2016"), "standard")
    row = settle(cards, Outcome((1, 2, 3), "cards"), [Wager("a", "small", "7")]).results[0]
    assert (row.result, row.clause) == ("won", "4.1.1")
    row = settle(TABLE, Outcome((1, 2, 3)), [Wager("a", "small", "7")]).results[0]
    assert (row.result, row.clause) == ("won", "3.3.1.1, 4.1.1")


@pytest.mark.parametrize(
    "wager",
    [
        Wager("a", ["small"], "7"),  # pyright: ignore[reportArgumentType]
        Wager("a", "small", 7),  # pyright: ignore[reportArgumentType]
        Wager("a", "small", 7.0),  # pyright: ignore[reportArgumentType]
        Wager("a", "small", None),  # pyright: ignore[reportArgumentType]
        Wager("a", "small", {"7": 7}),  # pyright: ignore[reportArgumentType]
        Wager(7, "small", "7"),  # pyright: ignore[reportArgumentType]
        Wager(None, ["small"], "7"),  # pyright: ignore[reportArgumentType]
        Wager("\ud800", "small", "7"),
    ],
)
def test_what_is_not_text_is_refused_by_every_way_of_settling(wager):
    outcome = Outcome((1, 2, 3))
    row = settle_wager(TABLE, outcome, wager)
    assert (row.result, row.returned) == ("refused", "0.00")
    assert "malformed" in row.reason
    assert settle(TABLE, outcome, [wager]).results == (row,)


def test_ids_in_any_script_are_settled_once():
    placed = [Wager(identity, "small", "7") for identity in ("注1", "é", "注1", "a", "é")]
    rows = settle(TABLE, Outcome((1, 2, 3)), placed).results
    assert [row.result for row in rows] == ["won", "won", "refused", "won", "refused"]


@pytest.mark.parametrize(
    "faces",
    [(1, 2), (1, 2, 3, 4), (0, 1, 2), (1, 2, 7), (1, 2, True), (1.0, 2, 3), ("1", 2, 3), [1, 2, 3], None],
)
def test_an_outcome_is_three_faces_or_an_error(faces):
    with pytest.raises(OutcomeError):
        Outcome(faces)
