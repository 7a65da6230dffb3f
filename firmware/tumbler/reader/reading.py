"""The dice reader: one frame under each lamp in, three proven faces or a refusal out.

Nothing is guessed. A face is reported only when every spot on it is a pip of one pattern, every other site is
bare, its die has the size of one on the platform, and its brightness under the lamps says that it lies level.
"""

import gc

from .agreement import check_agreement
from .blemishes import prove_unblemished
from .bodies import BodyFinder, Oddity
from .confidence import confidence
from .corners import check_bright_corners, check_dark_corners, check_steady_corners
from .cracks import Cracks
from .floor import check_floor
from .gather import Gatherer
from .lattices import SpotFinder, explain
from .marks import prove_bare_dark
from .pips import Shade, find_spots, levels, prove_sites, read_face, sites
from .profile import LIGHT_PIPS
from .refusal import Refused
from .regions import Labeller
from .shadows import Shadows
from .silhouette import Silhouettes
from .square import Pose, quarter_turns_apart
from .tilt import face_brightness, tilt_degrees
from .weighing import is_sure, weigh

READ = "read"
REFUSED = "refused"
ONE_LAMP = "one-lamp"  # detail: all is read, but one picture does not show a tilt: docs/one-lamp.md

_FLAT_DEGREES = 4.6  # a level die measures 0 to 4 degrees, 1.3 on average; 6 must be noticed
_OFF_OUTLINE = 0.2  # sides between the middle of the pips and that of the outline of a dark die
_OWN = 0.1  # share by which an outline's side may differ; a neighbour's edge makes it differ more
_ASKEW = 0.16  # radians
_SHARP = 0.6  # share of a sharp picture's steepness below which a refused scene is called out of focus
# What the scene is called when its bodies are refused for several reasons, the surest knowledge first.
_REASONS = ("stacked", "not-flat", "extra-object", "die-missing", "die-damaged", "unreadable")


class Die:
    """One die read: `face` 1 to 6, centre `x`, `y` and `side` in pixels of the frame, `angle` and `tilt_deg`
    in degrees (0 when a single lamp cannot tell), `flat`, `margin` 0 to 1, what the tightest check leaves of
    its tolerance, `confidence` 0 to 1, what such a margin was measured to be worth (see confidence),
    `outline`: its Pose in the composites."""

    def __init__(self, face, x, y, side, angle, tilt_deg, margin, confidence, outline):
        self.face = face
        self.x = x
        self.y = y
        self.side = side
        self.angle = angle
        self.tilt_deg = tilt_deg
        self.flat = tilt_deg < _FLAT_DEGREES
        self.margin = margin
        self.confidence = confidence
        self.outline = outline


class Reading:
    """The reader's answer. `verdict` is READ or REFUSED; `dice` are those understood, from top left to bottom
    right, `faces` theirs when read and () when refused; `reason` a fact of the device and `detail` (at most
    24 characters) the finer cause when refused, both None when read."""

    def __init__(self, dice, reason=None, detail=None):
        self.verdict = REFUSED if reason else READ
        self.dice = tuple(dice)
        self.faces = () if reason else tuple([die.face for die in dice])
        self.reason = reason
        self.detail = detail


