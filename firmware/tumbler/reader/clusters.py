"""Dice with light pips: a dark die hardly shows on a dark floor, but its pips do, so they find the die.

In the darkest frame a pip of a top face is the only small thing that is light; those of the side faces are in
shade, and those of the far face seen through a translucent die are faint.
"""

from math import pi

from .pips import Spot, fit, sample
from .refusal import Refused
from .square import Pose
from .tilt import least_light

_CUT = 0.55  # share of a calibrated pip's light at which a pip is cut out
_DUST = 0.12  # share of a calibrated pip's area that is no mark at all
_SURE_AREA = 0.4, 2.0  # and within which a spot is surely a pip
_NEIGHBOUR = 0.66  # sides between the pips of a face, a two apart
_TWO = 0.68, 1.0  # sides between the pips of a two; the middles of two dice are farther apart
_PROBE = 0.03


class Cluster:
    """Spots that belong to one die; `pose` is a square around them, `clear` whether all are surely pips."""

    def __init__(self, spots, side, clear):
        self.spots = spots
        self.clear = clear
        x = sum([spot.x for spot in spots]) / len(spots)
        y = sum([spot.y for spot in spots]) / len(spots)
        self.pose = Pose(x, y, side, 0)


class ClusterFinder:
    """Finds the dice in the low composite of a gatherer by their pips."""

    def __init__(self, gatherer, labeller):
        self._gatherer = gatherer
        self._labeller = labeller
        self._middle_light = least_light(0, 0, gatherer.profile)

    def find(self, cut, exposure):
        """[Cluster] of pips brighter than `cut`, from top to bottom; exposure: against the calibrated one."""
        gatherer = self._gatherer
        profile = gatherer.profile
        everywhere = 0, 0, gatherer.columns - 1, gatherer.rows - 1
        regions = self._labeller.find(gatherer.low, gatherer.columns, everywhere, cut, 256, 1)
        spots = []
        unclear = []
        for region in regions:
            for spot in self._part(region, exposure):
                spots.append(spot)
                if not _SURE_AREA[0] < spot.mass < _SURE_AREA[1]:
                    unclear.append(spot)
        clusters = []
        for group in _group(spots, profile.side):
            if len(group) == 1 and group[0].mass < _SURE_AREA[0]:
                continue  # dust on the platform; a die whose only pip were so worn would be missing
            clear = not [spot for spot in group if spot in unclear]
            clusters.append(Cluster(group, profile.side, clear))
        clusters.sort(key=lambda cluster: (cluster.pose.y, cluster.pose.x))
        return clusters

    def _part(self, region, exposure):
        """Spots of a region, cut at half of what a pip there would show; their mass is in areas of a pip.

        Dust is not among them, nor the faint pips of the far face of a translucent die.
        """
        gatherer = self._gatherer
        profile = gatherer.profile
        x, y = region.centre()
        across = x + gatherer.left - profile.platform[0], y + gatherer.top - profile.platform[1]
        light = least_light(across[0], across[1], profile) / self._middle_light
        expected = exposure * profile.pip_light * light
        box = region.x0, region.y0, region.x1, region.y1
        cut = max(int(expected * _CUT), 1)
        spots = []
        for part in self._labeller.find(gatherer.low, gatherer.columns, box, cut, 256, 1):
            share = part.area / profile.masses[2]
            if share > _DUST:
                x, y = part.centre()
                spots.append(Spot(x, y, share))
        return spots


def _group(spots, side):
    """Lists of spots that can only belong to one die."""
    groups = []
    left = list(spots)
    while left:
        group = [left.pop()]
        for member in group:
            near = [spot for spot in left if _distance(spot, member) < _NEIGHBOUR * side]
            for spot in near:
                left.remove(spot)
                group.append(spot)
        groups.append(group)
    single = [group for group in groups if len(group) == 1]
    for group in single:
        for other in single:
            if other is group or not group or not other:
                continue
            if _TWO[0] * side < _distance(group[0], other[0]) < _TWO[1] * side:
                group.append(other.pop())
                break
    return [group for group in groups if group]


def _distance(a, b):
    return ((a.x - b.x) ** 2 + (a.y - b.y) ** 2) ** 0.5


def read_cluster(cluster, profile):
    """(pose, pattern) that explains exactly the spots of a cluster. Refused when there is none."""
    count = len(cluster.spots)
    if not cluster.clear:
        raise Refused("unreadable", "faint-spot")
    if count > 6:
        raise Refused("unreadable", "touching")
    if count == 1:
        # One pip shows neither the scale nor the direction of its die.
        raise Refused("unreadable", "no-outline")
    best = None
    for degrees in range(0, 90, 5):
        pose = Pose(cluster.pose.x, cluster.pose.y, profile.side, degrees * pi / 180)
        found = fit(cluster.spots, pose, profile.pips[count])
        if found is not None and (best is None or found[1] < best[1]):
            best = found
    if best is None:
        raise Refused("unreadable", "unexplained-spot")
    pose, residual, pattern = best
    if residual > 0.25 + 0.012 * profile.side:
        raise Refused("unreadable", "unexplained-spot")
    if not 0.86 < pose.side / profile.side < 1.14:
        raise Refused("unreadable", "pips-misplaced")
    return pose, pattern


def levels(plane, columns, pose, pattern):
    """(level of the bare face, level of its pips) in a composite."""
    bare = []
    for u in (-0.36, -0.14, 0.14, 0.36):
        for v in (-0.36, -0.14, 0.14, 0.36):
            near = [1 for pu, pv in pattern if (u - pu) ** 2 + (v - pv) ** 2 < 0.16**2]
            if not near:
                x, y = pose.place(u, v)
                bare.append(sample(plane, columns, x, y, 0))
    bare.sort()
    pips = 0
    for u, v in pattern:
        x, y = pose.place(u, v)
        pips += sample(plane, columns, x, y, _PROBE * pose.side)
    return bare[len(bare) // 2], pips / len(pattern)
