"""Do all frames show the face that their median shows?

Glare hides pips and makes light spots, yet never dark ones, and only where the lamp is mirrored. A frame that
shows something else elsewhere was taken of something else.
"""

import numpy as np

from host_tools.second_reader.faces import Pose, U, V, draw_pips, patch
from host_tools.second_reader.fit import Fit
from host_tools.second_reader.light import Relit
from host_tools.second_reader.profile import FACES, LIGHT_PIPS, Look, Profile
from host_tools.second_reader.refusal import Refused

_SITE = 0.1  # sides: nearer places are one site
_HEART = 0.8  # of a pip's radius, whose cells are looked at
_SURE = 0.5  # of a pip's contrast: more is a pip, less is bare face
_AROUND = 0.1  # sides around a lamp's mirror image that it may brighten, too


class FrameCheck:
    """Checks frames of one profile."""

    def __init__(self, profile: Profile) -> None:
        look = profile.look
        self._look = look
        self._images = profile.images
        self._light = look.polarity == LIGHT_PIPS
        self._sites = _sites(look)

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
                is_pip = self._is_pip(fit.face, site)
                if _belies(shade[cells], is_pip) and not (
                    is_pip != self._light and self._is_mirrored(fit.pose, site, images)
                ):
                    raise Refused("unreadable", "frames disagree")

    def _is_pip(self, face: int, site: tuple[float, float]) -> bool:
        return any(np.hypot(site[0] - u, site[1] - v) < _SITE for u, v in self._look.pips[face])

    def _is_mirrored(
        self, pose: Pose, site: tuple[float, float], images: tuple[tuple[float, float, float], ...]
    ) -> bool:
        """Whether glare can lie there: it lightens dark pips, and faces between light ones."""
        x, y = (float(at) for at in pose.place(np.array(site[0]), np.array(site[1])))
        reach = _AROUND * self._look.side
        return any(np.hypot(x - column, y - row) < radius + reach for column, row, radius in images)


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
