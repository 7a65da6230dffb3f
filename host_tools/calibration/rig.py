"""What the pictures of the empty platform tell: its place, the lamps, their mirror images, broken pixels."""

from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from host_tools.calibration.errors import CalibrationError
from host_tools.images import load_frame, load_scene

UNLIKE = (
    "empty: light falls off across the platform unlike that of the lamps: take each picture in the dark,"
    " with its lamp alone, and with the camera's own corrections (gamma, contrast) off"
)
UNSEEN_RIM = "empty: the platform's rim is not found: it must be seen whole, on a dark ground"
_SIDES = 32, 1024  # pixels of a picture that a profile may be for
_RIM = 0.3, 0.55  # of a picture's height: how far out the platform's rim is looked for,
_WAYS = 120  # on so many ways out
_SEARCHES = 4  # each from the middle that the last one found
_SPAN = 8  # quarters of a pixel between which light falls, and over which it is averaged
_FALL = 1.0  # levels that the light falls there, at least
_OFF_RIM = 0.015  # of the height by which a fall of light may lie off the rim,
_ON_RIM = 0.6  # and the share of falls that must lie on it
_ASLANT = 0.2  # growth of a lamp's light over a radius, its logarithm; of lamps as drawn it is 0.7
_ASTRAY = 8.0  # mm by which a lamp may hang off its place in the drawing
_SURE = 1.0  # and higher or lower than measured
_IMAGE = 0.1  # of the platform's radius that a lamp's mirror image reaches from its middle, at most
_BRIGHTER = 50  # levels by which it is brighter than the floor about it, and than under other lamps
_SAME = 10  # levels by which a pixel that does not work may differ from frame to frame


@dataclass(frozen=True, slots=True)
class Rig:
    """Measures of the tumbler in mm, from its drawing, where the fits start.

    `die`: its edge; `platform`: its radius; `lamp`: distance from the platform's centre; their `elevation`
    in degrees; `camera`: height of the lens above the platform.
    """

    die: float = 16.0
    platform: float = 60.0
    lamp: float = 170.0
    elevation: float = 45.0
    camera: float = 205.0

    def floor_scale(self, radius: float) -> float:
        """Pixels to a mm of the platform, whose radius is `radius` pixels."""
        return radius / self.platform

    def top_scale(self, radius: float) -> float:
        """Pixels to a mm of a level die's top, which is nearer to the camera."""
        return self.floor_scale(radius) * self.camera / (self.camera - self.die)


def load(folder: Path) -> np.ndarray:
    """Array [lamp, row, column] of a scene: lamp0 to lamp3, or one `frame` (or lamp0 alone)."""
    single = [folder / f"{name}{end}" for name in ("frame", "lamp0") for end in (".png", ".pgm")]
    single = [path for path in single if path.exists()]
    alone = single and not any(folder.glob("lamp[123].*"))
    frames = [load_frame(single[0])] if alone else load_scene(folder)
    return np.stack([np.frombuffer(f.pixels, np.uint8).reshape(f.height, f.width) for f in frames])


def find_platform(empty):
    """Centre x, y and radius in pixels: a circle through the steepest fall of light to the dark rim."""
    picture = empty.mean(0)
    height, width = picture.shape
    if min(height, width) < _SIDES[0] or max(height, width) > _SIDES[1]:
        raise CalibrationError(
            f"empty: pictures of {width} x {height} pixels: each side must be {_SIDES[0]} to {_SIDES[1]};"
            " the reader is made for 160 x 120 to 320 x 240"
        )
    x, y, radius = width / 2, height / 2, 0.0
    for _ in range(_SEARCHES):
        px, py = _falls(picture, x, y)
        for _ in range(3):
            a = np.stack([2 * px, 2 * py, np.ones(len(px))], 1)
            x, y, c = np.linalg.lstsq(a, px**2 + py**2, rcond=None)[0]
            radius = np.sqrt(c + x * x + y * y)
            off = abs(np.hypot(px - x, py - y) - radius)
            px, py = px[off <= 2.5 * np.median(off) + 0.3], py[off <= 2.5 * np.median(off) + 0.3]
    px, py = _falls(picture, x, y)
    on_rim = abs(np.hypot(px - x, py - y) - radius) < _OFF_RIM * height
    if on_rim.mean() < _ON_RIM or radius > 1 + min(x, y, width - 1 - x, height - 1 - y):
        raise CalibrationError(UNSEEN_RIM)
    return float(x), float(y), float(radius)


