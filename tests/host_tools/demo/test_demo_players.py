"""Simulated players bet only what the layout offers, in stakes the table takes, repeatably for a seed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from host_tools.bridge.events import RoundOutcome, WagerOutcome
from host_tools.bridge.table import Wager
from host_tools.demo.players import STYLES, Seat, seat_players
from host_tools.rulebooks import load_rulebook
from host_tools.settlement import Wager as Staked
from host_tools.settlement import WagerRefusedError, open_table

RULEBOOK = load_rulebook("mbs-electronic-sic-bo-v4")
TERMS = {name: open_table(RULEBOOK, name, chip_unit="0.50") for name in RULEBOOK.layouts}


@given(seed=st.text(max_size=8), layout=st.sampled_from(sorted(TERMS)))
def test_wagers_are_of_the_layout_and_only_an_empty_hand_is_refused(seed: str, layout: str) -> None:
    terms = TERMS[layout]
    for seat in seat_players(terms):
        wagers = seat.wagers(seed)
        assert wagers
        assert len({wager.id for wager in wagers}) == len(wagers)
        assert len({wager.wager for wager in wagers}) == len(wagers), "a player names a wager once a round"
        for wager in wagers:
            assert wager.wager in terms.layout.offers
            if wager.stake == "0.00":
                with pytest.raises(WagerRefusedError):
                    terms.accept(Staked(wager.id, wager.wager, wager.stake))
            else:
                terms.accept(Staked(wager.id, wager.wager, wager.stake))


def test_the_same_seed_gives_the_same_wagers() -> None:
    terms = TERMS["rapid-select"]

    def first_rounds(seed: str) -> list[Wager]:
        seats = seat_players(terms)
        return [wager for number in range(20) for seat in seats for wager in seat.wagers(f"{seed}/{number}")]

    assert first_rounds("7") == first_rounds("7")
    assert first_rounds("7") != first_rounds("8")


def test_now_and_then_a_wager_is_refused() -> None:
    terms = TERMS["rapid-select"]
    stakes = [w.stake for n in range(100) for seat in seat_players(terms) for w in seat.wagers(f"7/{n}")]
    assert 5 <= stakes.count("0.00") <= 30


def test_the_doubler_doubles_after_a_loss_and_starts_again_after_a_win() -> None:
    seat = Seat("Arun", STYLES["Arun"], TERMS["rapid-select"])

    def play(result: str, returned: str) -> str:
        (wager,) = seat.wagers("7")
        won = WagerOutcome("a", "Arun", wager.wager, wager.stake, result, "", "0.00", returned, "3.3")
        seat.learn(RoundOutcome(b"r" * 16, "settled", (1, 2, 3), "", "settle", "3.5", 1, (won,)))
        return wager.stake

    assert [play("lost", "0.00") for _ in range(6)] == [
        "10.00",
        "20.00",
        "40.00",
        "80.00",
        "160.00",
        "160.00",
    ]
    assert play("void", "160.00") == "160.00", "a void round is no loss"
    assert play("won", "320.00") == "160.00"
    assert play("lost", "0.00") == "10.00"
