"""A single light pip: is it the middle of a one, or what is left of a two, three or more?

Light-pipped dice show some outline: where the die ends the floor is lighter. If a die drawn so that the pip
is one of its outer ones fits that outline better than one with the pip in its middle, the pip is no one.
"""

import math

from host_tools.second_reader.faces import Pose
from host_tools.second_reader.fit import Fit, Fitter
from host_tools.second_reader.light import Relit
from host_tools.second_reader.profile import Look
from host_tools.second_reader.refusal import Refused

_LARGER = 1.3  # times as large as any other that a pip is fitted which is surely a one
_BETTER = 0.08  # contrast at the edges: ones fit at most 0.03 better elsewhere, lonely pips of a two 0.18
_DEGREES = 8  # between the angles tried
_NEAR = (-1, 0, 1)  # pixels


class SinglePip:
    """Checks ones of one look of dice."""

    def __init__(self, look: Look, fitter: Fitter) -> None:
        self._look = look
        self._fitter = fitter
        self._outer = [*look.pips[2], *look.pips[6]]

    def check(self, fit: Fit, relit: Relit) -> None:
        """Refused when the pip is rather an outer one of another face. Its size tells where it is larger."""
        others = max(self._look.radii[face] for face in (2, 3, 4, 5, 6))
        if self._look.radii[1] * fit.pose.side > _LARGER * others * self._look.side:
            return
        here = max(
            self._contrast(relit, fit.pose.x + dx, fit.pose.y + dy, turn)
            for turn in range(0, 90, _DEGREES)
            for dx in _NEAR
            for dy in _NEAR
        )
        if max(self._aside(fit, relit)) > here + _BETTER:
            raise Refused("die-damaged", "pips-off-centre")

    def _aside(self, fit: Fit, relit: Relit) -> list[float]:
        """Contrast at the edges of every die that has the pip as an outer one."""
        contrasts = []
        for u, v in self._outer:
            for turn in range(0, 360, _DEGREES):
                c, s = (self._look.side * part(math.radians(turn)) for part in (math.cos, math.sin))
                x, y = fit.pose.x - (c * u - s * v), fit.pose.y - (s * u + c * v)
                contrasts.append(self._contrast(relit, x, y, turn))
        return contrasts

    def _contrast(self, relit: Relit, x: float, y: float, degrees: int) -> float:
        pose = Pose(x, y, self._look.side, math.radians(degrees))
        return float(self._fitter.edges(relit, pose).mean())
