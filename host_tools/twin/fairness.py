"""Are the dice fair? Counts and chi-square tests over many rounds: each die, the totals, round after round.

p is the probability that fair dice deviate at least as much; below a thousandth they are hardly fair.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class ChiSquare:
    """A chi-square test: what was counted, the statistic, its degrees of freedom and p."""

    counts: tuple[int, ...]
    statistic: float
    freedom: int
    p: float


@dataclass(frozen=True, slots=True)
class Fairness:
    """Many rounds judged. `faces`: of all dice together, 1 to 6; `dice`: each die's; `totals`: sums of a
    round, the least first; `following`: 36 counts, by the face before and then the face after;
    `kept`: share of dice that show after a round what they showed before (fair: 1/6)."""

    rounds: int
    faces: ChiSquare
    dice: tuple[ChiSquare, ...]
    totals: ChiSquare
    following: ChiSquare
    kept: float

    @property
    def least_p(self) -> float:
        """The smallest p of all tests."""
        return min(test.p for test in (self.faces, *self.dice, self.totals, self.following))


Rounds = Sequence[Sequence[int]] | NDArray[np.int64]


def judge(before: Rounds, after: Rounds) -> Fairness:
    """`before`, `after`: faces 1 to 6 that each die showed before and after each round, rounds x dice."""
    first, last = np.array(before, dtype=np.int64) - 1, np.array(after, dtype=np.int64) - 1
    number = last.shape[1]
    following = np.bincount((6 * first + last).ravel(), minlength=36)
    return Fairness(
        rounds=len(last),
        faces=chi_square(np.bincount(last.ravel(), minlength=6)),
        dice=tuple(chi_square(np.bincount(last[:, i], minlength=6)) for i in range(number)),
        totals=chi_square(np.bincount(last.sum(1), minlength=5 * number + 1), _ways(number)),
        following=_independence(following.reshape(6, 6)),
        kept=float((first == last).mean()),
    )


def chi_square(counts: Sequence[int] | NDArray[np.int64], weights: Sequence[int] | None = None) -> ChiSquare:
    """Counts against `weights` (equal ones unless given), in whose proportion they are expected."""
    seen = np.array(counts, dtype=np.float64)
    share = np.ones(len(seen)) if weights is None else np.array(weights, dtype=np.float64)
    expected = seen.sum() * share / share.sum()
    return _test(seen, expected, len(seen) - 1)


def _independence(table: NDArray[np.int64]) -> ChiSquare:
    """A table's rows against its columns; a row or column without any count adds no freedom."""
    across, down = table.sum(1), table.sum(0)
    table = table[across > 0][:, down > 0]
    expected = np.outer(table.sum(1), table.sum(0)) / max(1, table.sum())
    return _test(table.ravel(), expected.ravel(), (table.shape[0] - 1) * (table.shape[1] - 1))


def _test(seen: NDArray, expected: NDArray[np.float64], freedom: int) -> ChiSquare:
    statistic = float(((seen - expected) ** 2 / np.where(expected > 0, expected, 1)).sum())
    return ChiSquare(tuple(int(n) for n in seen), statistic, freedom, chi_square_p(statistic, freedom))


def _ways(dice: int) -> list[int]:
    ways = [0] * (5 * dice + 1)
    for faces in product(range(6), repeat=dice):
        ways[sum(faces)] += 1
    return ways


def chi_square_p(statistic: float, freedom: int) -> float:
    """Probability of at least `statistic` with `freedom` degrees: the regularised upper incomplete gamma
    function Q(freedom/2, statistic/2), by its series below the bend and by Lentz's continued fraction above
    (Numerical Recipes, 6.2)."""
    a, x = freedom / 2, statistic / 2
    if x <= 0 or a <= 0:
        return 1.0
    scale = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        n = a
        while term > total * 1e-16:
            n += 1
            term *= x / n
            total += term
        return max(0.0, 1 - scale * total)
    b = x + 1 - a
    c, d = 1e300, 1 / b
    fraction = d
    for i in range(1, 1000):
        factor = i * (a - i)
        b += 2
        d = 1 / (factor * d + b)
        c = b + factor / c
        fraction *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return scale * fraction
