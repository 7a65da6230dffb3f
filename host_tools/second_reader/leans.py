"""How far a die leans, without what the scene's other dice seem to lean in common.

Level faces seem to lean outward or inward, the more the farther off the platform's middle they lie, when they
are rough or glossy, or when the lamps' beams or the camera's curve are not quite what the profile says; those
of one scene do so alike. A die that is cocked does not excuse itself.
"""

import numpy as np

_MOST = 0.0026  # tangent for a mm off the middle: level dice of the roughest make have 0.0023
_DOUBT = 300.0  # mm^2: the others are believed by the squares of their ways off the middle
_COCKED = 10.0  # degrees that no level die seems to lean
_TURN = 240.0  # mm: a rough face shows less of its own lean, too; for half a thousandth a mm an eighth less

Lean = tuple[np.ndarray, np.ndarray]  # of a die: mm from the platform's middle, and tangents of its lean


def own_tilt(place: np.ndarray, slope: np.ndarray, others: list[Lean]) -> float:
    """Degrees that a die at a place leans by itself, by its slope and those of the scene's other dice.

    No more than it seems to lean: what the others tell has their own noise.
    """
    level = [(at, lean) for at, lean in others if _degrees(lean) < _COCKED]
    outward = sum(float(at @ lean) for at, lean in level)
    ways = sum(float(at @ at) for at, _ in level)
    common = float(np.clip(outward / (ways + _DOUBT), -_MOST, _MOST))
    return min(_degrees(slope), _degrees(slope - common * place) / min(1.0, 1 + _TURN * common))


def _degrees(slope: np.ndarray) -> float:
    return float(np.degrees(np.arctan(np.hypot(*slope))))
