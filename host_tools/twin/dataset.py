"""A labelled set of scenes on disk: a folder a scene, labels.jsonl, and pictures to calibrate by.

Scene `n` depends on seed, mix and `n` alone, so the files are the same however many processes write them.
"""

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

from host_tools.twin.mix import Mix
from host_tools.twin.progress import Progress
from host_tools.twin.run import FolderUnusable, Run
from host_tools.twin.studio import Studio, name
from host_tools.twin.workers import in_order

LABELS = "labels.jsonl"
CALIBRATION = "calib"


@dataclass(frozen=True, slots=True)
class _Writing:
    """Writes scene `number` into its folder; returns its label."""

    studio: Studio
    folder: Path

    def __call__(self, number: int) -> dict[str, Any]:
        shot = self.studio.shoot(number)
        shot.picture.save(self.folder / name(number))
        return shot.label


@dataclass(frozen=True, slots=True)
class _Photographing:
    """Takes the pictures to calibrate by, of one style, size and lamps of the mix."""

    studio: Studio
    folder: Path

    @property
    def sets(self) -> list[tuple[str, str, str]]:
        shares = self.studio.mix.shares
        return list(product(shares["size"], shares["lamps"], shares["style"]))

    def __call__(self, number: int) -> None:
        size, lamps, style = self.sets[number]
        done = self.folder / f"{size}-{lamps}" / style
        if not (done / "face6").exists():
            self.studio.unit(0).photograph(done, style, size, lamps)


def write_dataset(folder: Path, mix: Mix, scenes: int, seed: int, jobs: int) -> int:
    """Write the first `scenes` of the set, going on where an earlier run stopped; returns how many are there.

    Raises FolderUnusable, WorkerLost, NoRoom.
    """
    studio = Studio(seed, mix)
    with Run(folder, {"set": "scenes", "seed": seed, "mix": mix.shares}, LABELS) as run:
        try:
            photographing = _Photographing(studio, folder / CALIBRATION)
            for _ in in_order(photographing, range(len(photographing.sets)), jobs):
                pass
            progress = Progress("scenes", scenes, run.done)
            for label in in_order(_Writing(studio, folder), range(run.done, scenes), jobs):
                run.add(label)
                progress.advance()
        except OSError as error:
            raise FolderUnusable(
                f"{folder}: {error.strerror}; make room and run it again to go on"
            ) from error
        return run.done
