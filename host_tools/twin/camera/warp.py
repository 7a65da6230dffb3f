"""A second, simple renderer: faces drawn flat and warped into place by OpenCV, in painter's order.

It shares with the ray tracer the rig, the dice's styles and the sensor, and none of the geometry or light:
outlines are sharp, there is no gloss, shadows are polygons. What reads pictures of both was not tuned to one.
"""

import cv2
import numpy as np
from numpy.typing import NDArray

from host_tools.twin.camera.flatlight import Side, left_of, lit, stray, strength
from host_tools.twin.camera.picture import Picture
from host_tools.twin.camera.polygons import highlight, put_disc, put_polygon, solid_points, square, thrown
from host_tools.twin.camera.rig import Lamp, Rig
from host_tools.twin.camera.styles import Style
from host_tools.twin.camera.textures import SIDE, draw_face
from host_tools.twin.camera.vectors import Floats
from host_tools.twin.scene import Scene, Thing
from host_tools.twin.truth import FACES, up_face

FINE = 2  # pixels drawn along each side of a pixel
_MARKS = 5  # pixels drawn for a pixel's marks, an odd number
_SOFT = 1.2  # sigma in fine pixels of a shadow's edge
_MIRROR = 8.0  # a lamp's mirror image against a white die
_GAP = 2.5  # mm between platform and ground


