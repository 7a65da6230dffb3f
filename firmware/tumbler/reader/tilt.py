"""Tilt of a top face from its brightness under each lamp (photometric stereo, Woodham 1980).

A matt face of normal n at p is as bright under lamp k as gain / d^2 * (n . direction to the lamp). Four lamps
give one equation more than the normal has unknowns: what is left over shows gloss, under the nearer lamp.
"""

from .agreement import lamp_levels
from .gather import BURNT
from .leans import Lean
from .pips import is_in_pip
from .profile import LIGHT_PIPS
from .refusal import Refused
from .solve import solve
from .tone import BLACK
from .weighing import amid_lamps

FLAT_DEGREES = 4.4  # level dice measure 0.4 degrees on average, 3.2 at most; ones of 6 degrees 5.7 and more

_FACE = 0.38  # half-width of the part of a face that is averaged, in sides; the rounded edges stay out
_CLEAR = 1.6  # and so do dark pips, with their slopes: so many radii of a pip
_IN_PIP = 0.7  # and light pips, which are bowls, are looked at all around: so many radii off their middle
_MOST_BURNT = 0.05  # share of a face
_DOUBT = 0.3  # weight of what the lamp shows that may be mirrored: less makes more of what the others are off


class Tilts:
    """Tilts of the faces of a gatherer's scenes under four lamps; `centre`: of the platform, in the pixels of
    its composites."""

    def __init__(self, gatherer):
        profile = gatherer.profile
        self._gatherer = gatherer
        self._profile = profile
        self.centre = profile.platform[0] - gatherer.left, profile.platform[1] - gatherer.top

    def brightness(self, pose, pattern):
        """(levels, telling): mean levels under each lamp of the bare face, and of its pips if they are light;
        and those that tell how it leans, of light pips, for a dark face is mostly gloss."""
        levels, telling = face_brightness(self._gatherer, pose, pattern)
        if self._profile.polarity != LIGHT_PIPS:
            return [levels], telling
        pips, telling = self._pip_brightness(pose, pattern)
        return [levels, pips], telling

    def lean(self, pose, telling):
        """Lean of a face by its levels that tell it."""
        return face_lean(telling, self._gatherer.strengths(), pose, self.centre, self._profile)

    def refuse_tilted(self, pose):
        """Refused when what lies at a pose, and has no pips that are known, does not lie level; a single lamp
        shows no tilt."""
        if self._profile.lamps > 1:
            _, telling = face_brightness(self._gatherer, pose, ())
            if self.lean(pose, telling).degrees() >= FLAT_DEGREES:
                raise Refused("not-flat", "tilted")

    def _pip_brightness(self, pose, pattern):
        """(levels, telling): mean level of the pips under each lamp, None for one whose mirror image hides
        most of them; and the same of those that it does not burn."""
        pose = amid_lamps(self._gatherer, pose, pattern)
        away = _IN_PIP * self._profile.radii[len(pattern)]
        seen = [[] for _ in self._profile.images]  # type: list[list[float]]
        telling = [[] for _ in self._profile.images]  # type: list[list[float]]
        for u, v in pattern:
            middle = [level or 0 for level in lamp_levels(self._gatherer, pose, u, v)]
            for du, dv in ((away, 0), (0, away)):
                one = lamp_levels(self._gatherer, pose, u + du, v + dv)
                other = lamp_levels(self._gatherer, pose, u - du, v - dv)
                for lamp, (left, at, right) in enumerate(zip(one, middle, other)):
                    if left is None or right is None:
                        continue
                    seen[lamp].append((left + right) / 2)
                    if max(left, at, right) < BURNT:
                        telling[lamp].append((left + right) / 2)
        return _means(seen, len(pattern)), _means(telling, len(pattern))


def _means(seen, least):
    """Mean of the levels under each lamp, None of less than so many."""
    return [sum(levels) / len(levels) if len(levels) >= least else None for levels in seen]


def face_lean(brightness, strengths, pose, centre, profile):
    """Lean by the face's normal.

    brightness: mean level of the face under each lamp, None where it cannot be seen; strengths: of the lamps
    in this scene; centre: of the platform, in the pose's pixels. Refused when two lamps are missing or the
    lamps contradict each other.
    """
    rows = []
    for lamp, level in enumerate(brightness):
        if level is not None:
            rows.append(_equation(lamp, level, strengths[lamp], pose, centre, profile))
    if len(rows) == 4:
        _doubt_gloss(rows)
    if len(rows) < 3:
        raise Refused("unreadable", "glare")
    x, y, z = solve([row[:4] for row in rows])
    if z <= 0:
        raise Refused("not-flat", "steep")
    at_x, at_y = (pose.x - centre[0]) / profile.scale, (pose.y - centre[1]) / profile.scale
    return Lean(at_x, at_y, x / z, y / z)


def _equation(lamp, level, strength, pose, centre, profile):
    """(direction x, y, z, level as if lamp and distance were the same for all, distance)."""
    lamp_x, lamp_y, lamp_z = profile.positions[lamp]
    x = lamp_x - (pose.x - centre[0]) / profile.scale
    y = lamp_y - (pose.y - centre[1]) / profile.scale
    z = lamp_z - profile.die_mm
    distance = (x * x + y * y + z * z) ** 0.5
    light = (level - BLACK) * distance * distance / strength
    return x / distance, y / distance, z / distance, light, distance


def _doubt_gloss(rows):
    """Have that of the four equations count for less whose lamp the face may mirror.

    The brightness under opposite lamps has the same sum for both pairs whatever the tilt, so the pair whose
    sum is higher holds the glossy one, and that is the nearer lamp.
    """
    sums = []
    for a, b in ((0, 2), (1, 3)):
        sums.append((rows[a][3] + rows[b][3]) / (rows[a][2] + rows[b][2]))
    pair = (0, 2) if sums[0] > sums[1] else (1, 3)
    glossy = min(pair, key=lambda lamp: rows[lamp][4])
    rows[glossy] = tuple([_DOUBT * term for term in rows[glossy]])


def face_brightness(gatherer, pose, pips):
    """(levels, telling): mean level under each lamp of the bare face, None for one whose mirror image hides
    half of it; and the same, None also for one that burns some of it.

    pips: of the face, all sites where it is not known.
    """
    step = gatherer.step
    x0, y0, x1, y1 = pose.box(0, gatherer.columns, gatherer.rows)
    profile = gatherer.profile
    images = profile.images
    radius = _CLEAR * profile.radii[1 if len(pips) == 1 else 2]
    totals = [0] * len(images)
    counts = [0] * len(images)
    burnt = [0] * len(images)
    whole = 0
    for y in range((y0 + step - 1) // step * step, y1 + 1, step):
        for x in range((x0 + step - 1) // step * step, x1 + 1, step):
            u, v = pose.face(x, y)
            if abs(u) > _FACE or abs(v) > _FACE or is_in_pip(u, v, pips, radius):
                continue
            whole += 1
            i = y // step * gatherer.small_columns + x // step
            for lamp, image in enumerate(images):
                if not any(_is_inside(x + gatherer.left, y + gatherer.top, circle) for circle in image):
                    level = gatherer.small[lamp][i]
                    totals[lamp] += level
                    counts[lamp] += 1
                    burnt[lamp] += level >= BURNT
    levels = [totals[k] / counts[k] if counts[k] * 2 > whole else None for k in range(len(images))]
    return levels, [None if burnt[k] > _MOST_BURNT * whole else levels[k] for k in range(len(images))]


def _is_inside(x, y, circle):
    return (x - circle[0]) ** 2 + (y - circle[1]) ** 2 <= circle[2] ** 2