def _falls(picture, x, y):
    """Columns and rows where light falls most steeply on the ways out from a place."""
    height, width = picture.shape
    radii = np.arange(_RIM[0] * height, _RIM[1] * height, 0.25)
    falls = []
    for angle in np.radians(np.arange(0, 360, 360 / _WAYS)):
        columns, rows = x + radii * np.cos(angle), y + radii * np.sin(angle)
        seen = (columns >= 0) & (columns < width - 1) & (rows >= 0) & (rows < height - 1)
        if seen.sum() <= 2 * _SPAN:
            continue
        columns, rows = columns[seen], rows[seen]
        light = np.convolve(bilinear(picture, columns, rows), np.ones(_SPAN) / _SPAN, "same")
        half = _SPAN // 2  # what is averaged over an end of the way is left out
        fall = (light[:-_SPAN] - light[_SPAN:])[half:-half]
        if fall.max() > _FALL:
            at = int(np.argmax(fall)) + _SPAN
            falls.append((columns[at], rows[at]))
    if len(falls) < _ON_RIM * _WAYS:
        raise CalibrationError(UNSEEN_RIM)
    return np.array(falls).T


def bilinear(picture, columns, rows):
    c, r = columns.astype(int), rows.astype(int)
    fx, fy = columns - c, rows - r
    upper = picture[r, c] * (1 - fx) + picture[r, c + 1] * fx
    lower = picture[r + 1, c] * (1 - fx) + picture[r + 1, c + 1] * fx
    return upper * (1 - fy) + lower * fy


def find_images(empty, platform):
    """Of each lamp, [x, y, radius] of its mirror images in the dome, with a margin for their blurred rims."""
    x, y, radius = platform
    rows, columns = np.indices(empty.shape[1:])
    near = np.hypot(columns - x, rows - y) < 1.1 * radius
    if len(empty) == 1:
        floor = cv2.medianBlur(empty[0], 5 if empty.shape[2] < 200 else 11)
        spots = [near & (empty[0] > floor + 25.0)]
    else:
        # A light floor near a lamp is as bright, but not beside darker floor; a stuck pixel is so under all.
        wide = 2 * int(_IMAGE * radius) + 1
        around = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (wide, wide))
        floors = [cv2.morphologyEx(frame, cv2.MORPH_OPEN, around) for frame in empty]
        darker = [np.maximum(floor, np.median(empty, 0)) + _BRIGHTER for floor in floors]
        spots = [near & (frame > np.maximum(150, limit)) for frame, limit in zip(empty, darker, strict=True)]
    return [_circles(spot, len(empty) == 1) for spot in spots]


def off_images(rows, columns, images):
    """Mask of the pixels that none of the lamps' mirror images reaches."""
    off = np.ones(rows.shape, bool)
    for x, y, reach in (image for of_lamp in images for image in of_lamp):
        off &= np.hypot(columns - x, rows - y) > reach + 2
    return off


def find_shines(empty, images):
    """Of each lamp, the level that its mirror images surely reach when it is lit: four fifths of it."""
    rows, columns = np.indices(empty.shape[1:])
    shines = []
    for frame, of_lamp in zip(empty, images, strict=True):
        peaks = [frame[np.hypot(columns - x, rows - y) < reach].max() for x, y, reach in of_lamp]
        shines.append(int(0.8 * min(peaks, default=255)))
    return shines


def _circles(spot, several):
    """(x, y, radius) around what is set in a mask: around all of it, or around each part."""
    count, parts = cv2.connectedComponents(spot.astype(np.uint8)) if several else (2, spot.astype(int))
    circles = []
    for part in range(1, count):
        places = np.argwhere(parts == part)
        if len(places) < 2:
            continue
        row, column = places.mean(0)
        reach = np.hypot(places[:, 1] - column, places[:, 0] - row).max()
        circles.append((float(column), float(row), float(reach + 2.0)))
    return circles


def find_stuck(empty):
    """[x, y] of pixels that are the same under every lamp and unlike all their neighbours; under one lamp its
    mirror image may lie beside them. A dead one shows under the lamp that lights its neighbours most.
    """
    around = np.ones((3, 3), np.uint8)
    around[1, 1] = 0
    brighter = sum(frame > cv2.dilate(frame, around).astype(int) + 40 for frame in empty)
    burnt = (brighter >= max(1, len(empty) - 1)) & (np.ptp(empty, 0) <= _SAME)
    lit = np.max([cv2.erode(frame, around) for frame in empty], axis=0) > 3
    dead = (empty.max(0) == 0) & lit
    return [[int(column), int(row)] for row, column in np.argwhere((burnt | dead)[1:-1, 1:-1]) + 1]


