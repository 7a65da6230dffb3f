"""What happens in the demo's tumbler, round by round: a scenario drawn from a seed and `scenes.toml`.

Its scenes are recorded ones, or words for what becomes of the twin's dice.
"""

import tomllib
from pathlib import Path
from random import Random
from typing import Any

from host_tools.virtual_board import Scenario
from host_tools.virtual_board.scenario import Event, Round, Stroke

MOST_ROUNDS = 1000  # a longer demo starts over

_TABLE = Path(__file__).with_name("scenes.toml")
# The sensor pulses, but the dice hardly turn: slower and shorter than any board's profile asks.
_WEAK = (Stroke(width_us=3_000, speed_mm_s=90),) * 3
_EXPOSED = Event("rest", after_ms=300, levels={"cover-closed": False, "cover-open": True})


def demo_scenario(mode: str, seed: str, *, twin: bool) -> Scenario:
    """The rounds of a demo in `covered` or `open` play; the same seed gives the same rounds."""
    table = tomllib.loads(_TABLE.read_text())
    draw = _twin_round if twin else _round
    rounds = tuple(draw(table, mode, Random(f"{seed}/{number}/dice")) for number in range(MOST_ROUNDS))
    return Scenario("Demo", mode, rounds, seed=Random(f"{seed}/board").randrange(2**32))


def _round(table: dict[str, Any], mode: str, rng: Random) -> Round:
    scene, faces = rng.choice(list(table["readable"].items()))
    trouble = dict(table["trouble"])
    if rng.randrange(trouble.pop("one-in")):
        return Round(scene, "read", tuple(faces))
    kind = rng.choices(list(trouble), list(trouble.values()))[0]
    if kind == "weak-tumble":
        return Round(scene, "void", fact="too-few-tumbles", strokes=_WEAK)
    if kind == "exposed-early" and mode == "covered":
        return Round(scene, "void", fact="exposed-early", events=(_EXPOSED,))
    scene, fact = rng.choice(list(table["refused"].items()))
    return Round(scene, "void", fact=fact)


def _twin_round(table: dict[str, Any], mode: str, rng: Random) -> Round:
    trouble = dict(table["trouble"])
    if rng.randrange(trouble.pop("one-in")):
        return Round("rolled", "read")
    kind = rng.choices(list(trouble), list(trouble.values()))[0]
    if kind == "weak-tumble":
        return Round("weak", "void", fact="too-few-tumbles")
    if kind == "exposed-early" and mode == "covered":
        return Round("rolled", "void", fact="exposed-early", events=(_EXPOSED,))
    word, fact = rng.choice(list(table["twin-refused"].items()))
    return Round(word, "void", fact=fact)
