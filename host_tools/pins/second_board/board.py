"""A board under test whose inputs a second board drives: the plant lives here, in real time.

It serves a scenario's player as a virtual board does. Edges of the stroke gates are collected until the
stroke is over and then played by the second board, so that their intervals are exact though the whole comes
some 30 ms late. Vibration is a motor's. Camera, tilt and plug are real: people see to those.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

from host_tools.bringup.errors import BringUpError
from host_tools.pins.hands import Hands
from host_tools.pins.second_board.remote import SecondBoard
from host_tools.pins.second_board.wiring import SHAKER, Wiring
from host_tools.virtual_board.board import FRAMES, Identity
from host_tools.virtual_board.dice import RecordedScenes
from host_tools.virtual_board.plant import STEP_US, Plant
from host_tools.virtual_board.scenario import GATES, Round, Scenario

LONGEST_STROKE_US = 300_000  # above any board's max_width_us: a gate that is stuck is no stroke
LATEST_US = 100  # of an edge; later ones are told
_LOOK_S = 0.005
_BEHIND_US = 200_000  # more than that is not caught up: a person answered a question

Ask = Callable[[str], Awaitable[None]]
Tell = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Setup:
    """What is on the bench.

    settings: the content of the tested board's board.json; uart: its serial port; ask: puts something to the
    person and returns when it is done.
    """

    settings: Mapping[str, Any]
    identity: Identity
    uart: str
    wiring: Wiring
    second: SecondBoard
    ask: Ask
    tell: Tell


class WiredHands(Hands):
    """Hands whose levels and edges wait to be fetched for the second board."""

    def __init__(self, plant: Plant, settings: Mapping[str, Any], wiring: Wiring) -> None:
        self._indices = {name: index for index, name in enumerate(wiring.drives)}
        self._watched = tuple(wiring.watches)
        self._levels: list[tuple[int, int]] = []
        self._edges: list[tuple[int, int, int]] = []  # the last number is the plant's time, us
        self._covered: dict[str, bool] = dict.fromkeys(GATES, False)
        self._pulse_us = 0
        self._shaking = False
        self._rest_mg = settings["limits"]["rest_mg"]
        super().__init__(plant, settings)

    def hear_output(self, index: int, level: int) -> None:
        """An output of the board under test (its place among the watched) went to `level`."""
        name = self._watched[index]
        wire, active = self.wire(name)
        wire.write(bool(level))
        if name == "drive" and bool(level) is active:
            self._pulse_us = self.now_us()

    def look_for_end(self) -> None:
        """A run whose next pulse does not come was given up."""
        if self._pulses and self.now_us() - self._pulse_us > self._hal["drive"]["period_ms"] * 1500:
            self.say({"drive": 0})

    def take_levels(self) -> list[tuple[int, int]]:
        """Levels (index, 0 or 1) to be put out now."""
        taken, self._levels = self._levels, []
        return taken

    def take_stroke(self) -> list[tuple[int, int, int]]:
        """Edges (index, 0 or 1, us after the first) of a stroke that is over; none while it goes on."""
        if not self._edges:
            return []
        first_us, last_us, now_us = self._edges[0][2], self._edges[-1][2], self.now_us()
        over = not any(self._covered.values()) and now_us - last_us >= STEP_US
        if not over and now_us - first_us < LONGEST_STROKE_US:
            return []
        taken, self._edges = self._edges, []
        return [(index, level, at_us - first_us) for index, level, at_us in taken]

    def _set(self, name: str, level: bool) -> None:
        if name not in self._indices:
            return  # the tilt of an accelerometer is a person's to change
        super()._set(name, level)
        index, electrical = self._indices[name], int(bool(self.wire(name)[0].level))
        if name in self._covered:
            self._covered[name] = level
            self._edges.append((index, electrical, self.now_us()))
        else:
            self._levels.append((index, electrical))

    def _vibrate(self, milli_g: int) -> None:
        """The motor shakes the board's own sensor while nothing is to be at rest."""
        shaking = milli_g >= self._rest_mg
        if shaking is not self._shaking:
            self._shaking = shaking
            self._levels.append((self._indices[SHAKER], int(shaking)))


