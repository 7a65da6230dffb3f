"""Light pips weighed: whole ones pass wherever the pixels lie, one that a chip cuts or joins does not."""

import unittest
from math import exp

from tumbler.reader.refusal import Refused
from tumbler.reader.square import Pose
from tumbler.reader.weighing import weigh, weigh_pips

COLUMNS = 50
BODY = 12
PIP = 60
FOUR = [(-0.26, -0.26), (0.26, -0.26), (-0.26, 0.26), (0.26, 0.26)]
RADIUS = 0.1


class Machine:
    """As much of a gatherer and its profile as sizes are judged by: one lamp high above the middle."""

    left = top = 0
    rows = columns = COLUMNS
    lamps = 1
    die_mm = 16
    gains = [1]
    positions = [(0, 0, 800)]
    platform = 25, 25, 25
    pip_light = PIP
    exposures = [1.0]
    radii = {4: RADIUS}

    def __init__(self, side, plane):
        self.profile = self
        self.side = side
        self.scale = side / self.die_mm
        self.masses = {4: 3.14159 * (RADIUS * side) ** 2}
        self.low = plane


def drawn(pose, radii):
    """A plane with a face at a pose whose pips have these radii, as soft as a lens leaves them."""
    plane = bytearray([BODY] * (COLUMNS * COLUMNS))
    for y in range(COLUMNS):
        for x in range(COLUMNS):
            light = 0
            for (u, v), radius in zip(FOUR, radii):
                at_x, at_y = pose.place(u, v)
                away = ((x - at_x) ** 2 + (y - at_y) ** 2) ** 0.5
                light += 1 / (1 + exp((away - radius * pose.side) * 3))
            plane[y * COLUMNS + x] = int(BODY + (PIP - BODY) * min(1, light))
    return plane


def check(pose, radii):
    return weigh(Machine(pose.side, drawn(pose, radii)), pose, FOUR)


class Sizes(unittest.TestCase):
    def test_pips_of_one_size_measure_alike_wherever_the_pixels_lie(self):
        for side in (15, 28):
            for shift in range(8):
                pose = Pose(25 + shift / 8, 25.3 - shift / 16, side, shift / 5)
                pips = weigh_pips(Machine(side, drawn(pose, [RADIUS] * 4)), pose, FOUR)
                masses = [pip.mass for pip in pips]
                self.assertTrue(max(masses) < 1.15 * min(masses))
                check(pose, [RADIUS] * 4)

    def test_a_pose_that_is_a_little_off_is_set_right(self):
        for side in (15, 28):
            for shift in range(8):
                pose = Pose(25 + shift / 8, 25.3 - shift / 16, side, shift / 5)
                plane = drawn(pose, [RADIUS] * 4)
                found = weigh(
                    Machine(side, plane), Pose(pose.x + 0.3, pose.y - 0.2, side, pose.angle + 0.03), FOUR
                )
                self.assertTrue(abs(found.x - pose.x) + abs(found.y - pose.y) < 0.12)
                self.assertTrue(abs(found.angle - pose.angle) < 0.015)
                self.assertTrue(abs(found.side / side - 1) < 0.015)

    def test_a_pip_that_a_chip_cuts_or_joins_is_damage(self):
        for side in (15, 28):
            for changed in (0.78, 1.28):
                with self.assertRaises(Refused) as caught:
                    check(Pose(25, 25, side, 0.3), [RADIUS, RADIUS, RADIUS * changed, RADIUS])
                self.assertEqual(caught.exception.detail, "pips-differ")

    def test_spots_much_smaller_than_pips_are_none(self):
        with self.assertRaises(Refused) as caught:
            check(Pose(25, 25, 28, 0.3), [RADIUS * 0.5] * 4)
        self.assertEqual(caught.exception.detail, "faint-spot")

    def test_a_face_at_the_edge_of_the_picture_is_judged_by_what_is_in_it(self):
        pose = Pose(3, 25, 28, 0)
        with self.assertRaises(Refused):
            check(pose, [RADIUS] * 4)