class Reader:
    """Reads scenes of `count` dice with one profile; buffers are made here, once.

    begin(), add(frame, lamp) for every lamp in order, finish(). A frame may be overwritten once add returns.
    """

    def __init__(self, profile, count=3):
        self.profile = profile
        self.width = profile.width
        self.height = profile.height
        self.lamps = profile.lamps
        self._count = count
        gc.collect()  # the large buffers go below the gaps that loading code and profile left
        self._gatherer = Gatherer(profile)
        self._labeller = Labeller()
        self._light = profile.polarity == LIGHT_PIPS
        if self._light:
            self._spots = SpotFinder(self._gatherer, self._labeller)
            low, high, columns = self._gatherer.low, self._gatherer.high, self._gatherer.columns
            self._silhouettes = Silhouettes(low, high, columns, profile.side, self._centre(), profile.lens)
            self._cracks = Cracks(self._gatherer)
        else:
            self._finder = BodyFinder(self._gatherer, self._labeller)
        self._sites = sites(profile)
        self._shadows = Shadows(self._gatherer)

    def begin(self):
        """Start a new scene."""
        self._gatherer.begin()

    def add(self, frame, lamp):
        """Take one frame, width * height grey bytes row by row, under lamp 0, 1, 2, 3 in this order.

        FrameError when the size or the lamp is not the one expected.
        """
        self._gatherer.add(frame, lamp)

    def finish(self):
        """Reading of the frames added since begin(). FrameError when some are missing."""
        try:
            self._gatherer.finish()
            bodies, oddities = self._find_bodies()
        except Refused as refusal:
            return Reading((), refusal.reason, refusal.detail)
        dice = []
        refusals = []
        for oddity in oddities:
            refusal = self._explain(oddity)
            refusals.append((refusal.reason, refusal.detail))
        for body in bodies:
            try:
                dice.append(self._read(body))
            except Refused as refusal:
                refusals.append((refusal.reason, refusal.detail))
        found = len(bodies) + len(oddities)
        if found > self._count:
            refusals.append(("extra-object", "%d bodies" % found))
        elif found < self._count:
            refusals.append(("die-missing", "%d of %d dice" % (found, self._count)))
        try:
            check_floor(self._gatherer, bodies + oddities)
        except Refused as refusal:
            refusals.append((refusal.reason, refusal.detail))
        if _are_at_different_heights(dice, self.profile.side, self._light):
            refusals.append(("stacked", "sizes differ"))
        if not refusals:
            try:
                self._check_light(dice)
            except Refused as refusal:
                refusals.append((refusal.reason, refusal.detail))
        if not refusals:
            return Reading(dice)
        if found and self._gatherer.steepness() < _SHARP * self.profile.steep:
            return Reading(dice, "unreadable", "out-of-focus")
        reason, detail = min(refusals, key=lambda refusal: _REASONS.index(refusal[0]))
        return Reading(dice, reason, detail)

    def _check_light(self, dice):
        """Refused when the lamps show a thing beside the dice, or too few to show that these are level."""
        if self.lamps == 1:
            raise Refused("unreadable", ONE_LAMP)
        self._shadows.check([die.outline for die in dice])

    def _find_bodies(self):
        exposure = sum(self._gatherer.exposures) / self.lamps
        if self._light:
            return self._find_lattices(exposure)
        return self._finder.find(int(self.profile.body * exposure))

    def _find_lattices(self, exposure):
        """([Lattice], [Oddity]) of dice with light pips."""
        spots = self._spots.find(exposure)
        if self.lamps == 1:
            spots = [spot for spot in spots if not self._is_mirrored(spot)]
        lattices, left = explain(spots, self.profile, self._silhouettes)
        found = []
        for lattice in lattices:
            if not lattice.is_bare() or is_sure(spots[lattice.members[0]].mass):  # else dust on the platform
                found.append(lattice)
        found.sort(key=lambda lattice: (lattice.pose.y, lattice.pose.x))
        if not left:
            return found, []
        x = sum([spots[i].x for i in left]) / len(left)
        y = sum([spots[i].y for i in left]) / len(left)
        return found, [Oddity(Pose(x, y, self.profile.side, 0), 0, 1, False)]

    def _read(self, body):
        """The Die of a body; Refused with the reason why it is none."""
        if self._light:
            pose, pattern = self._read_lattice(body)
        else:
            pose, pattern = self._read_outline(body)
        brightness = self._brightness(pose, pattern) if self.lamps > 1 else None
        tilt = self._tilt(pose, brightness) if brightness else 0
        if tilt >= _FLAT_DEGREES:
            raise Refused("not-flat", "tilt %.1f deg" % tilt)
        columns = self._gatherer.columns
        margins = [1 - tilt / _FLAT_DEGREES]
        if self._light:
            shades = self._light_shades(pose, pattern)
            outline = Pose(pose.x, pose.y, self.profile.side, pose.angle)
            margins.append(prove_bare_dark(self._gatherer, pose, pattern, [shade.body for shade in shades]))
            margins.append(check_dark_corners(self._gatherer.low, columns, self.profile, outline))
            if brightness:
                margins.append(check_steady_corners(self._gatherer, outline, pattern))
                margins.append(self._cracks.check(outline, len(pattern)))
        else:
            shades = self._dark_shades(body, pose)
            outline = body.pose
            margins.append(prove_unblemished(self._gatherer, pose, pattern, outline))
            if brightness:
                margins.append(check_bright_corners(self._gatherer, outline))
        self._refuse_glare(pose)
        margins.append(prove_sites(self._sites, pattern, pose, columns, self.profile, shades))
        if brightness:
            check_agreement(self._gatherer, self._sites, pattern, pose, brightness)
        return Die(
            len(pattern),
            pose.x + self._gatherer.left,
            pose.y + self._gatherer.top,
            pose.side,
            pose.angle * 57.29578 % 90,
            tilt,
            min(margins),
            confidence(min(margins), self.profile),
            outline,
        )

    def _read_lattice(self, lattice):
        """(pose, pattern) of a dark body with light pips."""
        pose = lattice.pose
        if lattice.is_bare():
            raise Refused("unreadable", "no-outline")
        fit = lattice.fit or self._silhouettes.fit(pose)
        if fit is not None and fit.sides() >= 2 and abs(fit.pose.side / self.profile.side - 1) <= _OWN:
            for away, free in zip(fit.pose.face(pose.x, pose.y), fit.across()):
                if free and abs(away) > _OFF_OUTLINE:
                    raise Refused("unreadable", "pips-off-centre")
            if not lattice.fit and quarter_turns_apart(pose.angle, fit.pose.angle) > _ASKEW:
                raise Refused("unreadable", "pips-askew")
        if lattice.fit:
            pose = Pose(pose.x, pose.y, self.profile.side, lattice.fit.pose.angle)
        return weigh(self._gatherer, pose, lattice.pattern), lattice.pattern

    def _read_outline(self, body):
        """(pose, pattern) of a bright body with dark pips."""
        gatherer = self._gatherer
        columns, rows = gatherer.columns, gatherer.rows
        spots = find_spots(gatherer.low, columns, rows, body.pose, body.level)
        try:
            return read_face(spots, body.pose, self.profile)
        except Refused as refusal:
            cause = refusal
        if self.lamps > 1 and self._tilt(body.pose, self._brightness(body.pose, ())) >= _FLAT_DEGREES:
            cause = Refused("not-flat", "tilted")
        raise cause

    def _dark_shades(self, body, pose):
        """Shades of a face with dark pips: a pip is dark in the brightest frame, a mark in the darkest."""
        gatherer = self._gatherer
        box = pose.box(-0.1, gatherer.columns, gatherer.rows)
        cut = body.level // 2
        planes = gatherer.high, gatherer.low
        return [Shade(plane, self._finder.level(plane, box, cut), 0) for plane in planes]

    def _light_shades(self, pose, pattern):
        """Shades of a face with light pips: a pip is light in the darkest frame, a mark in the brightest."""
        gatherer = self._gatherer
        planes = gatherer.low, gatherer.high
        return [Shade(plane, *levels(plane, gatherer.columns, pose, pattern)) for plane in planes]

    def _explain(self, oddity):
        """Refused for a body that no level top faces explain."""
        if oddity.share > 1.5:
            return Refused("unreadable", "touching")
        if oddity.share < 0.5:
            return Refused("extra-object", "small body")
        try:
            tilt = self._tilt(oddity.pose, self._brightness(oddity.pose, ())) if self.lamps > 1 else 0
        except Refused as refusal:
            return refusal
        if tilt >= _FLAT_DEGREES:
            return Refused("not-flat", "tilted")
        if oddity.larger:
            return Refused("stacked", "too near")
        return Refused("die-damaged", "odd-outline")

    def _is_mirrored(self, spot):
        """Whether a spot is the mirror image of a lamp in the dome."""
        x, y = spot.x + self._gatherer.left, spot.y + self._gatherer.top
        return any((x - at_x) ** 2 + (y - at_y) ** 2 < r * r for at_x, at_y, r in self.profile.images[0])

    def _refuse_glare(self, pose):
        """Refused when the only lamp is mirrored where a pip may be: there none can be seen."""
        if self.lamps > 1:
            return
        for x, y, radius in self.profile.images[0]:
            for place in self._sites:
                at_x, at_y = pose.place(*place)
                dx, dy = at_x + self._gatherer.left - x, at_y + self._gatherer.top - y
                if dx * dx + dy * dy < (radius + 1) ** 2:
                    raise Refused("unreadable", "glare")

    def _brightness(self, pose, pattern):
        """Mean levels under each lamp of the bare face, and those of light pips when they are known."""
        brightness = [face_brightness(self._gatherer, pose, pattern, False)]
        if self._light and pattern:
            brightness.append(face_brightness(self._gatherer, pose, pattern, True))
        return brightness

    def _tilt(self, pose, brightness):
        """Degrees. A dark die's own face tells it as well as its light pips: what tilts shows on both."""
        return min([tilt_degrees(levels, pose, self._centre(), self.profile) for levels in brightness])

    def _centre(self):
        """Of the platform, in the pixels of the composites."""
        gatherer = self._gatherer
        return self.profile.platform[0] - gatherer.left, self.profile.platform[1] - gatherer.top


def _are_at_different_heights(dice, side, light):
    """Whether a die is one storey up, at least 6 percent larger: its outline and pips than calibrated, or its
    outline than another's. Dark dice are compared by their pips, whose spacing differs within a make."""
    slack = 1.05 + 0.4 / side
    if light:
        sides = [die.side for die in dice if die.face > 1]
    else:
        sides = [die.outline.side for die in dice]
        for die in dice:
            if die.face > 1 and min(die.outline.side, die.side) > slack * side:
                return True
    return bool(sides) and max(sides) > slack * min(sides)
