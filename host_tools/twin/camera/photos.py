"""The pictures an engineer takes of a new machine: the empty platform, and one die showing each face.

Written as `tumbler calibrate` takes them: empty/ and face1/ to face6/, each lamp0.png to lamp3.png.
"""

from pathlib import Path
from typing import Protocol

import numpy as np

from host_tools.twin.camera.picture import Picture
from host_tools.twin.camera.skin import normal_of
from host_tools.twin.camera.styles import Style
from host_tools.twin.scene import Die, Scene, rows, vector

_ASIDE = 8.0  # mm at most that an engineer misses the middle by


class Camera(Protocol):
    """Anything that takes pictures of scenes, as `Tracer` and `Warper` do."""

    def render(self, scene: Scene, style: Style, rng: np.random.Generator) -> Picture:
        """A picture of the scene, its dice of one style."""
        ...


def photograph(  # noqa: PLR0913, PLR0917 - what a photographer needs
    camera: Camera, style: Style, folder: Path, rng: np.random.Generator, edge: float, platform: float
) -> None:
    """Take all seven scenes into `folder`; edge of a die and radius of the platform in mm. Raises OSError."""
    camera.render(Scene(platform, ()), style, rng).save(folder / "empty")
    for face in range(1, 7):
        x, y = rng.uniform(-_ASIDE, _ASIDE, 2)
        die = lying(face, edge, (x, y), rng.uniform(0, 2 * np.pi))
        camera.render(Scene(platform, (die,)), style, rng).save(folder / f"face{face}")


def lying(face: int, edge: float, at: tuple[float, float], yaw: float) -> Die:
    """A die flat on the platform with that face up, turned by `yaw` radians."""
    up = normal_of(face)
    side = normal_of(next(other for other in range(1, 7) if other not in (face, 7 - face)))
    across = np.cross(up, side)
    cos, sin = np.cos(yaw), np.sin(yaw)
    turn = np.array([cos * side - sin * across, sin * side + cos * across, up])
    return Die(edge, vector(np.array([*at, edge / 2])), rows(turn))
