"""The empty machine under each lamp: platform, wall, ground and the lamps' mirror images in the dome.

Computed once for a rig and used for all its scenes.
"""

import numpy as np
from numpy.typing import NDArray

from host_tools.twin.camera.lens import Lens
from host_tools.twin.camera.rig import Lamp, Rig
from host_tools.twin.camera.vectors import Floats

WHITE_BODY = 0.8  # what a white die reflects: the sensor's `white` is its grey level
DIE_TOP = 16.0  # mm, where that level holds
_WALL_TOP = 30.0  # mm
_SPECKS = 9  # of dust, on average
_MIRROR_LIGHT = 8.0  # a lamp's mirror image against a white die


class Ground:
    """Light of the empty machine in grey levels, at every pixel.

    x, y: where the pixel's ray meets the platform, mm; direct: (lamps, rows, columns) that a shadow takes
    away; stray: (rows, columns) that stays, in every frame; mirror: (lamps, rows, columns) on top of all.
    """

    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        rows, columns = np.indices((rig.lens.height, rig.lens.width), dtype=np.float32)
        self.rays = rig.lens.rays(columns, rows)
        x, y, z = self.rays
        above = np.float32(rig.lens.at[2])
        self.x = rig.lens.at[0] - x / z * above
        self.y = rig.lens.at[1] - y / z * above
        grey = self._greys()
        self.direct = np.stack([grey * irradiance(rig, lamp, self.x, self.y) for lamp in rig.lamps])
        self.stray = grey * np.float32(stray(rig))
        self.mirror = np.stack([self._mirrored(lamp) for lamp in rig.lamps])

    def glare(self) -> NDArray[np.bool_]:
        """(frames, rows, columns): where a frame shows a lamp's mirror image."""
        shown = np.zeros((self._rig.frames, *self.x.shape), bool)
        for lamp, mirror in zip(self._rig.lamps, self.mirror, strict=True):
            shown[lamp.frame] |= mirror > self._rig.sensor.white
        return shown

    def _greys(self) -> Floats:
        """What the surfaces reflect: platform, the gap about it, the wall's foot and its top edge, ground."""
        rig = self._rig
        rng = np.random.default_rng(rig.grain)
        soft = rig.lens.width / 320
        away = np.hypot(self.x, self.y)
        shape = self.x.shape
        platform = rig.platform_grey * (1 + 0.03 * _clouds(rng, shape, 9) + 0.015 * _clouds(rng, shape, 90))
        ground = rig.ground_grey * (1 + 0.1 * _clouds(rng, shape, 12) + 0.1 * _clouds(rng, shape, 60))
        edge = rig.platform + 0.4
        out = _step(away - edge, 0.5 / soft)
        gap = out * (1 - _step(away - edge - 2.2, 0.5 / soft))
        top = (edge + 2.5) * rig.lens.at[2] / (rig.lens.at[2] - _WALL_TOP)
        ring = 0.15 * (_bump(away - edge - 3.0, 0.8) + 0.8 * _bump(away - top, 1.0))
        grey = platform * (1 - out) + ground * out * (1 + ring)
        return (grey * (1 - 0.8 * gap)).astype(np.float32)

    def _mirrored(self, lamp: Lamp) -> Floats:
        """The lamp's image in the dome: where the ray, thrown back by the glass, meets the lamp."""
        rig = self._rig
        total = np.zeros_like(self.x)
        if not rig.dome or not lamp.gain:
            return total
        left, right, top, bottom = rig.lens.window(self._highlight(lamp)[None], 14 * rig.lens.width / 320)
        rows, columns = np.mgrid[top : bottom : 1 / 3, left : right : 1 / 3]
        met = self._thrown_back(lamp, columns - 1 / 3, rows - 1 / 3)
        share = met.reshape(bottom - top, 3, right - left, 3).mean((1, 3))
        total[top:bottom, left:right] = _MIRROR_LIGHT * rig.sensor.white * share
        return total

    def _thrown_back(self, lamp: Lamp, columns: Floats, rows: Floats) -> NDArray[np.bool_]:
        rig = self._rig
        ray = np.stack(rig.lens.rays(columns, rows)).astype(np.float64)
        eye = np.array(rig.lens.at)[:, None, None]
        across = (ray * eye).sum(0)
        depth = across**2 - (eye**2).sum() + rig.dome**2
        touch = eye + ray * (-across - np.sqrt(np.maximum(depth, 0)))
        normal = touch / rig.dome
        back = ray - 2 * (ray * normal).sum(0) * normal
        to_lamp = np.array(lamp.at)[:, None, None] - touch
        along = (to_lamp * back).sum(0)
        off = np.sqrt(np.maximum((to_lamp**2).sum(0) - along**2, 0))
        return (depth > 0) & (along > 0) & (off < lamp.radius)

    def _highlight(self, lamp: Lamp) -> NDArray[np.float64]:
        """The point of the dome whose normal halves the angle between the camera and the lamp."""
        eye, light = np.array(self._rig.lens.at), np.array(lamp.at)
        point = np.array([0, 0, self._rig.dome])
        for _ in range(40):
            half = (eye - point) / np.linalg.norm(eye - point) + (light - point) / np.linalg.norm(
                light - point
            )
            point = 0.5 * point + 0.5 * self._rig.dome * half / np.linalg.norm(half)
        return point


