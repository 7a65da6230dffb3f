"""A new profile proved on the pictures it was made of, and pictures of what was found."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from host_tools.calibration import Calibration
from tumbler.reader import Reader
from tumbler.reader.profile import Profile
from tumbler.reader.reading import ONE_LAMP, READ

_SCALE = 3  # pixels of a drawing for one of the picture


@dataclass(frozen=True, slots=True)
class Read:
    """What the reader makes of the die that shows `face`: `read` is a face, or 0 with the reason."""

    face: int
    read: int
    reason: str

    @property
    def right(self) -> bool:
        """Whether it is the face that is there."""
        return self.read == self.face

    @property
    def wrong(self) -> bool:
        """Whether it is another face: worse than none."""
        return self.read not in (0, self.face)


def prove(fields: Mapping, pictures: Mapping[int, np.ndarray], annotate: Path | None) -> list[Read]:
    """Read each face's pictures (array [lamp, row, column]) with the profile; draw into folder `annotate`."""
    text = json.dumps(fields)
    found = []
    for face, scene in pictures.items():
        reader = Reader(Profile(json.loads(text), b""), 1)
        reader.begin()
        for lamp, frame in enumerate(scene):
            reader.add(frame.tobytes(), lamp)
        reading: Any = reader.finish()
        good = reading.verdict == READ or reading.detail == ONE_LAMP
        found.append(Read(face, reading.dice[0].face if good else 0, "" if good else reading.reason))
        if annotate is not None:
            _draw_face(scene, reading, found[-1]).save(annotate / f"face{face}.png")
    return found


def draw_empty(calibration: Calibration, folder: Path) -> Path:
    """The empty platform with its rim and the lamps' mirror images marked."""
    image, draw = _canvas(calibration.empty)
    _circle(draw, calibration.platform, "lime")
    for number, found in enumerate(circle for of_lamp in calibration.images for circle in of_lamp):
        if found is not None:
            _circle(draw, found, "orange")
            draw.text((found[0] * _SCALE, found[1] * _SCALE), str(number), "orange")
    path = folder / "empty.png"
    image.save(path)
    return path


def _draw_face(scene: np.ndarray, reading: Any, read: Read) -> Image.Image:
    image, draw = _canvas(scene)
    for die in reading.dice:
        half = die.side / 2
        turn = np.exp(1j * np.radians(die.angle))
        corners = [complex(die.x, die.y) + turn * complex(u * half, v * half) for u, v in _CORNERS]
        points = [(corner.real * _SCALE, corner.imag * _SCALE) for corner in corners]
        draw.polygon(points, outline="lime" if read.right else "red")
    told = f"reads {read.read}" if read.read else f"refused: {read.reason}"
    draw.text((4, 4), f"face {read.face}: {told}", "lime" if read.right else "red")
    return image


_CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, 1))


def _canvas(scene: np.ndarray) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    """The brightest of all lamps at each pixel, stretched, to draw on."""
    light = scene.max(0)
    grey = Image.fromarray(np.clip(light * 1.5, 0, 255).astype(np.uint8))
    image = grey.resize((grey.width * _SCALE, grey.height * _SCALE)).convert("RGB")
    return image, ImageDraw.Draw(image)


def _circle(draw: ImageDraw.ImageDraw, circle: tuple[float, float, float], colour: str) -> None:
    x, y, radius = circle
    box = [(x - radius) * _SCALE, (y - radius) * _SCALE, (x + radius) * _SCALE, (y + radius) * _SCALE]
    draw.ellipse(box, outline=colour)
