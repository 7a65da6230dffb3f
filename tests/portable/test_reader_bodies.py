"""Bright dice are found where the light has fallen off, too, and a thing of another size is no die there."""

import unittest
from math import pi

from tumbler.reader.bodies import BodyFinder
from tumbler.reader.regions import Labeller
from tumbler.reader.square import Pose

COLUMNS = 160
MIDDLE = 80
SIDE = 24
FLOOR_CUT = 45
LAMPS = ((120, 0, 120), (0, -120, 120), (-120, 0, 120), (0, 120, 120))


class Machine:
    """As much of a gatherer and its profile as bodies are found by: a pixel is a millimetre."""

    left = top = 0
    columns = rows = COLUMNS
    side = SIDE
    scale = 1
    die_mm = 16
    body = FLOOR_CUT
    lamps = 4
    positions = LAMPS
    gains = (1, 1, 1, 1)
    platform = (MIDDLE, MIDDLE, 75)

    def __init__(self, pose, level):
        self.profile = self
        self.low = bytearray(COLUMNS * COLUMNS)
        for y in range(COLUMNS):
            for x in range(COLUMNS):
                u, v = pose.face(x, y)
                within = (0.5 - max(abs(u), abs(v))) * pose.side
                # A rounded rim: half of the level at the edge, all of it four pixels further in.
                self.low[y * COLUMNS + x] = int(level * min(1, max(0, 0.5 + within / 8)))


def found(pose, level):
    return BodyFinder(Machine(pose, level), Labeller()).find(FLOOR_CUT)


class Bodies(unittest.TestCase):
    def test_a_face_hardly_brighter_than_any_floor_far_out(self):
        for level in (52, 58, 70, 150):
            for step in range(0, 24, 3):
                pose = Pose(MIDDLE - 52, MIDDLE + 8, SIDE, step * pi / 48)
                bodies, oddities = found(pose, level)
                self.assertEqual((len(bodies), len(oddities)), (1, 0))
                off = abs(bodies[0].pose.x - pose.x) + abs(bodies[0].pose.y - pose.y)
                self.assertTrue(off < 1)

    def test_a_dim_thing_that_is_no_face_is_an_oddity(self):
        for size in (0.7, 1.45):
            for step in range(0, 24, 3):
                bodies, oddities = found(Pose(MIDDLE - 52, MIDDLE + 8, size * SIDE, step * pi / 48), 58)
                self.assertEqual((len(bodies), len(oddities)), (0, 1))
