"""Light on flat faces for the warping renderer: between a face's corners, less shadows as polygons."""

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
    """A face turned to the camera: corners (4, 3) in mm, unit normal, drawing; number and face of its die."""

    corners: NDArray[np.float64]
    normal: NDArray[np.float64]
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
        own = _between_corners(side, rig, lamp)
        if own.max() > 0:
            for number, body in enumerate(bodies, 1):
                if number != side.number:
                    _shade(own, side, body, lamp, left_of(body, style))
            bright += own
    return side.drawing * bright


def _between_corners(side: Side, rig: Rig, lamp: Lamp) -> Floats:
    to_lamp = np.array(lamp.at) - side.corners
    away = np.linalg.norm(to_lamp, axis=1)
    level = strength(rig, lamp) * np.maximum(to_lamp @ side.normal, 0) / away**3
    corners = level[[0, 1, 3, 2]].reshape(2, 2).astype(np.float32)
    # OpenCV holds the corners' values over half a pixel outwards: the middle half runs from corner to corner.
    wide = cv2.resize(corners, (2 * SIDE, 2 * SIDE)).astype(np.float32)
    return np.ascontiguousarray(wide[SIDE // 2 : -SIDE // 2, SIDE // 2 : -SIDE // 2])


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
