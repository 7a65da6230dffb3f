"""The reader's profiles of a campaign's tumblers, made from pictures as an engineer makes them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path

from host_tools.calibration import Calibration, Rig, load, write_profile
from host_tools.commands.calibrate import Polarity
from host_tools.twin.camera import STYLES, Style
from host_tools.twin.progress import Progress
from host_tools.twin.unit import LAMPS, SIZES, Unit
from host_tools.twin.workers import in_order

MATT = "white_black"  # the style whose gloss disturbs the lamps' strengths least


@dataclass(frozen=True, slots=True)
class Profiles:
    """Profiles of `units` tumblers of a seed in `folder`, one for each size, lamps and style."""

    folder: Path
    seed: int
    units: int
    sizes: tuple[str, ...] = tuple(SIZES)
    lamps: tuple[str, ...] = tuple(LAMPS)
    styles: tuple[str, ...] = tuple(STYLES)

    @property
    def sets(self) -> list[tuple[int, str, str]]:
        """Unit, size and lamps of each set: what one engineer calibrates in one go."""
        return list(product(range(self.units), self.sizes, self.lamps))

    def path(self, unit: int, size: str, lamps: str, style: str) -> Path | None:
        """The profile, None where calibration refused to make one."""
        path = self._folder(unit, size, lamps) / f"{style}.json"
        return path if path.exists() else None

    def fitted(self, lamps: str) -> Iterator[tuple[int, str, str]]:
        """Unit, size and style of each profile under `lamps`."""
        for unit, size, style in product(range(self.units), self.sizes, self.styles):
            if self.path(unit, size, lamps, style):
                yield unit, size, style

    def refused(self) -> Iterator[tuple[str, str]]:
        """What has no profile, and why."""
        for each in self.sets:
            for path in sorted(self._folder(*each).glob("*.refused")):
                yield f"unit {each[0]}, {each[1]}, {each[2]} lamps, {path.stem}", path.read_text().strip()

    def make(self, jobs: int) -> None:
        """Make those that are not there. Raises WorkerLost."""
        progress = Progress("calibrations", len(self.sets), 0)
        for _ in in_order(self, range(len(self.sets)), jobs):
            progress.advance()

    def __call__(self, number: int) -> None:
        """Make the profiles of set `number`, unless they are there."""
        unit, size, lamps = self.sets[number]
        folder = self._folder(unit, size, lamps)
        done = folder / "done"
        if not done.exists():
            self._calibrate(Unit(self.seed, unit), size, lamps, folder)
            done.touch()

    def _folder(self, unit: int, size: str, lamps: str) -> Path:
        return self.folder / f"{unit}-{size}-{lamps}"

    def _calibrate(self, unit: Unit, size: str, lamps: str, folder: Path) -> None:
        for style in {MATT, *self.styles}:
            unit.photograph(folder / style, style, size, lamps)
        bench = _Bench(unit, folder)
        for style in self.styles:
            try:
                fields = bench.calibration.profile(style, _polarity(unit.style(style)), folder / style)
                write_profile(fields, folder / f"{style}.json")
            except Exception as error:  # whatever it is, it is why there is no profile, and is reported
                told = " ".join(map(str, error.args))
                (folder / f"{style}.refused").write_text(f"{type(error).__name__}: {told}\n")


def _polarity(style: Style) -> Polarity:
    return Polarity.LIGHT if style.pip > style.body else Polarity.DARK


@dataclass
class _Bench:
    """An engineer's bench: the empty platform is measured once for all dice."""

    unit: Unit
    folder: Path

    @cached_property
    def calibration(self) -> Calibration:
        rig = Rig(die=self.unit.edge, platform=self.unit.machine().platform_radius)
        calibration = Calibration(load(self.folder / MATT / "empty"), rig, lambda text: None)
        calibration.measure_light(self.folder / MATT)
        calibration.measure_gains(self.folder / MATT)
        return calibration
