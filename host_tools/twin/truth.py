"""What a scene shows, told from its poses alone and never from how it was made or drawn.

A reader is judged by this: it must refuse what cannot be read fairly, must read what lies flat, and may do
either where both are defensible. A die whose damage makes one face into another shows nothing that is wrong,
so no camera above can tell: such scenes are counted apart.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from host_tools.twin.scene import DISGUISED, DISGUISES, Die, Scene, Thing, Vector
from host_tools.twin.solid import footprint_gap, lowest, wall_gap

FACES = (3, 2, 1, 4, 5, 6)  # on +x, +y, +z, -x, -y, -z of the die

COCKED = 6.0  # degrees from which a die must not be read
SLIGHT = 1.5  # degrees from which it need not be
TOUCHING = 0.5  # mm, seen from above, below which bodies touch
LIFTED = 1.0  # mm above the floor from which a die over another rests on it
FOREIGN = 2.5  # mm, radius from which an object must not be overlooked
SPECK = 0.4  # mm, radius below which it is dust


class Verdict(StrEnum):
    """What a reader has to do."""

    READABLE = "readable"
    BORDERLINE = "borderline"
    UNDECIDABLE = "undecidable"
    MUST_REFUSE = "must_refuse"


class Reason(StrEnum):
    """Why a scene is not plainly readable."""

    MISSING_DIE = "missing_die"
    EXTRA_DIE = "extra_die"
    STACKED = "stacked"
    COCKED = "cocked"
    DAMAGED = "damaged"
    DISGUISED = "disguised"
    FOREIGN_OBJECT = "foreign_object"
    SLIGHT_TILT = "slight_tilt"
    SMALL_OBJECT = "small_object"


_MAY_BE_READ = {Reason.SMALL_OBJECT, Reason.SLIGHT_TILT}
_NO_PICTURE_TELLS = _MAY_BE_READ | {Reason.DISGUISED}


@dataclass(frozen=True, slots=True)
class DieTruth:
    """One die. Degrees and mm; `shows`: the face that it looks like, `face` but for a disguise; `lean`:
    azimuth from x towards which the upper face leans, 0..360, without meaning at no tilt; `stacked`: it rests
    on another die; gaps are seen from above, 0 where one is over the other; `gap_die` is infinite for a die
    alone."""

    face: int
    shows: int
    tilt: float
    lean: float
    centre: Vector
    edge: float
    stacked: bool
    carries: bool
    touching: bool
    touching_wall: bool
    gap_die: float
    gap_wall: float
    damaged: bool


@dataclass(frozen=True, slots=True)
class SceneTruth:
    """A scene. `dice` in the scene's order; `reasons`: all there are, the gravest first."""

    dice: tuple[DieTruth, ...]
    reasons: tuple[Reason, ...]

    @property
    def faces(self) -> tuple[int, ...]:
        return tuple(die.face for die in self.dice)

    @property
    def verdict(self) -> Verdict:
        if not self.reasons:
            return Verdict.READABLE
        if _MAY_BE_READ.issuperset(self.reasons):
            return Verdict.BORDERLINE
        return Verdict.UNDECIDABLE if _NO_PICTURE_TELLS.issuperset(self.reasons) else Verdict.MUST_REFUSE

    @property
    def reason(self) -> Reason | None:
        return self.reasons[0] if self.reasons else None


def tell(scene: Scene, count: int = 3) -> SceneTruth:
    """The truth about `scene` on a machine of `count` dice."""
    dice = tuple(_die_truth(i, scene) for i in range(len(scene.dice)))
    return SceneTruth(dice, tuple(_reasons(dice, scene.things, count)))


def up_face(die: Die) -> int:
    """The face that looks up most."""
    return FACES[_up_axis(die)]


def tilt(die: Die) -> float:
    """Degrees between the upper face and the platform's, 0..54.7."""
    return math.degrees(math.atan2(*_lean_and_rise(die)))


def _up_axis(die: Die) -> int:
    upward = die.matrix()[2]
    return int(np.argmax(np.concatenate([upward, -upward])))


def _up(die: Die) -> np.ndarray:
    axis = _up_axis(die)
    return die.matrix()[:, axis % 3] * (1 if axis < 3 else -1)


def _lean_and_rise(die: Die) -> tuple[float, float]:
    x, y, z = _up(die)
    return math.hypot(x, y), float(z)


def _die_truth(index: int, scene: Scene) -> DieTruth:
    die = scene.dice[index]
    others = [other for i, other in enumerate(scene.dice) if i != index]
    gaps = [footprint_gap(die, other) for other in others]
    below = [_rests_on(die, other, gap) for other, gap in zip(others, gaps, strict=True)]
    above = [_rests_on(other, die, gap) for other, gap in zip(others, gaps, strict=True)]
    beside = [gap for gap, b, a in zip(gaps, below, above, strict=True) if not (b or a)]
    gap_wall = wall_gap(die, scene.platform_radius)
    x, y, _ = _up(die)
    face = up_face(die)
    return DieTruth(
        face=face,
        shows=DISGUISES.get(face, face) if die.damage == DISGUISED else face,
        tilt=tilt(die),
        lean=math.degrees(math.atan2(y, x)) % 360,
        centre=die.centre,
        edge=die.edge,
        stacked=any(below),
        carries=any(above),
        touching=any(gap < TOUCHING for gap in beside),
        touching_wall=gap_wall < TOUCHING,
        gap_die=max(0.0, min(gaps, default=math.inf)),
        gap_wall=max(0.0, gap_wall),
        damaged=die.damage not in {"", DISGUISED},
    )


def _rests_on(upper: Die, lower: Die, gap: float) -> bool:
    return gap < 0 and lowest(upper) > LIFTED and upper.centre[2] > lower.centre[2]


def _reasons(dice: Sequence[DieTruth], things: Sequence[Thing], count: int) -> list[Reason]:
    largest = max((thing.radius for thing in things), default=0.0)
    holds = {
        Reason.MISSING_DIE: len(dice) < count,
        Reason.EXTRA_DIE: len(dice) > count,
        Reason.STACKED: any(die.stacked for die in dice),
        Reason.COCKED: any(die.tilt >= COCKED for die in dice),
        Reason.DAMAGED: any(die.damaged for die in dice),
        Reason.DISGUISED: any(die.shows != die.face for die in dice),
        Reason.FOREIGN_OBJECT: largest >= FOREIGN,
        Reason.SLIGHT_TILT: any(SLIGHT <= die.tilt < COCKED for die in dice),
        Reason.SMALL_OBJECT: SPECK <= largest < FOREIGN,
    }
    return [reason for reason, held in holds.items() if held]
