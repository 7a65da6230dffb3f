"""A face whose corner is gone is not read; noise alone refuses nothing."""

import unittest

from tumbler.reader.bright_corners import bright_inset, check_bright_corners
from tumbler.reader.dark_corners import check_dark_corners, check_steady_corners, dark_inset
from tumbler.reader.refusal import Refused
from tumbler.reader.square import Pose

_COLUMNS = 60


def _face(level, corner):
    """A plane of `level` whose lower right quarter, as far as a chip reaches, is `corner`."""
    plane = bytearray([level] * (_COLUMNS * _COLUMNS))
    for y in range(38, _COLUMNS):
        for x in range(38, _COLUMNS):
            plane[y * _COLUMNS + x] = corner
    return plane


def _lightened(frame, level, corners):
    """The same frame with other corners, each (right, below), as light as `level`."""
    for right, below in corners:
        for y in range(38, _COLUMNS) if below else range(23):
            for x in range(38, _COLUMNS) if right else range(23):
                frame[y * _COLUMNS + x] = level
    return frame


class Machine:
    """As much of a gatherer as corners are judged by: frames of whole size, no mirror images, and lamps far
    above the platform."""

    left = top = 0
    step = 1
    columns = small_columns = _COLUMNS
    side = 28
    die_mm = 16
    scale = 1
    halo = 1
    pips = {1: [(0, 0)], 2: [(-0.28, -0.28), (0.28, 0.28)]}
    radii = {1: 0.1, 2: 0.1}

    def __init__(self, frames, platform=(30, 30, 100)):
        self.platform = platform
        self.small = frames
        self.low = bytearray(min(levels) for levels in zip(*frames))
        self.lamps = len(frames)
        self.gains = [1] * len(frames)
        self.positions = [(0, 0, 10000)] * len(frames)
        self.profile = self
        self.stuck = []
        self.images = [[] for _ in frames]


def _check_bright_corners(machine, pose):
    check_bright_corners(machine, bright_inset(machine), pose)


