"""Corners of a face, where a chip leaves a hollow, and whether one is so much darker than another."""

from .refusal import Refused

CORNERS = ((-1, -1), (-1, 1), (1, -1), (1, 1))
SPOTS = ((0.42, 0.42), (0.42, 0.35), (0.35, 0.42), (0.37, 0.37), (0.40, 0.40))  # of a corner, off its pip
OUTER = 0.40  # half-width at which corners are looked at; beyond it the rounded rim begins

_DIFFERENCE = 3  # levels that noise may make


def refuse_hollow(darkest, other, share):
    """Margin, 0 to 1, of the darkest corner against another; Refused when it is below that share of it."""
    margin = darkest - share * other
    if margin >= 0:
        return margin / (other - share * other) if other else 1
    if other - darkest > _DIFFERENCE:
        raise Refused("die-damaged", "corner")
    return 0
