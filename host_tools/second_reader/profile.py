"""A profile file, read by the second reader's own code: it shares none of the device's."""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DARK_PIPS = "dark-pips"
LIGHT_PIPS = "light-pips"
FORMAT = 3
FACES = (1, 2, 3, 4, 5, 6)


class ProfileError(ValueError):
    """The profile cannot be used; the message names the file and the field."""


@dataclass(frozen=True)
class Look:
    """How dice look from above.

    polarity  DARK_PIPS or LIGHT_PIPS
    side      edge of a top face in pixels, its rounded rim included
    pips      face -> ((u, v), ...) pip centres, in sides from the middle of the face
    radii     face -> radius of its pips, in sides
    """

    polarity: str
    side: float
    pips: dict[int, list[tuple[float, float]]]
    radii: dict[int, float]


@dataclass(frozen=True)
class Profile:
    """One camera over one platform with one style of dice.

    width, height  frame size, pixels
    die_mm         edge of a die
    scale          pixels a mm where top faces lie
    platform       centre x, y and radius, pixels
    positions      lamp x, y, z in mm from the platform's centre, x right and y down in the picture
    gains          strength of each lamp
    images         of each lamp, x, y and radius of its mirror images in the dome
    lens           height of a die as a share of the lens's height over the platform
    stuck          (x, y) of pixels that do not work
    black, gamma   level of no light, and the power of the light that levels rise with: 2 and 1 when linear
    floors         level of the bare floor in the platform's middle under each lamp, above no light; () when
                   not measured
    """

    look: Look
    width: int
    height: int
    die_mm: float
    scale: float
    platform: tuple[float, float, float]
    positions: tuple[tuple[float, float, float], ...]
    gains: tuple[float, ...]
    images: tuple[tuple[tuple[float, float, float], ...], ...]
    lens: float
    stuck: tuple[tuple[int, int], ...]
    black: float = 2.0
    gamma: float = 1.0
    floors: tuple[float, ...] = ()


def load_profile(path: Path) -> Profile:
    """Profile from a JSON file. OSError when it cannot be opened, ProfileError when it cannot be used."""
    text = path.read_bytes()
    try:
        return _profile(json.loads(text.decode()))
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError, RecursionError) as error:
        raise ProfileError(f"{path}: is no usable profile ({type(error).__name__}: {error})") from error


def _profile(fields: dict[str, Any]) -> Profile:
    if fields["format"] != FORMAT:
        raise ValueError(f"format: must be {FORMAT}; make the profile anew with this version")
    drawn = _above_zero(fields["side"])
    side = _above_zero(fields["die_mm"]) * _above_zero(fields["scale"])
    if fields["polarity"] not in {DARK_PIPS, LIGHT_PIPS}:
        raise ValueError(f"polarity {fields['polarity']}")
    faces = {face: fields["faces"][str(face)] for face in FACES}
    look = Look(
        polarity=fields["polarity"],
        side=side,
        pips={face: [_pip(pip, drawn / side) for pip in faces[face]["pips"]] for face in FACES},
        radii={face: _above_zero(faces[face]["radius"]) * drawn / side for face in FACES},
    )
    for face, pips in look.pips.items():
        if len(pips) != face or any(abs(at) > 0.45 for pip in pips for at in pip):
            raise ValueError(f"faces.{face}.pips")
    lamps = fields["lamps"]
    profile = Profile(
        look=look,
        width=int(_above_zero(fields["width"])),
        height=int(_above_zero(fields["height"])),
        die_mm=_above_zero(fields["die_mm"]),
        scale=_above_zero(fields["scale"]),
        platform=_numbers(fields["platform"], 3),
        positions=tuple(_numbers(lamp["at"], 3) for lamp in lamps),
        gains=tuple(_above_zero(lamp["gain"]) for lamp in lamps),
        images=tuple(tuple(_numbers(image, 3) for image in lamp["images"]) for lamp in lamps),
        lens=_above_zero(fields["lens"]),
        stuck=tuple((int(x), int(y)) for x, y in fields["stuck"]),
        black=float(fields.get("black", 2)),
        gamma=_above_zero(fields.get("gamma", 1)),
        floors=tuple(_above_zero(lamp["floor"]) for lamp in lamps if "floor" in lamp),
    )
    _check(profile)
    return profile


def _check(profile: Profile) -> None:
    """ValueError when the fields cannot be of one machine."""
    x, y, radius = profile.platform
    if not (32 <= profile.width <= 1024 and 32 <= profile.height <= 1024):
        raise ValueError(f"width, height: {profile.width} x {profile.height} pixels")
    if not (0 < x < profile.width and 0 < y < profile.height and 0 < radius < 1024):
        raise ValueError("platform: lies outside the picture")
    if not 10 <= profile.look.side < radius or not 0 < profile.lens < 0.5:
        raise ValueError(f"die_mm, scale, lens: a die of {profile.look.side:.0f} pixels")
    if not (0 <= profile.black < 128 and 0.25 <= profile.gamma <= 4):
        raise ValueError(f"black, gamma: {profile.black}, {profile.gamma}")
    if len(profile.floors) not in {0, len(profile.positions)}:
        raise ValueError("lamps.floor: must be told of all lamps or of none")
    if not profile.positions or any(at[2] <= 2 * profile.die_mm for at in profile.positions):
        raise ValueError("lamps.at: a lamp must be higher than two dice")
    if any(not (0 <= column < profile.width and 0 <= row < profile.height) for column, row in profile.stuck):
        raise ValueError("stuck: a place lies outside the picture")


def _pip(place: list, shrink: float) -> tuple[float, float]:
    """A pip's place in sides: the file's are in shares of the bright square within the rim."""
    u, v = _numbers(place, 2)
    return u * shrink, v * shrink


def _numbers(values: list, count: int) -> tuple:
    numbers = tuple(float(value) for value in values)
    if len(numbers) != count or not all(math.isfinite(number) for number in numbers):
        raise ValueError(f"{values}: must be {count} numbers")
    return numbers


def _above_zero(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < 1e6:
        raise ValueError(f"{value}: must be a number above 0")
    return value
