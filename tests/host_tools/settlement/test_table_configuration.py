"""What a table can be opened with, and which wagers it takes: exact money or a refusal that says why."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host_tools.rulebooks import UnknownLayoutError, UnknownLimitsError, load_rulebook
from host_tools.settlement import (
    LARGEST_STAKE,
    ChipUnitError,
    MalformedAmountError,
    Outcome,
    PlayerAdvantageError,
    TableError,
    Wager,
    minor_from_text,
    open_table,
    settle,
    text_from_minor,
)
from tests.host_tools.published_rules import published_odds

RAPID = load_rulebook("mbs-electronic-sic-bo-v4")
FACE = st.integers(1, 6)
DUISBURG = load_rulebook("duisburg-sic-bo-2019")


@given(minor=st.integers(0, 10**18), decimals=st.integers(0, 4))
def test_money_survives_the_way_to_text_and_back(minor, decimals):
    text = text_from_minor(minor, decimals)
    assert minor_from_text(text, decimals) == minor
    assert Fraction(text) == Fraction(minor, 10**decimals)


@given(text=st.text(max_size=12), decimals=st.integers(0, 4))
def test_any_text_is_an_exact_amount_or_an_error(text, decimals):
    try:
        minor = minor_from_text(text, decimals)
    except MalformedAmountError:
        return
    assert text.isascii()
    assert set(text) <= set("0123456789.")
    assert Fraction(minor, 10**decimals) == Fraction(text)


@pytest.mark.parametrize(
    "text",
    [
        *("1e3", "-5", "+5", "10.005", "NaN", "Infinity", "1,000", "1.000,00", "1_000", "5,50", "1\u00a0000"),
        *(
            "١٠",
            "１０",
            "½",
            "1/2",
            "0x10",
            "5.",
            ".5",
            "1.2.3",
            "007",
            "",
            " ",
            "10 ",
            " 10",
            "10\n",
            "9" * 100,
        ),
    ],
)
def test_what_is_no_amount(text):
    with pytest.raises(MalformedAmountError):
        minor_from_text(text, 2)


@given(decimals=st.integers(0, 4), unit=st.integers(1, 500))
def test_a_chip_unit_opens_exactly_when_every_odds_is_paid_exactly(decimals, unit):
    odds = RAPID.layout("rapid-select").all_odds()
    text = text_from_minor(unit, decimals)
    if all((each * unit).denominator == 1 for each in odds):
        assert open_table(RAPID, "rapid-select", decimals=decimals, chip_unit=text).chip_unit == unit
    else:
        with pytest.raises(ChipUnitError, match=r"at 6\.5 to 1, 7\.5 to 1, 8\.5 to 1, 11\.5 to 1"):
            open_table(RAPID, "rapid-select", decimals=decimals, chip_unit=text)


@given(
    decimals=st.integers(0, 4),
    chips=st.integers(1, 10**6),
    unit=st.integers(1, 300),
    throw=st.tuples(*[FACE] * 3),
)
def test_every_payout_is_exact_in_every_currency(decimals, chips, unit, throw):
    table = open_table(
        RAPID, "rapid-select", decimals=decimals, chip_unit=text_from_minor(2 * unit, decimals)
    )
    stake = text_from_minor(2 * unit * chips, decimals)
    for row in settle(
        table, Outcome(throw), [Wager(name, name, stake) for name in table.layout.offers]
    ).results:
        odds = published_odds(RAPID.id, "rapid-select", row.wager, throw)
        assert row.result == ("lost" if odds is None else "won")
        assert Fraction(row.returned) == (0 if odds is None else Fraction(stake) * (1 + odds))
        assert len(row.returned.partition(".")[2]) == decimals


@pytest.mark.parametrize("text", ["0", "-1", "1e2", "0.001", "", "99999999999999"])
def test_chip_units_that_are_none(text):
    with pytest.raises(ChipUnitError):
        open_table(RAPID, "rapid-select", chip_unit=text)


def test_a_chip_unit_is_text_and_within_reach():
    with pytest.raises(ChipUnitError, match="decimal text"):
        open_table(RAPID, "rapid-select", chip_unit=1)  # pyright: ignore[reportArgumentType]
    layout = RAPID.layout("rapid-select")
    awkward = dict.fromkeys((1, 2, 3), Fraction(1, 999_983)) | {
        3: Fraction(1, 999_979),
        2: Fraction(1, 999_961),
    }
    offers = tuple(replace(offer, odds=awkward) for offer in layout.sections[0].offers)
    odd = replace(layout, sections=(replace(layout.sections[0], offers=offers),))
    with pytest.raises(ChipUnitError, match="1/999983"):
        open_table(replace(RAPID, layouts={"odd": odd}), "odd")


def test_a_refusal_by_limits_cites_the_row_of_the_limit():
    limits = DUISBURG.limits["eur-5"]
    maxima = limits.maxima | {"big": limits.maxima["big"]._replace(clause="row of Big")}
    rulebook = replace(DUISBURG, limits={"eur-5": replace(limits, clause="table", maxima=maxima)})
    table = open_table(rulebook, "big-from-11", limits="eur-5")
    placed = [Wager("a", "big", "601"), Wager("b", "big", "4")]
    rows = settle(table, Outcome((1, 2, 3)), placed).results
    assert [(row.result, row.clause) for row in rows] == [("refused", "row of Big"), ("refused", "table")]


def test_the_chip_unit_defaults_to_the_least_that_is_paid_exactly():
    assert open_table(RAPID, "rapid-select").chip_unit == 2
    assert open_table(load_rulebook("rws-sic-bo-etg-v8"), "pay-table-3").chip_unit == 1


def test_a_players_advantage_opens_only_when_accepted_by_name():
    with pytest.raises(
        PlayerAdvantageError, match=r"big \(house edge -2/9, -22\.2222 %\).*accept_player_advantage"
    ):
        open_table(DUISBURG, "as-printed")
    with pytest.raises(PlayerAdvantageError):
        open_table(DUISBURG, "as-printed", accept_player_advantage=["small"])
    assert open_table(DUISBURG, "as-printed", accept_player_advantage=["big"]).layout.id == "as-printed"
    with pytest.raises(TableError, match="big"):
        open_table(DUISBURG, "big-from-11", accept_player_advantage=["big"])


def test_unknown_layouts_and_limits_list_those_there_are():
    with pytest.raises(UnknownLayoutError, match="rapid-select, alfastreet"):
        open_table(RAPID, "rapid")
    with pytest.raises(UnknownLimitsError, match="eur-1, eur-2, eur-5, eur-10"):
        open_table(DUISBURG, "big-from-11", limits="eur-3")


def test_limits_must_be_payable_in_chips():
    with pytest.raises(TableError, match="eur-5"):
        open_table(DUISBURG, "big-from-11", limits="eur-5", chip_unit="2")
    with pytest.raises(TableError, match="decimals"):
        open_table(DUISBURG, "big-from-11", decimals=9)


def refusal(table, wager="small", stake="5", identity="a"):
    return table.check(Wager(identity, wager, stake))


def test_reasons_for_refusing_a_wager():
    table = open_table(DUISBURG, "big-from-11", limits="eur-5", chip_unit="0.50")
    assert refusal(table) is None
    assert refusal(table, stake="600") is None
    for stake, reason in {
        "600.50": "outside limits: the most on small is 600.00",
        "4.50": "outside limits: the least stake is 5.00",
        "0": "outside limits",
        "5.25": "not a multiple of the chip unit 0.50",
        "1e3": "malformed stake",
        "10.005": "more than 2 decimals",
    }.items():
        assert reason in (refusal(table, stake=stake) or "taken")
    for wager, reason in {
        "odd": "not on this layout",
        "total:3": "not on this layout",
        "four-number:1-2-3-4": "not on this layout",
        "double:7": "malformed wager",
        "domino:3-3": "malformed wager",
        "domino:5-2": "malformed wager",
        "double": "malformed wager",
        "small:1": "malformed wager",
        "double:３": "malformed wager",
        "": "malformed wager",
        "SMALL": "malformed wager",
    }.items():
        assert reason in (refusal(table, wager=wager) or "taken")
    for identity in ("", "x" * 129):
        assert "malformed id" in (refusal(table, identity=identity) or "taken")
    assert refusal(table, identity="x" * 128) is None


def test_the_limits_of_each_duisburg_table_hold_at_both_ends():
    for minimum, most in (("1", "120"), ("2", "240"), ("5", "600"), ("10", "1200")):
        table = open_table(DUISBURG, "big-from-11", limits=f"eur-{minimum}")
        assert refusal(table, stake=minimum) is None
        assert refusal(table, stake=most) is None
        assert "outside limits" in (refusal(table, stake=f"{int(minimum) - 1}.99") or "taken")
        assert "outside limits" in (refusal(table, stake=f"{most}.01") or "taken")
        assert refusal(table, wager="triple:4", stake=minimum) is None
        assert "outside limits" in (refusal(table, wager="triple:4", stake=f"{minimum}.01") or "taken")


def test_a_stake_beyond_all_bounds_is_refused():
    table = open_table(RAPID, "rapid-select")
    assert refusal(table, stake=table.text(LARGEST_STAKE)) is None
    assert "outside limits" in (refusal(table, stake=table.text(LARGEST_STAKE + 2)) or "taken")
