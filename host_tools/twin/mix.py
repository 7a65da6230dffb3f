"""What a set of scenes is made of: shares of categories, dice, pictures and trouble, and draws from them."""

import math
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from host_tools.twin.camera import STYLES, TROUBLES
from host_tools.twin.errors import TwinError
from host_tools.twin.placing import CATEGORIES
from host_tools.twin.unit import LAMPS, RENDERERS, SIZES

SOUND = "none"  # no trouble with the picture
CHOICES = {
    "category": CATEGORIES,
    "style": tuple(STYLES),
    "size": tuple(SIZES),
    "lamps": tuple(LAMPS),
    "renderer": tuple(RENDERERS),
    "trouble": (SOUND, *TROUBLES),
}
SHIPPED = Path(__file__).with_name("mix.toml")


class MixError(TwinError):
    """A mix that cannot be drawn from; the message names the file, the table and what is wrong."""


@dataclass(frozen=True, slots=True)
class Draw:
    """What one scene is to be; each field is a choice of CHOICES."""

    category: str
    style: str
    size: str
    lamps: str
    renderer: str
    trouble: str


@dataclass(frozen=True, slots=True)
class Mix:
    """Shares in per cent: table -> choice -> share."""

    shares: dict[str, dict[str, float]]

    def draw(self, seed: int, number: int) -> Draw:
        """What scene `number` of the set of that seed is; it depends on nothing else."""
        rng = Random(f"{seed}/{number}/draw")
        return Draw(
            **{table: rng.choices(list(of), list(of.values()))[0] for table, of in self.shares.items()}
        )


def load_mix(path: Path = SHIPPED) -> Mix:
    """The mix of a TOML file. Raises MixError."""
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise MixError(f"{path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise MixError(f"{path}: {error}") from error
    for table in content:
        if table not in CHOICES:
            raise MixError(f"{path}: unknown table [{table}]; a mix has {', '.join(CHOICES)}")
    tables = {
        table: _shares(f"{path}: [{table}]", content.get(table), choices)
        for table, choices in CHOICES.items()
    }
    return Mix(tables)


def _shares(place: str, given: Any, choices: tuple[str, ...]) -> dict[str, float]:
    """The shares of one table, in the order of its choices: the file's order decides nothing."""
    if not isinstance(given, dict):
        raise MixError(f"{place} is missing: it gives shares in per cent, which add up to 100")
    for name, share in given.items():
        if name not in choices:
            raise MixError(f"{place}: unknown {name!r}; there are {', '.join(choices)}")
        if isinstance(share, bool) or not isinstance(share, int | float) or not 0 <= share <= 100:
            raise MixError(f"{place}: {name} = {share!r}: a share is a number from 0 to 100")
    total = math.fsum(given.values())
    if abs(total - 100) > 1e-6:
        raise MixError(f"{place}: the shares add up to {total:g}, not 100")
    return {name: float(given[name]) for name in choices if given.get(name)}


def choose(draw: Draw, given: dict[str, str]) -> Draw:
    """The draw with what was `given` by name in place of its own. Raises MixError."""
    for table, choice in given.items():
        if choice not in CHOICES[table]:
            raise MixError(f"no {table} {choice!r}; there are {', '.join(CHOICES[table])}")
    return replace(draw, **given)
