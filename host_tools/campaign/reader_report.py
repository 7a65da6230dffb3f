"""The report of a reader's campaign: tables, confusion, and pictures of what was wrong or refused."""

from collections.abc import Iterator
from statistics import median
from typing import Any

from host_tools.campaign.confidence import CLAIMS, CLAIMS_HEAD, claims
from host_tools.campaign.page import figure, heading, page, paragraph, percent, table
from host_tools.campaign.reader_figures import Group, ReaderFigures
from host_tools.campaign.second import SECOND, SECOND_HEAD, in_words, second_rows
from host_tools.twin.studio import Studio

MOST_REASONS = 30
MOST_PICTURES = 200  # of wrong scenes, and as many of readable ones that were refused
_HEAD = (
    "",
    "scenes",
    "readable",
    "right",
    "wrong",
    "wrong at most",
    "refused rightly",
    "borderline",
    "lost",
    "lost of readable",
)
_FACES = (1, 2, 3, 4, 5, 6, None)


def report(figures: dict[str, Any], counted: ReaderFigures, studio: Studio) -> str:
    """The page. Its pictures are taken again from the seed."""
    return page("The reader's campaign", _parts(figures, counted, studio))


def disguises(told: dict[str, Any]) -> str:
    """What became of the dice whose damage makes one face into another, in a sentence."""
    shown = told["deceived"] + told["not_deceived"]
    return (
        f"In {shown:,} more scenes a damage makes one face into another to the last spot, which no picture"
        f" tells: {told['deceived']:,} were read as what shows."
    )


def _parts(figures: dict[str, Any], counted: ReaderFigures, studio: Studio) -> Iterator[str]:
    yield paragraph(
        f"The device's reader on MicroPython over {counted.all.scenes:,} scenes of the twin,"
        f" seed {studio.seed}, commit {figures['commit']}, {studio.units} tumblers calibrated from pictures."
        " Bounds hold at 95 % (Clopper and Pearson); the twin's situations are no natural rates."
    )
    yield paragraph(disguises(counted.all.as_json()))
    yield table("All", _HEAD, [_row("all", counted.all)], 4)
    for axis, groups in counted.by.items():
        yield table(f"By {axis}", _HEAD, [_row(name, each) for name, each in sorted(groups.items())], 4)
    for axis, groups in counted.recipe.items():
        rows = [_row(name, each) for name, each in sorted(groups.items())]
        yield table(f"The popular recipe (blobs and clusters) on the same scenes, by {axis}", _HEAD, rows, 4)
    yield from _second(figures["second"])
    yield _confusion(counted)
    yield table(CLAIMS, CLAIMS_HEAD, claims(figures["reliability"]))
    yield table(
        "Why readable scenes were refused",
        ("reason", "detail", "scenes"),
        [(*why, count) for why, count in counted.refusals.most_common(MOST_REASONS)],
    )
    yield table(
        "Milliseconds to read a scene here",
        ("", "median", "longest"),
        [(name, median(times), max(times)) for name, times in sorted(counted.times.items())],
    )
    if figures["not_calibrated"]:
        yield table(
            f"Not calibrated, so {counted.uncalibrated:,} more scenes were not read",
            ("dice", "why"),
            figures["not_calibrated"],
        )
    yield heading(f"Wrong: {len(counted.wrong)}")
    yield from _pictures(counted.wrong, studio)
    yield heading(f"Refused though readable: {len(counted.lost)}")
    yield from _pictures(counted.lost, studio)


def _second(told: dict[str, Any]) -> Iterator[str]:
    yield paragraph(in_words(told["all"]))
    for axis, groups in told["by"].items():
        yield table(f"{SECOND}, by {axis}", SECOND_HEAD, second_rows(groups.items()), 7)
    yield table("Why it held good scenes", ("reason", "detail", "scenes"), told["held"][:MOST_REASONS])
    if told["agreed_scenes"]:
        yield paragraph(f"Errors that it agreed with: {', '.join(map(str, told['agreed_scenes']))}.")


def _row(name: str, group: Group) -> tuple[object, ...]:
    told = group.as_json()
    return (
        name,
        group.scenes,
        group.readable,
        group.right,
        group.wrong,
        percent(told["errors_at_most"]),
        told["refused_rightly"],
        told["refused_borderline"],
        group.lost,
        "" if told["lost_share"] is None else percent(told["lost_share"]),
    )


def _confusion(counted: ReaderFigures) -> str:
    rows = [
        (_face(true), *(counted.confusion[true, read] for read in _FACES))
        for true in _FACES
        if any(counted.confusion[true, read] for read in _FACES)
    ]
    return table(
        "Dice of read scenes: the face that lies there, and what was read",
        ("true", *map(_face, _FACES)),
        rows,
    )


def _face(face: int | None) -> str:
    return "none" if face is None else str(face)


def _pictures(numbers: list[int], studio: Studio) -> Iterator[str]:
    for number in numbers[:MOST_PICTURES]:
        shot = studio.shoot(number)
        draw = shot.draw
        yield figure(
            shot.picture.frames,
            f"{number}: {draw.category}, {draw.style}, {draw.size}, {draw.lamps}, {draw.renderer},"
            f" shows {shot.label['values']}, {shot.label['verdict']} {shot.label['reason'] or ''}",
        )
    if len(numbers) > MOST_PICTURES:
        yield paragraph(f"and {len(numbers) - MOST_PICTURES} more")
