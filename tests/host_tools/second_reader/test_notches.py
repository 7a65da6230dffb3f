"""A piece broken out of an edge is told from what only looks like one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from host_tools.second_reader.notches import MOST_NOTCH, UNSEEN, deepest_notch

PLACES = 25


def whole(noise: float = 0.0, seed: int = 0) -> np.ndarray:
    return 1 + noise * np.random.default_rng(seed).standard_normal((4, PLACES))


@pytest.mark.parametrize("edge", range(4))
@pytest.mark.parametrize("place", range(PLACES - 2))
def test_three_places_that_end_sooner_are_a_notch_wherever_they_are(edge: int, place: int) -> None:
    ends = whole(0.005)
    ends[edge, place : place + 3] -= 0.12
    assert deepest_notch(ends) > MOST_NOTCH


@given(st.integers(0, 1000), st.lists(st.floats(-0.03, 0.03), min_size=4, max_size=4))
def test_a_face_that_is_taken_to_lie_aside_has_none(seed: int, aside: list[float]) -> None:
    assert deepest_notch(whole(0.004, seed) + np.array(aside)[:, None]) < MOST_NOTCH


@pytest.mark.parametrize("end", range(1, PLACES))
def test_a_side_that_is_lit_in_part_makes_none_beside_it(end: int) -> None:
    ends = whole(0.004)
    ends[2, :end] += 0.15
    assert deepest_notch(ends) < MOST_NOTCH


def test_one_place_is_none() -> None:
    ends = whole()
    ends[1, 12] -= 0.2
    assert deepest_notch(ends) == pytest.approx(0)


def test_places_that_a_neighbour_hides_tell_nothing() -> None:
    ends = whole()
    ends[0, 5:20] = UNSEEN
    assert deepest_notch(ends) == pytest.approx(0)
    ends[0, 20:23] -= 0.1
    assert deepest_notch(ends) > MOST_NOTCH
    ends[:] = UNSEEN
    assert deepest_notch(ends) == 0