class Warper:
    """Pictures of scenes with one rig's camera, as `Tracer` takes them."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        lens = rig.lens
        self._size = lens.width * FINE, lens.height * FINE
        column, row = (FINE * (middle + 0.5) - 0.5 for middle in lens.middle)
        self._matrix = np.array([[FINE * lens.focal, 0, column], [0, FINE * lens.focal, row], [0, 0, 1]])
        self._bend = np.array([lens.k1, 0, 0, 0])
        self._turn = cv2.Rodrigues(lens.axes())[0]
        self._shift = -lens.axes() @ np.array(lens.at)
        ground = self._lay_ground()
        grey = self._paint_ground(ground)
        self._stray = grey * np.float32(stray(rig))
        self._lit = [grey * self._on_ground(ground, lamp) for lamp in rig.lamps]
        self._mirrors = np.stack([self._mirrored(frame) for frame in range(rig.frames)])

    def render(self, scene: Scene, style: Style, rng: np.random.Generator) -> Picture:
        """A picture of the scene, its dice of one style. The same generator state gives the same bytes."""
        lens = self._rig.lens
        sides = self._sides(scene, style, rng)
        dice, faces = self._marks(sides)
        fine = (self._frame(frame, scene, sides, style) for frame in range(self._rig.frames))
        light = np.stack(
            [cv2.resize(f, (lens.width, lens.height), interpolation=cv2.INTER_AREA) for f in fine]
        )
        frames = self._rig.sensor.expose(light.astype(np.float32) + self._mirrors, rng)
        glare = self._mirrors > self._rig.sensor.white
        return Picture(tuple(frames), dice, faces, glare, self._visible(scene, sides, dice, faces))

    # --- what is where

    def _project(self, points: NDArray) -> NDArray[np.float64]:
        """Fine columns and rows (n, 2) of points (n, 3)."""
        points = np.asarray(points, np.float64).reshape(-1, 1, 3)
        seen, _ = cv2.projectPoints(points, self._turn, self._shift, self._matrix, self._bend)
        return seen.reshape(-1, 2).astype(np.float64)

    def _project_coarse(self, points: NDArray) -> NDArray[np.float64]:
        """Columns and rows (n, 2) in pixels of the picture."""
        return (self._project(points) + 0.5) / FINE - 0.5

    def _lay_ground(self) -> NDArray[np.float64]:
        """x, y in mm (rows, columns, 2) where each fine pixel sees the platform's plane."""
        width, height = self._size
        grid = np.stack(np.meshgrid(np.arange(width), np.arange(height)), -1).reshape(-1, 1, 2)
        plane = cv2.undistortPoints(grid.astype(np.float64), self._matrix, self._bend).reshape(-1, 2)
        rays = np.column_stack([plane, np.ones(len(plane))]) @ self._rig.lens.axes()
        at = np.array(self._rig.lens.at)
        hit = at - rays * (at[2] / rays[:, 2:])
        return hit[:, :2].reshape(height, width, 2)

    def _sides(self, scene: Scene, style: Style, rng: np.random.Generator) -> list[Side]:
        """All faces turned to the camera, those of the farthest die first."""
        eye = np.array(self._rig.lens.at)
        sides = []
        for number, die in enumerate(scene.dice, 1):
            for index, face in enumerate(FACES):
                damage = die.damage if face == up_face(die) else ""
                drawing = draw_face(style, face, damage, rng)
                corners, normal = square(die, index % 3, 1 - 2 * (index // 3))
                if (eye - corners[0]) @ normal > 0:
                    sides.append(Side(corners, normal, die.rounding, drawing, number, face))
        return sorted(sides, key=lambda side: -np.linalg.norm(eye - scene.dice[side.number - 1].centre))

    def _marks(self, sides: list[Side]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Number of the die and of the face at each pixel's middle.

        They are drawn larger, as OpenCV fills half a pixel beyond an outline.
        """
        dice, faces = np.zeros((2, self._rig.lens.height * _MARKS, self._rig.lens.width * _MARKS), np.uint8)
        for side in sides:
            outline = (self._project_coarse(side.corners) + 0.5) * _MARKS - 0.5
            put_polygon(dice, outline, side.number)
            put_polygon(faces, outline, side.face)
        middle = slice(_MARKS // 2, None, _MARKS)
        return dice[middle, middle], faces[middle, middle]

    def _visible(self, scene: Scene, sides: list[Side], dice, faces) -> tuple[float, ...]:
        shares = []
        for number, die in enumerate(scene.dice, 1):
            top = up_face(die)
            _, alone = self._marks([side for side in sides if side.number == number])
            seen = (dice == number) & (faces == top)
            shares.append(float(seen.sum() / max(int((alone == top).sum()), 1)))
        return tuple(shares)

    # --- light

    def _frame(self, frame: int, scene: Scene, sides: list[Side], style: Style) -> Floats:
        """Light (rows, columns) of a frame in fine pixels, without the mirror images."""
        light = self._stray.copy()
        lamps = [lamp for lamp in self._rig.lamps if lamp.frame == frame]
        for lamp, bare in zip(self._rig.lamps, self._lit, strict=True):
            if lamp.frame == frame:
                light += bare * self._open_ground(lamp, scene, style)
        for thing in scene.things:
            self._put_ball(light, thing, lamps)
        for side in sides:
            self._paste(light, side, lit(side, self._rig, lamps, (*scene.dice, *scene.things), style))
        return light

    def _open_ground(self, lamp: Lamp, scene: Scene, style: Style) -> Floats:
        """Share of the lamp's light that reaches each fine pixel of the ground."""
        open_ = np.ones(self._size[::-1], np.float32)
        for body in sorted((*scene.dice, *scene.things), key=lambda body: -left_of(body, style)):
            foot = self._project(thrown(solid_points(body), lamp)).astype(np.float32)
            put_polygon(open_, cv2.convexHull(foot).reshape(-1, 2), left_of(body, style))
        return cv2.GaussianBlur(open_, (0, 0), _SOFT).astype(np.float32)

    def _paste(self, light: Floats, side: Side, picture: Floats) -> None:
        """Warp a lit face into its place."""
        end = SIDE - 0.5
        corners = np.array([(-0.5, -0.5), (end, -0.5), (end, end), (-0.5, end)], np.float32)
        target = self._project(side.corners)
        left, top = np.maximum(np.floor(target.min(0)).astype(int) - 1, 0)
        right, bottom = np.minimum(np.ceil(target.max(0)).astype(int) + 2, self._size)
        if left >= right or top >= bottom:
            return
        warp = cv2.getPerspectiveTransform(corners, (target - (left, top)).astype(np.float32))
        part = np.ascontiguousarray(light[top:bottom, left:right])
        size = int(right - left), int(bottom - top)
        cv2.warpPerspective(picture, warp, size, part, cv2.INTER_LINEAR, cv2.BORDER_TRANSPARENT)
        light[top:bottom, left:right] = part

    def _put_ball(self, light: Floats, ball: Thing, lamps: list[Lamp]) -> None:
        middle, side = self._project(np.add(ball.centre, [[0, 0, 0], [ball.radius, 0, 0]]))
        level = stray(self._rig)
        for lamp in lamps:
            away = float(np.linalg.norm(np.subtract(lamp.at, ball.centre)))
            level += strength(self._rig, lamp) * lamp.at[2] / away**3
        put_disc(light, middle, float(np.linalg.norm(side - middle)), ball.albedo * level)

    # --- the empty machine

    def _on_ground(self, ground: NDArray[np.float64], lamp: Lamp) -> Floats:
        away2 = ((ground - lamp.at[:2]) ** 2).sum(-1) + lamp.at[2] ** 2
        return (strength(self._rig, lamp) * lamp.at[2] / away2**1.5).astype(np.float32)

    def _paint_ground(self, ground: NDArray[np.float64]) -> Floats:
        """Grey of platform, gap and ground, in fine pixels."""
        rig, away = self._rig, np.linalg.norm(ground, axis=-1)
        grey = np.where(away < rig.platform, rig.platform_grey, rig.ground_grey)
        grey[(away >= rig.platform) & (away < rig.platform + _GAP)] *= 0.2
        return cv2.GaussianBlur(grey.astype(np.float32), (0, 0), 1.0).astype(np.float32)

    def _mirrored(self, frame: int) -> Floats:
        """The lamps' images in the dome: discs where and as large as a ball mirrors them."""
        rig = self._rig
        spots = np.zeros((rig.lens.height, rig.lens.width), np.float32)
        for lamp in rig.lamps:
            if lamp.frame == frame and rig.dome and lamp.gain:
                middle = self._project_coarse(highlight(rig, lamp))[0]
                image = rig.dome / 2 / float(np.linalg.norm(lamp.at)) * lamp.radius
                put_disc(spots, middle, image * rig.lens.focal / (rig.lens.at[2] - rig.dome), 1.0)
        return spots * np.float32(_MIRROR * rig.sensor.white)
