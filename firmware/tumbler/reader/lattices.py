"""Dice with light pips: a dark die hardly shows on a dark floor, but its pips do, so they find the die.

In the darkest frame a pip of a top face is the only small thing that is light; those of the side faces are in
shade, and those of the far face seen through a translucent die are faint. Every light spot must belong to one
pattern of the brand's pips, and no pattern's face may hold a spot that is not its own.
"""

from math import atan2, pi

from .falling_cut import FallingCut
from .pips import Spot
from .refusal import Refused
from .silhouette import MOST_FLOOR
from .square import Pose, similarity
from .weighing import is_speck

_CUT = 0.55  # share of a calibrated pip's light at which a pip is cut out
_MERGED = 1.6  # and above which it may be two pips, which blur has joined
_NEARER_CUTS = 0.75, 0.85  # shares of its brightest place at which these are cut out
_LARGE = 1.5  # pips' areas that each may have in it, else it may hold more of them
OVER_FLOOR = 1.2  # times the floor's level, which falls off a little slower than the light on dice
_AS_LARGE = 1.45  # times as large or as small as calibrated a large single pip is at most,
_ROUND = 1.3  # times as long as wide,
_FILLED = 0.62  # and the share of its box that it fills at least: a disc does 0.79, two pips that touch 0.6
_DUST = 0.12  # share of a calibrated pip's area that is no mark at all
_SPACING = 0.12  # dice of one make differ this much in the spacing of their pips
_NEAR = 0.12  # sides within which a spot is the pip that a pattern has there
_ALONE = 0.46  # sides within which a face that shows one pip has no other spot
_FACE = 0.47  # half-width of a face within which every spot must be its own,
_WITHIN_RIM = 0.42  # or every speck: beyond that the rounded rim of dice that are not black glints,
_RIM = 0.51  # as far as that,
_NOT_BLACK = 1.05  # by when the bare face's level, not a share of the pips', is what they are cut out at
_NEAREST = 0.93  # sides between the middles of two dice that stand beside each other, at least
_MOST_SPOTS = 40
_SEEN = 6  # crossings of 7 on each edge that leave no doubt of an outline
_CLEARLY = 4  # points of floor by which one explanation must beat another
_NO_OUTLINE = 8  # points of floor that a single pip without an outline is worth


class Lattice:
    """Spots that one face's pattern explains: `pose`, `pattern`, and `members`, indices of the spots.

    `floor`: points of floor seen in the face. `fit`: outline of a face with a single pip, whose pose has no
    angle, or None.
    """

    def __init__(self, pose, pattern, members):
        self.pose = pose
        self.pattern = pattern
        self.members = members
        self.floor = 0
        self.fit = None

    def is_bare(self):
        """Whether it is a single pip without an outline: there may be no die."""
        return len(self.members) == 1 and self.fit is None


