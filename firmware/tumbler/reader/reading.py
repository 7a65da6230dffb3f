"""The dice reader: one frame under each lamp in, three proven faces or a refusal out.

Nothing is guessed. A face is reported only when every spot on it is a pip of one pattern, every other site is
bare, its die has the size of one on the platform, and its brightness under the lamps says that it lies level.
"""

import gc

from .agreement import check_agreement
from .bright_things import BrightThings
from .confidence import confidence
from .floor import check_floor
from .floor_levels import FloorLevels
from .gather import Gatherer
from .leans import own_degrees
from .pips import prove_sites, sites
from .profile import LIGHT_PIPS
from .refusal import Refused
from .regions import Labeller
from .shadows import Shadows
from .tilt import FLAT_DEGREES, Tilts

READ = "read"
REFUSED = "refused"
ONE_LAMP = "one-lamp"  # detail: all is read, but one picture does not show a tilt: docs/one-lamp.md

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
        self.flat = tilt_deg < FLAT_DEGREES
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
        self._tilts = Tilts(self._gatherer)
        self._dice = _dice_of(profile)(self._gatherer, Labeller(), self._tilts)
        self._sites = sites(profile)
        floor = FloorLevels(self._gatherer)
        self._shadows = Shadows(self._gatherer, floor)
        self._bright_things = BrightThings(self._gatherer, floor)

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
            bodies, oddities = self._dice.find(sum(self._gatherer.exposures) / self.lamps)
        except Refused as refusal:
            return Reading((), refusal.reason, refusal.detail)
        known = []
        dice = []
        refusals = []
        for oddity in oddities:
            refusal = self._explain(oddity)
            refusals.append((refusal.reason, refusal.detail))
        for body in bodies:
            try:
                known.append(self._identify(body))
            except Refused as refusal:
                refusals.append((refusal.reason, refusal.detail))
        for die in known:
            try:
                dice.append(self._read(die, [other[-1] for other in known if other is not die]))
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
        if _are_at_different_heights(dice, self.profile):
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
        outlines = [die.outline for die in dice]
        self._shadows.check(outlines)
        self._bright_things.check(outlines)

    def _identify(self, body):
        """(body, pose, pattern, brightness, Lean) of a body, the last two None under a single lamp; Refused
        with the reason why it is no die."""
        pose, pattern = self._dice.identify(body)
        if self.lamps == 1:
            return body, pose, pattern, None, None
        brightness, telling = self._tilts.brightness(pose, pattern)
        return body, pose, pattern, brightness, self._tilts.lean(pose, telling)

    def _read(self, identified, others):
        """The Die of what `_identify` knows of one; others: leans of the other ones. Refused when it is not
        level and sound."""
        body, pose, pattern, brightness, lean = identified
        margins = []
        tilt = 0
        if lean:
            tilt = own_degrees(lean, others)
            if tilt >= FLAT_DEGREES:
                raise Refused("not-flat", "tilt %.1f deg" % tilt)
            margins.append(1 - tilt / FLAT_DEGREES)
        outline, shades, left = self._dice.prove(body, pose, pattern)
        margins += left
        self._refuse_glare(pose)
        columns = self._gatherer.columns
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

    def _explain(self, oddity):
        """Refused for a body that no level top faces explain."""
        if oddity.share > 1.5:
            return Refused("unreadable", "touching")
        if oddity.share < 0.5:
            return Refused("extra-object", "small body")
        try:
            self._tilts.refuse_tilted(oddity.pose)
        except Refused as refusal:
            return refusal
        if oddity.larger:
            return Refused("stacked", "too near")
        return Refused("die-damaged", "odd-outline")

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


def _dice_of(profile):
    """The class that knows the profile's dice. The other's code is not loaded: it would take memory."""
    if profile.polarity == LIGHT_PIPS:
        from .dark_dice import DarkDice

        return DarkDice
    from .bright_dice import BrightDice

    return BrightDice


def _are_at_different_heights(dice, profile):
    """Whether a die is one storey up, at least 6 percent larger: its outline and pips than calibrated, or its
    outline than another's. Dark dice are compared by their pips, whose spacing differs within a make."""
    slack = 1.05 + 0.4 / profile.side
    if profile.polarity == LIGHT_PIPS:
        sides = [die.side for die in dice if die.face > 1]
    else:
        sides = [die.outline.side for die in dice]
        for die in dice:
            if die.face > 1 and min(die.outline.side, die.side) > slack * profile.side:
                return True
    return bool(sides) and max(sides) > slack * min(sides)
