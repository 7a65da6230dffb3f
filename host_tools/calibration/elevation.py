"""How high the lamps hang, from the shadows that a die throws on the platform.

Under each lamp the shadow of a level die is as long as the die is high, times the cotangent of the lamp's
elevation. The shadow at every elevation is drawn, and that which the pictures show is taken. So neither the
drawing nor the camera's curve matters; edges that are rounder than usual make it a degree more.
"""

from collections.abc import Iterator

import cv2
import numpy as np

from host_tools.calibration.rig import Rig, directions, drawn_lamps, off_images
from tumbler.reader.tone import BLACK

_ELEVATIONS = np.arange(20.0, 76.0, 0.5)  # degrees
_BODY = 0.7, 1.25  # of the empty platform's light: what is darker under all lamps, or brighter, is the die
_ALONE = 0.5, 1.6  # areas of a die that such a region may have
_ROUND = 0.045  # sides by which the rounded edges of a die make its shadow shorter all around
_AROUND = 2.2  # sides of a die within which its shadows are looked at
_DARK = 0.7  # share of the light in a shadow: a solid die leaves much less, a clear one may leave more
_LIT = 6  # level of a floor on which shadows can be told from noise
_DARKEST = 1  # per cent of what lies around the die, in its shadow even under high lamps
_ITSELF = 0.2  # sides about the die's top in which its side faces may be seen
_OPEN = 0.9  # of the platform's radius
_FINE = 4  # parts of a pixel, to draw in
_FEW = 3  # shadows of each lamp that must be seen
_AS_GOOD = 1.02  # times as many wrong pixels


def elevations_of(
    empty: np.ndarray, scenes: list[np.ndarray], platform: tuple, images: list, rig: Rig
) -> np.ndarray | None:
    """Elevation of each lamp in degrees; None when too few shadows tell.

    empty, scenes: arrays [lamp, row, column] of the platform, and of it with one die.
    """
    ways = directions(empty, platform, images)
    wrong = [[] for _ in ways]
    for scene in scenes:
        light = (scene - float(BLACK)) / np.maximum(empty - float(BLACK), 1.0)
        top = _top(light, platform, rig)
        if top is None:
            continue
        for lamp, way in enumerate(ways):
            judged = _judged(top, platform, rig, images[lamp], light[lamp].shape)
            if np.median(empty[lamp][judged]) >= _LIT and (at := _edge(light[lamp][judged])):
                wrong[lamp].append(_wrong(light[lamp] < at, judged, top, way, platform, rig))
    if min(map(len, wrong)) < _FEW:
        return None
    return np.array([_best(np.sum(of_lamp, 0)) for of_lamp in wrong])


def _edge(light: np.ndarray) -> float | None:
    """Share of the light at which a shadow ends, halfway between it and the lit floor; None without one."""
    darkest = float(np.percentile(light, _DARKEST))
    return (1 + darkest) / 2 if darkest < _DARK else None


def _wrong(  # noqa: PLR0913, PLR0917 - a shadow, a die and a lamp
    seen: np.ndarray, judged: np.ndarray, top: np.ndarray, way: np.ndarray, platform: tuple, rig: Rig
) -> list[int]:
    """How many of the judged pixels the shadow drawn at each of the elevations has wrong."""
    x, y, radius = platform
    rows, columns = (slice(places.min(), places.max() + 1) for places in np.nonzero(judged))
    seen, judged = seen[rows, columns], judged[rows, columns]
    drawn = _shadows(top, way, (x - columns.start, y - rows.start, radius), rig, seen.shape)
    return [int(np.count_nonzero((shadow != seen) & judged)) for shadow in drawn]


def _best(wrong: np.ndarray) -> float:
    """The middle of the elevations that are about as good as the best."""
    return float(_ELEVATIONS[wrong <= _AS_GOOD * wrong.min()].mean())


def _top(light: np.ndarray, platform: tuple, rig: Rig) -> np.ndarray | None:
    """Corners of the die's top in mm from the platform's middle; None when it is not found alone."""
    x, y, radius = platform
    rows, columns = np.indices(light.shape[1:])
    inside = np.hypot(columns - x, rows - y) < _OPEN * radius
    body = ((light.max(0) < _BODY[0]) | (light.min(0) > _BODY[1])) & inside
    count, parts, about, _ = cv2.connectedComponentsWithStats(
        cv2.morphologyEx(body.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    )
    scale = rig.top_scale(radius)
    areas = about[1:, cv2.CC_STAT_AREA] / (scale * rig.die) ** 2
    large = [part for part in range(1, count) if areas[part - 1] > _ALONE[0]]
    if len(large) != 1 or areas[large[0] - 1] > _ALONE[1]:
        return None
    places = np.argwhere(parts == large[0])[:, ::-1].astype(np.float32)
    (middle_x, middle_y), _, turn = cv2.minAreaRect(places)
    along = np.array([np.cos(np.radians(turn)), np.sin(np.radians(turn))])
    half = (0.5 - _ROUND) * rig.die
    middle = np.array([middle_x - x, middle_y - y]) / scale
    across = np.array([-along[1], along[0]])
    return np.array(
        [middle + half * (a * along + b * across) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    )


def _judged(corners: np.ndarray, platform: tuple, rig: Rig, images: list, shape: tuple) -> np.ndarray:
    """The floor about the die, as a mask: without the die, and without the lamp's mirror images."""
    x, y, radius = platform
    rows, columns = np.indices(shape)
    scale = rig.floor_scale(radius)
    middle = corners.mean(0) * scale + (x, y)
    judged = np.hypot(columns - x, rows - y) < _OPEN * radius
    judged &= np.hypot(columns - middle[0], rows - middle[1]) < _AROUND * rig.die * scale
    top = corners.mean(0) + (corners - corners.mean(0)) * (1 + 2 * _ITSELF)
    judged &= ~_drawn(top * rig.top_scale(radius) + (x, y), shape)
    return judged & off_images(rows, columns, [images])


def _shadows(
    corners: np.ndarray, way: np.ndarray, platform: tuple, rig: Rig, shape: tuple
) -> Iterator[np.ndarray]:
    """The shadow of the die as a mask, under a lamp at each of the elevations."""
    x, y, radius = platform
    for *lamp, height in drawn_lamps([way] * len(_ELEVATIONS), rig, _ELEVATIONS):
        thrown = lamp + (corners - lamp) * height / (height - rig.die)
        yield _drawn(np.concatenate([corners, thrown]) * rig.floor_scale(radius) + (x, y), shape)


def _drawn(points: np.ndarray, shape: tuple) -> np.ndarray:
    """A mask of the convex hull of points."""
    hull = cv2.convexHull(np.rint(points * _FINE + (_FINE - 1) / 2).astype(np.int32))
    mask = np.zeros((shape[0] * _FINE, shape[1] * _FINE), np.uint8)
    cv2.fillConvexPoly(mask, hull, 255)
    return cv2.resize(mask, (shape[1], shape[0]), interpolation=cv2.INTER_AREA) > 127
