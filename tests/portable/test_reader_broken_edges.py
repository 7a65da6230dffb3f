"""A piece broken out of an edge of a bright face is seen wherever it was; pips near the edge, neighbours and
lit sides are no breaks."""

import unittest

from fake_outlines import LEVEL, Face, Picture, at

from tumbler.reader.broken_edges import refuse_broken_edge
from tumbler.reader.refusal import Refused
from tumbler.reader.square import Pose

_BEVEL = 0.1
_WIDE_SIX = [(u, v) for u in (-0.3, 0, 0.3) for v in (-0.3, 0.3)]


class LitSide:
    """The side beyond the edge +u of a face, as light as the face is up to `end` along that edge."""

    pips = ()
    radius = 0.1

    def __init__(self, pose, end):
        self.pose = pose
        self.end = end

    def level(self, x, y):
        u, v = self.pose.face(x, y)
        return LEVEL if 0.4 < u < 0.56 and -0.5 < v < self.end else 0


class BrokenEdgesTest(unittest.TestCase):
    def check(self, face, *others):
        refuse_broken_edge(Picture((face,) + others), face.pose, face.pips, face.pose, LEVEL)

    def assert_broken(self, face, *others):
        with self.assertRaises(Refused) as raised:
            self.check(face, *others)
        self.assertEqual((raised.exception.reason, raised.exception.detail), ("die-damaged", "edge"))

    def test_a_tenth_of_a_side_gone_from_an_edge_is_refused(self):
        for i, degrees in enumerate(range(0, 90, 8)):
            place = (-0.33, -0.1, 0.35)[i % 3]
            gone = ((0.5, place), (place, 0.5), (-0.5, place), (place, -0.5))[i % 4]
            self.assert_broken(Face(at(degrees), _BEVEL, gone=gone + (0.1,)))

    def test_one_that_reaches_a_pip_is_refused(self):
        for degrees in (0, 25):
            self.assert_broken(Face(at(degrees), _BEVEL, gone=(0.0, 0.5, 0.14), pips=_WIDE_SIX))

    def test_one_deeper_than_is_looked_is_refused(self):
        self.assert_broken(Face(at(20), _BEVEL, gone=(0.5, 0.1, 0.2)))

    def test_whole_faces_pass_however_wide_their_pips(self):
        for degrees in (0, 30):
            for radius in (0.08, 0.12, 0.16, 0.2):
                self.check(Face(at(degrees), _BEVEL, pips=_WIDE_SIX, radius=radius))

    def test_a_face_that_is_taken_to_lie_aside_passes(self):
        face = Face(at(10), _BEVEL)
        picture = Picture((face,))
        for dx, dy, turn in ((0.5, 0.3, 0), (0, -0.6, 0.02), (-0.4, 0, -0.03)):
            pose = Pose(face.pose.x + dx, face.pose.y + dy, 28.5, face.pose.angle + turn)
            refuse_broken_edge(picture, pose, (), pose, LEVEL)

    def test_a_neighbour_is_none(self):
        face = Face(at(0), _BEVEL)
        for away in (0, 8, 20):
            self.check(face, Face(Pose(face.pose.x + 28, face.pose.y + away, 28, 0), _BEVEL))

    def test_a_side_that_is_lit_in_part_is_none(self):
        """It looks like more of the face beyond its edge."""
        face = Face(at(0), _BEVEL)
        for end in (-0.2, 0.0, 0.2):
            self.check(face, LitSide(face.pose, end))

    def test_few_places_in_sight_tell_nothing(self):
        face = Face(at(0), _BEVEL, gone=(0.0, 0.5, 0.1))
        others = [
            Face(Pose(face.pose.x + dx, face.pose.y + dy, 28, 0))
            for dx, dy in ((28, 0), (-28, 0), (0, -28), (20, 28), (-20, 28))
        ]
        self.check(face, *others)
