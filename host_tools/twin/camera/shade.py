"""Light of the points of dice and balls: matt and glossy under each lamp, and in the stray light."""

import numpy as np
from numpy.typing import NDArray

from host_tools.twin.camera.ground import stray, strength
from host_tools.twin.camera.rig import Lamp, Rig
from host_tools.twin.camera.shadows import behind, lamp_points, may_shade
from host_tools.twin.camera.styles import Style
from host_tools.twin.camera.surface import FINE, Points
from host_tools.twin.camera.vectors import Floats, dot, minus, picked, plus, scaled, triple, unit
from host_tools.twin.scene import Die, Scene

_SPREAD = 0.1  # share of what enters a clear body that leaves it again to all sides


class Shade:
    """Grey levels of the points that a camera sees of a scene."""

    def __init__(self, rig: Rig, scene: Scene, points: Points, style: Style) -> None:
        self._rig = rig
        self._scene = scene
        self._points = points
        self._style = style
        self._to_eye = unit(minus(triple(rig.lens.at), points.place))

    def stray(self) -> Floats:
        """Light from everywhere: less on what looks down, and near the platform."""
        p = self._points
        open_sky = (0.55 + 0.45 * p.normal[2]) * np.minimum(0.4 + 0.6 * p.place[2] / 16, 1)
        return np.float32(stray(self._rig)) * p.grey * open_sky

    def under(self, lamp: Lamp) -> Floats:
        """Light of one lamp: matt, gloss, and what a clear body spreads, where nothing shades it."""
        p, style = self._points, self._style
        to_lamp = minus(triple(lamp.at), p.place)
        away2 = dot(to_lamp, to_lamp)
        to_lamp = scaled(to_lamp, 1 / np.sqrt(away2))
        level = np.float32(strength(self._rig, lamp)) / away2
        cosine = dot(p.normal, to_lamp)
        half = unit(plus(to_lamp, self._to_eye))
        shine = np.maximum(dot(p.normal, half), 0) ** np.float32(style.sharp)
        surface = p.grey * style.lit(cosine) + np.float32(style.gloss) * shine * (cosine > 0)
        return level * (surface * (1 - self._hidden(lamp)) + np.float32(_SPREAD * style.clear * style.body))

    def _hidden(self, lamp: Lamp) -> Floats:
        """Share of the lamp that other bodies hide. A pixel's nine rays look at nine parts of it."""
        p = self._points
        bodies = (*self._scene.dice, *self._scene.things)
        hidden = np.zeros(len(p.ray), np.float32)
        lights = lamp_points(lamp, FINE * FINE)
        for index, other in enumerate(bodies, 1):
            shading = [body for body in bodies if body is not other and may_shade(body, other, lamp)]
            if not shading:
                continue
            own = np.flatnonzero(p.body == index)
            light = triple(tuple(lights[_part(p.ray[own], self._rig.lens.width)].T))
            place = picked(p.place, own)
            for body in shading:
                dense = np.float32(1 - self._style.clear if isinstance(body, Die) else 1)
                hidden[own] = np.maximum(hidden[own], behind(body, place, light) * dense)
        return hidden


def _part(ray: NDArray[np.intp], width: int) -> NDArray[np.intp]:
    """Which of the nine rays of its pixel a ray is."""
    row, column = np.divmod(ray, width * FINE)
    return (row % FINE) * FINE + column % FINE
