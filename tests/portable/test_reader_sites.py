"""The sites of a face, on a face drawn flat: each pip is looked for where its own make has it."""

import unittest
from math import exp

from tumbler.reader.pips import Shade, bare_sites, find_spots, is_in_pip, levels, prove_sites, sites
from tumbler.reader.refusal import Refused
from tumbler.reader.square import Pose

COLUMNS = 60
POSE = Pose(30, 30, 26, 0)
BODY = 160
CORNERS = [(-0.27, -0.27), (0.27, -0.27), (-0.27, 0.27), (0.27, 0.27)]
SIX = [(-0.21, -0.31), (0.21, -0.31), (-0.21, 0), (0.21, 0), (-0.21, 0.31), (0.21, 0.31)]


class Make:
    """Dice whose six lies beside the corners of the other faces."""

    bare = 0.25
    middle = 0.125
    pip = 0.5
    side = POSE.side
    halo = 1

    def __init__(self, counts):
        self.radii = dict.fromkeys(range(1, 7), 0.09)
        patterns = {
            1: [(0, 0)],
            2: [CORNERS[0], CORNERS[3]],
            3: [CORNERS[0], (0, 0), CORNERS[3]],
            4: CORNERS,
            5: CORNERS + [(0, 0)],
            6: SIX,
        }
        self.pips = {}
        for count in counts:
            self.pips[count] = patterns[count]


def drawn(pips, radius=0.09):
    """A plane with a face at POSE: soft dark pips (u, v, darkness)."""
    plane = bytearray(COLUMNS * COLUMNS)
    for y in range(COLUMNS):
        for x in range(COLUMNS):
            u, v = POSE.face(x, y)
            light = 1
            for a, b, darkness in pips:
                away = ((u - a) ** 2 + (v - b) ** 2) ** 0.5
                light -= darkness / (1 + exp((away - radius) * 60))
            plane[y * COLUMNS + x] = int(BODY * max(0, light))
    return plane


def prove(pattern, pips, make):
    plane = drawn(pips)
    return prove_sites(sites(make), pattern, POSE, COLUMNS, make, [Shade(plane, BODY, 0)] * 2)


def full(pattern):
    return [(u, v, 1.0) for u, v in pattern]


class Levels(unittest.TestCase):
    def test_every_face_of_every_pitch_has_bare_places(self):
        for thousandths in range(220, 300, 2):
            pitch = thousandths / 1000
            six = [(u * pitch, v * pitch) for u in (-1, 1) for v in (-1, 0, 1)]
            five = [(u * pitch, v * pitch) for u in (-1, 1) for v in (-1, 1)] + [(0, 0)]
            for pattern in six, five:
                bare, pips = levels(drawn(full(pattern)), COLUMNS, POSE, pattern)
                self.assertTrue(bare > 0.9 * BODY, (pitch, len(pattern), bare))
                self.assertTrue(pips < 0.2 * BODY, (pitch, len(pattern), pips))


