"""A crack or a broken corner of a dark face is found below its noise; noise, dirt and pips alone are none."""

import unittest
from math import cos, sin

from tumbler.reader.cracks import Cracks
from tumbler.reader.refusal import Refused
from tumbler.reader.square import Pose

_COLUMNS = 60
_PLACES = {
    1: [(0, 0)],
    6: [(-0.26, -0.26), (0, -0.26), (0.26, -0.26), (-0.26, 0.26), (0, 0.26), (0.26, 0.26)],
}
_PIP = 0.095
_CRACK = 0.018  # half of its width


class Noise:
    """The same noise on every interpreter, about normal, of so many levels."""

    def __init__(self, seed):
        self._state = seed

    def of(self, levels):
        total = 0
        for _ in range(4):
            self._state = (self._state * 75 + 74) % 65537
            total += self._state / 65537 - 0.5
        return total * 1.73 * levels


def _level(u, v, face, harm):
    """Share of the light that a place of a black die with white pips gives back."""
    grey = 0.05
    if any((u - x) ** 2 + (v - y) ** 2 < _PIP**2 for x, y in _PLACES[face]):
        grey = 0.75
    if harm == "dirt" and (u - 0.12) ** 2 + v * v < 0.04**2:
        grey *= 0.5
    if harm == "crack" and abs(v - 0.12 * u - (0.05 if u > 0 else 0.02)) < _CRACK:
        grey *= 0.25
    if harm == "faint" and abs(v - 0.12 * u - 0.03) < _CRACK:
        grey *= 0.7
    if harm == "aslant" and abs(v - u) < _CRACK:
        grey *= 0.25
    if harm == "corner" and (u - 0.5) ** 2 + (v + 0.5) ** 2 < 0.3**2:
        grey *= 0.5
    return grey


def _frame(light, side, angle, face, noise, harm):
    """A die in the middle of a bright floor, three by three rays to a pixel."""
    frame = bytearray(_COLUMNS * _COLUMNS)
    c, s = cos(angle), sin(angle)
    for y in range(_COLUMNS):
        for x in range(_COLUMNS):
            total = 0
            for dx in (-1 / 3, 0, 1 / 3):
                for dy in (-1 / 3, 0, 1 / 3):
                    right, down = (x + dx - 30) / side, (y + dy - 30) / side
                    u, v = right * c + down * s, down * c - right * s
                    on_face = -0.5 < u < 0.5 and -0.5 < v < 0.5
                    total += _level(u, v, face, harm) if on_face else 0.35
            frame[y * _COLUMNS + x] = min(
                255, max(0, int(total / 9 * light + noise.of(2 if harm == "noise" else 1) + 2.5))
            )
    return frame


class Machine:
    """As much of a gatherer as cracks are looked for with."""

    left = top = 0
    columns = rows = _COLUMNS
    is_clear = False
    halo = 1
    pips = _PLACES
    radii = {1: _PIP, 6: _PIP}

    def __init__(self, side, angle, face, seed, harm="", exposure=1):
        noise = Noise(seed)
        self.step = 2 if side >= 20 else 1
        self.side = side
        self.profile = self
        self.stuck = []
        lights = [exposure * light for light in (150, 190, 240, 170)]
        self.small = [_frame(light, side, angle, face, noise, harm) for light in lights]
        self.low = bytearray(min(levels) for levels in zip(*self.small))


def _check(machine, angle, face):
    Cracks(machine).check(Pose(30, 30, machine.side, angle), face)


class CracksTest(unittest.TestCase):
    def test_a_crack_is_damage_in_frames_of_both_sizes(self):
        for side in (15, 25):
            for angle, face in ((0.1, 1), (0.8, 6), (1.4, 1)):
                with self.assertRaises(Refused) as caught:
                    _check(Machine(side, angle, face, 7, harm="crack"), angle, face)
                self.assertEqual((caught.exception.reason, caught.exception.detail), ("die-damaged", "crack"))

    def test_a_fainter_crack_is_damage_where_more_light_shows_it(self):
        with self.assertRaises(Refused) as caught:
            _check(Machine(25, 0.1, 1, 7, harm="faint", exposure=2), 0.1, 1)
        self.assertEqual((caught.exception.reason, caught.exception.detail), ("die-damaged", "crack"))

    def test_a_crack_from_corner_to_corner_is_damage(self):
        for side, face in ((15, 1), (25, 1), (25, 6)):
            with self.assertRaises(Refused) as caught:
                _check(Machine(side, 0.8, face, 9, harm="aslant"), 0.8, face)
            self.assertEqual((caught.exception.reason, caught.exception.detail), ("die-damaged", "crack"))

    def test_a_whole_face_is_none_in_the_noise_of_a_poorer_camera(self):
        for side, seed, angle, face in ((25, 18, 1.01, 1), (25, 25, 0.49, 6), (15, 38, 0.75, 1)):
            _check(Machine(side, angle, face, seed, harm="noise"), angle, face)

    def test_a_broken_corner_is_damage_where_no_pip_of_a_small_die_hides_it(self):
        for side, angle, face in ((15, 0.1, 1), (25, 0.1, 1), (25, 0.8, 6)):
            with self.assertRaises(Refused) as caught:
                _check(Machine(side, angle, face, 8, harm="corner"), angle, face)
            self.assertEqual((caught.exception.reason, caught.exception.detail), ("die-damaged", "corner"))

    def test_a_whole_face_is_none_for_all_its_noise_and_dirt(self):
        for side in (15, 25):
            for seed, angle, face in ((1, 0.1, 1), (2, 0.8, 6), (3, 1.2, 6)):
                _check(Machine(side, angle, face, seed, harm="dirt"), angle, face)

    def test_a_face_that_is_all_in_its_pips_blur_tells_nothing(self):
        machine = Machine(15, 0.1, 6, 7)
        machine.halo = 3
        with self.assertRaises(Refused) as caught:
            _check(machine, 0.1, 6)
        self.assertEqual((caught.exception.reason, caught.exception.detail), ("unreadable", "pips-blurred"))
        machine.halo = 1
        _check(machine, 0.1, 6)

    def test_a_stuck_pixel_is_none(self):
        machine = Machine(15, 0.3, 1, 4)
        for small in machine.small:
            small[33 * _COLUMNS + 34] = 0
        machine.stuck = [(34, 33)]
        _check(machine, 0.3, 1)

    def test_a_face_that_no_frame_holds_is_not_judged(self):
        machine = Machine(25, 0.3, 1, 5)
        with self.assertRaises(Refused) as caught:
            Cracks(machine).check(Pose(8, 30, machine.side, 0.3), 1)
        self.assertEqual(caught.exception.reason, "unreadable")

    def test_a_face_at_the_edge_of_a_picture_as_wide_as_a_profile_allows_is_not_judged(self):
        machine = Machine(25, 0.3, 1, 5)
        machine.columns = 1010
        with self.assertRaises(Refused) as caught:
            Cracks(machine).check(Pose(1000, 30, machine.side, 0.3), 1)
        self.assertEqual(caught.exception.reason, "unreadable")