class SpotFinder:
    """Finds the light spots in the low composite of a gatherer; pips and floor are dimmer where the light
    falls off."""

    def __init__(self, gatherer, labeller):
        profile = gatherer.profile
        self._gatherer = gatherer
        self._labeller = labeller
        self._cut = FallingCut(gatherer, max(_CUT * profile.pip_light, OVER_FLOOR * profile.body))

    def find(self, exposure):
        """[Spot] as light as pips, mass in areas of a pip; exposure: against the calibrated one."""
        gatherer = self._gatherer
        mass = gatherer.profile.masses[2]
        spots = []
        merged = []
        spans = self._cut.spans(exposure)
        for region in self._labeller.find_over(gatherer.low, gatherer.columns, gatherer.rows, spans):
            if _is_large_one(region, gatherer.profile):
                x, y = region.centre()
                spots.append(Spot(x, y, region.area / gatherer.profile.masses[1]))
            elif region.area > _MERGED * mass:
                merged.append(region)
            elif region.area > _DUST * mass:
                x, y = region.centre()
                spots.append(Spot(x, y, region.area / mass))
        parts = []
        for region in merged:  # last, for the labeller then forgets the regions
            self._part(region, parts)
        near = gatherer.profile.radii[2] * gatherer.profile.side
        for part in sorted(parts):
            # The box about a region may hold a piece of a pip beside it: that pip is known, or a whole part.
            spot = Spot(*part[1:])
            if not [1 for other in spots if _apart(spot, other) < near]:
                spots.append(spot)
        if len(spots) > _MOST_SPOTS:
            raise Refused("unreadable", "too-many-spots")
        return spots

    def _part(self, region, found):
        """Append (whether it may be a piece, x, y, mass) of each part of a region, cut nearer to its peak."""
        gatherer = self._gatherer
        box = region.x0, region.y0, region.x1, region.y1
        peak = 0
        for y in range(region.y0, region.y1 + 1):
            for x in range(region.x0, region.x1 + 1):
                peak = max(peak, gatherer.low[y * gatherer.columns + x])
        mass = region.area / gatherer.profile.masses[2]
        parts = []
        for share in _NEARER_CUTS:
            cut = self._labeller.find(gatherer.low, gatherer.columns, box, int(peak * share), 256, 1)
            cut = [part for part in cut if part.area > 1]
            if len(cut) > len(parts):
                parts = cut
            if mass <= _LARGE * len(parts):
                break
        for part in parts:
            on_border = part.x0 == box[0] or part.y0 == box[1] or part.x1 == box[2] or part.y1 == box[3]
            found.append((on_border,) + part.centre() + (mass / 2,))


def _is_large_one(region, profile):
    """Whether a region is the single pip of dice whose one is larger than all others."""
    width, height = region.x1 - region.x0 + 1, region.y1 - region.y0 + 1
    mass = region.area / profile.masses[1]
    return (
        profile.masses[1] > _MERGED * profile.masses[2]
        and 1 / _AS_LARGE < mass < _AS_LARGE
        and max(width, height) <= _ROUND * min(width, height)
        and region.area > _FILLED * width * height
    )


def explain(spots, profile, silhouettes):
    """([Lattice], [index of a spot left over]): faces that stand apart and explain the most spots.

    Refused when two sets of other faces explain them all equally well.
    """
    candidates = []
    for lattice in _single(spots, profile) + _several(spots, profile):
        lattice.floor = _floor_inside(lattice, profile.side, silhouettes)
        if lattice.floor <= MOST_FLOOR:
            candidates.append(lattice)
    covers = []
    _cover(candidates, profile.side, [], set(), covers)
    if not covers:
        return [], list(range(len(spots)))
    covers.sort(key=lambda cover: (-len(cover[0]), _floor(cover[1])))
    covered, taken = covers[0]
    for others, rival in covers[1:]:
        as_good = len(others) == len(covered) and _floor(rival) < _floor(taken) + _CLEARLY
        if as_good and _faces(rival) != _faces(taken):
            raise Refused("unreadable", "ambiguous-spots")
    return taken, [i for i in range(len(spots)) if i not in covered]


def _floor_inside(lattice, side, silhouettes):
    """Floor seen in a lattice's face; of a single pip's, as it is turned best."""
    pose = lattice.pose
    if len(lattice.members) > 1:
        return silhouettes.floor_inside(Pose(pose.x, pose.y, side, pose.angle))
    lattice.fit = silhouettes.fit_turned(pose)
    # What shines within an outline that is seen all around is no floor.
    if lattice.fit is None or min(lattice.fit.free) >= _SEEN:
        return 0
    return silhouettes.floor_inside(lattice.fit.pose)


def _floor(taken):
    return sum([lattice.floor + (_NO_OUTLINE if lattice.is_bare() else 0) for lattice in taken])


def _faces(taken):
    return sorted([len(lattice.members) for lattice in taken])


def _cover(candidates, side, taken, covered, covers):
    """Append (covered indices, lattices) of every choice that no further candidate could join."""
    grew = False
    first = None
    for lattice in candidates:
        if covered.intersection(lattice.members) or not _stands_apart(lattice, taken, side):
            continue
        if first is None:
            first = min(lattice.members)
        if first not in lattice.members:
            continue
        grew = True
        _cover(candidates, side, taken + [lattice], covered.union(lattice.members), covers)
    if not grew:
        covers.append((covered, taken))


