"""How small a rate is, told from counts: exact (Clopper and Pearson, Biometrika 26, 1934) binomial bounds."""

import math


def clopper_pearson(events: int, trials: int, confidence: float = 0.95) -> tuple[float, float]:
    """(lower, upper) of a rate, each one-sided at `confidence`: no event in n bounds it by about 3 / n.

    ValueError unless 0 <= events <= trials and 0 < confidence < 1. Without trials nothing is known: (0, 1).
    """
    if not 0 <= events <= trials or not 0 < confidence < 1:
        raise ValueError(f"{events} of {trials} at {confidence}: not a count of trials and a confidence")
    tail = 1 - confidence
    lower = 0.0 if events == 0 else _solve(lambda rate: 1 - _at_most(events - 1, trials, rate) - tail)
    upper = 1.0 if events == trials else _solve(lambda rate: tail - _at_most(events, trials, rate))
    return lower, upper


def _at_most(events: int, trials: int, rate: float) -> float:
    """Probability of at most so many events. Terms in logarithms: they underflow in products."""
    logs = math.log(rate), math.log1p(-rate)
    choose = math.lgamma(trials + 1)
    return sum(
        math.exp(
            choose - math.lgamma(k + 1) - math.lgamma(trials - k + 1) + k * logs[0] + (trials - k) * logs[1]
        )
        for k in range(events + 1)
    )


def _solve(rising) -> float:
    """Zero of a rising function on (0, 1) by halving."""
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if rising(middle) < 0 else (low, middle)
    return (low + high) / 2
