"""Pictures in which something went wrong: too dark, too bright, blurred, a lamp out, dice that move.

Each takes a sound camera's rig, spoils it for one picture, and says so in the picture.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from host_tools.twin.camera.errors import CameraError
from host_tools.twin.camera.photos import Camera
from host_tools.twin.camera.picture import Picture
from host_tools.twin.camera.rig import Rig
from host_tools.twin.camera.styles import Style
from host_tools.twin.scene import Die, Scene, rows, vector

GRAVE = ("moving", "disagree")  # the frames do not show one scene: never to be read
TROUBLES = ("dark", "overexposed", "blur", "motion", "lamp-out", *GRAVE)

_DARK = (0.03, 0.12)  # of the light there should be
_BRIGHT = (2.2, 3.5)
_BLUR = (2.0, 4.0)  # pixels of a picture 320 wide
_SMEAR = (5.0, 12.0)  # pixels of a picture 320 wide
_STIR = (1.0, 4.0)  # mm that a die moves between frames


class TroubleError(CameraError):
    """Trouble that nobody knows, or that a rig cannot have."""


@dataclass(frozen=True, slots=True)
class Troubled:
    """A camera whose every picture has one trouble of TROUBLES; `make` is a renderer, as `Tracer`."""

    make: Callable[[Rig], Camera]
    rig: Rig
    trouble: str

    def __post_init__(self) -> None:
        if self.trouble not in TROUBLES:
            raise TroubleError(f"no trouble {self.trouble!r}: there are {', '.join(TROUBLES)}")
        if self.trouble in GRAVE and self.rig.frames < 2:
            raise TroubleError(f"{self.trouble}: frames can only differ on a rig that takes more than one")

    def render(self, scene: Scene, style: Style, rng: np.random.Generator) -> Picture:
        """See Camera; how bad it is comes from the generator."""
        camera = self.make(_spoilt(self.rig, self.trouble, rng))
        picture = camera.render(scene, style, rng)
        if self.trouble in GRAVE and scene.dice:
            picture = self._mixed(camera, picture, scene, style, rng)
        return replace(picture, trouble=self.trouble)

    def _mixed(
        self, camera: Camera, first: Picture, scene: Scene, style: Style, rng: np.random.Generator
    ) -> Picture:
        """Frames of two scenes: from some frame on for dice that move, one frame when they disagree."""
        change = _stirred if self.trouble == "moving" else _another_face
        second = camera.render(_changed(scene, change, rng), style, rng)
        start = int(rng.integers(1, self.rig.frames))
        end = self.rig.frames if self.trouble == "moving" else start + 1
        frames = (*first.frames[:start], *second.frames[start:end], *first.frames[end:])
        return replace(first, frames=frames)


def _spoilt(rig: Rig, trouble: str, rng: np.random.Generator) -> Rig:
    sensor, pixels = rig.sensor, rig.lens.width / 320
    if trouble == "dark":
        return replace(rig, sensor=replace(sensor, white=sensor.white * rng.uniform(*_DARK)))
    if trouble == "overexposed":
        return replace(rig, sensor=replace(sensor, white=sensor.white * rng.uniform(*_BRIGHT)))
    if trouble == "blur":
        return replace(rig, sensor=replace(sensor, blur=pixels * rng.uniform(*_BLUR)))
    if trouble == "motion":
        way, far = rng.uniform(0, 2 * np.pi), pixels * rng.uniform(*_SMEAR)
        return replace(rig, sensor=replace(sensor, smear=(far * np.cos(way), far * np.sin(way))))
    if trouble == "lamp-out":
        out = int(rng.integers(len(rig.lamps)))
        lamps = (replace(lamp, gain=0.0) if n == out else lamp for n, lamp in enumerate(rig.lamps))
        return replace(rig, lamps=tuple(lamps))
    return rig


def _changed(
    scene: Scene, change: Callable[[Die, np.random.Generator], Die], rng: np.random.Generator
) -> Scene:
    moved = int(rng.integers(len(scene.dice)))
    dice = (change(die, rng) if n == moved else die for n, die in enumerate(scene.dice))
    return replace(scene, dice=tuple(dice))


def _stirred(die: Die, rng: np.random.Generator) -> Die:
    """The die somewhat later, still sliding and turning."""
    turn, way, far = np.radians(rng.uniform(8, 45)), rng.uniform(0, 2 * np.pi), rng.uniform(*_STIR)
    spin = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    inward = -np.sign(die.centre[0] * np.cos(way) + die.centre[1] * np.sin(way) or 1.0)
    shift = inward * far * np.array([np.cos(way), np.sin(way), 0])
    return replace(die, centre=vector(np.array(die.centre) + shift), rotation=rows(spin @ die.matrix()))


def _another_face(die: Die, rng: np.random.Generator) -> Die:
    """The same die with one of the four faces up that are beside the one that is."""
    quarter = np.array([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    upright = int(np.abs(die.matrix()[2]).argmax())
    about = (upright + int(rng.integers(1, 3))) % 3
    order = [about, (about + 1) % 3, (about + 2) % 3]
    turn = np.zeros((3, 3))
    turn[np.ix_(order, order)] = quarter if rng.random() < 0.5 else quarter.T
    return replace(die, rotation=rows(die.matrix() @ turn))
