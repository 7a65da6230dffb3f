"""The twin's speed: rounds of physics, scenes and frames a second and core, and the size of its extra."""

from collections.abc import Callable
from importlib.metadata import files
from time import process_time

from host_tools.twin.machine import Machine
from host_tools.twin.physics import Tumbler
from host_tools.twin.placing import place
from host_tools.twin.unit import RENDERERS, SIZES, Unit, generator

ROUNDS = 20
SCENES = 20
UNIT = Unit(seed=1)
EXTRA = "mujoco-core"  # beyond what the demo needs


def run() -> list[dict]:
    """Rows {"bench", "what", "ours", "baseline", "ratio", "unit"}.

    Frames are of four-lamp scenes of flat dice; the ray tracer's baseline is the simpler renderer. Raises
    PhysicsMissing.
    """
    rows = [_row("rounds of four strokes", _rounds(), None, "a second and core")]
    for size in SIZES:
        tracer, warper = (_frames(size, renderer) for renderer in RENDERERS)
        rows.append(_row(f"frames of {size}, ray tracer; warper", tracer, warper, "a second and core"))
    rows.append(_row("packages beyond the demo's, installed", _megabytes(), None, "MB"))
    return rows


def _row(what: str, ours: float, baseline: float | None, unit: str) -> dict:
    ratio = None if baseline is None else ours / baseline
    return {"bench": "twin", "what": what, "ours": ours, "baseline": baseline, "ratio": ratio, "unit": unit}


def _rounds() -> float:
    tumbler = Tumbler(Machine(), 1)
    return _rate(ROUNDS, lambda number: tumbler.tumble(4))


def _frames(size: str, renderer: str) -> float:
    camera, style = UNIT.camera(size, "four", renderer), UNIT.style("white_black")
    scenes = [place("flat", UNIT.machine(), generator(number)) for number in range(SCENES)]
    frames = UNIT.rig(size, "four").frames
    return frames * _rate(SCENES, lambda number: camera.render(scenes[number], style, generator(number)))


def _rate(count: int, work: Callable[[int], object]) -> float:
    """How often a second of processor time `work` is done."""
    begun = process_time()
    for number in range(count):
        work(number)
    return count / (process_time() - begun)


def _megabytes() -> float:
    return sum(path.size or 0 for path in files(EXTRA) or ()) / 1e6
