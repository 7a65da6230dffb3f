"""Flat drawings of a die's faces for the warping renderer, with OpenCV's own circles and lines."""

import cv2
import numpy as np

from host_tools.twin.camera.errors import StyleError
from host_tools.twin.camera.polygons import put_disc
from host_tools.twin.camera.skin import NICK, NICKED, TORN, scratch_ends
from host_tools.twin.camera.styles import Style
from host_tools.twin.camera.vectors import Floats
from host_tools.twin.scene import DISGUISED, DISGUISES

SIDE = 64  # pixels of a texture's side
_CRACK = 0.2  # grey left in a crack


def draw_face(style: Style, face: int, damage: str, rng: np.random.Generator) -> Floats:
    """Grey (SIDE, SIDE) of a face with the damage, or none. Columns are u, rows v, both from -0.5 to 0.5."""
    drawing = np.full((SIDE, SIDE), style.body, np.float32)
    pips = list(style.brand.pips(DISGUISES.get(face, face) if damage == DISGUISED else face))
    if damage == "pip-lost":
        del pips[int(rng.integers(style.brand.losable(face)))]
    for u, v, radius in pips:
        _disc(drawing, u, v, radius, style.pip_grey(face))
    for _ in range(rng.poisson(style.dirt)):
        u, v = rng.uniform(-0.45, 0.45, 2)
        _disc(drawing, u, v, rng.uniform(0.015, 0.045), 0.7 * style.body + 0.1)
    if damage:
        _harm(drawing, style, face, damage, rng)
    return cv2.GaussianBlur(drawing, (3, 3), 0).astype(np.float32)


def _harm(drawing: Floats, style: Style, face: int, damage: str, rng: np.random.Generator) -> None:
    if damage == "pip-extra":
        u, v = _free_place(style, face)
        _disc(drawing, u, v, 0.9 * style.brand.pip, style.pip)
    elif damage == "cracked":
        across = np.linspace(0, SIDE, 7)
        along = SIDE * rng.uniform(0.3, 0.7) + np.cumsum(rng.uniform(-6, 6, 7))
        line = np.stack([across, along] if rng.random() < 0.5 else [along, across], 1)
        cv2.polylines(drawing, [np.rint(line).astype(np.int32)], False, _CRACK * style.body, 2)
    elif damage == "scratched":
        turn, length = rng.uniform(0, np.pi), rng.uniform(0.5, 0.8)
        ends = SIDE * (scratch_ends(length, turn, rng.uniform(-1, 1, 2)) + 0.5)
        start, end = np.rint(ends).astype(int).tolist()
        cv2.line(drawing, start, end, TORN, 2)
    elif damage == "chipped":
        reach = rng.uniform(0.25, 0.35) * SIDE
        corner = np.array([(0, 0), (reach, 0), (0.6 * reach, 0.5 * reach), (0, reach)])
        if rng.random() < 0.5:
            corner[:, 0] = SIDE - corner[:, 0]
        cv2.fillPoly(drawing, [np.rint(corner).astype(np.int32)], _broken(style))
    elif damage == "nicked":
        u, v = rng.permutation([rng.choice([-0.5, 0.5]), rng.uniform(*NICKED)])
        _disc(drawing, u, v, rng.uniform(*NICK), _broken(style))
    elif damage not in {"pip-lost", DISGUISED}:
        raise StyleError(f"no camera can show the damage {damage!r}")


def _broken(style: Style) -> float:
    """Grey of what a blow laid bare: it lies aslant."""
    return 0.35 * style.body + 0.02


def _free_place(style: Style, face: int) -> tuple[float, float]:
    """The place of the lattice that is farthest from the face's pips."""
    pitch = style.brand.pitch
    places = [(u * pitch, v * pitch) for u in (-1, 0, 1) for v in (-1, 0, 1)]
    if face in DISGUISES:
        places.remove((0.0, 0.0))  # that would be another face
    pips = style.brand.pips(face)
    return max(places, key=lambda at: min(np.hypot(at[0] - u, at[1] - v) for u, v, _ in pips))


def _disc(drawing: Floats, u: float, v: float, radius: float, grey: float) -> None:
    put_disc(drawing, np.array([u + 0.5, v + 0.5]) * SIDE - 0.5, radius * SIDE, grey)
