"""What surrounds a simulated device: dice, strokes, cover, enclosure, and what the reader makes of the dice.

It stands in for the plant and the reader at the controller's own seams; here the records are proven, not the
pictures. Who judges a run asks the world what lay on the platform when.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from random import Random

from tumbler.hal import CameraError

Faces = tuple[int, int, int]

READABLE = ""
_REFUSALS = ("not-flat", "not-flat", "stacked", "unreadable", "die-missing", "extra-object", "die-damaged")
_LAMPS = 4
_STILL_S = 0.6  # after a stroke
_QUIET_MG, _ROLLING_MG, _STROKE_MG = 5, 120, 2500


@dataclass(frozen=True, slots=True)
class Throw:
    """What lies on the platform from `at` on; `refusal` is why it cannot be read, or READABLE."""

    at: float
    faces: Faces
    refusal: str


class World:
    """One tumbler's mechanics, which go on when its power is off. Times are those of the running loop."""

    def __init__(self, rng: Random, *, covered: bool) -> None:
        self.calm = False  # nothing goes wrong any more
        self.throws = [Throw(0.0, (1, 1, 1), READABLE)]
        self.news = asyncio.Event()  # something that the device should look at
        self.levels = {
            "cover-closed": covered,
            "cover-open": not covered,
            "dome-intact": True,
            "dome-closed": True,
            "door-closed": True,
            "tilted": False,
        }
        self._rng = rng
        self._covered = covered
        self._planned: list[tuple[float, bool]] = []  # strokes to come: (time, whether it is a strong one)
        self._edges: list[tuple[float, str, bool]] = []
        self._moved = -60.0
        self._shaken = -60.0
        self._dealer: asyncio.TimerHandle | None = None

    # --- drive and strokes

    def drive(self, count: int) -> None:
        """Run the drive for so many strokes."""
        rng, at = self._rng, self._now() + 0.15
        if not self.calm and rng.random() < 0.02:
            count += rng.choice((-3, -2, 3))
        for _ in range(count):
            self._planned.append((at, self.calm or rng.random() > 0.02))
            self._call(at)
            at += 0.34

    def stop(self) -> None:
        """Stop the drive; a stroke that has begun comes all the same."""
        self.catch_up()
        self._planned.clear()

    def stray_stroke(self) -> None:
        """Somebody leans on the platform."""
        self._planned.insert(0, (self._now(), True))
        self.news.set()

    def catch_up(self) -> None:
        """Let all strokes happen that were due by now."""
        while self._planned and self._planned[0][0] <= self._now():
            self._stroke(*self._planned.pop(0))

    def _stroke(self, at: float, strong: bool) -> None:
        gap, width = (0.00105, self._rng.uniform(0.014, 0.017)) if strong else (0.008, 0.005)
        top = at + gap
        down = top + width
        self._edges += [(at, "stroke-gate", True), (top, "stroke-top", True)]
        self._edges += [(down, "stroke-top", False), (down + 0.001, "stroke-gate", False)]
        self._edges.sort()
        self._call(down + 0.01)
        self._call(at + _STILL_S)
        self._moved = at
        if strong:
            faces = (self._rng.randint(1, 6), self._rng.randint(1, 6), self._rng.randint(1, 6))
            refused = not self.calm and self._rng.random() < 0.03
            self.throws.append(Throw(at, faces, self._rng.choice(_REFUSALS) if refused else READABLE))

    def take_edges(self) -> Iterator[tuple[float, str, bool]]:
        """The gates' edges up to now, in order."""
        self.catch_up()
        now = self._now()
        while self._edges and self._edges[0][0] <= now:
            yield self._edges.pop(0)

    def vibration(self) -> int:
        """Milli-g."""
        self.catch_up()
        since = self._now() - self._moved
        if since < 0.05:
            return _STROKE_MG
        return _ROLLING_MG if since < _STILL_S or self._now() < self._shaken else _QUIET_MG

    def shake(self, seconds: float) -> None:
        """Somebody bumps the table; the dice stay as they are."""
        self._shaken = self._now() + seconds
        self.news.set()
        self._call(self._shaken)

    # --- cover and enclosure

    def release_cover(self, released: bool) -> None:
        """The dealer opens a released cover, and closes one that is to be closed."""
        if not self._covered:
            return
        if self._dealer:
            self._dealer.cancel()
        self._dealer = self._later(self._rng.uniform(0.3, 3), lambda: self._move_cover(released))

    def _move_cover(self, opened: bool) -> None:
        end = {"cover-closed": not opened, "cover-open": opened}
        if all(self.levels[channel] == level for channel, level in end.items()):
            return
        self._set(**{"cover-closed": False, "cover-open": False})
        self._dealer = self._later(0.15, lambda: self._set(**end))

    def lift_cover(self, seconds: float) -> None:
        """The dealer opens the cover although it is not released, and closes it again."""
        if self._covered and self.levels["cover-closed"]:
            self._move_cover(True)
            self._later(seconds, lambda: self.release_cover(False))

    def disturb(self, channel: str, seconds: float) -> None:
        """A channel of the enclosure tells of something wrong for so long."""
        sound = channel != "tilted"
        self._set(**{channel: not sound})
        self._later(seconds, lambda: self._set(**{channel: sound}))

    def _set(self, **levels: bool) -> None:
        self.levels.update(levels)
        self.news.set()
        for delay in (0.01, 0.02, 0.03, 0.05):  # a level counts when it has stood for a while
            self._later(delay, self.news.set)

    # --- time

    @staticmethod
    def _now() -> float:
        return asyncio.get_running_loop().time()

    def _call(self, at: float) -> None:
        asyncio.get_running_loop().call_at(at, self.news.set)

    @staticmethod
    def _later(delay: float, function) -> asyncio.TimerHandle:
        return asyncio.get_running_loop().call_later(delay, function)


class Scene:
    """Reads the world's dice as the controller's scenes do, a lamp a step."""

    profile_digest = b""
    evidence = None

    def __init__(self, world: World, rng: Random) -> None:
        self._world = world
        self._rng = rng
        self._lamp = 0
        self._scenes = 0

    def step(self) -> tuple | None:
        """The event of a scene after its last frame. Raises CameraError."""
        if not self._world.calm and self._rng.random() < 0.0005:
            raise CameraError("no frame in time")
        self._lamp += 1
        if self._lamp < _LAMPS:
            return None
        self._lamp = 0
        self._scenes += 1
        frames = sha256(b"%d" % self._scenes).digest()
        throw = self._world.throws[-1]
        if self._world.vibration() > 60:
            return "refused", "unreadable", "it moves", frames
        if throw.refusal:
            return "refused", throw.refusal, "", frames
        faces = list(throw.faces)
        self._rng.shuffle(faces)
        return "read", tuple(faces), (3, 2, 4), (990, 985, 991), frames

    def stop(self) -> None:
        """Give up the scene."""
        self._lamp = 0

    def works(self) -> bool:
        """The camera is there again."""
        return True
