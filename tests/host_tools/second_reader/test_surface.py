"""A face is held for what is on it, and not for where its edges are thought to be."""

import math
from dataclasses import replace

import cv2
import numpy as np
import pytest

from host_tools.second_reader.faces import Pose
from host_tools.second_reader.fit import Fit
from host_tools.second_reader.light import Relit
from host_tools.second_reader.make import CLASSIC
from host_tools.second_reader.profile import LIGHT_PIPS
from host_tools.second_reader.refusal import Refused
from host_tools.second_reader.surface import Surface

SIDE = 30.0
LOOK = CLASSIC.look(LIGHT_PIPS, SIDE)
PLACE = Pose(40.0, 40.0, SIDE, 0.3)
FIT = Fit(1, PLACE, 0.95, 0.2, (0.5,) * 4, 40.0, 120.0, 0.1, 0.0, 0.01)


def relit(crack: float) -> Relit:
    """A dark die with a light one under four lamps, dark gaps between it and others that it touches; its face
    is a share darker in a line, or lighter where that is negative."""
    picture = np.full((320, 320), 40, np.float32)
    cv2.polylines(picture, [np.round(4 * PLACE.corners()).astype(np.int32)], True, 10, 6)
    ends = (np.stack(PLACE.place(np.array([-0.5, 0.5]), np.array([0.2, 0.22])), 1) * 4).round().astype(int)
    cv2.line(picture, tuple(map(int, ends[0])), tuple(map(int, ends[1])), 40 * (1 - crack), 4)
    cv2.circle(picture, (160, 160), round(4 * SIDE * LOOK.radii[1]), 160, -1)
    seen = cv2.resize(picture, (80, 80), interpolation=cv2.INTER_AREA)
    return Relit.of(np.stack([seen] * 4))


@pytest.mark.parametrize("degrees", range(0, 90, 15))
def test_edges_of_a_light_one_are_no_cracks_however_it_is_thought_to_lie(degrees: int) -> None:
    pose = replace(PLACE, angle=PLACE.angle + math.radians(degrees), side=1.17 * SIDE)
    Surface(LOOK).check(replace(FIT, pose=pose), relit(0.0))


def test_a_crack_beside_the_pip_is_seen() -> None:
    with pytest.raises(Refused, match="crack"):
        Surface(LOOK).check(FIT, relit(0.75))


def test_a_scratch_beside_the_pip_is_seen() -> None:
    with pytest.raises(Refused, match="scratch"):
        Surface(LOOK).check(FIT, relit(-0.75))


def test_far_pips_that_lighten_a_clear_die_leave_no_cracks_between_them() -> None:
    seen = relit(0.0).planes[0]
    rows, columns = np.mgrid[:80, :80]
    for u, v in ((-0.2, -0.25), (0.05, -0.25), (0.3, -0.25), (-0.2, 0.2), (0.05, 0.2), (0.3, 0.2)):
        x, y = PLACE.place(np.array(u), np.array(v))
        far = np.hypot(columns - x, rows - y) < 0.11 * SIDE
        seen[far & (seen < 70)] = 70
    Surface(LOOK).check(FIT, Relit.of(np.stack([seen] * 4)))