class Sites(unittest.TestCase):
    def test_they_are_the_same_whatever_the_order_of_the_profile(self):
        usual = sites(Make((1, 2, 3, 4, 5, 6)))
        self.assertEqual(sites(Make((6, 1, 2, 3, 4, 5))), usual)
        self.assertEqual(sites(Make((3, 5, 6, 2, 4, 1))), usual)

    def test_every_face_is_as_sure_as_its_own_pips(self):
        make = Make((1, 2, 3, 4, 5, 6))
        for pattern in make.pips.values():
            self.assertTrue(prove(pattern, full(pattern), make) > 0.6)

    def test_a_faint_pip_in_any_place_is_refused(self):
        make = Make((1, 2, 3, 4, 5, 6))
        for pattern in make.pips.values():
            for i in range(len(pattern)):
                pips = full(pattern)
                u, v, _ = pips[i]
                pips[i] = u, v, 0.4
                with self.assertRaises(Refused):
                    prove(pattern, pips, make)

    def test_a_pip_that_is_not_the_patterns_is_refused_wherever_it_may_be(self):
        make = Make((1, 2, 3, 4, 5, 6))
        for pattern in make.pips.values():
            apart = [site for site in sites(make) if not is_in_pip(site[0], site[1], pattern, 0.2)]
            self.assertTrue(apart)
            for u, v in apart:
                with self.assertRaises(Refused):
                    prove(pattern, full(pattern) + [(u, v, 0.4)], make)

    def test_a_shade_in_the_middle_is_a_worn_pip_only_where_a_pip_makes_another_face(self):
        make = Make((1, 2, 3, 4, 5, 6))
        for count in (2, 4):
            with self.assertRaises(Refused):
                prove(make.pips[count], full(make.pips[count]) + [(0, 0, 0.2)], make)
        self.assertTrue(prove(SIX, full(SIX) + [(0, 0, 0.2)], make) > 0)

    def test_a_spot_that_joins_two_pips_is_damage(self):
        make = Make((1, 2, 3, 4, 5))
        six = make.pips[6] = [(u, v) for u in (-0.27, 0.27) for v in (-0.27, 0, 0.27)]
        prove(six, full(six), make)
        for spot in ((-0.27, 0.135, 1.0), (0.25, -0.135, 0.9)):
            with self.assertRaises(Refused):
                prove(six, full(six) + [spot], make)

    def test_a_site_that_a_broad_pip_covers_tells_nothing(self):
        make = Make((1, 2, 3, 4, 5, 6))
        make.radii[1] = 0.19
        plane = drawn([(0, 0, 1.0)], radius=0.19)
        shades = [Shade(plane, BODY, 0)] * 2
        self.assertTrue(prove_sites(sites(make), [(0, 0)], POSE, COLUMNS, make, shades) > 0.6)
        for u, v in CORNERS + SIX:
            if abs(u) > 0.25 or abs(v) > 0.25:
                plane = drawn([(0, 0, 1.0), (u, v, 0.4)], radius=0.19)
                with self.assertRaises(Refused):
                    prove_sites(sites(make), [(0, 0)], POSE, COLUMNS, make, [Shade(plane, BODY, 0)] * 2)


class Spots(unittest.TestCase):
    def test_the_middle_of_a_spot_is_found_however_broad_it_is(self):
        for thousandths in range(70, 211, 10):
            for u, v in ((0, 0), (0.03, -0.02), (-0.04, 0.04)):
                plane = drawn([(u, v, 0.9)], radius=thousandths / 1000)
                plane[int(POSE.y) * COLUMNS + int(POSE.x) + 2] //= 2  # what is darkest may lie aside
                (spot,) = find_spots(plane, COLUMNS, COLUMNS, POSE, BODY)
                x, y = POSE.place(u, v)
                self.assertTrue(
                    abs(spot.x - x) + abs(spot.y - y) < 0.5, (thousandths, spot.x - x, spot.y - y)
                )

    def test_the_pips_of_a_six_stay_apart_however_wide_they_are(self):
        for hundredths in range(8, 13):
            for pitch in (0.25, 0.27, 0.3):
                six = [(u * pitch, v * pitch) for u in (-1, 1) for v in (-1, 0, 1)]
                plane = drawn([(u, v, 0.9) for u, v in six], radius=hundredths / 100)
                self.assertEqual(len(find_spots(plane, COLUMNS, COLUMNS, POSE, BODY)), 6, (hundredths, pitch))

    def test_no_blur_hides_the_site_that_tells_two_faces_apart(self):
        make = Make((1, 2, 3, 4, 5, 6))
        make.side, make.halo = 12, 3
        make.radii = dict.fromkeys(range(1, 7), 0.11)
        for fewer in make.pips:
            for more in make.pips:
                if more > fewer:
                    bare = bare_sites(sites(make), make.pips[fewer], make)
                    told = [site for site in make.pips[more] if is_in_pip(site[0], site[1], bare, 0.07)]
                    self.assertTrue(told, (fewer, more))

    def test_a_broad_spot_has_more_darkness(self):
        masses = []
        for thousandths in range(70, 211, 10):
            plane = drawn([(0, 0, 0.9)], radius=thousandths / 1000)
            masses.append(find_spots(plane, COLUMNS, COLUMNS, POSE, BODY)[0].mass)
        self.assertEqual(masses, sorted(masses))
