"""Dice with dark pips: bright bodies, found by their outlines and read within them."""

from .blemishes import prove_unblemished
from .blunt_corners import refuse_blunt_corner
from .bodies import BodyFinder
from .bright_corners import bright_inset, check_bright_corners
from .bright_cracks import BrightCracks
from .bright_lines import BrightLines
from .broken_edges import refuse_broken_edge
from .face_light import face_lights
from .pips import Shade, find_spots, read_face
from .refusal import Refused
from .square import Pose

_WELL_SEEN = 20  # side, in pixels, from which there is bare face between pips, off their blur


class BrightDice:
    """The bright dice of a gatherer's scenes; buffers are made here, once."""

    def __init__(self, gatherer, labeller, tilts):
        self._gatherer = gatherer
        self._profile = gatherer.profile
        self._tilts = tilts
        self._finder = BodyFinder(gatherer, labeller)
        self._inset = bright_inset(gatherer.profile)
        self._cracks = self._lines = None
        if gatherer.profile.side >= _WELL_SEEN:
            self._cracks, self._lines = BrightCracks(gatherer), BrightLines(gatherer)

    def find(self, exposure):
        """([Body], [Oddity]); exposure: of the scene, against the calibrated one."""
        return self._finder.find(exposure)

    def identify(self, body):
        """(pose, pattern) of the pips of a body; Refused when they are of no face."""
        gatherer = self._gatherer
        spots = find_spots(gatherer.low, gatherer.columns, gatherer.rows, body.pose, body.level)
        try:
            return read_face(spots, body.pose, self._profile)
        except Refused as refusal:
            cause = refusal
        self._tilts.refuse_tilted(body.pose)
        raise cause

    def prove(self, body, pose, pattern):
        """(outline, shades, margins): the face's Pose, what its pips and its bare sites look like, and what
        each check leaves of its tolerance. Refused when the face is damaged."""
        gatherer = self._gatherer
        lights = face_lights(gatherer, pose, pattern, body.pose)
        margins = [prove_unblemished(gatherer, pose, pattern, body.pose, lights)]
        if self._profile.lamps > 1:
            # In the darkest frame the rim towards the wall is dark: the outline lies off it, the pips do not.
            face = Pose(pose.x, pose.y, body.pose.side, body.pose.angle)
            margins.append(check_bright_corners(gatherer, self._inset, face))
        if self._cracks and self._lines:
            margins.append(self._cracks.check(pose, pattern, body.pose, lights))
            self._lines.check(pose, pattern, body.pose, lights)
        # A pip is dark in the brightest frame, where a lamp's gloss may lie on it as on the face about it; a
        # mark is in the darkest.
        box = pose.box(-0.1, gatherer.columns, gatherer.rows)
        level = self._finder.level(gatherer.low, box, body.level // 2)
        if self._profile.lamps > 1:
            refuse_blunt_corner(gatherer, body.pose, level)
            if body.pose.side >= _WELL_SEEN:
                refuse_broken_edge(gatherer, pose, pattern, body.pose, level)
        return body.pose, (lights[1], Shade(gatherer.low, level, 0)), margins
