"""Bodies on the platform: light regions of the low composite, each explained by top faces or by nothing."""

# Buffers go where viper takes pointers.
# pyright: reportArgumentType=false

from array import array
from math import ceil

from .gather import percentile
from .kernels import count_levels
from .oddity import Oddity
from .search import SquareSearch
from .square import Pose
from .tilt import least_light

_LEAST = 0.03  # share of a face's area below which a region is dust
_SPLINTER = 0.08  # and below which it belongs to a face whose middle is
_BESIDE = 0.85  # sides away
CUT = 50  # percent of a face's level at which its edges are taken
_SMALLEST = 0.9  # side of a face against the calibrated one: slanting light reaches further round its edges
_LARGEST = 1.2  # towards the wall; whether it is one storey up is known when its pips are
_NEARER = 1.25  # side of a face two storeys up, about
_DIM = 1.6  # times the cut of regions below which a face may lack its rim
_LACKING = 0.35  # so many sides of it
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
        self._search = SquareSearch(gatherer.profile.side, gatherer.columns, _SMALLEST, _LARGEST)
        self._nearer = SquareSearch(gatherer.profile.side * _NEARER, gatherer.columns, 0.95, 1.15)
        self._counts = array("i", bytes(4 * 256))

    def find(self, cut):
        """([Body], [Oddity]) of everything brighter than `cut`, each from top to bottom."""
        gatherer = self._gatherer
        everywhere = 0, 0, gatherer.columns - 1, gatherer.rows - 1
        regions = self._labeller.find(gatherer.low, gatherer.columns, everywhere, cut, 256, 1)
        # A single lamp's mirror images are small light things, too.
        least = gatherer.profile.side**2 * (_LEAST if gatherer.profile.lamps > 1 else _SPLINTER)
        bodies = []
        odd = []
        small = []
        for region in regions:
            if region.area >= gatherer.profile.side**2 * _SPLINTER:
                oddity = self._explain(region, bodies)
                if oddity:
                    odd.append((oddity, region))
            elif region.area >= least:
                small.append(region)
        # Last, for the labeller then forgets the regions.
        oddities = [oddity for oddity, region in odd if not self._explain_dim(oddity, region, cut, bodies)]
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
        return Oddity(larger[0].pose if larger else _about(region), level, share, bool(larger))

    def _find_faces(self, region, cut, bodies):
        """Whether faces with edges at `cut` explain a region of the latest find; appends their bodies."""
        fits = self._search.find(self._gatherer.low, region, self._labeller.runs, cut, _FACES)
        for fit in fits:
            if not _is_known(fit.pose, bodies):
                bodies.append(Body(fit.pose, self._level_of(fit.pose, cut)))
        return bool(fits)

    def _explain_dim(self, oddity, region, cut, bodies):
        """Whether faces explain a region once it is cut at its own level: where the light falls off, a face
        is hardly brighter than `cut`, which no floor in the best light is, and lacks its rim."""
        own = max(oddity.level * CUT // 100, int(cut * self._fall(oddity.pose)))
        if oddity.level > _DIM * cut or own >= cut:
            return False
        gatherer = self._gatherer
        aside = int(_LACKING * gatherer.profile.side) + 1
        box = (
            max(0, region.x0 - aside),
            max(0, region.y0 - aside),
            min(gatherer.columns - 1, region.x1 + aside),
            min(gatherer.rows - 1, region.y1 + aside),
        )
        around = [
            other
            for other in self._labeller.find(gatherer.low, gatherer.columns, box, own, 256, 1)
            if _is_around(other, region)
        ]
        return len(around) == 1 and self._find_faces(around[0], oddity.level * CUT // 100, bodies)

    def _fall(self, pose):
        """Light of the darkest lamp at a pose as a share of that in the middle of the platform."""
        gatherer = self._gatherer
        profile = gatherer.profile
        x = pose.x + gatherer.left - profile.platform[0]
        y = pose.y + gatherer.top - profile.platform[1]
        return least_light(x, y, profile) / least_light(0, 0, profile)

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


def _is_around(region, other):
    """Whether the box of a region holds that of another, as it must when it holds the other itself."""
    return region.x0 <= other.x0 and region.y0 <= other.y0 and region.x1 >= other.x1 and region.y1 >= other.y1


def _is_beside(region, bodies, side):
    """Whether a region may be a splinter of light at the rim of one of the bodies."""
    x, y = region.centre()
    near = (_BESIDE * side) ** 2
    return any((body.pose.x - x) ** 2 + (body.pose.y - y) ** 2 < near for body in bodies)


def _is_known(pose, bodies):
    """Whether a region that reaches round its neighbour has found the same face before."""
    near = 0.3 * pose.side
    return any(abs(body.pose.x - pose.x) < near and abs(body.pose.y - pose.y) < near for body in bodies)
