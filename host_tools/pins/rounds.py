"""Rounds played beside what a tester does: begun on request, their ends told as they come."""

import asyncio
from collections.abc import Callable

from host_tools.bridge.errors import BridgeError
from host_tools.link import LinkError
from host_tools.pins.bench import Bench
from host_tools.pins.describe import describe_outcome
from host_tools.virtual_board.scenario import Round

Tell = Callable[[str], None]


class Rounds:
    """Plays one round at a time on `bench`; `tell` gets a line for each end. `unexpected` counts those that
    ended otherwise than the scenario says."""

    def __init__(self, bench: Bench, tell: Tell) -> None:
        self.unexpected = 0
        self._bench = bench
        self._tell = tell
        self._playing: asyncio.Task[None] | None = None

    @property
    def playing(self) -> bool:
        """True while a round goes on."""
        return self._playing is not None and not self._playing.done()

    def begin(self) -> bool:
        """Begin the next round; False while one goes on."""
        if self.playing:
            return False
        self._playing = asyncio.create_task(self._play())
        return True

    async def end(self) -> None:
        """Wait for the end of the round, if one goes on."""
        if self._playing is not None:
            await asyncio.wait([self._playing])

    async def play_all(self) -> None:
        """Play each round of the scenario once."""
        for _ in self._bench.board.plant.scenario.rounds:
            self.begin()
            await self.end()

    def give_up(self) -> None:
        """Play no further."""
        if self._playing is not None:
            self._playing.cancel()

    async def _play(self) -> None:
        try:
            outcome = await self._bench.play()
        except (BridgeError, LinkError, TimeoutError) as error:
            self.unexpected += 1
            self._tell(f"the round was given up: {error or 'the device did not answer'}")
            return
        expected = self._bench.board.plant.round
        told = describe_outcome(outcome)
        if is_expected(expected, told, outcome.fact):
            self._tell(f"round: {told}")
        else:
            self.unexpected += 1
            self._tell(f"round: {told} (the scenario says {expectation(expected)})")


def expectation(played: Round) -> str:
    """How `describe_outcome` tells the end that the scenario says."""
    return "-".join(map(str, played.faces)) if played.expect == "read" else f"{played.expect}: {played.fact}"


def is_expected(played: Round, told: str, fact: str) -> bool:
    """True when a round that ended as `told`, with `fact`, ended as the scenario says."""
    if played.expect == "read":
        return told == f"settled {expectation(played)}"
    return played.expect == "refused" or fact == played.fact
