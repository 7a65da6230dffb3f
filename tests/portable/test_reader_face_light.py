"""A pip is one under a lamp's gloss, too, which lies on it as on the face about it; a worn one is none."""

import unittest
from math import pi

from tumbler.reader.face_light import face_lights
from tumbler.reader.pips import prove_sites, sites
from tumbler.reader.refusal import Refused
from tumbler.reader.square import Pose

_COLUMNS = 40
_POSE = Pose(19.6, 20.3, 26, pi / 7)
_FOUR = tuple((u, v) for u in (-0.29, 0.29) for v in (-0.29, 0.29))


class Machine:
    """As much of a gatherer and its profile as a face's pips are judged by: a four beside a lamp's image."""

    columns = rows = _COLUMNS
    pips = {4: _FOUR}
    radii = {4: 0.09}
    bare, pip = 0.24, 0.44
    side, halo = _POSE.side, 1

    def __init__(self, darkness, gloss):
        """darkness: of the pip nearest to the image; gloss: levels it adds at that corner."""
        self.profile = self
        self.low = self.high = bytearray(_COLUMNS * _COLUMNS)
        for y in range(_COLUMNS):
            for x in range(_COLUMNS):
                u, v = _POSE.face(x, y)
                level = 100
                for pu, pv in _FOUR:
                    away = ((u - pu) ** 2 + (v - pv) ** 2) ** 0.5
                    taken = darkness if pu + pv > 0.5 else 0.9
                    level -= 100 * taken * min(1, max(0, 0.5 + (self.radii[4] - away) * _POSE.side))
                self.high[y * _COLUMNS + x] = int(level + gloss * max(0, 0.5 + 0.7 * (u + v)))

    def margin(self):
        lights = face_lights(self, _POSE, _FOUR, _POSE)
        return prove_sites(sites(self), _FOUR, _POSE, _COLUMNS, self, (lights[1], lights[1]))


class FaceLights(unittest.TestCase):
    def test_a_pip_under_gloss_is_one(self):
        for gloss in (0, 40, 80):
            self.assertTrue(Machine(0.9, gloss).margin() > 0, gloss)

    def test_a_worn_pip_is_none(self):
        for gloss in (0, 40, 80):
            with self.assertRaises(Refused) as caught:
                Machine(0.35, gloss).margin()
            self.assertEqual(caught.exception.detail, "faint-spot", gloss)
