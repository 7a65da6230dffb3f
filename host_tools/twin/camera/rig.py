"""One machine's light and camera: what stays the same from round to round, drawn from a seed."""

from dataclasses import dataclass, field

import numpy as np

from host_tools.twin.camera.errors import LampError, SizeError
from host_tools.twin.camera.lens import Lens
from host_tools.twin.camera.sensor import Sensor

Vector = tuple[float, float, float]

WIDTHS = (160, 320)


@dataclass(frozen=True, slots=True)
class Lamp:
    """A round lamp of `radius` mm at a place in mm; `gain`: its strength, 1 is usual, 0 is dead.

    `frame`: number of the frame that it lights.
    """

    at: Vector
    frame: int
    gain: float = 1.0
    radius: float = 6.5

    def __post_init__(self) -> None:
        if self.at[2] <= 20 or self.radius <= 0 or self.gain < 0:
            raise LampError(
                f"lamp at {self.at}: it must hang above the dice, its radius and gain be positive"
            )


@dataclass(frozen=True, slots=True)
class Rig:
    """A machine's camera, lamps and surfaces.

    platform, dome: radii in mm, of the dome 0 for none; platform_grey, ground_grey: what they reflect, 0 to
    1; ambient: stray light, a share of a lamp's; grain: seed of the surfaces.
    """

    lens: Lens
    lamps: tuple[Lamp, ...]
    sensor: Sensor = field(default_factory=Sensor)
    platform: float = 60.0
    dome: float = 80.0
    platform_grey: float = 0.26
    ground_grey: float = 0.2
    ambient: float = 0.05
    grain: int = 0

    def __post_init__(self) -> None:
        if not self.lamps:
            raise LampError("a machine without lamps sees nothing: give it four, or a ring of them")
        if {lamp.frame for lamp in self.lamps} != set(range(self.frames)):
            raise LampError("every frame needs a lamp: lamps light the frames 0, 1, 2 and so on")
        if self.platform <= 0 or self.dome < 0:
            raise SizeError(f"platform radius {self.platform} mm, dome {self.dome} mm: must be positive")
        if self.dome and not self.platform < self.dome < self.lens.at[2] - 20:
            raise SizeError(f"a dome of {self.dome} mm must be wider than the platform and below the camera")

    @property
    def frames(self) -> int:
        """Number of frames of a scene."""
        return 1 + max(lamp.frame for lamp in self.lamps)

    @staticmethod
    def drawn(rng: np.random.Generator, width: int, platform: float = 60.0) -> "Rig":
        """A machine with four lamps a quarter turn apart, pictures 160 or 320 pixels wide (4:3)."""
        lens = _lens(rng, width, platform)
        reach = rng.uniform(166, 174)
        return Rig(
            lens=lens,
            lamps=tuple(_lamp(rng, number, reach) for number in range(4)),
            sensor=_sensor(rng, lens),
            platform=platform,
            dome=rng.uniform(1.28, 1.36) * platform,
            **_surfaces(rng),
        )

    @staticmethod
    def drawn_ring(rng: np.random.Generator, width: int, platform: float = 60.0) -> "Rig":
        """A machine with one ring of light about the lens: a scene is one frame."""
        lens = _lens(rng, width, platform)
        return Rig(
            lens=lens,
            lamps=_ring(rng, lens.at[2]),
            sensor=_sensor(rng, lens),
            platform=platform,
            dome=rng.uniform(1.28, 1.36) * platform,
            **_surfaces(rng),
        )


def _lens(rng: np.random.Generator, width: int, platform: float) -> Lens:
    if width not in WIDTHS:
        raise SizeError(f"pictures {width} pixels wide: the sensors make {' or '.join(map(str, WIDTHS))}")
    height = width * 3 // 4
    above = rng.uniform(196, 212) * platform / 60
    off = rng.normal(0, width / 160, 2)
    return Lens(
        width=width,
        height=height,
        focal=rng.uniform(0.41, 0.43) * height * above / platform,
        middle=((width - 1) / 2 + off[0], (height - 1) / 2 + off[1]),
        at=(rng.normal(0, 1), rng.normal(0, 1), above),
        roll=rng.normal(0, 4),
        tilt_x=rng.normal(0, 0.4),
        tilt_y=rng.normal(0, 0.4),
        k1=rng.uniform(-0.06, 0.06),
    )


def _lamp(rng: np.random.Generator, number: int, reach: float) -> Lamp:
    around = np.radians(90 * number + rng.normal(0, 1))
    up = np.radians(rng.normal(46, 1))
    flat = reach * np.cos(up)
    at = (float(flat * np.cos(around)), float(flat * np.sin(around)), float(reach * np.sin(up)))
    return Lamp(at=at, frame=number, gain=float(np.clip(rng.normal(1, 0.03), 0.85, 1.15)))


def _ring(rng: np.random.Generator, above: float) -> tuple[Lamp, ...]:
    radius, count = rng.uniform(30, 50), 8
    angles = np.radians(np.arange(count) * 360 / count)
    gains = np.clip(rng.normal(1, 0.05, count), 0.8, 1.2)
    return tuple(
        Lamp((float(radius * np.cos(a)), float(radius * np.sin(a)), float(above)), 0, float(g) / count, 4.0)
        for a, g in zip(angles, gains, strict=True)
    )


def _sensor(rng: np.random.Generator, lens: Lens) -> Sensor:
    stuck = tuple(
        (int(rng.integers(lens.height)), int(rng.integers(lens.width)), int(level)) for level in (255, 255, 0)
    )
    return Sensor(
        white=rng.uniform(105, 125),
        blur=rng.uniform(0.45, 0.65) * (1 if lens.width > 160 else 0.8),
        vignette=rng.uniform(0.05, 0.2),
        gamma=rng.uniform(0.99, 1.01),
        electrons=rng.uniform(30, 90),
        read=rng.uniform(0.4, 0.8),
        row=rng.uniform(0.05, 0.2),
        stuck=stuck,
    )


def _surfaces(rng: np.random.Generator) -> dict:
    return {
        "platform_grey": rng.uniform(0.2, 0.28),
        "ground_grey": rng.uniform(0.12, 0.2),
        "ambient": rng.uniform(0.03, 0.07),
        "grain": int(rng.integers(2**31)),
    }
