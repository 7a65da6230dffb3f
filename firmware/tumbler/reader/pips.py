"""The face of one die: every dark spot explained by the pattern, every other site of the lattice proven bare.

A dark pip must be dark under the lamp that lights it best, a bare site bright under the lamp that lights it
worst; between sure-pip and sure-bare there is no answer.
"""

from .kernels import next_pit
from .refusal import Refused
from .square import Pose, quarter_turns_apart, similarity

_SPOT_CUT = 60  # percent of the face's level
_DEAD_BAND = 10  # percent of the level that noise and shading take from a spot's darkness
_PITCH_TOLERANCE = 0.14  # dice of one make differ this much in the spacing of their pips
# Radius of the window in which a spot is weighed, in sides, where its weight falls to 0, and times that it
# follows the spot to its middle; then those for a single broad one.
_NARROW, _WIDE = (0.21, 4), (0.34, 8)
_BROAD = 0.82  # mass of a broad spot, times the square of that radius: darkness everywhere in it makes pi / 3
_MASS_RANGE = 0.5, 2.0  # of the calibrated darkness of a pip
_WELL_SEEN = 20  # side from which a pip covers enough pixels for its darkness to be measured well
_MASS_SPREAD = 1.8  # of the pips of one face
_ANGLE_TOLERANCE = 0.13
_OFFSET_TOLERANCE = 0.08
_RIM = 0.42  # half-width of the face in which a spot's middle is looked for; beyond it is the rounded edge,
_FACE = 0.46  # and that in which darkness belongs to a spot
_SAME_SPOT = 0.14
_SAME_SITE = 0.07
_BESIDE = 0.12  # sides from a pip within which a site of another face shows that pip,
_BLUR, _SOFTEST = 0.6, 0.045  # or pixels, and most sides, from where a broad one's edge touches the probe
WITHOUT_MIDDLE = 2, 4  # a worn middle pip alone turns a five into a four or a three into a two
_BETWEEN = (-0.36, -0.14, 0.14, 0.36)  # across a face, where it is looked at between its pips
_MIDWAY = (-0.25, 0, 0.25)  # and where it is if all those are near a pip: of a six, when they lie around each
_CLEAR = 0.16  # sides from a pip's middle at which a face is bare
_NEIGHBOURS = 0.32  # sides between the middles of two pips that have nothing but a gap between them
_GAP = 0.75  # contrast halfway between them that is a spot's; blur makes 0.4 at most, 0.67 of small dice
_PROBE = 0.045  # radius of the cross of five samples that judges a site, in sides


class Spot:
    """A dark spot on a face: centre x, y in pixels, mass in pixels of full darkness."""

    def __init__(self, x, y, mass):
        self.x = x
        self.y = y
        self.mass = mass


