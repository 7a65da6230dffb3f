"""Picture files as grey frames: PNG and PGM, 8 bits a pixel, nothing converted silently."""

from dataclasses import dataclass
from pathlib import Path

from PIL import Image, UnidentifiedImageError

MAX_SIDE = 4096
LAMPS = 4
_SUFFIXES = (".png", ".pgm")
_FORMATS = ("PNG", "PPM")


class ImageError(ValueError):
    """The file is no usable grey picture; the message names the file, what is wrong and what is expected."""


@dataclass(frozen=True)
class Frame:
    """An 8-bit grey picture: `pixels` holds width * height bytes, row by row."""

    width: int
    height: int
    pixels: bytes


def load_frame(path: Path) -> Frame:
    """Frame of a PNG or PGM file. ImageError when it is missing, damaged, too large or not 8-bit grey."""
    try:
        with Image.open(path, formats=_FORMATS) as image:
            if max(image.size) > MAX_SIDE:
                raise ImageError(f"{path}: {image.width} x {image.height} pixels, at most {MAX_SIDE} a side")
            if image.mode != "L":
                raise ImageError(f"{path}: pixels are {_mode(image.mode)}; save it as 8-bit grey")
            return Frame(image.width, image.height, image.tobytes())
    except FileNotFoundError as error:
        raise ImageError(f"{path}: no such file") from error
    except IsADirectoryError as error:
        raise ImageError(f"{path}: is a folder, not a picture") from error
    except (UnidentifiedImageError, Image.DecompressionBombError) as error:
        raise ImageError(f"{path}: is not a PNG or PGM picture") from error
    except ImageError:
        raise
    except (OSError, SyntaxError, ValueError) as error:
        raise ImageError(f"{path}: the picture is damaged ({error})") from error


def load_scene(folder: Path, lamps: int = LAMPS) -> list[Frame]:
    """Frames lamp0 to lamp3 of a folder, all of one size. ImageError when one is missing or different."""
    if not folder.is_dir():
        raise ImageError(f"{folder}: no such folder; it must hold lamp0 to lamp{lamps - 1} (.png or .pgm)")
    frames = []
    for lamp in range(lamps):
        found = [folder / f"lamp{lamp}{suffix}" for suffix in _SUFFIXES]
        found = [path for path in found if path.exists()]
        if not found:
            raise ImageError(f"{folder}: no lamp{lamp}.png (or .pgm); a scene is lamp0 to lamp{lamps - 1}")
        if len(found) > 1:
            raise ImageError(f"{folder}: lamp{lamp} is there as PNG and as PGM; remove one")
        frames.append(load_frame(found[0]))
    for lamp, frame in enumerate(frames):
        if (frame.width, frame.height) != (frames[0].width, frames[0].height):
            raise ImageError(
                f"{folder}: lamp{lamp} has {frame.width} x {frame.height} pixels, "
                f"lamp0 has {frames[0].width} x {frames[0].height}"
            )
    return frames


def _mode(mode: str) -> str:
    names = {"1": "1-bit", "P": "palette", "RGB": "colour", "RGBA": "colour", "LA": "grey and transparent"}
    return names.get(mode, "16-bit" if mode.startswith("I") else mode)
