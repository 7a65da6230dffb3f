"""Labels of a set of scenes: `labels.jsonl`, one JSON object a scene, beside the pictures."""

import json
from dataclasses import dataclass
from pathlib import Path


class LabelError(ValueError):
    """A label cannot be used; the message names the file, the line and what is wrong."""


@dataclass(frozen=True)
class LabelledDie:
    """What truly lies at `x`, `y` (pixels, the middle of its top face): a face 1 to 6, and the one that it
    looks like, another one when its damage makes it so."""

    face: int
    x: float
    y: float
    tilt_deg: float
    shows: int


@dataclass(frozen=True)
class Label:
    """The truth about one scene.

    name         of the scene in its set
    path         folder of lamp0 to lamp3, or the one picture
    category     flat, touching, wall, cocked, stacked, count, damaged, quality, ... or the photographs' set
    style        of the dice; "" when unknown
    values       faces in no order
    must_refuse  reading it is an error, whatever the faces
    borderline   may be read or refused
    undecidable  a damage makes a face into another: no picture tells, and a reader may read what shows
    dice         with their places; () when only the values are known
    fields       the whole JSON object, for what a particular set adds
    """

    name: str
    path: Path
    category: str
    style: str
    values: tuple[int, ...]
    must_refuse: bool
    borderline: bool
    undecidable: bool
    dice: tuple[LabelledDie, ...]
    fields: dict


def load_labels(folder: Path) -> list[Label]:
    """Labels of a folder's `labels.jsonl`. OSError without one, LabelError when one cannot be used."""
    path = folder / "labels.jsonl"
    labels = []
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        try:
            labels.append(_label(folder, json.loads(line)))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise LabelError(f"{path}:{number}: {type(error).__name__}: {error}") from error
    return labels


def _label(folder: Path, fields: dict) -> Label:
    name = fields["scene"] if "scene" in fields else fields["file"]
    return Label(
        name=name,
        path=folder / name,
        category=fields["category"] if "category" in fields else fields["set"],
        style=fields.get("style", ""),
        values=tuple(sorted(int(face) for face in fields["values"])),
        must_refuse=fields.get("must_refuse", False),
        borderline=fields.get("borderline", False) or fields.get("category") == "quality",
        undecidable=fields.get("verdict") == "undecidable",
        dice=tuple(_die(die) for die in fields.get("dice", ())),
        fields=fields,
    )


def _die(fields: dict) -> LabelledDie:
    x, y = fields["top_px"] if "top_px" in fields else fields["centre_px"]
    face = int(fields["face"])
    return LabelledDie(face, float(x), float(y), float(fields["tilt_deg"]), int(fields.get("shows", face)))
