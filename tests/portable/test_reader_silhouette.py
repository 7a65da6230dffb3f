"""How a dark die with a single pip is turned: from its own dark rim, or its outline against the floor."""

import unittest
from math import pi

from tumbler.reader.silhouette import MOST_FLOOR, Silhouettes
from tumbler.reader.square import Pose, quarter_turns_apart

COLUMNS = 90
MIDDLE = COLUMNS / 2
SIDE = 26
FLOOR = 70
BODY = 18
RIM = 30  # of a die, whose rounded edges catch some light
FACE = 12  # in the darkest of four frames,
EDGE = 6  # where the rim catches none
SHADE = 11  # and the floor is in shadow


def drawn(dice):
    """The platform with dark dice on it, their edges a pixel wide."""
    plane = bytearray(COLUMNS * COLUMNS)
    for y in range(COLUMNS):
        for x in range(COLUMNS):
            level = FLOOR
            for die in dice:
                u, v = die.face(x, y)
                beyond = (max(abs(u), abs(v)) - 0.5) * SIDE
                if beyond < 0.5:
                    body = RIM if beyond > -1.5 else BODY
                    level = min(level, body + (FLOOR - body) * max(0, beyond + 0.5))
            plane[y * COLUMNS + x] = int(level)
    return plane


def darkest(dice):
    """The darkest of four frames: faces no lighter than the floor, each within a dark rim."""
    plane = bytearray(COLUMNS * COLUMNS)
    for y in range(COLUMNS):
        for x in range(COLUMNS):
            level = SHADE + (x + y) % 2
            for die in dice:
                u, v = die.face(x, y)
                away = max(abs(u), abs(v))
                if away < 0.56:
                    level = FACE + x % 2 if away < 0.45 else EDGE
            plane[y * COLUMNS + x] = level
    return plane


def found_rim(die, others=()):
    lit = bytes([FACE] * (COLUMNS * COLUMNS))  # what shows no die at all
    silhouettes = Silhouettes(darkest((die,) + others), lit, COLUMNS, SIDE, (MIDDLE, MIDDLE), 0.08)
    return silhouettes.fit_turned(Pose(die.x + 0.4, die.y - 0.3, SIDE, 0))


def found(die, others=()):
    plane = drawn((die,) + others)
    silhouettes = Silhouettes(plane, plane, COLUMNS, SIDE, (MIDDLE, MIDDLE), 0.08)
    return silhouettes.fit_turned(Pose(die.x + 0.4, die.y - 0.3, SIDE, 0))


class Silhouette(unittest.TestCase):
    def assert_found(self, die, fit):
        if fit is None:
            self.fail("no outline of a die turned by %.2f" % die.angle)
        self.assertTrue(quarter_turns_apart(fit.pose.angle, die.angle) < 0.05)
        self.assertTrue(abs(fit.pose.x - die.x) + abs(fit.pose.y - die.y) < 1)

    def test_a_lone_die_however_it_is_turned(self):
        for step in range(24):
            die = Pose(MIDDLE + 1, MIDDLE - 2, SIDE, step * pi / 48)
            self.assert_found(die, found(die))

    def test_a_die_that_another_touches(self):
        for step in range(24):
            die = Pose(MIDDLE - 10, MIDDLE, SIDE, step * pi / 48)
            x, y = die.place(1.02, 0.2)
            self.assert_found(die, found(die, (Pose(x, y, SIDE, die.angle),)))

    def test_a_die_whose_neighbours_corner_points_at_it(self):
        for step in range(24):
            die = Pose(MIDDLE - 10, MIDDLE + 5, SIDE, step * pi / 48)
            x, y = die.place(1.22, 0)
            self.assert_found(die, found(die, (Pose(x, y, SIDE, die.angle + pi / 4),)))

    def test_a_die_between_two_others(self):
        for step in range(24):
            die = Pose(MIDDLE - 5, MIDDLE, SIDE, step * pi / 48)
            beside = [Pose(*die.place(u, v), SIDE, die.angle) for u, v in ((1.02, 0.2), (-1.02, 0.3))]
            self.assert_found(die, found(die, tuple(beside)))

    def test_a_glint_along_one_rim_is_no_floor(self):
        for step in range(24):
            die = Pose(MIDDLE + 3, MIDDLE, SIDE, step * pi / 48)
            plane = drawn((die,))
            for y in range(COLUMNS):
                for x in range(COLUMNS):
                    u, v = die.face(x, y)
                    if 0.32 < u < 0.5 and abs(v) < 0.5:
                        plane[y * COLUMNS + x] = FLOOR
            silhouettes = Silhouettes(plane, plane, COLUMNS, SIDE, (MIDDLE, MIDDLE), 0.08)
            self.assertTrue(0 < silhouettes.floor_inside(die) <= MOST_FLOOR)

    def test_a_platform_without_a_die_shows_none(self):
        silhouettes = Silhouettes(drawn(()), drawn(()), COLUMNS, SIDE, (MIDDLE, MIDDLE), 0.08)
        self.assertIsNone(silhouettes.fit_turned(Pose(MIDDLE, MIDDLE, SIDE, 0)))

    def test_a_clear_die_as_light_as_the_floor(self):
        for step in range(24):
            die = Pose(MIDDLE + 1, MIDDLE - 2, SIDE, step * pi / 48)
            fit = found_rim(die)
            self.assert_found(die, fit)
            self.assertTrue(fit and abs(fit.pose.side / SIDE - 1) < 0.06)

    def test_a_clear_die_that_others_touch(self):
        for step in range(24):
            die = Pose(MIDDLE - 5, MIDDLE, SIDE, step * pi / 48)
            beside = [Pose(*die.place(u, v), SIDE, die.angle) for u, v in ((1.03, 0.2), (-1.03, 0.3))]
            self.assert_found(die, found_rim(die, tuple(beside)))

    def test_a_dark_floor_without_a_die_shows_none(self):
        floor = darkest(())
        silhouettes = Silhouettes(floor, floor, COLUMNS, SIDE, (MIDDLE, MIDDLE), 0.08)
        self.assertIsNone(silhouettes.fit_turned(Pose(MIDDLE, MIDDLE, SIDE, 0)))

    def test_a_line_on_the_floor_is_no_rim(self):
        floor = darkest(())
        for x in range(COLUMNS):
            for y in range(57, 60):
                floor[y * COLUMNS + x] = EDGE
        silhouettes = Silhouettes(floor, floor, COLUMNS, SIDE, (MIDDLE, MIDDLE), 0.08)
        self.assertIsNone(silhouettes.fit_turned(Pose(MIDDLE, MIDDLE, SIDE, 0)))
