"""A whole settlement: pure, complete enough to be recomputed, duplicates refused, voids with their clause."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host_tools.rulebooks import UnknownFactError, list_rulebooks, load_rulebook
from host_tools.settlement import (
    NeedsDecisionError,
    Outcome,
    OutcomeError,
    Void,
    Wager,
    open_table,
    settle,
)

TABLE = open_table(load_rulebook("mbs-electronic-sic-bo-v4"), "rapid-select", chip_unit="0.50")
NAMES = [*TABLE.layout.offers, "double:7", "total:3", "", "domino:5-2"]
STAKES = ["1", "2.50", "0.25", "1e3", "0", "-1", "100", "7.5"]
WAGERS = st.lists(
    st.builds(
        Wager, st.sampled_from(["a", "b", "c", "d", "e", ""]), st.sampled_from(NAMES), st.sampled_from(STAKES)
    )
)
OUTCOMES = st.one_of(
    st.builds(Outcome, st.tuples(*[st.integers(1, 6)] * 3)),
    st.sampled_from([Void("not-flat"), Void("dome-open", decided_by="shift manager")]),
)


@given(outcome=OUTCOMES, wagers=WAGERS)
def test_a_settlement_is_pure_and_answers_every_wager_in_order(outcome, wagers):
    settlement = settle(TABLE, outcome, wagers)
    assert settlement == settle(TABLE, outcome, iter(wagers))
    assert [(row.id, row.wager, row.stake) for row in settlement.results] == wagers
    seen = set()
    for row, wager in zip(settlement.results, wagers, strict=True):
        refused = TABLE.check(wager) is not None or wager.id in seen
        seen.add(wager.id)
        assert (row.result == "refused") == refused
        if refused:
            assert row.reason
            assert (row.odds, row.payout, row.returned) == (None, "0.00", "0.00")
        elif isinstance(outcome, Void):
            assert (row.result, row.payout, float(row.returned)) == ("void", "0.00", float(wager.stake))
            assert row.clause in row.reason


@given(outcome=OUTCOMES, wagers=WAGERS)
def test_anyone_can_recompute_a_settlement_from_what_it_carries(outcome, wagers):
    carried = json.loads(json.dumps(settle(TABLE, outcome, wagers).as_dict()))
    book = load_rulebook(carried["rulebook"])
    assert book.digest == carried["digest"]
    table = open_table(
        book,
        carried["layout"],
        limits=carried["limits"],
        decimals=carried["decimals"],
        chip_unit=carried["chip_unit"],
    )
    shown = carried["outcome"]
    again = Void(shown["void"], shown["decided_by"]) if "void" in shown else Outcome(tuple(shown["dice"]))
    placed = [Wager(row["id"], row["wager"], row["stake"]) for row in carried["results"]]
    assert settle(table, again, placed).as_dict() == carried


def test_the_digest_is_that_of_the_file():
    import hashlib

    from host_tools.rulebooks import DATA

    for rulebook in list_rulebooks():
        assert rulebook.digest == hashlib.sha256((DATA / f"{rulebook.id}.toml").read_bytes()).hexdigest()


@pytest.mark.parametrize("rulebook", list_rulebooks(), ids=lambda rulebook: rulebook.id)
def test_every_fact_is_settled_as_its_ruling_says(rulebook):
    layout = next(name for name in rulebook.layouts if name != "as-printed")
    table = open_table(rulebook, layout)
    placed = [Wager("a", "small", "4")]
    for fact, ruling in rulebook.irregularities.items():
        if ruling.action == "settle-by-dice":
            with pytest.raises(OutcomeError, match="settled by the dice"):
                settle(table, Void(fact, "somebody"), placed)
            continue
        if ruling.action == "refer":
            with pytest.raises(NeedsDecisionError, match=rulebook.referral):
                settle(table, Void(fact), placed)
        settlement = settle(table, Void(fact, "somebody"), placed)
        row = settlement.results[0]
        assert (row.result, row.returned, row.clause) == ("void", "4.00", ruling.clause)
        assert settlement.ruling == ruling
        assert settlement.as_dict()["clause"] == ruling.clause


def test_a_fact_nobody_knows_settles_nothing():
    with pytest.raises(UnknownFactError, match="too-few-tumbles"):
        settle(TABLE, Void("not flat"), [])


def test_cards_and_dice_are_not_taken_for_each_other():
    cards = open_table(load_rulebook("mbs-3-card-sic-bo-2016"), "standard")
    with pytest.raises(OutcomeError, match="cards"):
        settle(cards, Outcome((1, 2, 3)), [])
    with pytest.raises(OutcomeError, match="dice"):
        settle(TABLE, Outcome((1, 2, 3), "cards"), [])
    row = settle(cards, Outcome((6, 6, 6), "cards"), [Wager("a", "any-triple", "2")]).results[0]
    assert (row.odds, row.returned) == ("31", "64.00")


def test_duisburg_as_printed_pays_total_ten_twice():
    rulebook = load_rulebook("duisburg-sic-bo-2019")
    placed = [Wager("s", "small", "5"), Wager("b", "big", "5")]

    def results(layout, **accepted):
        return [
            row.result
            for row in settle(open_table(rulebook, layout, **accepted), Outcome((1, 3, 6)), placed).results
        ]

    assert results("as-printed", accept_player_advantage=["big"]) == ["won", "won"]
    assert results("big-from-11") == ["won", "lost"]


def test_many_distinct_stakes_are_settled_like_few():
    placed = [Wager(str(number), "total:10", f"{number}.50") for number in range(1, 60_000)]
    results = settle(TABLE, Outcome((5, 4, 1)), placed).results
    for number in (1, 2, 49_999, 50_001, 59_999):
        row = results[number - 1]
        assert (row.stake, float(row.payout)) == (f"{number}.50", (number + 0.5) * 6.5)
