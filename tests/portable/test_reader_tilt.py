"""A die's tilt shows in its brightness under each lamp, through gloss and in bowls of pips."""

import unittest
from math import pi, sin

from tumbler.reader.lamp_light import lamp_light
from tumbler.reader.profile import DARK_PIPS, LIGHT_PIPS
from tumbler.reader.square import Pose
from tumbler.reader.tilt import FLAT_DEGREES, Tilts

SIZE = 100
SIDE = 28
PIP = 0.094
COCKED = 6  # degrees
BODY = {LIGHT_PIPS: 0.08, DARK_PIPS: 1}  # share of the light of a white face


class Make:
    """As much of a profile as tilts are judged by; a pixel is half a millimetre."""

    positions = ((120, 0, 120), (0, -120, 120), (-120, 0, 120), (0, 120, 120))
    gains = (1.5e6,) * 4
    images = ((),) * 4
    stuck = ()
    lamps = 4
    platform = (50, 50, 44)
    scale = SIDE / 16
    die_mm = 16
    side = SIDE
    radii = dict.fromkeys(range(1, 7), PIP)

    def __init__(self, polarity):
        self.polarity = polarity


class Machine:
    """As much of a gatherer: the composites and every second pixel of a die alone under each lamp.

    lean: degrees towards x; gloss: share of a white face's light added by the lamp that is nearest to it;
    bowl: how far the rim of a pip leans, degrees; exposure: times the usual light, which burns from 255 on.
    """

    left = top = 0
    columns = rows = SIZE
    step = 2
    small_columns = SIZE // 2

    def __init__(self, polarity, pose, pattern, lean=0, gloss=0, bowl=0, exposure=1):
        self.profile = Make(polarity)
        self.low, self.high = bytearray([255] * SIZE * SIZE), bytearray(SIZE * SIZE)
        self.small = []
        for lamp, (lamp_x, lamp_y, lamp_z) in enumerate(self.profile.positions):
            x, y = (pose.x - 50) / self.profile.scale, (pose.y - 50) / self.profile.scale
            light = lamp_light(x * self.profile.scale, y * self.profile.scale, lamp, self.profile)
            ways = (lamp_x - x) / (lamp_z - 16), (lamp_y - y) / (lamp_z - 16)
            light *= 1 + sin(lean * pi / 180) * ways[0]
            shine = gloss * light if lamp == 2 else 0
            small = bytearray(self.small_columns * self.small_columns)
            x0, y0, x1, y1 = pose.box(0.1, SIZE, SIZE)
            for row in range(y0, y1):
                for column in range(x0, x1):
                    u, v = pose.face(column, row)
                    level = BODY[polarity] * light
                    for pip_u, pip_v in pattern:
                        du, dv = (u - pip_u) / PIP, (v - pip_v) / PIP
                        if du * du + dv * dv < 1:
                            level = light - BODY[polarity] * light
                            level *= 1 - sin(bowl * pi / 180) * (du * ways[0] + dv * ways[1])
                    level = min(255, int(2 + exposure * (level + shine) + 0.5))
                    at = row * SIZE + column
                    self.low[at], self.high[at] = min(self.low[at], level), max(self.high[at], level)
                    if row % 2 == 0 and column % 2 == 0:
                        small[row // 2 * self.small_columns + column // 2] = level
            self.small.append(small)

    def strengths(self):
        return self.profile.gains


def tilt(polarity, pose, pattern, taken_for=None, **more):
    """What a die at the pose, towards the lamp that shines most on it, measures where it is taken to lie."""
    tilts = Tilts(Machine(polarity, pose, pattern, **more))
    pose = taken_for or pose
    _, telling = tilts.brightness(pose, pattern)
    return tilts.lean(pose, telling).degrees()


class Tilt(unittest.TestCase):
    def test_level_and_leaning_faces_are_told_apart(self):
        for polarity in (DARK_PIPS, LIGHT_PIPS):
            for x in (30, 44, 61):
                pose, pips = Pose(x, 47, SIDE, 0), [(-0.26, -0.26), (0.26, 0.26)]
                self.assertTrue(tilt(polarity, pose, pips) < 1.5)
                for lean in (-COCKED, COCKED):
                    self.assertTrue(tilt(polarity, pose, pips, lean=lean) > FLAT_DEGREES + 0.5)

    def test_a_little_gloss_hides_no_tilt_and_feigns_none(self):
        pose, pips = Pose(25, 50, SIDE, 0), [(0, 0)]
        for share in (0.01, 0.02, 0.04, 0.08):
            self.assertTrue(tilt(DARK_PIPS, pose, pips, gloss=share) < 1)
            for lean in (-COCKED, COCKED):
                self.assertTrue(tilt(DARK_PIPS, pose, pips, gloss=share, lean=lean) > FLAT_DEGREES + 0.5)

    def test_gloss_on_a_dark_face_hides_no_tilt_of_its_pips(self):
        pose, pips = Pose(25, 50, SIDE, 0), [(-0.26, -0.26), (0.26, 0.26)]
        for share in (0.01, 0.02, 0.04):
            self.assertTrue(tilt(LIGHT_PIPS, pose, pips, gloss=share, lean=COCKED) > FLAT_DEGREES + 0.5)

    def test_a_bowl_looks_level_wherever_its_middle_lies_between_pixels(self):
        for x in (25, 25.5, 26, 26.5):
            for y in (50, 50.7, 51.4):
                measured = tilt(LIGHT_PIPS, Pose(x, y, SIDE, 0), [(0, 0)], bowl=8)
                self.assertTrue(measured < 1.5, measured)

    def test_a_deep_bowl_taken_to_lie_where_it_is_darkest_looks_level(self):
        for off_x, off_y in ((0.5, 0), (0.4, -0.4), (-0.5, 0), (0, 0.5)):
            pose, taken_for = Pose(25, 50, SIDE, 0), Pose(25 + off_x, 50 + off_y, SIDE, 0)
            for pips in ([(0, 0)], [(-0.26, -0.26), (0.26, 0.26)]):
                measured = tilt(LIGHT_PIPS, pose, pips, taken_for, bowl=20)
                self.assertTrue(measured < 1, measured)

    def test_a_lamp_that_burns_the_face_out_tells_nothing_of_its_tilt(self):
        pose, pips = Pose(25, 50, SIDE, 0), [(-0.26, -0.26), (0.26, 0.26)]
        for polarity in (DARK_PIPS, LIGHT_PIPS):
            levels, telling = Tilts(Machine(polarity, pose, pips, exposure=6)).brightness(pose, pips)
            self.assertEqual([level is None for level in telling], [False, False, True, False])
            self.assertFalse(None in levels[-1], "they tell whether the frames agree")
            self.assertTrue(tilt(polarity, pose, pips, exposure=6) < 1)
            for lean in (-COCKED, COCKED):
                measured = tilt(polarity, pose, pips, exposure=6, lean=lean)
                self.assertTrue(measured > FLAT_DEGREES + 0.5, measured)


if __name__ == "__main__":
    unittest.main()
