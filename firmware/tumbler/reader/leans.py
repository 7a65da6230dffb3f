"""How far a die leans, without what all dice of its scene seem to lean in common.

No face is as matt as Lambert's law has it. A rough one loses less of its light as the lamp stands lower (Oren
and Nayar 1994), a glossy one more, so that level dice seem to lean towards the platform's middle or away from
it, the more the farther off it they lie. Dice of one make do so alike: what the others of a scene lean, for
their way off the middle, is no lean of this one. A die that is cocked does not excuse itself.

A rough face shows less of its own lean, too, and in the same measure: a lamp's way to a face turns when the
die lies off the middle as it does when the die leans.
"""

from math import atan, pi

_MOST = 0.0026  # tangent for a mm off the middle; the light pips of a rough make have 0.0023
_DOUBT = 300  # mm^2: the others tell of it by the squares of their ways; at 17 mm one is believed by half
_TURN = 240  # mm off the middle for a radian by which a lamp's way turns: the square of it by its height
_COCKED = 10  # degrees that no level die of any make seems to lean


class Lean:
    """Of a die: `x`, `y` in mm from the platform's middle; `slope_x`, `slope_y`: tangents of its lean."""

    def __init__(self, x, y, slope_x, slope_y):
        self.x = x
        self.y = y
        self.slope_x = slope_x
        self.slope_y = slope_y

    def degrees(self, common=0):
        """Tilt, less `common` for a mm off the middle, of faces as rough as that tells."""
        x, y = self.slope_x - common * self.x, self.slope_y - common * self.y
        return atan((x * x + y * y) ** 0.5) * 180 / pi / min(1, 1 + _TURN * common)


def own_degrees(lean, others):
    """Tilt of a die without what the `others`, Leans, seem to lean in common for their way off the middle."""
    outward = ways = 0
    for other in others:
        if other.degrees() >= _COCKED:
            continue
        outward += other.x * other.slope_x + other.y * other.slope_y
        ways += other.x * other.x + other.y * other.y
    return lean.degrees(max(-_MOST, min(_MOST, outward / (ways + _DOUBT))))
