"""Labelled scenes for tests: a new one for each seed, drawn from the shipped mix or as a test asks for it."""

from functools import cache

from host_tools.twin.mix import Mix, choose, load_mix
from host_tools.twin.studio import Shot, Studio


def scene_of(seed: int, **choices: str) -> Shot:
    """The scene of that seed: `picture.frames`, `label`, and the `scene`'s poses.

    `choices`: category, style, size, lamps, renderer, trouble; what is left out is drawn from the seed. The
    tumbler that takes it is always the same. Raises MixError, NoRoom.
    """
    mix = _mix()
    return Studio(0, mix).take(seed, choose(mix.draw(0, seed), choices))


@cache
def _mix() -> Mix:
    return load_mix()
