"""For whatever the tumbler and the round say there is one thing to do next, and it is never a guess."""

import itertools

import pytest

from host_tools.ledger.schema import STATES
from host_tools.service.steps import REMEDIES, STEPS, announcement, next_step
from tumbler.definitions import DEVICE_STATES, LATCHING_FACTS

LATEST = [None, *itertools.product(("covered", "open"), STATES)]


def ask(**changed):
    status = {"state": "idle", "faults": [], "covered": True}
    told = {
        "play_mode": "covered",
        "recovered": True,
        "quarantined": False,
        "status": status,
        "latest": None,
        "waiting": False,
    }
    return next_step(**{**told, **changed})


def test_every_combination_has_a_step():
    seen = set()
    for device, latest, covered, faults, waiting in itertools.product(
        DEVICE_STATES, LATEST, (True, False), ([], ["dome-open"]), (True, False)
    ):
        status = {"state": device, "faults": faults, "covered": covered}
        seen.add(ask(status=status, latest=latest, waiting=waiting))
    assert seen | {"recover", "quarantined", "connect"} == set(STEPS)


def test_nothing_is_offered_while_nobody_knows_the_table():
    for latest in LATEST:
        assert ask(latest=latest, status=None) == "connect"
        assert ask(latest=latest, recovered=False) == "recover"
        assert ask(latest=latest, quarantined=True) == "quarantined"


def test_no_round_opens_over_a_fault_a_referral_or_an_open_cover():
    assert ask(status={"state": "faulted", "faults": ["dome-open"], "covered": True}) == "clear-fault"
    assert ask(latest=("covered", "referred")) == "open-round"
    assert ask(status={"state": "idle", "faults": [], "covered": False}) == "close-cover"
    assert ask(play_mode="open", status={"state": "idle", "faults": [], "covered": False}) == "open-round"


@pytest.mark.parametrize("fact", LATCHING_FACTS)
def test_every_fault_has_a_remedy(fact):
    assert REMEDIES[fact]


def test_what_is_announced():
    assert announcement(("open", "betting"), None) == "Place your bets"
    assert announcement(("open", "closed"), None) == "No more bets"
    assert announcement(("open", "settled"), (1, 2, 4)) == "1 2 4"
    assert announcement(("open", "void"), None) == announcement(None, None) == ""
