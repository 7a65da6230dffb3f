"""Rays against dice: cubes with rounded edges, exact where they are flat, sphere-traced at their edges.

Places and directions are in the die's own axes, its centre at the origin, in mm.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from host_tools.twin.camera.vectors import Floats, Triple, picked, plus, scaled, unit

FAR = np.float32(1e9)
_STEPS = 9
_CLOSE = 0.03  # mm
# Faces by axis and side, as in scene.py: 3 and 4 on x, 2 and 5 on y, 1 and 6 on z.
_FACES = np.array([[4, 3], [5, 2], [6, 1]], np.uint8)


@dataclass(frozen=True, slots=True)
class Hits:
    """Where rays meet a die, one entry for each ray that does.

    ray: its index; away: distance along it; place, normal: in the die's axes; face: 1 to 6 (of the nearest).
    """

    ray: NDArray[np.intp]
    away: Floats
    place: Triple
    normal: Triple
    face: NDArray[np.uint8]


def slab(origin: Triple, direction: Triple, half: float) -> tuple[Floats, Floats]:
    """Entry and exit along each ray of a sharp cube of half edge `half`; entry > exit where it is missed."""
    reach = np.float32(half)
    near, far = np.asarray(-FAR), np.asarray(FAR)
    with np.errstate(divide="ignore", invalid="ignore"):
        for o, d in zip(origin, direction, strict=True):
            inverse = 1 / d
            middle, around = -o * inverse, np.abs(inverse) * reach
            near = np.maximum(near, middle - around)
            far = np.minimum(far, middle + around)
    return near, far


def meet(eye: Triple, direction: Triple, edge: float, rounding: float) -> Hits:
    """First hits of unit rays from one point on a cube of that edge, its edges rounded by `rounding` mm."""
    core = edge / 2 - rounding
    near, far = slab(eye, direction, edge / 2)
    ray = np.flatnonzero((near < far) & (near > 0))
    along, away = picked(direction, ray), near[ray]
    beyond = [(np.abs(p) > np.float32(core)) for p in plus(eye, along, away)]
    # Beyond the flat part on two axes: on an edge or a corner.
    rim = np.flatnonzero(beyond[0] & beyond[1] | beyond[1] & beyond[2] | beyond[2] & beyond[0])
    away[rim], met = _traced(eye, picked(along, rim), away[rim], core, rounding)
    keep = np.ones(len(ray), bool)
    keep[rim] = met
    ray, away = ray[keep], away[keep]
    place = plus(eye, picked(along, keep), away)
    normal = _normals(place, core)
    return Hits(ray, away, place, normal, face_of(normal))


def distance(place: Triple, core: float, rounding: float) -> Floats:
    """Signed distance in mm from a rounded cube whose flat parts reach `core` from the middle."""
    x, y, z = (np.abs(p) - np.float32(core) for p in place)
    outside = np.sqrt(np.maximum(x, 0) ** 2 + np.maximum(y, 0) ** 2 + np.maximum(z, 0) ** 2)
    within = np.minimum(np.maximum(np.maximum(x, y), z), 0)
    return outside + within - np.float32(rounding)


def face_of(direction: Triple) -> NDArray[np.uint8]:
    """The face whose normal is nearest to each direction from the middle."""
    all_three = np.stack(direction)
    axis = np.abs(all_three).argmax(0)
    positive = np.take_along_axis(all_three, axis[None], 0)[0] > 0
    return _FACES[axis, positive.astype(np.intp)]


def _traced(eye: Triple, along: Triple, away: Floats, core: float, rounding: float):
    """Distances along rays to the surface, and whether it is met."""
    before = away
    for _ in range(_STEPS):
        before = away
        away = away + distance(plus(eye, along, away), core, rounding)
    return away, np.abs(away - before) < _CLOSE


def _normals(place: Triple, core: float) -> Triple:
    x, y, z = (np.sign(p) * np.maximum(np.abs(p) - np.float32(core), 0) for p in place)
    return unit((x, y, z)) if len(x) else scaled((x, y, z), 1)