def find_spots(plane, columns, rows, pose, level):
    """Every dark spot on the face at `pose`: where the darkness gathers about each darkest pixel.

    A single one that is too broad for the window is weighed under a wider one.
    """
    places = _darkest(plane, columns, rows, pose, level * _SPOT_CUT // 100)
    picture = plane, columns, rows
    spots, are_broad = _weighed(picture, places, pose, level, _NARROW)
    if are_broad:
        broad, _ = _weighed(picture, [(spot.x, spot.y) for spot in spots], pose, level, _WIDE)
        if len(broad) == 1:
            return broad
    return spots


def _weighed(picture, places, pose, level, window):
    """([Spot] about the places, each once; whether there are some and all are too broad for the window).

    window: its radius in sides, and the times that it follows a spot.
    """
    radius, times = window
    reach = radius * pose.side
    floor = level * (100 - _DEAD_BAND) // 100
    spots = []
    broad = 0
    for at in places:
        x, y, mass = _follow(picture, at, pose, reach, floor, times)
        if mass:
            spot = Spot(x, y, mass / level)
            if not [1 for other in spots if _apart(spot, other) < _SAME_SPOT * pose.side]:
                spots.append(spot)
                depth = floor - sample(picture[0], picture[1], x, y, _PROBE * pose.side)
                broad += mass > _BROAD * reach * reach * depth
    return spots, 0 < broad == len(spots)


def _darkest(plane, columns, rows, pose, cut):
    """(x, y) of pixels on the face darker than `cut` and than those around them, none near another."""
    near = (_SAME_SPOT * pose.side) ** 2
    found = []
    x0, y0, x1, y1 = pose.box(0, columns - 1, rows - 1)
    for y in range(max(1, y0), y1):
        row = y * columns
        end = row + x1
        i = next_pit(plane, row + max(1, x0), end, columns, cut)
        while i < end:
            x = i - row
            u, v = pose.face(x, y)
            on_face = -_RIM < u < _RIM and -_RIM < v < _RIM
            if on_face and not [1 for at_x, at_y in found if (at_x - x) ** 2 + (at_y - y) ** 2 < near]:
                found.append((x, y))
            i = next_pit(plane, i + 1, end, columns, cut)
    return found


def _follow(picture, at, pose, reach, floor, times):
    """(x, y, mass) of what is darker than `floor` about a place, which the window has followed so often."""
    x, y = at
    mass = 0
    for _ in range(times):
        mass, sum_x, sum_y = _darkness(picture, x, y, pose, reach, floor)
        if not mass:
            break
        x, y = sum_x / mass, sum_y / mass
    return x, y, mass


def _darkness(picture, x, y, pose, reach, floor):
    """(mass, and its moments along x and y) of a face's darkness under a window about a place."""
    plane, columns, rows = picture
    mass = sum_x = sum_y = 0
    for row in range(max(0, int(y - reach) + 1), min(rows, int(y + reach) + 1)):
        base = row * columns
        for column in range(max(0, int(x - reach) + 1), min(columns, int(x + reach) + 1)):
            depth = floor - plane[base + column]
            if depth <= 0:
                continue
            window = 1 - ((column - x) ** 2 + (row - y) ** 2) / (reach * reach)
            if window <= 0:
                continue
            u, v = pose.face(column, row)
            if -_FACE < u < _FACE and -_FACE < v < _FACE:
                depth *= window * window
                mass += depth
                sum_x += depth * column
                sum_y += depth * row
    return mass, sum_x, sum_y


def _apart(a, b):
    return ((a.x - b.x) ** 2 + (a.y - b.y) ** 2) ** 0.5


def read_face(spots, outline, profile):
    """(pose, pattern) that explains exactly these spots, one pip each. Refused when there is none."""
    count = len(spots)
    if not 1 <= count <= 6:
        raise Refused("die-damaged", "no-pips" if not count else "too-many-spots")
    reference = profile.masses[count]
    masses = [spot.mass for spot in spots]
    least, most = min(masses), max(masses)
    slack = 1 + max(0, _WELL_SEEN - profile.side) / _WELL_SEEN
    low, high = _MASS_RANGE[0] * reference / slack, _MASS_RANGE[1] * reference * slack
    if least < low or most > high or most > _MASS_SPREAD * slack * least:
        raise Refused("die-damaged", "spot-not-a-pip")
    best = fit(spots, outline, profile.pips[count])
    if best is None:
        raise Refused("die-damaged", "unexplained-spot")
    pose, residual, pattern = best
    if residual > 0.25 + 0.012 * outline.side:
        raise Refused("die-damaged", "unexplained-spot")
    if count == 1:
        pose = Pose(pose.x, pose.y, outline.side, outline.angle)
    u, v = outline.face(pose.x, pose.y)
    if max(abs(u), abs(v)) > _OFFSET_TOLERANCE:
        raise Refused("die-damaged", "pips-off-centre")
    if abs(pose.side / outline.side - 1) > _PITCH_TOLERANCE:
        raise Refused("die-damaged", "pips-misplaced")
    if quarter_turns_apart(pose.angle, outline.angle) > _ANGLE_TOLERANCE:
        raise Refused("unreadable", "pips-askew")
    return pose, pattern


def fit(spots, outline, places):
    """(pose, residual in pixels, pattern turned to fit) of the pips `places` laid on spots near where the
    pose `outline` has them; None when some pip has no spot of its own."""
    best = None
    for turn in (0, 1):
        pattern = [(-v, u) if turn else (u, v) for u, v in places]
        order = _assign(spots, pattern, outline)
        if order is not None:
            pose, residual = similarity([(spot.x, spot.y) for spot in order], pattern)
            if best is None or residual < best[1]:
                best = pose, residual, pattern
    return best


def _assign(spots, pattern, outline):
    """The spots in the order of the pattern's pips, each nearest to its own; None when two claim one."""
    order = []
    left = list(spots)
    for u, v in pattern:
        x, y = outline.place(u, v)
        nearest = min(left, key=lambda spot: (spot.x - x) ** 2 + (spot.y - y) ** 2)
        if (nearest.x - x) ** 2 + (nearest.y - y) ** 2 > (0.16 * outline.side) ** 2:
            return None
        left.remove(nearest)
        order.append(nearest)
    return order


def sites(profile):
    """Every place where some face has a pip, in both orientations: [(u, v)]."""
    places = []
    for count in sorted(profile.pips):
        for u, v in profile.pips[count]:
            for place in ((u, v), (-v, u)):
                if not is_near_site(place, places, _SAME_SITE):
                    places.append(place)
    return places


def is_near_site(place, places, near):
    """Whether a place is nearer than that to one of the places, in sides."""
    return any(abs(place[0] - u) < near and abs(place[1] - v) < near for u, v in places)


def is_in_pip(u, v, pips, radius):
    """Whether a place of a face lies within so many sides of the middle of a pip."""
    return any((u - pu) ** 2 + (v - pv) ** 2 < radius * radius for pu, pv in pips)


def bare_sites(places, pattern, profile, beside=_BESIDE):
    """Those of the places where the pattern has no pip, nor one that would show there."""
    reach = profile.radii[len(pattern)] + _PROBE + min(_BLUR * profile.halo / profile.side, _SOFTEST)
    return [
        place
        for place in places
        if not (is_near_site(place, pattern, beside) or is_in_pip(place[0], place[1], pattern, reach))
    ]


class Shade:
    """What a composite shows of bare face and of pip: contrast 0 and 1; `body`: the level of the bare face;
    `span`: by how much that of a pip is higher."""

    def __init__(self, plane, body, pip):
        self.plane = plane
        self.body = body
        self.span = pip - body

    def contrast(self, columns, place, probe):
        x, y = place
        return (sample(self.plane, columns, x, y, probe) - self.body) / self.span


def prove_sites(places, pattern, pose, columns, profile, shades):
    """Margin 0 to 1 by which each site is what the pattern says. Refused when one is neither pip nor bare; a
    site that a pip of the pattern overlaps, as in makes whose six has rows of its own, tells nothing.

    shades: of the composite in which a pip stands out least and of that in which a mark stands out most.
    """
    pip_shade, bare_shade = shades
    margin = 1.0
    probe = _PROBE * pose.side
    for u, v in pattern:
        contrast = pip_shade.contrast(columns, pose.place(u, v), probe)
        margin = min(margin, (contrast - profile.pip) / (1 - profile.pip))
    for u, v in bare_sites(places, pattern, profile):
        contrast = bare_shade.contrast(columns, pose.place(u, v), probe)
        is_middle = abs(u) + abs(v) < _SAME_SITE
        limit = profile.middle if is_middle and len(pattern) in WITHOUT_MIDDLE else profile.bare
        margin = min(margin, (limit - contrast) / limit)
    if margin < 0:
        raise Refused("die-damaged", "faint-spot")
    for place in _gaps(pattern):
        if pip_shade.contrast(columns, pose.place(*place), 0) > _GAP:
            raise Refused("die-damaged", "spot-between")
    return margin


def _gaps(pattern):
    """The places halfway between neighbouring pips: none is a site, and a spot there joins both."""
    places = []
    for i, (u, v) in enumerate(pattern):
        for other_u, other_v in pattern[:i]:
            if (u - other_u) ** 2 + (v - other_v) ** 2 < _NEIGHBOURS**2:
                places.append(((u + other_u) / 2, (v + other_v) / 2))
    return places


def sample(plane, columns, x, y, probe):
    """Mean of a cross of five bilinear samples around x, y."""
    total = 0
    for dx, dy in ((0, 0), (probe, 0), (-probe, 0), (0, probe), (0, -probe)):
        total += _bilinear(plane, columns, x + dx, y + dy)
    return total / 5


def _bilinear(plane, columns, x, y):
    column, row = int(x), int(y)
    i = row * columns + column
    if not (x >= 0 and y >= 0 and column + 1 < columns and i + columns + 1 < len(plane)):
        return 0
    fx, fy = x - column, y - row
    upper = plane[i] + (plane[i + 1] - plane[i]) * fx
    lower = plane[i + columns] + (plane[i + columns + 1] - plane[i + columns]) * fx
    return upper + (lower - upper) * fy


def levels(plane, columns, pose, pattern):
    """(level of the bare face where it is darkest, level of its pips) in a composite."""
    bare = _bare(plane, columns, pose, pattern, _BETWEEN) or _bare(plane, columns, pose, pattern, _MIDWAY)
    pips = 0
    for u, v in pattern:
        x, y = pose.place(u, v)
        pips += sample(plane, columns, x, y, _PROBE * pose.side)
    return bare[len(bare) // 4], pips / len(pattern)


def _bare(plane, columns, pose, pattern, places):
    """The levels, from dark to light, at those places of a face that are clear of its pips."""
    bare = []
    for u in places:
        for v in places:
            if not is_in_pip(u, v, pattern, _CLEAR):
                x, y = pose.place(u, v)
                bare.append(sample(plane, columns, x, y, 0))
    bare.sort()
    return bare
