"""A corner of a dark face is held for the light that it lacks, and not for what lightens the others."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from host_tools.second_reader.faces import Pose
from host_tools.second_reader.fit import Fit
from host_tools.second_reader.hollows import lacks
from host_tools.second_reader.light import Relit
from host_tools.second_reader.make import CLASSIC
from host_tools.second_reader.profile import LIGHT_PIPS
from host_tools.second_reader.refusal import Refused
from host_tools.second_reader.surface import Surface

SIDE = 30.0
LOOK = CLASSIC.look(LIGHT_PIPS, SIDE)
PLACE = Pose(40.0, 40.0, SIDE, 0.3)
FIT = Fit(3, PLACE, 0.95, 0.2, (0.5,) * 4, 20.0, 120.0, 0.1, 0.0, 0.01)
HOLLOW, ENDS = (0.5, -0.5), ((-0.5, -0.5), (0.5, 0.5))


def plane(hollow: float, opposite: float = 1.0, ends: float = 1.0) -> np.ndarray:
    """A black three whose corners have such shares of its light."""
    picture = np.full((320, 320), 60, np.float32)
    cv2.fillPoly(picture, [np.round(4 * PLACE.corners()).astype(np.int32)], 20)
    for (u, v), share in ((HOLLOW, hollow), ((-0.5, 0.5), opposite), (ENDS[0], ends), (ENDS[1], ends)):
        legs = np.array([u, u - np.sign(u) * 0.3, u]), np.array([v, v, v - np.sign(v) * 0.3])
        corner = np.stack(PLACE.place(*legs), 1)
        cv2.fillPoly(picture, [np.round(4 * corner).astype(np.int32)], 20 * share)
    for u, v in LOOK.pips[3]:
        x, y = PLACE.place(np.array(u), np.array(v))
        cv2.circle(
            picture, (round(4 * float(x)), round(4 * float(y))), round(4 * SIDE * LOOK.radii[3]), 140, -1
        )
    return cv2.resize(picture, (80, 80), interpolation=cv2.INTER_AREA)


def most(*planes: np.ndarray) -> float:
    return float(np.nanmax(lacks(np.stack(planes), PLACE, LOOK, 3)))


def test_a_whole_face_lacks_no_light() -> None:
    assert most(*[plane(1.0)] * 4) == pytest.approx(0, abs=0.02)


def test_a_hollow_that_the_lamp_it_leans_to_lights_lacks_it_all_the_same() -> None:
    assert most(plane(2.0), plane(0.9), plane(0.6), plane(0.4)) > 0.2


def test_what_shines_through_to_other_corners_leaves_the_last_one_whole() -> None:
    assert most(*[plane(1.0, 1.6, 1.6)] * 4) < 0.05


def test_a_face_taken_to_lie_aside_lacks_no_light() -> None:
    assert most(*[plane(0.9)] * 4) > 0.08
    assert most(*[plane(0.9, 1.1)] * 4) < 0.05


@pytest.mark.parametrize("shrink", [1, 2])
def test_a_corner_a_quarter_darker_under_all_lamps_is_damage(shrink: int) -> None:
    middle = (PLACE.x + 0.5) / shrink - 0.5
    fit = replace(FIT, pose=Pose(middle, middle, SIDE / shrink, PLACE.angle))
    surface = Surface(CLASSIC.look(LIGHT_PIPS, SIDE / shrink))
    whole, broken = (
        cv2.resize(plane(hollow), None, fx=1 / shrink, fy=1 / shrink, interpolation=cv2.INTER_AREA)
        for hollow in (1.0, 0.7)
    )
    surface.check(fit, Relit.of(np.stack([whole] * 4)))
    with pytest.raises(Refused, match="corner"):
        surface.check(fit, Relit.of(np.stack([broken] * 4)))
