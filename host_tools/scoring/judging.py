"""One scene judged: was the answer right, wrong or refused?

A wrong face is an error everywhere, also when two wrong faces make the right set. Reading a scene that must
be refused is an error. A borderline scene may be read or refused. Anything else should be read. Where damage
makes one face into another, as no picture tells, what shows may be read, and is counted apart.
"""

import math
from dataclasses import dataclass
from enum import StrEnum

from host_tools.scoring.labels import Label, LabelledDie


class Outcome(StrEnum):
    """What a reader made of a scene."""

    RIGHT = "right"
    WRONG = "wrong"  # a face that does not lie there
    READ_ANYWAY = "read, must refuse"  # the faces may be right: it is an error all the same
    REFUSED_RIGHTLY = "refused, must be"
    REFUSED_BORDERLINE = "refused, borderline"
    LOST = "refused, readable"
    DECEIVED = "read as disguised"
    NOT_DECEIVED = "refused, disguised"

    @property
    def is_error(self) -> bool:
        """Whether a wrong amount could be paid."""
        return self in {Outcome.WRONG, Outcome.READ_ANYWAY}

    @property
    def is_refusal(self) -> bool:
        """Whether the reader refused."""
        return self in {
            Outcome.REFUSED_RIGHTLY,
            Outcome.REFUSED_BORDERLINE,
            Outcome.LOST,
            Outcome.NOT_DECEIVED,
        }


@dataclass(frozen=True)
class Judgement:
    """The outcome and, for a read scene, (true face, face read) of each die; None for none there."""

    outcome: Outcome
    pairs: tuple[tuple[int | None, int | None], ...]


def judge(label: Label, answer: dict) -> Judgement:
    """Judge the JSON fields of a reading; only "verdict", "faces" and, when known, "dice" are looked at."""
    if answer["verdict"] != "read":
        return Judgement(_refusal(label), ())
    pairs = _pairs(label, answer)
    if label.must_refuse:
        return Judgement(Outcome.READ_ANYWAY, pairs)
    if label.undecidable and sorted(answer["faces"]) == sorted(die.shows for die in label.dice):
        return Judgement(Outcome.DECEIVED, ())
    right = tuple(sorted(answer["faces"])) == label.values and all(true == read for true, read in pairs)
    return Judgement(Outcome.RIGHT if right else Outcome.WRONG, pairs)


def _refusal(label: Label) -> Outcome:
    if label.must_refuse:
        return Outcome.REFUSED_RIGHTLY
    if label.undecidable:
        return Outcome.NOT_DECEIVED
    return Outcome.REFUSED_BORDERLINE if label.borderline else Outcome.LOST


def _pairs(label: Label, answer: dict) -> tuple[tuple[int | None, int | None], ...]:
    """Faces side by side: by place when both tell places, else equal ones first."""
    dice = answer.get("dice", ())
    if label.dice and len(dice) == len(answer["faces"]):
        return _pairs_by_place(label.dice, dice)
    true, read = list(label.values), sorted(answer["faces"])
    same = []
    for face in label.values:
        if face in read:
            read.remove(face)
            true.remove(face)
            same.append((face, face))
    short = len(true) - len(read)
    return tuple(same + list(zip(true + [None] * -short, read + [None] * short, strict=True)))


def _pairs_by_place(
    true: tuple[LabelledDie, ...], read: list[dict]
) -> tuple[tuple[int | None, int | None], ...]:
    partner = partners(true, read)
    matched = [(die.face, read[partner[i]]["face"] if i in partner else None) for i, die in enumerate(true)]
    spare = [(None, found["face"]) for j, found in enumerate(read) if j not in partner.values()]
    return tuple(matched + spare)


def partners(true: tuple[LabelledDie, ...], read: list[dict]) -> dict[int, int]:
    """The read die of each true one that has one, by their numbers: nearest first, at most 0.6 of a side
    apart, for the middles of two dice are at least a side apart."""
    ways = sorted(
        (math.hypot(die.x - found["x"], die.y - found["y"]), i, j)
        for i, die in enumerate(true)
        for j, found in enumerate(read)
    )
    partner: dict[int, int] = {}
    for distance, i, j in ways:
        if distance <= 0.6 * read[j]["side"] and i not in partner and j not in partner.values():
            partner[i] = j
    return partner
