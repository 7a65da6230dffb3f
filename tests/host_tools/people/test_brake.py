"""Wrong passwords make a name or an address wait; right ones never do, however many come at once."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from host_tools.people import SignInRefused, TooManyTries
from host_tools.people.brake import FREE_TRIES, FREE_TRIES_OF_ADDRESS, LONGEST_WAIT_S, Brake

HERE = "10.0.0.1"


class Door:
    """Sign-ins that take as long as a hash does; time passes only when told."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.asked = 0
        self._brake = Brake(lambda: self.now)

    def knock(self, name: str, *, right: bool, address: str = HERE) -> None:
        with self._brake.trying(name, address):
            self.asked += 1
            time.sleep(0.02)
            if not right:
                raise SignInRefused("wrong")

    def is_barred(self, name: str) -> bool:
        try:
            self.knock(name, right=True)
        except TooManyTries:
            return True
        return False


@pytest.fixture
def door() -> Door:
    return Door()


def at_once(knocks: list[Callable[[], None]]) -> list[type | None]:
    """What became of each: the kind of its refusal, or None."""
    with ThreadPoolExecutor(len(knocks)) as pool:
        ends = [pool.submit(knock) for knock in knocks]
        return [type(each.exception()) if each.exception() else None for each in ends]


@pytest.mark.parametrize("names", [1, 60])
def test_right_ones_at_once_are_all_let_in(door, names):
    knocks = [lambda each=each: door.knock(f"Dealer {each % names}", right=True) for each in range(60)]
    assert at_once(knocks) == [None] * 60


def test_right_ones_among_wrong_ones_of_others_are_let_in(door):
    knocks = [lambda: door.knock("Grace", right=False) for _ in range(30)]
    knocks += [lambda each=each: door.knock(f"Dealer {each}", right=True) for each in range(30)]
    assert at_once(knocks)[30:] == [None] * 30


@pytest.mark.parametrize("address", [lambda each: HERE, lambda each: f"10.0.1.{each}"])
def test_wrong_ones_at_once_get_no_more_answers_than_one_after_another(door, address):
    knocks = [lambda each=each: door.knock("Ada", right=False, address=address(each)) for each in range(40)]
    refused = at_once(knocks)
    assert refused.count(SignInRefused) == door.asked == FREE_TRIES
    assert refused.count(TooManyTries) == 40 - FREE_TRIES


def test_wrong_ones_at_once_for_many_names_are_bounded_by_their_address(door):
    refused = at_once([lambda each=each: door.knock(f"name {each}", right=False) for each in range(80)])
    assert refused.count(SignInRefused) == door.asked == FREE_TRIES_OF_ADDRESS
    assert door.is_barred("Ada")


def test_one_persons_wrong_ones_bar_nobody_else_at_the_address_however_long_they_go_on(door):
    for _ in range(2000):  # two hours: while a name waits, its tries count for nothing
        door.now += 4
        try:
            door.knock("Grace", right=False)
        except (SignInRefused, TooManyTries):
            continue
    assert not door.is_barred("Ada")


def test_right_ones_between_wins_the_address_no_more_wrong_ones(door):
    for number in range(FREE_TRIES_OF_ADDRESS):
        assert not door.is_barred("Ada")
        with pytest.raises(SignInRefused):
            door.knock(f"name {number}", right=False)
    assert door.is_barred("Ada")
    door.now += LONGEST_WAIT_S
    assert not door.is_barred("Ada")


def test_an_error_that_says_nothing_of_the_password_counts_for_nothing(door):
    for _ in range(2 * FREE_TRIES):
        with pytest.raises(OSError, match="disk"), door._brake.trying("Ada", HERE):
            raise OSError("disk")
    assert not door.is_barred("Ada")