def directions(empty, platform, images):
    """Unit vector to each lamp from the platform's middle: to its mirror image, or where the dome shows none,
    the way its light grows against that of all lamps.
    """
    x, y, radius = platform
    rows, columns = np.indices(empty.shape[1:])
    use = (np.hypot(columns - x, rows - y) < 0.6 * radius) & (empty.min(0) > 3)
    light = np.log(empty[:, use] - 2.0)
    slopes = np.stack([columns[use] - x, rows[use] - y, np.full(use.sum(), radius)], 1) / radius
    found = []
    for lamp, of_lamp in enumerate(images):
        if of_lamp:
            way = np.array(of_lamp[0][:2]) - (x, y)
        else:
            way = np.linalg.lstsq(slopes, light[lamp] - light.mean(0), rcond=None)[0][:2]
            if np.hypot(*way) < _ASLANT:
                raise CalibrationError(
                    f"empty/lamp{lamp}: neither a mirror image of the lamp in the dome is found, nor light"
                    " that comes from a side: is it lit, is it this lamp's picture?"
                )
        found.append(way / np.hypot(*way))
    return found


def fit_lamps(  # noqa: PLR0913, PLR0917 - what is known of a rig
    empty, platform, images, rig: Rig, elevations=None, doubt=0.05
):
    """Lamp positions [mm] and gains from how each one's light falls off over the platform.

    A single frame's light is taken to come from the lens.

    What all lamps share (albedo, vignetting) cancels in the ratio of one frame to the mean of the four.

    elevations: of each lamp in degrees when they are measured, else those of the drawing are about right;
    doubt: share by which one pixel's light may be wrong; the more, the more the drawing says.
    """
    if len(empty) == 1:
        return np.array([[0.0, 0.0, rig.camera]]), np.ones(1)
    x, y, radius = platform
    rows, columns = np.indices(empty.shape[1:])
    use = (np.hypot(columns - x, rows - y) < 0.6 * radius) & (empty.min(0) > 3)
    use &= off_images(rows, columns, images)
    scale = rig.platform / radius
    px, py = (columns[use] - x) * scale, (rows[use] - y) * scale
    light = np.log(empty[:, use] - 2.0)
    seen = light - light.mean(0)
    places = drawn_lamps(directions(empty, platform, images), rig, elevations)
    parameters = np.concatenate([places, np.zeros((4, 1))], 1).ravel()
    prior = parameters.copy()
    trust = np.zeros((16, 16))
    for lamp, place in enumerate(places):
        at = slice(4 * lamp, 4 * lamp + 3)
        trust[at, at] = _trust(place, _ASTRAY if elevations is None else _SURE)

    def model(p):
        p = p.reshape(4, 4)
        d2 = (p[:, :1] - px) ** 2 + (p[:, 1:2] - py) ** 2 + p[:, 2:3] ** 2
        light = p[:, 3:] + np.log(p[:, 2:3]) - 1.5 * np.log(d2)
        return (light - light.mean(0)).ravel()

    for _ in range(8):
        base = model(parameters)
        jacobian = np.stack([(model(parameters + np.eye(16)[i] * 0.01) - base) / 0.01 for i in range(16)], 1)
        weight = 1 / doubt
        a = np.concatenate([jacobian * weight, trust + 1e-6 * np.eye(16)])
        b = np.concatenate([(seen.ravel() - base) * weight, trust @ (prior - parameters)])
        parameters = parameters + np.linalg.lstsq(a, b, rcond=None)[0]
        if not (parameters[2::4] > rig.die).all():
            raise CalibrationError(UNLIKE)
    p = parameters.reshape(4, 4)
    return p[:, :3], np.exp(p[:, 3] - p[:, 3].mean())


def drawn_lamps(ways, rig: Rig, elevations=None) -> np.ndarray:
    """Places of the lamps in mm, each in its direction from the platform's middle at its elevation in
    degrees, or at the drawing's."""
    high = np.radians(np.full(len(ways), rig.elevation) if elevations is None else elevations)
    flat = np.array(ways) * np.cos(high)[:, None]
    return rig.lamp * np.concatenate([flat, np.sin(high)[:, None]], 1)


def _trust(place: np.ndarray, astray: float) -> np.ndarray:
    """Rows that make of a way from a lamp's drawn place, in mm, how unlikely it is: farther from the middle,
    around it, and upwards."""
    out = place / np.linalg.norm(place)
    around = np.cross((0, 0, 1), out)
    around /= np.linalg.norm(around)
    return np.stack([out / _ASTRAY, around / _ASTRAY, np.cross(out, around) / astray])
