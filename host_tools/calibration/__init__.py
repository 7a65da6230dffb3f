"""Camera and dice profiles from pictures: the empty platform, and one die showing each face."""

import json
from pathlib import Path

import numpy as np

from host_tools.calibration.classic import CLASSIC
from host_tools.calibration.dice import Bench, LightBench, Tell, describe, usable
from host_tools.calibration.elevation import elevations_of
from host_tools.calibration.errors import CalibrationError
from host_tools.calibration.glare import mended
from host_tools.calibration.rig import (
    Rig,
    directions,
    drawn_lamps,
    find_images,
    find_platform,
    find_shines,
    find_stuck,
    fit_lamps,
    load,
)
from host_tools.calibration.tone import linear, measure_tone
from tumbler.reader.gather import Gatherer
from tumbler.reader.profile import DARK_PIPS, LIGHT_PIPS, SHINE
from tumbler.reader.tone import BLACK, tone_table

__all__ = ["Calibration", "CalibrationError", "Rig", "load", "write_profile"]

_NEAR = 0.3  # share of the platform's radius within which the floor's level is about that in the middle
_FLOOR = 6  # levels above black from which the floor tells of the lamps


class Calibration:
    """A camera over an empty platform; `profile` adds a set of dice. Raises CalibrationError, ImageError.

    empty: array [lamp, row, column]; tell: gets a line for each thing measured.
    `platform`: x, y, radius in pixels; `images`: x, y, radius of each lamp's mirror image.
    """

    def __init__(self, empty: np.ndarray, rig: Rig, tell: Tell) -> None:
        self.empty = empty
        self.platform = find_platform(empty)
        self.images = find_images(empty, self.platform)
        self._rig = rig
        self._tell = tell
        self._tone = float(BLACK), 1.0
        self._elevations = None
        self._find_lamps()

    def _find_lamps(self) -> None:
        """Where the lamps hang; a bent camera's levels say little about it beside the drawing."""
        seen, doubt = (self.empty, 0.05) if self._is_linear() else (linear(self.empty, self._tone), 0.5)
        self._lamps = positions, _ = fit_lamps(
            seen, self.platform, self.images, self._rig, self._elevations, doubt
        )
        self._tell(f"platform {np.round(self.platform, 1).tolist()}, lamps {np.round(positions, 1).tolist()}")

    def _is_linear(self) -> bool:
        return self._tone == (BLACK, 1)

    def measure_light(self, faces: Path) -> None:
        """Take from the shadows of dice how high the lamps hang, and from these and the lamps' light the
        camera's level of no light and its curve."""
        if len(self.empty) == 1:
            return
        scenes = list(self.pictures(faces).values())
        seen = self.empty, scenes, self.platform, self.images
        self._elevations = elevations_of(*seen, self._rig)
        if self._elevations is not None:
            self._tell(f"elevations of the lamps {np.round(self._elevations, 1).tolist()} degrees")
            self._find_lamps()
        ways = directions(self.empty, self.platform, self.images)
        self._tone = measure_tone(*seen, drawn_lamps(ways, self._rig, self._elevations), self._rig)
        if not self._is_linear():
            self._tell(
                f"the camera's black {self._tone[0]}, gamma {self._tone[1]}, if the lamps hang"
                f" {self._rig.lamp:g} mm from the platform's middle"
            )
            self._find_lamps()

    def measure_gains(self, faces: Path) -> None:
        """Take the lamps' strengths from dark-pipped dice, which show them better than the platform does."""
        if len(self.empty) == 1:
            return
        bench = Bench(self._describe("gains", DARK_PIPS), self.pictures(faces), self._tell)
        self._lamps = self._lamps[0], bench.lamp_gains()

    def profile(self, name: str, polarity: str, faces: Path) -> dict:
        """Fields of the profile for the dice in `faces`/face1 to face6 (lamp0 to lamp3 each)."""
        light = polarity == LIGHT_PIPS
        fields = self._describe(name, polarity)
        scenes = self.pictures(faces)
        if len(self.empty) == 1:
            scenes = mended(self.empty, scenes, fields["side"], light)
        (LightBench if light else Bench)(fields, scenes, self._tell).measure()
        self._measure_floors(fields)
        return fields

    def _measure_floors(self, fields: dict) -> None:
        """Take the floor's level under each lamp as the device does, at the places that it looks at."""
        if "floor" not in fields["lamps"][0]:
            return
        gatherer = Gatherer(usable(fields))
        gatherer.begin()
        for number, frame in enumerate(self.empty):
            gatherer.add(frame.tobytes(), number)
        for lamp, exposure in zip(fields["lamps"], gatherer.exposures, strict=True):
            lamp["floor"] = round(lamp["floor"] * exposure, 2)

    def _floors(self) -> list[float]:
        """About the floor's level under each of four lamps; none of one that is all but black, which tells
        nothing of the lamps."""
        x, y, radius = self.platform
        rows, columns = np.indices(self.empty.shape[1:])
        near = np.hypot(columns - x, rows - y) < _NEAR * radius
        levels = np.median(self._straight()[:, near], axis=1) - BLACK
        return levels.tolist() if len(levels) > 1 and levels.min() >= _FLOOR else []

    def _straight(self) -> np.ndarray:
        """The empty platform with the levels of a linear camera."""
        table = tone_table(*self._tone)
        return self.empty if table is None else np.frombuffer(table, np.uint8)[self.empty]

    def _describe(self, name: str, polarity: str) -> dict:
        seen = self._straight(), self._floors()
        fields = describe(name, polarity, *seen, self.platform, self.images, self._lamps, self._rig)
        fields["stuck"] = find_stuck(self.empty)
        if not self._is_linear():
            fields["black"], fields["gamma"] = self._tone
        if len(self.empty) > 1:
            for lamp, shine in zip(fields["lamps"], find_shines(self.empty, self.images), strict=True):
                if shine < SHINE:
                    lamp["shine"] = shine
        return fields

    def pictures(self, faces: Path) -> dict[int, np.ndarray]:
        """Face -> its scene."""
        pictures = {face: load(faces / f"face{face}") for face in CLASSIC}
        for face, scene in pictures.items():
            if len(scene) != len(self.empty):
                raise CalibrationError(
                    f"{faces}/face{face}: {len(scene)} pictures of the die, {len(self.empty)} of the empty"
                    " platform: take both under the same lamps"
                )
            if scene.shape != self.empty.shape:
                raise CalibrationError(
                    f"{faces}/face{face}: not the size of the pictures of the empty platform"
                )
        return pictures


def write_profile(fields: dict, path: Path) -> None:
    """Write a profile, once the device's own check has passed it."""
    usable(fields)
    path.write_text(json.dumps(fields, indent=1) + "\n")
