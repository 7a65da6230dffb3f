"""Do all frames show the face that their median shows?

Glare hides pips and makes light spots, yet never dark ones, and only where the lamp is mirrored. A frame that
shows something else elsewhere was taken of something else.
"""

from dataclasses import replace

import numpy as np

from host_tools.second_reader.faces import Pose, U, V, draw_pips, patch, templates
from host_tools.second_reader.fit import Fit
from host_tools.second_reader.light import Relit
from host_tools.second_reader.profile import FACES, LIGHT_PIPS, Look, Profile
from host_tools.second_reader.refusal import Refused

_SITE = 0.1  # sides: nearer places are one site
_BROAD = 0.05  # sides that the edge of a pip is blurred
_HEART = 0.8  # of a pip's radius, whose cells are looked at
_SURE = 0.5  # of a pip's contrast: more is a pip, less is bare face
_STEP = 0.055  # sides: how far a die that moved between frames is looked for
_BETTER = 0.01  # correlation that it gains there
_PLAIN = 0.1  # spread of a drawn face without pips in sight
_WAYS = ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1), (0.7, 0.7), (0.7, -0.7), (-0.7, 0.7), (-0.7, -0.7))
_AROUND = 0.1  # sides around a lamp's mirror image that it may brighten, too


Images = tuple[tuple[float, float, float], ...]


class FrameCheck:
    """Checks frames of one profile."""

    def __init__(self, profile: Profile) -> None:
        look = profile.look
        self._look = look
        self._images = profile.images
        self._light = look.polarity == LIGHT_PIPS
        self._sites = _sites(look)
        self._drawn = templates(look)

    def check(self, fit: Fit, relit: Relit) -> None:
        """Refused when a frame tells of another face than the fit."""
        plain = draw_pips(self._look, fit.face, U, V, 1 / self._look.side) < 0.1
        plain &= np.maximum(np.abs(U), np.abs(V)) < 0.4
        for plane, images in zip(relit.planes, self._images, strict=True):
            seen = patch(plane, fit.pose)
            level = float(np.median(seen[plain]))
            if self._light:
                shade = (seen - level) / max(fit.depth, 1.0)
            else:
                shade = (level - seen) / max(fit.depth * level / max(fit.level, 1.0), 1.0)
            for site, cells in self._sites:
                is_pip = self._is_near_pip(fit.face, site, _SITE)
                # What lies under the edge of a broad pip tells nothing.
                if not is_pip and self._is_near_pip(fit.face, site, self._look.radii[fit.face] + _BROAD):
                    continue
                if _belies(shade[cells], is_pip) and not (
                    is_pip != self._light and self._is_mirrored(fit.pose, site, images)
                ):
                    raise Refused("unreadable", "frames disagree")
            if self._has_moved(fit, plane, images):
                raise Refused("unreadable", "moved between frames")

    def _has_moved(self, fit: Fit, plane: np.ndarray, images: Images) -> bool:
        """Whether a frame fits better a step aside; cells that mirror the lamp are left out."""
        x, y = fit.pose.place(U, V)
        cells = np.maximum(np.abs(U), np.abs(V)) < 0.42
        for column, row, radius in images:
            cells &= np.hypot(x - column, y - row) > radius + _AROUND * self._look.side
        drawn = self._drawn[fit.face][cells]
        if not len(drawn) or drawn.std() < _PLAIN:
            return False
        step = _STEP * self._look.side
        poses = [replace(fit.pose, x=fit.pose.x + step * dx, y=fit.pose.y + step * dy) for dx, dy in _WAYS]
        here, *aside = (_correlation(patch(plane, pose)[cells], drawn) for pose in poses)
        return max(aside) > here + _BETTER

    def _is_near_pip(self, face: int, site: tuple[float, float], near: float) -> bool:
        return any(np.hypot(site[0] - u, site[1] - v) < near for u, v in self._look.pips[face])

    def _is_mirrored(self, pose: Pose, site: tuple[float, float], images: Images) -> bool:
        """Whether glare can lie there: it lightens dark pips, and faces between light ones."""
        x, y = (float(at) for at in pose.place(np.array(site[0]), np.array(site[1])))
        reach = _AROUND * self._look.side
        return any(np.hypot(x - column, y - row) < radius + reach for column, row, radius in images)


def _correlation(seen: np.ndarray, drawn: np.ndarray) -> float:
    seen, drawn = seen - seen.mean(), drawn - drawn.mean()
    return float(seen @ drawn / np.sqrt((seen @ seen) * (drawn @ drawn) + 1e-6))


def _belies(shade: np.ndarray, is_pip: bool) -> bool:
    """Whether a site's cells, 1 where they are pip and 0 where they are face, tell the contrary."""
    if is_pip:
        return float(np.quantile(shade, 0.8)) < _SURE
    return float(shade.mean()) > _SURE


def _sites(look: Look) -> list[tuple[tuple[float, float], np.ndarray]]:
    """Every place where a face of these dice has a pip, lying any way, and its cells of the grid."""
    places: list[tuple[float, float]] = []
    for face in FACES:
        for u, v in look.pips[face]:
            for turned in ((u, v), (-v, u), (-u, -v), (v, -u)):
                if all(np.hypot(turned[0] - x, turned[1] - y) >= _SITE for x, y in places):
                    places.append(turned)
    radius = _HEART * min(look.radii.values())
    return [((u, v), np.hypot(U - u, V - v) < radius) for u, v in places]
