"""The dice reader: one frame under each lamp in, three proven faces or a refusal out.

Nothing is guessed. A face is reported only when every spot on it is a pip of one pattern, every other site is
bare, its die has the size of one on the platform, and its brightness under the lamps says that it lies level.
"""

import gc

from .bodies import BodyFinder
from .clusters import ClusterFinder, levels, read_cluster
from .floor import check_floor
from .gather import Gatherer
from .pips import Shade, find_spots, prove_sites, read_face, sites
from .profile import LIGHT_PIPS
from .refusal import Refused
from .regions import Labeller
from .tilt import face_brightness, tilt_degrees

READ = "read"
REFUSED = "refused"

_FLAT_DEGREES = 4.2  # a level die measures 0 to 4 degrees, 1.3 on average; 6 must be noticed
_BLURRED = "out-of-focus"
_SHARP = 0.93  # a larger square whose core is smaller than this share of what its outline promises is blurred
# What the scene is called when its bodies are refused for several reasons, the surest knowledge first.
_REASONS = ("stacked", "not-flat", "extra-object", "die-missing", "die-damaged", "unreadable")


class Die:
    """One die read: `face` 1 to 6, centre `x`, `y` and `side` in pixels of the frame, `angle` and `tilt_deg`
    in degrees, `flat`, `confidence` 0 to 1, how far the least sure site is from doubt."""

    def __init__(self, face, x, y, side, angle, tilt_deg, confidence):
        self.face = face
        self.x = x
        self.y = y
        self.side = side
        self.angle = angle
        self.tilt_deg = tilt_deg
        self.flat = tilt_deg < _FLAT_DEGREES
        self.confidence = confidence


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
            self._clusters = ClusterFinder(self._gatherer, self._labeller)
        else:
            self._finder = BodyFinder(self._gatherer, self._labeller)
        self._sites = sites(profile)

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
            bodies = self._find_bodies()
        except Refused as refusal:
            return Reading((), refusal.reason, refusal.detail)
        dice = []
        refusals = []
        for body in bodies:
            try:
                dice.append(self._read(body))
            except Refused as refusal:
                refusals.append((refusal.reason, refusal.detail))
        if len(bodies) > self._count:
            refusals.append(("extra-object", "%d bodies" % len(bodies)))
        elif len(bodies) < self._count:
            refusals.append(("die-missing", "%d of %d dice" % (len(bodies), self._count)))
        try:
            check_floor(self._gatherer, bodies)
        except Refused as refusal:
            refusals.append((refusal.reason, refusal.detail))
        if self._light and _are_at_different_heights(dice):
            refusals.append(("stacked", "pitches differ"))
        if not refusals:
            return Reading(dice)
        reason, detail = min(refusals, key=_rank)
        return Reading(dice, reason, detail)

    def _find_bodies(self):
        exposure = sum(self._gatherer.exposures) / self.lamps
        cut = int(self.profile.body * exposure)
        return self._clusters.find(cut, exposure) if self._light else self._finder.find(cut)

    def _read(self, body):
        """The Die of a body; Refused with the reason why it is none."""
        if self._light:
            pose, pattern = read_cluster(body, self.profile)
        else:
            pose, pattern = self._read_outline(body)
        tilt = self._tilt(pose, pattern)
        if tilt >= _FLAT_DEGREES:
            raise Refused("not-flat", "tilt %.1f deg" % tilt)
        columns = self._gatherer.columns
        shades = self._light_shades(pose, pattern) if self._light else self._dark_shades(body, pose)
        confidence = prove_sites(self._sites, pattern, pose, columns, self.profile, shades)
        return Die(
            len(pattern),
            pose.x + self._gatherer.left,
            pose.y + self._gatherer.top,
            pose.side,
            pose.angle * 57.29578 % 90,
            tilt,
            confidence,
        )

    def _read_outline(self, body):
        """(pose, pattern) of a bright body with dark pips."""
        if not body.sole:
            raise self._explain(body)
        gatherer = self._gatherer
        columns, rows = gatherer.columns, gatherer.rows
        spots = find_spots(self._labeller, gatherer.low, columns, rows, body.pose, body.level)
        try:
            return read_face(spots, body.pose, self.profile)
        except Refused as refusal:
            cause = refusal
        if self._tilt(body.pose, ()) >= _FLAT_DEGREES:
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

    def _explain(self, body):
        """Refused for a body that is not the outline of one flat top face."""
        if body.ratio > 1.5:
            return Refused("unreadable", "touching")
        try:
            tilt = self._tilt(body.pose, ())
        except Refused as refusal:
            return refusal
        if tilt >= _FLAT_DEGREES:
            return Refused("not-flat", "tilted")
        if body.is_larger_square():
            if self._finder.core(body) < body.ratio * _SHARP:
                return Refused("unreadable", _BLURRED)
            return Refused("stacked", "too near")
        if body.ratio < 0.5:
            return Refused("extra-object", "small body")
        return Refused("die-damaged", "odd-outline")

    def _tilt(self, pose, pips):
        gatherer = self._gatherer
        centre = self.profile.platform[0] - gatherer.left, self.profile.platform[1] - gatherer.top
        return tilt_degrees(face_brightness(gatherer, pose, pips), pose, centre, self.profile)


def _rank(refusal):
    """Order of (reason, detail) as the scene's name: what a blurred picture shows besides is not believed."""
    reason, detail = refusal
    return -1 if detail == _BLURRED else _REASONS.index(reason)


def _are_at_different_heights(dice):
    """Whether dice of one set have their pips at different scales: one storey is at least 6 percent."""
    sides = [die.side for die in dice]
    return bool(sides) and max(sides) > 1.04 * min(sides)
