"""What the camera's rays meet: dice and balls, as points with normal, grey and the pixel they belong to.

Every pixel near a body is looked at with 3 x 3 rays, so that edges and pips come out smooth.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from host_tools.twin.camera.cubes import meet
from host_tools.twin.camera.lens import Lens
from host_tools.twin.camera.shadows import outline
from host_tools.twin.camera.skin import Skin, top_face
from host_tools.twin.camera.styles import Style
from host_tools.twin.camera.vectors import (
    Floats,
    Triple,
    dot,
    into,
    minus,
    out_of,
    picked,
    plus,
    scaled,
    triple,
)
from host_tools.twin.camera.wear import chipped, painted, shone_through
from host_tools.twin.scene import Die, Scene, Thing

FINE = 3  # rays along each side of a pixel
_SOFT_RIM = 0.75  # width of a pip's rim, in rays


@dataclass(frozen=True, slots=True)
class Points:
    """Points seen, as arrays of one length; `ray` counts the fine rays row by row over the whole picture.

    body: 1 is the first die, things come after the dice; face: 0 on a ball; away: mm from the camera.
    """

    ray: NDArray[np.intp]
    away: Floats
    body: NDArray[np.uint8]
    face: NDArray[np.uint8]
    place: Triple  # mm
    normal: Triple  # of unit length, both in the platform's frame
    grey: Floats


@dataclass(frozen=True, slots=True)
class Seen:
    """All points, and of each die's top face the share that no other body hides."""

    points: Points
    visible: tuple[float, ...]


def see(scene: Scene, lens: Lens, style: Style, rng: np.random.Generator) -> Seen:
    """Trace the camera's rays to the nearest bodies."""
    parts = [_see_die(die, number, lens, style, rng) for number, die in enumerate(scene.dice, 1)]
    parts += [_see_ball(ball, number, lens) for number, ball in enumerate(scene.things, len(scene.dice) + 1)]
    nearest = np.full(lens.width * FINE * lens.height * FINE, np.inf, np.float32)
    for part in parts:
        nearest[part.ray] = np.minimum(nearest[part.ray], part.away)
    shown = [part.away <= nearest[part.ray] for part in parts]
    visible = tuple(
        _share(part.face == top_face(die), open_)
        for die, part, open_ in zip(scene.dice, parts, shown, strict=False)
    )
    return Seen(_joined(parts, shown), visible)


def _share(top: NDArray[np.bool_], shown: NDArray[np.bool_]) -> float:
    total = int(top.sum())
    return float((top & shown).sum() / total) if total else 0.0


def _joined(parts: list[Points], shown: list[NDArray[np.bool_]]) -> Points:
    """All points that are shown. Starts from none, so that an empty platform has none."""
    none = np.zeros(0, np.float32)

    def together(columns: Sequence[NDArray[Any]], kind: type[Any] = np.float32) -> NDArray[Any]:
        kept = (column[keep] for column, keep in zip(columns, shown, strict=True))
        return np.concatenate([none.astype(kind), *kept])

    def vectors(columns: list[Triple]) -> Triple:
        x, y, z = (together([column[axis] for column in columns]) for axis in range(3))
        return x, y, z

    return Points(
        ray=together([part.ray for part in parts], np.intp),
        away=together([part.away for part in parts]),
        body=together([part.body for part in parts], np.uint8),
        face=together([part.face for part in parts], np.uint8),
        place=vectors([part.place for part in parts]),
        normal=vectors([part.normal for part in parts]),
        grey=together([part.grey for part in parts]),
    )


def _rays(lens: Lens, body: Die | Thing) -> tuple[NDArray[np.intp], Triple]:
    """Index and direction of the fine rays of the pixels about a body."""
    left, right, top, bottom = lens.window(outline(body), 1)
    columns, rows = np.arange(left * FINE, right * FINE), np.arange(top * FINE, bottom * FINE)
    ray = (rows[:, None] * (lens.width * FINE) + columns).ravel()
    middle = (FINE - 1) / 2
    grid = np.meshgrid((columns - middle) / FINE, (rows - middle) / FINE)
    x, y, z = lens.rays(grid[0].ravel(), grid[1].ravel())
    return ray, (x, y, z)


def _see_die(die: Die, number: int, lens: Lens, style: Style, rng: np.random.Generator) -> Points:
    skin = Skin.drawn(die, style, rng)
    turn = die.matrix().astype(np.float32)
    ray, direction = _rays(lens, die)
    local = into(turn, direction)
    eye = into(turn, minus(triple(lens.at), triple(die.centre)))
    hits = meet(eye, local, die.edge, die.rounding)
    if skin.chip:
        hits = chipped(hits, local, skin.chip, die)
    soft = _SOFT_RIM / FINE * (lens.at[2] - die.centre[2]) / lens.focal / die.edge
    grey, normal = painted(hits, skin, die.edge, soft)
    if style.clear:
        grey = grey + style.clear * shone_through(hits, picked(local, hits.ray), skin, die.edge, soft)
    place = plus(triple(die.centre), out_of(turn, hits.place))
    body = np.full(len(hits.ray), number, np.uint8)
    return Points(ray[hits.ray], hits.away, body, hits.face, place, out_of(turn, normal), grey)


def _see_ball(ball: Thing, number: int, lens: Lens) -> Points:
    ray, direction = _rays(lens, ball)
    eye = minus(triple(lens.at), triple(ball.centre))
    across = dot(eye, direction)
    depth = across**2 - dot(eye, eye) + np.float32(ball.radius**2)
    hit = np.flatnonzero(depth > 0)
    away = -across[hit] - np.sqrt(depth[hit])
    normal = scaled(plus(eye, picked(direction, hit), away), 1 / ball.radius)
    place = plus(triple(ball.centre), normal, ball.radius)
    body, face = np.full(len(hit), number, np.uint8), np.zeros(len(hit), np.uint8)
    return Points(ray[hit], away, body, face, place, normal, np.full(len(hit), ball.albedo, np.float32))
