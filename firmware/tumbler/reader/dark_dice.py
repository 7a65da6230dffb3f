"""Dice with light pips: dark bodies, found by their pips, and their outlines against the floor."""

from .cracks import Cracks
from .dark_corners import check_dark_corners, check_steady_corners, dark_inset
from .dark_lines import DarkLines
from .lattices import SpotFinder, explain, is_glint
from .marks import prove_bare_dark
from .oddity import Oddity
from .pips import Shade, levels
from .refusal import Refused
from .sides import Sides
from .silhouette import Silhouettes
from .square import Pose, quarter_turns_apart
from .weighing import is_speck, is_sure, weigh

_OFF_OUTLINE = 0.2  # sides between the middle of the pips and that of the outline
_OWN = 0.1  # share by which an outline's side may differ; a neighbour's edge makes it differ more
_ASKEW = 0.16  # radians


class DarkDice:
    """The dark dice of a gatherer's scenes; buffers are made here, once."""

    def __init__(self, gatherer, labeller, tilts):
        profile = gatherer.profile
        self._gatherer = gatherer
        self._profile = profile
        self._spots = SpotFinder(gatherer, labeller)
        planes = gatherer.low, gatherer.high
        self._silhouettes = Silhouettes(*planes, gatherer.columns, profile.side, tilts.centre, profile.lens)
        self._sides = Sides(gatherer)
        self._cracks = Cracks(gatherer)
        self._lines = DarkLines(gatherer)
        self._inset = dark_inset(profile)

    def find(self, exposure):
        """([Lattice], [Oddity]); exposure: of the scene, against the calibrated one."""
        spots = self._spots.find(exposure)
        if self._profile.lamps == 1:
            spots = [spot for spot in spots if not self._is_mirrored(spot)]
        lattices, left = explain(spots, self._profile, self._silhouettes)
        faces = [lattice.pose for lattice in lattices if len(lattice.members) > 1]
        outlined = faces + [lattice.fit.pose for lattice in lattices if lattice.fit]
        left = [i for i in left if not self._is_of_die(spots[i], faces, outlined)]
        found = []
        for lattice in lattices:
            if len(lattice.members) == 1 and self._sides.has(lattice.pose.x, lattice.pose.y, faces):
                continue
            if lattice.fit or not _is_dust([spots[i].mass for i in lattice.members]):
                found.append(lattice)
        found.sort(key=lambda lattice: (lattice.pose.y, lattice.pose.x))
        if not left:
            return found, []
        x = sum([spots[i].x for i in left]) / len(left)
        y = sum([spots[i].y for i in left]) / len(left)
        return found, [Oddity(Pose(x, y, self._profile.side, 0), 0, 1, False)]

    def identify(self, lattice):
        """(pose, pattern) of the pips of a lattice; Refused when its outline contradicts them."""
        pose = lattice.pose
        if lattice.is_bare():
            raise Refused("unreadable", "no-outline")
        fit = lattice.fit or self._silhouettes.fit(pose)
        if fit is not None and fit.sides() >= 2 and abs(fit.pose.side / self._profile.side - 1) <= _OWN:
            for away, free in zip(fit.pose.face(pose.x, pose.y), fit.across()):
                if free and abs(away) > _OFF_OUTLINE:
                    raise Refused("unreadable", "pips-off-centre")
            if not lattice.fit and quarter_turns_apart(pose.angle, fit.pose.angle) > _ASKEW:
                raise Refused("unreadable", "pips-askew")
        if lattice.fit:
            pose = Pose(pose.x, pose.y, self._profile.side, lattice.fit.pose.angle)
        return weigh(self._gatherer, pose, lattice.pattern), lattice.pattern

    def prove(self, lattice, pose, pattern):
        """(outline, shades, margins): the face's Pose, what its pips and its bare sites look like, and what
        each check leaves of its tolerance. Refused when the face is damaged."""
        gatherer = self._gatherer
        outline = Pose(pose.x, pose.y, self._profile.side, pose.angle)
        shades = self._shades(pose, pattern)
        margins = [
            prove_bare_dark(gatherer, pose, pattern, [shade.body for shade in shades]),
            check_dark_corners(gatherer.low, gatherer.columns, self._inset, outline),
        ]
        if self._profile.lamps > 1:
            margins.append(check_steady_corners(gatherer, outline, pattern))
            margins.append(self._cracks.check(outline, len(pattern)))
            self._lines.check(outline, pattern, shades)
        return outline, shades, margins

    def _shades(self, pose, pattern):
        """A pip is light in the darkest frame, a mark in the brightest."""
        gatherer = self._gatherer
        planes = gatherer.low, gatherer.high
        return [Shade(plane, *levels(plane, gatherer.columns, pose, pattern)) for plane in planes]

    def _is_of_die(self, spot, faces, outlined):
        """Whether a spot is light on a side, or on the rim, of a die with one of the top faces."""
        return self._sides.has(spot.x, spot.y, faces) or is_glint(spot, outlined, self._profile)

    def _is_mirrored(self, spot):
        """Whether a spot is the mirror image of a lamp in the dome."""
        x, y = spot.x + self._gatherer.left, spot.y + self._gatherer.top
        return any((x - at_x) ** 2 + (y - at_y) ** 2 < r * r for at_x, at_y, r in self._profile.images[0])


def _is_dust(masses):
    """Whether spots without an outline are dust: one that is not of a pip's size, or several specks."""
    return all(map(is_speck, masses)) if len(masses) > 1 else not is_sure(masses[0])