def _stands_apart(lattice, taken, side):
    return all(_apart(lattice.pose, other.pose) >= _NEAREST * side for other in taken)


def _single(spots, profile):
    """A Lattice of each spot that may be a face's only pip."""
    found = []
    for i, spot in enumerate(spots):
        if not [1 for other in spots if other is not spot and _is_beside(spot, other, profile)]:
            found.append(Lattice(Pose(spot.x, spot.y, profile.side, 0), ((0, 0),), (i,)))
    return found


def _is_beside(spot, other, profile):
    """Whether a face on which a spot is the only pip would hold another, or a speck within its rim."""
    return _apart(spot, other) < (_WITHIN_RIM if _may_glint(other, profile) else _ALONE) * profile.side


def _several(spots, profile):
    """Lattices of every pair of spots that may be the farthest pips of a face whose other pips are there."""
    found = []
    for count in (6, 5, 4, 3, 2):
        pattern = profile.pips[count]
        u, v, width = _widest(pattern)
        wanted = width * profile.side
        for i, a in enumerate(spots):
            for b in spots[i + 1 :]:
                if abs(_apart(a, b) / wanted - 1) <= _SPACING:
                    angle = atan2(b.y - a.y, b.x - a.x) - atan2(v, u)
                    start = Pose((a.x + b.x) / 2, (a.y + b.y) / 2, _apart(a, b) / width, angle)
                    lattice = _fitted(spots, pattern, start, profile)
                    if lattice is not None and not _is_known(lattice, found):
                        found.append(lattice)
    return found


def _widest(pattern):
    """(u, v, width) from the pip that is farthest from the middle to the one opposite it."""
    u, v = max(pattern, key=lambda pip: pip[0] ** 2 + pip[1] ** 2)
    return -2 * u, -2 * v, 2 * (u * u + v * v) ** 0.5


def _fitted(spots, pattern, start, profile):
    """The Lattice of a pattern about where `start` has it, None when it does not fit: a pip is missing, or
    a spot in the face is not its own."""
    side = profile.side
    members = []
    for u, v in pattern:
        x, y = start.place(u, v)
        near = min(range(len(spots)), key=lambda i: (spots[i].x - x) ** 2 + (spots[i].y - y) ** 2)
        if (spots[near].x - x) ** 2 + (spots[near].y - y) ** 2 > (_NEAR * side) ** 2 or near in members:
            return None
        members.append(near)
    pose, residual = similarity([(spots[i].x, spots[i].y) for i in members], pattern)
    if residual > 0.25 + 0.012 * side or abs(pose.side / side - 1) > _SPACING:
        return None
    face = Pose(pose.x, pose.y, side, pose.angle)
    for i, spot in enumerate(spots):
        if i not in members and _is_in(face, spot, _FACE) and not is_glint(spot, [face], profile):
            return None
    return Lattice(Pose(pose.x, pose.y, pose.side, pose.angle % (2 * pi)), pattern, tuple(members))


def is_glint(spot, faces, profile):
    """Whether a spot is light on the rounded rim of one of the faces."""
    on_rim = any(_is_in(pose, spot, _RIM) for pose in faces)
    return on_rim and _may_glint(spot, profile) and not any(_is_in(pose, spot, _WITHIN_RIM) for pose in faces)


def _may_glint(spot, profile):
    """Whether a spot is a speck as rims show it, of dice that are not black."""
    return is_speck(spot.mass) and OVER_FLOOR * profile.body > _NOT_BLACK * _CUT * profile.pip_light


def _is_in(face, spot, half):
    u, v = face.face(spot.x, spot.y)
    return abs(u) < half and abs(v) < half


def _is_known(lattice, found):
    return any(set(other.members) == set(lattice.members) for other in found)


def _apart(a, b):
    return ((a.x - b.x) ** 2 + (a.y - b.y) ** 2) ** 0.5