def strength(rig: Rig, lamp: Lamp) -> float:
    """Grey levels times mm² of a lamp, so that a white die's top in the middle has the level `white` under a
    lamp of gain 1 in its place."""
    x, y, z = lamp.at
    drop = z - DIE_TOP
    away = np.sqrt(x * x + y * y + drop * drop)
    return float(rig.sensor.white / WHITE_BODY * lamp.gain * away**3 / drop)


def irradiance(rig: Rig, lamp: Lamp, x: Floats, y: Floats) -> Floats:
    """Grey levels of a perfectly white platform under a lamp."""
    lx, ly, lz = lamp.at
    away2 = (lx - x) ** 2 + (ly - y) ** 2 + np.float32(lz * lz)
    return (np.float32(strength(rig, lamp) * lz) / (away2 * np.sqrt(away2))).astype(np.float32)


def stray(rig: Rig) -> float:
    """Grey levels of a white surface in the stray light."""
    return rig.ambient * rig.sensor.white / WHITE_BODY


def dust(lens: Lens, rng: np.random.Generator) -> Floats:
    """Specks on the platform: what the grey of each pixel (rows, columns) is multiplied by."""
    specks = np.ones((lens.height, lens.width), np.float32)
    for _ in range(rng.poisson(_SPECKS)):
        column, row = rng.uniform(0, lens.width), rng.uniform(0, lens.height)
        size = rng.uniform(0.4, 1.1) * lens.width / 320
        part = slice(max(int(row) - 3, 0), int(row) + 4), slice(max(int(column) - 3, 0), int(column) + 4)
        rows, columns = np.ogrid[part]
        near = np.exp(-((rows - row) ** 2 + (columns - column) ** 2) / (2 * size * size))
        near = near[: specks[part].shape[0], : specks[part].shape[1]]
        specks[part] *= 1 + rng.choice([-0.7, 0.8]) * rng.uniform(0.3, 1) * near
    return specks


def _step(distance: Floats, width: float) -> Floats:
    return np.clip(distance / width + 0.5, 0, 1)


def _bump(distance: Floats, width: float) -> Floats:
    return np.exp(-((distance / width) ** 2))


def _clouds(rng: np.random.Generator, shape: tuple[int, ...], cells: int) -> Floats:
    """Smooth random values of about -1 to 1, `cells` of them across."""
    grid = rng.uniform(-1, 1, (cells + 2, cells + 2)).astype(np.float32)
    rows = np.linspace(0, cells, shape[0], dtype=np.float32)
    columns = np.linspace(0, cells, shape[1], dtype=np.float32)
    r, c = rows.astype(int), columns.astype(int)
    fr, fc = (rows - r)[:, None], columns - c
    fr, fc = fr * fr * (3 - 2 * fr), fc * fc * (3 - 2 * fc)
    upper = grid[np.ix_(r, c)] * (1 - fc) + grid[np.ix_(r, c + 1)] * fc
    lower = grid[np.ix_(r + 1, c)] * (1 - fc) + grid[np.ix_(r + 1, c + 1)] * fc
    return upper * (1 - fr) + lower * fr