class Corners(unittest.TestCase):
    def test_a_whole_face_passes(self):
        check_dark_corners(_face(160, 130), _COLUMNS, dark_inset(Machine), Pose(30, 30, 28, 0))
        _check_bright_corners(Machine([_face(160, 130), _face(90, 90)]), Pose(30, 30, 28, 0))

    def test_a_dark_corner_is_damage(self):
        with self.assertRaises(Refused) as caught:
            check_dark_corners(_face(160, 60), _COLUMNS, dark_inset(Machine), Pose(30, 30, 28, 0))
        self.assertEqual(caught.exception.reason, "die-damaged")

    def test_a_corner_that_is_dark_under_one_lamp_is_damage(self):
        with self.assertRaises(Refused) as caught:
            _check_bright_corners(Machine([_face(160, 170), _face(90, 40)]), Pose(30, 30, 28, 0))
        self.assertEqual(caught.exception.detail, "corner")

    def test_a_lamp_in_its_mirror_and_a_stuck_pixel_hide_a_corner(self):
        pose = Pose(30, 30, 28, 0)
        mirrored = Machine([_face(90, 40)])
        mirrored.images = [[(41, 41, 4)]]
        _check_bright_corners(mirrored, pose)
        stuck = Machine([_face(90, 40)])
        stuck.stuck = [(41, 41)]
        _check_bright_corners(stuck, pose)

    def test_a_broad_pip_that_reaches_the_corner_is_no_chip(self):
        frame = _face(160, 160)
        for y in range(38, 42):
            for x in range(38, 42):
                frame[y * _COLUMNS + x] = 30
        machine = Machine([frame])
        with self.assertRaises(Refused):
            _check_bright_corners(machine, Pose(30, 30, 28, 0))
        machine.pips = {2: [(-0.31, -0.31), (0.31, 0.31)]}
        machine.radii = {2: 0.125}
        _check_bright_corners(machine, Pose(30, 30, 28, 0))
        with self.assertRaises(Refused):
            _check_bright_corners(Machine([_face(160, 60)]), Pose(30, 30, 28, 0))

    def test_a_corner_of_a_dark_face_that_is_the_darkest_whichever_lamp_is_lit_is_damage(self):
        pose = Pose(30, 30, 28, 0)
        pattern = Machine.pips[2]
        frames = [_face(30, 26), _face(42, 34), _face(24, 21), _face(36, 30)]
        with self.assertRaises(Refused) as caught:
            check_steady_corners(Machine(frames), pose, pattern)
        self.assertEqual(caught.exception.detail, "corner")

    def test_gloss_that_moves_with_the_lamp_makes_no_corner_of_a_dark_face_damage(self):
        pose = Pose(30, 30, 28, 0)
        pattern = Machine.pips[2]
        check_steady_corners(
            Machine([_face(30, 20), _face(30, 42), _face(30, 29), _face(30, 31)]), pose, pattern
        )
        check_steady_corners(Machine([_face(30, 20), _face(42, 30)]), pose, pattern)  # too few lamps see it

    def test_a_hollow_that_only_the_lamp_it_leans_to_lights_is_damage(self):
        pose = Pose(30, 30, 28, 0)
        frames = [_face(30, 22), _face(42, 54), _face(24, 17), _face(36, 39)]
        with self.assertRaises(Refused) as caught:
            check_steady_corners(Machine(frames), pose, Machine.pips[1])
        self.assertEqual(caught.exception.detail, "corner")
        for frame, level in zip(frames, (38, 50, 33, 44)):  # as the other end shows, the face lies aside
            _lightened(frame, level, ((0, 0),))
        check_steady_corners(Machine(frames), pose, Machine.pips[1])

    def test_what_shines_through_to_the_other_corners_makes_the_last_one_no_damage(self):
        pose = Pose(30, 30, 28, 0)
        others = ((0, 0), (0, 1), (1, 0))
        frames = [_lightened(_face(level, level), 3 * level // 2, others) for level in (30, 42, 24, 36)]
        check_steady_corners(Machine(frames), pose, Machine.pips[1])

    def test_two_corners_side_by_side_that_lack_about_as_much_are_no_damage(self):
        pose = Pose(30, 30, 28, 0)
        frames = [_face(level, level * 78 // 100) for level in (100, 140, 80, 120)]
        with self.assertRaises(Refused):
            check_steady_corners(Machine(frames), pose, Machine.pips[1])
        for frame, level in zip(frames, (100, 140, 80, 120)):
            _lightened(frame, level * 82 // 100, ((1, 0),))
        check_steady_corners(Machine(frames), pose, Machine.pips[1])

    def test_a_corner_farther_from_the_lamps_is_no_damage(self):
        pose = Pose(30, 30, 28, 0)
        frames = []
        for _ in range(4):
            frame = _face(0, 0)
            for i in range(_COLUMNS * _COLUMNS):
                away = (i % _COLUMNS - 30 + i // _COLUMNS - 30) / 28
                frame[i] = int(122 - 50 * away)
            frames.append(frame)
        machine = Machine(frames)
        with self.assertRaises(Refused):
            check_steady_corners(machine, pose, Machine.pips[1])
        machine.positions = [(-90, -90, 90)] * 4
        check_steady_corners(machine, pose, Machine.pips[1])

    def test_gloss_that_falls_off_from_where_the_lamps_are_mirrored_makes_the_outer_corner_no_damage(self):
        pose = Pose(30, 30, 28, 0)
        pattern = Machine.pips[2]
        frames = [_face(30, 26), _face(42, 34), _face(24, 21), _face(36, 30)]
        check_steady_corners(Machine(frames, (-30, -30, 100)), pose, pattern)
        with self.assertRaises(Refused):  # of the corner that has most gloss
            check_steady_corners(Machine(frames, (90, 90, 100)), pose, pattern)

    def test_noise_on_a_black_face_is_none(self):
        check_dark_corners(_face(5, 2), _COLUMNS, dark_inset(Machine), Pose(30, 30, 28, 0))

    def test_a_face_too_dark_to_show_a_chip_is_refused(self):
        pose = Pose(30, 30, 28, 0)
        for pattern in (Machine.pips[1], Machine.pips[2]):
            for level in (0, 1, 2, 3):
                with self.assertRaises(Refused):
                    check_steady_corners(Machine([_face(level, level)] * 4), pose, pattern)
            check_steady_corners(Machine([_face(5, 5)] * 4), pose, pattern)
