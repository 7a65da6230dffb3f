"""What lies on a platform and how its drive moves it: here pictures taken before, elsewhere the twin."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from PIL import Image

from host_tools.virtual_board.scenario import Scenario, check_scenes


@dataclass(frozen=True, slots=True)
class Motion:
    """What happens on the platform until the dice lie still; times in us after the first stroke began.

    `edges`: (us, gate, level); `strokes`: when each pulse was over; `shakes`: (us, milli-g felt then);
    `rest_us`: when the dice lie still, None when they never do.
    """

    edges: Sequence[tuple[int, str, bool]] = ()
    strokes: Sequence[int] = ()
    shakes: Sequence[tuple[int, int]] = ()
    rest_us: int | None = None


class Dice(Protocol):
    """The dice on a plant's platform. The plant has the time.

    `profile`: the reader's for the camera that sees them, a name in firmware/profiles or a file.
    """

    profile: str | Path

    def lay(self, scene: str) -> None:
        """A round begins, or the dice lie differently from now on: as `scene` says."""
        ...

    def drive(self, strokes: int) -> Motion | None:
        """The drive begins so many strokes; None: the plant plays pulses of its own."""
        ...

    def stop(self, after_us: int) -> Motion | None:
        """The drive stopped so long after its first stroke began, or before it (below 0): what happens from
        the first stroke on, the same up to now; None when nothing changes."""
        ...

    def picture(self, lamp: int) -> bytes:
        """A frame of the dice as they lie under that lamp, row by row."""
        ...


class RecordedScenes:
    """Dice that lie as in pictures taken before."""

    def __init__(self, scenario: Scenario, frames: Path) -> None:
        """`frames` is the folder of the scenario's scenes (`<id>/lamp0.png` ...). Raises ScenarioError."""
        check_scenes(scenario, frames)
        self.profile: str | Path = scenario.profile
        self._frames = frames
        self._scene = ""

    def lay(self, scene: str) -> None:
        """See Dice."""
        self._scene = scene

    def drive(self, strokes: int) -> None:
        """See Dice."""

    def stop(self, after_us: int) -> None:
        """See Dice."""

    def picture(self, lamp: int) -> bytes:
        """See Dice."""
        with Image.open(self._frames / self._scene / f"lamp{lamp}.png") as image:
            return image.convert("L").tobytes()
