"""Dice of the twin on a virtual board's platform: physics rolls them, the camera sees how they came to rest.

What a scenario calls a scene is, here, what becomes of the round's dice: ROLLED, WEAK, or a category of
`host_tools.twin.placing`, in which they then lie though they were rolled.
"""

from dataclasses import dataclass
from pathlib import Path

from host_tools.twin.camera import Picture
from host_tools.twin.physics import Mark, Tumble, Tumbler
from host_tools.twin.placing import CATEGORIES, place
from host_tools.twin.scene import Scene
from host_tools.twin.strokes import tumbles
from host_tools.twin.truth import SceneTruth, tell
from host_tools.twin.unit import Unit, generator
from host_tools.virtual_board.dice import Motion

ROLLED = "rolled"
WEAK = "weak"  # strokes that pulse the sensor and hardly turn the dice
WEAK_FORCE = 6.0  # N


@dataclass(frozen=True, slots=True)
class _Run:
    """A run of the drive: the state before it, the strokes it was to do, their force."""

    mark: Mark
    strokes: int
    force: float | None


class TwinDice:
    """See virtual_board.dice.Dice. The same unit, dice, seed and rounds give the same tumbles and frames.

    Raises PhysicsMissing, ImpossibleMachine.
    """

    def __init__(self, unit: Unit, style: str, size: str, seed: int, profile: Path) -> None:
        """`style` and `size` name the dice and the pictures, with four lamps; `profile` is for them."""
        self.profile: str | Path = profile
        self._unit = unit
        self._style = unit.style(style)
        self._camera = unit.camera(size, "four", "tracer")
        self._seed = seed
        self._rounds = 0
        self._tumbler = Tumbler(unit.machine(), seed)
        self._word = ROLLED
        self.tumbles = 0  # of the round's strokes that count
        self._run: _Run | None = None
        self._show(self._tumbler.scene)

    @property
    def scene(self) -> Scene:
        """What lies on the platform, or will when it has come to rest."""
        return self._scene

    @property
    def truth(self) -> SceneTruth:
        """What it shows."""
        return tell(self._scene, self._unit.machine().dice)

    def lay(self, scene: str) -> None:
        """See Dice. Raises ValueError for a word that is none of this module's."""
        if scene not in (ROLLED, WEAK, *CATEGORIES):
            raise ValueError(f"the twin knows no scene {scene!r}: {', '.join((ROLLED, WEAK, *CATEGORIES))}")
        self._word = scene
        self._run = None
        self.tumbles = 0
        self._rounds += 1

    def drive(self, strokes: int) -> Motion:
        """See Dice."""
        self._run = _Run(self._tumbler.mark(), strokes, WEAK_FORCE if self._word == WEAK else None)
        return self._tumble(strokes)

    def stop(self, after_us: int) -> Motion | None:
        """See Dice. The strokes that have begun by then are all that are done."""
        run = self._run
        if run is None:
            return None
        begun = max(0, 1 + after_us // round(1000 * self._unit.machine().stroke_period))
        if begun >= run.strokes:
            return None
        self._run = _Run(run.mark, begun, run.force)
        self._tumbler.back(run.mark)
        return self._tumble(begun)

    def picture(self, lamp: int) -> bytes:
        """See Dice. A lamp's second frame of a scene has other noise than its first."""
        if self._picture is None or lamp in self._taken:
            self._picture = self._render()
            self._taken.clear()
        self._taken.add(lamp)
        return self._picture.frames[lamp].tobytes()

    def _tumble(self, strokes: int) -> Motion:
        force = self._run.force if self._run else None
        tumble = self._tumbler.tumble(strokes, force)
        self.tumbles = tumbles(tumble.edges)
        self._show(tumble.after if self._word in (ROLLED, WEAK) else self._placed())
        return motion_of(tumble)

    def _placed(self) -> Scene:
        return place(self._word, self._unit.machine(), generator(self._seed, self._rounds, "placed"))

    def _show(self, scene: Scene) -> None:
        self._scene = scene
        self._picture: Picture | None = None
        self._taken: set[int] = set()
        self._pictures = 0

    def _render(self) -> Picture:
        self._pictures += 1
        rng = generator(self._seed, self._rounds, self._pictures, "picture")
        return self._camera.render(self._scene, self._style, rng)


def motion_of(tumble: Tumble) -> Motion:
    """A tumble as a plant plays it."""
    top, strokes = False, []
    for gate, level, at_us in tumble.edges:
        if gate == "stroke-top":
            top = True
        elif not level and top:
            top = False
            strokes.append(at_us)
    return Motion(
        edges=[(at_us, gate, level) for gate, level, at_us in tumble.edges],
        strokes=strokes,
        shakes=[(int(at_us), int(milli_g)) for at_us, milli_g in tumble.vibration],
        rest_us=tumble.rest_us,
    )