class WiredBoard:
    """The board of `setup`, an async context manager. A subclass names its setup, because a table makes its
    board itself."""

    setup: ClassVar[Setup]
    console = ""  # it is the device's own, and not wired
    speed = 1.0

    def __init__(
        self,
        directory: Path,
        scenario: Scenario,
        *,
        speed: float | None = 1.0,
        seed: str | None = None,
    ) -> None:
        """`directory`, `speed` and `seed` are those of boards that are simulated. Raises ScenarioError."""
        self.identity = self.setup.identity
        self.uart_path = self.setup.uart
        self.plant = Plant(scenario, RecordedScenes(scenario, FRAMES / scenario.frames))
        self.hands = WiredHands(self.plant, self.setup.settings, self.setup.wiring)
        self._playing: asyncio.Task[None] | None = None
        self._due_s = 0.0

    @classmethod
    async def create(
        cls, directory: Path, *, seed: str | None = None, profile: str = "white_black_320.json"
    ) -> Identity:
        """The identity of the board, which was provisioned before."""
        return cls.setup.identity

    async def __aenter__(self) -> Self:
        """Inputs have their levels before the board has power: it would latch a fault of an open dome."""
        self.hands.power_on()
        await self._put_out()
        await self.setup.ask("Give the board under test power now, and press Enter")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stop()

    # --- power, which is a person's to switch

    @property
    def powered(self) -> bool:
        """True while the plant is served."""
        return self._playing is not None

    async def power_on(self) -> None:
        """The board, which has power, is served from now on."""
        if self._playing is None:
            await self._hear_levels()
            self._playing = asyncio.create_task(self._play())

    async def power_cut(self) -> None:
        """Have the power cut for good, before the second board lets go of the inputs."""
        await self._stop()
        await self.setup.ask("Cut the power of the board under test now, and press Enter")

    async def _hear_levels(self) -> None:
        for index, level in enumerate(await asyncio.to_thread(self.setup.second.levels)):
            self.hands.hear_output(index, level)
        self._due_s = asyncio.get_running_loop().time()

    async def _stop(self) -> None:
        playing, self._playing = self._playing, None
        if playing is not None:
            playing.cancel()
            with contextlib.suppress(asyncio.CancelledError, BringUpError):  # `fails` has told it
                await playing
            self.hands.power_off()

    # --- the player of the scenario

    def next_round(self) -> Round:
        """Begin the scenario's next round, the first one at the first call."""
        return self.plant.next_round()

    def cue(self, name: str) -> None:
        """Tell the plant what it cannot see: one of scenario.CUES."""
        self.plant.cue(name)

    # --- real time

    async def fails(self) -> None:
        """Raises BoardLost or DeviceError when the second board can no longer be used."""
        if self._playing is not None:
            await asyncio.shield(self._playing)

    async def _play(self) -> None:
        while True:
            for index, level in await asyncio.to_thread(self.setup.second.heard):
                self.hands.hear_output(index, level)
            self.hands.look_for_end()
            self._catch_up()
            await self._put_out()
            if self.plant.power_off_ms is not None:
                await self._cycle_power(self.plant.power_off_ms)
            await asyncio.sleep(_LOOK_S)

    def _catch_up(self) -> None:
        """Let the plant act up to now."""
        now_s = asyncio.get_running_loop().time()
        self._due_s = max(self._due_s, now_s - _BEHIND_US / 1e6)
        while self._due_s <= now_s and self.plant.power_off_ms is None:
            self.hands.turn()
            self._due_s += STEP_US / 1e6

    async def _put_out(self) -> None:
        second = self.setup.second
        if levels := self.hands.take_levels():
            await asyncio.to_thread(second.set_levels, levels)
        if edges := self.hands.take_stroke():
            late_us = await asyncio.to_thread(second.play, edges)
            if late_us > LATEST_US:
                self.setup.tell(f"an edge of a stroke was {late_us} us late: do not judge the round by it")

    async def _cycle_power(self, off_ms: int) -> None:
        await self.setup.ask(
            f"Cut the power of the board under test NOW, for {off_ms / 1000:g} s or more;"
            " press Enter when it is back"
        )
        self.hands.power_off()
        self.hands.power_on()
        await self._put_out()
        await self._hear_levels()
