"""Bodies on the platform: bright regions of the low composite, cut until each is the top face of one die."""

from .gather import percentile
from .square import CUTS, Outline, Pose

_LEAST = 0.08  # share of a face's area below which a region is dust
# Area of a level top face against the calibrated one near the middle: slanting light at the wall reaches
# further round its edges. A die one storey up starts at 1.13.
_SMALLEST = 0.92
_LARGEST = 1.11
_ASPECT = 1.09
_RIM = 0.2  # sides by which a region may grow when it is cut at a share of its own level


class Body:
    """A bright region: its smallest rectangle as `pose`, `ratio` of its area to a level top face's, `aspect`,
    `level` of the region and whether it is `sole`: the outline of exactly one top face."""

    def __init__(self, pose, ratio, aspect, level):
        self.pose = pose
        self.ratio = ratio
        self.aspect = aspect
        self.level = level
        self.sole = _SMALLEST <= ratio <= _LARGEST and aspect <= _ASPECT

    def is_larger_square(self):
        """Whether it looks like one top face nearer to the camera."""
        return _LARGEST < self.ratio < 1.42 and self.aspect <= _ASPECT

    def is_several(self):
        """Whether it is too large, or too long, for one top face at any height."""
        return self.ratio > _LARGEST and not self.is_larger_square()


class BodyFinder:
    """Finds bodies in the low composite of a gatherer."""

    def __init__(self, gatherer, labeller):
        self._gatherer = gatherer
        self._labeller = labeller
        self._outline = Outline(gatherer.columns, gatherer.rows)
        self._counts = [0] * 256

    def find(self, cut):
        """[Body] of everything brighter than `cut`, from top to bottom."""
        gatherer = self._gatherer
        everywhere = 0, 0, gatherer.columns - 1, gatherer.rows - 1
        regions = self._labeller.find(gatherer.low, gatherer.columns, everywhere, cut, 256, 1)
        least = gatherer.profile.areas[0] * _LEAST
        bodies = []
        for region in regions:
            if region.area >= least:
                self._cut(region, 0, bodies)
        bodies.sort(key=lambda body: (body.pose.y, body.pose.x))
        return bodies

    def core(self, body):
        """Area of a body at the highest cut against that of a level top face: blur makes the core smaller."""
        gatherer = self._gatherer
        box = body.pose.box(0.1, gatherer.columns, gatherer.rows)
        cut = body.level * CUTS[-1] // 100
        regions = self._labeller.find(gatherer.low, gatherer.columns, box, cut, 256, 1)
        largest = max(regions, key=lambda region: region.area)
        self._outline.trace(gatherer.low, self._labeller.runs(largest), largest, cut)
        return self._outline.area / gatherer.profile.areas[-1]

    def _cut(self, region, index, bodies):
        """Append the bodies of a region, cutting higher while it holds more than one."""
        gatherer = self._gatherer
        columns = gatherer.columns
        rim = int(_RIM * gatherer.profile.side) + 1
        box = (
            max(0, region.x0 - rim),
            max(0, region.y0 - rim),
            min(columns - 1, region.x1 + rim),
            min(gatherer.rows - 1, region.y1 + rim),
        )
        level = self.level(gatherer.low, box, gatherer.profile.body)
        cut = level * CUTS[index] // 100
        labeller = self._labeller
        area = gatherer.profile.areas[index]
        parts = []
        for part in labeller.find(gatherer.low, columns, box, cut, 256, 1):
            # What crosses the box is a neighbour that merely reaches into it.
            inside = box[0] < part.x0 and box[1] < part.y0 and part.x1 < box[2] and part.y1 < box[3]
            if inside and part.area >= area * _LEAST:
                parts.append((part, self._measure(part, cut, level, area)))
        for part, body in parts:
            if body.is_several() and index + 1 < len(CUTS):
                self._cut(part, index + 1, bodies)
            elif not _is_known(body, bodies):
                bodies.append(body)
        if not parts:
            # At this level it hangs together with a neighbour, or with the platform.
            if index + 1 < len(CUTS):
                self._cut(region, index + 1, bodies)
            else:
                bodies.append(_unclear(region, level, area))

    def _measure(self, part, cut, level, area):
        outline = self._outline
        outline.trace(self._gatherer.low, self._labeller.runs(part), part, cut)
        x, y, width, height, angle = outline.rectangle()
        aspect = max(width, height) / min(width, height)
        return Body(Pose(x, y, (width * height) ** 0.5, angle), outline.area / area, aspect, level)

    def level(self, plane, box, cut):
        """The level of a top face in a box: the 60th percentile of what is brighter than `cut`."""
        counts = self._counts
        for i in range(256):
            counts[i] = 0
        total = 0
        x0, y0, x1, y1 = box
        for y in range(y0, y1 + 1):
            base = y * self._gatherer.columns
            for i in range(base + x0, base + x1 + 1):
                if plane[i] >= cut:
                    counts[plane[i]] += 1
                    total += 1
        return percentile(counts, total * 3 // 5)


def _unclear(region, level, area):
    """The Body of a region that no cut parts from what is beside it."""
    x, y = region.centre()
    width, height = region.x1 - region.x0 + 1, region.y1 - region.y0 + 1
    return Body(Pose(x, y, (width * height) ** 0.5, 0), 2 * region.area / area, 2, level)


def _is_known(body, bodies):
    """Whether a box that reaches into its neighbour has found the same body before."""
    for other in bodies:
        near = 0.3 * body.pose.side
        if abs(other.pose.x - body.pose.x) < near and abs(other.pose.y - body.pose.y) < near:
            return True
    return False
