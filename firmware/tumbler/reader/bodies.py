"""Bodies on the platform: light regions of the low composite, each explained by top faces or by nothing."""

# Buffers go where viper takes pointers.
# pyright: reportArgumentType=false

from array import array
from math import ceil

from .falling_cut import FallingCut
from .gather import percentile
from .kernels import count_levels
from .oddity import Oddity
from .search import SquareSearch
from .sides import Sides
from .square import Pose

_LEAST = 0.03  # share of a face's area below which a region is dust
_SPLINTER = 0.08  # and below which it belongs to a face whose middle is
_BESIDE = 0.85  # sides away
OVER_FLOOR = 1.3  # times the level above which no floor is, for it falls off slower than the light on dice
CUT = 50  # percent of a face's level at which its edges are taken
_SMALLEST = 0.9  # side of a face against the calibrated one: slanting light reaches further round its edges
_LARGEST = 1.2  # towards the wall; whether it is one storey up is known when its pips are
_NEARER = 1.25  # side of a face two storeys up, about
_FACES = 3  # most faces that one region is taken to hold


class Body:
    """A face-sized light square: `pose`, `level` of its face in the low composite."""

    def __init__(self, pose, level):
        self.pose = pose
        self.level = level


class BodyFinder:
    """Finds bodies in the low composite of a gatherer."""

    def __init__(self, gatherer, labeller):
        self._gatherer = gatherer
        self._labeller = labeller
        side, columns, sides = gatherer.profile.side, gatherer.columns, Sides(gatherer)
        self._search = SquareSearch(side, columns, sides, _SMALLEST, _LARGEST)
        self._nearer = SquareSearch(side * _NEARER, columns, sides, 0.95, 1.15)
        self._cut = FallingCut(gatherer, OVER_FLOOR * gatherer.profile.body, gatherer.profile.body)
        self._counts = array("i", bytes(4 * 256))

    def find(self, exposure):
        """([Body], [Oddity]) of everything brighter than the floor, each from top to bottom; exposure: of the
        scene, against the calibrated one."""
        gatherer = self._gatherer
        spans = self._cut.spans(exposure)
        regions = self._labeller.find_over(gatherer.low, gatherer.columns, gatherer.rows, spans)
        # A single lamp's mirror images are small light things, too.
        least = gatherer.profile.side**2 * (_LEAST if gatherer.profile.lamps > 1 else _SPLINTER)
        bodies = []
        oddities = []
        small = []
        for region in regions:
            if region.area >= gatherer.profile.side**2 * _SPLINTER:
                oddity = self._explain(region, bodies)
                if oddity:
                    oddities.append(oddity)
            elif region.area >= least:
                small.append(region)
        for region in small:
            if not _is_beside(region, bodies + oddities, gatherer.profile.side):
                oddities.append(Oddity(_about(region), 0, region.area / gatherer.profile.side**2, False))
        bodies.sort(key=lambda body: (body.pose.y, body.pose.x))
        return bodies, oddities

    def _explain(self, region, bodies):
        """Append the bodies that explain a region, or return the Oddity that it is."""
        gatherer = self._gatherer
        low = gatherer.low
        level = self.level(low, (region.x0, region.y0, region.x1, region.y1), gatherer.profile.body)
        cut = level * CUT // 100
        if self._find_faces(region, cut, bodies):
            return None
        share = region.area / gatherer.profile.side**2
        larger = self._nearer.find(low, region, self._labeller.runs, cut, 1)
        return Oddity(larger[0] if larger else _about(region), level, share, bool(larger))

    def _find_faces(self, region, cut, bodies):
        """Whether faces with edges at `cut` explain a region of the latest find; appends their bodies."""
        poses = self._search.find(self._gatherer.low, region, self._labeller.runs, cut, _FACES)
        for pose in poses:
            if not _is_known(pose, bodies):
                bodies.append(Body(pose, self._level_of(pose, cut)))
        return bool(poses)

    def _level_of(self, pose, cut):
        gatherer = self._gatherer
        return self.level(gatherer.low, pose.box(-0.1, gatherer.columns, gatherer.rows), cut)

    def level(self, plane, box, cut):
        """The level of a top face in a box: the 60th percentile of what is brighter than `cut`."""
        counts = self._counts
        for i in range(256):
            counts[i] = 0
        total = 0
        least = ceil(cut)
        x0, y0, x1, y1 = box
        for y in range(y0, y1 + 1):
            base = y * self._gatherer.columns
            total += count_levels(counts, plane, base + x0, base + x1 + 1, least)
        return percentile(counts, total * 3 // 5)


def _about(region):
    """A square as large as a region, about its middle."""
    x, y = region.centre()
    return Pose(x, y, region.area**0.5, 0)


def _is_beside(region, bodies, side):
    """Whether a region may be a splinter of light at the rim of one of the bodies."""
    x, y = region.centre()
    near = (_BESIDE * side) ** 2
    return any((body.pose.x - x) ** 2 + (body.pose.y - y) ** 2 < near for body in bodies)


def _is_known(pose, bodies):
    """Whether a region that reaches round its neighbour has found the same face before."""
    near = 0.3 * pose.side
    return any(abs(body.pose.x - pose.x) < near and abs(body.pose.y - pose.y) < near for body in bodies)
