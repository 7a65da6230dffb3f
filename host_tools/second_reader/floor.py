"""What else lies on the platform: anything but the dice found and the bare floor refuses the scene.

The light divided out, a bare floor has one level everywhere. What is brighter under a lamp is a thing, unless
it is the lamp's mirror image; what is darker is one, too, unless a die found throws its shadow there.
"""

import math

import cv2
import numpy as np

from host_tools.second_reader.fit import Fit
from host_tools.second_reader.light import Relit
from host_tools.second_reader.profile import Profile
from host_tools.second_reader.refusal import Refused

_BRIGHTER, _DARKER, _SHADED = 1.5, 0.6, 0.55  # of the floor's level
_UNEVEN = 0.4  # share of its usual level by which it may differ from place to place
_CURVE = ((0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2))  # powers of the ways across and down
_SOFT = 0.12  # sides that a shadow may reach farther than its die's edges throw it
_LEAST = 0.025  # of a face's area: dust and scratches are smaller
_LEAN = 0.16  # share by which a die's foot may seem nearer to the picture's middle than its top
_AROUND = 0.12  # sides left out around a die for its rim and the darkness at its foot
_SLOPE = 0.25  # of the floor's level across the platform's radius under one lamp: not this lamp


class Floor:
    """The platform of a profile."""

    def __init__(self, profile: Profile) -> None:
        self._profile = profile
        x, y, radius = profile.platform
        rows, columns = np.mgrid[: profile.height, : profile.width].astype(np.float32)
        self._across = (columns - x) / radius
        self._down = (rows - y) / radius
        self._terms = np.stack([self._across**power * self._down**other for power, other in _CURVE], axis=-1)
        reach = np.hypot(self._across, self._down)
        self._inner = reach < 0.95
        self.reachable = reach < 1 + 0.3 * profile.look.side / radius  # by the middle of a die

    def level(self, relit: Relit) -> float:
        """The bare floor's level: the commonest, as dice cover less than half of the platform."""
        return float(np.median(relit.albedo[self._inner]))

    def check_lamps(self, relit: Relit) -> None:
        """Refused when a frame was not lit by its lamp: its floor is brighter on one side."""
        level = self.level(relit)
        bare = self._inner & (np.abs(relit.albedo - level) < 0.25 * level)
        for plane in relit.planes:
            cells = bare & (np.abs(plane - level) < 0.5 * level)
            if cells.sum() < 0.2 * self._inner.sum():
                raise Refused("unreadable", "lamps-uneven")
            places = np.stack([np.ones(cells.sum()), self._across[cells], self._down[cells]], 1)
            flat, right, down = np.linalg.lstsq(places, plane[cells], rcond=None)[0]
            if np.hypot(right, down) > _SLOPE * flat:
                raise Refused("unreadable", "lamps-uneven")

    def check_bare(self, relit: Relit, fits: list[Fit]) -> None:
        """Refused when something lies beside the dice: bright, dark, or only told by its shadow."""
        beside = self._inner & ~self._covered(fits)
        shadows = [self._shadows(fits, position) > 0 for position in self._profile.positions]
        if len(relit.planes) > 1:
            self._refuse(
                "bright thing", (relit.steady > _BRIGHTER * self._levels(relit.steady, beside)) & beside
            )
            dark = (relit.lit < _DARKER * self._levels(relit.lit, beside)) & ~np.logical_and.reduce(shadows)
            self._refuse("dark thing", dark & beside)
        for plane, shadow, images in zip(relit.planes, shadows, self._profile.images, strict=True):
            mirrored = np.zeros(beside.shape, np.uint8)
            for x, y, radius in images:
                cv2.circle(mirrored, (round(x), round(y)), math.ceil(radius * 1.5 + 2), 1, -1)
            # A single lamp's shadows are as likely a slope of its light.
            levels = self._levels(plane, beside & ~shadow) if len(relit.planes) > 1 else self.level(relit)
            self._refuse("bright thing", (plane > _BRIGHTER * levels) & beside & (mirrored == 0))
            self._refuse("shadow of a thing", (plane < _SHADED * levels) & beside & ~shadow)

    def _levels(self, plane: np.ndarray, bare: np.ndarray) -> np.ndarray:
        """The bare floor's level all over a plane: lamps' beams and lenses leave it a little uneven."""
        middle = float(np.median(plane[bare]))
        cells = bare & (np.abs(plane - middle) < _UNEVEN * middle)
        fitted = np.linalg.lstsq(self._terms[cells], plane[cells], rcond=None)[0]
        return np.clip(self._terms @ fitted, (1 - _UNEVEN) * middle, (1 + _UNEVEN) * middle)

    def _refuse(self, name: str, odd: np.ndarray) -> None:
        whole = cv2.morphologyEx(odd.astype(np.uint8), cv2.MORPH_OPEN, np.ones((2, 2), np.uint8))
        count, _, stats, _ = cv2.connectedComponentsWithStats(whole)
        if count > 1 and stats[1:, cv2.CC_STAT_AREA].max() > _LEAST * self._profile.look.side**2:
            raise Refused("extra-object", name)

    def _shadows(self, fits: list[Fit], lamp: tuple[float, float, float]) -> np.ndarray:
        """Where the dice shade the floor from a lamp at x, y, z mm."""
        profile = self._profile
        middle = np.array(profile.platform[:2])
        length = profile.die_mm / (lamp[2] - profile.die_mm)
        mask = np.zeros(self._inner.shape, np.uint8)
        for fit in fits:
            top = fit.pose.corners((1 + _SOFT) * profile.look.side / fit.pose.side)
            foot = middle + (1 - profile.lens) * (top - middle)
            away = (foot - middle) / (profile.scale * (1 - profile.lens)) - np.array(lamp[:2])
            cast = foot + length * profile.scale * (1 - profile.lens) * away
            hull = cv2.convexHull(np.concatenate([top, foot, cast]).astype(np.float32))
            cv2.fillConvexPoly(mask, np.round(hull).astype(np.int32), 1)
        around = 2 * round(_SOFT * profile.look.side) + 1
        return cv2.dilate(mask, np.ones((around, around), np.uint8))

    def _covered(self, fits: list[Fit]) -> np.ndarray:
        """Where a die may show: from its top face to its foot, nearer to the middle of the picture."""
        mask = np.zeros(self._inner.shape, np.uint8)
        middle = np.array(self._profile.platform[:2])
        for fit in fits:
            top = fit.pose.corners((1 + 2 * _AROUND) * self._profile.look.side / fit.pose.side)
            foot = top + _LEAN * (middle - top)
            hull = cv2.convexHull(np.concatenate([top, foot]).astype(np.float32))
            cv2.fillConvexPoly(mask, np.round(hull).astype(np.int32), 1)
        return mask > 0
