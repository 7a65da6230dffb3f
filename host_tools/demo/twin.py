"""The demo's dice when the twin is installed: one tumbler of it, rolled by physics and seen by its camera."""

from pathlib import Path
from random import Random

from host_tools.twin.dice import TwinDice
from host_tools.twin.unit import Unit

UNIT = Unit(seed=0)
STYLE = "white_black"
SIZE = "320x240"
# Made by tools/make_twin_profile.py.
PROFILE = (
    Path(__file__).resolve().parents[2] / "boards" / "virtual" / "profiles" / "twin_white_black_320.json"
)


def demo_dice(seed: str) -> TwinDice:
    """The dice of a demo; the same seed gives the same rolls. Raises PhysicsMissing."""
    return TwinDice(UNIT, STYLE, SIZE, Random(f"{seed}/twin").randrange(2**32), PROFILE)
