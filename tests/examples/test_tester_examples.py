"""The examples of docs/testers.md, as they stand there: what a tester writes."""

import pytest


def test_an_opened_dome_voids_the_round(tumbler_board):
    tumbler_board.during("stroke", nth=2, levels={"dome-closed": False})
    assert tumbler_board.play().fact == "dome-open"


def test_no_round_is_played_with_the_door_open(tumbler_board, tumbler_pins):
    tumbler_pins.set("door-closed", False)
    assert tumbler_board.play().fact == "never-opened"


@pytest.mark.tumbler(mode="open")
def test_a_round_survives_a_power_cut_as_void(tumbler_board):
    tumbler_board.during("capture", nth=3, power_off_ms=500)
    assert tumbler_board.play().fact == "power-interruption"
    assert tumbler_board.records[-1].kind == "void"
