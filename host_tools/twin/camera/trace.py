"""The ray tracer: light of a scene under each lamp, from the primary hits that all lamps share.

Lambert by normal, inverse square of the distance, gloss, soft shadows, stray light, mirror images.
"""

import numpy as np
from numpy.typing import NDArray

from host_tools.twin.camera.ground import Ground, dust
from host_tools.twin.camera.picture import Picture
from host_tools.twin.camera.rig import Lamp, Rig
from host_tools.twin.camera.shade import Shade
from host_tools.twin.camera.shadows import behind, cast, lamp_points
from host_tools.twin.camera.styles import Style
from host_tools.twin.camera.surface import FINE, Points, Seen, see
from host_tools.twin.camera.vectors import Floats, triple
from host_tools.twin.scene import Die, Scene

_LAMP_RAYS = 6  # shadow rays from a point of the platform


class Tracer:
    """Pictures of scenes with one rig's camera. Making it takes about as long as one scene."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        self._ground = Ground(rig)

    def render(self, scene: Scene, style: Style, rng: np.random.Generator) -> Picture:
        """A picture of the scene, its dice of one style. The same generator state gives the same bytes."""
        seen = see(scene, self._rig.lens, style, rng)
        light = self._light(scene, seen.points, style, dust(self._rig.lens, rng))
        frames = self._rig.sensor.expose(light, rng)
        return self._picture(scene, seen, frames)

    def _light(self, scene: Scene, points: Points, style: Style, specks: Floats) -> Floats:
        """Light (frames, rows, columns) in grey levels, before the lens blurs it."""
        rig, ground = self._rig, self._ground
        pixel = _pixel(points.ray, rig.lens.width)
        shape, size = specks.shape, specks.size
        cover = np.bincount(pixel, minlength=size).reshape(shape) / FINE**2
        bare = (specks * (1 - cover)).astype(np.float32)
        shade = Shade(rig, scene, points, style)
        light = np.repeat((ground.stray * bare)[None], rig.frames, 0)
        on_dice = np.repeat(shade.stray()[None], rig.frames, 0)
        for number, lamp in enumerate(rig.lamps):
            lit = ground.direct[number] * bare
            self._darken(lit, scene, lamp, style)
            light[lamp.frame] += lit + ground.mirror[number]
            on_dice[lamp.frame] += shade.under(lamp)
        dice = [np.bincount(pixel, part, size).reshape(shape) for part in on_dice]
        return light + np.stack(dice).astype(np.float32) / FINE**2

    def _darken(self, lit: Floats, scene: Scene, lamp: Lamp, style: Style) -> None:
        """Take the bodies' shadows from the light of a lamp on platform and ground."""
        lights = lamp_points(lamp, _LAMP_RAYS)
        for body in (*scene.dice, *scene.things):
            left, right, top, bottom = self._rig.lens.window(cast(body, lamp), 3)
            if left >= right or top >= bottom:
                continue
            part = slice(top, bottom), slice(left, right)
            place = self._ground.x[part], self._ground.y[part], np.zeros((1, 1), np.float32)
            hidden = np.sum([behind(body, place, triple(light)) for light in lights], 0, np.float32)
            dense = 1 - style.clear if isinstance(body, Die) else 1.0
            lit[part] *= 1 - np.float32(dense / _LAMP_RAYS) * hidden

    def _picture(self, scene: Scene, seen: Seen, frames: NDArray[np.uint8]) -> Picture:
        lens, points = self._rig.lens, seen.points
        dice, faces = np.zeros((2, lens.height * FINE, lens.width * FINE), np.uint8)
        on_die = points.body <= len(scene.dice)
        dice.ravel()[points.ray[on_die]] = points.body[on_die]
        faces.ravel()[points.ray[on_die]] = points.face[on_die]
        middle = slice(FINE // 2, None, FINE)
        return Picture(
            tuple(frames), dice[middle, middle], faces[middle, middle], self._ground.glare(), seen.visible
        )


def _pixel(ray: NDArray[np.intp], width: int) -> NDArray[np.intp]:
    row, column = np.divmod(ray, width * FINE)
    return (row // FINE) * width + column // FINE
