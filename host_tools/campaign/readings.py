"""One scene of the reader's campaign: the twin shows it, the device's reader reads it, and it is judged.

Beside it the popular recipe, to measure by, and of what the device reads also the host's second reader.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import asdict, dataclass
from functools import cached_property, partial
from pathlib import Path
from time import process_time
from typing import Any

from host_tools.campaign.confidence import dice_told
from host_tools.campaign.profiles import Profiles
from host_tools.campaign.reader_figures import CRASHED, UNCALIBRATED
from host_tools.campaign.second import second_told
from host_tools.read.runtimes import ReadError, ReadScene, read_on_host, read_on_micropython
from host_tools.scoring import Label, LabelledDie, Outcome, judge
from host_tools.scoring.sets import read_by_recipe
from host_tools.twin.studio import Shot, Studio
from host_tools.virtual_board.build import build

COUNT = 3
_RELIED_ON = {Outcome.RIGHT, Outcome.WRONG, Outcome.READ_ANYWAY}  # no picture tells what a disguise shows


@dataclass(frozen=True)
class Readings:
    """Reads scene `number` of a studio's set with one reader process for each profile; they stay alive."""

    studio: Studio
    profiles: Profiles

    def __call__(self, number: int) -> dict[str, Any]:
        """What came of the scene, as a line of the campaign's results."""
        begun = process_time()
        shot = self.studio.shoot(number)
        rendered_s = process_time() - begun
        return self._told(shot, number) | {"twin_ms": round(1000 * rendered_s)}

    def _told(self, shot: Shot, number: int) -> dict[str, Any]:
        label, (answer, recipe, second) = label_of(shot), self._read(shot)
        found = judge(label, answer)
        calibrated = answer["reason"] != UNCALIBRATED
        return {
            "scene": number,
            **asdict(shot.draw),
            "unit": shot.unit.number,
            "verdict": shot.label["verdict"],
            "reason": shot.label["reason"],
            "outcome": found.outcome.value if calibrated else UNCALIBRATED,
            "recipe": judge(label, recipe).outcome.value if calibrated else UNCALIBRATED,
            "pairs": found.pairs,
            "dice": dice_told(label, answer) if found.outcome in _RELIED_ON else [],
            "true": sorted(shot.label["values"]),
            "read": sorted(answer["faces"]),
            "refusal": answer["reason"],
            "detail": answer["detail"],
            "second": second and second_told(answer, second),
            "read_ms": answer["ms"],
        }

    def _read(self, shot: Shot) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any] | None]:
        """What the device's reader answers, and the recipe, and of a scene read the second reader."""
        draw = shot.draw
        profile = self.profiles.path(shot.unit.number, draw.size, draw.lamps, draw.style)
        if profile is None:
            return _refusal(UNCALIBRATED, ""), _refusal(UNCALIBRATED, ""), None
        frames = [frame.tobytes() for frame in shot.picture.frames]
        with read_by_recipe(profile, COUNT) as read:
            recipe = read(frames)
        try:
            answer = self._device.read(profile, frames)
        except ReadError as error:
            return _refusal(CRASHED, str(error)), recipe, None
        return answer, recipe, self._second(profile, frames) if answer["verdict"] == "read" else None

    def _second(self, profile: Path, frames: list[bytes]) -> dict[str, Any]:
        """What the second reader answers. Whatever ends it holds the round, at a table too."""
        try:
            return self._host.read(profile, frames)
        except Exception as error:
            return _refusal(CRASHED, f"{type(error).__name__}: {error}")

    @cached_property
    def _device(self) -> "_Readers":
        return _Readers(partial(read_on_micropython, firmware=build()))

    @cached_property
    def _host(self) -> "_Readers":
        return _Readers(read_on_host)


class _Readers:
    """Readers by profile, opened when first asked. Their processes end with this one, whose end closes what
    they read from."""

    def __init__(self, opener: Callable[[Path, int], AbstractContextManager[ReadScene]]) -> None:
        self._opener = opener
        self._open: dict[Path, tuple[ExitStack, ReadScene]] = {}

    def read(self, profile: Path, frames: list[bytes]) -> dict[str, Any]:
        """The answer for a scene's frames. ReadError when the reader failed; the next one is new."""
        if profile not in self._open:
            stack = ExitStack()
            self._open[profile] = stack, stack.enter_context(self._opener(profile, COUNT))
        stack, read = self._open[profile]
        try:
            return read(frames)
        except ReadError:
            del self._open[profile]
            stack.close()
            raise


def _refusal(reason: str, detail: str) -> dict[str, Any]:
    return {"verdict": "refused", "faces": [], "reason": reason, "detail": detail, "dice": [], "ms": 0}


def label_of(shot: Shot) -> Label:
    """The truth of a scene, as readers are judged by it."""
    told = shot.label
    dice = tuple(
        LabelledDie(die["face"], die["top_px"][0], die["top_px"][1], die["tilt_deg"], die["shows"])
        for die in told["dice"]
    )
    return Label(
        name=told["scene"],
        path=Path(told["scene"]),
        category=told["category"],
        style=told["style"],
        values=tuple(sorted(told["values"])),
        must_refuse=told["must_refuse"],
        borderline=told["borderline"],
        undecidable=told["verdict"] == "undecidable",
        dice=dice,
        fields=told,
    )
