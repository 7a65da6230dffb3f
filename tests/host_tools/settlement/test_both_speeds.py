"""Every wager of every layout on every throw: the scalar function, the arrays and the documents agree."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from host_tools.rulebooks import load_rulebook
from host_tools.settlement import (
    LARGEST_STAKE,
    Outcome,
    OutcomeError,
    PayoffTable,
    StakesError,
    Table,
    Wager,
    minor_from_text,
    open_table,
    settle,
    settle_wager,
)
from tests.host_tools.published_rules import LAYOUTS, MULTISETS, published_odds

THROWS = list(product((1, 2, 3, 4, 5, 6), repeat=3))


def table_of(book: str, layout: str) -> Table:
    accepted = ["big"] if layout == "as-printed" else []
    return open_table(load_rulebook(book), layout, chip_unit="1", accept_player_advantage=accepted)


def outcome_of(table: Table, throw: tuple[int, ...]) -> Outcome:
    first, second, third = throw
    return Outcome((first, second, third), "cards" if table.rulebook.decks else "dice")


@pytest.mark.parametrize(("book", "layout"), LAYOUTS)
def test_every_wager_on_every_throw_is_paid_as_printed(book, layout):
    table = table_of(book, layout)
    for throw in THROWS:
        outcome = outcome_of(table, throw)
        settlement = settle(table, outcome, [Wager(wager, wager, "7") for wager in table.layout.offers])
        for row in settlement.results:
            odds = published_odds(book, layout, row.wager, throw)
            expected = ("lost", None, 0, 0) if odds is None else ("won", odds, 7 * odds, 7 + 7 * odds)
            paid_at = None if row.odds is None else Fraction(row.odds)
            assert (row.result, paid_at, Fraction(row.payout), Fraction(row.returned)) == expected, (
                throw,
                row,
            )


@pytest.mark.parametrize(("book", "layout"), LAYOUTS)
def test_arrays_agree_with_the_scalar_function_on_every_throw(book, layout):
    table = table_of(book, layout)
    payoffs = PayoffTable(table)
    numbers = payoffs.numbers(table.layout.offers)
    stakes = np.arange(1, len(numbers) + 1, dtype=np.int64) * 100
    for throw in [*THROWS, *MULTISETS]:
        outcome = outcome_of(table, throw)
        paid = payoffs.settle(outcome, numbers, stakes)
        rows = [
            settle_wager(table, outcome, Wager("any", wager, table.text(int(stake))))
            for wager, stake in zip(table.layout.offers, stakes, strict=True)
        ]
        assert paid.payout.tolist() == [minor_from_text(row.payout, 2) for row in rows]
        assert paid.returned.tolist() == [minor_from_text(row.returned, 2) for row in rows]


RAPID = table_of("mbs-electronic-sic-bo-v4", "rapid-select")
PAYOFFS = PayoffTable(RAPID)
FACE = st.integers(1, 6)
THROW = st.tuples(FACE, FACE, FACE)
PLACED = st.lists(
    st.tuples(st.integers(0, len(PAYOFFS.wagers) - 1), st.integers(1, LARGEST_STAKE // 100)), max_size=40
)


@given(throw=THROW, placed=PLACED)
def test_any_stakes_are_settled_alike_by_objects_scalar_and_arrays(throw, placed):
    outcome = Outcome(throw)
    wagers = [
        Wager(str(number), PAYOFFS.wagers[wager], str(stake)) for number, (wager, stake) in enumerate(placed)
    ]
    settlement = settle(RAPID, outcome, wagers)
    assert list(settlement.results) == [settle_wager(RAPID, outcome, wager) for wager in wagers]
    paid = PAYOFFS.settle(
        outcome,
        np.array([wager for wager, _ in placed], dtype=np.int32),
        np.array([stake * 100 for _, stake in placed], dtype=np.int64),
    )
    assert paid.returned.tolist() == [minor_from_text(row.returned, 2) for row in settlement.results]
    for row, wager in zip(settlement.results, wagers, strict=True):
        odds = published_odds(RAPID.rulebook.id, RAPID.layout.id, wager.wager, throw)
        assert Fraction(row.returned) == (0 if odds is None else Fraction(wager.stake) * (1 + odds))


def test_the_largest_stake_at_the_largest_odds_does_not_overflow():
    number = PAYOFFS.numbers(["triple:6"])
    stake = np.array([LARGEST_STAKE], dtype=np.int64)
    assert PAYOFFS.settle(Outcome((6, 6, 6)), number, stake).payout.tolist() == [195 * LARGEST_STAKE]
    with pytest.raises(StakesError, match="above the most"):
        PAYOFFS.settle(Outcome((6, 6, 6)), number, stake + 100)
    above = Wager("a", "triple:6", RAPID.text(LARGEST_STAKE + 100))
    assert settle_wager(RAPID, Outcome((6, 6, 6)), above).result == "refused"


def test_the_largest_odds_a_rulebook_may_have_fit_64_bits():
    from host_tools.rulebooks.reading import odds_from_text

    assert odds_from_text("1000000") is None
    most = odds_from_text("999999.9999")
    assert most is not None
    assert LARGEST_STAKE * (1 + most) < 2**63


@pytest.mark.parametrize(
    ("wagers", "stakes", "reason"),
    [
        ([0, 1], [100, 150], "position 1: 150 is no multiple of the chip unit"),
        ([0, 1], [0, 100], "position 0: 0 is below the least"),
        ([0, 1], [100, -100], "position 1: -100 is below the least"),
        ([0, 104], [100, 100], "position 1: 104 is no wager"),
        ([-1, 0], [100, 100], "position 0: -1 is no wager"),
        ([0], [100, 100], "one length"),
        ([[0]], [[100]], "one length"),
    ],
)
def test_bad_arrays_are_refused_whole(wagers, stakes, reason):
    with pytest.raises(StakesError, match=reason):
        PAYOFFS.settle(Outcome((1, 2, 3)), np.array(wagers, dtype=np.int32), np.array(stakes, dtype=np.int64))


def test_arrays_of_floats_are_refused():
    good, bad = np.array([0]), np.array([100.0])
    with pytest.raises(StakesError, match="int64"):
        PAYOFFS.settle(Outcome((1, 2, 3)), good, bad)  # pyright: ignore[reportArgumentType]
    with pytest.raises(StakesError, match="int64"):
        PAYOFFS.settle(Outcome((1, 2, 3)), bad, good)  # pyright: ignore[reportArgumentType]
    with pytest.raises(StakesError, match="int64"):
        PAYOFFS.settle(Outcome((1, 2, 3)), good, good.astype(np.int32))  # pyright: ignore[reportArgumentType]


def test_empty_arrays_are_settled():
    paid = PAYOFFS.settle(Outcome((1, 2, 3)), np.array([], dtype=np.int32), np.array([], dtype=np.int64))
    assert paid.payout.size == paid.returned.size == 0


def test_unknown_wagers_and_the_wrong_game_are_refused():
    with pytest.raises(StakesError, match="double-single:1-1-2"):
        PAYOFFS.numbers(["small", "double-single:1-1-2"])
    with pytest.raises(OutcomeError, match="dice"):
        PAYOFFS.settle(Outcome((1, 2, 3), "cards"), PAYOFFS.numbers(["small"]), np.array([100]))


@settings(max_examples=50)
@given(wager=st.integers(0, 49), stake=st.integers(1, 3000), book=st.sampled_from(["eur-1", "eur-10"]))
def test_arrays_and_objects_have_the_same_limits(wager, stake, book):
    table = open_table(load_rulebook("duisburg-sic-bo-2019"), "big-from-11", limits=book, chip_unit="1")
    payoffs = PayoffTable(table)
    name = payoffs.wagers[wager]
    taken = table.check(Wager("a", name, str(stake))) is None
    try:
        payoffs.settle(Outcome((1, 2, 3)), np.array([wager]), np.array([stake * 100]))
        assert taken
    except StakesError:
        assert not taken
