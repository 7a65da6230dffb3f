"""Chi-square values from printed tables, and loaded dice found out."""

import numpy as np
import pytest

from host_tools.twin.fairness import chi_square, chi_square_p, judge


@pytest.mark.parametrize(
    ("statistic", "freedom", "p"),
    [  # NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.4
        (3.841, 1, 0.05),
        (11.070, 5, 0.05),
        (15.086, 5, 0.01),
        (20.515, 5, 0.001),
        (1.145, 5, 0.95),
        (24.996, 15, 0.05),
        (37.652, 25, 0.05),
        (124.342, 100, 0.05),
    ],
)
def test_p_agrees_with_printed_tables(statistic, freedom, p):
    assert chi_square_p(statistic, freedom) == pytest.approx(p, rel=2e-3)


def test_p_of_the_ends_and_of_two_degrees_which_is_an_exponential():
    assert chi_square_p(0, 5) == 1
    assert chi_square_p(5000, 5) == 0
    for statistic in (0.01, 1, 3.9, 4.1, 30):
        assert chi_square_p(statistic, 2) == pytest.approx(np.exp(-statistic / 2), rel=1e-12)


def test_equal_counts_are_as_fair_as_can_be_and_one_sided_ones_are_not():
    assert chi_square([100] * 6).p == 1
    assert chi_square([600, 0, 0, 0, 0, 0]).p < 1e-100


def rounds(rng, count, weights=None):
    return rng.choice([1, 2, 3, 4, 5, 6], p=weights, size=(count, 3))


def test_fair_rounds_pass_and_p_is_spread_evenly():
    rng = np.random.default_rng(3)
    found = [judge(rounds(rng, 600), rounds(rng, 600)) for _ in range(200)]
    for name in ("faces", "totals", "following"):
        share = np.mean([getattr(each, name).p < 0.2 for each in found])
        assert 0.1 < share < 0.3
    assert 0.1 < np.mean([die.p < 0.2 for each in found for die in each.dice]) < 0.3
    assert np.mean([each.kept for each in found]) == pytest.approx(1 / 6, abs=0.003)


def test_a_loaded_die_and_dice_that_keep_their_faces_are_found():
    rng = np.random.default_rng(4)
    before, after = rounds(rng, 3000), rounds(rng, 3000)
    loaded = after.copy()
    loaded[:, 1] = rng.choice([1, 2, 3, 4, 5, 6], p=[0.1, 0.16, 0.16, 0.16, 0.16, 0.26], size=3000)
    judged = judge(before, loaded)
    assert judged.dice[1].p < 1e-6
    assert min(judged.dice[0].p, judged.dice[2].p) > 1e-4
    assert judged.least_p < 1e-6
    lazy = np.where(rng.uniform(size=after.shape) < 0.14, before, after)
    judged = judge(before, lazy)
    assert judged.kept == pytest.approx(0.283, abs=0.02)
    assert judged.following.p < 1e-6
    assert judged.faces.p > 1e-4


def test_counts_are_by_face_by_total_and_by_face_before_and_after():
    judged = judge([(1, 2, 3), (1, 1, 1)], [(1, 2, 6), (6, 6, 6)])
    assert judged.faces.counts == (1, 1, 0, 0, 0, 4)
    assert judged.dice[0].counts == (1, 0, 0, 0, 0, 1)
    assert judged.totals.counts[9 - 3] == judged.totals.counts[18 - 3] == 1
    assert judged.following.freedom == 4
    assert judged.kept == pytest.approx(2 / 6)
