"""What happens in the tumbler in each round of the demo, drawn from a seed and `scenes.toml`."""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from random import Random

FRAMES = Path(__file__).parents[2] / "tests" / "frames" / "scenes320"
_TABLE = Path(__file__).with_name("scenes.toml")


@dataclass(frozen=True)
class Show:
    """One round: the scene's frames (a folder of `lamp0.png` .. `lamp3.png`) and what goes wrong.

    `trouble` is empty, `refused-scene`, `weak-tumble` or `exposed-early`.
    """

    frames: Path
    trouble: str = ""


class Shows:
    """The rounds of a demo, by seed and number."""

    def __init__(self, seed: str) -> None:
        self._seed = seed
        with _TABLE.open("rb") as file:
            table = tomllib.load(file)
        self._readable: list[str] = table["readable"]
        self._refused: list[str] = table["refused"]
        self._trouble: dict[str, int] = table["trouble"]
        self._one_in = self._trouble.pop("one-in")

    def show(self, number: int) -> Show:
        """What round `number` shows."""
        rng = Random(f"{self._seed}/{number}/show")
        scene, refused = rng.choice(self._readable), rng.choice(self._refused)
        trouble = ""
        if rng.randrange(self._one_in) == 0:
            trouble = rng.choices(list(self._trouble), list(self._trouble.values()))[0]
        return Show(FRAMES / (refused if trouble == "refused-scene" else scene), trouble)
