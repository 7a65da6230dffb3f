"""A table's `evidence` in the configuration, checked against its board, its profile and its line."""

from pathlib import Path
from typing import Literal, cast, get_args

from host_tools.boards import Board
from host_tools.bridge.examining import Examination
from host_tools.second_reader.profile import ProfileError, load_profile
from host_tools.service.reading import Section

Evidence = Literal["before-settlement", "after"]
_WITHIN_S = 90.0
_LONGEST_S = 3600.0
_BITS_A_BYTE = 11  # on the line, with frames, pings and records beside
_READING_S = 3.0  # the second reader's own time


def read_examination(table: Section, board: Board, baudrate: int, folder: Path) -> Examination | None:
    """How the table's evidence is looked at, kept in `folder`; None where it is not.

    `board` is the table's, its line runs at `baudrate`, 0 where there is none."""
    when = table.choice("evidence", ("none", *get_args(Evidence)))
    profile = table.path("profile", exists=True) or board.profile
    within_s = table.number("evidence_within_s", _WITHIN_S, 1.0, _LONGEST_S)
    if when == "none":
        return None
    if profile is None:
        table.find("evidence", f"a {board.name} has no camera: there are no pictures to look at")
        return None
    _check(table, profile, board, baudrate, within_s)
    return Examination(cast("Evidence", when), folder, profile, within_s)


def _check(table: Section, profile: Path, board: Board, baudrate: int, within_s: float) -> None:
    try:
        read = load_profile(profile)
    except (ProfileError, OSError) as error:
        table.find("profile", f"{profile} cannot be used: {error}")
        return
    camera = board.settings["hal"].get("camera") or {}
    seen = camera.get("width", read.width), camera.get("height", read.height)
    if seen != (read.width, read.height):
        table.find(
            "profile", f"is for {read.width} x {read.height} pixels, the camera gives {seen[0]} x {seen[1]}"
        )
    if baudrate:
        needed_s = read.width * read.height * len(read.positions) * _BITS_A_BYTE / baudrate + _READING_S
        if within_s < needed_s:
            table.find(
                "evidence_within_s",
                f"{within_s:g} s are too short: frames take {needed_s:.0f} s on this line",
            )
