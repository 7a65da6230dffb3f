"""What a camera gives of a scene: its frames, and what each pixel shows."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image


@dataclass(frozen=True, slots=True)
class Picture:
    """Frames and what they show.

    frames: grey (rows, columns), one under each lamp; dice, faces: number of the die (1 is the first) and of
    its face at each pixel, 0 where none is; glare: (frames, rows, columns), true where a lamp's mirror image
    lies; visible: share of each die's top face that no other body hides; trouble: what is wrong with the
    picture itself, empty when nothing is.
    """

    frames: tuple[NDArray[np.uint8], ...]
    dice: NDArray[np.uint8]
    faces: NDArray[np.uint8]
    glare: NDArray[np.bool_]
    visible: tuple[float, ...]
    trouble: str = ""

    def save(self, folder: Path) -> None:
        """Write lamp0.png, lamp1.png and so on into the folder, which is made."""
        folder.mkdir(parents=True, exist_ok=True)
        for number, frame in enumerate(self.frames):
            Image.fromarray(frame).save(folder / f"lamp{number}.png")
