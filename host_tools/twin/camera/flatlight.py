"""Light on flat faces for the warping renderer, less the shadows of others as polygons."""

from collections.abc import Iterable
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from host_tools.twin.camera.polygons import put_polygon, solid_points
from host_tools.twin.camera.rig import Lamp, Rig
from host_tools.twin.camera.styles import Style
from host_tools.twin.camera.textures import SIDE
from host_tools.twin.camera.vectors import Floats
from host_tools.twin.scene import Die, Thing

_TOP = 16.0  # mm, where a white face has the sensor's `white` as level
_WHITE = 0.8  # what it reflects
_SOFT = 2.4  # sigma of a shadow's edge in pixels of a texture


@dataclass(frozen=True, slots=True)
class Side:
    """A face turned to the camera.

    corners: (4, 3) in mm; normal: of length 1; rounding: radius of its edges, mm; drawing: (SIDE, SIDE) grey;
    number: of the die, 1 is the first.
    """

    corners: NDArray[np.float64]
    normal: NDArray[np.float64]
    rounding: float
    drawing: Floats
    number: int
    face: int


def strength(rig: Rig, lamp: Lamp) -> float:
    """Grey levels times mm² of a lamp: a white face in the middle is as bright as the sensor says."""
    drop = lamp.at[2] - _TOP
    away = float(np.linalg.norm((lamp.at[0], lamp.at[1], drop)))
    return rig.sensor.white / _WHITE * lamp.gain * away**3 / drop


def stray(rig: Rig) -> float:
    """Grey levels of a white face in the stray light."""
    return rig.ambient * rig.sensor.white / _WHITE


def left_of(body: Die | Thing, style: Style) -> float:
    """Share of light that comes through a body."""
    return style.clear if isinstance(body, Die) else 0.0


def lit(side: Side, rig: Rig, lamps: Iterable[Lamp], bodies: tuple[Die | Thing, ...], style: Style) -> Floats:
    """Grey levels (SIDE, SIDE) of a face in stray light and that of some lamps; `bodies` in number order."""
    bright = np.full((SIDE, SIDE), stray(rig) * (0.6 + 0.4 * side.normal[2]), np.float32)
    for lamp in lamps:
        own = _on_side(side, rig, lamp, style)
        if own.max() > 0:
            for number, body in enumerate(bodies, 1):
                if number != side.number:
                    _shade(own, side, body, lamp, left_of(body, style))
            bright += own
    return side.drawing * bright


def _on_side(side: Side, rig: Rig, lamp: Lamp, style: Style) -> Floats:
    """Light of a lamp (SIDE, SIDE), as on a flat face whose rim bends away."""
    across = (np.arange(SIDE) + 0.5) / SIDE
    u, v = side.corners[1] - side.corners[0], side.corners[3] - side.corners[0]
    edge = float(np.linalg.norm(u))
    bend = _bend(across * edge, edge, side.rounding)
    up = np.sqrt(np.maximum(1 - bend[:, None] ** 2 - bend**2, 0))
    to_lamp = np.array(lamp.at) - side.corners[0]
    along_u = float(to_lamp @ u) / edge - across * edge
    along_v = float(to_lamp @ v) / edge - across[:, None] * edge
    above = float(to_lamp @ side.normal)
    away2 = along_u**2 + along_v**2 + above**2
    cosine = (bend * along_u + bend[:, None] * along_v + up * above) / np.sqrt(away2)
    return (strength(rig, lamp) * style.lit(cosine) / away2).astype(np.float32)


def _bend(place: NDArray[np.float64], edge: float, rounding: float) -> NDArray[np.float64]:
    """Sideways part of the normal at places from 0 to `edge` across a face: its rim is a quarter circle."""
    over = np.abs(place - edge / 2) - (edge / 2 - rounding)
    return np.sign(place - edge / 2) * np.maximum(over, 0) / rounding


def _shade(bright: Floats, side: Side, body: Die | Thing, lamp: Lamp, left: float) -> None:
    """Darken a face where a body throws its shadow on the face's plane."""
    origin, at = side.corners[0], np.array(lamp.at)
    u, v = side.corners[1] - origin, side.corners[3] - origin
    points = solid_points(body)
    over, lamp_over = (points - origin) @ side.normal, float((at - origin) @ side.normal)
    if over.max() < 0.1 or over.max() >= lamp_over:
        return
    foot = at + (points - at) * (lamp_over / (lamp_over - np.maximum(over, 0)))[:, None] - origin
    place = np.stack([foot @ u / (u @ u), foot @ v / (v @ v)], 1) * SIDE - 0.5
    if (place.min(0) > SIDE).any() or (place.max(0) < 0).any():
        return
    hull = cv2.convexHull(np.clip(place, -500, 500).astype(np.float32)).reshape(-1, 2)
    shadow = np.ones_like(bright)
    put_polygon(shadow, hull, left)
    bright *= cv2.GaussianBlur(shadow, (0, 0), _SOFT)
