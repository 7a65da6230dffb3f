"""Labels of a picture, one JSON object a scene: what lies there, where it is seen, and whether to read it.

What lies there is told from the poses (`truth`), where it is seen from the lens, and how much of it from the
picture's own pixels. Only trouble with the picture itself is known from how it was made.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from host_tools.twin.camera.lens import Lens
from host_tools.twin.camera.picture import Picture
from host_tools.twin.camera.skin import normal_of
from host_tools.twin.camera.styles import Style
from host_tools.twin.camera.trouble import GRAVE
from host_tools.twin.scene import Die, Scene
from host_tools.twin.truth import DieTruth, SceneTruth, Verdict, tell

_CORNERS = ((-1, -1), (1, -1), (1, 1), (-1, 1))
_STEP = 0.5  # mm, for the direction of a lean in the picture


def label(  # noqa: PLR0913, PLR0917 - a label tells of all these
    name: str, category: str, scene: Scene, style: Style, picture: Picture, lens: Lens, count: int = 3
) -> dict[str, Any]:
    """A line of labels.jsonl for a scene taken with a lens on a machine of `count` dice.

    `values` are the faces in the scene's order; pixels are column, row; degrees in the picture run from its
    columns to its rows; `gap_die_mm` is null for a die alone.
    """
    truth = tell(scene, count)
    verdict, reason = _judged(truth, picture)
    return {
        "scene": name,
        "category": category,
        "verdict": str(verdict),
        "must_refuse": verdict is Verdict.MUST_REFUSE,
        "borderline": verdict is Verdict.BORDERLINE,
        "reason": reason,
        "values": list(truth.faces),
        "style": style.name,
        "dice": [
            _die_label(number, die, told, picture, lens)
            for number, (die, told) in enumerate(zip(scene.dice, truth.dice, strict=True), 1)
        ],
    }


def _judged(truth: SceneTruth, picture: Picture) -> tuple[Verdict, str | None]:
    """What a reader has to do, and why, from the gravest of all that is wrong."""
    if truth.verdict is not Verdict.MUST_REFUSE and picture.trouble in GRAVE:
        return Verdict.MUST_REFUSE, picture.trouble
    if truth.verdict in {Verdict.READABLE, Verdict.BORDERLINE} and picture.trouble:
        return Verdict.BORDERLINE, picture.trouble
    return truth.verdict, truth.reason and str(truth.reason)


def _die_label(number: int, die: Die, told: DieTruth, picture: Picture, lens: Lens) -> dict[str, Any]:
    corners = lens.project(top_corners(die, told.face))
    sides = np.linalg.norm(np.roll(corners, -1, axis=0) - corners, axis=1)
    return {
        "face": told.face,
        "tilt_deg": round(told.tilt, 2),
        "tilt_az_image_deg": round(_lean(die, told, lens), 1),
        "centre_px": _rounded(lens.project(np.array(die.centre)), 2),
        "top_px": _rounded(lens.project(_top(die, told.face)), 2),
        "corners_px": [_rounded(corner, 1) for corner in corners],
        "side_px": round(float(sides.mean()), 2),
        "stacked": told.stacked,
        "touching": told.touching,
        "touching_wall": told.touching_wall,
        "gap_die_mm": round(told.gap_die, 2) if math.isfinite(told.gap_die) else None,
        "gap_wall_mm": round(told.gap_wall, 2),
        "top_visible": round(picture.visible[number - 1], 3),
        "glare_frac": _glare(number, told.face, picture),
        "damaged": told.damaged,
        "shows": told.shows,
    }


def top_corners(die: Die, face: int) -> NDArray[np.float64]:
    """Corners (4, 3) of a face in mm, as if the edges were sharp, in order around it."""
    normal = normal_of(face)
    first = np.roll(np.abs(normal), 1)
    second = np.roll(np.abs(normal), 2)
    corners = np.array([normal + u * first + v * second for u, v in _CORNERS])
    return np.array(die.centre) + corners * die.edge / 2 @ die.matrix().T


def _top(die: Die, face: int) -> NDArray[np.float64]:
    return np.array(die.centre) + die.matrix() @ normal_of(face) * die.edge / 2


def _lean(die: Die, told: DieTruth, lens: Lens) -> float:
    """Direction in the picture to which the upper face leans."""
    lean = math.radians(told.lean)
    start = _top(die, told.face)
    step = np.array([_STEP * math.cos(lean), _STEP * math.sin(lean), 0])
    here, there = lens.project(np.stack([start, start + step]))
    return math.degrees(math.atan2(there[1] - here[1], there[0] - here[0])) % 360


def _glare(number: int, face: int, picture: Picture) -> list[float]:
    """Share of the visible top face under each lamp's mirror image."""
    top = (picture.dice == number) & (picture.faces == face)
    seen = max(int(top.sum()), 1)
    return [round(int((glare & top).sum()) / seen, 3) for glare in picture.glare]


def _rounded(point: NDArray[np.float64], digits: int) -> list[float]:
    return [round(float(value), digits) for value in point]
