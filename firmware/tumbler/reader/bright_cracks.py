"""Cracks of a bright face that run from pip to pip or start at one, where pips and rim hide most of them.

Every face looks the same when it is turned by half about the middle of its pips: a place beside a pip, in its
blur, has as much light as the place across the middle, whatever the lens, the lamp or the make. A crack has
not. It is a way across the face, from one side to the other, that has less light than the places across the
middle and than what lies beside it. Light is judged as for blemishes, in the composite that shows most of it.

The one is left out: half of a crack that its pip could hide lies across the middle from the other half, and
the crack is bare on both sides of the pip, where it is a blemish.
"""

# Buffers go where viper takes pointers.
# pyright: reportArgumentType=false

from .circles import mirror_images, pip_circles
from .face_grid import FaceGrid
from .kernels import fill
from .refusal import Refused
from .square import Pose

_HALF = 0.48  # half-width of the face that is looked at
_ASIDE = 0.1  # sides between a way and what lies beside it
_EDGE = 1.1  # pixels beyond a pip's edge where blur makes the light too steep to be compared
_HIDDEN = 1  # pixels about a lamp's mirror image that its rim takes light from
_WHOLE = 240  # of a place that has all its light
_SPARE = 44  # of it that noise, a pip's bowl, a lit rim beside it and the pose may take from any place
_DEEPEST = 120  # of it that a place of the way counts, at most: a speck of dirt is no crack
# Share of its light that a way may lack. Of 21,400 sound faces about 28 pixels wide none lacks more than
# 0.005, nor of 1,200 in a blurred picture more than 0.002; of 58 cracks that are no blemish 51 lack more.
_LACKING = 0.008


class BrightCracks:
    """Looks for cracks in the faces of a gatherer's scene; buffers are made here, once."""

    def __init__(self, gatherer):
        self._gatherer = gatherer
        self._grid = FaceGrid(gatherer.profile.side, _HALF, _ASIDE)
        self._other = bytearray(len(self._grid.face))

    def check(self, pose, pattern, outline, lights):
        """Margin, 0 to 1: the share of the light that any way across the face may lack, and does not.

        Refused when a crack crosses the face. lights: its FaceLights, of both composites.
        """
        if len(pattern) == 1:
            return 1
        gatherer = self._gatherer
        face = Pose(pose.x, pose.y, outline.side, outline.angle)
        self._grid.refuse_cut_off(face, gatherer)
        self._see(face, outline, lights)
        self._compare()
        radius = gatherer.profile.radii[len(pattern)] + _EDGE / outline.side
        for x, y, reach in pip_circles(pose, pattern, radius):
            self._grid.cover(*face.face(x, y), reach / outline.side, _WHOLE)
        for x, y, reach in mirror_images(gatherer, face):
            u, v = face.face(x, y)
            for side in (-1, 1):
                self._grid.cover(side * u, side * v, (reach + _HIDDEN) / outline.side, _WHOLE)
        margin = 1 - max(self._grid.dim_ways(_DEEPEST)) / (_LACKING * self._grid.size * _WHOLE)
        if margin < 0:
            raise Refused("die-damaged", "crack")
        return margin

    def _see(self, pose, outline, lights):
        """Have the share of its light that each place of the face has, where it is the larger of both
        composites'."""
        grid = self._grid
        face, other, size = grid.face, self._other, grid.size
        for seen, light in ((face, lights[0]), (other, lights[1])):
            fill(seen, 0, size * size, 0)
            grid.look(seen, self._gatherer, light.plane, pose, 255, 255)
        u, v = outline.face(*pose.place(grid.first, grid.first))
        steps = [(light.terms[1] * grid.step, light.terms[2] * grid.step) for light in lights]
        i = 0
        for row in range(size):
            low, high = [light.level(u, v) + row * step[1] for light, step in zip(lights, steps)]
            for _ in range(size):
                share = max(face[i] / max(1, low), other[i] / max(1, high))
                face[i] = _WHOLE if share >= 1 else int(share * _WHOLE)
                low += steps[0][0]
                high += steps[1][0]
                i += 1

    def _compare(self):
        """Have of each place the share of the light of the place across the middle, if it is less."""
        face = self._grid.face
        across = len(face) - 1
        for i in range(across // 2 + 1):
            here, there = face[i], face[across - i]
            if here < there:
                here, there = min(_WHOLE, _WHOLE * here // there + _SPARE), _WHOLE
            else:
                here, there = _WHOLE, min(_WHOLE, _WHOLE * there // max(1, here) + _SPARE)
            face[i], face[across - i] = here, there
