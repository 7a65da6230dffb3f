"""What lies on a platform and how its drive moves it: here pictures taken before, elsewhere the twin."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Protocol

from PIL import Image

from host_tools.virtual_board.scenario import Scenario, Stroke, check_scenes


@dataclass(frozen=True, slots=True)
class Motion:
    """What happens on the platform from now on; times in microseconds from now, ascending.

    `edges`: (us, gate, level); `strokes`: when each pulse is over; `shakes`: (us, milli-g felt then);
    `rest_us`: when the dice lie still, None when they still move at the end of it.
    """

    edges: Sequence[tuple[int, str, bool]] = ()
    strokes: Sequence[int] = ()
    shakes: Sequence[tuple[int, int]] = ()
    rest_us: int | None = None


class Dice(Protocol):
    """The dice on a plant's platform. The plant has the time; it strikes, or lets them settle."""

    def lay(self, scene: str) -> None:
        """A round begins, or the dice lie differently from now on: as `scene` says."""
        ...

    def strike(self) -> Stroke | Motion:
        """The drive strikes: a pulse that the plant plays, or all that moves for plant.STROKE_PERIOD_US."""
        ...

    def settle(self) -> Motion:
        """No stroke follows in time: how what moves comes to rest."""
        ...

    def picture(self, lamp: int) -> bytes:
        """A frame of the dice as they lie under that lamp, row by row."""
        ...


class RecordedScenes:
    """Dice that lie as in pictures taken before; their strokes are always strong.

    A strong stroke is 14 to 17 ms above the upper gate at about 0.95 m/s (measured on a simulated platform).
    """

    def __init__(self, scenario: Scenario, frames: Path) -> None:
        """`frames` is the folder of the scenario's scenes (`<id>/lamp0.png` ...). Raises ScenarioError."""
        check_scenes(scenario, frames)
        self._frames = frames
        self._random = Random(scenario.seed)
        self._scene = ""

    def lay(self, scene: str) -> None:
        """See Dice."""
        self._scene = scene

    def strike(self) -> Stroke:
        """See Dice."""
        return Stroke(self._random.randint(14_200, 16_800), self._random.randint(880, 1_020))

    def settle(self) -> Motion:
        """See Dice: the plant itself lets its pulses die away."""
        return Motion()

    def picture(self, lamp: int) -> bytes:
        """See Dice."""
        with Image.open(self._frames / self._scene / f"lamp{lamp}.png") as image:
            return image.convert("L").tobytes()
