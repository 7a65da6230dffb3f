"""What lies on the platform: dice and other objects, as poses. Physics makes them, cameras draw them.

Millimetres; the origin is the middle of the platform's surface, x points to lamp 0, y to lamp 1 (counter-
clockwise from above), z up. A die's own axes run through its faces: 1 on +z, 2 on +y, 3 on +x, each opposite
to seven minus it, which is a right-handed die. The glass wall stands upright on the platform's rim.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Vector = tuple[float, float, float]
Rows = tuple[Vector, Vector, Vector]

# All are on the face that looks up: a filled pip, a spot like a pip, a broken corner, a piece broken out of
# an edge, a crack across it, a scratch on it.
DAMAGES = ("pip-lost", "pip-extra", "chipped", "nicked", "cracked", "scratched")
# The middle pip filled, or one painted there, so that the face is another one to the last spot.
DISGUISED = "disguised"
DISGUISES = {2: 3, 3: 2, 4: 5, 5: 4}  # a face, and the one that it looks like


@dataclass(frozen=True, slots=True)
class Die:
    """One die: edge in mm, centre, `rotation` its own axes as columns (3x3) in the platform's frame.

    `damage` names what is wrong with it, one of `DAMAGES` or `DISGUISED`; empty for a sound die.
    `rounding`: radius in mm of its edges and corners."""

    edge: float
    centre: Vector
    rotation: Rows  # rows of the matrix
    damage: str = ""
    rounding: float = 1.5

    def matrix(self) -> NDArray[np.float64]:
        """The rotation as an array, die axes to platform axes."""
        return np.array(self.rotation, dtype=np.float64)


@dataclass(frozen=True, slots=True)
class Thing:
    """A foreign object on the platform: a ball (debris bead) of `radius` mm, grey `albedo` 0..1."""

    centre: Vector
    radius: float
    albedo: float


@dataclass(frozen=True, slots=True)
class Scene:
    """All that lies on a platform of `platform_radius` mm at rest. The same seed gives the same scene."""

    platform_radius: float
    dice: tuple[Die, ...]
    things: tuple[Thing, ...] = field(default=())


def vector(values: NDArray[np.float64]) -> Vector:
    """Three numbers as a scene keeps them."""
    x, y, z = (float(value) for value in values)
    return x, y, z


def rows(matrix: NDArray[np.float64]) -> Rows:
    """A 3x3 matrix as a scene keeps it."""
    first, second, third = (vector(row) for row in matrix)
    return first, second, third
