"""What all dice of a scene lean alike, outward or inward, is no lean; what one leans by itself is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from host_tools.second_reader.leans import Lean, own_tilt

MM = st.floats(-45, 45)
PLACES = st.tuples(MM, MM).map(np.array)


def tangents(degrees: float, way: float) -> np.ndarray:
    return np.tan(np.radians(degrees)) * np.array([np.cos(way), np.sin(way)])


def common(place: np.ndarray, alike: float) -> Lean:
    return place, alike * place


@given(PLACES, PLACES, PLACES, st.floats(-0.0024, 0.0024))
def test_dice_that_seem_to_lean_alike_lean_no_more_than_they_seem_to(first, second, third, alike):
    seen = np.degrees(np.arctan(np.hypot(*(alike * first))))
    assert own_tilt(*common(first, alike), [common(second, alike), common(third, alike)]) <= seen + 1e-9


@pytest.mark.parametrize("alike", [-0.0015, 0.0015, 0.0024])
def test_level_dice_off_the_middle_lean_hardly(alike):
    first, second, third = (np.array(place) for place in ([40.0, 5.0], [-35.0, 20.0], [10.0, -40.0]))
    assert own_tilt(*common(first, alike), [common(second, alike), common(third, alike)]) < 1.5


@given(PLACES, PLACES, PLACES, st.floats(0, 2 * np.pi), st.floats(6.5, 40))
def test_a_cocked_die_among_level_ones_stays_cocked(first, second, third, way, degrees):
    level = [(second, np.zeros(2)), (third, np.zeros(2))]
    assert own_tilt(first, tangents(degrees, way), level) == pytest.approx(degrees)


def test_a_cocked_die_makes_no_other_look_level():
    place = np.array([30.0, 0.0])
    beside = np.array([-30.0, 10.0]), tangents(25, np.pi)
    assert own_tilt(place, tangents(7, 0), [beside, (np.array([0.0, 20.0]), np.zeros(2))]) > 6.5
