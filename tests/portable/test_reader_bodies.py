"""Bright dice are found where they touch and where light has fallen off; a thing of another size is none."""

import unittest
from math import pi

from tumbler.reader.bodies import BodyFinder
from tumbler.reader.lamp_light import least_light
from tumbler.reader.regions import Labeller
from tumbler.reader.search import SquareSearch
from tumbler.reader.sides import Sides
from tumbler.reader.square import Pose

COLUMNS = 160
MIDDLE = 80
SIDE = 24
SMALL = 13
SHARP = 20
FLUSH = 0.96  # sides at which no dark line parts them
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
    images = ()  # type: tuple
    lens = 0.08
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


class Small(Machine):
    """The same seen small: dice of 13 pixels, which have six pips and touch, in light that falls off."""

    side = SMALL
    scale = SMALL / Machine.die_mm
    platform = (MIDDLE, MIDDLE, 50)
    pips = tuple((u, v) for u in (-0.25, 0.25) for v in (-0.25, 0, 0.25))

    def __init__(self, poses, level):
        self.profile = self
        self.low = bytearray(COLUMNS * COLUMNS)
        for y in range(COLUMNS):
            for x in range(COLUMNS):
                light = least_light(x - MIDDLE, y - MIDDLE, self) / least_light(0, 0, self)
                shares = [self.share(*pose.face(x, y)) for pose in poses]
                self.low[y * COLUMNS + x] = int(level * light * max(shares))

    def share(self, u, v):
        """Of the light: a face has a rounded rim and pips, soft by a pixel."""
        if max(abs(u), abs(v)) > 0.6:
            return 0.1
        pip = min([((u - pu) ** 2 + (v - pv) ** 2) ** 0.5 for pu, pv in self.pips])
        rim = 0.5 + (0.5 - max(abs(u), abs(v))) * self.side
        return max(0.1, min(1, rim, 0.5 + (pip - 0.1) * self.side))


class Sharp(Small):
    """Larger ones, whose rims hide in each other where they touch: no dark line parts them."""

    side = SHARP
    scale = SHARP / Machine.die_mm


def found(pose, level):
    return BodyFinder(Machine(pose, level), Labeller()).find(1)


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

    def test_faces_that_touch_in_a_row_and_about_a_corner(self):
        for step in range(6):
            angle = step * pi / 12
            first = Pose(MIDDLE - 24, MIDDLE + 16, SMALL, angle)
            for places in (((0, 0), (1.06, 0), (2.12, 0)), ((0, 0), (1.06, 0), (1.06, -1.06))):
                poses = [Pose(*first.place(u, v), SMALL, angle) for u, v in places]
                bodies, oddities = BodyFinder(Small(poses, 100), Labeller()).find(1)
                self.assertEqual((len(bodies), len(oddities)), (3, 0))
                for pose in poses:
                    off = min([abs(body.pose.x - pose.x) + abs(body.pose.y - pose.y) for body in bodies])
                    self.assertTrue(off < 1)

    def test_sharp_faces_that_touch_in_a_row_and_about_a_corner(self):
        first = Pose(MIDDLE - 24, MIDDLE + 12, SHARP, pi / 3)
        for places in (((0, 0), (1, 0), (2, 0)), ((0, 0), (1, 0.1), (2, 0)), ((0, 0), (1, 0), (1, -1))):
            poses = [Pose(*first.place(u * FLUSH, v * FLUSH), SHARP, pi / 3) for u, v in places]
            bodies, oddities = BodyFinder(Sharp(poses, 100), Labeller()).find(1)
            self.assertEqual((len(bodies), len(oddities)), (3, 0))
            for pose in poses:
                off = min([abs(body.pose.x - pose.x) + abs(body.pose.y - pose.y) for body in bodies])
                self.assertTrue(off < 1)

    def test_a_side_that_shows_light_in_a_lamp_s_mirror_image_belongs_to_its_die(self):
        away = -52  # of the face from the middle, and its die's foot, which is farther from the lens
        top, foot = Pose(MIDDLE + away, MIDDLE, SIDE, 0), Pose(MIDDLE + 0.8 * away, MIDDLE, 0.8 * SIDE, 0)
        image = MIDDLE - 35, MIDDLE, 10
        for light, images, bodies in ((foot, (image,), 1), (foot, (), 0), (None, (image,), 0)):
            machine = Machine(top, 100)
            machine.lens = 0.2
            machine.images = (images, (), (), ())
            for y in range(COLUMNS):
                for x in range(COLUMNS):
                    if (x - image[0]) ** 2 + (y - image[1]) ** 2 < image[2] ** 2:
                        u, v = light.face(x, y) if light else (0, 0)
                        if max(abs(u), abs(v)) < 0.5:
                            machine.low[y * COLUMNS + x] = max(70, machine.low[y * COLUMNS + x])
            found, oddities = BodyFinder(machine, Labeller()).find(1)
            self.assertEqual((len(found), len(oddities)), (bodies, 1 - bodies))

    def test_a_line_across_a_wide_picture_is_no_face(self):
        columns, row = 400, 5
        plane = bytearray(columns * 9)
        for x in range(20, 380):
            plane[row * columns + x] = 200
        labeller = Labeller()
        (line,) = labeller.find(plane, columns, (0, 0, columns - 1, 8), 50, 256, 1)
        search = SquareSearch(17, columns, Sides(Machine(Pose(0, 0, 17, 0), 0)), 0.9, 1.2)
        self.assertEqual(search.find(plane, line, labeller.runs, 50, 3), [])


if __name__ == "__main__":
    unittest.main()
