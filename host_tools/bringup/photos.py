"""Pictures for a calibration: a person lays what each step asks for, and the board's own camera takes it.

They lie in a folder as `tumbler calibrate --empty --faces` takes them. A step's four pictures appear there
together, so a step that was interrupted is one that is still to do.
"""

import contextlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PIL import Image

from host_tools.boards import Board
from host_tools.bringup.bench import ENTER, OPEN, Picture, Tell, fetch, show, take
from host_tools.bringup.errors import BringUpError, DeviceError, StepFailed, Unsuitable
from host_tools.bringup.remote import Remote
from host_tools.images import LAMPS, ImageError, load_scene

STEPS = {
    "empty": "clear the platform and close the dome",
    **{f"face{face}": f"lay one die near the centre, showing {face}, close the dome" for face in range(1, 7)},
}
_STEP_S = 60.0

Ask = Callable[[str], None]


def photograph(remote: Remote, board: Board, keep: Path, ask: Ask, tell: Tell) -> None:
    """Have `keep`/empty and `keep`/face1 to face6 with lamp0.png to lamp3.png each; what is there stays.

    remote: open; ask: shows a text and returns when the person has done what it says, or raises EOFError or
    KeyboardInterrupt to give up. Raises Unsuitable for a board without a camera or firmware and for a folder
    that holds something else, StepFailed when the camera fails or the person gives up. The board is reset
    at the end.
    """
    if board.profile is None:
        raise Unsuitable(
            f"a {board.title} has no camera: its smart sensor reads the faces by itself, so there is nothing"
            f" to calibrate. Teach the sensor module as boards/{board.name}/README.md says"
        )
    missing = [name for name in STEPS if not _is_kept(keep / name, tell)]
    if missing:
        take(remote, board, tell)
        try:
            _open(remote)
            for name in missing:
                _step(_Camera(remote, tell), keep / name, ask)
                tell(f"  {name} is captured.")
        except (EOFError, KeyboardInterrupt):
            _interrupt(remote)
            raise StepFailed(
                "interrupted. Run the same command again; with --keep it goes on after the last whole step"
            ) from None
        finally:
            remote.reset()


def _is_kept(folder: Path, tell: Tell) -> bool:
    if not folder.exists():
        return False
    try:
        load_scene(folder)
    except ImageError as error:
        raise Unsuitable(f"{error}. Remove the folder {folder}, then its pictures are taken again") from error
    tell(f"{folder} is there from before and stays: remove it to take its pictures again.")
    return True


def _open(remote: Remote) -> None:
    try:
        remote.run(ENTER, wait_s=_STEP_S)
        remote.run(OPEN, wait_s=_STEP_S)
    except DeviceError as error:
        raise StepFailed(f"{error}. Do what it says; `tumbler selftest` tests each part") from error


def _interrupt(remote: Remote) -> None:
    """Have the prompt of a board that may be taking a picture, so that it can be reset."""
    with contextlib.suppress(BringUpError):  # it is gone: there is nothing to reset
        remote.enter()


def _step(camera: "_Camera", folder: Path, ask: Ask) -> None:
    number = list(STEPS).index(folder.name) + 1
    ask(f"Step {number} of {len(STEPS)}: {STEPS[folder.name]}. Then press Enter.")
    _keep(folder, [camera.take(lamp) for lamp in range(LAMPS)])


class _Camera:
    """The camera of a board on which ENTER and OPEN have run."""

    def __init__(self, remote: Remote, tell: Tell) -> None:
        self._remote = remote
        self._tell = tell

    def take(self, lamp: int) -> Picture:
        """A picture in full size under a lamp."""
        self._tell(f"  lamp {lamp} ...")
        told: list[dict[str, Any]] = []

        def hear(line: str) -> None:
            if line.startswith("{"):
                told.append(json.loads(line))

        self._remote.run(f"bench.photograph({lamp})", on_line=hear, wait_s=_STEP_S)
        for each in told:
            if "picture" in each:
                return fetch(self._remote, each)
            raise StepFailed(f"no picture is taken, {show(each).strip()}; then run the same command again")
        raise StepFailed(
            "the firmware on the board is set up without a camera: flash it with `tumbler flash`"
        )


def _keep(folder: Path, pictures: list[Picture]) -> None:
    """Write a step's pictures; the folder is there when all of them are."""
    unfinished = folder.with_name(f"{folder.name}.unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    for picture in pictures:
        image = Image.frombytes("L", (picture.width, picture.height), picture.pixels)
        image.save(unfinished / f"{picture.name}.png")
    unfinished.rename(folder)
